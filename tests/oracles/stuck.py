"""A brute-force search for stuck executions: small, slow, written from the definition alone.

A stuck execution is a consistent execution graph in which no thread takes a step that changes anything any more.  Each
thread has ended, has not started, stands still although it could step (stopped), or goes round a loop for ever (turning):
"in a period: one or more whole turns with equal relevant state at start and end (variables that decide a branch, address or
operand in the loop), without a write that changes memory, each read of the period taking the co-last write of its location.
[…]  Turns before may have read anything.  A silent read-modify-write (it stores what it reads, or fails) of the period is
its read alone.  A weak compare-exchange in it fails only where the value differs."

How they are found: every thread is run alone with every value of its reads, up to each place where it may be left
(`places`); every combination of such places that the progress model allows is completed by every rf and co (`graphs`), and
judged by the axioms of brute_memory; a thread is turning if it runs for ever from its place when each read returns the last
value of its location (`period`).  Consistency is that of `cuda` with `acyclic rf | dep`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import count, product

from tests.oracles import brute_memory, dependencies
from tests.oracles.brute_programs import Candidate, Event, Rel, Run
from tests.oracles.brute_relations import acyclic
from tests.oracles.left_threads import (
    LEFT,
    Left,
    NoRecurrence,
    Operation,
    Period,
    Source,
    Values,
    period,
    places,
    sources_of,
)
from tests.oracles.small_threads import (
    Cas,
    Load,
    Loop,
    Program,
    Rmw,
    Way,
    statements,
)

PROGRESS = ("cuda", "cuda-resident", "cuda-in-order", "fair", "obe", "hsa", "hsa-obe", "lobe", "none")


@dataclass(frozen=True)
class Stuck:
    """A stuck execution: for each thread how it is left, and the value of each location."""

    threads: tuple[Left, ...]
    memory: Mapping[str, int]
    stores: bool  # some period writes values that their locations have


@dataclass(frozen=True)
class Answer:
    """A stuck execution, if there is one within the bound; whether turns that change memory were cut."""

    found: Stuck | None
    cut: bool


# ---------------------------------------------------------------- what a progress model allows


def allowed(progress: str, units: Sequence[str], left: Sequence[Left], silent: bool) -> bool:
    """Whether the threads may be left like this.

    "A thread silent for ever (no operation of its period counts) frees all others of their promises."
    """
    threads = range(len(left))
    going = [left[t] in ("turning", "stopped") for t in threads]  # started and not ended
    still = [left[t] in ("unstarted", "stopped") for t in threads]
    if all(left[t] == "ended" for t in threads):
        return False
    begun_units = {units[t] for t in threads if left[t] != "unstarted"}
    if silent:
        return True
    if progress == "cuda-in-order" and begun_units != set([*dict.fromkeys(units)][: len(begun_units)]):
        return False  # blocks start in order; where one is silent a block before may have started, and taken no step
    if progress == "cuda-resident" and "unstarted" in left:
        return False
    if progress.startswith("cuda"):
        # "No thread of a started unit […] is stopped; a grid that may start stays unstarted only if no host thread is in a
        # call […], or some device thread has started and not ended": here the host waits for the grid.
        return any(going) and not any(still[t] and units[t] in begun_units for t in threads)
    # "No thread that the final graph owes a step is stopped or unstarted; if some thread could step, someone turns."
    if any(still) and "turning" not in left:
        return False
    order = [*dict.fromkeys(units)]
    first = next(u for u in order if any(v == u and left[t] != "ended" for t, v in enumerate(units)))
    owed = {
        "fair": set(order),
        "obe": begun_units,
        "hsa": {first},
        "hsa-obe": {first, *begun_units},
        "lobe": set(order[: max((order.index(u) + 1 for u in begun_units), default=0)]),
        "none": set(),
    }[progress]
    return not any(still[t] and units[t] in owed for t in threads)


# ---------------------------------------------------------------- execution graphs


def orders(initial: Event, of_threads: tuple[tuple[Event, ...], ...]) -> list[tuple[Rel, tuple[Event, ...]]]:
    """Every rf and co of the accesses to one location that coherence and atomicity allow."""
    found = []
    for order in interleavings([tuple(e for e in events if e.kind == "W") for events in of_threads]):
        line = (initial, *order)
        at = {w: n for n, w in enumerate(line)}
        choices = [list(sources(events, line, at)) for events in of_threads]
        found += [({pair for rf in chosen for pair in rf}, line) for chosen in product(*choices)]
    return found


def interleavings(lines: Sequence[tuple[Event, ...]]) -> Iterator[tuple[Event, ...]]:
    if not any(lines):
        yield ()
    for n, line in enumerate(lines):
        if line:
            for rest in interleavings([*lines[:n], line[1:], *lines[n + 1 :]]):
                yield (line[0], *rest)


def sources(
    events: Sequence[Event], line: Sequence[Event], at: Mapping[Event, int]
) -> Iterator[tuple[tuple[Event, Event], ...]]:
    """Where one thread's reads of a location may read from: never backwards, and not from what it writes later."""

    def go(n: int, least: int) -> Iterator[tuple[tuple[Event, Event], ...]]:
        if n == len(events):
            yield ()
            return
        e = events[n]
        if e.kind == "W":
            if at[e] > least or e is line[0]:
                yield from go(n + 1, at[e])
            return
        following = next((f for f in events[n + 1 :] if f.kind == "W"), None)
        most = len(line) if following is None else at[following]
        if following is not None and following.op == e.op:  # one operation
            least = max(least, most - 1)
        for source in range(least, most):
            if line[source].value == e.value:
                for rest in go(n + 1, source):
                    yield ((line[source], e), *rest)

    return go(0, 0)


