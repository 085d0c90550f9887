"""The memory that pageable host memory is copied to on its way to a device.

A copy that is not asynchronous stages it before it returns.  Of an asynchronous one nothing says when it reads it: "If
pageable memory must first be staged to pinned memory, the driver may synchronize with the stream and stage the copy
into pinned memory" (CUDA runtime API, "API synchronization behavior").  It need not synchronize, and an H200 reads the
memory during the call, or during the launch of a graph, whatever comes before the copy.  So the staging is work of a
stream of its own, which the stream of the copy waits for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.frontends.clang.machine.spawned import Copy
from scopec.program import ir
from scopec.program.builder import Builder
from scopec.program.transfers import STAGING
from scopec.program.values import Reg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.base.source import Span
    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.llvm.debug import Leaf


def buffer(call: Call, name: str, sources: Sequence[tuple[ir.Place, Leaf]], span: Span) -> list[tuple[ir.Place, Leaf]]:
    """The memory of a copy, by its name, that numbers in a pageable buffer are staged in."""
    made, world = [], call.machine.world
    for position, (_, leaf) in enumerate(sources):
        own = f"{name}.staged" if len(sources) == 1 else f"{name}.staged#{position + 1}"
        made.append((world.passed(own, leaf.type, span), replace(leaf, path="", offset=0, extents=())))
    return made


def staged(call: Call, name: str, copy: Copy) -> Copy:
    """Issue the staging of what a copy reads, and make that the source of the copy."""
    world, span, own = call.machine.world, call.machine.span(call.state), f"{name}{STAGING}"
    alone = world.created.setdefault((STAGING, own), ir.Stream(own, "non-blocking", copy.stream.device))
    buffered = [place for place, _ in buffer(call, name, copy.pageable, span)]
    builder, sources = Builder(), [place for place, _ in copy.pageable]
    for position, (to, (source, leaf)) in enumerate(zip(buffered, copy.pageable, strict=True)):
        register = Reg(f"%{position + 1}", leaf.type)
        builder.emit(ir.Load(register.name, source, ir.PLAIN), copy.span)
        builder.emit(ir.Store(to, register, ir.PLAIN), copy.span)
    builder.end(copy.span)
    world.launches[own] = Copy(
        f"cudaMemcpy{STAGING}", builder.finish({}, frozenset()), copy.span, alone, node=copy.node
    )
    call.emit(ir.LaunchGrid(own))
    call.emit(ir.EventRecord(own, alone.name))
    call.emit(ir.EventWait(own, copy.stream.name))
    instead = dict(zip(sources, buffered, strict=True))

    def read(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.Load):
            return replace(node, operation=replace(node.operation, place=instead[node.operation.place]))
        return node

    return replace(copy, body=replace(copy.body, nodes={n: read(node) for n, node in copy.body.nodes.items()}))
