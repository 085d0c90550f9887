"""The questions about all launches as files: no kernel of a text races if a solver refutes all of a kernel's.

First come those about barriers: that all threads reach them, that each turn of a loop has one.  Those about accesses
take that for granted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scopec.base.diagnostics import EngineError
from scopec.frontends.clang.prepare import names_every
from scopec.session.asking import Asking
from scopec.session.inquiry.run import Run
from scopec.session.kernel_sizes import OfKernel
from scopec.session.plan import Overrides, source_of
from scopec.session.sizes import Answered, asked_in, asks_launches, readable
from scopec.session.witnessed import Found
from scopec.sizes import pairs as meeting
from scopec.sizes import questions
from scopec.sizes.questions import Question

TARGET = "smt2"
SUFFIX = f".{TARGET}"


def is_asked(path: Path, overrides: Overrides) -> tuple[bool, bool]:
    """Whether a file asks about all launches, and whether it has launches of its own."""
    if path.suffix != ".cu":
        return False, True
    source = source_of(path, str(path), overrides)
    return names_every(source), asks_launches(source)


def specifications(path: Path, overrides: Overrides) -> Iterator[tuple[str, str]]:
    """The questions about each kernel of a file, as (name, text); EngineError for one that is not understood."""

    def nobody(_run: Run, _seconds: float) -> Answered:
        raise AssertionError("a specification asks nothing")

    source = readable(path, str(path), overrides)
    _, _, each = asked_in(path, source, overrides, Asking(overrides, timeout=None), nobody)
    for about in each:
        of = about.of
        if isinstance(of.form, Found):
            raise EngineError(f"{path}: the kernel {of.kernel.name}: {of.form.reason}")
        for number, question in enumerate(dict.fromkeys(_questions(of)), 1):
            yield of.file_of(number), of.engine.specification(question)


def _questions(of: OfKernel) -> Iterator[Question]:
    """All that a proof needs."""
    launches = of.launches
    made = launches.form
    for condition in (*(one.condition for one in made.barriers), *(loop.again for loop in made.loops)):
        yield questions.differs(launches, condition)
    for barriers in (made.barriers, made.grids) if made.grids else (made.barriers,):
        for loop in made.loops:
            if any(loop.turn in one.turns for one in barriers):
                yield questions.turn_without(launches, loop, barriers)
    for grid in made.grids:
        yield questions.differs_between_blocks(launches, grid.condition, grid.turns)
    warps = tuple(one for one in made.warps if questions.is_exact(one.condition))
    yield from (questions.differs_in_warp(launches, one.condition) for one in warps)
    full = frozenset(loop.turn for loop in made.loops)
    around = {turn for one in made.grids for turn in one.turns}
    for loop in made.loops:
        if loop.turn in around:
            yield questions.differs_between_blocks(launches, loop.again, loop.turns)
    of_grid = meeting.Order(True, frozenset(around)) if made.grids else None
    order = meeting.Order("named barriers" not in made.left_out, full, warps, of_grid)
    for pair in meeting.pairs(made, order):
        yield from meeting.asked(launches, pair, order)
