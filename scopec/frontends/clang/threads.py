"""All threads of a program: the host's `main`, what it launches and creates, until nothing new is found.

A run of the threads may find out something that it should have known from the start: an address that another thread
stores, a number that has to be a register.  It notes that in :class:`_Found`, of one thread in its :class:`Knowledge`,
and raises :class:`Again`.  These sets only grow, over the finite addresses, places and variables of a program, so some
run finds nothing new; after ``_MOST_RUNS`` the program is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import InputError, error
from scopec.base.records import dataclass, replace
from scopec.frontends.clang.evaluation_order.footprints import each_once
from scopec.frontends.clang.intrinsics.agreed import check_agreed
from scopec.frontends.clang.intrinsics.block_barriers import check_barrier_0, elections
from scopec.frontends.clang.intrinsics.library import called
from scopec.frontends.clang.intrinsics.stream_values import check_flushes
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.debug import Leaf
from scopec.frontends.clang.machine.argument_passing import take
from scopec.frontends.clang.machine.classes import Classes
from scopec.frontends.clang.machine.machine import Machine
from scopec.frontends.clang.machine.memory import Address, Cell, Content, Layout, Memory, Part, Private
from scopec.frontends.clang.machine.names import mentioned
from scopec.frontends.clang.machine.points_to import Written, grown
from scopec.frontends.clang.machine.refusals import refused
from scopec.frontends.clang.machine.side import Side
from scopec.frontends.clang.machine.sparse import Sparse
from scopec.frontends.clang.machine.spawned import Callback, Copy, Launch
from scopec.frontends.clang.machine.state import Again, Knowledge
from scopec.frontends.clang.machine.tensor_memory import TensorMemory
from scopec.frontends.clang.machine.untyped import Untyped
from scopec.frontends.clang.machine.world import World
from scopec.frontends.clang.ptx.parameters import parameters
from scopec.frontends.clang.read_only import check_read_only
from scopec.frontends.named_barriers import check_counts
from scopec.program import ir, types
from scopec.program.endings import ended
from scopec.program.loops.first_looks import without_first_looks
from scopec.program.merge_threads import together
from scopec.program.program import Program
from scopec.program.specialise import thread_builtins
from scopec.program.streams import with_legacy_streams
from scopec.program.truths import with_truths
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.base.source import Source, Span
    from scopec.frontends.clang.evaluation_order.footprints import Touched
    from scopec.program.thread_indices import Position

_MOST_RUNS = 200
#: From how many threads of a grid on they are not looked at one by one to find out what has to be a register.
_MANY = 64
_CONSTRUCTORS = "llvm.global_ctors"
_T = TypeVar("_T")


@dataclass
class _Found:
    """Knowledge about a program from running it before."""

    pointers: dict[Address, int] = field(default_factory=dict)
    placed: dict[Memory, range] = field(default_factory=dict)
    shared_locals: dict[tuple[str, Private], tuple[Layout, Span]] = field(default_factory=dict)
    known: dict[str, Knowledge] = field(default_factory=dict)
    aborts: set[str] = field(default_factory=set)
    distributed: set[str] = field(default_factory=set)
    halves: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    shares_barrier: set[str] = field(default_factory=set)
    tables: set[Memory] = field(default_factory=set)
    parts: dict[str, set[Part]] = field(default_factory=dict)
    untyped_bytes: Untyped = field(default_factory=Untyped)
    joined: dict[str, set[Leaf]] = field(default_factory=dict)
    not_modelled: set[str] = field(default_factory=set)
    written: Written = field(default_factory=dict)
    come_together: dict[tuple[str, int, int, str], set[int]] = field(default_factory=dict)
    elected: set[tuple[str, int, int, str]] = field(default_factory=set)
    told_apart: set[tuple[object, ...]] = field(default_factory=set)
    spread: set[str] = field(default_factory=set)
    elements: dict[str, tuple[tuple[Leaf, ...], int]] = field(default_factory=dict)
    sparse: Sparse = field(default_factory=Sparse)
    tensor: TensorMemory = field(default_factory=TensorMemory)


def program_of(
    name: str, source: Source, device: Side, host: Side, said: Mapping[str, Mapping[str, tuple[int, ...]]],
    constants: Mapping[str, int | ir.Order | ir.Scope], variant: Mapping[str, str], *, sparse: bool = True,
) -> Program:  # fmt: skip
    """The program that two sides of code are, from ``main`` on; large arrays are ``sparse``, or whole."""
    found = _Found(sparse=Sparse(all_whole=not sparse))
    for _ in range(_MOST_RUNS):
        world = World(source, device, host, said)
        world.pointers, world.shared_locals, world.aborts = found.pointers, found.shared_locals, found.aborts
        world.placed, world.joined, world.not_modelled = found.placed, found.joined, found.not_modelled
        world.tables, world.distributed = found.tables, found.distributed
        world.written, world.parts, world.untyped_bytes = found.written, found.parts, found.untyped_bytes
        world.halves, world.counted, world.shares_barrier = found.halves, found.counted, found.shares_barrier
        world.come_together, world.elected, world.told_apart = found.come_together, found.elected, found.told_apart
        world.spread, world.elements = found.spread, found.elements
        world.sparse, world.tensor = found.sparse, found.tensor
        world.tensor.begin()
        world.declare_globals()
        device.touched.clear()
        host.touched.clear()
        try:
            body = _host_thread(world, found, "main", "main")
            others = _others(world, found)
            grids = {grid: _work(world, found, grid, launch) for grid, launch in world.launches.items()}
        except Again:
            continue
        written = grown(found.written, world.bodies, world.objects)
        news = found.tensor.end()
        if found.sparse.grew(world.layouts, world.bodies) or world.grew or news or written != found.written:
            found.written = written
            continue
        if world.pointers_of_numbers and not world.placed:
            raise refused("a pointer that is made of a number is", world.pointers_of_numbers[0])
        for name_, span in world.unregistered.items():
            if name_ not in world.registered:
                help_ = "call cudaHostRegister before"
                raise error(Codes.BAD_ARGUMENTS, f"`{name_}` is not registered", span, help_)
        check_flushes(world)
        streams = with_legacy_streams((*world.created.values(), *world.streams.values()), grids.values())
        main = ir.Thread("main", ended(body, others))
        found_program = Program(
            name, source, world.objects, streams, grids, main, constants, variant, others, parameters(world),
            tuple(region.name for region in world.placed), world.bit_fields(),
            any_index=tuple(dict.fromkeys(world.any_index)),
            runs=tuple(world.untyped_bytes.runs(world.layouts.values())),
        )  # fmt: skip
        return with_truths(found_program)
    raise error(Codes.TOO_LARGE, "what pointers may point to does not come to an end", source.span(0, 0))


def _run(found: _Found, thread: str, machine: Callable[[Knowledge], _T]) -> _T:
    """Run a thread until its numbers that have to be registers are."""
    known = found.known.setdefault(thread, Knowledge())
    while True:
        before = len(known)
        try:
            return machine(known)
        except Again:
            if len(known) == before:
                raise  # it is about memory, which other threads have too


def _host_thread(
    world: World, found: _Found, thread: str, function: str, arguments: tuple[Content, ...] = (),
    cells: Mapping[tuple[Private, int], Cell] = MappingProxyType({}), passed: Iterable[str] = (),
) -> ir.Body:  # fmt: skip
    code = world.host.function(function)
    if code is None:
        raise _nothing_runs(world)
    machine = Machine(world, world.host, thread, {}, found.known.setdefault(thread, Knowledge()), called)
    take(machine, passed)
    first = _initialisers(world) if thread == "main" else ()
    body = machine.run(code, arguments or _main_arguments(code), dict(cells), first)
    world.host.touched.append(each_once(machine.touched))
    world.bodies.append(body)
    return body


def _nothing_runs(world: World) -> InputError:
    """The error for a file without `main`, or a directive that launches something."""
    kernels = [world.device.function(name) for name in world.device.module.kernels()]
    first = next((kernel for kernel in kernels if kernel is not None and kernel.subprogram is not None), None)
    if first is None or first.subprogram is None:
        return error(Codes.NOTHING_TO_CHECK, "the file has neither a kernel nor a main", world.source.span(0, 0))
    name, place = world.device.debug.function_name(first.subprogram), world.device.debug.declared(first.subprogram)
    help_ = f"write `int main()`, or `//@ launch {name}<<<1, 1>>>();`"
    return error(Codes.NOT_LAUNCHED, f"the kernel `{name}` is never launched", world.span(place), help_)


def _initialisers(world: World) -> tuple[llvm.Function, ...]:
    """The functions that initialise global variables before ``main``, in its order ([basic.start.dynamic])."""
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
    """The work of a stream."""
    one = ir.Dim()
    match launch:
        case Launch():
            return _grid(world, found, name, launch)
        case Copy(kind, body, span, stream):
            world.bodies.append(body)
            return ir.Grid(name, kind, span, one, one, stream, body, stream.device, work=ir.Work.COPY, node=launch.node)
        case Callback(function, argument, span, stream, kind, passed):
            body = _host_thread(world, found, name, function, (argument,), passed=passed)
            work = ir.Work.HOST_FUNCTION
            return ir.Grid(name, kind, span, one, one, stream, body, stream.device, work=work, node=launch.node)


def _threads_done(
    world: World, found: _Found, grid: str, launch: Launch, threads: Mapping[Position, Mapping[str, int]]
) -> Iterator[tuple[Position, tuple[ir.Body, Touched]]]:
    """Each thread of a grid with its graph and the footprints of its instructions."""
    run = partial(_device_thread, world, grid, launch)
    if len(threads) <= _MANY:
        for (block, lane), builtins in threads.items():
            body, touched = _run(found, f"{grid}[{block}][{lane}]", partial(run, builtins))
            yield (block, lane), (body, each_once(touched))
        return
    # Of many threads one learns for all which numbers have to be registers, and what those of a class do.
    classes = Classes(list(threads.values()), launch.blocks.count)
    knowledge = found.known.setdefault(grid, Knowledge())

    def known() -> tuple[int, ...]:
        return len(knowledge), len(world.pointers), len(world.placed)

    def in_class(builtins: Mapping[str, int], knowledge: Knowledge) -> tuple[ir.Body, Touched]:
        return classes.run(builtins, known, lambda tracked: run(tracked, knowledge))

    for place, builtins in threads.items():
        yield place, classes.of(builtins, known()) or _run(found, grid, partial(in_class, builtins))


def _device_thread(
    world: World, grid: str, launch: Launch, builtins: Mapping[str, int], known: Knowledge
) -> tuple[ir.Body, Touched]:
    """The graph of a thread of a grid, and the footprints of its instructions."""
    machine = Machine(world, world.device, grid, builtins, known, called, launch.stream.device)
    machine.last = launch.span  # where its parameters get their values
    take(machine, launch.passed)
    body = machine.run(launch.function, launch.arguments, dict(launch.cells))
    return without_first_looks(body, partial(mentioned, world.source.text)), machine.touched


def _grid(world: World, found: _Found, name: str, launch: Launch) -> ir.Grid:
    bare = ir.Grid(
        name, launch.kernel, launch.span, launch.blocks, launch.threads, launch.stream, ir.Body(0, {}, {}),
        launch.stream.device, launch.cluster, launch.cooperative, launch.domain, apart=True, dependent=launch.dependent,
        node=launch.node, events=launch.events, awaits=launch.awaits,
    )  # fmt: skip
    world.declare_shared(launch.function, name)
    places = [(block, lane) for block in range(launch.blocks.count) for lane in range(launch.threads.count)]
    threads = {place: thread_builtins(bare, *place) for place in places}
    done = dict(_threads_done(world, found, name, launch, threads))
    bodies = {place: body for place, (body, _) in done.items()}
    world.device.touched.extend(touched for _, touched in done.values())
    world.bodies += bodies.values()
    if elections(world, name, bodies):
        raise Again
    check_agreed(world, name, bodies)
    check_barrier_0(world, name, bodies)
    check_read_only(bodies, world.read_only.get(name, set()))
    check_counts((f"{name}[{block}]", body) for (block, _), body in bodies.items())
    return replace(bare, body=together(bare, bodies))
