"""Rewriting of event graphs: nothing that has a guard, a value or a place is forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from scopec.hangs.graph import Making, build
from scopec.memory.events import events as records
from scopec.memory.events.events import EventGraph, Kind
from scopec.memory.events.guards import Guard, Guards
from scopec.memory.events.rewriting import Rewrite, of_events
from scopec.program.values import Reg, Value
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan

if TYPE_CHECKING:
    from collections.abc import Iterator

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
