"""The runs of a program: interleavings of its threads and agents.

A state holds what the next steps depend on and the *events* so far. An event names the event that it read from, the
phase or generation that it met, never a time: runs that differ only in the order of independent steps are one state,
and each maximal run is a partial order to which `check.py` applies the rules of section 2.

A step "nobody could see" (section 1) is taken at once, the others in every order: fences, issues, commits, the return
from a meeting that is complete, and with `Options.eager` weak accesses and agents that only access weakly: their order
is not free without a race, and a race of theirs is in every run that has both events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.oracles.asynchronous import program as p

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


class Machine:
    def __init__(self, program: p.Program, options: p.Options) -> None:
        self.options = options
        self.code: list[tuple[p.Instruction, ...]] = []
        self.block: list[int] = []
        self.warp: list[int] = []
        for b, threads in enumerate(program.blocks):
            for thread in threads:
                self.code.append(thread.code)
                self.block.append(b)
                self.warp.append(thread.warp)
        self.threads = range(len(self.code))
        self.blocks = range(len(program.blocks))
        self.home: dict[str, int | None] = {m.name: m.block for m in program.memory}  # None: global
        self.barriers = {m.name for m in program.memory if isinstance(m, p.Barrier)}
        self.tensor = {m.name for m in program.memory if isinstance(m, p.Array) and m.tensor}
        self.size = cluster = program.cluster
        self.cluster = [b // cluster for b in self.block]
        self.first = State(len(self.code))
        for m in program.memory:
            if isinstance(m, p.Array):
                self.first.mem.update({(m.name, i): (m.init, None) for i in range(m.size)})
            else:
                self.first.bars[m.name] = Mbarrier()
        self.table: list[Event] = []
        self.numbers: dict[Event, int] = {}

    # -------------------------------------------------------------- events

    def emit(self, s: State, agent: Agent, kind: str, **fields: Any) -> int:
        mine = (agent, fields.get("part", 0))
        index = s.count.get(mine, 0)
        s.count[mine] = index + 1
        event = Event(agent, index, agent[1], kind, **fields)
        number = self.numbers.setdefault(event, len(self.table))
        if number == len(self.table):
            self.table.append(event)
        s.events |= {number}
        return number

    def element(self, s: State, loc: p.Loc) -> tuple[str, int]:
        place = (loc.name, loc.index)
        if loc.name in self.barriers:
            if s.bars[loc.name].valid:
                raise Undefined("ordinary access to a valid mbarrier")
            s.mem.setdefault(place, (0, None))
        elif place not in s.mem:
            raise Undefined(f"out of bounds: {place}")
        return place

    def read(
        self, s: State, agent: Agent, loc: p.Loc, proxy: str, order: str = "weak", scope: str = "", part: int = 0
    ) -> int:
        place = self.element(s, loc)
        value, writer = s.mem[place]
        rf = writer if order != "weak" else None
        self.emit(
            s,
            agent,
            "access",
            loc=place,
            address=loc.address,
            proxy=proxy,
            reads=True,
            order=order,
            scope=scope,
            rf=rf,
            part=part,
        )
        return value

    def write(
        self,
        s: State,
        agent: Agent,
        loc: p.Loc,
        value: int,
        proxy: str,
        order: str = "weak",
        scope: str = "",
        part: int = 0,
    ) -> None:
        place = self.element(s, loc)
        e = self.emit(
            s,
            agent,
            "access",
            loc=place,
            address=loc.address,
            proxy=proxy,
            writes=True,
            order=order,
            scope=scope,
            part=part,
        )
        s.mem[place] = (value, e if order != "weak" else None)

    def add(
        self, s: State, agent: Agent, loc: p.Loc, value: int, proxy: str, order: str, scope: str, part: int = 0
    ) -> int:
        place = self.element(s, loc)
        old, writer = s.mem[place]
        e = self.emit(
            s,
            agent,
            "access",
            loc=place,
            address=loc.address,
            proxy=proxy,
            reads=True,
            writes=True,
            order=order,
            scope=scope,
            rf=writer,
            part=part,
        )
        s.mem[place] = (old + value, e)
        return old

    # -------------------------------------------------------------- mbarriers (section 3)

    def update(
        self,
        s: State,
        agent: Agent,
        name: str,
        what: str,
        change: Any,
        arrives: int = 0,
        order: str = "relaxed",
        scope: str = "cluster",
        covers: tuple[tuple[Agent, int], ...] = (),
        part: int = 0,
    ) -> Mbarrier:
        """One atomic step: `change`, then the end of the phase where the sums meet. Return the state before."""
        old = s.bars[name]
        if not old.valid:
            raise Undefined("mbarrier without init")
        if arrives > old.pending:
            raise Undefined("more arrivals than pending")
        # "an arrive in phase p+1 though no wait was true for p [.5.1] (overrun)"
        if arrives and old.phase > 0 and not old.waited:
            raise Undefined("overrun")
        self.emit(
            s,
            agent,
            "mbarrier",
            loc=(name, 0),
            reads=True,
            writes=True,
            what=what,
            order=order,
            scope=scope,
            sync=(name, old.birth, old.phase),
            covers=covers,
            part=part,
        )
        s.bars[name] = change(old).settle()
        return old

    def arrive(
        self,
        s: State,
        agent: Agent,
        name: str,
        count: int,
        order: str,
        scope: str,
        tx: int = 0,
        drop: bool = False,
        covers: tuple[tuple[Agent, int], ...] = (),
    ) -> Mbarrier:
        if not 1 <= count < 2**20:
            raise Undefined("count out of range")
        if not -(2**20) < tx < 2**20:
            raise Undefined("bytes out of range")

        def change(b: Mbarrier) -> Mbarrier:
            expected = b.expected - count if drop else b.expected
            if expected <= 0:
                raise Undefined("arrive_drop to an expected count of 0")  # "at 0 undefined [.17]"
            return replace(b, pending=b.pending - count, tx=b.tx + tx, expected=expected)

        return self.update(s, agent, name, "arrive", change, count, order, scope, covers)

    def transact(
        self,
        s: State,
        agent: Agent,
        name: str,
        tx: int,
        what: str,
        covers: tuple[tuple[Agent, int], ...] = (),
        part: int = 0,
    ) -> None:
        """expect_tx, complete_tx: relaxed; tx may be negative meanwhile [.3]."""
        if not -(2**20) < tx < 2**20:
            raise Undefined("bytes out of range")
        self.update(s, agent, name, what, lambda b: replace(b, tx=b.tx + tx), covers=covers, part=part)

    def token(self, s: State, t: int, name: str, before: Mbarrier, dst: str | None) -> None:
        if dst is not None:
            if self.home[name] != self.block[t]:
                raise Undefined("token from another block's barrier")
            s.regs[t, dst] = (name, before.birth, before.phase)

    def wait(self, s: State, t: int, i: p.Wait) -> list[State]:
        """True iff phase = t+1; iff phase mod 2 != q. What is true, is true for the phase before."""
        bar = s.bars[i.bar]
        if self.home[i.bar] != self.block[t]:
            raise Undefined("wait on another block's barrier")
        if not bar.valid:
            raise Undefined("mbarrier without init")
        if i.token is not None:
            name, birth, phase = s.regs.get((t, i.token), (None, 0, 0))
            if (name, birth) != (i.bar, bar.birth):
                raise Undefined("token of another barrier")
            if phase + 1 < bar.phase:
                raise Undefined("token older than the preceding phase")
            true = bar.phase == phase + 1
        else:
            true = bar.phase % 2 != i.parity

        out = []
        if true:
            yes = s.copy()
            self.emit(
                yes,
                ("T", t),
                "mbarrier",
                loc=(i.bar, 0),
                reads=True,
                writes=True,
                what="wait",
                order=i.order,
                scope=i.scope,
                sync=(i.bar, bar.birth, bar.phase - 1),
            )
            yes.bars[i.bar] = replace(bar, waited=True)
            out.append(self.advance(yes, t, i.dst, 1))
        # "try_wait may give up at a time limit: false says nothing"; a failed try orders nothing
        if i.mode == "try" or (i.mode == "test" and not true):
            no = s.copy()
            self.emit(
                no,
                ("T", t),
                "mbarrier",
                loc=(i.bar, 0),
                reads=True,
                writes=True,
                what="try",
                order="relaxed",
                scope=i.scope,
            )
            out.append(self.advance(no, t, i.dst, 0))
        if i.mode == "loop" and not true and not s.failed.get(t) and self.options.tries:
            again = s.copy()
            self.emit(
                again,
                ("T", t),
                "mbarrier",
                loc=(i.bar, 0),
                reads=True,
                writes=True,
                what="try",
                order="relaxed",
                scope=i.scope,
            )
            again.failed[t] = frozenset({"try"})
            out.append(again)
        return out

    # -------------------------------------------------------------- meetings

    def members(self, key: tuple[Any, ...]) -> list[int]:
        match key[0]:
            case "barrier":
                return [t for t in self.threads if self.block[t] == key[1]]
            case "cluster":
                return [t for t in self.threads if self.cluster[t] == key[1]]
            case _:  # a warp: kind, block, warp, lanes
                lanes = [t for t in self.threads if (self.block[t], self.warp[t]) == key[1:3]]
                return [t for n, t in enumerate(lanes) if key[3] is None or n in key[3]]

    def complete(self, s: State, key: tuple[Any, ...], m: Meeting) -> bool:
        often = dict(m.arrivals)
        if not often:
            return False
        if m.count is None:  # all non-exited threads
            return all(t in often or t in s.exited for t in self.members(key))
        # "a warp arrives when its non-exited threads have, and counts 32"
        warps: dict[int, list[int]] = {}
        for t in self.members(key):
            warps.setdefault(self.warp[t], []).append(t)
        total = 0
        for lanes in warps.values():
            live = [t for t in lanes if t not in s.exited]
            total += 32 * (min(often.get(t, 0) for t in live) if live else max(often.get(t, 0) for t in lanes))
        return total >= m.count

    def settle(self, s: State, key: tuple[Any, ...]) -> None:
        m = s.meetings[key]
        if self.complete(s, key, m):
            s.meetings[key] = Meeting(m.generation + 1)

    def meet(
        self,
        s: State,
        t: int,
        key: tuple[Any, ...],
        order: str,
        scope: str,
        count: int | None = None,
        ordered: bool = True,
    ) -> tuple[Any, ...]:
        """An arrival. Return (meeting, generation)."""
        m = s.meetings.get(key, Meeting())
        if m.arrivals and m.count != count:
            raise Undefined("named barrier with two counts")
        if key[0] == "barrier" and count is not None and (count <= 0 or count % 32):
            raise Undefined("count of a named barrier")
        often = dict(m.arrivals)
        often[t] = often.get(t, 0) + 1
        s.meetings[key] = replace(m, arrivals=tuple(sorted(often.items())), count=count)
        self.emit(
            s,
            ("T", t),
            "meet",
            what=f"meet {key[0]}",
            order=order,
            scope=scope,
            sync=(key, m.generation) if ordered else None,
        )
        self.settle(s, key)
        return (key, m.generation)

    def passed(self, s: State, where: tuple[Any, ...]) -> bool:
        return s.meetings[where[0]].generation > where[1]

    # -------------------------------------------------------------- agents

    def agent_steps(self, s: State, agent: Agent) -> tuple[list[State], bool]:
        """The next states of an agent, and whether nobody could see the step."""
        _, t, pc = agent
        i = self.instruction(t, pc)
        held = s.agents[agent]
        new = s.copy()
        match i:
            case p.BulkCopy():  # one agent with destinations and a completion in each named block
                out = []
                for k in held:
                    new = s.copy()
                    for a, b in zip(i.src.locs(), i.dsts[k].locs(), strict=True):
                        value = self.read(new, agent, a, "ASY", part=k)
                        if i.add:
                            self.add(new, agent, b, value, "ASY", "relaxed", "sys", k)
                        else:
                            self.write(
                                new, agent, b, value, "ASY", "relaxed" if i.strong else "weak", i.strong or "", k
                            )
                    self.transact(new, agent, i.bars[k], -p.ELEMENT * i.src.count, "complete_tx", ((agent, k),), k)
                    self.held(new, agent, tuple(x for x in held if x != k))
                    out.append(new)
                return out, False
            case p.BulkStore() if held == ():
                values = tuple(self.read(new, agent, a, "ASY") for a in i.src.locs())
                new.agents[agent] = values
                return [new], self.options.eager
            case p.BulkStore():
                for b, value in zip(i.dst.locs(), held, strict=True):
                    if i.add:  # relaxed atomics by element, .sys
                        self.add(new, agent, b, value, "ASY", "relaxed", "sys")
                    else:
                        self.write(new, agent, b, value, "ASY")
                del new.agents[agent]
                return [new], self.options.eager and not i.add
            case p.CpAsync():  # a GEN agent
                for a, b in zip(i.src.locs(), i.dst.locs(), strict=True):
                    self.write(new, agent, b, self.read(new, agent, a, "GEN"), "GEN")
                del new.agents[agent]
                return [new], self.options.eager
            case p.StAsync() | p.RedAsync():  # weak / relaxed.cluster, complete-tx in the data's block
                if isinstance(i, p.StAsync):
                    self.write(new, agent, i.dst, held[0], "GEN")
                else:
                    self.add(new, agent, i.dst, held[0], "GEN", "relaxed", "cluster")
                self.transact(new, agent, i.bar, -p.ELEMENT, "complete_tx", ((agent, 0),))
                del new.agents[agent]
                return [new], False
            case p.CpArrive() | p.TcCommit():  # arrives when what it covers is done
                if any(a in s.agents for a in held):
                    return [], False
                self.arrive(new, agent, i.bar, 1, "relaxed", "cluster", covers=tuple((a, 0) for a in (*held, agent)))
                del new.agents[agent]
                return [new], False
            case p.TcMma():
                for a in i.src.locs():
                    self.read(new, agent, a, "ASY")
                for b in i.dst.locs():
                    self.write(new, agent, b, 0, "TC")
                del new.agents[agent]
                return [new], self.options.eager
            case p.TcLoad():
                for a in i.src.locs():
                    self.read(new, agent, a, "TC")
                del new.agents[agent]
                return [new], self.options.eager
        raise AssertionError(i)

    def held(self, s: State, agent: Agent, rest: tuple[int, ...]) -> None:
        if rest:
            s.agents[agent] = rest
        else:
            del s.agents[agent]

    # -------------------------------------------------------------- threads

    def instruction(self, t: int, pc: int) -> p.Instruction:
        i = self.code[t][pc]
        return i.then if isinstance(i, p.If) else i

    def advance(self, s: State, t: int, dst: str | None = None, value: int | None = None) -> State:
        if dst is not None:
            s.regs[t, dst] = value
        s.pc[t] += 1
        s.failed.pop(t, None)
        return s

    def value(self, s: State, t: int, value: p.Value) -> int:
        return s.regs.get((t, value), 0) if isinstance(value, str) else value

    def issue(self, s: State, t: int, held: Any, group: str | None = None) -> list[State]:
        agent: Agent = ("A", t, s.pc[t])
        self.emit(s, ("T", t), "issue", what=f"issue {s.pc[t]}", covers=((agent, 0),))
        s.agents[agent] = held
        if group is not None:
            s.open[t, group] = (*s.open.get((t, group), ()), agent)
        return [self.advance(s, t)]

    def leave(self, s: State, t: int) -> list[State]:
        s.exited |= {t}
        s.pc[t] = len(self.code[t]) + 1
        self.emit(s, ("T", t), "exit")
        for key in list(s.meetings):
            if t in self.members(key):
                self.settle(s, key)
        return [s]

    def thread_steps(self, old: State, t: int) -> tuple[list[State], bool]:
        """The next states of a thread (none: it is blocked), and whether nobody could see the step."""
        if t in old.exited:
            return [], False
        s = old.copy()
        me: Agent = ("T", t)
        pc = s.pc[t]
        if pc < 0:
            self.emit(s, me, "start")
            return [self.advance(s, t)], True
        if pc >= len(self.code[t]):
            return self.leave(s, t), False
        i = self.code[t][pc]
        if isinstance(i, p.If):
            if s.regs.get((t, i.register)) != i.value:
                return [self.advance(s, t)], True
            i = i.then

        if t in s.inside:  # the return from a meeting
            where = s.inside[t]
            if not self.passed(s, where):
                return [], False
            del s.inside[t]
            ordered = not isinstance(i, p.Exchange)  # "shuffles, votes: no memory order [G]"
            self.emit(
                s, me, "leave", order="acquire" if ordered else "relaxed", scope="cta", sync=where if ordered else None
            )
            return [self.advance(s, t)], True

        match i:
            case p.Load():
                s.regs[t, i.dst] = self.read(s, me, i.loc, "GEN", i.order, i.scope if i.order != "weak" else "")
                return [self.advance(s, t)], self.options.eager and i.order == "weak"
            case p.Store():
                self.write(
                    s, me, i.loc, self.value(s, t, i.value), "GEN", i.order, i.scope if i.order != "weak" else ""
                )
                return [self.advance(s, t)], self.options.eager and i.order == "weak"
            case p.Add():
                value = self.add(s, me, i.loc, self.value(s, t, i.value), "GEN", i.order, i.scope)
                return [self.advance(s, t, i.dst, value)], False
            case p.Await():
                place = self.element(s, i.loc)
                there = s.mem[place][0] == self.value(s, t, i.value)
                if not there and s.mem[place] in s.failed.get(t, ()):
                    return [], False
                self.read(s, me, i.loc, "GEN", i.order, i.scope)
                if there:
                    return [self.advance(s, t)], False
                s.failed[t] = s.failed.get(t, frozenset()) | {s.mem[place]}
                return [s], False
            case p.Fence():
                self.emit(s, me, "fence", order=i.order, scope=i.scope)
                return [self.advance(s, t)], True
            case p.ProxyFence():
                self.emit(s, me, "proxy", what=i.kind, scope=i.space or "")
                return [self.advance(s, t)], True
            case p.FenceMbarrierInit():
                self.emit(s, me, "initfence")
                return [self.advance(s, t)], True

            case p.BlockBarrier():
                s.inside[t] = self.meet(s, t, ("barrier", self.block[t], 0), "release", "cta")
                return [s], False
            case p.NamedSync():
                s.inside[t] = self.meet(s, t, ("barrier", self.block[t], i.id), "release", "cta", i.count)
                return [s], False
            case p.NamedArrive():
                self.meet(s, t, ("barrier", self.block[t], i.id), "release", "cta", i.count)
                return [self.advance(s, t)], False
            case p.ClusterArrive():
                if t in s.cluster:
                    raise Undefined("two arrives at the cluster barrier")
                s.cluster[t] = self.meet(s, t, ("cluster", self.cluster[t]), i.order, "cluster")
                return [self.advance(s, t)], False
            case p.ClusterWait():
                if t not in s.cluster:
                    raise Undefined("wait first at the cluster barrier")
                if not self.passed(s, s.cluster[t]):
                    return [], False
                self.emit(s, me, "leave", order=i.order, scope="cluster", sync=s.cluster.pop(t))
                return [self.advance(s, t)], True
            case p.SyncWarp() | p.Exchange():
                order = "release" if isinstance(i, p.SyncWarp) else "relaxed"
                key = (type(i).__name__, self.block[t], self.warp[t], i.lanes)
                s.inside[t] = self.meet(s, t, key, order, "cta", ordered=isinstance(i, p.SyncWarp))
                return [s], False

            case p.Init():
                if s.bars[i.bar].valid:
                    raise Undefined("init of a valid mbarrier")  # "on a valid object undefined, inval first"
                if not 1 <= i.count < 2**20:
                    raise Undefined("count out of range")
                self.emit(s, me, "init", loc=(i.bar, 0), writes=True)
                s.bars[i.bar] = Mbarrier(0, i.count, i.count, 0, True, False, s.bars[i.bar].birth + 1)
                return [self.advance(s, t)], False
            case p.Inval():
                if not s.bars[i.bar].valid:
                    raise Undefined("mbarrier without init")
                self.emit(s, me, "inval", loc=(i.bar, 0), writes=True)
                s.bars[i.bar] = replace(s.bars[i.bar], valid=False)
                return [self.advance(s, t)], False
            case p.Arrive():
                before = self.arrive(s, me, i.bar, i.count, i.order, i.scope)
                if i.no_complete and s.bars[i.bar].phase != before.phase:
                    raise Undefined("noComplete that completes")
                self.token(s, t, i.bar, before, i.dst)
                return [self.advance(s, t)], False
            case p.ArriveExpectTx():
                before = self.arrive(s, me, i.bar, i.count, i.order, i.scope, i.bytes)
                self.token(s, t, i.bar, before, i.dst)
                return [self.advance(s, t)], False
            case p.ArriveDrop():
                before = self.arrive(s, me, i.bar, i.count, i.order, i.scope, drop=True)
                self.token(s, t, i.bar, before, i.dst)
                return [self.advance(s, t)], False
            case p.ExpectTx():
                self.transact(s, me, i.bar, i.bytes, "expect_tx")
                return [self.advance(s, t)], False
            case p.CompleteTx():
                self.transact(s, me, i.bar, -i.bytes, "complete_tx")
                return [self.advance(s, t)], False
            case p.Wait():
                return self.wait(old, t, i), False

            case p.BulkCopy():
                return self.issue(s, t, tuple(range(len(i.dsts)))), True
            case p.BulkStore():
                return self.issue(s, t, (), "bulk"), True
            case p.CpAsync():
                return self.issue(s, t, (), "cp"), True
            case p.StAsync() | p.RedAsync():
                home = self.home[i.dst.name]
                if home == self.block[t] or home != self.home[i.bar]:
                    raise Undefined("st.async to the own block, or data and mbarrier apart")
                return self.issue(s, t, (self.value(s, t, i.value),)), True
            case p.CpArrive():  # "pending += 1 unless noinc; an agent arrives when T's earlier cp.async are done [.18]"
                if not i.noinc:
                    self.update(s, me, i.bar, "pending += 1", lambda b: replace(b, pending=b.pending + 1))
                return self.issue(s, t, self.earlier(t, pc, p.CpAsync)), i.noinc
            case p.TcMma():
                return self.issue(s, t, ()), True
            case p.TcLoad():
                return self.issue(s, t, ()), True
            case p.TcCommit():
                return self.issue(s, t, self.earlier(t, pc, p.TcMma)), True
            case p.TcWait():
                mine = self.earlier(t, pc, p.TcLoad)
                if any(a in s.agents for a in mine):
                    return [], False
                self.emit(s, me, "group", what="wait::ld", covers=tuple((a, 0) for a in mine))
                return [self.advance(s, t)], True
            case p.TcFence():
                self.emit(s, me, "tcfence", what=i.side)
                return [self.advance(s, t)], True
            case p.BulkCommit() | p.CpCommit():
                self.commit(s, t, "bulk" if isinstance(i, p.BulkCommit) else "cp")
                return [self.advance(s, t)], True
            case p.BulkWait():
                return self.group_wait(s, t, "bulk", i.n, i.read), True
            case p.CpWait():
                if i.n is None:
                    self.commit(s, t, "cp")
                return self.group_wait(s, t, "cp", i.n or 0, False), True
            case p.Exit():
                return self.leave(s, t), False
        raise AssertionError(i)

    def earlier(self, t: int, pc: int, kind: type) -> tuple[Agent, ...]:
        return tuple(("A", t, k) for k in range(pc) if isinstance(self.code[t][k], kind))

    def commit(self, s: State, t: int, kind: str) -> None:
        s.groups[t, kind] = (*s.groups.get((t, kind), ()), s.open.pop((t, kind), ()))

    def group_wait(self, s: State, t: int, kind: str, n: int, read: bool) -> list[State]:
        """Blocked until at most n groups are left. `done` from all of the others; .read: from reads only; to T only."""
        groups = s.groups.get((t, kind), ())
        old = [a for g in groups[: max(0, len(groups) - n)] for a in g]
        if any(a in s.agents and not (read and s.agents[a] != ()) for a in old):
            return []
        self.emit(
            s, ("T", t), "group", what="wait_group.read" if read else "wait_group", covers=tuple((a, 0) for a in old)
        )
        return [self.advance(s, t)]

    # -------------------------------------------------------------- the graph

    def steps(self, s: State) -> tuple[list[State], list[str]]:
        """All next states, or those of one step that nobody could see; and errors that a step commits."""
        out: list[State] = []
        errors: list[str] = []
        for unit in self.units(s):
            try:
                new, local = unit[0](s, unit[1])
            except Undefined as error:
                errors.append(str(error))
                continue
            if local and new:
                return new, []
            out += new
        return out, errors

    def units(self, s: State) -> Iterator[tuple[Any, Any]]:
        yield from ((self.thread_steps, t) for t in self.threads)
        yield from ((self.agent_steps, a) for a in sorted(s.agents))

    def finished(self, s: State) -> bool:
        return len(s.exited) == len(self.code) and not s.agents
