"""mbarriers that an elected lane makes: settled where they are in each case, whichever lane it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

#: A lane hands numbers to the others of its warp; one of them, whichever, makes the mbarriers.
ELECTED = """#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ int output[{lanes}];
__device__ void wait(std::uint64_t* b, unsigned parity) {{
    while (!ptx::mbarrier_try_wait_parity(b, parity)) {{}}
}}
__global__ void hand_over() {{
    __shared__ std::uint64_t full, empty;
    __shared__ int slot;
    if (threadIdx.x < 32 && ptx::elect_sync(0xFFFFFFFF)) {{
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, {count});
    }}
    {meet}
    if (threadIdx.x == 0) {{
        for (int n = 0; n < 2; n++) {{
            {room}
            slot = n;
            ptx::mbarrier_arrive(&full);
        }}
    }} else {{
        for (int n = 0; n < 2; n++) {{
            wait(&full, n & 1);
            output[threadIdx.x] = slot;
            ptx::mbarrier_arrive(&empty);
        }}
    }}
}}
//@ launch hand_over<<<1, {lanes}>>>();
//@ expect race_free;
"""
#: One more, at which nobody arrives: its count is what it is at the end.
OTHER = "__shared__ std::uint64_t c; if (ptx::elect_sync(7)) ptx::mbarrier_init(&c, threadIdx.x ? 4 : {other}); __syncthreads();"
RIGHT = {"meet": "__syncthreads();", "room": "wait(&empty, n & 1 ^ 1);"}


def verdict(path: Path, lanes: int, without: frozenset[str] = frozenset(), **parts: str) -> str:
    """The verdict on ``race_free``."""
    path.write_text(ELECTED.format_map({"lanes": lanes, "count": str(lanes - 1), **RIGHT, **parts}))
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(without=without)))
    assert not outcome.diagnostics, outcome.diagnostics
    return next(c.verdict for c in outcome.reports[0].checks if not c.expectation.implicit)


#: What is asked of the leaders, whether their phases are settled, and the verdict.
_LEADERS = {
    "right": ({}, True, "holds"),
    "nobody meets": ({"meet": ""}, False, "violated"),
    "no wait for room": ({"room": ""}, False, "violated"),
    "another count of one lane": ({"count": "threadIdx.x == 1 ? 1 : 2"}, False, "violated"),
    "the same count of each": ({"count": "threadIdx.x == 1 ? 2 : 2"}, True, "holds"),
    "what is left of one is another": ({"meet": OTHER.format(other=5)}, False, "holds"),
    "what is left is the same": ({"meet": OTHER.format(other=4)}, True, "holds"),
}  # fmt: skip


@pytest.mark.parametrize("name", _LEADERS)
def test_every_leader_is_looked_at(name: str, tmp_path: Path, resolved: list[bool]) -> None:
    parts, settled, expected = _LEADERS[name]
    assert verdict(tmp_path / "k.cu", 3, **parts) == expected
    assert set(resolved) == {settled}


@pytest.mark.parametrize("name", _LEADERS)
@pytest.mark.sampled(1)
def test_the_verdict_is_that_of_the_program_with_its_mbarriers(name: str, tmp_path: Path) -> None:
    parts, _, expected = _LEADERS[name]
    assert verdict(tmp_path / "k.cu", 3, frozenset({"mbarriers"}), **parts) == expected


@pytest.mark.parametrize(("room", "expected"), [(RIGHT["room"], "holds"), ("", "violated")])
def test_a_leader_among_a_whole_warp(room: str, expected: str, tmp_path: Path) -> None:
    """32 lanes, of which each may be the one: unresolved they are too many, and a race is shown by one execution."""
    assert verdict(tmp_path / "k.cu", 33, room=room) == expected
