"""Barriers with a count at which more threads come: every way to group the arrivals, against every order of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from scopec.base.diagnostics import Code, InputError
from scopec.base.source import Source
from scopec.frontends.litmus.lower.program import lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.memory.events.events import EventGraph, Kind
from scopec.memory.graph import build
from scopec.program.values import Value, evaluate
from scopec.session.check import Settings, check
from scopec.session.final_states import listings
from scopec.session.plan import Overrides
from tests.test_named_barriers import Step, text_of

pytestmark = pytest.mark.usefixtures("kept_machines")

if TYPE_CHECKING:
    from typing import TypeAlias

#: How far each thread gets, and the arrivals and waits that synchronise, each as thread and place in it.
Result: TypeAlias = "tuple[tuple[int, ...], frozenset[tuple[tuple[int, int], tuple[int, int]]]]"
_MOST_ASSIGNMENTS = 3000


def program(random: Random) -> list[list[Step]]:
    """Threads of one block at two barriers, whose counts may be smaller than the number of threads that come."""
    counts = [random.choice([1, 2, 2, 2, 3]) for _ in range(2)]
    return [
        [Step(name, random.random() < 0.75, counts[name]) for name in random.choices([0, 0, 1], k=random.randint(1, 3))]
        for _ in range(random.randint(2, 4))
    ]


def every_order(threads: list[list[Step]]) -> set[Result]:
    """What the orders of the arrivals lead to, one step after the other."""
    Phases = dict[int | None, tuple[tuple[tuple[int, int], ...], ...]]  # of each barrier its phases' arrivals

    def steps(
        positions: tuple[tuple[int, bool], ...], phases: Phases
    ) -> Iterator[tuple[tuple[tuple[int, bool], ...], Phases]]:
        for me, own in enumerate(threads):
            at, arrived = positions[me]
            if at == len(own):
                continue
            step, here = own[at], phases.get(own[at].name, ())
            assert step.count is not None
            if arrived:
                if any((me, at) in phase and len(phase) == step.count for phase in here):
                    yield (*positions[:me], (at + 1, False), *positions[me + 1 :]), phases
                continue
            mine = [number for number, phase in enumerate(here) if any(thread == me for thread, _ in phase)]
            number = max(mine, default=-1) + 1
            while number < len(here) and len(here[number]) == step.count:
                number += 1
            there = here[number] if number < len(here) else ()
            now = (*here[:number], (*there, (me, at)), *here[number + 1 :])
            after = (at, True) if step.waits else (at + 1, False)
            yield (*positions[:me], after, *positions[me + 1 :]), {**phases, step.name: now}

    found: set[Result] = set()
    seen = set()
    work: list[tuple[tuple[tuple[int, bool], ...], Phases]] = [(tuple((0, False) for _ in threads), {})]
    while work:
        positions, phases = work.pop()
        key = positions, tuple(sorted((n, tuple(tuple(sorted(p)) for p in ps)) for n, ps in phases.items()))  # type: ignore[type-var]
        if key in seen:
            continue
        seen.add(key)
        following = list(steps(positions, phases))
        work += following
        if not following:
            done = tuple(at for at, _ in positions)
            pairs = ((a, b) for ps in phases.values() for phase in ps for a in phase for b in phase if a[0] != b[0])
            found.add((done, frozenset((a, b) for a, b in pairs if threads[b[0]][b[1]].waits and done[b[0]] > b[1])))
    return found


def graph_of(text: str) -> EventGraph:
    source = Source("a.litmus", text)
    return build(lower(read(source), source, "a").program, 1)


def every_choice(threads: list[list[Step]], graph: EventGraph) -> set[Result]:
    """What the executions of a graph are, one choice of phases after the other."""
    place: dict[str, tuple[int, int]] = {}
    for me in range(len(threads)):
        at = -1
        for event in (e for e in graph.events if e.thread == f"P{me}"):
            at += event.kind is Kind.ARRIVE
            place[event.id] = (me, at)
    found: set[Result] = set()
    for values in product(*(choice.values for choice in graph.choices.values())):
        known = dict(zip(graph.choices, values, strict=True))

        def value(of: Value, known: dict[str, int] = known) -> int:
            return evaluate(of, lambda leaf: known[leaf.name])

        outcomes = [bool(value(condition)) for condition in graph.conditions]
        if any(guard.holds(outcomes) and value(of) for guard, of in graph.impossible):
            continue
        executed = {e.id for e in graph.events if e.guard.holds(outcomes)}
        ends = {(place[e], graph.by_id[e].kind is Kind.WAIT) for e in executed}
        done = []
        for me, own in enumerate(threads):
            passed = [((me, at), step.waits) in ends for at, step in enumerate(own)]
            done.append(passed.index(False) if False in passed else len(own))
        pairs = frozenset(
            (place[a], place[b])
            for edge in graph.asw
            if edge.barrier and (edge.when is None or value(edge.when))
            for a, b in product(edge.before, edge.after)
            if {a, b} <= executed
        )
        found.add((tuple(done), pairs))
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_every_order_of_the_arrivals_is_a_choice_and_no_other(seed: int) -> None:
    random, compared, several = Random(seed), 0, 0
    while compared < 8 or several < 3:
        threads = program(random)
        graph = graph_of(text_of(threads))
        if prod(len(choice.values) for choice in graph.choices.values()) > _MOST_ASSIGNMENTS:
            continue
        wanted = every_order(threads)
        assert every_choice(threads, graph) == wanted, text_of(threads)
        compared, several = compared + 1, several + (len(wanted) > 1)


def verdicts(tmp_path: Path, text: str, engine: str = "embedded", progress: str | None = None) -> dict[str, str]:
    path = tmp_path / "a.litmus"
    path.write_text(text, encoding="utf-8")
    (outcome,) = check([path], Settings(engine=engine, overrides=Overrides(model="ptx", progress=progress)))
    assert outcome.failure is None
    assert {d.code for d in outcome.diagnostics} <= {Code.DEAD_END}, outcome.diagnostics
    return {c.expectation.kind: c.verdict for report in outcome.reports for c in report.checks}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_a_program_terminates_if_every_order_of_the_arrivals_does(seed: int, tmp_path: Path) -> None:
    random, ends, stays = Random(100 + seed), 0, 0
    while min(ends, stays) < 3:
        threads = program(random)
        terminates = all(done == tuple(map(len, threads)) for done, _ in every_order(threads))
        ends, stays = ends + terminates, stays + (not terminates)
        found = verdicts(tmp_path, text_of(threads), progress="fair")["terminates"]
        assert found == ("holds" if terminates else "violated"), text_of(threads)


#: One producer, two consumers that take turns with it: a phase takes two, and which consumer it is with is open.
CONSUMERS = """PTX consumers
{ x = 0; y = 0; }
 P0@cta 0,gpu 0       | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;
 st.weak x, 1         | bar.sync 0, 2  | bar.sync 0, 2  ;
 bar.sync 0, 2        | ld.weak r0, x  | ld.weak r0, x  ;
 st.weak y, 1         | ld.weak r1, y  | ld.weak r1, y  ;
 bar.sync 0, 2        |                |                ;
