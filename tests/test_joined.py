"""Integers of a struct that an atomic operation accesses in one step: they are one number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

Write = Callable[..., Path]

HEAD = """#include <cassert>
typedef unsigned long long ull;
struct Slot { unsigned key; int value; };
struct Half { unsigned short low, high; int other; };
struct Bucket { int n, m; Half half; Slot slots[2]; };
__device__ Slot table[2] = {{0, 0}, {0, 0}};
__device__ Half half = {1, 2, 3};
__device__ Bucket bucket[2] = {};
__device__ int found;
__device__ ull pack(Slot s) { return *reinterpret_cast<ull*>(&s); }
"""
INSERT = """__global__ void insert() {
    Slot mine = {blockIdx.x + 1, -7 - (int)blockIdx.x};
    for (int i = 0; i < 2; ++i) {
        ull old = atomicCAS(reinterpret_cast<ull*>(&TABLE[i]), 0ull, pack(mine));
        if (old == 0) break;
        Slot was = *reinterpret_cast<Slot*>(&old);
        assert(was.value == -6 - (int)was.key);
    }
}
__global__ void find(unsigned key) {
    for (int i = 0; i < 2; ++i) if (TABLE[i].key == key) found = TABLE[i].value;
}
//@ launch insert<<<2, 1>>>();
//@ launch find<<<1, 1>>>(2);
//@ expect race_free;
//@ expect required found == -8;
//@ expect required TABLE[0].key + TABLE[1].key == 3 && TABLE[0].value < 0;
//@ expect allowed TABLE[0].key == 2 && TABLE[0].value == -8;
//@ expect forbidden TABLE[0].key == 1 && TABLE[0].value == -8;
"""


def asked(text: str, write: Write) -> list[str]:
    (outcome,) = check([write(HEAD + text, "t.cu")], Settings(Overrides(reader="clang"), engine="embedded"))
    assert outcome.failure is None
    if outcome.diagnostics:
        return [d.message for d in outcome.diagnostics]
    return [c.verdict for report in outcome.reports for c in report.checks]


@pytest.mark.parametrize("table", ["table", "bucket[1].slots"])
def test_a_table_of_pairs(table: str, write: Write) -> None:
    assert set(asked(INSERT.replace("TABLE", table), write)) == {"holds"}


def test_a_wrong_table_of_pairs(write: Write) -> None:
    """The key is taken first and the value written then, in a step of its own."""
    text = """__global__ void insert() { if (atomicCAS(&table[0].key, 0u, 1u) == 0u) table[0].value = -7; }
__global__ void both() { if (blockIdx.x) { found = table[0].value; } else insert_one(); }
"""
    text = text.replace("__global__ void insert()", "__device__ void insert_one()")
    assert asked(f"{text}//@ launch both<<<2, 1>>>();\n//@ expect race on table[0].value;\n", write) == ["holds"]


def test_halves(write: Write) -> None:
    text = """__global__ void k() { atomicAdd(reinterpret_cast<unsigned*>(&half), 0x10001u); half.other = 4; }
//@ launch k<<<1, 1>>>();
//@ expect required half.low == 2 && half.high == 3 && half.other == 4;
"""
    assert asked(text, write) == ["holds"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("other", "expected", "answer"),
    [
        ("found = table[0].key;", "race on table[0].key", "holds"),
        ("found = table[1].key;", "race_free", "holds"),
        ("table[1].key = 1;", "race_free", "an access of 4 bytes that is not one number of `table` is outside the modelled subset"),
        ("atomicAdd(&table[0].key, 1u);", "race_free",
         "an access of 4 bytes that is not one number of `table` is outside the modelled subset"),
        ("table[0] = {1, 2};", "race on table[0].value", "holds"),
        ("int i = blockIdx.x; table[i] = {1, 2};", "required table[1].key == 1 && table[1].value == 2", "holds"),
        ("Slot s = table[1]; found = s.value + 1;", "required found == 1", "holds"),
    ],
)  # fmt: skip
def test_beside_an_access_to_both(other: str, expected: str, answer: str, write: Write) -> None:
    text = f"""__global__ void k() {{ if (blockIdx.x) {{ {other} }}
    else atomicExch(reinterpret_cast<ull*>(&table[0]), 5ull); }}
//@ launch k<<<2, 1>>>();
//@ expect {expected};
"""
    assert asked(text, write) == [answer]
