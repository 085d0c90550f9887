"""The events of a specification, and the groups that its expressions are made of.

Every ``one sig`` is a type of its own, and long unions of products of them are slow to type-check: so groups are named.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from scopec.base.files import source_of
from scopec.engines.alloy.text import Named, operand, union
from scopec.memory.events.events import Event, Kind
from scopec.memory.given import relations
from scopec.memory.given.forms import Coherence, Sources
from scopec.program.names import distinct, identifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.memory.events.base import Base
    from scopec.memory.events.events import EventGraph
    from scopec.memory.given.forms import Group
    from scopec.program.observe import Location

#: The length of the program's text that is shown of an event.
_LONGEST = 300


class Groups:
    """The names of groups of events: those of a thread, and the accesses to a location."""

    def __init__(self, base: Base) -> None:
        self.graph: EventGraph = base.graph
        self.initial = [e for e in self.graph.events if e.kind is Kind.INIT]
        self.conditional = any(not e.guard.always for e in self.graph.events)
        self.threads: dict[Group, str] = {}
        self.shown = list(self._groups())
        by_id = self.graph.by_id
        self.writes = {
            by_id[form.writes[0]].location: form.writes
            for form in relations.forms(base, "co")
            if isinstance(form, Coherence)
        }
        self.reads = {
            by_id[form.writes[0]].location: form.reads
            for form in relations.forms(base, "rf")
            if isinstance(form, Sources)
        }
        self.places = {
            self.writes[location] + self.reads.get(location, ()): f"at_{self.at(location)}"
            for location in self.graph.locations
        }

    def _groups(self) -> Iterator[dict[str, Any]]:
        program = self.graph.program
        if self.initial:
            yield self._group("init", "initial writes", self.initial)
        names = distinct({t.name: identifier(t.name) for t in program.threads})
        for thread in program.threads:
            events = [e for e in self.graph.events if e.thread == thread.name]
            if events:
                yield self._group(f"th_{names[thread.name]}", f"thread {thread.name}", events)

    def _group(self, name: str, title: str, events: Sequence[Event]) -> dict[str, Any]:
        self.threads[tuple(e.id for e in events)] = name
        width = max(len(e.id) for e in events)
        rows: list[dict[str, str]] = []
        for _, together in groupby(events, lambda e: e.span.line):
            heading = self._heading(line := list(together))
            for event in line:
                pad = " " * (width - len(event.id))
                rows.append({"name": event.id, "pad": pad, "comment": event.text, "heading": heading})
                heading = ""
        return {"name": name, "title": title, "events": rows, "members": union(e.id for e in events)}

    def _heading(self, events: Sequence[Event]) -> str:
        """A heading with the place of events and its text: those of one line follow each other."""
        if events[0].kind is Kind.INIT:
            return ""
        source = self.graph.program.source
        written = dict.fromkeys(" ".join(source_of(e.span, source).text_of(e.span).split()) for e in events)
        whole = "; ".join(text for text in written if not any(text in other for other in written if other != text))
        plain = "".join(c if c.isprintable() and ord(c) < 128 else "?" for c in whole)
        return f"line {events[0].span.line}: {plain if len(plain) <= _LONGEST else f'{plain[:_LONGEST]} ...'}"

    def at(self, location: Location) -> str:
        """The name of a location in the specification."""
        return self.graph.location_names[location]

    def locations(self) -> Iterator[Named]:
        """The groups of accesses by location."""
        for location in self.graph.locations:
            name = self.at(location)
            yield Named(f"w_{name}", union(self.writes[location]))
            if location in self.reads:
                yield Named(f"r_{name}", union(self.reads[location]))
            yield Named(f"at_{name}", f"w_{name} + r_{name}" if location in self.reads else f"w_{name}")

    def set(self, ids: Sequence[str]) -> str:
        """An expression for a set of events, with the names of the groups that it is made of."""
        known = self.threads.get(tuple(ids))
        if known:
            return known
        parts: list[str] = []
        remaining = set(ids)
        for group, name in self.threads.items():
            if set(group) <= remaining:
                parts.append(name)
                remaining -= set(group)
        parts += [e for e in ids if e in remaining]
        return union(parts) or "none"

    def square(self, ids: Group) -> str:
        """A set of events that are related to each other: those of a location have a name too."""
        return self.places.get(ids) or operand(self.set(ids))

    def executed(self, body: str) -> str:
        """A relation over the program's events, restricted to executed ones."""
        return f"{operand(body)} & Exec->Exec" if self.conditional else body
