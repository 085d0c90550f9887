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
    from scopec.explain.verdict import Check
    from scopec.program.program import Program
    from scopec.session.inquiry.run import Run

_FENCES = "which accesses a `fence.proxy.async` covers"
_BLOCKS = "that copies to and from shared memory have to be complete when their block ends"
_COPIES = "that a copy which is issued is complete at last"
_WARPS = "which warp of a warpgroup reads which part of a matrix: each may read all of it, until the warpgroup's wait"
_BEHIND = "that work behind a dependent grid comes after that grid, and not after those that it did not wait for"
_BEFORE = "that a dependent grid comes after all that is complete when the grid that it depends on starts"
_VALUES = "that a stream's wait for a value is an acquire, and its write of one an atomic store, both of system scope"
_BESIDE = "that CUDA does not put work of two streams one behind the other where a value alone says in which order"


def rests_on(run: Run, check: Check) -> tuple[str, ...]:
    """The readings on which a verdict rests: none of one that is unknown."""
    if check.verdict == "unknown":
        return ()
    if check.expectation.kind in PROGRESS_KINDS:
        beside = (_BESIDE,) if next(ordered_by_values(run.program), None) is not None else ()
        return (*((_COPIES,) if "agents" in run.extensions else ()), *beside)
    if awaited_values(run.program):
        return (_VALUES, *_of_the_rest(run, check))
    return _of_the_rest(run, check)


def _of_the_rest(run: Run, check: Check) -> tuple[str, ...]:
    """The readings of dependent launches, proxies and copies."""
    work = queued(run.program)
    early = {(first, second) for second in work if (first := prerequisite(work, second)) is not None}
    if early:
        behind = (_BEHIND,) if overlapping(work) > early else ()
        order = list(work)
        return (*behind, *((_BEFORE,) if any(order.index(first) for first, _ in early) else ()))
    found = [_FENCES] if "async_proxy" in run.extensions and not check.expectation.implicit else []
    if found and _multiplies(run.program):
        found.append(_WARPS)
    pair = race_of(check)
    if pair is not None and isinstance(check.trace, Execution) and outlives(check.trace, pair) is not None:
        found = [_BLOCKS]
    return tuple(found)


def _multiplies(program: Program) -> bool:
    """Whether a program multiplies matrices that are in shared memory."""
    nodes = (node for grid in program.threads for node in grid.body.nodes.values())
    return any(isinstance(n, ir.Do) and getattr(n.operation, "groups", None) is ir.CopyGroups.MATRIX for n in nodes)
