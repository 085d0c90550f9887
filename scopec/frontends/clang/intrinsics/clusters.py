"""The blocks of a cluster: ranks, barrier, and shared memory of other blocks (PTX ISA, "mapa", "getctarank")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler, address_of, in_kernel
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import compare, kept, number
from scopec.frontends.clang.machine.memory import ARRIVED, Address, Cell, Memory, Private
from scopec.frontends.clang.machine.spawned import Launch
from scopec.frontends.clang.machine.state import Again
from scopec.frontends.clang.machine.undefined import beyond
from scopec.frontends.ptx import table
from scopec.program import ir, values
from scopec.program.specialise import cluster_blocks
from scopec.program.types import LONG
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The state spaces that an access names: what is in none is told by nothing but its address.
GLOBAL, OWN, CLUSTER = range(3)


def launch_of(call: Call) -> Launch:
    """The launch that the thread is of."""
    launch = call.machine.world.launches[call.machine.thread]
    assert isinstance(launch, Launch)
    return launch


def blocks_of(call: Call) -> Sequence[int]:
    """The blocks of the thread's cluster, by their ranks."""
    launch = launch_of(call)
    return cluster_blocks(launch.blocks, launch.cluster or ir.Dim(), call.machine.block)


def _storage(call: Call) -> ir.Storage | None:
    """The storage that the first argument points to."""
    region = address_of(call, 0).region
    return ir.Storage.AUTOMATIC if isinstance(region, Private) else call.machine.world.storage(region)


def _owner(call: Call) -> int:
    """The block whose shared memory the first argument is in."""
    return owner_of(call, address_of(call, 0))


def owner_of(call: Call, address: Address) -> int:
    """The block whose shared memory an address is in."""
    assert isinstance(address.region, Memory)
    _, block, _ = call.machine.world.owners.get(address.region, ("", call.machine.block, ""))
    return block


def _in_space(call: Call) -> bool:
    """Check that an address is in the state space that an access names; ``.shared`` is ``.shared::cta``."""
    storage, space = _storage(call), call.known(1)
    others = storage is ir.Storage.SHARED and _owner(call) != call.machine.block
    fits = storage not in (ir.Storage.SHARED, ir.Storage.AUTOMATIC)
    if space != GLOBAL:
        fits = storage is ir.Storage.SHARED and (space == CLUSTER or not others)
    if storage is not None and not fits:
        raise beyond(call.machine, call.state, ("global memory", "the block's shared memory", "shared memory")[space])
    return call.done()


def _space(call: Call) -> bool:
    """Whether an address is in a state space: what no kernel gets as a parameter or has as a constant is global."""
    storage, word = _storage(call), table.SPACES[call.known(1)]
    space = word.partition("::")[0]
    if space not in ("shared", "global", "local") or storage is None:
        raise call.machine.refused(call.state, "a test for this state space, or of what is no variable, is")
    found = {ir.Storage.SHARED: "shared", ir.Storage.AUTOMATIC: "local"}.get(storage, "global") == space
    if found and space == "shared" and word != "shared::cluster":
        found = _owner(call) == call.machine.block
    return call.done(number(found, 1))


def _told_apart(call: Call, position: int, numbers: range, what: str) -> int:
    """An argument that is known; else go on for each number that it may be, beyond which it is outside of something."""
    machine, state, value = call.machine, call.state, call.number(position)
    operand, span = call.action.arguments[position].operand, machine.span(state)
    if isinstance(value, Const) or not isinstance(operand, llvm.Local):
        return call.known(position)
    for one in numbers:
        found = number(one, value.type.bits)
        following, after = machine.builder.label(), state.copy()
        after.frame.env[operand.name] = found
        machine.builder.split(compare("eq", kept(value), found), span, machine.later(after), following)
        machine.builder.place(following)
    raise beyond(machine, state, what)


