"""A program as a test of the harness: its threads as roles with their places, its locations, what is observed."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.gpu.asynchronous import is_asynchronous, left_open, of_cluster, tokens
from scopec.gpu.code import function
from scopec.gpu.layout import Memory, home, packed
from scopec.gpu.printer import MEETING, Launches, refuse
from scopec.memory.given.ptx import compiled
from scopec.program import ir
from scopec.program.observe import FinalMemory, FinalRegister, Location, Observation, instance
from scopec.program.show import words
from scopec.program.types import ULONG
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.program.program import Program
    from scopec.program.types import IntType

#: The most blocks of a cluster that each GPU with clusters can place (CUDA C++ Programming Guide, "Thread Block
#: Clusters").
_MOST_IN_A_CLUSTER = 8
#: The value of a register that nothing was written to: no program computes it.
UNSET = 0x7FF7_5C0E_DEAD_BEEF
_STORAGES = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.SHARED, ir.Storage.AUTOMATIC)
_HOST_MEMORY = {ir.Storage.MAPPED, ir.Storage.SYSTEM}
#: Calls of host threads if they are played, and if they are not.
_CALLS = (
    ir.ApiCall, ir.LaunchGrid, ir.DeviceSynchronize, ir.StreamSynchronize, ir.EndProcess, ir.CreateThread, ir.JoinThread
)  # fmt: skip
_HOST_CALLS = (
    ir.ApiCall,
    ir.LaunchGrid,
    ir.DeviceSynchronize,
    ir.StreamSynchronize,
    ir.EndProcess,
    ir.InputOutput,
    ir.Lifetime,
    ir.Set,
)


@dataclass(frozen=True)
class Test:
    """A program as the harness runs it, many instances at once.

    ``blocks`` gives for each thread block of the program its warps, each the names of its threads.  Blocks of a device
    are beside each other, ``first`` has the first of each, and so are those of a cluster, which has ``cluster`` blocks.
    The last ``hosts`` of the threads are the host's, and
    what they use is ``managed`` memory, or mapped.  ``functions`` has the function of each thread.  A result is
    words: how each thread ended, then the ``observed`` locals, then every location; of memory that is packed, its
    words.  Locations that are ``hidden`` have no final value that is the program's.  ``faults`` are the assertions that
    may fail, in the order of their numbers.
    """

    name: str
    roles: tuple[str, ...]
    blocks: tuple[tuple[tuple[str, ...], ...], ...]
    functions: tuple[str, ...]
    locals: tuple[FinalRegister, ...]
    memory: Memory
    types: tuple[IntType, ...]
    initial: tuple[int, ...]
    faults: tuple[ir.Assert, ...]
    block_names: tuple[str, ...]
    cluster: int
    first: tuple[int, ...]
    hosts: int
    managed: bool
    hidden: frozenset[Location] = frozenset()

    @property
    def warps(self) -> int:
        """The warps of a thread block, as many in each."""
        return max(map(len, self.blocks))

    @property
    def lanes(self) -> int:
        """The number of lanes of one instance in a warp: a power of two, as many in each warp.

        With loops it has all: a thread that waits then keeps none but its own instance's from going on; and where
        threads are counted, or copies want addresses that are aligned.
        """
        if self.memory.packed:
            return WARP
        counted = r"--left|p\.begins|p\.vote|barrier\.cta\.(arrive|sync %0, \d)"
        if any(re.search(counted, text) for text in self.functions):
            return WARP
        most = max(len(warp) for block in self.blocks for warp in block)
        return 1 << (most - 1).bit_length()

    @property
    def barriers(self) -> bool:
        """Whether threads wait for others at a barrier, which does not wait for who has exited."""
        return self.memory.packed or any(
            word in text for text in self.functions for word in ("barrier.c", "p.vote", "__syncwarp", "_sync(all")
        )

    @cached_property
    def observed(self) -> tuple[Observation, ...]:
        """The meanings of what is found in a result."""
        return (*self.locals, *(FinalMemory(at) for at in (*self.memory.anywhere, *self.memory.shared)))

    @cached_property
    def words(self) -> int:
        """The words of a result."""
        return len(self.roles) + len(self.locals) + self.memory.words[0] + len(self.shared_of)

    def shows(self, what: Observation) -> bool:
        """Whether a result says what becomes of this."""
        if isinstance(what, FinalRegister):
            return what in self.locals
        return what.location in {*self.memory.anywhere, *self.memory.shared} - self.hidden

    def state(self, words: Sequence[int]) -> Iterator[tuple[Observation, int]]:
        """What a result says, that is not hidden, and that somebody has written to."""
        blocks = {name: number for number, name in enumerate(self.block_names)}
        before = len(self.roles) + len(self.locals)
        for n, (what, type_) in enumerate(zip(self.observed, self.types, strict=True)):
            if isinstance(what, FinalRegister):
                if words[len(self.roles) + n] != UNSET:
                    yield what, type_.wrap(words[len(self.roles) + n])
            elif what.location not in self.hidden:
                at, bit = self.memory.word(what.location, blocks)
                if words[before + at] != UNSET:
                    yield what, type_.wrap(words[before + at] >> bit)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The role at each place, block by block, warp by warp, lane by lane; -1 where there is none."""
        found = {name: n for n, name in enumerate(self.roles)}
        flat = []
        for block in self.blocks:
            for warp in (*block, *[()] * (self.warps - len(block))):
                flat += [found[name] for name in warp] + [-1] * (self.lanes - len(warp))
        return tuple(flat)

    @cached_property
    def shared_of(self) -> tuple[int, ...]:
        """The block of the program that each word in shared memory belongs to."""
        if self.memory.packed:
            return tuple(n for n in range(len(self.blocks)) for _ in range(self.memory.words[1]))
        return tuple(self.block_names.index(home(location)) for location in self.memory.shared)

    @cached_property
    def key(self) -> str:
        """A key that differs for tests of other texts: results of the one say nothing of the other."""
        said = [
            *self.functions,
            json.dumps([self.blocks, self.initial, self.shared_of, self.cluster, self.first, self.hosts]),
        ]
        return hashlib.sha256("".join(said).encode()).hexdigest()[:16]


