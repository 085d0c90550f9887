"""Bit-fields of a local variable that get their values one by one: those beside them are unset, and may be so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

Write = Callable[..., Path]

#: Of one number, or of several, as `unsigned char head : 8` is.
FIELDS = """
struct S { unsigned a : 4, b : 4; int c : 6; bool d : 1; };
struct P { unsigned char a : 8; const unsigned char n : 8; bool c : 1; bool d : 1; char* const at;
           __device__ P(char* at, unsigned char n) : a(0), n(n), d(true), at(at) {} };
__device__ int in[4] = {3, 1, 2, 5}, out[4];
__device__ S made(int x) { S s; s.a = x; s.b = x + 1; s.c = -x; s.d = x > 2; return s; }
"""
CASES = {
    "of numbers that are computed": (
        "for (int i = 0; i < 4; i++) { S s = made(in[i]); out[i] = s.a * 100 + s.b * 10 + s.c; }",
        "out[0] == 337 && out[1] == 119 && out[2] == 228 && out[3] == 555",
    ),
    "on two ways": (
        "S s = made(in[0]), t; t.a = s.a; if (s.d) t.b = 1; else t.b = 2; t.d = false; t.c = s.c; t.a++;"
        "out[0] = t.a * 100 + t.b * 10 + t.c;",
        "out[0] == 407",
    ),
    "negative ones, and those that are read again": ("S s; s.c = -5; s.a = in[0]; s.a += 14; out[0] = s.a * 100 + s.c;", "out[0] == 95"),
    "in a loop": ("S s; s.a = 0; for (int i = 0; i < 4; i++) s.a += in[i]; out[0] = s.a;", "out[0] == 11"),
    "of a class that keeps one unset": (
        "char tile[8]; P p(tile, 2); p.a++; if (p.d) out[0] = p.n + p.a; tile[p.n] = 7; out[1] = p.at[2];",
        "out[0] == 3 && out[1] == 7",
    ),
    "as a copy": ("S s; s.b = 3; s.a = 2; s.c = 1; s.d = true; S t = s; t.b = 9; out[0] = s.b * 10 + t.b + t.a;", "out[0] == 41"),
}  # fmt: skip


def found(body: str, asked: str, write: Write) -> tuple[list[str], list[str]]:
    text = f"{FIELDS}__global__ void k() {{ {body} }}\n//@ launch k<<<1, 1>>>(); expect required {asked};\n"
    (outcome,) = check([write(text)], Settings(Overrides(reader="clang"), engine="embedded"))
    errors = [str(d) for d in outcome.diagnostics if d.severity == "error"]
    return errors, [c.verdict for report in outcome.reports for c in report.checks]


@pytest.mark.parametrize("name", CASES)
def test_a_field_has_its_value_where_others_have_none(name: str, write: Write) -> None:
    body, asked = CASES[name]
    assert found(body, asked, write) == ([], ["holds"])
    assert found(body, asked.replace("out[0] == ", "out[0] == 1"), write) == ([], ["violated"])


@pytest.mark.parametrize(
    "body",
    [
        "S s; s.a = 1; out[0] = s.b;",
        "S s; s.a = 1; s.b = 2; s.d = true; out[0] = s.c;",
        "S s; if (in[0] > 2) s.b = 1; s.a = 2; out[0] = s.d;",
        "char tile[1]; P p(tile, 1); out[0] = p.c;",
        "S s; s.a = 1; S t = s; out[0] = t.b;",
    ],
)
def test_the_read_of_a_field_without_a_value_is_refused(body: str, write: Write) -> None:
    errors, _ = found(body, "out[0] == 0", write)
    assert errors
    assert "before it has a value" in errors[0] or "has no value" in errors[0]


@pytest.mark.parametrize(("at", "verdicts"), [(3, []), (4, ["violated"]), (42, ["violated"])])
def test_a_structure_without_values_is_written_to_where_an_array_is(at: int, verdicts: list[str], write: Write) -> None:
    text = f"struct S {{ short x, y; }}; __device__ S out[4];\n__global__ void k() {{ S s; out[{at}] = s; }}\n"
    path = write(f"{text}//@ launch k<<<1, 1>>>(); expect race_free;\n")
    (outcome,) = check([path], Settings(Overrides(reader="clang"), engine="embedded"))
    checks = [check for report in outcome.reports for check in report.checks]
    assert [c.verdict for c in checks if c.expectation.implicit] == verdicts
