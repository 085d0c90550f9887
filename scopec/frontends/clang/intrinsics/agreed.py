"""Numbers that all lanes of a warp bring to a shuffle, as to ``__shfl_sync(~0u, threadIdx.x / 32, 0)``.

What each lane gets is known then, and so is where it goes on: by the number of its warp, as kernels with producers and
consumers have it.  A number is taken for the one that all lanes bring until another is brought, or a lane does not come
to the same instruction: then all threads are executed once more.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.frontends.clang.intrinsics.masks import lanes_in, thread_of
from scopec.program import ir
from scopec.program.values import Const, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span
    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.machine.world import World


def agreed(call: Call, brought: Value | None) -> Const | None:
    """What all lanes of a warp bring to a shuffle whenever they come to it; None where that is not one number."""
    world, state = call.machine.world, call.state
    place = (call.machine.thread, *state.frame.calls, state.frame.site())
    if isinstance(brought, Const) and type(brought.value) is int:  # no sum of indices, of which each lane has its own
        warp = int(thread_of(call) // WARP)  # so that no class of threads has those of two warps
        known = brought, call.machine.span(state)
        if place not in world.told_apart and world.agreed.setdefault((place, warp), known) == known:
            return brought
    _tell_apart(world, {place})
    return None


def _tell_apart(world: World, places: set[tuple[object, ...]]) -> None:
    world.grew |= not places <= world.told_apart and any(place in places for place, _ in world.agreed)
    world.told_apart |= places


def check_agreed(world: World, grid: str, bodies: Mapping[tuple[int, int], ir.Body]) -> None:
    """See to it that all lanes of a warp come to a shuffle of which is taken that they bring one number.

    Elsewhere a lane may exchange values with one that is at another instruction.
    """
    places: dict[tuple[int, Span, Const], set[tuple[object, ...]]] = defaultdict(set)
    for (place, warp), (brought, span) in world.agreed.items():
        if place[0] == grid:
            places[warp, span, brought].add(place)
    come: dict[tuple[int, int, tuple[int, Span, Const]], set[int]] = defaultdict(set)
    for (block, thread), body in bodies.items() if places else ():
        for node in body.nodes.values():
            operation = node.operation if isinstance(node, ir.Do) else None
            exchange = operation.exchange if isinstance(operation, ir.GroupSync) else None
            if isinstance(operation, ir.GroupSync) and exchange and isinstance(exchange.value, Const):
                key = thread // WARP, node.span, exchange.value
                if key in places:
                    come[block, operation.mask, key].add(thread % WARP)
    for (block, mask, key), lanes in come.items():
        if any(lane not in lanes and (block, key[0] * WARP + lane) in bodies for lane in lanes_in(mask)):
            _tell_apart(world, places[key])