def test(name: str, program: Program) -> Test:
    """The test that a program is; InputError, with the place, where it has what the harness does not run."""
    program = compiled(program)
    hosts = _hosts(program)
    on_device = [thread for thread in program.threads if not thread.is_host]
    threads = [*on_device, *hosts]
    launches = _launches(program, threads) if hosts else None
    if not on_device:
        refuse("a program without device threads", program.host.body.nodes[program.host.body.entry].span)
    blocks: dict[str, dict[int, list[ir.Thread]]] = {}
    for thread in on_device:
        # A thread of a litmus file is in no warp with others; those of a grid are where CUDA says.
        of_block = blocks.setdefault(thread.block_name, {})
        warp = len(of_block) if thread.grid is None else thread.lane // WARP
        of_block.setdefault(warp, []).append(thread)
    names, cluster, first = _placed(on_device, list(program.grids.values()))
    memory, types, initial = _locations(program, threads, names, cluster, launches)
    faults: list[ir.Assert] = []
    opaque = {t.name: tokens(t.body) for t in threads} if memory.packed else {}
    locals_ = [
        (t, r, type_)
        for t in threads
        for r, type_ in t.body.variables.items()
        if not type_.is_float and r not in opaque.get(t.name, ())
    ]
    functions = []
    for role, thread in enumerate(threads):
        mates = next((warp for warp in blocks.get(thread.block_name, {}).values() if thread in warp), [])
        of_grid = sum(other.grid == thread.grid for other in on_device)
        lanes = {mate.lane % WARP: position for position, mate in enumerate(mates)}
        results = {r: len(threads) + n for n, (t, r, _) in enumerate(locals_) if t is thread}
        functions.append(
            function(f"role{role}", thread, program, memory, faults, lanes, results, role, of_grid, launches)
        )
    return Test(
        name,
        tuple(thread.name for thread in threads),
        tuple(tuple(tuple(t.name for t in warp) for warp in blocks.get(name, {0: []}).values()) for name in names),
        tuple(functions),
        tuple(FinalRegister(thread.name, register) for thread, register, _ in locals_),
        memory,
        (*(type_ for _, _, type_ in locals_), *types),
        initial,
        tuple(faults),
        tuple(names),
        cluster,
        first,
        len(hosts),
        not {o.storage for o in map(program.objects.get, (at.object for at in memory.mapped)) if o} & _HOST_MEMORY,
        _hidden(memory, on_device, program) if memory.packed else frozenset(),
    )


