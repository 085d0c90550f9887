"""Messages about barriers that some threads of a program miss, or come to once more than others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic
from scopec.program.values import Const
from scopec.progress.again import barriers_again
from scopec.progress.divergence import divergent_barriers, joins_all
from scopec.progress.passages import uneven_barriers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.program.program import Program

_AGAIN = (
    '"the arrival count for the barrier is incremented by the warp size (not the number of active threads in the '
    'warp)" (PTX ISA, "bar")'
)


def divergence(program: Program) -> Iterator[Diagnostic]:
    """Warnings about the barriers of a program, each place told once."""
    told = set()
    for span, barrier, one, other in divergent_barriers(program):
        told.add(span)
        message = f"{one} can reach this {barrier}, {other} cannot: CUDA calls it likely to hang"
        yield Diagnostic(Code.DIVERGENT_BARRIER, message, span, None, "warning")
    for span, barrier, one, often, other, seldom in uneven_barriers(program, joins_all):
        if span not in told:
            times = f"{one} comes to this {barrier} {_times(often)}, {other} {_times(seldom)}"
            yield Diagnostic(Code.DIVERGENT_BARRIER, f"{times}: CUDA calls it likely to hang", span, None, "warning")
    for span, thread, name in barriers_again(program):
        which = ", ".join(str(number.value) if isinstance(number, Const) else "of a name" for number in name)
        message = f"the warp of {thread} comes to barrier {which} again, and counts again: {_AGAIN}"
        yield Diagnostic(Code.COMES_AGAIN, message, span, None, "warning")


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
