"""Waits that count their turns, or look at a clock: where that is left open, and that it changes no answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.program import ir
from scopec.session import plan as planning
from scopec.session.plan import Overrides, plan
from tests.conftest import check_text, verdicts

HEAD = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag, stop;
__device__ int data, out;
"""
KERNEL = """__global__ void k() {
    if (blockIdx.x == 0) { SEND }
    else { WAIT out = 1 + data; }
}
"""
COOPERATIVE = """int main() {
    void* none[1];
    cudaLaunchCooperativeKernel((void*)k, dim3(2), dim3(1), none, 0, 0);
    cudaDeviceSynchronize();
}
"""
ASKED = """//@ bound unroll = 5;
//@ expect race;
//@ expect required out == 2;
//@ expect allowed out == 1;
//@ expect terminates;
"""
SEND = "data = 1; flag.store(1, cuda::memory_order_release);"
SEEN = "flag.load(cuda::memory_order_acquire)"
LOOKS = (
    f"int n = 0; while ({SEEN} == 0) if (++n == LIMIT) {{ n = 0; if (stop.load()) break; }}",
    f"unsigned n = 0; while (!{SEEN}) {{ if (n++ > LIMIT) {{ n = 0; if (stop.load()) return; }} }}",
    f"int n = 0; while ({SEEN} == 0) if (n++ % LIMIT == LIMIT - 1 && stop.load()) break;",
)
GIVES_UP = (
    f"for (int n = 0; n < LIMIT; ++n) if ({SEEN}) break;",
    f"int left = LIMIT; while ({SEEN} == 0 && --left > 0) __nanosleep(10);",
    f"int n = 0; while ({SEEN} == 0) if (++n >= LIMIT) return;",
)
SENDS = (
    SEND,
    "data = 1; flag.store(1, cuda::memory_order_relaxed);",
    f"stop.store(1); {SEND}",
    "stop.store(1);",
)


def text_of(wait: str, send: str, limit: int) -> str:
    kernel = KERNEL.replace("WAIT", wait.replace("LIMIT", str(limit))).replace("SEND", send)
    return HEAD + kernel + COOPERATIVE + ASKED


