"""Numbers that all lanes of a warp bring to a shuffle, as to ``__shfl_sync(~0u, threadIdx.x / 32, 0)``.

What each lane gets is known then, and so is where it goes on: by the number of its warp, as kernels with producers and
consumers have it.  A number is taken for the one that all lanes bring until another is brought, or lanes do not come to
the same instructions in one order: then all threads are executed once more.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from scopec.frontends.clang.intrinsics.masks import lanes_in, thread_of
from scopec.program import ir
from scopec.program.values import Const, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.source import Span
    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.machine.world import World

    #: Where a shuffle is, and the number that a thread brings, if it is one.
    _Shuffle: TypeAlias = tuple[Span, Const | None]


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
    """See to it that all lanes of a warp come to the same shuffles, in one order, where a number is taken for theirs.

    Elsewhere a lane may exchange values with one that is at another instruction.
    """
    places: dict[int, set[tuple[object, ...]]] = defaultdict(set)
    for place, warp in world.agreed:
        if place[0] == grid:
            places[warp].add(place)
    come: dict[tuple[int, int, int], dict[int, list[_Shuffle]]] = defaultdict(lambda: defaultdict(list))
    for (block, thread), body in bodies.items():
        if thread // WARP in places:
            for mask, shuffle in _shuffles(body):
                come[block, thread // WARP, mask][thread % WARP].append(shuffle)
    for (block, warp, mask), lanes in come.items():
        there = [lane for lane in lanes_in(mask) if (block, warp * WARP + lane) in bodies]
        if len({tuple(lanes[lane]) for lane in there}) > 1:
            _tell_apart(world, places[warp])


def _shuffles(body: ir.Body) -> Iterator[tuple[int, _Shuffle]]:
    """The shuffles of a thread with their masks, each once, as they follow each other in its graph."""
    found: dict[tuple[int, _Shuffle], None] = {}
    seen, work = set[int](), [body.entry]
    while work:
        number = work.pop()
        if number in seen:
            continue
        seen.add(number)
        node = body.nodes[number]
        operation = node.operation if isinstance(node, ir.Do) else None
        if isinstance(operation, ir.GroupSync) and operation.exchange:
            value = operation.exchange.value
            found[operation.mask, (node.span, value if isinstance(value, Const) else None)] = None
        work += reversed(ir.successors(node))
    yield from found
