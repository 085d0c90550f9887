"""Pipelines that the threads of a block share: the operations that they are, what is refused, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.program import ir
from scopec.program.program import Program
from scopec.program.show import words
from tests.conftest import check_text, program_of, verdicts
from tests.mbarrier_texts import ARRIVES, INIT, by_line

HEAD = """
#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int in[3] = {5, 6, 7}, out[3];
__device__ int pairs[2][2] = {{1, 2}, {3, 4}}, swapped[2][2];
__global__ void k() {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    __shared__ int tile[2], both[2][2];
    auto block = cg::this_thread_block();
    const auto role = threadIdx.x == 0 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
"""


def text_of(*lines: str, threads: int = 1, stages: int = 1) -> str:
    body = "\n".join(lines)
    return f"{HEAD.replace('STAGES', str(stages))}{body}\n}}\n//@ launch k<<<1, {threads}>>>();\n"


def program(*lines: str, threads: int = 1, stages: int = 1) -> Program:
    return program_of(text_of(*lines, threads=threads, stages=stages), reader="clang")


UNIFIED = "auto pipe = cuda::make_pipeline(block, &state);"


def test_what_each_member_is() -> None:
    members = {
        UNIFIED: ["barrier k.state.full of 2", *INIT, "barrier k.state.empty of 1", *INIT, "syncthreads"],
        "pipe.producer_acquire();": ["r0 = phase.acquire.block k.state.empty when r0 % 2 != 1"],
        "cuda::memcpy_async(&tile[1], &in[1], 4, pipe);": ["copy", "r0 = load in[1]", "store k.tile[1] = r0", "end of copy"],
        "pipe.producer_commit();": [
            "behind copies, complete at an mbarrier", "r0 = arrive.relaxed.block k.state.full by 1", *ARRIVES, "end of copy",
            "r1 = arrive.release.block k.state.full by 1", *ARRIVES,
        ],
        "pipe.consumer_wait();": ["r0 = phase.acquire.block k.state.full when r0 % 2 != 0"],
        "pipe.consumer_release();": ["r0 = arrive.release.block k.state.empty by 1", *ARRIVES],
        "pipe.producer_acquire(); ": ["r0 = phase.acquire.block k.state.empty when r0 % 2 != 0"],
        "pipe.consumer_wait(); ": ["r0 = phase.acquire.block k.state.full when r0 % 2 != 1"],
        "int done = pipe.consumer_wait_for(1);": ["r0 = test.acquire.block k.state.full whether r0 % 2 != 1", "r1 = either"],
        "bool last = pipe.quit();": ["r0 = either"],
    }  # fmt: skip
    assert dict(zip(members, by_line(program(*members)), strict=True)) == members


@pytest.mark.sampled(0)
def test_stages_take_turns() -> None:
    lines = by_line(program(UNIFIED, *["pipe.producer_acquire(); pipe.producer_commit();"] * 3, stages=2))
    waits = [line for of_line in lines[1:] for line in of_line if "phase.acquire" in line]
    places = [("k.state.empty", 1), ("k.state.empty[1]", 1), ("k.state.empty", 0)]
    assert waits == [f"r0 = phase.acquire.block {place} when r0 % 2 != {parity}" for place, parity in places]


def counts(found: Program) -> dict[str, list[str]]:
    """How many arrivals each mbarrier expects."""
    done = [node.operation for node in found.grids["k"].body.nodes.values() if isinstance(node, ir.Do)]
    inits = [words(one)[0].split(" of ") for one in done if isinstance(one, ir.BarrierInit)]
    return {place: [count for other, count in inits if other == place] for place, _ in inits}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("made", "full", "empty"),
    [
        (UNIFIED, "6", "3"),
        ("auto pipe = cuda::make_pipeline(block, &state, 1);", "2", "2"),
        ("auto tile3 = cg::tiled_partition<1>(block); auto pipe = cuda::make_pipeline(tile3, &state);", "2", "1"),
    ],
)
def test_counts_of_members(made: str, full: str, empty: str) -> None:
    found = counts(program(made, threads=3))
    assert {place: set(of) for place, of in found.items()} == {
        "barrier k.state.full": {full},
        "barrier k.state.empty": {empty},
    }


REFUSED = {
    "auto warp = cg::tiled_partition<1>(block); auto pipe = cuda::make_pipeline(warp, &state, role);":
        "a pipeline with roles of a group that is no thread block",
    "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_system, 1> all; auto pipe = cuda::make_pipeline(block, &all);":
        "a pipeline that threads of several blocks share",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
@pytest.mark.sampled(1)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        program(text)
    (found,) = caught.value.diagnostics
    assert found.code is Code.UNMODELLED_CALL
    assert REFUSED[text] in found.message
    assert found.span.line == HEAD.count("\n") + 1


# ---------------------------------------------------------------- answers

#: Each thread copies its part of a pair, and reads the other's.
SWAP = """
    auto pipe = cuda::make_pipeline(block, &state);
    for (int i = 0; i < 2; ++i) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, both[0], pairs[i], 8, pipe);
        pipe.producer_commit();
        pipe.consumer_wait();
        swapped[i][threadIdx.x] = both[0][1 - threadIdx.x];
        pipe.consumer_release();
    }
"""
#: A thread copies what another one reads.
HANDED = """
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int i = 0; i < 3; ++i)
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[i % 2], &in[i], 4, pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[i] = tile[i % 2];
            pipe.consumer_release();
        }
    pipe.quit();
"""
STAGES = {SWAP: 1, HANDED: 2}
VALUES = {SWAP: "required swapped[1][0] == 4 && swapped[1][1] == 3", HANDED: "required out[0] == 5 && out[2] == 7"}


def found(tmp_path: Path, kernel: str, *expectations: str, without: str = "", by: str = "") -> dict[str, list[str]]:
    assert not without or kernel.count(without) == 1
    text = text_of(kernel.replace(without, by) if without else kernel, threads=2, stages=STAGES[kernel])
    text += "".join(f"//@ expect {one};\n" for one in expectations)
    return verdicts([check_text(tmp_path, text, engine="embedded")])


@pytest.mark.sampled(0)
@pytest.mark.parametrize("kernel", [SWAP, HANDED])
def test_a_right_pipeline(kernel: str, tmp_path: Path) -> None:
    answers = found(tmp_path, kernel, "race_free", "terminates", VALUES[kernel])
    assert {"race_free", "terminates", VALUES[kernel]} <= set(answers)
    assert set(map(tuple, answers.values())) == {("holds",)}


#: By what is left out, or what stands in its place: the answer.
BROKEN = [
    (SWAP, "pipe.producer_acquire();", "", "race"),
    (SWAP, "pipe.consumer_wait();", "", "race"),
    (SWAP, "pipe.consumer_release();", "", "may_hang"),
    (SWAP, "pipe.producer_commit();", "if (threadIdx.x) pipe.producer_commit();", "may_hang"),
    (HANDED, "pipe.producer_acquire();", "", "race"),
    (HANDED, "pipe.consumer_wait();", "", "race"),
    (HANDED, "pipe.consumer_release();", "", "may_hang"),
    (HANDED, "(block, &state, role)", "(block, &state)", "may_hang"),
    (HANDED, "(block, &state, role)", "(block, &state, 2)", "undefined"),
]


@pytest.mark.sampled(0)
@pytest.mark.parametrize(("kernel", "without", "by", "answer"), BROKEN)
def test_a_pipeline_with_a_mistake(kernel: str, without: str, by: str, answer: str, tmp_path: Path) -> None:
    assert found(tmp_path, kernel, answer, without=without, by=by)[answer] == ["holds"]
