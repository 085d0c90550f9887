"""Operations that compare in one step, on objects whose values are not modelled: floating-point numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.explain.verdict import Check
from scopec.session.check import Outcome
from tests.conftest import Asks, check_text, verdicts

ATOMIC = (
    "#include <cuda/atomic>\n__device__ cuda::atomic<float, cuda::thread_scope_device> f{0.f};\n__device__ int y;\n"
)
LAUNCH = "\n//@ launch k<<<2, 1>>>(1.f);\n//@ expect race_free;\n"


@pytest.mark.parametrize(
    "body",
    [
        "float e = 0.f; if (!f.compare_exchange_strong(e, v)) y = 1;",
        "float e = 0.f; if (f.compare_exchange_strong(e, v)) y = 1;",
        "float e = f.load(); if (!f.compare_exchange_strong(e, v)) y = 1;",
        "float e = f.load(); if (f.compare_exchange_weak(e, v)) y = 1;",
        "if (atomicCAS((int*)&f, 0, 1) != 0) y = 1;",
    ],
)
@pytest.mark.sampled(3)
def test_whether_a_compare_exchange_succeeds_is_not_known(ask: Asks, body: str) -> None:
    """Both ways are followed, whether it expects a number of its own or one that it has found."""
    assert verdicts([ask(f"{ATOMIC}__global__ void k(float v) {{ {body} }}{LAUNCH}")]) == {"race_free": ["violated"]}


def test_one_that_fails_writes_nothing(ask: Asks) -> None:
    """Two readers of what nobody can have written are no race with the exchange that may have failed."""
    text = "__device__ float f; __device__ int y; __global__ void k(float v) { if (blockIdx.x) { READ } else { CAS } }"
    read = "float seen = f;"
    for cas, expected in (("atomicCAS((int*)&f, 0, 1);", "violated"), ("float seen = f;", "holds")):
        program = text.replace("READ", read).replace("CAS", cas)
        assert verdicts([ask(program + LAUNCH)]) == {"race_free": [expected]}


def test_a_retry_ends(ask: Asks) -> None:
    """Who tries again with what was found fails only where another thread has changed it."""
    body = "float e = f.load(); while (e < v && !f.compare_exchange_weak(e, v));"
    found = verdicts([ask(f"{ATOMIC}__global__ void k(float v) {{ {body} }}{LAUNCH}//@ expect terminates;\n")])
    assert found == {"race_free": ["holds"], "terminates": ["holds"]}


def test_a_wait_is_refused(tmp_path: Path) -> None:
    """It would wait for ever, or never."""
    outcome = check_text(tmp_path, f"{ATOMIC}__global__ void k(float v) {{ f.wait(0.f); }}{LAUNCH}", engine="embedded")
    assert any("a wait on an object whose values are not modelled" in d.message for d in outcome.diagnostics)


ADDED = """
__device__ float sum;
__global__ void k() {
  int* bits = (int*)&sum;
  int old = atomicAdd(bits, 0), assumed;
  do { assumed = old; old = atomicCAS(bits, assumed, __float_as_int(1.f + __int_as_float(assumed))); } WHILE
}
//@ launch k<<<2, 1>>>();
//@ expect terminates;
//@ expect may_hang;
"""
ENDS = "whether the loop at line {} ends is decided by a value that is not modelled"


def _checks(outcome: Outcome) -> list[Check]:
    return [check for report in outcome.reports for check in report.checks]


def test_a_retry_on_the_bits_of_a_number(ask: Asks) -> None:
    """Whether it found what it expected is not known, so neither is whether it tries again."""
    found = {c.expectation.text: c for c in _checks(ask(ADDED.replace("WHILE", "while (assumed != old);")))}
    assert [found[text].verdict for text in ("terminates", "may_hang")] == ["unknown", "unknown"]
    assert all((found[text].reason or "").startswith(ENDS.format(6)) for text in ("terminates", "may_hang"))
    found = {c.expectation.text: c for c in _checks(ask(ADDED.replace("WHILE", "while (true);")))}
    assert [found[text].verdict for text in ("terminates", "may_hang")] == ["violated", "holds"]


def test_a_wait_inside_such_a_loop(ask: Asks) -> None:
    """It is the innermost loop of a thread that decides."""
    wait = "__global__ void k() { do { while (atomicAdd(&flag, 0) == 0); } while (atomicAdd(&x, 0.f) < .5f); }"
    text = f"__device__ float x; __device__ int flag;\n{wait}\n//@ launch k<<<1, 1>>>();\n//@ expect terminates;\n"
    assert verdicts([ask(text)]) == {"terminates": ["violated"]}


def test_such_a_loop_that_only_a_weaker_memory_comes_to(ask: Asks) -> None:
    """An execution that gets stuck is no more known than a schedule."""
    text = """#include <cuda/atomic>
template<class T> using A = cuda::atomic<T, cuda::thread_scope_device>;
__device__ A<int> a, b, c; __device__ A<float> x;
constexpr auto relaxed = cuda::memory_order_relaxed;
__global__ void k() {
  if (blockIdx.x) { a.store(1, relaxed); if (b.load(relaxed) == 0) c.fetch_add(1, relaxed); return; }
  b.store(1, relaxed);
  if (a.load(relaxed) == 0 && c.fetch_add(1, relaxed) == 1) while (CONDITION);
}
//@ launch k<<<2, 1>>>();
//@ expect terminates;
"""
    (check,) = _checks(ask(text.replace("CONDITION", "a.load(relaxed) == 1")))
    assert check.verdict == "violated"
    (check,) = _checks(ask(text.replace("CONDITION", "x.load(relaxed) < .5f")))
    assert check.verdict == "unknown"
    assert (check.reason or "").startswith(ENDS.format(8))
