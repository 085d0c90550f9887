"""Flat code for a body of the checker of fair cycles (``fair_cycles``): one instruction a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tests.oracles.fair_programs import (
    Acquire,
    AtomicAdd,
    AtomicStore,
    Body,
    Create,
    DeviceSynchronize,
    EventQuerySpin,
    EventRecord,
    EventSynchronize,
    EventWait,
    GroupSync,
    IfEquals,
    Join,
    Launch,
    LocalLoop,
    LockSpin,
    LoopForever,
    Notify,
    PlainStore,
    QuerySpin,
    Spin,
    StreamQueryOnce,
    StreamSynchronize,
    SyncThreads,
    WaitWhile,
    WeakLockSpin,
    Yield,
)


@dataclass(frozen=True)
class _Local:
    """One local step."""


@dataclass(frozen=True)
class _Test:
    """Atomic read; jump by `equal` or by `other` (relative)."""

    obj: str
    value: int
    equal: int
    other: int


@dataclass(frozen=True)
class _WeakExchange:
    obj: str


@dataclass(frozen=True)
class _Load:
    """Atomic read; jump (relative)."""

    obj: str
    jump: int


@dataclass(frozen=True)
class _Sleep:
    """Blocked in the wait of an atomic: woken, the thread goes one back, and looks again."""

    obj: str


@dataclass(frozen=True)
class _Arrive:
    group: Literal["block", "warp", "cluster", "grid"]


@dataclass(frozen=True)
class _Wait:
    pass


@dataclass(frozen=True)
class _Issue:
    """A call that issues an operation to a stream."""

    operation: Launch | EventRecord | EventWait


@dataclass(frozen=True)
class _Query:
    what: StreamQueryOnce | EventQuerySpin


@dataclass(frozen=True)
class _Call:
    """A call that waits for work: what for is found out in this step."""

    what: DeviceSynchronize | StreamSynchronize | EventSynchronize


@dataclass(frozen=True)
class _Completion:
    """It returns when that work has completed."""


@dataclass(frozen=True)
class _Return:
    """Return from an API call; then jump (relative): by ``ready`` if it was a query that said so."""

    jump: int
    ready: int | None = None


_Op = (
    AtomicStore | AtomicAdd | PlainStore | Spin | LockSpin | Acquire | WaitWhile | Notify | LoopForever | Yield | Create
    | Join | _Local | _Test | _WeakExchange | _Load | _Sleep | _Arrive | _Wait | _Issue | _Query | _Call | _Completion
    | _Return
)  # fmt: skip
_WAITING = (_Call, _Completion)
#: Where a call has been made: a host thread that is about to issue or ask has not made one yet.
_CALLS = (_Return, *_WAITING)


def _flatten(body: Body) -> list[_Op]:
    code: list[_Op] = []
    for stmt in body:
        match stmt:
            case LocalLoop(n):
                code += [_Local()] * n
            case SyncThreads():
                code += [_Arrive("block"), _Wait()]
            case GroupSync(group):
                code += [_Arrive(group), _Wait()]
            case WeakLockSpin(obj):
                code += [_WeakExchange(obj), _Load(obj, -1)]
            case WaitWhile(obj):
                code += [stmt, _Sleep(obj)]
            case IfEquals(obj, value, then):
                inner = _flatten(then)
                code += [_Test(obj, value, equal=1, other=1 + len(inner)), *inner]
            case Launch() | EventRecord() | EventWait():
                code += [_Issue(stmt), _Return(1)]
            case DeviceSynchronize() | StreamSynchronize() | EventSynchronize():
                code += [_Call(stmt), _Completion()]
            case StreamQueryOnce():
                code += [_Query(stmt), _Return(1)]
            case QuerySpin(obj, value, stream):
                code += [_Test(obj, value, equal=3, other=1), _Query(StreamQueryOnce(stream)), _Return(-2)]
            case EventQuerySpin():
                code += [_Query(stmt), _Return(-1, ready=1)]
            case _:
                code.append(stmt)
    return code


def _counts(op: _Op, *, host: bool) -> bool:
    """host.threads.2-6, and API calls; device.threads.2-4 (termination: see _Machine.steps)."""
    match op:
        case Spin(kind=kind):
            return kind != "plain" if host else kind in ("atomic", "volatile")
        case LoopForever(kind):
            return host or kind == "atomic_load"
        case AtomicStore() | Yield():
            return host
        case PlainStore() | _Local():
            return False
        case _:
            return True
