"""Readings of what no document says, on which a verdict rests (docs/memory-models.md, "Asynchronous copies ...")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.agents import outlives
from scopec.explain.reasons import race_of
from scopec.memory.execution import Execution
from scopec.program import ir
from scopec.program.expectations import PROGRESS_KINDS
from scopec.program.streams import awaited_values, ordered_by_values, overlapping, prerequisite, queued

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.explain.verdict import Check
    from scopec.program.program import Program
    from scopec.session.inquiry.run import Run

_FENCES = "which accesses a `fence.proxy.async` covers"
_BLOCKS = "that copies to and from shared memory have to be complete when their block ends"
_COPIES = "that a copy which is issued is complete at last"
_TENSOR = "that a tcgen05.dealloc needs no fence behind what is complete, or that a product has every lane of a column"
_COMMIT = "that what a thread did before its tcgen05.commit, but what it issued, is not before who finds that complete"
_THROUGH = (
    "that who finds a tcgen05.commit complete comes behind what was done before to the places that its products access"
)
_FREE = "that tcgen05.alloc finds its columns free, which other blocks of the multiprocessor may have"
_WARPS = "which warp of a warpgroup reads which part of a matrix: each may read all of it, until the warpgroup's wait"
_BEHIND = "that work behind a dependent grid comes after that grid, and not after those that it did not wait for"
_BEFORE = "that a dependent grid comes after all that is complete when the grid that it depends on starts"
_BEGINS = (
    "that what waits for the event of a launch comes after all that is complete when the blocks of that launch begin"
)
_EFFORT = "that nothing of a kernel, nor of what it comes after, is before what waits for its launch completion event"
_SEEN = "that a kernel which waits for the event of a launch is started though the launched kernel still runs"
_VALUES = "that a stream's wait for a value is an acquire, and its write of one an atomic store, both of system scope"
_BESIDE = "that CUDA does not put work of two streams one behind the other where a value alone says in which order"


def rests_on(run: Run, check: Check) -> tuple[str, ...]:
    """The readings on which a verdict rests: none of one that is unknown."""
    if check.verdict == "unknown":
        return ()
    if check.expectation.kind in PROGRESS_KINDS:
        beside = (_BESIDE,) if next(ordered_by_values(run.program), None) is not None else ()
        resident = run.progress.resident or run.settings.given["resident_blocks"].isdecimal()
        seen = (_SEEN,) if resident and any(grid.awaits for grid in run.program.grids.values()) else ()
        free = (_FREE,) if "tensor_memory" in run.extensions else ()
        return (*seen, *((_COPIES,) if "agents" in run.extensions else ()), *free, *beside)
    if awaited_values(run.program):
        return (_VALUES, *_of_the_rest(run, check))
    return _of_the_rest(run, check)


def _of_the_rest(run: Run, check: Check) -> tuple[str, ...]:
    """The readings of events of launches, dependent launches, proxies and copies."""
    return (*_of_launches(run.program), *_of_dependent(run.program), *_of_copies(run, check))


def _of_launches(program: Program) -> Iterator[str]:
    """The readings of events that launches record, for which kernels and calls of the host wait."""
    operations = (node.operation for t in program.threads for node in t.body.nodes.values() if isinstance(node, ir.Do))
    calls = [call for call in operations if isinstance(call, ir.LaunchSynchronize | ir.LaunchQuery)]
    awaited = {ir.Awaited(call.grid, call.fires) for call in calls}.union(*(g.awaits for g in program.grids.values()))
    if any(one.fires is ir.Fires.LAUNCHED for one in awaited):
        yield _EFFORT
    order = list(program.grids)
    if any(order.index(one.grid) for one in awaited if one.fires is not ir.Fires.LAUNCHED):
        yield _BEGINS


def _of_dependent(program: Program) -> Iterator[str]:
    """The readings of dependent launches."""
    work, order = queued(program), list(program.grids)
    early = {(first, second) for second in work if (first := prerequisite(work, second)) is not None}
    if overlapping(work) > early:
        yield _BEHIND
    if any(order.index(first) for first, _ in early):
        yield _BEFORE


def _of_copies(run: Run, check: Check) -> tuple[str, ...]:
    """The readings of proxies and copies."""
    found = [_FENCES] if "async_proxy" in run.extensions and not check.expectation.implicit else []
    if found and _multiplies(run.program):
        found.append(_WARPS)
    if "tensor_memory" in run.extensions and not check.expectation.implicit:
        found.append(_TENSOR)
    pair = race_of(check)
    if not check.expectation.implicit and _commits(run.program):
        if pair is None:
            found.append(_THROUGH)
        elif isinstance(check.trace, Execution) and not check.trace.graph.in_tensor_memory(pair[0]):
            found.append(_COMMIT)
    if pair is not None and isinstance(check.trace, Execution) and outlives(check.trace, pair) is not None:
        found = [_BLOCKS]
    return tuple(found)


def _commits(program: Program) -> bool:
    """Whether an arrival of a program follows what is issued to tensor memory."""
    nodes = (node for grid in program.threads for node in grid.body.nodes.values())
    return any(isinstance(n, ir.Do) and getattr(n.operation, "follows", None) is ir.CopyGroups.TENSOR for n in nodes)


def _multiplies(program: Program) -> bool:
    """Whether a program multiplies matrices that are in shared memory."""
    nodes = (node for grid in program.threads for node in grid.body.nodes.values())
    return any(isinstance(n, ir.Do) and getattr(n.operation, "groups", None) is ir.CopyGroups.MATRIX for n in nodes)
