"""Reports of hangs: the part that was asked, the order that is missing, and what would mend it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.report.dot import dot, mermaid
from scopec.report.json import document
from scopec.report.picture import picture
from scopec.report.svg import svg
from scopec.report.text import outcome_lines
from tests.command import scopec
from tests.conftest import Asks
from tests.test_hangs import only
from tests.test_stuck import column, kernel
from tests.violations import VIOLATIONS

# ---------------------------------------------------------------- reports


def test_json_says_which_part_was_asked(ask: Asks) -> None:
    outcome = ask(VIOLATIONS["stuck"])
    (found,) = (c for c in document([outcome], {}, 0.0)["programs"][0]["checks"] if c["kind"] == "terminates")
    assert found["hangs"] == {"asked": "model", "schedules": "embedded", "executions": "embedded", "whole": None}
    trace = found["trace"]
    again = [e["id"] for e in trace["events"] if e["last"]]
    assert again
    (turning,) = (b for b in trace["behind"] if b["period"])
    assert turning["period"] == again
    assert turning["thread"] == "sleeper[0][0]"
    assert turning["why"] == "it reads go = 0, the last value"
    json.dumps(trace)


def test_text_names_the_order_that_is_missing(ask: Asks) -> None:
    lines = "\n".join(outcome_lines(ask(VIOLATIONS["stuck"]), verbose=False, quiet=False, width=200))
    assert "nothing orders the store of x at line 5 before the read of y at line 6" in " ".join(lines.split())
    assert "nor the store of y at line 10 before the read of x at line 11" in " ".join(lines.split())
    assert "read go = 0 (acquire, device), initial, again and again" in lines
    assert "-- from here on nothing changes --" in lines


def test_text_names_scopes_that_leave_a_thread_out(ask: Asks) -> None:
    from tests.test_stuck import _SLEEPER

    lines = "\n".join(outcome_lines(ask(column(_SLEEPER, "block fences")), verbose=False, quiet=False, width=300))
    assert "is at block scope, which does not include thread k[1][0]" in lines


def test_text_says_where_only_schedules_were_asked(ask: Asks) -> None:
    lines = list(outcome_lines(ask(VIOLATIONS["stuck"], hangs="sc"), verbose=False, quiet=False, width=200))
    assert any("(of a sequentially consistent memory alone)" in line for line in lines)


def test_pictures_mark_the_period(ask: Asks) -> None:
    _, found = only(ask(VIOLATIONS["stuck"]))
    drawn = picture(found, "stuck")
    periods = [e for e in drawn.edges if e.relation == "period"]
    assert len(periods) == 1
    assert {b.id for b in drawn.boxes if b.marked} >= {periods[0].source, periods[0].target, "end_main"}
    assert drawn.closing == "from here on nothing changes"
    assert ">again</text>" in svg(drawn)
    assert 'label="period"' in dot(drawn)
    assert "|period|" in mermaid(drawn)


def test_where_threads_are_left(ask: Asks) -> None:
    """Threads that miss each other wait: one at a barrier of the grid, the other to be notified."""
    order = "cuda::memory_order_relaxed"
    text = kernel(
        f"x.store(1, {order}); if (y.load({order}) == 0) cooperative_groups::this_grid().sync();",
        f"y.store(1, {order}); if (x.load({order}) == 0) f.wait(0); else cooperative_groups::this_grid().sync();",
        "f.store(1); f.notify_all(); cooperative_groups::this_grid().sync();",
    )
    _, found = only(ask(f"#include <cooperative_groups.h>\n{text}"))
    assert found.verdict == "violated"
    assert "[1][0]" in str(found.trace)


pytestmark = pytest.mark.usefixtures("kept_machines")


# ---------------------------------------------------------------- suggestions


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("release/acquire", "memory_order_seq_cst at lines 5 and 6"),
        (
            "block fences",
            "both thread_scope_device for the fence at line 5 and thread_scope_device for the fence at line 6",
        ),
    ],
)
@pytest.mark.sampled(1)
def test_what_mends_a_sleeper(ask: Asks, name: str, advice: str) -> None:
    from tests.test_stuck import _SLEEPER

    _, found = only(ask(column(_SLEEPER, name), advise=True))
    assert (found.advice or "").startswith(advice)
    assert (found.advice or "").endswith("checked: it holds then")


def test_what_mends_stale_data(ask: Asks) -> None:
    from tests.test_stuck import _STALE

    _, found = only(ask(column(_STALE, "relaxed"), advise=True))
    assert (
        found.advice == "both memory_order_release at line 5 and memory_order_acquire at line 6; checked: it holds then"
    )


def test_nothing_is_suggested_that_gets_stuck_itself(ask: Asks) -> None:
    """A cooperative launch starts both blocks, which may still miss each other."""
    text = (
        VIOLATIONS["stuck"]
        .replace("cudaLaunchCooperativeKernel((void *)sleeper, 2, 1, nullptr);", "sleeper<<<2, 1>>>();")
        .replace(
            "if (y.load(cuda::memory_order_acquire) == 0) {", "while (y.load(cuda::memory_order_acquire) == 2); {{"
        )
        .replace("{ }\n        }", "{ }\n        }}")
    )
    _, found = only(ask(text, advise=True))
    assert found.verdict == "violated"
    assert "cooperative" not in (found.advice or "")


LEFT = """\
__device__ int lock, go;
__global__ void k() {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {}
        LEAVE
        atomicExch(&lock, 0);
    }
}
int main() { k<<<2, 1>>>(); cudaDeviceSynchronize(); }
"""


@pytest.mark.parametrize(
    ("leave", "why"),
    [
        ("return;", ", and k[0][0] has ended, after line 4"),
        ("while (atomicAdd(&go, 0) == 0) {}", ", and k[0][0] is at line 5"),
    ],
)
def test_a_hang_names_who_gave_what_a_thread_reads_its_value(leave: str, why: str, write: Callable[..., Path]) -> None:
    path = write(LEFT.replace("LEAVE", leave), "left.cu")
    shown = " ".join(scopec("check", path, "--engine", "embedded", "--progress", "fair").stdout.split())
    assert f"lock never changes: it is 1 since k[0][0] wrote it at line 4{why}" in shown


def test_a_thread_that_keeps_itself_waiting_is_named_once(write: Callable[..., Path]) -> None:
    text = "__device__ int go;\n__global__ void k() {\n    atomicExch(&go, 2);\n    while (atomicAdd(&go, 0) != 1) {}\n}\n//@ launch k<<<1, 1>>>();\n"
    shown = " ".join(scopec("check", write(text, "own.cu"), "--engine", "embedded").stdout.split())
    assert (
        "go never changes: it is 2 since k[0][0] wrote it at line 3; no other thread that is left could write it"
        in shown
    )
