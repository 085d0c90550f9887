"""Collective barriers: which threads meet at one."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir, types, values
from scopec.program.values import Const, Value
from scopec.program.warp import EVERY_LANE, WARP

if TYPE_CHECKING:
    from collections.abc import Hashable


@dataclass(frozen=True, slots=True)
class Barrier:
    """A collective barrier of one block, grid, cluster or warp; of a warp, the ``lanes`` that it joins.

    ``named`` stands for all barriers of a block that have names: which of them it is is computed.  ``exchange`` is the
    instruction by which lanes exchange values: they "wait until all non-exited threads corresponding to membermask have
    executed" it "with the same qualifiers and same membermask value" (PTX ISA, "shfl.sync").  Those that meet by
    ``chance`` do not wait: there is no execution in which one of them does not come.  With ``of`` it is one of lanes
    that come to that instruction of their warp.  ``group`` is whose it is, None of a block's;
    a tile's is one of its warp.
    """

    place: str
    lanes: int | None = None
    named: bool = False
    exchange: str = ""
    chance: bool = False
    of: str = ""
    group: ir.Group | None = None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self.place if self.lanes in (None, EVERY_LANE) else f"{self.place}, lanes {self.lanes:#x}"

    def joins(self, thread: ir.Thread) -> bool:
        """Whether a thread is one of those that meet here."""
        if self.lanes is not None:
            return warp_of(thread) == self.place and bool(self.lanes >> thread.lane % WARP & 1)
        return self.place in (thread.block_name, thread.cluster_name, thread.grid)


@dataclass(frozen=True, slots=True)
class Passage:
    """An arrival or wait at a barrier: which one, in which phase, and what the thread brings.

    At a barrier with a name, ``name`` says which it is, and ``count``, if there is one, how many arrivals end a phase.
    Where the phase is open (:mod:`scopec.memory.unfold.counted_barriers`), it is one from ``earliest`` to before
    ``phases``.  ``brought`` is what the thread brings to an exchange or a vote.  ``at`` is the instruction, of one to
    which all lanes of a warp have to come.  With ``warps`` the count is one of warps.
    """

    barrier: Barrier
    phase: Value
    name: tuple[Value, ...] = ()
    count: int | None = None
    phases: int = 0
    earliest: int = 0
    brought: Value | None = None
    at: tuple[Hashable, ...] = ()
    warps: bool = False

    def meets(self, other: Passage) -> Value:
        """The paths on which two passages of one barrier are of one phase."""
        same: Value = values.binary("==", self.phase, other.phase)
        if self.phases:
            same = values.FALSE
            for phase in range(min(self.phases, other.phases)):
                same = values.binary("||", same, values.binary("&&", self.is_of(phase), other.is_of(phase)))
        return values.binary("&&", same_name(self.name, other.name), same)

    def is_of(self, phase: int) -> Value:
        """The paths on which an open phase is a given one: a way of a chain of branches, so no guard has two."""
        result: Value = values.TRUE
        for number in range(min(phase + 1, self.phases - 1)):
            later = values.binary(">", self.phase, Const(number, types.INT))
            result = values.binary("&&", result, later if number < phase else values.unary("!", later))
        return result


def same_name(name: tuple[Value, ...], other: tuple[Value, ...]) -> Value:
    """The paths on which two names of barriers are one."""
    if len(name) != len(other):
        return values.FALSE
    result: Value = values.TRUE
    for here, there in zip(name, other, strict=True):
        # Equal expressions are equal whatever their registers hold.
        same = values.TRUE if here == there else values.binary("==", here, there)
        result = values.binary("&&", result, same)
    return result


def arrives_at(thread: ir.Thread, name: tuple[Value, ...]) -> bool:
    """Whether a thread's text has an arrival at a barrier that may have a name."""
    return any(
        isinstance(node, ir.Do)
        and isinstance(node.operation, ir.NamedBarrier)
        and len(node.operation.name) == len(name)
        and not any(
            isinstance(here, Const) and isinstance(there, Const) and here.value != there.value
            for here, there in zip(node.operation.name, name, strict=True)
        )
        for node in thread.body.nodes.values()
    )


def how_many(terms: list[Value]) -> Value:
    """The number of some conditions that hold."""
    ones = [values.choose(term, Const(1, types.INT), Const(0, types.INT)) for term in terms]
    return reduce(lambda total, one: values.binary("+", total, one), ones) if ones else Const(0, types.INT)


def warp_of(thread: ir.Thread) -> str:
    """The name of a thread's warp."""
    return f"warp {thread.lane // WARP} of {thread.block_name}"


def barrier_of(thread: ir.Thread, operation: ir.SyncThreads | ir.GroupSync) -> Barrier:
    """The barrier that a thread uses."""
    if isinstance(operation, ir.SyncThreads):
        return Barrier(thread.block_name)
    group = operation.group
    match group:
        case ir.Group.WARP:
            if (exchange := operation.exchange) is None:
                return Barrier(warp_of(thread), operation.mask, of=operation.of, group=group)
            name, chance = exchange.name, exchange.chance
            return Barrier(warp_of(thread), operation.mask, exchange=name, chance=chance, group=group)
        case ir.Group.TILE:
            first = thread.lane % WARP // operation.mask * operation.mask
            return Barrier(warp_of(thread), (1 << operation.mask) - 1 << first, group=ir.Group.WARP)
        case ir.Group.CLUSTER:
            return Barrier(thread.cluster_name, group=group)
        case ir.Group.GRID:
            return Barrier(thread.grid or thread.name, group=group)


def by_chance(operation: object) -> bool:
    """Whether an operation is a meeting by chance."""
    return isinstance(operation, ir.GroupSync) and operation.exchange is not None and operation.exchange.chance


def scope_of(operation: ir.SyncThreads | ir.GroupSync) -> ir.Scope:
    """The narrowest scope that includes the threads of a collective barrier."""
    if isinstance(operation, ir.SyncThreads):
        return ir.Scope.BLOCK
    match operation.group:
        case ir.Group.WARP | ir.Group.TILE:
            return ir.Scope.BLOCK
        case ir.Group.CLUSTER:
            return ir.Scope.CLUSTER
        case ir.Group.GRID:
            return ir.Scope.DEVICE
