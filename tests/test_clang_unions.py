"""Unions in memory that threads share: one number for all members, or the parts that accesses tell apart."""

from pathlib import Path

import pytest

from tests.test_clang_libraries import verdicts

PROGRAM = """
#include <cuda/atomic>
union Word {{ long whole; struct {{ int low, high; }}; int half[2]; float real; int* pointer; {member} }};
__device__ Word w[2];
__device__ int seen;
__global__ void k() {{ if (blockIdx.x == 0) {{ {first} }} else {{ {second} }} }}
//@ launch k<<<2, 1>>>();
"""


def said(first: str, second: str, folder: Path, *expectations: str, member: str = "") -> list[str]:
    """The verdicts on a program of two threads."""
    text = PROGRAM.format(first=first, second=second, member=member)
    return verdicts(text + "".join(f"//@ expect {e};\n" for e in expectations), folder)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("first", "second", "race"),
    [
        ("w[0].whole = 1;", "w[0].whole = 2;", True),
        ("w[0].whole = 1;", "w[1].whole = 2;", False),
        ("w[0].low = 1;", "w[0].high = 2;", False),
        ("w[0].low = 1;", "w[0].half[0] = 2;", True),
        ("w[0].low = 1;", "w[0].half[1] = 2;", False),
        ("w[0].whole = 1;", "w[0].high = 2;", True),
        ("w[0].whole = 1;", "w[0].real = 2;", True),
        ("w[0].high = 1;", "w[0].real = 2;", False),
        ("w[0].pointer = &seen;", "w[1].pointer = nullptr;", False),
        ("for (int i = 0; i < 2; ++i) w[i].low = 1;", "for (int i = 0; i < 2; ++i) w[i].high = 1;", False),
        ("Word v; v.whole = 1; w[0] = v;", "seen = w[0].low;", True),
        ("atomicExch((unsigned long long*)&w[0].whole, 1ull);", "atomicAdd((unsigned long long*)&w[0].whole, 1ull);", False),
    ],
)  # fmt: skip
def test_members_of_a_union_race_where_they_overlap(first: str, second: str, race: bool, tmp_path: Path) -> None:
    assert said(first, second, tmp_path, "race" if race else "race_free") == []


def test_a_wide_member_is_its_parts(tmp_path: Path) -> None:
    first = "w[0].whole = 0x200000001; __threadfence(); atomicExch(&seen, 1);"
    second = (
        "if (atomicAdd(&seen, 0) == 1) { __threadfence(); int r = w[0].half[0], s = w[0].high; long t = w[0].whole; }"
    )
    asked = ("race_free", "allowed k[1][0].r == 1", "forbidden k[1][0].r != 1", "forbidden k[1][0].t != 8589934593")
    assert said(first, second, tmp_path, *asked) == []


def test_pointers_and_numbers_without_values_are_told_from_integers(tmp_path: Path) -> None:
    assert said("w[0].real = 1.5f;", "w[1].real = 1;", tmp_path, "race_free") == []
    second = "if (w[0].pointer) *w[0].pointer = 1;"
    assert said("w[0].pointer = &seen;", second, tmp_path, "race") == []


@pytest.mark.parametrize(
    ("first", "second", "member", "message"),
    [
        ("atomicExch((unsigned long long*)&w[0].whole, 1ull);", "w[0].low = 1;", "",
         "SCP012 an access of 8 bytes that is not one number of `w` is outside the modelled subset"),
        ("*(volatile long*)&w[0].whole = 1;", "w[0].low = 1;", "",
         "SCP012 an access of 8 bytes that is not one number of `w` is outside the modelled subset"),
        ("w[0].pointer = &seen;", "w[0].twice = 2;", "double twice;",
         "SCP012 a value that is not modelled, such as one made of a floating-point number, in an integer is outside the modelled subset"),
        ("w[0].three = 1;", "", "int three : 3;", "SCP012 `w[].three`, a bit-field of several that are not in one number, is outside the modelled subset"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_apart(first: str, second: str, member: str, message: str, tmp_path: Path) -> None:
    assert said(first, second, tmp_path, "race_free", member=member) == [message]