class Graphs:
    """The execution graphs of a program whose threads are left at given places."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.declared = program.declared()
        self.initial = {
            name: Event("W", -1, name, name, value, None, "thread", False) for name, value in program.locations.items()
        }
        self.orders: dict[tuple[str, tuple[tuple[Event, ...], ...]], list[tuple[Rel, tuple[Event, ...]]]] = {}

    def of(self, runs: Sequence[Run]) -> Iterator[Candidate]:
        """Every graph that is coherent and atomic at each location."""
        lines = []
        for name, initial in self.initial.items():
            accesses = tuple(tuple(e for e in run.events if e.loc == name) for run in runs)
            values = {initial.value} | {e.value for line in accesses for e in line if e.kind == "W"}
            if any(e.value not in values for line in accesses for e in line):
                return
            if (name, accesses) not in self.orders:
                self.orders[name, accesses] = orders(initial, accesses)
            lines.append(self.orders[name, accesses])
        for chosen in product(*lines):
            rf = {pair for some, _ in chosen for pair in some}
            yield self.graph(runs, rf, {str(line[0].loc): line for _, line in chosen})

    def graph(self, runs: Sequence[Run], rf: Rel, co_orders: Mapping[str, tuple[Event, ...]]) -> Candidate:
        events = (*self.initial.values(), *(e for run in runs for e in run.events))
        po = {(e, f) for run in runs for n, e in enumerate(run.events) for f in run.events[n + 1 :]}
        co = {(v, w) for line in co_orders.values() for n, v in enumerate(line) for w in line[n + 1 :]}
        rmw = {pair for run in runs for pair in run.rmw}
        return Candidate(self.declared, events, po, rf, co, rmw, tuple(run.registers for run in runs), co_orders)


def with_periods(c: Candidate, periods: Sequence[Period]) -> Candidate:
    """The graph with one period of each turning thread, whose reads take the last writes of their locations."""
    events, po, rf = [*c.events], set(c.po), set(c.rf)
    for new in periods:
        for e in new.events:
            po |= {(before, e) for before in events if before.thread == e.thread}
            events.append(e)
            if e.kind == "R":
                rf.add((c.co_orders[str(e.loc)][-1], e))
    return replace(c, events=tuple(events), po=po, rf=rf)


# ---------------------------------------------------------------- the search


class TooLarge(Exception):
    """A program with too many ways to come to its values."""


def value_domain(program: Program, most_sources: int | None = None) -> Values:
    """Per location the values that it may have; raises TooLarge if they come from more sources than given.

    A value that is new after so many rounds takes so many writes; no execution has more than each thread's most.
    """
    domain: Values = {name: {initial: {Source(None, frozenset())}} for name, initial in program.locations.items()}
    for rounds in count(1):
        before, most = deepcopy(domain), 0
        for n, thread in enumerate(program.threads):
            ways = [at.way for at in places(n, thread.body, before, stops=True)[0]]
            most += max(sum(e.kind == "W" for e in way.run.events) for way in ways)
            for way in ways:
                reads = {w: r for r, w in way.run.rmw}
                for e in (e for e in way.run.events if e.kind == "W"):
                    own, chains = (n, e.op), [frozenset[Operation]()]
                    if e in reads:
                        chains = [source.chain for source in sources_of(reads[e], way, before)]
                    domain[str(e.loc)].setdefault(e.value, set()).update(Source(own, chain | {own}) for chain in chains)
            number = sum(len(sources) for values in domain.values() for sources in values.values())
            if most_sources is not None and number > most_sources:
                raise TooLarge
        if before == domain or rounds > most:
            break
    return domain


def may_be_silent(program: Program) -> bool:
    """Whether some loop may go round without an atomic read."""
    loops = [s for t in program.threads for s in statements(t.body) if isinstance(s, Loop)]
    return any(not any(isinstance(s, Load | Rmw | Cas) and s.order is not None for s in loop.body) for loop in loops)


def search(program: Program, progress: str = "cuda", *, cooperative: bool = False, alone: bool = False) -> Answer:
    """A stuck execution under a progress model, if there is one; one whose periods store only if all do.

    With ``alone`` the models that are not CUDA's have each thread as a block of its own.
    """
    domain = value_domain(program)
    alone = alone and not progress.startswith("cuda")
    units = ["grid" if cooperative else str(n) if alone else t.block for n, t in enumerate(program.threads)]
    silences = (False, True) if may_be_silent(program) else (False,)
    stops = True in silences or progress in ("hsa", "none")
    found = [places(n, t.body, domain, stops=stops) for n, t in enumerate(program.threads)]
    cut = any(was_cut for _, was_cut in found)
    graphs = Graphs(program)
    thin_air = ThinAir(program, domain)
    storing: Stuck | None = None
    ways = [{left: [at.way for at in ats if at.left == left] for left in LEFT} for ats, _ in found]
    for left in product(LEFT, repeat=len(ways)):
        if not any(allowed(progress, units, left, silent) for silent in silences):
            continue
        for chosen in product(*(of_thread[one] for of_thread, one in zip(ways, left, strict=True))):
            for graph in graphs.of([way.run for way in chosen]):
                memory = {name: line[-1].value for name, line in graph.co_orders.items()}
                try:
                    periods = [period(way, memory) for way, one in zip(chosen, left, strict=True) if one == "turning"]
                except NoRecurrence:
                    cut = True
                    continue
                turning = [p for p in periods if p is not None]
                if len(turning) < len(periods) or not allowed(progress, units, left, any(p.silent for p in turning)):
                    continue
                whole = with_periods(graph, turning)
                stores = any(p.stores for p in turning)
                if stores and storing is not None:
                    continue
                if consistent(graph) and consistent(whole) and thin_air.absent(graph, chosen):
                    storing = Stuck(left, memory, stores)
                    if not stores:
                        return Answer(storing, cut)
    return Answer(storing, cut)


def consistent(graph: Candidate) -> bool:
    return next(brute_memory.consistent(graph, dependencies.OPTIONS), None) is not None


class ThinAir:
    """Whether `rf | dep` has a cycle; dependencies are looked for only where `po | rf` has one."""

    def __init__(self, program: Program, domain: Values) -> None:
        self.program = program
        self.domain = domain
        self.static: list[dependencies.Dependencies] | None = None

    def absent(self, graph: Candidate, ways: Iterable[Way]) -> bool:
        if brute_memory.no_thin_air(graph):
            return True
        if self.static is None:
            self.static = [
                dependencies.dependencies(dependencies.ways(n, t.body, self.domain))
                for n, t in enumerate(self.program.threads)
            ]
        return acyclic(graph.rf | dependencies.in_execution(ways, self.static))
