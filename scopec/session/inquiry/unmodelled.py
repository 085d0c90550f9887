"""Endless behaviours that go round a loop which a value that is not modelled may end: whether they exist is not known.

Both ways are followed where such a value decides, so a thread that always stays is among the behaviours.  Nothing says
that one such value after the other does: the addition of a float by ``atomicCAS`` on its bits ends, and is followed as
if each exchange might find another number than the one expected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.hangs.execution import StuckExecution
from scopec.memory.events.events import Left
from scopec.program.loops.facts import facts
from scopec.progress.schedule import Ending, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from scopec.base.source import Span
    from scopec.explain.verdict import Trace
    from scopec.program import ir
    from scopec.program.program import Program


def loops(program: Program, shown: Trace) -> set[int]:
    """The lines of the loops that a thread goes round for ever in a behaviour, and that such a value may end."""
    bodies = {thread.name: thread.body for thread in program.threads}
    return {line for name, spans in _rounds(shown) for line in _open(bodies[name], spans)}


def _rounds(shown: Trace) -> Iterator[tuple[str, Set[Span]]]:
    """Each thread that goes round, and the places that it comes to."""
    if isinstance(shown, Schedule):
        if shown.ending is Ending.LASSO:
            repeated = shown.moves[shown.loop_to :]
            for name in {move.thread for move in repeated}:
                yield name, {move.span for move in repeated if move.thread == name}
    elif isinstance(shown, StuckExecution):
        for cut in shown.cuts.values():
            if cut.left is Left.SPINNING:
                yield cut.thread, {cut.span}


def _open(body: ir.Body, spans: Set[Span]) -> Iterator[int]:
    """The line of the innermost loop that has all these places, if a value that is not modelled may end it."""
    around = [fact for fact in facts(body) if spans <= {node.span for node in fact.nodes.values()}]
    if around and (innermost := min(around, key=lambda fact: len(fact.nodes))).exits_by("unknown"):
        yield innermost.span.line