"""


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
@pytest.mark.parametrize(
    ("clause", "verdict"),
    [
        # Whoever comes second has seen both; which of them comes second is open.
        ("exists (1:r0=1 /\\ 1:r1=0 /\\ 2:r1=1)", "holds"),
        ("exists (2:r0=1 /\\ 2:r1=0 /\\ 1:r1=1)", "holds"),
        ("exists (1:r1=0 /\\ 2:r1=0)", "violated"),
        # The two consumers may be a phase alone, and then the producer waits for ever: no execution ends so.
        ("exists (1:r0=0)", "violated"),
    ],
)
@pytest.mark.sampled(5)
def test_which_threads_make_up_a_phase_is_open(tmp_path: Path, engine: str, clause: str, verdict: str) -> None:
    found = verdicts(tmp_path, CONSUMERS + clause, engine, "fair")
    assert found == {"condition": verdict, "terminates": "violated"}


def test_executions_that_differ_in_who_meets_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_text(
        "PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 0,gpu 0 ;\n"
        "bar.sync 0, 2 | bar.sync 0, 2 | bar.sync 0, 2 | bar.sync 0, 2 ;\nexists true"
    )
    ((listing,), _) = listings(path, Settings(engine="embedded", overrides=Overrides(model="ptx")), 100)
    assert listing.executions == 3


def test_too_many_ways_are_refused() -> None:
    threads = [[Step(0, True, 2)] * 4 for _ in range(4)]
    with pytest.raises(InputError, match="16 arrivals at a barrier whose phases have 2: too many ways to group them"):
        graph_of(text_of(threads))


OWN = """__device__ int x;
__global__ void k() {{
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    asm volatile("bar.sync 1, {count};" ::: "memory");
    if (threadIdx.x == 0) x = 1;
}}
//@ launch k<<<1, 32>>>();
//@ expect required x == 1;
//@ expect forbidden x == 0;
"""


def test_a_warp_that_has_arrived_waits_for_no_other(tmp_path: Path) -> None:
    """Its own arrival and its wait are the phase; a count of more is waited for in vain (PTX ISA, "bar")."""
    path = tmp_path / "own.cu"
    path.write_text(OWN.format(count=64))
    (outcome,) = check([path], Settings(engine="embedded"))
    (report,) = outcome.reports
    assert [one.verdict for one in report.checks][:2] == ["holds", "holds"]
    path.write_text(OWN.format(count=96).replace("arrive 1, 64", "arrive 1, 96"))
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [one.verdict for one in outcome.reports[0].checks][:1] == ["unknown"], outcome.reports[0].checks
