"""Programs as people write them: each runs as it is, and what it says of itself holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.memory.execution import Execution
from scopec.report.lanes import event_parts
from scopec.session.check import Settings, check
from tests.conftest import REPOSITORY, check_text, verdicts

pytestmark = pytest.mark.usefixtures("kept_machines")

PROGRAMS = sorted((REPOSITORY / "tests" / "fixtures" / "language").glob("*.cu"))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_what_a_program_says_holds(path: Path) -> None:
    outcomes = check([path], Settings(engine="embedded"))
    found = verdicts(outcomes)
    assert found
    assert {v for of_check in found.values() for v in of_check} == {"holds"}, found


@pytest.mark.sampled(1)
@pytest.mark.jvm
@pytest.mark.parametrize(
    "path", [p for p in PROGRAMS if p.stem.startswith(("barrier", "latch", "semaphore", "vote"))], ids=lambda p: p.stem
)
def test_alloy_agrees_about_barriers(path: Path) -> None:
    found = verdicts(check([path], Settings(engine="alloy")))
    assert {v for of_check in found.values() for v in of_check} == {"holds"}, found


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int* p = x == 0 ? nullptr : &x; *p = 1;", "`*p` points to no object"),
        ("int* p = nullptr; *p = 1;", "`*p = 1` points to no object"),
        ("int* p = nullptr; if (x == 3) *p = 1;", None),
        ("a[x] = 1; x = 5;", None),
        ("x = 3; a[x] = 1;", "`a[x] = 1` accesses no element of `a`, which has elements 0 to 2"),
        ("a[3] = 1;", "`a[3] = 1` names no element of its array"),
        ("if (x == 3) a[3] = 1;", None),
        ("m[0][x + 2] = 1;", "`m[0][x + 2] = 1` names no element of its array, which has elements 0 to 1"),
        ("m[1][x / 2] = 1;", None),
        ("int* p = &a[x + 1];", None),
        ("int* p = &a[x + 3]; *p = 1;", "`*p = 1` accesses no element of `a`, which has elements 0 to 2"),
        ("x = 6 / x;", "`6 / x` divides by zero"),
        ("x %= x;", "`x %= x` divides by zero"),
        ("if (x != 0) x = 6 / x;", None),
        ("if (x != 0 && 6 / x == 3) a[0] = 1;", None),
        ("a[0] = x == 0 ? 1 : 6 / x;", None),
        ("a[0] = x != 0 ? 1 : 6 / x;", "`6 / x` divides by zero"),
        ("int d = 1 / 0;", "`1 / 0` has no result"),
        ("int d = x - 1, m = (1 << 31) / d;", "`(1 << 31) / d` has a quotient that does not fit int"),
        ("int d = x - 1, m = (1 << 31) % d;", "`(1 << 31) % d` has a quotient that does not fit int"),
        ("int d = x - 1, m = (1u << 31) / d;", None),
        ("int d = x - 1, m = 1 << d;", "`1 << d` shifts by less than 0 or more than 31"),
        ("int d = x + 32, m = 1 >> d;", "`1 >> d` shifts by less than 0 or more than 31"),
        ("int d = x + 32; long long m = 1ll >> d;", None),
        ("x = -1; a[x % 3] = 1;", "`a[x % 3] = 1` accesses no element of `a`, which has elements 0 to 2"),
        ("x = -1; a[(unsigned)x % 3] = 1;", None),
        ("a[(unsigned)x % 3] = 1;", None),
        ("if (x >= 0 && x < 3) a[x] = 1;", None),
        ("Node* n = &pool[1]; if (x == 0) n = n->next; n->value = 1;", "`n->value` points to no object"),
    ],
)
@pytest.mark.sampled(3)
def test_what_is_undefined_is_noticed(tmp_path: Path, body: str, message: str | None) -> None:
    head = "__device__ int x, a[3], m[2][2]; struct Node { int value; Node* next; }; __device__ Node pool[2];\n"
    text = head + "__global__ void k() { if (blockIdx.x) x = 2; else { " + body + " } }\n//@ launch k<<<2, 1>>>();\n"
    text += "//@ options races = ignore;\n//@ expect allowed true || x == 0;\n"
    (report,) = check_text(tmp_path, text, engine="embedded").reports
    found = {c.expectation.kind: (c.verdict, c.reason) for c in report.checks}
    if message is None:
        assert found["allowed"] == ("holds", None)
        assert found.get("assertion", ("holds", None)) == ("holds", None)
    else:
        assert found["assertion"] == ("violated", f"line 2: {message}")
        assert found["allowed"] == ("violated", f"undefined behaviour, line 2: {message}")


def test_values_of_floating_point_numbers_are_not_shown(tmp_path: Path) -> None:
    text = "__device__ float x; __global__ void k() { x = 2.5f; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
    (report,) = check_text(tmp_path, text, engine="embedded").reports
    execution = report.checks[0].trace
    assert isinstance(execution, Execution)
    shown = {event_parts(execution, event)[0] for event in execution.graph.events if event.location is not None}
    assert shown == {"x, initially", "write x"}


@pytest.mark.parametrize("asked", ["x == 2", "k[0][0].s == 1"])
def test_values_of_floating_point_numbers_cannot_be_asked_for(tmp_path: Path, asked: str) -> None:
    text = (
        "__device__ float x; __global__ void k() { __shared__ float s; x = 2.5f; s = x; }\n//@ launch k<<<1, 1>>>();\n"
    )
    (found,) = check_text(tmp_path, f"{text}//@ expect allowed {asked};", engine="embedded").diagnostics
    assert found.message.endswith("holds floating-point numbers, whose values are not modelled")