def _map_shared(call: Call) -> bool:
    """The address that a variable in shared memory has in another block of the cluster."""
    machine, address, blocks = call.machine, address_of(call, 0), blocks_of(call)
    rank = _told_apart(call, 1, range(len(blocks)), "the cluster")
    if _storage(call) is not ir.Storage.SHARED:
        raise machine.refused(call.state, "an address in another block, of what is not in shared memory, is")
    if not 0 <= rank < len(blocks):
        raise beyond(machine, call.state, "the cluster")
    return call.done(in_block(call, address, blocks[rank]))


def in_block(call: Call, address: Address, block: int) -> Address:
    """The address that a variable in shared memory has in another block of the cluster."""
    machine, world = call.machine, call.machine.world
    if block == owner_of(call, address):
        return address
    if machine.thread not in world.distributed:
        world.distributed.add(machine.thread)
        raise Again
    assert isinstance(address.region, Memory)
    _, _, name = world.owners[address.region]
    return Address(world.global_region(machine.side, name, machine.thread, block), address.offset)


def _shared_rank(call: Call) -> bool:
    """The rank of the block whose shared memory an address is in."""
    if _storage(call) is not ir.Storage.SHARED:
        raise call.machine.refused(call.state, "the rank of what is not in shared memory is")
    return call.done(number(blocks_of(call).index(_owner(call)), 32))


def _cluster_barrier(call: Call) -> bool:
    """A half of the barrier of a cluster: where nothing is between the two, they are the whole."""
    machine, cells, waits, relaxed = call.machine, call.state.cells, bool(call.known(0)), bool(call.known(1))
    if waits != (ARRIVED in cells):
        raise machine.in_halves(call.state)
    if relaxed:
        machine.halve()
    if not machine.halved:
        if waits:
            del cells[ARRIVED]
            call.emit(ir.GroupSync(ir.Group.CLUSTER))
        else:
            cells[ARRIVED] = Cell(0, number(0, 64))
    elif waits:
        _wait(call)
    else:
        _arrive(call, ir.Order.RELAXED if relaxed else ir.Order.RELEASE)
    return call.done()


def _arrive(call: Call, order: ir.Order) -> None:
    phase = call.target(LONG)
    mode = ir.Mode(order, ir.Scope.CLUSTER)
    call.emit(ir.BarrierArrive(phase.name, call.machine.cluster_barrier(call.state), Const(1, LONG), mode))
    call.state.cells[ARRIVED] = Cell(0, phase)


def _wait(call: Call) -> None:
    found = call.target(LONG)  # the phase that the thread has arrived in is kept where both have one register
    before = call.state.cells[ARRIVED].content
    later = values.binary("!=", found, before)  # type: ignore[arg-type]
    mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope.CLUSTER)
    call.emit(ir.BarrierWait(found.name, call.machine.cluster_barrier(call.state), later, mode))
    del call.state.cells[ARRIVED]


def _cluster_index(call: Call) -> bool:
    function, axis = list(table.CLUSTERS.values())[call.known(0)], "xyz"[call.known(1)]
    extent = getattr(launch_of(call).cluster or ir.Dim(), axis)
    block, grid = (call.machine.builtins[f"{name}.{axis}"] for name in ("blockIdx", "gridDim"))
    return call.done(number(function(block, extent, grid), 32))


def _in_cluster(call: Call) -> bool:
    return call.done(number(launch_of(call).cluster is not None, 1))


def _dynamic_shared(call: Call) -> bool:
    return call.done(number(launch_of(call).shared, 32))


#: The effects of the intrinsics of clusters and state spaces.
CLUSTERS: dict[str, Handler] = {
    "in_space": _in_space,
    "space": _space,
    "map_shared": in_kernel(_map_shared),
    "shared_rank": in_kernel(_shared_rank),
    "cluster_barrier": in_kernel(_cluster_barrier),
    "cluster_index": _cluster_index,
    "in_cluster": _in_cluster,
    "dynamic_shared": _dynamic_shared,
}
