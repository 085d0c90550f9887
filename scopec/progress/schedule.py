"""Schedules: a counterexample of the progress question, at source positions, with what each thread is owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from scopec.records import dataclass

if TYPE_CHECKING:
    from scopec.source import Span

#: Where a thread is that has not started.
NOT_STARTED = "has not started"


class Ending(Enum):
    """How a schedule goes on for ever, or that it ends where what comes next is undefined, or what was looked for."""

    DEADLOCK = "deadlock"
    STOP = "stop"
    LASSO = "lasso"
    UNDEFINED = "undefined"
    FOUND = "found"


class Standing(Enum):
    """Why a thread does not get on."""

    BLOCKED = "blocked"
    SPINNING = "spinning"
    REFUSED = "refused"
    SILENT = "silent"
    UNDEFINED = "undefined"


class Kind(Enum):
    """What keeps a behaviour from ending.

    Silence: a thread is undefined behaviour.  Starvation: a thread could take a step that would get it on, and no rule
    owes it one.  Livelock: threads take steps for ever, and none gets on.  Deadlock: each waits for another.
    Undefined: an operation of a thread has no meaning.
    """

    UNDEFINED = "undefined"
    SILENCE = "silence"
    STARVATION = "starvation"
    LIVELOCK = "livelock"
    DEADLOCK = "deadlock"


@dataclass(frozen=True, slots=True)
class Moment:
    """A state: the label of each thread, the values in memory and registers, the grids launched so far.

    ``after`` gives the grids that must complete before one that has been launched may start, ``events`` those that an
    event stands for.
    """

    labels: Mapping[str, str]
    memory: Mapping[str, object]
    registers: Mapping[str, Mapping[str, object]]
    issued: tuple[str, ...]
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    events: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a schedule: who did what, what changed, and the state after it."""

    thread: str
    label: str
    action: str
    span: Span
    changes: Mapping[str, str]
    after: Moment


@dataclass(frozen=True, slots=True)
class Behind:
    """A thread that does not get on: where it is, and which rule owes it nothing (or what it waits for)."""

    thread: str
    where: str
    why: str
    span: Span
    standing: Standing


@dataclass(frozen=True)
class Schedule:
    """A fair behaviour in which the property fails.

    ``loop_to`` is the number of the move (from 0) that the last one leads back before, for a lasso; ``stuttering`` is
    true where nothing happens any more.
    """

    start: Moment
    moves: tuple[Move, ...]
    ending: Ending
    loop_to: int | None
    behind: tuple[Behind, ...]

    @property
    def stuttering(self) -> bool:
        """Whether nothing happens any more at the end."""
        return self.ending in (Ending.DEADLOCK, Ending.STOP)

    @property
    def kind(self) -> Kind:
        """What keeps this behaviour from ending."""
        found = {b.standing for b in self.behind}
        if Standing.UNDEFINED in found:
            return Kind.UNDEFINED
        if Standing.SILENT in found:
            return Kind.SILENCE
        if Standing.REFUSED in found:
            return Kind.STARVATION
        return Kind.LIVELOCK if Standing.SPINNING in found else Kind.DEADLOCK
