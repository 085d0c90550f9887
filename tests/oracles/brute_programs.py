"""Programs of the brute-force checker of memory (``brute_memory``), its options, events and executions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

Value = int | str | tuple[str, str, int]  # a constant, a register of the thread, or ("add", register, constant)
Guard = tuple[str, int] | None


@dataclass(frozen=True)
class Load:
    reg: str
    loc: str
    order: str | None = None
    scope: str = "system"
    guard: Guard = None


@dataclass(frozen=True)
class Store:
    loc: str
    value: Value
    order: str | None = None
    scope: str = "system"
    guard: Guard = None


@dataclass(frozen=True)
class FetchAdd:
    reg: str
    loc: str
    operand: Value
    order: str
    scope: str = "system"
    guard: Guard = None


@dataclass(frozen=True)
class Exchange:
    reg: str
    loc: str
    value: Value
    order: str
    scope: str = "system"
    guard: Guard = None


@dataclass(frozen=True)
class Cas:
    reg_old: str
    loc: str
    expected: Value
    desired: Value
    order: str
    failure_order: str
    scope: str = "system"
    guard: Guard = None


@dataclass(frozen=True)
class Fence:
    order: str
    scope: str = "system"
    guard: Guard = None


Op = Load | Store | FetchAdd | Exchange | Cas | Fence


@dataclass(frozen=True)
class Thread:
    name: str
    kind: str  # "host" or "device"
    device: int
    block: Hashable  # blocks of different devices are different, whatever they are called
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class Loc:
    initial: int = 0
    storage: str = "device"  # "device", "managed", "mapped" or "system"
    size: int = 4  # naturally aligned


@dataclass(frozen=True)
class Program:
    threads: tuple[Thread, ...]
    locations: Mapping[str, Loc]


OPTIONS = {  # the note's option table; the default comes first
    "sync_scope": ("scoped", "literal"),
    "release_sequence": ("c++20", "c++11"),
    "release_sequence_scope": ("ends", "every_step"),
    "sc_order": ("c++20", "rc11"),
    "sc_scope": ("scoped", "global"),
    "thin_air": ("rc11", "off"),
}
GIVEN = {  # the note: "Defaults when nothing is given"
    "concurrentManagedAccess": 1,
    "hostNativeAtomicSupported": 0,
    "pageableMemoryAccess": 0,
    "p2pNativeAtomicSupported": 0,
}
ORDERS = {
    Load: (None, "relaxed", "acquire", "seq_cst"),
    Store: (None, "relaxed", "release", "seq_cst"),
    FetchAdd: ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    Exchange: ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    Cas: ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
    Fence: ("relaxed", "acquire", "release", "acq_rel", "seq_cst"),
}
SCOPES = ("thread", "block", "device", "system")


@dataclass(frozen=True, eq=False)  # an event is equal to itself only
class Event:
    kind: str  # "R", "W" or "F"
    thread: int  # index of the thread, -1 for an initial write
    op: int | str  # index of the operation in the thread, the location for an initial write
    loc: str | None
    value: int  # the value read or written, 0 for a fence
    order: str | None  # None: plain
    scope: str  # "thread" for a plain access (the note: "a plain access has thread scope")
    in_A: bool  # the note's set A: an atomic operation that is atomic at the scope it specifies


EventId = tuple[int, int | str]  # (thread index, operation index); (-1, location) for the initial write
Rel = set[tuple[Event, Event]]
Race = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Run:
    """What one thread does when its reads return the guessed values."""

    events: tuple[Event, ...]  # in program order; the read of an RMW comes before its write
    rmw: tuple[tuple[Event, Event], ...]
    registers: Mapping[str, int]


@dataclass(frozen=True)
class Candidate:
    program: Program
    events: tuple[Event, ...]  # initial writes included
    po: Rel
    rf: Rel
    co: Rel
    rmw: Rel
    registers: tuple[Mapping[str, int], ...]
    co_orders: Mapping[str, tuple[Event, ...]]


@dataclass(frozen=True)
class Execution:
    registers: tuple[Mapping[str, int], ...]  # per thread, assigned registers only
    memory: Mapping[str, int]  # the value of the last write in each coherence order
    rf: frozenset[tuple[EventId, EventId]]  # (write, read)
    co: tuple[tuple[str, tuple[EventId, ...]], ...]  # per location in order of name, its writes in coherence order
    races: frozenset[Race]  # each a pair {(thread, op), (thread, op)}
