"""`given vector = whole`: a vector access of PTX that nothing tears, in what memory does and in what makes threads wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import check_text

_LINE = """
__device__ __align__(8) unsigned line[2], out[2];
__device__ void send(unsigned data, unsigned flag) {
    asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" :: "l"(line), "r"(data), "r"(flag) : "memory");
}
__device__ unsigned data, flag;
"""
_LOOK = 'asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(data), "=r"(flag) : "l"(line) : "memory");'
#: Where the first look tears the line, the thread looks at something else for ever.
_STUCK = f"""{_LINE}
__global__ void k() {{
    unsigned data, flag;
    if (blockIdx.x == 0) send(1, 1);
    else {{
        {_LOOK}
        while (flag != data) (void)*(volatile unsigned*)out;
    }}
}}
//@ launch k<<<2, 1>>>();
"""
#: Two vectors that are written: in the end memory holds one of them.
_LAST = f"""{_LINE}
__global__ void k() {{ send(blockIdx.x, blockIdx.x); }}
//@ launch k<<<2, 1>>>();
"""
#: One thread's part of a vector is read and written alone.
_MIXED = f"""{_LINE}
__global__ void k() {{
    unsigned data, flag;
    if (blockIdx.x == 0) send(1, 1);
    else {{
        {_LOOK}
        *(volatile unsigned*)&line[1] = 2;
    }}
}}
//@ launch k<<<2, 1>>>();
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "asked", "scalars", "whole"),
    [
        (_LAST, "required line[0] == line[1]", "violated", "holds"),
        (_MIXED, "forbidden k[1][0].data == 1 && k[1][0].flag == 0", "violated", "holds"),
        (_MIXED, "forbidden k[1][0].data == 0 && k[1][0].flag == 1", "violated", "holds"),
        (_MIXED, "allowed line[0] == 1 && line[1] == 2 && k[1][0].flag == 0", "holds", "holds"),
        (_MIXED, "allowed line[0] == 1 && line[1] == 1 && k[1][0].flag == 1", "violated", "violated"),
    ],
)
def test_what_is_torn(tmp_path: Path, text: str, asked: str, scalars: str, whole: str) -> None:
    for given, expected in (("scalars", scalars), ("whole", whole)):
        said = f"{text}//@ given vector = {given};\n//@ expect {asked} under ptx;\n"
        assert [c.verdict for r in check_text(tmp_path, said, engine="embedded").reports for c in r.checks] == [
            expected
        ]


@pytest.mark.parametrize(("given", "verdict"), [("scalars", "violated"), ("whole", "unknown")])
def test_a_schedule_that_tears_a_vector_is_none_where_it_is_whole(tmp_path: Path, given: str, verdict: str) -> None:
    said = f"{_STUCK}//@ given vector = {given};\n//@ expect terminates under cuda-resident;\n//@ options races = ignore;\n"
    (check,) = (c for r in check_text(tmp_path, said, engine="embedded").reports for c in r.checks)
    assert check.verdict == verdict
