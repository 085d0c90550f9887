"""Collective barriers in TLA+: an action that arrives, and one that waits and leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.program import ir, types, values
from scopec.progress.steps import Step, Wait
from scopec.tla.names import function, strings

if TYPE_CHECKING:
    from scopec.progress.system import System
    from scopec.tla.actions import Actions
    from scopec.tla.names import Names

_WARP = 32
_EVERY_LANE = 0xFFFFFFFF

Collective = ir.SyncThreads | ir.GroupSync


class Barriers:
    """The collective barriers of a system: which there are, by the maps that give each thread its own."""

    def __init__(self, system: System, names: Names) -> None:
        self.system = system
        self.names = names
        at = [s.operation.at for s in system.steps.values() if isinstance(s.operation, Wait)]
        self.collective = [op for op in at if not isinstance(op, ir.NamedBarrier)]
        self.votes = any(isinstance(op, ir.SyncThreads) and op.vote is not None for op in self.collective)
        #: Barriers that wait for threads that have exited, and that do not.
        self.kinds = {self.holds(op) for op in self.collective}

    def maps(self) -> list[tuple[str, str]]:
        """The constants that say which barriers each thread has, and which threads each joins."""
        if not self.collective:
            return []
        groups = {map_of(op): op for op in self.collective}
        out = []
        joins: dict[str, list[str]] = {}
        for name, operation in sorted(groups.items()):
            rows = [(self.names.thread(t), barrier_name(t, operation, self.names)) for t in self.system.threads]
            if name != "BlockOf":
                out.append((name, function((t, f'"{barrier}"') for t, barrier in rows)))
            mask = operation.mask if isinstance(operation, ir.GroupSync) else _EVERY_LANE
            for thread, (shown, barrier) in zip(self.system.threads, rows, strict=True):
                if not _is_warp(operation) or mask >> thread.lane % _WARP & 1:
                    joins.setdefault(barrier, []).append(shown)
        out.append(("Joins", function((barrier, strings(joined)) for barrier, joined in joins.items())))
        return out

    def holds(self, operation: Collective) -> bool:
        """Whether threads that have exited hold up a barrier.

        "For .aligned and .sync, all non-exited threads" (PTX ISA): a block, a warp and a cluster wait for those that
        have not exited.  A grid is one software barrier of its blocks, and waits for every thread.
        """
        if isinstance(operation, ir.GroupSync):
            return operation.group is ir.Group.GRID
        return self.system.readings.exited_threads_hold


def _is_warp(operation: Collective) -> bool:
    return isinstance(operation, ir.GroupSync) and operation.group is ir.Group.WARP


def map_of(operation: Collective) -> str:
    """The map that gives each thread the barrier that it uses here."""
    if isinstance(operation, ir.SyncThreads):
        return "BlockOf"
    match operation.group:
        case ir.Group.WARP:
            return "WarpOf" if operation.mask == _EVERY_LANE else f"WarpOf_{operation.mask:x}"
        case ir.Group.TILE:
            return f"TileOf_{operation.mask}"
        case ir.Group.CLUSTER:
            return "ClusterOf"
        case ir.Group.GRID:
            return "WholeOf"
        case _:
            assert_never(operation.group)


def barrier_name(thread: ir.Thread, operation: Collective, names: Names) -> str:
    """The barrier of a thread."""
    if isinstance(operation, ir.SyncThreads):
        return names.block(thread)
    match operation.group:
        case ir.Group.WARP:
            lanes = "" if operation.mask == _EVERY_LANE else f" {operation.mask:#x}"
            return f"warp {thread.lane // _WARP} of {names.block(thread)}{lanes}"
        case ir.Group.TILE:
            return f"tile {thread.lane // operation.mask} of {names.block(thread)} by {operation.mask}"
        case ir.Group.CLUSTER:
            return f"cluster {names.of(thread.cluster_name)}"
        case ir.Group.GRID:
            return f"grid {names.of(thread.grid or thread.name)}"
        case _:
            assert_never(operation.group)


def arrive(actions: Actions, step: Step, operation: Collective) -> list[str]:
    """Arriving: the thread joins those that have, with its vote."""
    barrier = f"{map_of(operation)}[t]"
    lines = [f"/\\ arrived' = [arrived EXCEPT ![{barrier}] = @ \\cup {{t}}]"]
    changed = {"arrived"}
    if isinstance(operation, ir.SyncThreads) and operation.vote is not None:
        yes = actions.printer(step).condition(values.convert(operation.vote.predicate, types.BOOL))
        lines.append(f"/\\ ballot' = [ballot EXCEPT ![t] = IF {yes} THEN 1 ELSE 0]")
        changed.add("ballot")
    return [*lines, *actions.way(step.tree, step, changed=changed)]


def leave(actions: Actions, step: Step, operation: Collective, barriers: Barriers) -> list[str]:
    """Waiting and leaving: the first thread that leaves ends the phase for all."""
    barrier = f"{map_of(operation)}[t]"
    condition = f"{'Complete' if barriers.holds(operation) else 'Released'}(t, {barrier})"
    lines = [f"/\\ arrived' = [arrived EXCEPT ![{barrier}] = IF t \\in @ THEN {{}} ELSE @]"]
    changed = {"arrived"}
    if isinstance(operation, ir.SyncThreads) and operation.vote is not None:
        lines.append(f"/\\ ballot' = {_counted(operation.vote, barrier)}")
        changed.add("ballot")
    return actions.blocking(step, condition, [*lines, *actions.way(step.tree, step, changed=changed)])


def _counted(vote: ir.Vote, barrier: str) -> str:
    """The ballots when a thread leaves: the first puts the outcome in the place of the votes."""
    theirs = f"t \\in arrived[{barrier}] /\\ u \\in arrived[{barrier}]"
    kept = f"IF {theirs} THEN {_tally(vote, barrier)} ELSE ballot[u]"
    return f"[u \\in DeviceThreads |-> IF u = t THEN 0 ELSE {kept}]"


def outcome(operation: ir.SyncThreads) -> str:
    """The result of a vote for a thread that leaves."""
    assert operation.vote is not None
    barrier = f"{map_of(operation)}[t]"
    return f"(IF t \\in arrived[{barrier}] THEN {_tally(operation.vote, barrier)} ELSE ballot[t])"


def _tally(vote: ir.Vote, barrier: str) -> str:
    match vote.function:
        case "count":
            return f"Cardinality({{v \\in arrived[{barrier}] : ballot[v] = 1}})"
        case "and":
            return f"(IF \\A v \\in arrived[{barrier}] : ballot[v] = 1 THEN 1 ELSE 0)"
        case "or":
            return f"(IF \\E v \\in arrived[{barrier}] : ballot[v] = 1 THEN 1 ELSE 0)"
