"""A program as a test of the harness: its threads as roles with their places, its locations, what is observed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.gpu.code import Memory, function, refuse
from scopec.memory.ptx import compiled
from scopec.program import ir
from scopec.program.observe import FinalMemory, FinalRegister, Location, Observation, instance
from scopec.program.show import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Span
    from scopec.program.program import Program
    from scopec.program.types import IntType

WARP = 32
#: What a register holds that nothing was written to: no program computes it.
UNSET = 0x7FF7_5C0E_DEAD_BEEF
#: Host memory that only device threads use could be run, but would show nothing of the host's.
_STORAGES = (ir.Storage.DEVICE, ir.Storage.MANAGED, ir.Storage.SHARED, ir.Storage.AUTOMATIC)
_HOST_CALLS = (ir.LaunchGrid, ir.DeviceSynchronize, ir.StreamSynchronize, ir.EndProcess, ir.InputOutput, ir.Set)


@dataclass(frozen=True)
class Test:
    """A program as the harness runs it, many instances at once.

    ``blocks`` gives for each thread block of the program its warps, each the names of its threads; ``functions`` the
    function of each thread.  A result is a word: how each thread ended, then the ``observed`` locals, then every
    location.  ``faults`` are the assertions that may fail, in the order of their numbers.
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

    @property
    def warps(self) -> int:
        """The warps of a thread block, as many in each."""
        return max(map(len, self.blocks))

    @property
    def lanes(self) -> int:
        """How many lanes of a warp one instance has: a power of two, as many in each warp.

        With loops it has all: a thread that waits then keeps none but its own instance's from going on.
        """
        if any("--left" in text for text in self.functions):
            return WARP
        most = max(len(warp) for block in self.blocks for warp in block)
        return 1 << (most - 1).bit_length()

    @property
    def barriers(self) -> bool:
        """Whether threads meet at a barrier of their block."""
        return any("barrier.cta" in text for text in self.functions)

    @cached_property
    def observed(self) -> tuple[Observation, ...]:
        """What the words after those of the threads are."""
        return (*self.locals, *(FinalMemory(at) for at in (*self.memory.anywhere, *self.memory.shared)))

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
        """Of which block of the program each location in shared memory is."""
        names = self._block_names
        return tuple(names.index(location.instance) for location in self.memory.shared)

    _block_names: tuple[str, ...] = ()

    @cached_property
    def key(self) -> str:
        """What tells this test from one of another text: results of the one say nothing of the other."""
        said = [*self.functions, json.dumps([self.blocks, self.initial, self.shared_of])]
        return hashlib.sha256("".join(said).encode()).hexdigest()[:16]


def test(name: str, program: Program) -> Test:
    """The test that a program is; InputError, with the place, where it has what the harness does not run."""
    program = compiled(program)
    _refuse_host(program)
    threads = [thread for thread in program.threads if not thread.is_host]
    if not threads:
        refuse("a program without device threads", program.host.body.nodes[program.host.body.entry].span)
    blocks: dict[str, dict[int, list[ir.Thread]]] = {}
    for thread in threads:
        # A thread of a litmus file is in no warp with others; those of a grid are where CUDA says.
        of_block = blocks.setdefault(thread.block_name, {})
        warp = len(of_block) if thread.grid is None else thread.lane // WARP
        of_block.setdefault(warp, []).append(thread)
    memory, types, initial = _locations(program, threads, list(blocks))
    faults: list[ir.Assert] = []
    locals_ = [(t, r, type_) for t in threads for r, type_ in t.body.variables.items() if not type_.is_float]
    functions = []
    for role, thread in enumerate(threads):
        mates = next(warp for warp in blocks[thread.block_name].values() if thread in warp)
        lanes = {mate.lane % WARP: position for position, mate in enumerate(mates)}
        results = {r: len(threads) + n for n, (t, r, _) in enumerate(locals_) if t is thread}
        functions.append(function(f"role{role}", thread, program, memory, faults, lanes, results, role))
    return Test(
        name,
        tuple(thread.name for thread in threads),
        tuple(tuple(tuple(t.name for t in warp) for warp in block.values()) for block in blocks.values()),
        tuple(functions),
        tuple(FinalRegister(thread.name, register) for thread, register, _ in locals_),
        memory,
        (*(type_ for _, _, type_ in locals_), *types),
        initial,
        tuple(faults),
        tuple(blocks),
    )


def _refuse_host(program: Program) -> None:
    """The host may launch one grid and wait for it."""
    grids = list(program.grids.values())
    for grid in grids[1:]:
        refuse("more than one launch", grid.span)
    for grid in grids:
        if grid.work is not ir.Work.KERNEL:
            refuse(f"a {grid.work.value} in a stream", grid.span)
        if grid.cluster is not None and grid.cluster.count > 1:
            refuse("thread block clusters", grid.span)
        if grid.device:
            refuse("more than one device", grid.span)
    clusters: dict[str, str] = {}
    for thread in program.others:
        span = next(iter(thread.body.nodes.values())).span
        if thread.is_host:
            refuse(f"host threads, such as {thread.name}", span)
        if thread.device != program.others[0].device:
            refuse("more than one device", span)
        if clusters.setdefault(thread.cluster_name, thread.block_name) != thread.block_name:
            refuse("thread block clusters", span)
    for node in program.host.body.nodes.values():
        if isinstance(node, ir.Do) and not isinstance(node.operation, _HOST_CALLS):
            refuse(f"what the host does: `{words(node.operation)[0]}`", node.span)


def _locations(
    program: Program, threads: Sequence[ir.Thread], blocks: Sequence[str]
) -> tuple[Memory, list[IntType], tuple[int, ...]]:
    """The locations that threads access, their types and initial values."""
    found: dict[Location, ir.Object] = {}
    for thread in threads:
        for object_, span in _accessed(thread, program):
            if object_.type.is_float or object_.type.bits > 64:
                refuse(f"objects of type `{object_.type.name}`", span)
            if object_.storage not in _STORAGES:
                refuse(f"{object_.storage.value} memory", span)
            for index in range(len(object_.values)):
                found.setdefault(Location(object_.name, index, instance(object_, thread)), object_)
    shared = {at: o for at, o in found.items() if o.storage is ir.Storage.SHARED}
    anywhere = {at: o for at, o in found.items() if at not in shared}
    initial = [_initial(object_.values[at.index], object_.type) for at, object_ in (*anywhere.items(), *shared.items())]
    memory = Memory({at: n for n, at in enumerate(anywhere)}, {at: n for n, at in enumerate(shared)})
    assert {at.instance for at in shared} <= set(blocks)
    return memory, [object_.type for object_ in (*anywhere.values(), *shared.values())], tuple(initial)


def _initial(value: int | None, type_: IntType) -> int:
    """A location's first word: of a narrower type its low part, as a store leaves it."""
    return (value or 0) & (1 << max(32, type_.bits)) - 1


def _accessed(thread: ir.Thread, program: Program) -> Iterator[tuple[ir.Object, Span]]:
    for node in thread.body.nodes.values():
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.Access | ir.BarrierOperation):
            yield program.objects[node.operation.place.object], node.span
