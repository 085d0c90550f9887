"""The answer to ``scopec trace --why-not``, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base.excerpt import clean
from scopec.explain.changes import ReadFrom
from scopec.report import json
from scopec.report.lanes import event_parts, event_text, lane_of, line
from scopec.report.text import title, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.explain.order import Edge
    from scopec.explain.verdict import Check
    from scopec.explain.whynot import Answer
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution
    from scopec.session.check import Report

SCHEMA = "scopec-why/1"
_DIRECT = {
    "rf": "{last} returns what {first} wrote",
    "co": "{first} comes before {last} in coherence order",
    "fr": "{first} returns a value that {last} replaces",
}


def text(report: Report, check: Check, answer: Answer, width: int) -> str:
    """The answer for people."""
    return "".join(f"{clean(said)}\n" for said in _lines(report, check, answer, width))


def _lines(report: Report, check: Check, answer: Answer, width: int) -> Iterator[str]:
    execution = answer.execution
    first, last = _name(execution, answer.first), _name(execution, answer.last)
    yield from wrapped(f"{title(report)}: {_of(check)}", width, 2)
    yield from wrapped(f"  A  {first}", width, 5)
    yield from wrapped(f"  B  {last}", width, 5)
    yield ""
    model = report.run.model.name
    if answer.way is not None:
        yield f"A is ordered before B{_by(answer.way.relation, model)}:"
        yield from _way(execution, answer.way.way, width)
    elif answer.back is not None:
        yield f"A is not ordered before B: B is ordered before A{_by(answer.back.relation, model)}:"
        yield from _way(execution, answer.back.way, width)
    else:
        by = f" by `{answer.relation}` of {model}" if answer.relation else ""
        yield f"A is not ordered before B{by}, nor B before A."
        yield from _lacking(answer, width)
    yield from _others(answer)


def _lacking(answer: Answer, width: int) -> Iterator[str]:
    if answer.turned:
        yield from wrapped("Nothing is known that would order A before B, but what would order B before A:", width, 0)
    for said in answer.sentences:
        yield from wrapped(f"{'missing' if answer.lacking else 'why'}: {said}", width, 9 if answer.lacking else 5)
    if (lacking := answer.lacking) is None:
        return
    then = "B is ordered before A" if answer.turned else "A is ordered before B"
    yield f"each of these is needed; with all of them {then}:" if len(answer.sentences) > 1 else f"with that {then}:"
    yield from _way(lacking.execution, lacking.way.way, width)
    if lacking.forbidden and not any(isinstance(change, ReadFrom) for change in lacking.changes):
        axioms = " and ".join(f"`{name}`" for name in lacking.forbidden)
        yield from wrapped(f"and the model does not allow this execution any more (axiom {axioms})", width, 2)


def _others(answer: Answer) -> Iterator[str]:
    """The relations that have the pair and order nothing else."""
    for name, turned in answer.others:
        first, last = ("B", "A") if turned else ("A", "B")
        yield f"{name}: {_DIRECT[name].format(first=first, last=last)}"


def _of(check: Check) -> str:
    return f"{'the execution of' if check.trace is not None else 'an execution, where'} `{check.expectation.text}`" + (
        "" if check.trace is not None else " holds"
    )


def _by(relation: str, model: str) -> str:
    return ", by program order" if relation == "po" else f", by `{relation}` of {model}"


def _way(execution: Execution, way: Sequence[Edge], width: int, indent: int = 2) -> Iterator[str]:
    wide = max((len(_called(edge)) for edge in way), default=0)
    for edge in way:
        arrow = f"{_place(execution, edge.before)}  ->  {_place(execution, edge.after)}"
        yield from wrapped(f"{' ' * indent}{_called(edge):<{wide}}  {arrow}", width, indent + wide + 2)
        if len(edge.within) > 1:
            yield from _way(execution, edge.within, width, indent + 4)


def _called(edge: Edge) -> str:
    return f"{edge.relation}^-1" if edge.backwards else edge.relation


def _name(execution: Execution, event: Event) -> str:
    """An event in words, with its thread and line."""
    main = execution.graph.program.source.name
    sources = {read: write for write, read in execution.choice.rf}
    if not event.thread:
        return event_text(execution, event, sources)
    return f"{lane_of(execution, event)} {line(event.span, main)}: {event_text(execution, event, sources)}"


def _place(execution: Execution, event: Event) -> str:
    """An event of a way: its thread, line and effect, without the mode, which a change may be about."""
    effect, _ = event_parts(execution, event)
    where = line(event.span, execution.graph.program.source.name)
    return f"{lane_of(execution, event)} {where}: {effect}" if event.thread else effect


def document(report: Report, check: Check, answer: Answer) -> dict[str, Any]:
    """The answer as JSON values."""
    lacking, execution = answer.lacking, answer.execution
    return {
        **json.head(SCHEMA, report, check),
        "first": json.event(execution, answer.first),
        "last": json.event(execution, answer.last),
        "relation": answer.relation,
        "ordered": "before" if answer.way else "after" if answer.back else "no",
        "way": _edges(answer.way.way if answer.way else answer.back.way if answer.back else ()),
        "missing": [] if lacking is None else list(answer.sentences),
        "turned": answer.turned,
        "then": [] if lacking is None else _edges(lacking.way.way),
        "forbidden_then": [] if lacking is None else list(lacking.forbidden),
        "why": list(answer.sentences) if lacking is None else [],
        "others": [{"relation": name, "backwards": turned} for name, turned in answer.others],
    }


def _edges(way: Sequence[Edge]) -> list[dict[str, Any]]:
    return [
        {
            "relation": edge.relation,
            "from": edge.before.id,
            "to": edge.after.id,
            "backwards": edge.backwards,
            "within": _edges(edge.within),
        }
        for edge in way
    ]
