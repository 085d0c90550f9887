"""Bit-fields that threads share: adjacent ones are one memory location (ISO C++ [intro.memory], 3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

Write = Callable[..., Path]

HEAD = """#include <cassert>
enum Colour { RED, GREEN, BLUE };
struct F { unsigned a : 4, b : 4; unsigned c; int d : 12; bool e : 1; Colour f : 2; };
struct Wide { long a : 30; unsigned long b : 34; };
struct Apart { unsigned a : 4; unsigned : 0; unsigned b : 4; };
__device__ F s, t[2] = {{1, 2, 3, -4, true, BLUE}, {5, 6, 7, 8, false, GREEN}};
__device__ Wide w = {-1, 1ul << 33};
"""
VALUES = """__global__ void k() {
    s.a = t[0].a + 1; s.b = t[1].b; s.c = 9; s.d = t[0].d; s.e = t[0].e; s.f = GREEN;
    t[1].d = -5; t[1].a += 12; w.b -= 1; w.a = -7;
    assert(s.d == -4 && s.e && s.f == GREEN); }
//@ launch k<<<1, 1>>>();
"""


def verdicts(path: Path) -> list[str]:
    (outcome,) = check([path], Settings(Overrides(reader="clang"), engine="embedded"))
    assert not outcome.diagnostics, outcome.diagnostics[0]
    assert outcome.failure is None
    return [c.verdict for report in outcome.reports for c in report.checks]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "truth",
    [
        "s.a == 2", "s.b == 6", "s.c == 9", "s.d == -4", "s.e == 1", "s.f == 1", "t[0].a == 1", "t[0].d == -4",
        "t[0].f == 2", "t[1].d == -5", "t[1].a == 1", "t[1].b == 6", "w.a == -7", "w.b == 8589934591",
    ],
)  # fmt: skip
def test_values(truth: str, write: Write) -> None:
    text = f"{HEAD}{VALUES}//@ expect required {truth};\n//@ expect forbidden !({truth});\n"
    assert set(verdicts(write(text, "t.cu"))) == {"holds"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("one", "other", "races"),
    [
        ("s.a = 1;", "s.b = 1;", True),
        ("s.a = 1;", "s.c = 1;", False),
        ("s.a = 1;", "s.d = 1;", False),
        ("s.d = 1;", "s.f = RED;", True),
        ("s.d = 1;", "s.c = s.f;", True),
        ("t[0].a = 1;", "t[1].b = 1;", False),
        ("w.a = 1;", "w.b = 1;", True),
        ("s.a = 1;", "s.c = s.d;", False),
    ],
)
def test_races(one: str, other: str, races: bool, write: Write) -> None:
    kernel = (
        f"__global__ void k() {{ if (blockIdx.x == 0) {{ {one} }} else {{ {other} }} }}\n//@ launch k<<<2, 1>>>();\n"
    )
    text = f"{HEAD}{kernel}//@ expect {'race' if races else 'race_free'};\n"
    assert verdicts(write(text, "t.cu")) == ["holds"]


def test_a_race_is_on_the_field_that_is_named(write: Write) -> None:
    kernel = "__global__ void k() { if (blockIdx.x == 0) s.a = 1; else s.b = 1; }\n//@ launch k<<<2, 1>>>();\n"
    assert verdicts(write(f"{HEAD}{kernel}//@ expect race on s.b;\n", "t.cu")) == ["holds"]
    assert verdicts(write(f"{HEAD}{kernel}//@ expect race on s.c;\n", "t.cu")) == ["violated"]


def test_those_that_may_be_one_location_in_two_numbers_are_refused(write: Write) -> None:
    kernel = "__device__ Apart p;\n__global__ void k() { p.a = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    (outcome,) = check([write(HEAD + kernel, "t.cu")], Settings(Overrides(reader="clang"), engine="embedded"))
    assert [d.message for d in outcome.diagnostics] == [
        "`p.a`, a bit-field of several that are not in one number, is outside the modelled subset"
    ]
