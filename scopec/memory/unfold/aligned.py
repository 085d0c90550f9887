"""Instructions to which all lanes of a warp have to come, and the lanes that come to different ones.

".aligned [...] indicates that all threads in the warp must execute the same barrier instruction. In conditionally
executed code, an aligned barrier instruction should only be used if it is known that all threads in the warp evaluate
the condition identically, otherwise behavior is undefined" (PTX ISA, "bar"); ``__syncthreads()`` is one.  So the k-th
such instruction of each lane has to be the same.  Lanes that do not come to a k-th one are not asked: they have exited,
or are stuck, and the barrier's own rules say what becomes of those that have.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from scopec.base.files import source_of
from scopec.base.records import dataclass
from scopec.memory.events.events import Assertion, Cut, Kind
from scopec.program import values
from scopec.program.collective import how_many, warp_of
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from scopec.memory.events.events import Event
    from scopec.memory.unfold.unfolding import Unfolding
    from scopec.program.values import Value


_COME = "lanes of one warp come to "


def is_divergence(fault: Assertion) -> bool:
    """Whether a fault is that lanes of a warp come to different instructions of this kind."""
    return fault.implicit and fault.text.startswith(_COME)


def divergence(out: Unfolding) -> Iterator[tuple[Assertion, Cut]]:
    """The paths on which lanes of a warp come to different instructions of this kind, and what they cut off."""
    warps: dict[str, dict[str, list[Event]]] = {}
    names = {thread.name: warp_of(thread) for thread in out.program.threads}
    for event in out.events:
        if event.kind is Kind.ARRIVE and out.barriers[event.id].at:
            warps.setdefault(names[event.thread], {}).setdefault(event.thread, []).append(event)
    for lanes in warps.values():
        if len({out.barriers[event.id].at for own in lanes.values() for event in own}) > 1:
            arrivals = [_Arrivals.of(out, own) for own in _kinds(out, lanes.values())]
            for one, other in combinations(arrivals, 2):
                yield from _apart(out, one, other)


@dataclass(frozen=True, slots=True)
class _Arrivals:
    """The arrivals of a lane, each with how many come before it; their places among these by that number, if known."""

    events: tuple[tuple[Event, Value], ...]
    known: Mapping[int, Sequence[int]]
    open: tuple[int, ...]

    @staticmethod
    def of(out: Unfolding, own: list[Event]) -> _Arrivals:
        events = tuple((event, _number(out, event, own)) for event in own)
        known: dict[int, list[int]] = {}
        for place, (_, number) in enumerate(events):
            if isinstance(number, Const):
                known.setdefault(number.value, []).append(place)
        return _Arrivals(
            events, known, tuple(n for n, (_, number) in enumerate(events) if not isinstance(number, Const))
        )

    def that_may_be(self, number: Value) -> Iterator[tuple[Event, Value]]:
        """The arrivals that may have a number, in their order."""
        if not isinstance(number, Const):
            return iter(self.events)
        return (self.events[place] for place in sorted((*self.known.get(number.value, ()), *self.open)))


def _kinds(out: Unfolding, lanes: Iterable[list[Event]]) -> list[list[Event]]:
    """The arrivals of lanes, of those once that are at the same places on the same paths: their k-th is the same."""
    return list({tuple((out.barriers[e.id].at, e.guard) for e in own): own for own in lanes}.values())


def _apart(out: Unfolding, one: _Arrivals, other: _Arrivals) -> Iterator[tuple[Assertion, Cut]]:
    for here, number in one.events:
        for there, its in other.that_may_be(number):
            if out.barriers[here.id].at == out.barriers[there.id].at:
                continue
            both = here.guard & there.guard
            if both.never:
                continue
            same = values.binary("==", number, its)
            if same == values.FALSE:
                continue
            guard = both & out.literal(same)
            source = out.program.source
            texts = (f"`{source_of(e.span, source).text_of(e.span)}` (line {e.span.line})" for e in (here, there))
            text = _COME + " and ".join(texts) + ", which have to be one instruction"
            yield (
                Assertion(text, there.span, there.thread, guard, values.FALSE, len(out.events), implicit=True),
                Cut(there.thread, there.span, guard, wait=True, position=len(out.events), fault=True),
            )


def _number(out: Unfolding, event: Event, own: list[Event]) -> Value:
    """The number of arrivals of its thread that come before one."""
    before = (e for e in own[: own.index(event)] if not e.guard.excludes(event.guard))
    return how_many([e.guard.where(event.guard).value(out.conditions) for e in before])