def left_open(text: str, tmp_path: Path, options: str = "") -> list[str]:
    """What is left open in the kernel."""
    path = tmp_path / "program.cu"
    path.write_text(text + options)
    (run, *_) = plan(path, "program.cu", Overrides()).runs
    nodes = run.program.grids["k"].body.nodes.values()
    return sorted(n.operation.what for n in nodes if isinstance(n, ir.Do) and isinstance(n.operation, ir.Decide))


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("wait", LOOKS)
def test_a_look_every_so_many_turns(wait: str, send: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a small limit, counted: the answers differ in nothing but that what is counted may be unknown."""
    far = verdicts([check_text(tmp_path, text_of(wait, send, 10_000), engine="embedded")])
    assert left_open(text_of(wait, send, 10_000), tmp_path) == ["failure"]
    monkeypatch.setattr(planning, "left_open", lambda body, _: body)
    near = verdicts([check_text(tmp_path, text_of(wait, send, 3), engine="embedded", timeout=5)])
    assert {check: found for check, found in far.items() if found == ["unknown"] != near[check]} == {}
    assert {check for check, found in near.items() if found not in (far[check], ["unknown"])} == set()


@pytest.mark.parametrize("send", SENDS)
@pytest.mark.parametrize("wait", GIVES_UP)
def test_a_wait_that_gives_up(wait: str, send: str, tmp_path: Path) -> None:
    far = verdicts([check_text(tmp_path, text_of(wait, send, 100_000), engine="embedded")])
    assert left_open(text_of(wait, send, 100_000), tmp_path) == ["timeout"]
    assert left_open(text_of(wait, send, 3), tmp_path) == []
    near = verdicts([check_text(tmp_path, text_of(wait, send, 3), engine="embedded")])
    kinds = [check for check in far if "terminates" not in check]  # a far count is never up, unless it is said to be
    assert {check: far[check] for check in kinds} == {check: near[check] for check in kinds}
    eventually = verdicts(
        [check_text(tmp_path, text_of(wait, send, 100_000) + "//@ options timeouts = eventually;\n", engine="embedded")]
    )
    assert eventually["terminates"] == near["terminates"] == ["holds"]


@pytest.mark.parametrize(
    "wait",
    [
        f"int n = 0; while ({SEEN} == 0) if (++n == 5000 && stop.load()) break;",  # it looks once
        f"int n = 0; while ({SEEN} == 0) {{ if (stop.load() == 2) n = 0; if (++n == 5000) return; }}",  # it may never be up
        f"int n = 0; while ({SEEN} == 0) if (++n == 5000) break; data = n;",  # what is counted is stored
        f"int n = 0; while ({SEEN} == 0) {{ if (++n == 5000) break; stop.fetch_add(1); }}",  # turns are noticed
        f"int n = 0; while ({SEEN} == 0) if (stop.load() && ++n == 5000) break;",  # not every turn counts
        f"int n = stop.load(); while ({SEEN} == 0) if (++n == 5000) break;",  # who knows what it begins with
        f"int n = 0; while ({SEEN} == 0) if (--n == 5000) break;",  # it is never up
        "for (int n = 0; n < 5000; ++n) { int a = flag.load(); if (a == flag.load()) return; }",  # a turn is made once
        f"for (int n = 0; n < 5000; ++n) {{ int a = out; if ({SEEN} == 0 || a) return; }}",  # likewise
        f"int n = 0; while ({SEEN} == 0) {{ ++n; if ((n == 300) | (n == 500)) if (stop.load()) break; }}",  # it looks twice
        f"int n = 0; while ({SEEN} == 0) if (n++ % 5000 == 0) return;",  # it gives up in the first turn
        f"int n = 0; while ({SEEN} == 0) {{ n = (unsigned char)(n + 1); if (n > 5000) return; }}",  # it is never up
        f"int n = 0; do if (n++ % 5000 == 4999 && stop.load()) break; while ({SEEN} == 0);",  # it is looked at before the last read of a turn
        "for (int n = 0; n < 5000; ++n) __nanosleep(10);",  # it waits for nothing else
        "for (int n = 0; n < 5000; ++n) data += stop.load();",  # a sum
        f"int s = 0; for (int n = 0; n < 5000; ++n) {{ s += 2; if ({SEEN}) break; }} data = s;",  # another count
        f"int s = 0; for (int n = 0; n < 5000; ++n) {{ s += stop.load(); if ({SEEN} == s) break; }}",  # another sum
    ],
)
def test_what_is_not_left_open(wait: str, tmp_path: Path) -> None:
    assert left_open(text_of(wait, SEND, 0), tmp_path) == []


def test_a_count_that_is_asked_for_is_counted(tmp_path: Path) -> None:
    text = text_of(GIVES_UP[2], SEND, 5000).replace("int n", "int turns").replace("++n", "++turns")
    assert left_open(text, tmp_path) == ["timeout"]
    assert left_open(text, tmp_path, "//@ expect forbidden k[1][0].turns == 5001;\n") == []


CLOCK = f"long long start = clock64(); while ({SEEN} == 0) if (clock64() - start > 1000000) __trap();"
COUNT = f"int n = 0; while ({SEEN} == 0) if (++n > 1000000) __trap();"


@pytest.mark.parametrize("wait", [CLOCK, COUNT])
def test_a_watchdog_does_not_fire(wait: str, tmp_path: Path, write: Callable[..., Path]) -> None:
    outcome = check_text(tmp_path, text_of(wait, SEND, 0), engine="embedded")
    assert verdicts([outcome])["required out == 2"] == ["holds"]
    assert verdicts([outcome])["terminates"] == ["holds"]
    assert [d.code.name for d in outcome.diagnostics] == ["WATCHDOG"]
    fires = check_text(tmp_path, text_of(wait, SEND, 0) + "//@ options timeouts = eventually;\n", engine="embedded")
    assert verdicts([fires])["required out == 2"] == ["violated"]
    assert not fires.diagnostics
    hangs = check_text(tmp_path, text_of(wait, "data = 1;", 0), engine="embedded")
    assert verdicts([hangs])["terminates"] == ["violated"]
