"""Looks at an mbarrier that are turns of the loop behind them, as CUTLASS's pipelines wait, and looks that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.program import ir
from scopec.session.check import Settings, check
from tests.conftest import program_of

PROGRAM = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int data, other, out;
__device__ bool look(std::uint64_t* b, unsigned parity) { return ptx::mbarrier_try_wait_parity(b, parity); }
__device__ void wait(std::uint64_t* b, unsigned parity) { while (!look(b, parity)) {} }
__global__ void k() {
    __shared__ std::uint64_t b[2];
    if (threadIdx.x == 0) for (int s = 0; s < 2; s++) ptx::mbarrier_init(&b[s], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 1;
        ptx::mbarrier_arrive(&b[0]);
        ptx::mbarrier_arrive(&b[1]);
        return;
    }
    for (int s = 0; s < 2; s++) {
        unsigned token = look(&b[s], 0) ? 1 : 0;
        BETWEEN
        if (token == 0) wait(&b[s], 0);
        BEHIND
    }
    out = data;
}
//@ launch k<<<1, 2>>>();
"""


def _text(between: str = "", behind: str = "", old: str = "", new: str = "") -> str:
    return PROGRAM.replace("BETWEEN", between).replace("BEHIND", behind).replace(old, new)


#: The loop sets what is read behind it.
LATE = (
    _text(behind="other = late;", old="wait(&b[s], 0);", new="while (!(late = look(&b[s], 0))) {}")
    .replace(
        "for (int s = 0; s < 2; s++) {\n        unsigned",
        "for (int s = 0; s < 2; s++) {\n        int late = other;\n        unsigned",
    )
    .replace("out = data;", "out = other;")
)


def _looks(text: str) -> int:
    found = program_of(text, reader="clang")
    nodes = [node for grid in found.grids.values() for node in grid.body.nodes.values()]
    return sum(isinstance(node, ir.Do) and isinstance(node.operation, ir.BarrierTest) for node in nodes)


def test_a_look_before_its_loop_is_a_turn_of_it() -> None:
    assert _looks(_text()) == 2


@pytest.mark.parametrize(
    "text",
    [
        _text(between="data++;"),
        _text(behind="other = token;"),
        _text(old="if (token == 0)", new="if (token == 1)"),
        _text(old="if (token == 0) wait(&b[s], 0)", new="if (token == 0) wait(&b[s], 1)"),
        _text(old="if (token == 0) wait(&b[s], 0)", new="if (token == 0) wait(&b[1 - s], 0)"),
        _text(old="if (token == 0) wait(&b[s], 0)", new="if (token == 0) look(&b[s], 0)"),
        LATE,
    ],
)
def test_other_looks_stay(text: str) -> None:
    assert _looks(text) == 4


def test_a_look_that_a_directive_asks_for_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scopec.frontends.clang.threads.mentioned", lambda _, name: name == "token")
    assert _looks(_text()) == 3  # the last one's: the variable has only that


def test_what_the_loop_sets_is_as_it_was_where_the_look_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "looks.cu"
    path.write_text(f"{LATE}//@ expect allowed out == 0;\n//@ expect allowed out == 1;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    found = outcome.reports[0].checks
    assert [c.verdict for c in found if not c.expectation.implicit] == ["holds", "holds"]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (_text(), ["holds", "holds"]),
        (_text(old="if (token == 0) wait(&b[s], 0)", new="if (token == 0) look(&b[s], 0)"), ["violated", "holds"]),
        (_text(old="if (token == 0)", new="if (token == 1)"), ["violated", "holds"]),
        (_text(old="ptx::mbarrier_arrive(&b[1]);", new=""), ["holds", "violated"]),
    ],
)
def test_answers_about_looks(text: str, verdicts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "looks.cu"
    path.write_text(f"{text}//@ expect race_free;\n//@ expect terminates;\n")
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [c.verdict for c in outcome.reports[0].checks if not c.expectation.implicit] == verdicts
