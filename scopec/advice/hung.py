"""Changes of the text against a hang in which a thread waits for what another has left: a lock that a return keeps, a
flag that is reset, a barrier in a condition.

Each is tried by reading the text and asking again (``search``): what is looked at here says only where to try.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from scopec.advice.edits import operations
from scopec.advice.statements import bare, before, beginning, behind, ending
from scopec.explain.fixes import Replacement
from scopec.program import ir
from scopec.progress.schedule import Standing
from scopec.progress.steps import DONE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Source, Span
    from scopec.progress.schedule import Behind, Move, Schedule
    from scopec.session.inquiry.run import Run

_RETURN = re.compile(r"\breturn\b")
_CONTROL = re.compile(r"(?:else\b|if\b|for\b|while\b|do\b|switch\b|case\b|default\b|return\b)")
_CONDITION = re.compile(r"(?:else\s+)?if\s*\(|else\b")
#: The number of returns that are tried.
_MOST = 3


def left_behind(run: Run, schedule: Schedule) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """Changes that may help, in words and as text, the likeliest first."""
    for one in schedule.behind:
        if one.span.file != run.source.name or not one.span.file.endswith(".cu"):
            continue
        if one.standing is Standing.SPINNING and (wrote := _culprit(run, schedule, one)) is not None:
            yield from _given_back(run, schedule, one, wrote)
            yield from _not_reset(run, schedule, wrote)
        elif one.standing is Standing.BLOCKED:
            yield from _out_of_condition(run.source, one.span)


def _objects(run: Run, at: Span) -> set[str]:
    """The objects that operations at a place access."""
    found = (node for node in operations(run.program) if node.span == at)
    return {node.operation.place.object for node in found if isinstance(node.operation, ir.Access)}


def _culprit(run: Run, schedule: Schedule, waiting: Behind) -> Move | None:
    """The last step of another thread that changed what a thread waits for."""
    names = _objects(run, waiting.span)
    moves = (m for m in reversed(schedule.moves) if {_object(name) for name in m.changes} & names)
    found = next(moves, None)
    return found if found is not None and found.thread != waiting.thread else None


def _object(change: str) -> str:
    return change.partition("[")[0]


def _given_back(
    run: Run, schedule: Schedule, waiting: Behind, wrote: Move
) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """What gives the lock back elsewhere, before a return of the thread that has it."""
    if schedule.moves[-1].after.labels[wrote.thread] != DONE:
        return
    source, names = run.source, _objects(run, waiting.span)
    code = bare(source)
    last = next(move for move in reversed(schedule.moves) if move.thread == wrote.thread)
    texts = [
        text
        for node in operations(run.program)
        if isinstance(node.operation, ir.Store | ir.Rmw) and node.operation.place.object in names
        if node.span not in (waiting.span, wrote.span) and (text := _statement(source, node.span)) is not None
    ]
    after = source.offset(last.span.line, last.span.column)
    for found in islice(_RETURN.finditer(code, after), _MOST):
        line, _ = source.position(found.start())
        for text in dict.fromkeys(texts):
            if (change := before(source, found.start(), f"{text};")) is not None:
                yield f"`{text}` before the return at line {line}", change


def _not_reset(run: Run, schedule: Schedule, wrote: Move) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """No statement that gives a flag the value back that it began with."""
    text = _statement(run.source, wrote.span)
    changed = [name for name in wrote.changes if str(schedule.start.memory.get(name)) == wrote.changes[name]]
    if text is None or not changed:
        return
    code, start = bare(run.source), run.source.offset(wrote.span.line, wrote.span.column)
    first, end = beginning(code, start), ending(code, start)
    if end is not None:
        yield f"without `{text}` at line {wrote.span.line}", [_removed(run.source, first, end)]


def _out_of_condition(source: Source, at: Span) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """A barrier after the condition in whose block it is."""
    text = _statement(source, at)
    if text is None or "sync" not in text:
        return
    code, start = bare(source), source.offset(at.line, at.column)
    first, end = beginning(code, start), ending(code, start)
    opened = _open(code, first)
    if end is None or opened is None or not _CONDITION.match(code, beginning(code, opened)):
        return
    close = _matching(code, opened)
    while (more := re.compile(r"\s*else\b[^{;]*\{").match(code, close)) is not None:
        close = _matching(code, more.end() - 1)
    moved = behind(source, beginning(code, opened), close, f"{text};")
    yield (
        f"`{text}` after the block that begins at line {source.position(opened)[0]}",
        [
            _removed(source, first, end),
            moved,
        ],
    )


def _statement(source: Source, at: Span) -> str | None:
    """The text of a statement without condition or loop, without its semicolon."""
    if at.file != source.name:
        return None
    code, start = bare(source), source.offset(at.line, at.column)
    first, end = beginning(code, start), ending(code, start)
    if end is None or _CONTROL.match(code, first):
        return None
    return source.text[first : end - 1].strip()


def _removed(source: Source, first: int, end: int) -> Replacement:
    """A statement taken out, with its line if there is nothing else on it."""
    line, column = source.position(first)
    last = source.position(end)[0]
    alone = not source.line(line)[: column - 1].strip() and not source.line(last)[source.position(end)[1] - 1 :].strip()
    if alone and last < len(source.lines):
        return Replacement(source.span(source.offset(line, 1), source.offset(last + 1, 1)), "")
    return Replacement(source.span(first, end), "")


def _open(code: str, at: int) -> int | None:
    """The innermost brace that is open at a place."""
    depth = 0
    for place in range(at - 1, -1, -1):
        depth += (code[place] == "}") - (code[place] == "{")
        if depth < 0:
            return place
    return None


def _matching(code: str, brace: int) -> int:
    """The place behind the brace that closes one."""
    depth = 0
    for place in range(brace, len(code)):
        depth += (code[place] == "{") - (code[place] == "}")
        if depth == 0:
            return place + 1
    return len(code)
