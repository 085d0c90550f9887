"""Branch conditions, and the combinations of them that guard events, as predicates."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.engines.alloy.text import Named, negation, union
from scopec.memory.events.events import shown_location
from scopec.memory.events.guards import Guard
from scopec.memory.events.paths import All, Not, Paths, Some
from scopec.program.names import distinct, identifier
from scopec.program.values import Reg, Value, leaves, show, substitute

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.engines.alloy.groups import Groups
    from scopec.engines.alloy.values import Values
    from scopec.memory.events.events import Assertion, Cut, Event, EventGraph
    from scopec.memory.given.forms import When
    from scopec.program.values import Builtin

#: The number of conditions of a conjunction that are written out before the rest gets a name.
_LONGEST_CHAIN = 6
#: A line, and the thread that comes there.
Place: TypeAlias = "tuple[int, str]"


class Conditions:
    """The predicates for a graph's conditions, and for guards as they are asked for."""

    def __init__(self, graph: EventGraph, values: Values) -> None:
        self.graph = graph
        self.values = values
        self._conditions = _placed("c", [self._place(c) for c in graph.conditions], graph)
        self.shown = [
            Named(name, values.condition(c), comment=self._comment(c))
            for name, c in zip(self._conditions, graph.conditions, strict=True)
        ]
        #: The combinations that have names of their own, those that others are made of first.
        self.combined: list[Named] = []
        self._names: dict[int, str] = {}
        places = _guard_places(graph)
        self._paths = dict(zip(places, _placed("path", list(places.values()), graph), strict=True))

    def _place(self, condition: Value) -> Place | str:
        """The place at which a condition is decided: the last event that it is computed from."""
        events = {self.graph.event_of(leaf.name): leaf.name for leaf in leaves(condition)}
        known = [e for e in self.graph.events if e.id in events]
        if known:
            return known[-1].span.line, known[-1].thread
        return identifier("_".join(events.values()))

    def _comment(self, condition: Value) -> str:
        """Its lines, and the condition on locations; two reads of one location are told apart by their lines."""
        graph = self.graph
        read = {leaf.name: event for leaf in leaves(condition) if (event := graph.by_id.get(leaf.name)) is not None}
        again = Counter(event.location for event in read.values())
        events = {graph.event_of(leaf.name) for leaf in leaves(condition)} & graph.by_id.keys()
        lines = sorted({graph.by_id[event].span.line for event in events})
        where = f"line {', '.join(map(str, lines))}: " if lines else ""

        def short(leaf: Reg | Builtin) -> Value:
            event = read.get(leaf.name)
            if event is None or event.location is None:
                return Reg(leaf.name, leaf.type)
            place = shown_location(event.location, graph.program)
            return Reg(place if again[event.location] == 1 else f"{place}@L{event.span.line}", leaf.type)

        return f"{where}{show(substitute(condition, short))}"

    def guard(self, guard: Guard) -> str:
        """A formula for a guard; parts that several guards share, and large ones, become predicates."""
        if guard.always:
            return "some Event"
        if guard.never:
            return "no Event"
        if guard.single:
            number, low, _ = guard.branch
            return self._conditions[number] if low.never else f"not {self._conditions[number]}"
        if guard.node not in self._names:
            body = self._combination(guard)
            self._names[guard.node] = self._paths.get(guard.node, f"path_{len(self._names) + 1}")
            self.combined.append(Named(self._names[guard.node], body))
        return self._names[guard.node]

    def _combination(self, guard: Guard) -> str:
        """A conjunction or a disjunction of conditions, or a choice between two guards."""
        number, low, high = guard.branch
        if low.never or high.never:
            return " and ".join(self._chain(guard, all_of=True))
        if low.always or high.always:
            return " or ".join(self._chain(guard, all_of=False))
        return f"{self._conditions[number]} => {self.guard(high)} else {self.guard(low)}"

    def _chain(self, guard: Guard, *, all_of: bool) -> Iterator[str]:
        """The conditions of a conjunction or a disjunction, and the guard that is left."""
        for _ in range(_LONGEST_CHAIN):
            number, low, high = guard.branch
            if guard.single:
                break
            if low.never if all_of else high.always:
                yield self._conditions[number]
                guard = high if all_of else low
            elif high.never if all_of else low.always:
                yield f"not {self._conditions[number]}"
                guard = low if all_of else high
            else:
                break
        yield self.guard(guard)

    def paths(self, paths: Paths) -> str:
        """A formula for a condition on the paths of threads."""
        match paths:
            case Guard():
                formula = self.guard(paths)
                return f"({formula})" if " " in formula else formula
            case Not(operand):
                return f"not {self.paths(operand)}"
            case All(()):
                return "some Event"
            case Some(()):
                return "no Event"
            case All(parts):
                return f"({' and '.join(map(self.paths, parts))})"
            case Some(parts):
                return f"({' or '.join(map(self.paths, parts))})"
            case _:
                assert_never(paths)

    def where(self, when: When, body: str, otherwise: str) -> str:
        """An expression where something holds."""
        if when is None:
            return body
        formula = self.guard(when) if isinstance(when, Guard) else self.values.grouped(when)
        return f"({formula} => {body} else {otherwise})"

    def executed(self, groups: Groups) -> str:
        """The events that are executed."""
        by_guard: dict[int, list[Event]] = {}
        for event in self.graph.events:
            by_guard.setdefault(event.guard.node, []).append(event)
        parts = []
        for events in by_guard.values():
            ids, guard = groups.set([e.id for e in events]), events[0].guard
            parts.append(self.where(None if guard.always else guard, ids, "none"))
        return union(parts) or "none"

    def impossible(self) -> list[str]:
        """Combinations that no execution has, as conjuncts."""
        return [f"not ({self.guard(guard)} and {self.values.grouped(value)})" for guard, value in self.graph.impossible]

    def complete(self) -> str:
        """The condition that every loop has ended."""
        cuts = dict.fromkeys(self.guard(cut.guard) for cut in self.graph.unfinished)
        return " and ".join(map(negation, cuts)) or "some Event"


def _guard_places(graph: EventGraph) -> dict[int, Place | str]:
    """The first place to which each combination of conditions leads."""
    found: dict[int, Place | str] = {}
    guarded: list[Event | Cut | Assertion] = [*graph.events, *graph.cuts, *graph.assertions]
    for what in guarded:
        if not (what.guard.always or what.guard.never) and not what.guard.single:
            found.setdefault(what.guard.node, (what.span.line, what.thread))
    return found


def _placed(stem: str, places: Sequence[Place | str], graph: EventGraph) -> list[str]:
    """Names from places: ``c_L14``, with the thread where a line has several, and a number where that has."""
    lines = Counter(place[0] for place in places if not isinstance(place, str))
    wanted = {}
    for number, place in enumerate(places):
        if isinstance(place, str):
            name = f"{stem}_{place}"
        else:
            line, thread = place
            name = f"{stem}_L{line}" if lines[line] == 1 else f"{stem}_L{line}_{identifier(thread)}"
        wanted[f"#{number}"] = f"{name}_" if name in graph.by_id else name
    return list(distinct(wanted).values())
