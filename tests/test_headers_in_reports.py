"""Lines of a header have its name, in text, in pictures and on pages, where they choose no line of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.advice import advised
from scopec.base.source import Span
from scopec.report import html
from scopec.report.lanes import in_file, line
from scopec.report.text import outcome_lines
from scopec.session.check import Outcome, Settings, check

HEADER = """\
__device__ int word;
__device__ inline void take() { while (atomicCAS(&word, 0, 1) != 0) {} }
__device__ inline void give() { word = 0; }
"""
PROGRAM = """\
#include "spin.h"

__device__ int total; __global__ void k() { take(); total += 1; GIVE }
int main() { k<<<2, 1>>>(); cudaDeviceSynchronize(); }
//@ expect EXPECTED;
"""


@pytest.fixture(params=["race_free", "terminates"])
def outcome(request: pytest.FixtureRequest, tmp_path: Path) -> Outcome:
    (tmp_path / "spin.h").write_text(HEADER)
    program = tmp_path / "p.cu"
    give = "give();" if request.param == "race_free" else ""
    program.write_text(PROGRAM.replace("EXPECTED", request.param).replace("GIVE", give))
    (found,) = check([program], Settings(engine="embedded", advise=advised))
    assert found.reports[0].checks[0].verdict == "violated"
    return found


def test_lines_of_a_header_have_its_name(outcome: Outcome) -> None:
    shown = "\n".join(outcome_lines(outcome, verbose=False, quiet=False, width=200))
    assert "spin.h:2: " in shown
    assert " 2: " not in shown
    assert " 3: " in shown or "3 |" in shown or "4 |" in shown  # the program's own


def test_lines_of_a_header_choose_none_of_the_program_on_a_page(outcome: Outcome) -> None:
    traces = html.page(outcome.reports[0]).partition('<div id="traces">')[2]
    assert 'data-line="2"' not in traces
    assert 'data-line="3"' in traces or 'data-line="4"' in traces
    assert "spin.h:2: " in traces


def test_a_name_is_shown_where_one_says_which_file_is_the_program() -> None:
    at = Span("a/b\x1b.h", 3, 1, 3, 2)
    assert (line(at, ""), line(at, "a/b\x1b.h")) == ("3", "3")
    assert "\x1b" not in line(at, "p.cu")
    assert in_file(Span("a/b.h", 3, 1, 3, 2), "p.cu") == "b.h:3"
    assert in_file(at, "") == "line 3"
