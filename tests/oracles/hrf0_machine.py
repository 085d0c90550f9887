"""A simulator of the HRF0 paper's example hardware (sections 4.2, 4.3): small, slow, and meant to be obviously right.

Written only from "Sequential Consistency for Heterogeneous-Race-Free" ("the paper") and from the section "The HRF0
example hardware" of design/forward-progress.md.  Where they leave something open the choice is marked CHOICE.

The machine: a write buffer a thread, an incoherent cache a group, a global memory.  CHOICE: a buffer holds one value a
location ("write-combining"), and its entries leave it in any order.  At any time an entry of a buffer may drain into the
group's cache, a dirty line be written back, a clean line be evicted, and a line be fetched that nobody asked for.

Every operation is one step.  The paper has loads, stores, and acquires and releases at group and at global scope:
 - Group Acquire: the paper empties the buffer "before the next load or store performs", its invariant 2 "before an
   acquire completes".  CHOICE: at once, so that both hold; `early_acquire` lets it come later.
 - thread scope: a plain access; block: group level; device and system: global level.
CHOICE, for what the paper does not have:
 - a relaxed atomic access is performed in the memory of its level, like an acquire or release there (invariant 3), but
   moves no location but its own;
 - an access performed in a memory finds there what its thread (and at global level its group) wrote to the location;
   a write performed in global memory leaves no line of the location in the group's cache;
 - a read-modify-write is acquire and release at its level, whatever its order and its outcome; a fence flushes when it
   is a release, flushes and invalidates when it is an acquire.

The optimisations of section 4.3:
 - `early_acquire`: the flush and the invalidation of an acquire may come later, before the thread's next operation;
 - `write_through`: what is written to the group's cache is written to global memory too, no line is ever dirty;
 - `selective`: each line knows the threads that touched it since it was fetched; a flush writes back, and an
   invalidation drops, only what the synchronizing thread touched.  CHOICE: a thread hits a clean line only if it touched
   it.  Otherwise an acquire would leave alone a line that another thread of the group fetched long ago, and the next load
   would find the stale value there: two threads of one group that read X before and after a write of another group,
   everything ordered at global scope, would see it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tests.oracles.brute_programs import Cas, Exchange, Fence, FetchAdd, Load, Op, Program, Store, Thread, Value

THREAD, GROUP, GLOBAL = 0, 1, 2  # the levels of memory; also: what an early acquire still owes
LEVELS = {"thread": THREAD, "block": GROUP, "device": GLOBAL, "system": GLOBAL}

Registers = tuple[tuple[str, int], ...]
State = tuple[tuple[Registers, ...], tuple[int, ...]]  # each thread's registers in order of name; each location's value
Item = TypeVar("Item")


class Line(NamedTuple):
    value: int
    dirty: bool
    touched: frozenset[int]  # stays empty unless `selective`


class Memory(NamedTuple):
    world: tuple[int, ...]  # global memory, by location
    caches: tuple[tuple[Line | None, ...], ...]  # by group and location
    buffers: tuple[tuple[int | None, ...], ...]  # by thread and location
    owed: tuple[int, ...]  # by thread: THREAD (nothing), GROUP, GLOBAL


def put(items: tuple[Item, ...], at: int, item: Item) -> tuple[Item, ...]:
    return (*items[:at], item, *items[at + 1 :])


@dataclass(frozen=True)
class Hardware:
    groups: tuple[int, ...]  # the group of each thread
    early_acquire: bool = False
    write_through: bool = False
    selective: bool = False

    def initial(self, values: tuple[int, ...]) -> Memory:
        nothing = (None,) * len(values)
        threads = len(self.groups)
        return Memory(values, (nothing,) * (max(self.groups) + 1), (nothing,) * threads, (THREAD,) * threads)

    # ------------------------------------------------------------ what moves one value

    def set_line(self, m: Memory, group: int, at: int, line: Line | None) -> Memory:
        return m._replace(caches=put(m.caches, group, put(m.caches[group], at, line)))

    def set_buffer(self, m: Memory, thread: int, at: int, value: int | None) -> Memory:
        return m._replace(buffers=put(m.buffers, thread, put(m.buffers[thread], at, value)))

    def touch(self, line: Line | None, thread: int) -> frozenset[int]:
        before = line.touched if line else frozenset[int]()
        return before | {thread} if self.selective else before

    def touched(self, line: Line, thread: int) -> bool:
        return thread in line.touched or not self.selective

    def write_group(self, m: Memory, thread: int, at: int, value: int) -> Memory:
        group = self.groups[thread]
        line = Line(value, not self.write_through, self.touch(m.caches[group][at], thread))
        m = self.set_line(m, group, at, line)
        return m._replace(world=put(m.world, at, value)) if self.write_through else m

    def drain(self, m: Memory, thread: int, at: int) -> Memory:
        """Move what the buffer holds, if anything, to the group's cache."""
        value = m.buffers[thread][at]
        if value is None:
            return m
        return self.write_group(self.set_buffer(m, thread, at, None), thread, at, value)

    def write_back(self, m: Memory, group: int, at: int) -> Memory:
        """Write the line, if it is dirty, to global memory; it stays, clean."""
        line = m.caches[group][at]
        if line is None or not line.dirty:
            return m
        m = self.set_line(m, group, at, line._replace(dirty=False))
        return m._replace(world=put(m.world, at, line.value))

    def fetch(self, m: Memory, thread: int, at: int) -> Memory:
        """Have a line that the thread may read."""
        group = self.groups[thread]
        line = m.caches[group][at]
        if line is None or not (line.dirty or self.touched(line, thread)):
            return self.set_line(m, group, at, Line(m.world[at], False, self.touch(line, thread)))
        return self.set_line(m, group, at, line._replace(touched=self.touch(line, thread)))

    # ------------------------------------------------------------ section 4.2

    def flush(self, m: Memory, thread: int, level: int) -> Memory:
        group = self.groups[thread]
        for at in range(len(m.world)):
            m = self.drain(m, thread, at)
            line = m.caches[group][at]
            if level == GLOBAL and line and self.touched(line, thread):
                m = self.write_back(m, group, at)
        return m

    def invalidate(self, m: Memory, thread: int) -> Memory:
        group = self.groups[thread]
        for at, line in enumerate(m.caches[group]):
            if line and self.touched(line, thread):
                assert not line.dirty, "an acquire flushes first"
                m = self.set_line(m, group, at, None)
        return m

    def acquire(self, m: Memory, thread: int, level: int) -> Memory:
        m = self.flush(m, thread, level)
        return self.invalidate(m, thread) if level == GLOBAL else m

    def settle(self, m: Memory, thread: int, at: int, level: int) -> Memory:
        """Make the memory of the level hold what was written to the location below it."""
        m = self.drain(m, thread, at)
        return self.write_back(m, self.groups[thread], at) if level == GLOBAL else m

    def read(self, m: Memory, thread: int, at: int, level: int) -> tuple[Memory, int]:
        pending = m.buffers[thread][at]
        if level == THREAD and pending is not None:
            return m, pending
        if level != THREAD:
            m = self.settle(m, thread, at, level)
        if level == GLOBAL:
            return m, m.world[at]
        m = self.fetch(m, thread, at)
        line = m.caches[self.groups[thread]][at]
        assert line is not None
        return m, line.value

    def write(self, m: Memory, thread: int, at: int, value: int, level: int) -> Memory:
        if level == THREAD:
            return self.set_buffer(m, thread, at, value)
        m = self.settle(m, thread, at, level)
        if level == GROUP:
            return self.write_group(m, thread, at, value)
        return self.set_line(m._replace(world=put(m.world, at, value)), self.groups[thread], at, None)

    def before(self, m: Memory, thread: int, level: int, order: str | None, *, rmw: bool = False) -> Memory:
        """What is done before the operation reads or writes."""
        if level == THREAD or not (rmw or acquires(order) or releases(order)):
            return m
        if rmw or releases(order):
            m = self.flush(m, thread, level)
        if not (rmw or acquires(order)):
            return m
        return m._replace(owed=put(m.owed, thread, level)) if self.early_acquire else self.acquire(m, thread, level)

    def perform(self, m: Memory, thread: int, op: Op, at: int, registers: dict[str, int]) -> tuple[Memory, int | None]:
        """The memory after the operation, and what it read."""
        level = THREAD if isinstance(op, Load | Store) and op.order is None else LEVELS[op.scope]
        match op:
            case Fence():
                return self.before(m, thread, level, op.order), None
            case Load():
                # A load may be an acquire, a store a release: `seq_cst` is what the access can be.
                order = "acquire" if acquires(op.order) else None
                return self.read(self.before(m, thread, level, order), thread, at, level)
            case Store():
                order = "release" if releases(op.order) else None
                m = self.before(m, thread, level, order)
                return self.write(m, thread, at, evaluate(op.value, registers), level), None
        m, old = self.read(self.before(m, thread, level, None, rmw=True), thread, at, level)
        new = updated(op, old, registers)
        return (m if new is None else self.write(m, thread, at, new, level)), old

    # ------------------------------------------------------------ what happens by itself

    def spontaneous(self, m: Memory) -> Iterator[Memory]:
        for at in range(len(m.world)):
            for thread, group in enumerate(self.groups):
                yield self.drain(m, thread, at)
                line = m.caches[group][at]
                if line is None or not line.dirty:
                    yield self.fetch(m, thread, at)
            for group, cache in enumerate(m.caches):
                line = cache[at]
                yield self.write_back(m, group, at)
                if line and not line.dirty:
                    yield self.set_line(m, group, at, None)
        for thread, level in enumerate(m.owed):
            if level != THREAD:
                yield self.acquire(m, thread, level)._replace(owed=put(m.owed, thread, THREAD))

    def forget(self, m: Memory, read: set[tuple[int, int]]) -> Memory:
        """Evict the clean lines that are not among those, by thread and location, that will be read."""
        wanted = {(self.groups[thread], at) for thread, at in read}
        for group, cache in enumerate(m.caches):
            for at, line in enumerate(cache):
                if line and not line.dirty and (group, at) not in wanted:
                    m = self.set_line(m, group, at, None)
        return m

    def ready(self, m: Memory, thread: int) -> bool:
        """Whether the thread's next operation may perform."""
        return m.owed[thread] == THREAD

    def settled(self, m: Memory) -> bool:
        """Whether everything has been written back."""
        clean = all(line is None or not line.dirty for cache in m.caches for line in cache)
        return clean and all(value is None for buffer in m.buffers for value in buffer)

    def world(self, m: Memory) -> tuple[int, ...]:
        return m.world


