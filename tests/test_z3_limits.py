"""z3 is ended by the time that the thread had the processor: a busy machine decides as much as an idle one."""

from __future__ import annotations

import time
from itertools import count

import pytest

from scopec.base.limits import Deadline, deadline

z3 = pytest.importorskip("z3", reason="scopec[sizes] brings z3")

from scopec.engines.z3 import interrupt  # noqa: E402
from scopec.engines.z3.interrupt import interrupted_after  # noqa: E402


def _hard():
    """A question that z3 does not answer in years."""
    a, b, c = z3.Ints("a b c")
    solver = z3.Solver()
    solver.add(a > 2, b > 2, c > 2, a**3 + b**3 == c**3)
    return solver


def test_a_question_ends_when_the_thread_had_its_time(monkeypatch):
    looks = count()
    monkeypatch.setattr(interrupt, "working_clock", lambda: lambda: next(looks) / 10)
    with interrupted_after(0.5, Deadline()):
        assert _hard().check() == z3.unknown
    assert next(looks) >= 6


def test_a_thread_that_waits_for_the_processor_has_time_until_the_end(monkeypatch):
    monkeypatch.setattr(interrupt, "working_clock", lambda: lambda: 0.0)
    end = deadline(0.3)
    with interrupted_after(0.1, end):
        assert _hard().check() == z3.unknown
    assert end.left() == 0


def test_a_limit_that_is_over_before_z3_begins_ends_it():
    for seconds in (1e-6, 5e-5, 1e-3):
        with interrupted_after(seconds, Deadline()):
            time.sleep(0.05)
            assert _hard().check() == z3.unknown


def test_the_question_after_one_that_was_ended_is_answered():
    with interrupted_after(0.01, Deadline()):
        assert _hard().check() == z3.unknown
    x, solver = z3.Int("x"), z3.Solver()
    solver.add(x * x == 49)
    with interrupted_after(5, Deadline()):
        assert solver.check() == z3.sat