def _hidden(memory: Memory, threads: Sequence[ir.Thread], program: Program) -> frozenset[Location]:
    """mbarriers, and what is written in shared memory by copies that may not have ended when its block has."""
    copied = left_open(threads)
    return frozenset(
        at
        for at in memory.shared
        if at.object in copied or program.objects[at.object].use in (ir.Use.BARRIER, ir.Use.MBARRIER)
    )


def _placed(threads: Sequence[ir.Thread], grids: Sequence[ir.Grid]) -> tuple[list[str], int, tuple[int, ...]]:
    """The thread blocks by device and cluster, how many a cluster has, and the first of each device.

    Blocks without a name fill up clusters that have fewer than others.
    """
    devices: dict[int, dict[str, dict[str, None]]] = {}
    for thread in threads:
        devices.setdefault(thread.device, {}).setdefault(thread.cluster_name, {})[thread.block_name] = None
    sizes = [len(blocks) for clusters in devices.values() for blocks in clusters.values()]
    size = max(*sizes, *(grid.cluster.count for grid in grids if grid.cluster is not None), 1)
    if size > _MOST_IN_A_CLUSTER:
        refuse(f"clusters of more than {_MOST_IN_A_CLUSTER} blocks", next(iter(threads[0].body.nodes.values())).span)
    names: list[str] = []
    first = [0]
    for _, clusters in sorted(devices.items()):
        for blocks in clusters.values():
            names += [*blocks, *[""] * (size - len(blocks))]
        first.append(len(names))
    return names, size, tuple(first)


def _hosts(program: Program) -> tuple[ir.Thread, ...]:
    """The host threads that are played: none where the host launches one grid, and waits for it at most.

    Other work in streams, other devices and launches of several host threads are in no such program: it is run as its
    own text (:func:`scopec.gpu.whole.is_whole`).
    """
    others = tuple(thread for thread in program.others if thread.is_host)
    operations = [node for node in program.host.body.nodes.values() if isinstance(node, ir.Do)]
    if not others and len(program.grids) < 2 and all(isinstance(o.operation, _HOST_CALLS) for o in operations):
        return ()
    for thread in (program.host, *others):
        for node in thread.body.nodes.values():
            if (
                isinstance(node, ir.Do)
                and isinstance(node.operation, ir.Call)
                and not isinstance(node.operation, _CALLS)
            ):
                refuse(f"what the host does: `{words(node.operation)[0]}`", node.span)
    return (program.host, *others)


def _launches(program: Program, threads: Sequence[ir.Thread]) -> Launches:
    """The words by which host threads and grids say that they begin and end."""
    grids = {name: tuple(t.name for t in threads if t.grid == name) for name in program.grids}
    created = {
        node.operation.thread
        for thread in threads
        for node in thread.body.nodes.values()
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.CreateThread)
    }
    before = {
        name: tuple(earlier for earlier in list(grids)[:n] if _in_order(program.grids[earlier], program.grids[name]))
        for n, name in enumerate(grids)
    }
    started = {name: Location(f"(start of {name})") for name in (*grids, *sorted(created))}
    return Launches(started, {t.name: Location(f"(end of {t.name})") for t in threads}, grids, before)


def _in_order(one: ir.Grid, other: ir.Grid) -> bool:
    """Whether grids of one device are in order: of one stream, or one is of the legacy stream and the other blocks."""
    kinds = {one.stream.kind, other.stream.kind}
    return one.stream.name == other.stream.name or ("legacy" in kinds and "non-blocking" not in kinds)


