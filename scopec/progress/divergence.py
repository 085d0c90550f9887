"""Barriers under a condition that depends on the thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.collective import barrier_of
from scopec.program.program import Program
from scopec.program.show import shown_barrier
from scopec.program.specialise import device_thread

if TYPE_CHECKING:
    from scopec.base.source import Span


def divergent_barriers(program: Program) -> Iterator[tuple[Span, str, str, str]]:
    """Barriers that some threads of a group can reach and others cannot: the place, its name, one of each.

    "__syncthreads() is allowed in conditional code but only if the conditional evaluates identically across the entire
    thread block, otherwise the code execution is likely to hang or produce unintended side effects" (CUDA C++
    Programming Guide).  Only what is known before the program runs is seen: indices and extents, not loaded values.
    """
    known = {(t.grid, t.block, t.lane): t for t in program.threads}
    for grid in program.grids.values():
        barriers = {n: node for n, node in grid.body.nodes.items() if isinstance(node, ir.Do) and joins_all(node)}
        if not barriers or grid.work is not ir.Work.KERNEL:
            continue
        positions = ((b, t) for b in range(grid.blocks.count) for t in range(grid.threads.count))
        threads = [known.get((grid.name, *at)) or device_thread(grid, *at) for at in positions]
        comes = {thread.name: _comes_to(thread, apart=grid.apart) for thread in threads}
        told: set[object] = set()
        for number, node in barriers.items():
            assert isinstance(node.operation, (ir.SyncThreads, ir.GroupSync))
            here = node.span if grid.apart else number
            if here in told:
                continue
            told.add(here)
            reached = {barrier_of(t, node.operation): t for t in threads if here in comes[t.name]}
            for missing in threads:
                met = reached.get(barrier_of(missing, node.operation))
                if met is not None and here not in comes[missing.name]:
                    yield node.span, shown_barrier(node.operation), met.name, missing.name
                    break


def _comes_to(thread: ir.Thread, *, apart: bool) -> set[object]:
    """The nodes that a thread can come to; the places of its barriers, where threads have nodes of their own."""
    if not apart:
        return set(thread.body.nodes)
    return {node.span for node in thread.body.nodes.values() if isinstance(node, ir.Do) and joins_all(node)}


def joins_all(node: ir.Do) -> bool:
    """A warp's barrier names the lanes that it joins, so that others need not come, unless all have to."""
    operation = node.operation
    if isinstance(operation, ir.GroupSync):
        return bool(operation.of) or operation.group in (ir.Group.CLUSTER, ir.Group.GRID)
    return isinstance(operation, ir.SyncThreads)
