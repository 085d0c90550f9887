"""From a grid's shared body to the graph of each of its threads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scopec.base.graphs import components, reached
from scopec.base.records import replace
from scopec.program.effects import map_values, overwritten, values_of
from scopec.program.ir import (
    Assert,
    Body,
    Branch,
    Dim,
    Do,
    Exit,
    Grid,
    Node,
    Set,
    Thread,
    successors,
)
from scopec.program.values import Builtin, Const, Given, Value, leaves, substitute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def device_threads(grid: Grid) -> Iterator[Thread]:
    """The threads of a grid that do something, by block and lane.

    A thread whose graph has no operation but its own register arithmetic adds nothing to either question (language
    note: inactive threads cost nothing), so it is left out; one that may loop for ever is kept.
    """
    for block in range(grid.blocks.count):
        for lane in range(grid.threads.count):
            thread = device_thread(grid, block, lane)
            if not _idle(thread.body):
                yield thread


def device_thread(grid: Grid, block: int, lane: int) -> Thread:
    """One thread of a grid, whether it does something or not."""
    builtins = thread_builtins(grid, block, lane)
    name = f"{grid.name}[{block}][{lane}]"
    body = specialise(grid.body, builtins, grid.given)
    cluster = None if grid.cluster is None else cluster_name(grid.name, grid.blocks, grid.cluster, block)
    return Thread(name, body, grid.name, block, lane, grid.device, builtins, None, cluster, grid.domain, grid.work)


def cluster_name(grid: str, blocks: Dim, cluster: Dim | None, block: int) -> str:
    """The name of the cluster of a block of a grid."""
    return f"{grid}.c{cluster_index(blocks, cluster, block)}"


def cluster_barrier(grid: str, blocks: Dim, cluster: Dim | None, block: int) -> str:
    """The object that is the barrier of the cluster that a block of a grid is in, where it is in memory."""
    return f"{cluster_name(grid, blocks, cluster, block)}.barrier"


def cluster_index(blocks: Dim, cluster: Dim | None, block: int) -> int:
    """The linear index of the thread block cluster that a block is in."""
    at, extent = blocks.position(block), cluster or Dim()
    return at.x // extent.x + blocks.x // extent.x * (at.y // extent.y + blocks.y // extent.y * (at.z // extent.z))


def cluster_blocks(grid: Dim, cluster: Dim, block: int) -> tuple[int, ...]:
    """The linear indices of the blocks in the cluster that a block is in, by their ranks."""
    at = grid.position(block)
    first = Dim(at.x // cluster.x * cluster.x, at.y // cluster.y * cluster.y, at.z // cluster.z * cluster.z)
    inside = (cluster.position(rank) for rank in range(cluster.count))
    return tuple(((first.z + i.z) * grid.y + first.y + i.y) * grid.x + first.x + i.x for i in inside)


def thread_builtins(grid: Grid, block: int, lane: int) -> dict[str, int]:
    """The values of threadIdx, blockIdx, blockDim and gridDim, by component (``threadIdx.x``)."""
    values: dict[str, int] = {}
    for name, dim in (
        ("threadIdx", grid.threads.position(lane)),
        ("blockIdx", grid.blocks.position(block)),
        ("blockDim", grid.threads),
        ("gridDim", grid.blocks),
    ):
        values |= {f"{name}.x": dim.x, f"{name}.y": dim.y, f"{name}.z": dim.z}
    if grid.cluster is not None:
        at, extent = grid.blocks.position(block), grid.cluster
        inside = (at.z % extent.z * extent.y + at.y % extent.y) * extent.x + at.x % extent.x
        values |= {"clusterRank": inside, "clusterSize": extent.count}
    else:
        values |= {"clusterRank": 0, "clusterSize": 1}
    return values


def _idle(body: Body) -> bool:
    """Whether a thread ends without an operation other than register arithmetic."""
    node, seen = body.entry, set()
    while node not in seen:
        seen.add(node)
        match body.nodes[node]:
            case Do(Set(), _, following):
                node = following
            case Exit():
                return True
            case _:
                return False
    return False


def specialise(body: Body, builtins: Mapping[str, int], given: Given | None = None) -> Body:
    """The graph with builtins replaced by a thread's values, decided branches taken, and checks gone that hold.

    ``given`` knows its values for other threads.
    """
    given = given or Given()
    nodes = decided(_reached(body, (lambda node: _folded(node, given, builtins)) if builtins else None), body.entry)

    def target(number: int) -> int:
        seen = set()
        while number not in seen:
            seen.add(number)
            match nodes[number]:
                case Branch(Const(holds), _, then, otherwise):
                    number = then if holds else otherwise
                case Do(Assert(Const(1), _, True), _, following):
                    number = following
                case _:
                    break
        return number

    redirected = {number: redirect(node, target) for number, node in nodes.items()}
    entry = target(body.entry)
    left = reached(entry, lambda number: successors(redirected[number]))
    return replace(body, entry=entry, nodes={n: redirected[n] for n in sorted(left)})


def _folded(node: Node, given: Given, builtins: Mapping[str, int]) -> Node:
    """The node with these builtins replaced: one for all threads that do not differ in those that it mentions."""
    if id(node) not in given.mentioned:  # kept, so that no other node gets its id
        found = dict.fromkeys(leaf.name for value in values_of(node) for leaf in leaves(value) if _is_builtin(leaf))
        given.mentioned[id(node)] = node, tuple(found)
    key = id(node), *map(builtins.get, given.mentioned[id(node)][1])
    made: Node | None = given.nodes.get(key)
    if made is None:
        made = given.nodes[key] = map_values(node, partial(given, builtins=builtins))
    return made


def _is_builtin(leaf: Value) -> bool:
    return isinstance(leaf, Builtin)


def _reached(body: Body, fold: Callable[[Node], Node] | None) -> dict[int, Node]:
    """The nodes that a thread may come to, with their values folded; a branch that is decided has one way."""
    nodes: dict[int, Node] = {}
    work = [body.entry]
    while work:
        number = work.pop()
        if number in nodes:
            continue
        node = body.nodes[number] if fold is None else fold(body.nodes[number])
        if isinstance(node, Branch) and isinstance(node.condition, Const):
            taken = node.then if node.condition.value else node.otherwise
            node = replace(node, then=taken, otherwise=taken)
        nodes[number] = node
        work += successors(node)
    return nodes


def decided(nodes: Mapping[int, Node], entry: int) -> dict[int, Node]:
    """The nodes with the branches decided whose conditions depend on registers of one known value (`i < n`).

    Conditional constant propagation (Wegman and Zadeck, 1991).  A branch that leaves a loop stays: without it the loop
    would be one that its text says never ends.
    """
    known: dict[int, dict[str, Const]] = {entry: {}}
    conditions: dict[int, Value] = {}
    work = [entry]
    while work:
        number = work.pop()
        node, held = nodes[number], known[number]
        following: tuple[int, ...] = successors(node)
        if isinstance(node, Branch):
            condition = conditions[number] = substitute(node.condition, lambda leaf: held.get(leaf.name, leaf))  # noqa: B023
            if isinstance(condition, Const):
                following = (node.then if condition.value else node.otherwise,)
        else:
            held = _after(node, held)
        for each in following:
            before = known.get(each)
            joined = held if before is None else {r: v for r, v in before.items() if held.get(r) == v}
            if joined != before:
                known[each] = joined
                work.append(each)
    loop = {n: i for i, part in enumerate(components([entry], lambda n: successors(nodes[n]))) for n in part}
    result = dict(nodes)
    for number, condition in conditions.items():
        node = nodes[number]
        if isinstance(node, Branch) and isinstance(condition, Const):
            around = [n for n in (node.then, node.otherwise) if loop[n] == loop[number]]
            if len(around) != 1:
                result[number] = replace(node, condition=condition)
    return result


def _after(node: Node, held: dict[str, Const]) -> dict[str, Const]:
    """The registers of one known value after an operation, by those before it."""
    if not isinstance(node, Do):
        return held
    if isinstance(node.operation, Set):
        value = substitute(node.operation.value, lambda leaf: held.get(leaf.name, leaf))
        if isinstance(value, Const):
            return {**held, node.operation.target: value}
    lost = overwritten(node.operation)
    return {register: value for register, value in held.items() if register not in lost} if lost else held


def redirect(node: Node, target: Callable[[int], int]) -> Node:
    """A node that goes on where ``target`` says instead."""
    match node:
        case Do(operation, span, following):
            there = target(following)
            return node if there == following else Do(operation, span, there)
        case Branch(Const() as decided, span, then, otherwise):  # an endless loop
            taken = target(then if decided.value else otherwise)
            return Branch(decided, span, taken, taken)
        case Branch(condition, span, then, otherwise):
            return Branch(condition, span, target(then), target(otherwise))
        case Exit():
            return node