def _locations(
    program: Program, threads: Sequence[ir.Thread], names: Sequence[str], cluster: int, launches: Launches | None
) -> tuple[Memory, list[IntType], tuple[int, ...]]:
    """The locations that threads access, their types and initial values."""
    found: dict[Location, ir.Object] = {}
    registered = {
        name
        for thread in threads
        for node in thread.body.nodes.values()
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.ApiCall)
        for name in node.operation.objects
    }
    ranks = {name: n % cluster for n, name in enumerate(names)}
    asynchronous = is_asynchronous(threads, program.objects)
    if asynchronous and launches is not None:
        refuse("asynchronous operations beside host threads", next(iter(program.grids.values())).span)
    for thread in threads:
        for object_, span in _accessed(thread, program):
            if object_.type.is_float or object_.type.bits > 64:
                refuse(f"objects of type `{object_.type.name}`", span)
            if thread.is_host and object_.storage is ir.Storage.DEVICE:
                refuse("host threads that access memory of a device", span)
            mapped = object_.storage is ir.Storage.MAPPED or object_.name in registered or thread.is_host
            if object_.storage not in _STORAGES and not (launches is not None and mapped):
                refuse(f"{object_.storage.value} memory", span)
            if asynchronous:
                _packs(object_, span)
            for index in range(len(object_.values)):
                found.setdefault(Location(object_.name, index, instance(object_, thread)), object_)
    for thread in threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and node.operation == ir.GroupSync(ir.Group.GRID):
                if len(program.grids) > 1 or asynchronous:
                    beside = "beside asynchronous operations" if asynchronous else "among others"
                    refuse(f"a grid that meets {beside}", node.span)
                found[MEETING] = ir.Object(MEETING.object, node.span, ULONG, ir.Storage.DEVICE, (0,))
    span = program.source.span(0, 0)
    for location in () if launches is None else launches.words:
        found[location] = ir.Object(location.object, span, ULONG, ir.Storage.MAPPED, (0,))
    shared = {at: o for at, o in found.items() if o.storage is ir.Storage.SHARED}
    anywhere = {at: o for at, o in found.items() if at not in shared}
    types = [object_.type for object_ in (*anywhere.values(), *shared.values())]
    if asynchronous:
        memory = packed(anywhere, shared, ranks)
        return memory, types, _initial_words(memory, anywhere, shared, names)
    initial = [_initial(object_.values[at.index], object_.type) for at, object_ in (*anywhere.items(), *shared.items())]
    own = (ir.Storage.DEVICE, ir.Storage.AUTOMATIC)
    both = frozenset(at for at, object_ in anywhere.items() if launches is not None and object_.storage not in own)
    memory = Memory({at: n for n, at in enumerate(anywhere)}, {at: n for n, at in enumerate(shared)}, ranks, both)
    assert {home(at) for at in shared} <= set(ranks)
    return memory, types, tuple(initial)


def _packs(object_: ir.Object, span: Span) -> None:
    """Refuse what has no place among packed objects."""
    if object_.type.bits < 32:
        refuse(f"objects of type `{object_.type.name}` beside asynchronous operations", span)
    if object_.use is ir.Use.BARRIER and object_.values[0] is not None:
        refuse("a barrier that is there from the start", span)


def _initial_words(
    memory: Memory, anywhere: Mapping[Location, ir.Object], shared: Mapping[Location, ir.Object], names: Sequence[str]
) -> tuple[int, ...]:
    """The first words of packed memory, of global memory and of each block."""
    blocks = {name: number for number, name in enumerate(names)}
    found = [0] * (memory.words[0] + memory.words[1] * len(names))
    for at, object_ in (*anywhere.items(), *shared.items()):
        word, bit = memory.word(at, blocks)
        found[word] |= ((object_.values[at.index] or 0) & (1 << object_.type.bits) - 1) << bit
    return tuple(found)


def _initial(value: int | None, type_: IntType) -> int:
    """A location's first word: of a narrower type its low part, as a store leaves it."""
    return (value or 0) & (1 << max(32, type_.bits)) - 1


def _accessed(thread: ir.Thread, program: Program) -> Iterator[tuple[ir.Object, Span]]:
    for node in thread.body.nodes.values():
        match node:
            case ir.Do(operation) if isinstance(operation, ir.BarrierOperation) and of_cluster(operation, thread):
                continue
            case ir.Do(operation, span) if isinstance(operation, ir.Access | ir.BarrierOperation):
                yield program.objects[operation.place.object], span
