"""Schedules: a counterexample of the progress question, at source positions, with what each thread is owed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, Any

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span

#: The label of a thread that has not started.
NOT_STARTED = "has not started"


class Ending(Enum):
    """The ending of a schedule: it goes on for ever, or ends where what comes next is undefined or was looked for."""

    DEADLOCK = "deadlock"
    STOP = "stop"
    LASSO = "lasso"
    UNDEFINED = "undefined"
    FOUND = "found"


class Standing(Enum):
    """The reason why a thread does not get on."""

    BLOCKED = "blocked"
    SPINNING = "spinning"
    REFUSED = "refused"
    SILENT = "silent"
    UNDEFINED = "undefined"


class Kind(Enum):
    """The reason why a behaviour does not end.

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
    event stands for, ``triggered`` the blocks that have let the grids start that depend on theirs.
    """

    labels: Mapping[str, str]
    memory: Mapping[str, object]
    registers: Mapping[str, Mapping[str, object]]
    issued: tuple[str, ...]
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    events: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    triggered: frozenset[str] = frozenset()

    def as_json(self) -> dict[str, Any]:
        """The state as JSON values."""
        return {
            "threads": dict(self.labels),
            "memory": {name: plain(value) for name, value in self.memory.items()},
            "registers": {t: {n: plain(v) for n, v in regs.items()} for t, regs in self.registers.items()},
            "launched": list(self.issued),
        }


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
    """A thread that does not get on: where it is, and which rule owes it nothing (or what it waits for).

    ``on`` are the threads that could give it what it waits for, and one that has ended and kept it.
    """

    thread: str
    where: str
    why: str
    span: Span
    standing: Standing
    on: tuple[str, ...] = ()


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

    def as_json(self) -> dict[str, Any]:
        """Its steps with the state after each, where it repeats or stops, and who is owed nothing, as JSON values."""
        return {
            "type": "schedule",
            "start": self.start.as_json(),
            "steps": [
                {
                    "thread": m.thread,
                    "action": m.action,
                    "label": m.label,
                    "span": m.span.as_json(),
                    "changes": dict(m.changes),
                    "state": m.after.as_json(),
                }
                for m in self.moves
            ],
            "ending": self.ending.value,
            "loop_to": self.loop_to,
            "stuttering": self.stuttering,
            "behind": [
                {"thread": b.thread, "where": b.where, "why": b.why, "span": b.span.as_json()} for b in self.behind
            ],
        }

    @property
    def stuttering(self) -> bool:
        """Whether nothing happens any more at the end."""
        return self.ending in (Ending.DEADLOCK, Ending.STOP)

    @property
    def kind(self) -> Kind:
        """The reason why this behaviour does not end."""
        found = {b.standing for b in self.behind}
        if Standing.UNDEFINED in found:
            return Kind.UNDEFINED
        if Standing.SILENT in found:
            return Kind.SILENCE
        if Standing.REFUSED in found:
            return Kind.STARVATION
        return Kind.LIVELOCK if Standing.SPINNING in found else Kind.DEADLOCK


def plain(value: object) -> Any:
    """A value of a state as JSON."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, frozenset)):
        return [plain(v) for v in value]
    return value
