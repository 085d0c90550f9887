"""Shuffles to which all lanes of a warp bring one number, and those to which they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.session.check import Settings, check

#: A branch that no thread takes has an instruction that is refused where a thread may come to it.
NUMBER = """
__device__ int a[64];
__device__ int first(int value) { return __shfl_sync(~0u, value, 0); }
__global__ void k() {
    int warp = first(threadIdx.x / 32), other = first(7 - threadIdx.x / 32);
    a[32 * warp + threadIdx.x % 32] = other;
    if (other != 7 - warp) asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" :: "l"(a));
}
//@ launch k<<<1, 64>>>();
//@ expect race_free;
"""
DIFFERENT = """
#include <cassert>
__device__ int out;
__global__ void k() {
    for (int i = 0; i < 3; i++) { int x = __shfl_sync(3, i, 0); assert(x == i); }
    int y = __shfl_sync(3, threadIdx.x, 1);
    assert(y == 1);
    for (int i = 0; i < 2; i++) { int w = __shfl_sync(3, threadIdx.x ? 1 - i : i, 0); assert(w == i); }
    int z;
    if (threadIdx.x % 2) z = __shfl_sync(3, 1, 0); else z = __shfl_sync(3, 2, 0);
    if (threadIdx.x == 1) out = z;
}
//@ launch k<<<1, 2>>>();
//@ expect required out == 2;
"""


def _verdicts(text: str, tmp_path: Path) -> dict[str, str]:
    path = tmp_path / "shuffle.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded"))
    assert not outcome.diagnostics
    return {c.expectation.text: c.verdict for c in outcome.reports[0].checks}


def test_all_lanes_know_the_number_of_their_warp(tmp_path: Path) -> None:
    assert _verdicts(NUMBER, tmp_path)["race_free"] == "holds"


def test_lanes_that_bring_different_numbers(tmp_path: Path) -> None:
    """Numbers of turns, of lanes, and of lanes that come to another instruction are as they were brought."""
    found = _verdicts(DIFFERENT, tmp_path)
    assert set(found.values()) == {"holds"}, found


@pytest.mark.parametrize("wrong", ["x == i", "y == 1", "w == i"])
@pytest.mark.sampled(2)
def test_numbers_are_not_mixed_up(wrong: str, tmp_path: Path) -> None:
    found = _verdicts(DIFFERENT.replace(f"assert({wrong})", f"assert(!({wrong}))"), tmp_path)
    assert "violated" in found.values()


#: Lanes that meet at different instructions: what they bring there is told apart.
ELSEWHERE = {
    "in another order": """
    if (threadIdx.x) { first(2); first(1); } else { first(1); z = first(2); }
""",
    "once more": """
    for (int i = 0; i < 2 - threadIdx.x; i++) z = __shfl_sync(3, 2, 1);
    if (threadIdx.x) __shfl_sync(3, 1, 1);
""",
}


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize("value", [1, 2])
@pytest.mark.sampled(3)
def test_lanes_that_meet_elsewhere(name: str, value: int, tmp_path: Path) -> None:
    before = "__device__ int out;\n__device__ int first(int value) { return __shfl_sync(3, value, 1); }\n"
    kernel = f"__global__ void k() {{ int z; {ELSEWHERE[name]} if (threadIdx.x == 0) out = z; }}\n"
    asked = f"//@ launch k<<<1, 2>>>();\n//@ expect required out == {value};\n"
    found = _verdicts(before + kernel + asked, tmp_path)
    assert found.pop(f"required out == {value}") == ("holds" if value == 1 else "violated")
    assert set(found.values()) <= {"holds"}
