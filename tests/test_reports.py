"""Reports for people, golden; excerpts and lanes; what a source can contain must not disturb a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.advice import advised
from scopec.base.excerpt import Mark, clean, excerpt
from scopec.base.source import Source, Span
from scopec.progress.schedule import Ending, Moment, Move, Schedule
from scopec.report.lanes import Row, lanes, rows, what_matters
from scopec.report.text import outcome_lines, shortened, summary_line
from scopec.session.check import Settings, check
from tests.violations import VIOLATIONS

pytestmark = pytest.mark.usefixtures("kept_machines")


@pytest.mark.sampled(6)
@pytest.mark.jvm
@pytest.mark.parametrize("name", list(VIOLATIONS))
def test_golden(
    name: str, write: Callable[..., Path], golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """80 columns; read as a CUDA programmer who does not know the axioms would."""
    path = write(VIOLATIONS[name], f"{name}.cu")
    monkeypatch.chdir(path.parent)
    (outcome,) = check([Path(f"{name}.cu")], Settings(advise=advised))
    assert outcome.failure is None
    lines = list(outcome_lines(outcome, verbose=False, quiet=False, width=80))
    assert all(len(line) <= 80 for line in lines if not line.startswith("  generated"))
    text = "\n".join(lines) + "\n"
    golden(f"report-{name}.txt", re.sub(r" in /\S+", " in FOLDER", text))


def test_summary() -> None:
    assert summary_line([], 1.25) == "0 files, 0 programs: 0 hold, 0 violated, 0 unknown (1.2 s)"


SOURCE = Source("a.cu", "int a;\n\tx = y + \x1b[31mred;\n" + "z" * 300 + " = bad;\n")


def test_excerpts_are_in_line_order_with_carets() -> None:
    marks = [
        Mark(Span("a.cu", 2, 6, 2, 7), "here"),
        Mark(Span("a.cu", 1, 5, 1, 6), "and there"),
        Mark(Span("a.cu", 1, 5, 1, 6), "twice"),
    ]
    assert list(excerpt(SOURCE, marks)) == [
        "  1 | int a;",
        "    |     ^ and there, twice",
        "  2 |  x = y + \\x1b[31mred;",
        "    |      ^ here",
    ]


def test_long_lines_are_cut_around_the_mark() -> None:
    first, second = excerpt(SOURCE, [Mark(Span("a.cu", 3, 304, 3, 307))], 60)
    assert first == "  3 | …" + "z" * 46 + " = bad;"
    assert second.index("^^^") == first.index("bad")
    for line in excerpt(SOURCE, [Mark(Span("a.cu", 3, 1, 3, 301))], 60):
        assert len(line) <= 60


def test_nothing_in_a_source_disturbs_a_terminal() -> None:
    assert clean("a\x1b[31m\tb\r\x00\u202e") == "a\\x1b[31m b \\x00\\u202e"
    assert shortened("x" * 1000, 100) == "x" * 58 + " … " + "x" * 40


def test_a_long_trace_is_cut_with_a_note() -> None:
    """The beginning, the end, and where it begins to repeat; everything where one asks for it."""
    at = Span("p.cu", 1, 1, 1, 2)
    states = [Moment({"k[0][0]": "a"}, {"x": i}, {}, ("k",)) for i in range(2001)]
    moves = tuple(Move("k[0][0]", "a", f"stores x = {i}", at, {"x": str(i)}, states[i]) for i in range(1, 2001))
    schedule = Schedule(states[0], moves, Ending.LASSO, 1000, ())
    shown = list(lanes(*what_matters(schedule), 80))
    assert len(shown) < 70
    assert shown[2] == "1: stores x = 1"
    assert shown[-1] == "1: stores x = 2000"
    note = "-- 1,941 steps not shown: -v shows all, and so does scopec trace --"
    assert shown.index(note) < shown.index("-- from here on, again and again --")
    everything = list(lanes(*rows(schedule), 80))
    assert len(everything) == 2 + 2000 + 1


def test_lanes_have_a_column_a_thread_or_name_it() -> None:
    rows = [
        Row("a", "one", Span("p.cu", 1, 1, 1, 2)),
        Row("b", "a long text that does not fit into its column", Span("p.cu", 2, 1, 2, 2)),
        Row("", "again"),
        Row("a", "three", Span("p.cu", 3, 1, 3, 2)),
    ]
    assert list(lanes(["a", "b"], rows, 60)) == [
        "a                              b",
        "------------                   ------------",
        "1: one",
        "                               2: a long text that does not",
        "                                 fit into its column",
        "-- again --",
        "3: three",
    ]
    assert list(lanes(["a", "b"], rows, 40)) == [
        "a  1: one",
        "b  2: a long text that does not fit into",
        "   its column",
        "-- again --",
        "a  3: three",
    ]
    assert list(lanes([], [], 80)) == []
