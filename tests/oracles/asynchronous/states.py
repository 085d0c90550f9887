"""The state of a run: memory, mbarriers, meetings, agents, and the events so far."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

Agent = tuple[Any, ...]  # ("T", thread) or ("A", thread, pc): threads and agents


@dataclass(frozen=True)
class Event:
    """kind: access; mbarrier (arrive, expect, wait, try: `what`), init, inval; fence, proxy (fence), initfence,
    tcfence; issue; meet, leave (barriers); group (a wait); start, exit, plain."""

    agent: Agent
    index: int
    thread: int  # where an agent was issued: "Scopes are computed from T's place" (1)
    kind: str
    loc: tuple[str, int] | None = None
    address: str = ""
    proxy: str = "GEN"  # GEN ASY TC
    reads: bool = False
    writes: bool = False
    order: str = "weak"
    scope: str = ""
    rf: int | None = None
    sync: tuple[Any, ...] | None = None  # (mbarrier, incarnation, phase), or (meeting, generation)
    part: int = 0  # which destination of a multicast
    covers: tuple[tuple[Agent, int], ...] = ()  # the (agent, part) whose accesses this completes
    what: str = ""

    def __str__(self) -> str:
        who = f"thread {self.thread}" if self.agent[0] == "T" else f"agent {self.agent[2]} of thread {self.thread}"
        place = f" {self.loc[0]}[{self.loc[1]}]" if self.loc else ""
        how = ("R" if self.reads else "") + ("W" if self.writes else "")
        return f"{who}: {self.what or self.kind}{place} {how} {self.proxy} {self.order}".replace("  ", " ")


@dataclass(frozen=True)
class Mbarrier:
    """(phase, pending, expected, tx, valid); `waited`: a wait was true for phase - 1; `birth` counts the inits."""

    phase: int = 0
    pending: int = 0
    expected: int = 0
    tx: int = 0
    valid: bool = False
    waited: bool = False
    birth: int = 0

    def settle(self) -> Mbarrier:
        """After each: pending = 0 and tx = 0: phase += 1, pending = expected [.8]."""
        if self.pending == 0 and self.tx == 0:
            return replace(self, phase=self.phase + 1, pending=self.expected, waited=False)
        return self


@dataclass(frozen=True)
class Meeting:
    """A barrier of threads: the arrivals of the current generation, and the count asked for."""

    generation: int = 0
    arrivals: tuple[tuple[int, int], ...] = ()  # (thread, how often), sorted
    count: int | None = None


class Undefined(Exception):
    """An error of section 3 or undefined behaviour of section 4; ends the run."""


class State:
    __slots__ = (
        "agents",
        "bars",
        "cluster",
        "count",
        "events",
        "exited",
        "failed",
        "groups",
        "inside",
        "meetings",
        "mem",
        "open",
        "pc",
        "regs",
    )

    def __init__(self, threads: int) -> None:
        self.pc = [-1] * threads  # -1: not started
        self.regs: dict[tuple[int, str], Any] = {}
        self.mem: dict[tuple[str, int], tuple[int, int | None]] = {}  # value, and the strong write that made it
        self.bars: dict[str, Mbarrier] = {}
        self.agents: dict[Agent, Any] = {}  # unfinished agents and what they hold
        self.meetings: dict[tuple[Any, ...], Meeting] = {}
        self.inside: dict[int, tuple[Any, ...]] = {}  # thread -> (meeting, generation) it waits in
        self.failed: dict[int, frozenset[Any]] = {}  # what a loop has seen in vain
        self.groups: dict[tuple[int, str], tuple[tuple[Agent, ...], ...]] = {}  # committed, by (thread, kind)
        self.open: dict[tuple[int, str], tuple[Agent, ...]] = {}
        self.cluster: dict[int, tuple[Any, ...]] = {}  # threads between arrive and wait
        self.exited: frozenset[int] = frozenset()
        self.events: frozenset[int] = frozenset()
        self.count: dict[tuple[Agent, int], int] = {}  # of the events of an (agent, part)

    def copy(self) -> State:
        new = State.__new__(State)
        for name in self.__slots__:
            old = getattr(self, name)
            setattr(new, name, old.copy() if isinstance(old, (dict, list)) else old)
        return new

    def key(self) -> tuple[Any, ...]:
        parts = (getattr(self, name) for name in self.__slots__[:-1])  # `count` follows from `events`
        return tuple(
            frozenset(x.items()) if isinstance(x, dict) else tuple(x) if isinstance(x, list) else x for x in parts
        )
