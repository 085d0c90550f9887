"""Barriers with names: who waits for whom, against a simulation that takes one step after the other."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.litmus.lower.program import lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.memory.events.events import Kind
from scopec.memory.graph import build
from scopec.program.values import show


@dataclass(frozen=True)
class Step:
    """`bar.cta.sync` or `bar.cta.arrive` of a name, maybe with a count, or a store (no name)."""

    name: int | None
    waits: bool = False
    count: int | None = None

    def __str__(self) -> str:
        if self.name is None:
            return "st.weak x, 1"
        counted = "" if self.count is None else f", 0, {self.count}"
        return f"bar.cta.{'sync' if self.waits else 'arrive'} {self.name}{counted}"


def program(random: Random) -> list[list[Step]]:
    """Threads of one block; a count, if a name has one, is the number of threads that ever arrive there, or one more."""
    threads = []
    for _ in range(random.randint(2, 4)):
        steps = []
        for _ in range(random.randint(1, 4)):
            name = random.choice([None, 0, 0, 1, 2])
            steps.append(Step(name, random.random() < 0.8) if name is not None else Step(None))
        threads.append(steps)
    for name in range(3):
        if random.random() < 0.3:
            arriving = sum(any(s.name == name for s in steps) for steps in threads)
            count = arriving + (random.random() < 0.2)
            threads = [[Step(name, s.waits, count) if s.name == name else s for s in steps] for steps in threads]
    return threads


def simulate(threads: list[list[Step]]) -> list[int]:
    """How many steps each thread completes: a thread at a `sync` has arrived, and goes on when nobody is missing."""

    def phase(thread: int, position: int) -> int:
        return sum(s.name == threads[thread][position].name for s in threads[thread][:position])

    done = [0] * len(threads)
    arrived: set[tuple[int, int]] = set()  # thread and position
    while True:
        before = (list(done), len(arrived))
        for me, steps in enumerate(threads):
            if done[me] == len(steps):
                continue
            step = steps[done[me]]
            if step.name is None:
                done[me] += 1
                continue
            arrived.add((me, done[me]))
            same = [
                (other, at)
                for other, others in enumerate(threads)
                for at, s in enumerate(others)
                if other != me and s.name == step.name and phase(other, at) == phase(me, done[me])
            ]
            here = sum(at in arrived for at in same)
            complete = here == len(same) if step.count is None else here + 1 >= step.count
            if complete or not step.waits:
                done[me] += 1
        if (list(done), len(arrived)) == before:
            return done


def text_of(threads: list[list[Step]]) -> str:
    heads = " | ".join(f"P{n}@cta 0,gpu 0" for n in range(len(threads)))
    rows = [
        " | ".join(str(steps[row]) if row < len(steps) else "" for steps in threads)
        for row in range(max(map(len, threads)))
    ]
    return "\n".join(["PTX random", "{}", *(f"{row} ;" for row in (heads, *rows)), "exists true"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(10))
def test_what_is_executed_is_what_a_simulation_executes(seed: int) -> None:
    random = Random(seed)
    stuck = 0
    for _ in range(40):
        threads = program(random)
        text = text_of(threads)
        source = Source("a.litmus", text)
        graph = build(lower(read(source), source, "a").program, 1)
        done = simulate(threads)
        for number, steps in enumerate(threads):
            own = [e for e in graph.events if e.thread == f"P{number}"]
            assert all(e.guard.always or e.guard.never for e in own)
            finished = [e for e in own if e.guard.always and e.kind is not Kind.ARRIVE]
            expected = [s for s in steps[: done[number]] if s.name is None or s.waits]
            assert len(finished) == len(expected), text
            arrivals = sum(s.name is not None for s in steps[: done[number] + 1])
            assert sum(e.guard.always and e.kind is Kind.ARRIVE for e in own) == arrivals, text
        assert bool(graph.cuts) == any(d < len(steps) for d, steps in zip(done, threads, strict=True)), text
        stuck += bool(graph.cuts)
    assert 0 < stuck < 40


def graph_of(*rows: str, init: str = "") -> list[str]:
    """The pairs of arrivals and waits that synchronise, and when."""
    threads = rows[0].count("|") + 1
    heads = " | ".join(f"P{n}@cta 0,gpu 0" for n in range(threads))
    source = Source(
        "a.litmus", "\n".join(["PTX t", f"{{{init}}}", f"{heads} ;", *(f"{r} ;" for r in rows), "exists true"])
    )
    graph = build(lower(read(source), source, "a").program, 2)
    return [
        f"{edge.before[0]} -> {edge.after[0]}" + (f" if {show(edge.when)}" if edge.when is not None else "")
        for edge in graph.asw
        if edge.barrier
    ]


def test_a_register_may_name_a_barrier() -> None:
    assert graph_of("ld.weak r2, z | bar.cta.sync 1, 1", "bar.cta.sync 1, r2 |") == [
        "P0_L5_A -> P1_L4_B if P0_L4_R == 1",
        "P1_L4_A -> P0_L5_B if 1 == P0_L4_R",
    ]


def test_an_arrival_on_another_path_is_not_waited_for() -> None:
    """The phase of P0's arrival depends on the path: it is the first one only where the branch is taken."""
    edges = graph_of("ld.weak r0, z | bar.cta.sync 0", "beq r0, 0, L |", "bar.cta.arrive 0 |", "L: bar.cta.arrive 0 |")
    assert edges == ["P0_L6_A -> P1_L4_B", "P0_L7_A -> P1_L4_B if (P0_L4_R != 0 ? 1 : 0) == 0"]


def test_a_thread_in_an_endless_loop_is_missing() -> None:
    source = Source(
        "a.litmus",
        "PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\nL: ld.weak r0, f | bar.cta.sync 0 | bar.cta.sync 1 ;\n"
        "bne r0, 1, L | st.weak x, 1 | st.weak y, 1 ;\nbar.cta.sync 0 | | ;\nexists true",
    )
    graph = build(lower(read(source), source, "a").program, 1)
    stores = {e.location.object: e.guard for e in graph.events if e.location and e.thread and e.writes}
    assert not stores["x"].always
    assert stores["y"].always


def test_a_count_that_is_read_or_differs_is_refused() -> None:
    for rows, init, message in (
        (("ld.weak r0, x | bar.cta.sync 1", "bar.cta.sync 0, 0, r0 |"), "", "depends on a value that is read"),
        (("bar.cta.sync 0, 0, r0 | bar.cta.sync 0, 0, r0",), "0:r0=2; 1:r0=1;", "give it different counts"),
        (("bar.cta.sync 0, 0, r0 |",), "", "waits for at least one thread"),
    ):
        with pytest.raises(InputError, match=message):
            graph_of(*rows, init=init)


def test_what_ptx_writes_and_what_suites_write_are_one_barrier() -> None:
    """`bar.sync a, b`, with and without `.cta` of PTX, `barrier` and `.aligned`: label, identity 0 and count."""
    edges = graph_of("bar.sync 3, 2 | bar.cta.sync 3, 0, 2")
    assert len(edges) == 2
    assert edges == graph_of("barrier.sync.aligned 3, r1 | barrier.cta.sync 3, 0, 2", init="0:r1=2;")
    assert graph_of("bar.arrive 3, 2 | bar.sync 3, 2") == ["P0_L4_A -> P1_L4_B"]
    assert graph_of("bar.sync 3, 2 | bar.cta.sync 3, 2") == []
