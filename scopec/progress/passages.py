"""The number of times a thread comes to each barrier, where the program alone decides it.

A thread is followed with its indices and what it computes of them.  What it reads is not known: a branch that depends
on that is stepped over, to where its ways meet again, if there is no barrier between.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.collective import barrier_of
from scopec.program.effects import overwritten
from scopec.program.loops.loops import loops
from scopec.program.show import shown_barrier
from scopec.program.specialise import device_thread
from scopec.program.values import Builtin, Const, Reg, Value, substitute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from scopec.base.source import Span
    from scopec.program.program import Program

#: The most steps that are made in all, and of one thread.
_MOST_STEPS, _MOST_OF_ONE = 60_000, 20_000
#: The most nodes of a graph of all threads in which it is looked for where the ways of a branch meet.
_FEW = 100


def uneven_barriers(program: Program, joins: Callable[[ir.Do], bool]) -> Iterator[tuple[Span, str, str, int, str, int]]:
    """Barriers that threads of a group come to differently often: the place, its name, two threads and how often each.

    ``joins`` says which operations are barriers that all threads of a group have to reach.
    """
    known = {(t.grid, t.block, t.lane): t for t in program.threads}
    steps = _MOST_STEPS
    for grid in program.grids.values():
        if grid.work is not ir.Work.KERNEL or not _repeats(grid.body, joins):
            continue
        passages: list[tuple[ir.Thread, Mapping[Span, int]]] = []
        operations: dict[Span, ir.SyncThreads | ir.GroupSync] = {}
        if len(grid.body.nodes) <= _FEW and _passages(grid.body, joins, min(steps, _MOST_OF_ONE), {})[0] is not None:
            continue  # whatever a thread's indices are, it comes to each so often
        for block, lane in ((b, t) for b in range(grid.blocks.count) for t in _outermost_first(grid.threads.count)):
            thread = known.get((grid.name, block, lane)) or device_thread(grid, block, lane)
            found, taken = _passages(thread.body, joins, min(steps, _MOST_OF_ONE), operations)
            steps -= taken
            if found is not None:
                passages.append((thread, found))
            if steps <= 0:
                break
        for span, operation in operations.items():
            if (pair := _uneven(passages, span, operation)) is not None:
                yield span, shown_barrier(operation), *pair


def _uneven(
    passages: Iterable[tuple[ir.Thread, Mapping[Span, int]]], span: Span, operation: ir.SyncThreads | ir.GroupSync
) -> tuple[str, int, str, int] | None:
    """Two threads of a group that come to a barrier differently often."""
    first: dict[object, tuple[str, int]] = {}
    for thread, times in passages:
        here = thread.name, times.get(span, 0)
        one = first.setdefault(barrier_of(thread, operation), here)
        if one[1] != here[1]:
            return (*one, *here)
    return None


def _repeats(body: ir.Body, joins: Callable[[ir.Do], bool]) -> bool:
    """Whether a thread may come to a barrier more than once: it is in a loop, or in one that was written out."""
    barriers = {n: node.span for n, node in body.nodes.items() if isinstance(node, ir.Do) and joins(node)}
    return len(set(barriers.values())) < len(barriers) or any(barriers.keys() & loop.nodes() for loop in loops(body))


def _outermost_first(count: int) -> Iterator[int]:
    """The lanes of a block, in an order in which those come first that loops over an index treat differently."""
    yield from dict.fromkeys((0, count - 1, *range(count)))


def _is_barrier(node: ir.Node, joins: Callable[[ir.Do], bool]) -> bool:
    return isinstance(node, ir.Do) and joins(node)


def _passages(
    body: ir.Body,
    joins: Callable[[ir.Do], bool],
    limit: int,
    operations: dict[Span, ir.SyncThreads | ir.GroupSync],
) -> tuple[Mapping[Span, int] | None, int]:
    """The number of times that a thread comes to each barrier, None if unknown; and the steps that has taken.

    What the barriers are is added to ``operations``.
    """
    known: dict[str, Const] = {}
    times: Counter[Span] = Counter()
    number, meets = body.entry, dict[int, int | None]()

    def leaf(of: Reg | Builtin) -> Value:
        return known.get(of.name, of)

    for step in range(limit):
        match body.nodes[number]:
            case ir.Exit():
                return times, step + 1
            case ir.Do(ir.Trap()):
                return None, step + 1
            case ir.Do(ir.Set(target, value), _, following):
                found = substitute(value, leaf)
                known.pop(target, None)
                if isinstance(found, Const):
                    known[target] = found
                number = following
            case ir.Do(operation, span, following) as node:
                if joins(node):
                    assert isinstance(operation, (ir.SyncThreads, ir.GroupSync))
                    times[span] += 1
                    operations[span] = operation
                for target in overwritten(operation):
                    known.pop(target, None)
                number = following
            case ir.Branch(condition, _, then, otherwise):
                decided = substitute(condition, leaf)
                if isinstance(decided, Const):
                    number = then if decided.value else otherwise
                    continue
                if number not in meets:
                    meets[number] = _meeting(body, number, joins)
                meeting = meets[number]
                if meeting is None:
                    return None, step + 1
                for inside in _reached(body, number, meeting):
                    if isinstance(between := body.nodes[inside], ir.Do):
                        for target in overwritten(between.operation):
                            known.pop(target, None)
                number = meeting
    return None, limit


def _meeting(body: ir.Body, branch: int, joins: Callable[[ir.Do], bool]) -> int | None:
    """The node where all ways from a branch meet again; None if they do not before a barrier, a trap or the end."""
    behind = _reached(body, branch, None)
    for candidate in behind:
        between = _reached(body, branch, candidate)
        if branch in between or any(_ends(body.nodes[n]) or _is_barrier(body.nodes[n], joins) for n in between):
            continue
        return candidate
    return None


def _reached(body: ir.Body, start: int, without: int | None) -> list[int]:
    """The nodes behind a node, without those that are reached by way of another alone, the nearest first."""
    found: dict[int, None] = {}
    work = list(ir.successors(body.nodes[start]))
    while work:
        number = work.pop(0)
        if number not in found and number != without:
            found[number] = None
            work += ir.successors(body.nodes[number])
    return list(found)


def _ends(node: ir.Node) -> bool:
    return isinstance(node, ir.Exit) or (
        isinstance(node, ir.Do) and isinstance(node.operation, (ir.Trap, ir.EndProcess))
    )
