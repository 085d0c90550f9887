"""Why a check has its verdict: the places in the source, and the sentences that every report says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scopec.memory.atomicity import CLAUSES
from scopec.memory.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.memory.scopes import contains
from scopec.program.ir import Scope
from scopec.progress.schedule import NOT_STARTED, Schedule
from scopec.report.source import Mark
from scopec.verdicts import UNDEFINED

if TYPE_CHECKING:
    from scopec.expectations import Formula
    from scopec.memory.events import Event
    from scopec.verdicts import Check


@dataclass(frozen=True, slots=True)
class Explanation:
    """The places that a reader must look at, the first one the place of a violation, and what to say about them."""

    marks: tuple[Mark, ...]
    sentences: tuple[str, ...] = ()


def explanation(check: Check) -> Explanation:
    """Why a check has its verdict, as far as its trace tells."""
    here = Mark(check.expectation.span, "expected here")
    match check.trace:
        case Execution() as execution:
            pair = race_of(check)
            if pair is not None:
                sentence = race(execution, pair)
                if check.reason == UNDEFINED:
                    sentence = f"{execution.shown_race(pair)}: {sentence}"
                return Explanation(tuple(Mark(e.span, e.thread) for e in pair), (sentence,))
            found = [execution_sentence(execution)]
            if check.expectation.formula is not None:
                found.append(final_sentence(execution, check.expectation.formula))
            sentence = "; ".join(s for s in found if s)
            return Explanation((here,), (sentence,) if sentence else ())
        case Schedule() as schedule:
            # Threads that are stuck explain more than those that never started, device threads more than the host.
            behind = sorted(schedule.behind, key=lambda b: (b.where == NOT_STARTED, "[" not in b.thread))
            marks = tuple(Mark(b.span, b.thread) for b in behind)
            return Explanation(marks or (here,), tuple(f"{b.thread} {b.where}: {b.why}" for b in behind))
        case None:
            return Explanation((here,))


def race_of(check: Check) -> tuple[Event, Event] | None:
    """The race that decides a check, or None where its verdict is not about one."""
    racy = check.expectation.kind in ("race_free", "race") or check.reason == UNDEFINED
    return check.trace.racing_pair(check.expectation.target) if racy and isinstance(check.trace, Execution) else None


def access_name(event: Event) -> str:
    """``the store at mp.cu:9``."""
    if event.rmw is not None or (event.atomic and not event.load_or_store):
        verb = "read-modify-write"
    elif event.atomic:
        verb = "load" if event.kind is Kind.READ else "store"
    else:
        verb = "read" if event.kind is Kind.READ else "write"
    return f"the {verb} at {place(event)}"


def place(event: Event) -> str:
    """``mp.cu:9``."""
    return f"{event.span.file.rpartition('/')[2]}:{event.span.line}"


def race(execution: Execution, pair: tuple[Event, Event]) -> str:
    """Why two accesses race: which of them is not atomic at a scope that includes the other thread, and no order."""
    first, second = pair
    why = [(one, _not_inclusive(execution, one, other)) for one, other in ((first, second), (second, first))]
    reasons = [f"{access_name(one)} is {reason}" for one, reason in why if reason is not None]
    if len(reasons) < 2:
        named = " and ".join(f"{access_name(e)} by {e.thread}" for e in pair)
        return "; ".join([*reasons, f"neither of {named} happens before the other"])
    if why[0][1] == why[1][1] and reasons[0].startswith(f"{access_name(first)} is not "):
        alike = (why[0][1] or "").removeprefix("not ")
        reasons = [f"neither {access_name(first)} nor {access_name(second)} is {alike}"]
    return "; ".join([*reasons, "neither happens before the other"])


def _not_inclusive(execution: Execution, one: Event, other: Event) -> str | None:
    """What makes ``one`` not atomic at a scope that includes the thread of ``other``, or None; "it is …"."""
    if not one.atomic:
        return "not an atomic operation"
    scope = one.scope if one.scope is not None else Scope.SYSTEM
    if one.id not in execution.base.atomic:
        return _not_atomic(execution, one)
    threads = {t.name: t for t in execution.graph.program.threads}
    if "incl" in execution.model.mentioned and not contains(
        scope, threads[one.thread], threads[other.thread], execution.base.version
    ):
        return f"atomic at {scope.name.lower()} scope, which does not include thread {other.thread}"
    return None


def _not_atomic(execution: Execution, event: Event) -> str:
    """Which clause of the document a system-scope operation would have needed."""
    assert event.location is not None
    object_ = execution.graph.program.objects[event.location.object]
    version = execution.base.version
    assert version is not None
    clauses = [f'"{c.text}"' for c in CLAUSES[version] if object_.storage in c.storages]
    needed = " (it is atomic if " + ", or ".join(clauses) + ")"
    return f"not atomic at system scope in {object_.storage.value} memory{needed}"


def execution_sentence(execution: Execution) -> str:
    """What the reads of an execution return."""
    found = []
    sources = {read: write for write, read in execution.choice.rf}
    for event in execution.events:
        if event.kind is Kind.READ and event.location is not None and event.id in sources:
            source = execution.graph.by_id[sources[event.id]]
            origin = "its initial value" if source.kind is Kind.INIT else f"line {source.span.line}"
            value = execution.values.get(event.id)
            name = shown_location(event.location, execution.graph.program)
            found.append(f"{event.thread} reads {name} = {value} at line {event.span.line} from {origin}")
    return "; ".join(found)


def final_sentence(execution: Execution, formula: Formula) -> str:
    """The final values of what a condition names."""
    values = execution.observed(formula)
    return "; ".join(
        f"at the end {name} = {value}" if value is not None else f"{name} has no value in this execution"
        for name, value in values.items()
    )
