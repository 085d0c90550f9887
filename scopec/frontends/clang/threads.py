"""All threads of a program: the host's `main`, what it launches and creates, until nothing new is found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang import llvm
from scopec.frontends.clang.library import called
from scopec.frontends.clang.machine import Machine
from scopec.frontends.clang.memory import Address, Cell, Content, Layout, Memory, Private
from scopec.frontends.clang.passing import take
from scopec.frontends.clang.state import Again, Knowledge
from scopec.frontends.clang.work import Callback, Copy, Launch
from scopec.frontends.clang.world import Side, World
from scopec.frontends.named_barriers import check_counts
from scopec.program import ir, types, values
from scopec.program.endings import ended
from scopec.program.program import Program
from scopec.program.specialise import thread_builtins
from scopec.program.streams import with_legacy_streams
from scopec.program.values import Builtin, Const, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Source, Span

_MOST_RUNS = 200
_CONSTRUCTORS = "llvm.global_ctors"
_T = TypeVar("_T")


@dataclass
class _Found:
    """What is known about a program from running it before."""

    pointers: dict[Address, int] = field(default_factory=dict)
    shared_locals: dict[tuple[str, Private], tuple[Layout, Span]] = field(default_factory=dict)
    known: dict[str, Knowledge] = field(default_factory=dict)
    aborts: set[str] = field(default_factory=set)
    tables: set[Memory] = field(default_factory=set)


def program_of(
    name: str, source: Source, device: Side, host: Side, said: Mapping[str, Mapping[str, tuple[int, ...]]],
    constants: Mapping[str, int | ir.Order | ir.Scope], variant: Mapping[str, str],
) -> Program:  # fmt: skip
    """The program that two sides of code are, from ``main`` on."""
    found = _Found()
    for _ in range(_MOST_RUNS):
        world = World(source, device, host, said)
        world.pointers, world.shared_locals, world.aborts = found.pointers, found.shared_locals, found.aborts
        world.tables = found.tables
        world.declare_globals()
        device.touched.clear()
        host.touched.clear()
        try:
            body = _host_thread(world, found, "main", "main")
            others = _others(world, found)
            grids = {grid: _work(world, found, grid, launch) for grid, launch in world.launches.items()}
        except Again:
            continue
        if world.grew:
            continue
        streams = with_legacy_streams((*world.created.values(), *world.streams.values()), grids.values())
        main = ir.Thread("main", ended(body, others))
        return Program(name, source, world.objects, streams, grids, main, constants, variant, others)
    raise error(Codes.TOO_LARGE, "what pointers may point to does not come to an end", source.span(0, 0))


def _run(found: _Found, thread: str, machine: Callable[[Knowledge], _T]) -> _T:
    """Run a thread until its numbers that have to be registers are."""
    known = found.known.setdefault(thread, Knowledge())
    while True:
        before = sum(map(len, known.registers.values()))
        try:
            return machine(known)
        except Again:
            if sum(map(len, known.registers.values())) == before:
                raise  # it is about memory, which other threads have too


def _host_thread(
    world: World, found: _Found, thread: str, function: str, arguments: tuple[Content, ...] = (),
    cells: Mapping[tuple[Private, int], Cell] = MappingProxyType({}), passed: Iterable[str] = (),
) -> ir.Body:  # fmt: skip
    code = world.host.function(function)
    if code is None:
        raise error(Codes.NOT_LAUNCHED, "the file has no `main`", world.source.span(0, 0))

    machine = Machine(world, world.host, thread, {}, found.known.setdefault(thread, Knowledge()), called)
    take(machine, passed)
    first = _initialisers(world) if thread == "main" else ()
    body = machine.run(code, arguments or _main_arguments(code), dict(cells), first)
    world.host.touched.append(machine.touched)
    return body


def _initialisers(world: World) -> tuple[llvm.Function, ...]:
    """What initialises global variables before ``main``, in its order ([basic.start.dynamic])."""
    module = world.host.module
    if _CONSTRUCTORS not in module.variables:
        return ()
    listed = module.variable(_CONSTRUCTORS).initial
    assert isinstance(listed, llvm.Aggregate)
    found = []
    for entry in listed.items:
        assert isinstance(entry.operand, llvm.Aggregate)
        named = entry.operand.items[1].operand
        function = world.host.function(named.name) if isinstance(named, llvm.Global) else None
        if function is not None:
            found.append(function)
    return tuple(found)


def _main_arguments(main: llvm.Function) -> tuple[Content, ...]:
    given = (Const(1, types.INT), Address(Private((), "%arguments")))
    return given[: len(main.parameters)]


def _others(world: World, found: _Found) -> tuple[ir.Thread, ...]:
    done: dict[str, ir.Thread] = {}
    while left := [name for name in world.threads if name not in done]:
        started = world.threads[left[0]]
        body = _host_thread(world, found, left[0], started.function, (started.argument,), started.cells, started.passed)
        done[left[0]] = ir.Thread(left[0], body)
    return tuple(done[name] for name in world.threads)


def _work(world: World, found: _Found, name: str, launch: Launch | Copy | Callback) -> ir.Grid:
    """What a stream executes."""
    one = ir.Dim()
    match launch:
        case Launch():
            return _grid(world, found, name, launch)
        case Copy(kind, body, span, stream):
            return ir.Grid(name, kind, span, one, one, stream, body, stream.device, work=ir.Work.COPY)
        case Callback(function, argument, span, stream, kind, passed):
            body = _host_thread(world, found, name, function, (argument,), passed=passed)
            return ir.Grid(name, kind, span, one, one, stream, body, stream.device, work=ir.Work.HOST_FUNCTION)


def _grid(world: World, found: _Found, name: str, launch: Launch) -> ir.Grid:
    bare = ir.Grid(
        name, launch.kernel, launch.span, launch.blocks, launch.threads, launch.stream, ir.Body(0, {}, {}),
        launch.stream.device, launch.cluster, launch.cooperative, launch.domain, apart=True,
    )  # fmt: skip
    bodies: dict[tuple[int, int], ir.Body] = {}
    for block in range(launch.blocks.count):
        for lane in range(launch.threads.count):
            builtins = thread_builtins(bare, block, lane)

            def run(known: Knowledge, builtins: Mapping[str, int] = builtins) -> ir.Body:
                machine = Machine(world, world.device, name, builtins, known, called, launch.stream.device)
                machine.last = launch.span  # where its parameters get their values
                take(machine, launch.passed)
                body = machine.run(launch.function, launch.arguments, dict(launch.cells))
                world.device.touched.append(machine.touched)
                return body

            bodies[block, lane] = _run(found, f"{name}[{block}][{lane}]", run)
    check_counts((f"{name}[{block}]", body) for (block, _), body in bodies.items())
    body = _together(bare, bodies)
    return replace(bare, body=body)


def _together(grid: ir.Grid, bodies: Mapping[tuple[int, int], ir.Body]) -> ir.Body:
    """One graph for all threads: a branch on their indices, then what they have in common is there once."""
    groups: dict[tuple[object, ...], list[tuple[int, int]]] = {}
    for position, body in bodies.items():
        key = (body.entry, tuple(sorted(body.nodes.items(), key=lambda item: item[0])), tuple(body.variables.items()))
        groups.setdefault(key, []).append(position)
    nodes: dict[int, ir.Node] = {}
    variables: dict[str, types.IntType] = {}
    ambiguous: frozenset[str] = frozenset()
    entries: list[tuple[list[tuple[int, int]], int]] = []
    for members in groups.values():
        body = bodies[members[0]]
        shift = max(nodes, default=-1) + 1
        nodes |= {number + shift: _shifted(node, shift) for number, node in body.nodes.items()}
        variables |= body.variables
        ambiguous |= body.ambiguous
        entries.append((members, body.entry + shift))
    starts = sorted((position, start) for members, start in entries for position in members)
    entry = _chosen(grid, starts, nodes)
    return ir.Body(entry, nodes, variables, ambiguous)


def _shifted(node: ir.Node, shift: int) -> ir.Node:
    match node:
        case ir.Do(operation, span, following):
            return ir.Do(operation, span, following + shift)
        case ir.Branch(condition, span, then, otherwise):
            return ir.Branch(condition, span, then + shift, otherwise + shift)
        case ir.Exit():
            return node


def _chosen(grid: ir.Grid, starts: Sequence[tuple[tuple[int, int], int]], nodes: dict[int, ir.Node]) -> int:
    """Where a thread begins, by its position: a tree of branches, whose nodes are added."""
    if len({start for _, start in starts}) == 1:
        return starts[0][1]
    half = len(starts) // 2
    (block, lane), _ = starts[half]
    lower, upper = (_chosen(grid, part, nodes) for part in (starts[:half], starts[half:]))
    here, there = _linear(grid.blocks, "blockIdx"), _linear(grid.threads, "threadIdx")
    same = values.binary("==", here, Const(block, types.UINT))
    before = values.binary("<", there, Const(lane, types.UINT))
    earlier = values.binary("<", here, Const(block, types.UINT))
    number = max(nodes) + 1
    condition = values.binary("||", earlier, values.binary("&&", same, before))
    nodes[number] = ir.Branch(condition, grid.span, lower, upper)
    return number


def _linear(extent: ir.Dim, name: str) -> Value:
    """The linear index of a thread or block, x fastest."""
    result: Value = Const(0, types.UINT)
    for axis, factor in (("x", 1), ("y", extent.x), ("z", extent.x * extent.y)):
        if getattr(extent, axis) > 1:
            one: Value = Builtin(f"{name}.{axis}", types.UINT)
            if factor > 1:
                one = values.binary("*", one, Const(factor, types.UINT))
            result = one if result == Const(0, types.UINT) else values.binary("+", result, one)
    return result
