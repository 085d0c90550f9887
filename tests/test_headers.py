"""Code of a header is shown as it stands there, with the name of the header."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.engines.tla.engine import module as tla_module
from scopec.report import sarif
from scopec.report.html import page
from scopec.report.text import outcome_lines
from scopec.session.check import Outcome, Settings, check
from scopec.session.inquiry.questions import progress_problem

HEADER = """#pragma once
__device__ int x;


__device__ inline void put(int v) {
    x = v + 1;
    while (x == 7) {}
}
"""
MAIN = """#include "put.h"
__global__ void k() { put(threadIdx.x); }
//@ launch k<<<1, 2>>>();
//@ expect race_free;
//@ expect terminates;
"""


@pytest.fixture
def outcome(write: Callable[..., Path]) -> Outcome:
    write(HEADER, "put.h")
    (found,) = check([write(MAIN)], Settings(engine="embedded"))
    return found


def test_in_the_terminal(outcome: Outcome) -> None:
    lines = [line.strip() for line in outcome_lines(outcome, verbose=False, quiet=False, width=100)]
    at = lines.index("put.h:6 |     x = v + 1;")
    assert lines[at + 1] == "|     ^^^^^^^^^ k[0][0], k[0][1]"


def test_in_sarif(outcome: Outcome) -> None:
    written = sarif.text([outcome], 1)
    assert "x = v + 1" in written
    assert "put.h" in written


def test_in_the_specification(outcome: Outcome) -> None:
    (report,) = outcome.reports
    problem = progress_problem(report.run, next(p for p in report.run.properties))
    assert "\\* put.h:6: x = v + 1;" in tla_module(problem).tla


def test_a_page_points_at_no_other_line_of_the_file(outcome: Outcome) -> None:
    (report,) = outcome.reports
    assert 'data-culprits=""' in page(report)
