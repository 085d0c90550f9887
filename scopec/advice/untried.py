"""Synchronising operations of a program that are at no place of its text, so that nobody has tried to weaken them.

That is what stands in a file that it includes, and what has no weaker spelling here: an operator of an atomic object,
an arrival alone, a wait for copies, a barrier with a name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.advice.steps import Place
    from scopec.base.source import Source, Span
    from scopec.session.inquiry.run import Run


def untried(runs: Iterable[Run], source: Source, places: Iterable[Place]) -> tuple[Span, ...]:
    """The operations at none of the places of a file, in order, without those of the host's calls."""
    words = [word for place in places for word in (*place.words, place.whole, *place.beside) if word is not None]
    tried = tuple(source.span(word.start, word.end) for word in words)
    found: dict[Span, None] = {}
    for run in runs:
        for body in {id(body): body for body in run.program.bodies}.values():
            for node in body.nodes.values():
                if isinstance(node, ir.Do) and synchronises(node.operation):
                    found[node.span] = None
    return tuple(sorted(span for span in found if not _is_tried(span, source, tried)))


def synchronises(operation: object) -> bool:
    """Whether an operation orders others; one that is relaxed, or initialises a barrier, orders none."""
    match operation:
        case ir.Load() | ir.Store() | ir.Rmw() | ir.CompareExchange() | ir.Await():
            return operation.mode.order not in (None, ir.Order.RELAXED)
        case ir.BarrierArrive() | ir.BarrierWait() | ir.BarrierTest():
            return operation.mode.order not in (None, ir.Order.RELAXED)
        case ir.GroupSync():
            return operation.exchange is None
        case (
            ir.Fence() | ir.ProxyFence() | ir.InitFence() | ir.SyncThreads() | ir.NamedBarrier() | ir.AtBarrier()
            | ir.AwaitCopies() | ir.TensorFence()
        ):  # fmt: skip
            return True
        case _:
            return False


def _is_tried(span: Span, source: Source, tried: tuple[Span, ...]) -> bool:
    """Whether a place is within an operation, or in the macro or constant of the file by which it is written."""
    if span.file != source.name:
        return False
    begins, ends = (span.line, span.column), (span.end_line, span.end_column)
    if any(begins <= (one.line, one.column) <= ends or _around(one, span) for one in tried):
        return True
    text = source.text[source.offset(*begins) : source.offset(*ends)]
    return any(_defines(name, source, tried) for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", text)))


def _defines(name: str, source: Source, tried: tuple[Span, ...]) -> bool:
    """Whether a place is in the definition of a macro or constant."""
    macro = rf"^[ \t]*#[ \t]*define[ \t]+{name}\b(?:\\\r?\n|[^\n])*"
    constant = rf"\bconst(?:expr)?\b[^=;{{}}]*\b{name}\s*[={{][^;]*;"
    for found in re.finditer(f"{macro}|{constant}", source.text, re.MULTILINE):
        first, last = source.position(found.start()), source.position(found.end())
        if any(first <= (one.line, one.column) <= last for one in tried):
            return True
    return False


def _around(place: Span, span: Span) -> bool:
    begins, ends = (place.line, place.column), (place.end_line, place.end_column)
    return begins <= (span.line, span.column) < ends
