"""Rewriting of event graphs: nothing that has a guard, a value or a place is forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from scopec.hangs.graph import Making, build
from scopec.memory.events import events as records
from scopec.memory.events.events import EventGraph, Final, Kind
from scopec.memory.events.guards import Guard, Guards
from scopec.memory.events.rewriting import Rewrite, beside_events, of_events
from scopec.memory.reduce.certain_race import racing_at_mbarriers
from scopec.program import values
from scopec.program.program import Program
from scopec.program.types import INT
from scopec.program.values import Reg, Value
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.sizes import sizes
from tests.test_certain_races import program
from tests.test_mbarrier_races import RINGS, run_of
from tests.test_settled_phases import FENCE, RING

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

SPECS = Path(__file__).parent.parent / "specs"
PROGRAMS = (
    "hangs/[a-g]*.cu",
    "algorithms/work-stealing.cu",
    "barriers/vote-hangs.cu",
    "bugs/count-of-a-barrier.cu",
    "cuda-execution-model/query-*.cu",
)
#: The records that a graph is made of.
RECORDS = ("Event", "Synchronises", "Assertion", "Cut", "Selection", "Wait", "Final", "EventGraph")


@pytest.fixture(scope="module")
def graphs() -> list[EventGraph]:
    """Graphs of programs that have between them all that a graph can have."""
    found = []
    for path in sorted(path for pattern in PROGRAMS for path in SPECS.glob(pattern)):
        for run in plan(path, path.name, Overrides()).runs:
            found.append(run.graph)
            system = progress_problem(run, "Termination").system
            found.append(build(Making(system, run.sliced, run.settings.bound["unroll"])).graph)
    return found


def parts(one: object, place: str = "") -> Iterator[tuple[str, object]]:
    """The guards and values in a record, each with the field that has it."""
    if isinstance(one, (Guard, *get_args(Value))):
        yield place, one
    elif isinstance(one, Mapping):
        for held in one.values():
            yield from parts(held, place)
    elif isinstance(one, tuple):
        for held in one:
            yield from parts(held, place)
    elif is_dataclass(one):
        for field in fields(one):
            if not (isinstance(one, EventGraph) and field.name in ("program", "conditions")):
                yield from parts(getattr(one, field.name), f"{type(one).__name__}.{field.name}")


def test_every_guard_and_every_value_is_rewritten(graphs: list[EventGraph]) -> None:
    new, seen = Guards(), set()
    rewrite = Rewrite(lambda _: new.literal(0, truth=True), lambda value: Reg("new", value.type))
    for graph in graphs:
        for place, part in parts(rewrite.graph(graph, lambda: ())):
            seen.add(place)
            assert part.guards is new if isinstance(part, Guard) else isinstance(part, Reg) and part.name == "new", (
                place
            )
    own = {
        f"{name}.{field.name}"
        for name in RECORDS
        for field in fields(getattr(records, name))
        if any(word in str(field.type) for word in ("Guard", "Value", "Final"))
    }
    assert seen == own - {"EventGraph.conditions", "EventGraph.finals"}


def test_the_values_beside_events_are_all_that_no_event_has(graphs: list[EventGraph]) -> None:
    for graph in graphs:
        asked = [part for place, part in parts(graph) if isinstance(part, get_args(Value))]
        of_the_events = {id(e.value) for e in graph.events}
        found = {id(value) for value in beside_events(graph)}
        assert {id(v) for v in asked if id(v) not in of_the_events} <= found
        assert {id(v) for v in graph.conditions} <= found


def test_places_are_those_among_the_events_that_are_left(graphs: list[EventGraph]) -> None:
    moved = 0
    for graph in graphs:
        threads = [e for e in graph.events if e.kind is not Kind.INIT]
        kept = {e.id for number, e in enumerate(graph.events) if e.kind is Kind.INIT or number % 2}
        found = of_events(graph, kept, graph.asw)

        def before(place: int, threads: list[records.Event] = threads, kept: set[str] = kept) -> int:
            return sum(e.id in kept for e in threads[:place])

        assert [a.position for a in found.assertions] == [before(a.position) for a in graph.assertions]
        assert [(c.position, c.start) for c in found.cuts] == [
            (before(c.position), before(c.start)) for c in graph.cuts
        ]
        waits = [w for w in graph.waits if not w.event or w.event in kept]
        assert [(w.position, w.end) for w in found.waits] == [(before(w.position), before(w.end)) for w in waits]
        of_events_left = {*found.control, *found.addresses, *found.mapped, *found.carried}
        assert of_events_left | {e.rmw for e in found.events if e.rmw} <= {e.id for e in found.events} == kept
        moved += sum(c.position != d.position for c, d in zip(found.cuts, graph.cuts, strict=True))
    assert moved


def mentioned(one: object, ids: Set[str], place: str = "") -> Iterator[tuple[str, str]]:
    """The events that a record mentions, each with the field that does; what a value mentions, too."""
    if isinstance(one, str):
        if (event := one.partition("?")[0]) in ids:
            yield place, event
    elif isinstance(one, Mapping):
        for key, held in one.items():
            yield from mentioned(key, ids, place)
            yield from mentioned(held, ids, place)
    elif isinstance(one, tuple | frozenset):
        for held in one:
            yield from mentioned(held, ids, place)
    elif is_dataclass(one) and not isinstance(one, Guard | Program):
        for field in fields(one):
            inside = place if isinstance(one, get_args(Value)) else f"{type(one).__name__}.{field.name}"
            yield from mentioned(getattr(one, field.name), ids, inside)


def asked_at_the_end(graph: EventGraph) -> EventGraph:
    """The graph as a question about what its reads have found has it."""
    reads = [e.id for e in graph.events if e.kind is Kind.READ and e.guard.always]
    return replace(graph, finals={("", read): Final(Reg(read, INT), values.TRUE) for read in reads})


def test_what_a_certain_race_leaves_is_known_and_mentions_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field that is new in graphs has to be thought of here, too: its conditions and its events would be left."""
    sizes(monkeypatch, events=0)
    ring = RING.replace(RINGS["no wait for empty"][0], "").format(tiles=3, consumers=2, fence=FENCE)
    graphs = [asked_at_the_end(run_of(program(seed), tmp_path, "racing").graph) for seed in range(12)]
    graphs.append(run_of(ring, tmp_path, "mbarriers", "racing").graph)
    found = [(graph, left) for graph in graphs if (left := racing_at_mbarriers(graph)) is not graph]
    assert sum(bool(graph.finals) for graph, _ in found) > 1
    assert found[-1][0] is graphs[-1]
    for graph, left in found:
        ids, there = {e.id for e in graph.events}, {e.id for e in left.events}
        shown = left if graph.finals else replace(left, settled={})  # nobody asks for the final state
        assert {place for place, event in mentioned(shown, ids) if event not in there} == set()
        own = {id(e.value): e.rmw for e in left.events}
        for place, part in parts(shown):
            if isinstance(part, Guard):
                assert part.always, place
            else:
                assert isinstance(part, get_args(Value)), place
                assert {leaf.name for leaf in values.leaves(part)} <= {own.get(id(part))}, place
