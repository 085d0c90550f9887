"""A barrier that is missing between two accesses of a block: a line of the text where one may stand.

It is written into the text, which is then read again: what a barrier joins depends on control flow, calls and loops,
and those are the reader's business.
"""

from __future__ import annotations

import re
from itertools import chain, islice, zip_longest
from operator import attrgetter, or_
from string import digits
from typing import TYPE_CHECKING

from scopec.advice.rereading import reread
from scopec.advice.statements import bare, beginning, blocks, nested, put
from scopec.explain.fixes import Replacement
from scopec.frontends.scoped.syntax.scan import scan, without_literals
from scopec.memory.cat.evaluate import closure
from scopec.progress.divergence import divergent_barriers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scopec.base.source import Source, Span
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution
    from scopec.program.observe import Target
    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Overrides

STATEMENT = "__syncthreads();"
#: The number of places that are tried for one barrier, and of barriers.
_MOST = 4
_MOST_BARRIERS = 4
_MOST_LETTERS = 40
#: Statements that only some threads of a block may execute; a condition on the block is one for all of them.
_CONDITIONAL = re.compile(r"\s*(?:(?:else\s+)?if\b(?![^;{}]*\bblockIdx\b)|switch\b|case\b|default\b)")


def barriers(run: Run, execution: Execution) -> Iterator[Replacement]:
    """A barrier at each place that may help against a race of threads of one grid, the nearest first."""
    threads = {t.name: t.grid for t in run.program.threads}
    for pair in execution.race:
        one, other = sorted(pair, key=attrgetter("span"))
        first, second = one.span, other.span
        grid = run.program.grids.get(threads.get(one.thread) or "")
        here = run.source.name == first.file == second.file and first.file.endswith(".cu")
        if here and grid is not None and threads.get(other.thread) == grid.name and grid.threads.count > 1:
            between, behind = (first.end_line + 1, second.line), second.end_line + 1
            yield from _within(run.source, first, second)
            for line in islice(_places(run.source, between, behind, around=_is_around(one, other, execution)), _MOST):
                yield _statement(run.source, line)
            return


def barrier_sets(
    run: Run, execution: Execution, read: Callable[[Run, Replacement], Run | None], holds: Callable[[Run], bool],
    race: Callable[[Run], Execution | None],
) -> Iterator[tuple[Replacement, ...]]:  # fmt: skip
    """Sets of barriers under which a run holds, small ones first, as changes of its text: one, or another one for the
    race that is left when one is there.  ``read`` reads a text with one more, ``race`` is what still races in it."""
    wanted: list[tuple[Run, Execution, tuple[Replacement, ...]]] = [(run, execution, ())]
    for _ in range(_MOST_BARRIERS):
        left: list[tuple[Run, Execution, tuple[Replacement, ...]]] = []
        for before, racing, added in wanted:
            for one in barriers(before, racing):
                changed = read(before, one)
                together = (*added, _of_original(one, before.source, added, run.source))
                if changed is not None and holds(changed):
                    yield together
                elif changed is not None and not left:
                    still = race(changed)
                    if still is not None and _racing_text(changed, still) != _racing_text(before, racing):
                        left.append((changed, still, together))
        wanted = left


def _racing_text(run: Run, execution: Execution) -> list[str]:
    """The texts of the lines of the accesses that race, which barriers do not change."""
    return sorted({run.source.line(e.span.line) for pair in execution.race[:1] for e in pair})


def _of_original(one: Replacement, changed: Source, added: Sequence[Replacement], original: Source) -> Replacement:
    """An insertion into a changed text as one into the text that it was made of."""
    at, before = changed.offset(one.span.line, one.span.column), 0
    for earlier in sorted(added):
        place = original.offset(earlier.span.line, earlier.span.column)
        if place + before < at:
            before += min(len(earlier.text), at - place - before)
    return Replacement(original.span(at - before, at - before), one.text)


def _within(source: Source, first: Span, second: Span) -> Iterator[Replacement]:
    """A barrier before the statement of the second access, where that one begins in the line of another."""
    code = bare(source)
    at = beginning(code, source.offset(second.line, second.column))
    line, column = source.position(at)
    behind = at >= source.offset(first.end_line, first.end_column)
    if behind and source.line(line)[: column - 1].strip() and not any(map(_CONDITIONAL.match, blocks(code, at))):
        yield put(source, at, STATEMENT)


