"""The lifetime of a block's shared memory, for accesses from other blocks, and of asynchronous copies.

"Accessing data in distributed shared memory requires all the thread blocks to exist", and its users have "to ensure
that all distributed shared memory operations happen before the exit of a thread block" (CUDA C++ Programming Guide,
"Distributed Shared Memory").  The memory of each such block is an object that a thread of its own, which is none of the
program's, writes before the block's first event and after its threads have ended.  An access from another block reads
it: one that is too early or too late is a race.

So does an asynchronous copy of a thread of the block, which may be made after all its threads have ended unless one of
them has waited for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir, types, values
from scopec.program.effects import place_of
from scopec.program.values import Builtin, Const, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.program.program import Program

_MEMORY = ".shared memory"
_REGISTER = "%lasting"
#: Groups of what accesses no shared memory: tensor memory is deallocated before the block ends.
_OF_REGISTERS = (ir.CopyGroups.TENSOR_LOAD, ir.CopyGroups.TENSOR_STORE)


def lasting(program: Program) -> Program:
    """The program with these objects, threads and reads, where others or copies access shared memory."""
    owners = {o.name: o.name.partition("]")[0] + "]" for o in program.objects.values() if _has_owner(o)}
    copying = [grid for grid in program.grids.values() if _copies(program, grid)]
    blocks = {f"{grid.name}[{number}]": None for grid in copying for number in range(grid.blocks.count)}
    if not owners and not blocks:
        return program
    objects, threads = dict(program.objects), []
    for block in {**dict.fromkeys(owners.values()), **blocks}:
        grid = program.grids[block.rpartition("[")[0]]
        name = block + _MEMORY
        objects[name] = ir.Object(
            name, grid.span, types.INT, ir.Storage.SHARED, (0,), use=ir.Use.PASSED, device=grid.device
        )
        begins, ends = (ir.Store(_place(block), Const(n, types.INT), ir.PLAIN) for n in (1, 2))
        ended = (ir.JoinThread(thread.name) for thread in program.threads if thread.block_name == block)
        does: tuple[ir.Operation, ...] = (begins, *ended, ends)
        nodes: dict[int, ir.Node] = {n: ir.Do(operation, grid.span, n + 1) for n, operation in enumerate(does)}
        body = ir.Body(0, {**nodes, len(does): ir.Exit(grid.span)}, {})
        threads.append(ir.Thread(name, body, device=grid.device, unit=name))
    grids = {name: replace(grid, body=_reading(grid, owners)) for name, grid in program.grids.items()}
    grids |= {grid.name: replace(grid, body=_in_copies(grid, grids[grid.name].body)) for grid in copying}
    return replace(program, objects=objects, grids=grids, others=(*program.others, *threads))


def kept(thread: ir.Thread) -> str | None:
    """The block whose shared memory a thread begins and ends, None for one of the program's."""
    return thread.name.removesuffix(_MEMORY) if thread.unit == thread.name and thread.name.endswith(_MEMORY) else None


def _has_owner(object_: ir.Object) -> bool:
    return object_.storage is ir.Storage.SHARED and object_.device is not None and "]." in object_.name


def _place(block: str) -> ir.Place:
    return ir.Place(block + _MEMORY, Const(0, types.INT))


def _reading(grid: ir.Grid, owners: Mapping[str, str]) -> ir.Body:
    """The body with a read of a block's memory before each access from another block."""
    nodes = dict(grid.body.nodes)
    for number, node in grid.body.nodes.items():
        place = place_of(node.operation) if isinstance(node, ir.Do) else None
        if place is None or place.object not in owners:
            continue
        block, load = owners[place.object], max(nodes) + 1
        access = load + 1
        nodes[access] = node
        nodes[load] = ir.Do(ir.Load(_REGISTER, _place(block), ir.PLAIN), node.span, access)
        nodes[number] = ir.Branch(_inside(grid, block), node.span, access, load)
    return replace(grid.body, nodes=nodes)


def _copies(program: Program, grid: ir.Grid) -> bool:
    """Whether threads of a grid copy to or from shared memory asynchronously."""
    operations = [node.operation for node in grid.body.nodes.values() if isinstance(node, ir.Do)]
    places = (place_of(operation) for operation in operations)
    shared = any(p is not None and program.objects[p.object].storage is ir.Storage.SHARED for p in places)
    return shared and any(isinstance(operation, ir.Agent) for operation in operations)


def _in_copies(grid: ir.Grid, body: ir.Body) -> ir.Body:
    """The body with a read of the memory of the thread's own block at the beginning of each copy."""
    nodes = dict(body.nodes)
    for number, node in body.nodes.items():
        if not (isinstance(node, ir.Do) and isinstance(node.operation, ir.Agent) and node.operation.begins):
            continue
        if node.operation.groups in _OF_REGISTERS:
            continue
        following = node.next
        for at in range(grid.blocks.count):
            block, load = f"{grid.name}[{at}]", max(nodes) + 1
            nodes[load] = ir.Do(ir.Load(_REGISTER, _place(block), ir.PLAIN), node.span, node.next)
            nodes[load + 1] = ir.Branch(_inside(grid, block), node.span, load, following)
            following = load + 1
        nodes[number] = replace(node, next=following)
    return replace(body, nodes=nodes)


def _inside(grid: ir.Grid, block: str) -> Value:
    """Whether a thread is in a block, maybe of another grid."""
    name, _, index = block.removesuffix("]").rpartition("[")
    if name != grid.name:
        return values.FALSE
    at = grid.blocks.position(int(index))
    whole: Value = values.TRUE
    for axis, position in (("x", at.x), ("y", at.y), ("z", at.z)):
        here = values.binary("==", Builtin(f"blockIdx.{axis}", types.UINT), Const(position, types.UINT))
        whole = values.binary("&&", whole, here)
    return whole
