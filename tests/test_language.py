"""Programs as people write them: each runs as it is, and what it says of itself holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.check import Settings, check
from tests.conftest import REPOSITORY, check_text, verdicts

PROGRAMS = sorted((REPOSITORY / "tests" / "fixtures" / "language").glob("*.cu"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_what_a_program_says_holds(path: Path) -> None:
    outcomes = check([path], Settings(engine="embedded"))
    found = verdicts(outcomes)
    assert found
    assert {v for of_check in found.values() for v in of_check} == {"holds"}, found


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
        ("int* p = x == 0 ? nullptr : &x; *p = 1;", "line 2: *p points to no object"),
        ("a[x] = 1; x = 5;", None),
        ("x = 3; a[x] = 1;", "error: k[0][0] accesses element 3 of `a`"),
        ("x = -1; a[x % 3] = 1;", "error: k[0][0] accesses element -1 of `a`"),
        ("x = -1; a[(unsigned)x % 3] = 1;", None),
        ("a[(unsigned)x % 3] = 1;", None),
        ("if (x >= 0 && x < 3) a[x] = 1;", None),
        ("Node* n = &pool[1]; if (x == 0) n = n->next; n->value = 1;", "line 2: n points to no object"),
    ],
)
def test_what_is_undefined_is_noticed(tmp_path: Path, body: str, message: str | None) -> None:
    head = "__device__ int x, a[3]; struct Node { int value; Node* next; }; __device__ Node pool[2];\n"
    text = head + "__global__ void k() { if (blockIdx.x) x = 2; else { " + body + " } }\n//@ launch k<<<2, 1>>>();\n"
    text += "//@ options races = ignore;\n//@ expect allowed true || x == 0;\n"
    outcome = check_text(tmp_path, text, engine="embedded")
    if message is not None and message.startswith("error: "):
        assert [d.message for d in outcome.diagnostics] == [message.removeprefix("error: ")]
        return
    (report,) = outcome.reports
    found = {c.expectation.text: (c.verdict, c.reason) for c in report.checks}
    if message is None:
        assert found.get("indices and pointers are valid", ("holds", None)) == ("holds", None)
    else:
        assert found["indices and pointers are valid"] == ("violated", message)