class Sequential:
    """The memory of sequential consistency."""

    def initial(self, values: tuple[int, ...]) -> tuple[int, ...]:
        return values

    def perform(
        self, m: tuple[int, ...], _thread: int, op: Op, at: int, registers: dict[str, int]
    ) -> tuple[tuple[int, ...], int | None]:
        match op:
            case Fence():
                return m, None
            case Load():
                return m, m[at]
            case Store():
                return put(m, at, evaluate(op.value, registers)), None
        new = updated(op, m[at], registers)
        return (m if new is None else put(m, at, new)), m[at]

    def spontaneous(self, _m: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        return iter(())

    def forget(self, m: tuple[int, ...], _read: set[tuple[int, int]]) -> tuple[int, ...]:
        return m

    def ready(self, _m: tuple[int, ...], _thread: int) -> bool:
        return True

    def settled(self, _m: tuple[int, ...]) -> bool:
        return True

    def world(self, m: tuple[int, ...]) -> tuple[int, ...]:
        return m


def acquires(order: str | None) -> bool:
    return order in ("acquire", "acq_rel", "seq_cst")


def releases(order: str | None) -> bool:
    return order in ("release", "acq_rel", "seq_cst")


def evaluate(value: Value, registers: dict[str, int]) -> int:
    match value:
        case int():
            return value
        case str():
            return registers[value]
        case (_, register, constant):
            return registers[register] + constant


def updated(op: FetchAdd | Exchange | Cas, old: int, registers: dict[str, int]) -> int | None:
    """What a read-modify-write that read ``old`` writes, None for nothing."""
    match op:
        case FetchAdd():
            return old + evaluate(op.operand, registers)
        case Exchange():
            return evaluate(op.value, registers)
        case Cas():
            return evaluate(op.desired, registers) if old == evaluate(op.expected, registers) else None


def result(op: Op) -> str | None:
    """The register that an operation assigns."""
    match op:
        case Fence() | Store():
            return None
        case Cas():
            return op.reg_old
        case _:
            return op.reg


def registers_of(thread: Thread) -> list[str]:
    """The registers that a thread assigns, in order of name."""
    return sorted({name for op in thread.ops if (name := result(op)) is not None})


def reads_cache(op: Op) -> bool:
    """Whether an operation reads its group's cache."""
    return not isinstance(op, Fence | Store) and (LEVELS[op.scope] < GLOBAL or op.order is None)


def names(program: Program) -> list[str]:
    return sorted(program.locations)


def groups(program: Program) -> tuple[int, ...]:
    blocks = list(dict.fromkeys(t.block for t in program.threads))
    return tuple(blocks.index(t.block) for t in program.threads)


def final_states(
    program: Program, hardware: Hardware | Sequential, most: int = 10**7, *, whole: bool = False
) -> set[State] | None:
    """All states in which every thread has ended and everything is written back; registers begin as -1.

    A clean line of a cache that no operation to come reads makes no difference: such lines are evicted at once, unless
    the ``whole`` state space is asked for.  None if there are more than ``most`` states on the way.
    """
    locations = {name: at for at, name in enumerate(names(program))}
    registers = tuple(tuple((name, -1) for name in registers_of(thread)) for thread in program.threads)
    memory = hardware.initial(tuple(program.locations[name].initial for name in locations))
    to_come = [
        [
            {(number, locations[op.loc]) for op in thread.ops[at:] if reads_cache(op)}
            for at in range(len(thread.ops) + 1)
        ]
        for number, thread in enumerate(program.threads)
    ]
    start = ((0,) * len(program.threads), registers, memory)
    seen, left, found = {start}, [start], set[State]()
    while left:
        position, registers, memory = left.pop()
        after = [(position, registers, m) for m in hardware.spontaneous(memory)]
        for number, thread in enumerate(program.threads):
            at, own = position[number], dict(registers[number])
            if at == len(thread.ops):
                continue
            op, moved = thread.ops[at], put(position, number, at + 1)
            if op.guard is not None and own[op.guard[0]] != op.guard[1]:
                after.append((moved, registers, memory))
            elif hardware.ready(memory, number):
                where = -1 if isinstance(op, Fence) else locations[op.loc]
                m, value = hardware.perform(memory, number, op, where, own)
                name = result(op)
                if name is not None and value is not None:
                    own[name] = value
                after.append((moved, put(registers, number, tuple(sorted(own.items()))), m))
        if all(at == len(t.ops) for at, t in zip(position, program.threads, strict=True)) and hardware.settled(memory):
            found.add((registers, hardware.world(memory)))
        for position, registers, memory in after:
            if not whole:
                memory = hardware.forget(memory, set().union(*(to_come[n][at] for n, at in enumerate(position))))
            state = (position, registers, memory)
            if state not in seen:
                seen.add(state)
                left.append(state)
        if len(seen) > most:
            return None
    return found