def wants_barrier(run: Run, execution: Execution, target: Target | None) -> bool:
    """Whether a barrier is what a race wants rather than other orders of the atomic operations that are there.

    In an execution that is sequentially consistent, which it is with any orders, these order no accesses but those that
    program order, what orders threads already, and reads of atomic writes by atomic operations connect.
    """
    pair = execution.racing_pair(target)
    blocks = {(t.grid, t.block) for t in run.program.threads if pair is not None and t.name in {e.thread for e in pair}}
    if pair is None or len(blocks) > 1 or all(e.atomic for e in pair) or not execution.sequentially_consistent:
        return False
    given, events = execution.evaluation.relations, execution.events
    atomic = sum(1 << at for at, event in enumerate(events) if event.atomic)
    synchronised = [row & atomic if atomic >> at & 1 else 0 for at, row in enumerate(given["rf"])]
    order = closure(tuple(map(or_, map(or_, given["po"], given["asw"]), synchronised)))
    one, other = map(events.index, pair)
    return not (order[one] >> other & 1 or order[other] >> one & 1)


def with_barrier(run: Run, added: Replacement, overrides: Overrides) -> Run | None:
    """The same variant of the text with a statement more; None where that is no program, or some threads of a block
    cannot come to the barrier."""
    found = reread(run, [added], overrides)
    if found is None or any(at.line == added.span.line for at, *_ in divergent_barriers(found.program)):
        return None
    return found


def in_words(added: Sequence[Replacement], source: Source) -> str:
    """The change in words."""
    lines = [str(one.span.line) for one in added if one.text.endswith("\n")]
    within = [one.span for one in added if not one.text.endswith("\n")]
    named = f"lines {', '.join(lines[:-1])} and {lines[-1]}" if len(lines) > 1 else "".join(f"line {n}" for n in lines)
    places = [named] if named else []
    places += [f"`{_first(source, at)}` in line {at.line}" for at in within]
    return f"{STATEMENT.removesuffix(';')} before {' and before '.join(places)}"


def _first(source: Source, at: Span) -> str:
    """The first statement from a place on, shortened."""
    text = source.line(at.line)[at.column - 1 :].partition(";")[0]
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def _statement(source: Source, line: int) -> Replacement:
    beside = next((text for text in reversed(source.lines[: line - 1]) if text.strip()), "")
    if beside.rstrip().endswith(("{", "}")) and source.line(line).strip() != "}":
        beside = source.line(line)
    at = source.offset(line, 1)
    return Replacement(source.span(at, at), beside[: len(beside) - len(beside.lstrip())] + STATEMENT + "\n")


def _is_around(one: Event, other: Event, execution: Execution) -> bool:
    """Whether in some race at the places of two events that which is first in the text is of a later turn of a loop."""
    places = {one.span, other.span}
    pairs = [sorted(pair, key=attrgetter("span")) for pair in execution.race if {e.span for e in pair} == places]
    return len(places) > 1 and any(_turn(first) > _turn(second) for first, second in pairs)


def _turn(event: Event) -> int:
    """The number of like events of its thread on its line so far, with the event: names end with it."""
    return int(event.id[len(event.id.rstrip(digits)) :] or 1)


def _places(source: Source, between: tuple[int, int], behind: int, *, around: bool) -> Iterator[int]:
    """Lines before which a barrier may stand: after the first access, before and after the second, then further out.

    That after the second comes first if it is ``around`` a loop that the race is.
    """
    depths = _depths(without_literals(scan(source).code))
    down, up = (_outwards(depths, line, step) for line, step in zip(between, (1, -1), strict=True))
    again = _outwards(depths, behind, 1)
    ways = (again, down, up) if around else (down, up, again)
    return iter(dict.fromkeys(line for line in chain.from_iterable(zip_longest(*ways)) if line is not None))


def _outwards(depths: Sequence[int | None], line: int, step: int) -> Iterator[int]:
    """From a line on, the next place in each of the blocks around it, in functions alone."""
    least = None
    while 0 < line < len(depths):
        depth = depths[line]
        if depth is not None and depth > 0 and (least is None or depth < least):
            least = depth
            yield line
        line += step


def _depths(code: str) -> list[int | None]:
    """The number of blocks around the beginning of each line, from 1; None if no statement for all may begin there."""
    depths: list[int | None] = [None]
    begins = True
    for at, (around, head, brackets) in enumerate(nested(code)):
        if begins:
            line = code[at : code.find("\n", at) + 1 or None]
            ended = not head.strip() and not brackets and not line.lstrip().startswith("else")
            depths.append(len(around) if ended and not any(map(_CONDITIONAL.match, around)) else None)
        begins = code[at : at + 1] == "\n"
    return depths
