"""Operations that compare in one step, on objects whose values are not modelled: floating-point numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

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
