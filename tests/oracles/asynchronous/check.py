"""Answers to questions about a program: the rules `cuda` of section 2 on each complete, stuck or erroneous run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous import tensor_memory
from tests.oracles.asynchronous.machine import Machine
from tests.oracles.asynchronous.states import Event, State


@dataclass(frozen=True)
class Race:
    first: str
    second: str
    where: str  # a location, or the start or end of a block (section 6)

    def __str__(self) -> str:
        return f"{self.where}: {self.first} | {self.second}"


@dataclass
class Result:
    races: set[Race] = field(default_factory=set)
    errors: set[str] = field(default_factory=set)
    complete: int = 0  # maximal runs (up to the order of independent steps), by how they end
    stuck: int = 0
    undefined: int = 0
    stuck_threads: set[tuple[int, ...]] = field(default_factory=set)  # who is left, in some run
    finals: set[tuple[tuple[str, int], ...]] = field(
        default_factory=set
    )  # memory at the end; registers as "thread.name"
    states: int = 0
    witness: dict[Race | str, tuple[str, ...]] = field(
        default_factory=dict
    )  # a run, step by step, for a race, an error, "stuck"

    @property
    def progress(self) -> str:
        """deadlock: every run that commits no error stays stuck; may_hang: some do, some end."""
        if not self.stuck:
            return "terminates" if self.complete else "undefined"
        return "may_hang" if self.complete else "deadlock"

    def words(self) -> set[str]:
        """What section 7 says of a program."""
        out = {"race" if self.races else "race_free", self.progress} | self.errors
        return out | ({"error"} if self.errors else set())


Key = tuple[object, ...]


class TooLarge(Exception):
    pass


def check(program: p.Program, options: p.Options = p.DEFAULT) -> Result:
    """Explore every state once; judge every maximal run."""
    machine = Machine(program, options)
    result = Result()
    first = machine.first.key()
    came: dict[Key, tuple[Key | None, frozenset[int]]] = {
        first: (None, frozenset())
    }  # the state before, and the events since
    todo = [(first, machine.first)]
    judged: set[frozenset[int]] = set()

    def witness(of: Iterable[Race | str], key: Key) -> None:
        for what in of:
            if what not in result.witness:
                result.witness[what] = tuple(path(machine, came, key))

    while todo:
        key, state = todo.pop()
        nexts, errors = machine.steps(state)
        if (errors or not nexts) and state.events not in judged:
            judged.add(state.events)
            races = Run(machine, state, options).races()
            result.races |= races
            witness(sorted(races, key=str), key)
        if errors:
            result.errors |= set(errors)
            result.undefined += 1
            witness(errors, key)
        elif not nexts and close(machine, state, result):
            witness(["stuck"], key)
        for new in nexts:
            other = new.key()
            if other not in came:
                came[other] = (key, new.events - state.events)
                todo.append((other, new))
        if len(came) > options.limit:
            raise TooLarge(f"more than {options.limit} states")
    result.states = len(came)
    return result


def path(machine: Machine, came: dict[Key, tuple[Key | None, frozenset[int]]], key: Key | None) -> list[str]:
    out: list[str] = []
    while key is not None:
        key, events = came[key]
        out += (str(machine.table[e]) for e in sorted(events, reverse=True))
    return out[::-1]


def close(machine: Machine, s: State, result: Result) -> bool:
    """A state without steps. Every step but a failed try lets its thread or agent go forward and programs are finite, so
    all cycles are failed tries ("a failed try stutters"), and such a cycle is fair exactly where nothing else can step. Return whether it is stuck."""
    if machine.finished(s):
        result.complete += 1
        memory = [(f"{name}[{i}]", value) for (name, i), (value, _) in s.mem.items()]
        registers = [(f"{t}.{r}", v) for (t, r), v in s.regs.items() if isinstance(v, int)]
        result.finals.add(tuple(sorted(memory) + sorted(registers)))
    else:
        result.stuck += 1
        result.stuck_threads.add(tuple(t for t in machine.threads if t not in s.exited))
    return not machine.finished(s)


# ------------------------------------------------------------------ relations, as rows of bits: row[x] has bit y: x -> y

Rows = list[int]


def bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def closed(rows: Rows) -> Rows:
    """The transitive closure."""
    rows = list(rows)
    for k in range(len(rows)):
        bit = 1 << k
        for x in range(len(rows)):
            if rows[x] & bit:
                rows[x] |= rows[k]
    return rows


def after(mask: int, rows: Rows) -> int:
    """The image of a set."""
    out = 0
    for x in bits(mask):
        out |= rows[x]
    return out


class Run:
    """The events of one run and the relations of section 2 over them. Events are numbers 0 .. n - 1 here."""

    def __init__(self, machine: Machine, state: State, options: p.Options) -> None:
        self.machine = machine
        self.path = options.proxy_fence == "path"
        numbers = sorted(state.events)
        self.at = {number: x for x, number in enumerate(numbers)}
        self.events: list[Event] = [machine.table[n] for n in numbers]
        self.all = range(len(numbers))
        self.exited = state.exited
        self.ended = {
            b for b in machine.blocks if all(t in state.exited for t in machine.threads if machine.block[t] == b)
        }

        self.po = self.program_order()
        self.issue = self.relation(
            (x, y) for x, e in self.of("issue") for y, f in self.agents() if f.agent == e.covers[0][0]
        )
        self.done = self.relation(self.done_pairs())
        sw = self.relation(self.synchronises())
        # "execution ordering": arrivals at an mbarrier and true waits for their phase, whatever they release or acquire
        phases = self.relation(
            (x, y)
            for x, e in self.of("mbarrier")
            if e.what == "arrive" and e.agent[0] == "T"
            for y in self.observers(e)
            if self.mutual(x, y)
        )
        self.executed = closed([r | s | t for r, s, t in zip(self.po, sw, phases, strict=True)])
        # b = (po | asw | sw)+   (no asw: one launch)
        self.b = closed([r | s for r, s in zip(self.po, sw, strict=True)])
        # hb0 = b | b?;issue | done;b? | done;b?;issue   (never issue;done: 8.9.1.1)
        self.hb0 = self.through(self.b)
        self.before = self.relation((y, x) for x in self.all for y in bits(self.hb0[x]))  # the inverse

    # -------------------------------------------------------------- the parts

    def relation(self, pairs: Iterable[tuple[int, int]]) -> Rows:
        rows = [0] * len(self.events)
        for x, y in pairs:
            rows[x] |= 1 << y
        return rows

    def of(self, *kinds: str) -> list[tuple[int, Event]]:
        return [(x, e) for x, e in enumerate(self.events) if e.kind in kinds]

    def agents(self) -> list[tuple[int, Event]]:
        return [(x, e) for x, e in enumerate(self.events) if e.agent[0] == "A"]

    def program_order(self) -> Rows:
        """T's events in order. "the agent is not in T's po"; "elements unordered" in it (1)."""
        threads = [(x, e) for x, e in enumerate(self.events) if e.agent[0] == "T"]
        return self.relation((x, y) for x, e in threads for y, f in threads if e.agent == f.agent and e.index < f.index)

    def through(self, b: Rows) -> Rows:
        """b | b?;issue | done;b? | done;b?;issue. `b` and `issue` begin in threads, `done` in agents (and inits)."""
        rows = []
        for x in self.all:
            reached = b[x] | self.done[x] | after(self.done[x], b)
            rows.append(reached | after(reached | 1 << x, self.issue))
        return rows

    def includes(self, scope: str, x: int, y: int) -> bool:
        """Does the scope of x's thread have y's thread?"""
        s, t = self.events[x].thread, self.events[y].thread
        match scope:
            case "cta":
                return self.machine.block[s] == self.machine.block[t]
            case "cluster":
                return self.machine.cluster[s] == self.machine.cluster[t]
            case "gpu" | "sys":
                return True
        raise AssertionError(scope)

    def mutual(self, x: int, y: int) -> bool:
        return self.includes(self.events[x].scope, x, y) and self.includes(self.events[y].scope, y, x)

    # -------------------------------------------------------------- synchronisation

    def heads(self, x: int) -> list[int]:
        """A release, or the release fences before a relaxed operation [P 8.8]."""
        if self.events[x].order in ("release", "acq_rel"):
            return [x]
        return [f for f, e in self.of("fence") if e.order in ("release", "acq_rel", "sc") and self.po[f] >> x & 1]

    def tails(self, y: int) -> list[int]:
        """An acquire, or the acquire fences behind a relaxed operation [P 8.8]."""
        if self.events[y].order in ("acquire", "acq_rel"):
            return [y]
        return [f for f, e in self.of("fence") if e.order in ("acquire", "acq_rel", "sc") and self.po[y] >> f & 1]

    def patterns(self, x: int, y: int) -> Iterator[tuple[int, int]]:
        """x is observed by y: the ends of the release pattern and of the acquire pattern, scopes mutual."""
        if self.mutual(x, y):
            yield from ((h, t) for h in self.heads(x) for t in self.tails(y) if self.mutual(h, t))

    def synchronises(self) -> Iterator[tuple[int, int]]:
        # Barriers of threads: "arrivals → syncs [P 9.7.15.1]"; "release, acquire unless relaxed [P 9.7.15.3]".
        for x, e in self.of("meet"):
            for y, f in self.of("leave"):
                if e.sync is not None and e.sync == f.sync:
                    yield from self.patterns(x, y)
        # "Every arrival of p → every true wait for p if each scope includes the other's thread"; "Only arrivals of p".
        for x, e in self.of("mbarrier"):
            if e.what == "arrive" and e.agent[0] == "T":
                yield from (pair for y in self.observers(e) for pair in self.patterns(x, y))
        # Loads and stores: a read observes a write, or a read-modify-write chain from it.
        for y, f in self.of("access"):
            rf = f.rf
            while rf is not None and f.agent[0] == "T":
                x = self.at[rf]
                if self.events[x].agent[0] == "T" and self.morally_strong(x, y):
                    yield from self.patterns(x, y)
                rf = self.events[x].rf if self.events[x].writes else None

    def observers(self, e: Event) -> list[int]:
        """The true waits for the phase in which e was made."""
        return [y for y, f in self.of("mbarrier") if f.what == "wait" and f.sync == e.sync]

    def done_pairs(self) -> Iterator[tuple[int, int]]:
        """ "the agent's accesses → return of a wait that observes its completion" (1)."""
        agents = self.agents()
        # Completion on an mbarrier is release.cluster and "counts as made in the barrier's block": no scope is too small.
        for _, e in agents:
            if e.kind == "mbarrier":
                made = [z for z, f in agents if (f.agent, f.part) in e.covers]
                for y in self.observers(e):
                    yield from ((z, t) for z in made for t in self.tails(y))
        # Groups: "done from all; .read: from reads only; to T only".
        for y, f in self.of("group"):
            for x, e in agents:
                if (e.agent, e.part) in f.covers and not (f.what == "wait_group.read" and e.writes):
                    yield x, y
        # Not agents, but alike in that nothing goes through them: "other blocks fence.mbarrier_init.release.cluster and a
        # cluster barrier, relaxed will do [P 9.7.15.4]": the inits alone come before the wait.
        for x, _ in self.of("init"):
            for g, _ in self.of("initfence"):
                for m, meet in self.of("meet"):
                    if meet.sync is not None and meet.sync[0][0] == "cluster" and self.po_(x, g) and self.po_(g, m):
                        yield from ((x, y) for y, leave in self.of("leave") if leave.sync == meet.sync)

    def po_(self, x: int, y: int) -> bool:
        e, f = self.events[x], self.events[y]
        return e.agent == f.agent and e.agent[0] == "T" and e.index < f.index

    # -------------------------------------------------------------- happens-before

    def shared(self, e: Event) -> bool:
        return e.loc is not None and self.machine.home[e.loc[0]] is not None

    def together(self, s: int, t: int, shared: bool) -> bool:
        """blk: the same block; "for ASY on shared memory: same cluster (TBC)"."""
        where = self.machine.cluster if shared else self.machine.block
        return where[s] == where[t]

    def via(self, x: int, y: int, fences: Iterable[int]) -> bool:
        """x ; hb0 ; [fence] ; hb0 ; y"""
        return any(self.hb0[x] >> f & 1 and self.hb0[f] >> y & 1 for f in fences)

    def proxy_fences(self, e: Event) -> list[int]:
        """Those of GEN and ASY that fit the memory space of e."""
        space = "shared" if self.shared(e) else "global"
        return [f for f, g in self.of("proxy") if g.what == "async" and g.scope in ("", space)]

    def covered(self, x: int, f: int) -> bool:
        """[GEN & W] ; po ; [pf]: the fence of the write's own thread. An agent's write has no po: its thread is one that
        waited for it."""
        e, g = self.events[x], self.events[f]
        if e.agent[0] == "T":
            return self.po_(x, f)
        return any(self.events[w].agent == g.agent and self.events[w].index < g.index for w in bits(self.done[x]))

    def g2a(self, x: int, y: int) -> bool:
        """GEN before ASY."""
        e, f = self.events[x], self.events[y]
        fences = self.proxy_fences(f)
        if self.shared(f) and not self.path:
            # writer: "a write is covered by its own thread's fence, before it signals"; "Reads … one on the way"
            if e.writes:
                return self.via(x, y, [g for g in fences if self.covered(x, g)])
            return self.via(x, y, fences)
        # "Global memory, and path: M's rule, any fence on the way in the copy's block"
        return self.via(x, y, [g for g in fences if self.together(self.events[g].thread, f.thread, self.shared(f))])

    def connected(self, x: int, y: int) -> bool:
        """hb for two accesses of one location, aliases aside."""
        e, f = self.events[x], self.events[y]
        if e.proxy == f.proxy == "TC":  # in "execution order", which may be more
            return tensor_memory.ordered(self, x, y)
        if not self.hb0[x] >> y & 1:
            return False
        match e.proxy, f.proxy:
            case ("GEN" | "ASY", "GEN"):
                return True  # hb0 & (GEN * GEN | ASY * GEN): the end of a bulk copy is an implicit fence
            case "ASY", "ASY":  # hb0 & ASY * ASY & blk | [ASY];hb0;[pf];hb0;[ASY]
                return self.together(e.thread, f.thread, self.shared(f)) or self.via(x, y, self.proxy_fences(f))
            case "GEN", "ASY":
                return self.g2a(x, y)
        raise AssertionError((e.proxy, f.proxy))

    def hb(self, x: int, y: int) -> bool:
        """Another virtual address is as another proxy [P 8.6]: an alias fence on the way, besides."""
        if not self.connected(x, y):
            return False
        if self.events[x].address == self.events[y].address:
            return True
        return self.via(x, y, [f for f, g in self.of("proxy") if g.what == "alias"])

    def morally_strong(self, x: int, y: int) -> bool:
        """ms = ... & (px | ~(M * M)): both strong, scopes mutual, one proxy and address."""
        e, f = self.events[x], self.events[y]
        strong = e.order != "weak" and f.order != "weak" and e.loc == f.loc
        return strong and e.proxy == f.proxy and e.address == f.address and self.mutual(x, y)

    # -------------------------------------------------------------- races

    def races(self) -> set[Race]:
        out = set()
        places: dict[tuple[str, int], list[int]] = {}
        for x, e in enumerate(self.events):
            if e.loc is not None:
                places.setdefault(e.loc, []).append(x)
        for (name, i), here in places.items():
            order = self.at_one_place(here)
            for n, x in enumerate(here):
                for y in here[n + 1 :]:
                    if self.conflict(x, y) and y not in order[x] and x not in order[y]:
                        a, b = sorted((str(self.events[x]), str(self.events[y])))
                        out.add(Race(a, b, f"{name}[{i}]"))
        return out | self.lifetimes()

    def at_one_place(self, here: Sequence[int]) -> dict[int, set[int]]:
        """hb between accesses to one location, and through an agent's access there, which sees what comes before it."""
        rows = {x: {y for y in here if y != x and self.hb(x, y)} for x in here}
        for a in here:
            if self.events[a].agent[0] == "A" and self.events[a].proxy != "TC":
                for x in here:
                    if a in rows[x]:
                        rows[x] |= rows[a]
        return rows

    def conflict(self, x: int, y: int) -> bool:
        e, f = self.events[x], self.events[y]
        if not (e.writes or f.writes):
            return False
        if e.kind == f.kind == "mbarrier":
            return False  # "Operations do not race with each other; init, inval and ordinary accesses do with all."
        return not self.morally_strong(x, y)

    def lifetimes(self) -> set[Race]:
        """Section 6. "For the start a relaxed barrier of the cluster does"; before the end "the accesses have to be
        released": before the exit of some thread of the block is before its last exit."""
        out = set()
        relaxed = (
            (x, y)
            for x, e in self.of("meet")
            if e.sync and e.sync[0][0] == "cluster"
            for y, f in self.of("leave")
            if f.sync == e.sync
        )
        existence = self.through(closed([r | s for r, s in zip(self.b, self.relation(relaxed), strict=True)]))
        for x, e in enumerate(self.events):
            if e.loc is None or not self.shared(e) or e.loc[0] in self.machine.tensor:
                continue
            home = self.machine.home[e.loc[0]]
            assert home is not None
            remote = self.machine.block[e.thread] != home
            if remote and not any(existence[s] >> x & 1 for s in self.ends("start", home)):
                out.add(Race(str(e), f"start of block {home}", e.loc[0]))
            if (
                (remote or e.agent[0] == "A")
                and home in self.ended
                and not any(self.hb0[x] >> s & 1 for s in self.ends("exit", home))
            ):
                out.add(Race(str(e), f"end of block {home}", e.loc[0]))
        return out

    def ends(self, kind: str, block: int) -> list[int]:
        return [s for s, f in self.of(kind) if self.machine.block[f.thread] == block]
