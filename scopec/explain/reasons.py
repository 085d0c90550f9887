"""The reason of a verdict: the places in the source, and the sentences that every report says."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from scopec.base.excerpt import Mark
from scopec.base.records import dataclass
from scopec.explain.agents import incomplete, outlives
from scopec.explain.lifetimes import bound, lifetimes
from scopec.explain.mbarriers import overrun, unfenced
from scopec.explain.proxies import unconnected
from scopec.explain.streams import too_early
from scopec.explain.synchronisation import access_name, broken, early, reads, unordered
from scopec.explain.tensor_memory import unordered_in_tensor_memory
from scopec.explain.verdict import UNDEFINED, is_fault
from scopec.hangs.execution import StuckExecution
from scopec.memory.answers import failed_assertions
from scopec.memory.events.atomicity import CLAUSES
from scopec.memory.events.inclusion import left_out
from scopec.memory.execution import Execution
from scopec.program.observe import FinalMemory, FinalRegister, lifetime_of
from scopec.progress.schedule import NOT_STARTED, Ending, Schedule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.explain.verdict import Check
    from scopec.memory.events.events import Assertion, Event
    from scopec.program.observe import Formula
    from scopec.progress.schedule import Behind


@dataclass(frozen=True, slots=True)
class Explanation:
    """The places that a reader must look at, the first one the place of a violation, and what to say about them."""

    marks: tuple[Mark, ...]
    sentences: tuple[str, ...] = ()


def explanation(check: Check) -> Explanation:
    """The explanation of a verdict, as far as its trace shows, and the verdict under other models where that is known:
    in PTX if volatile accesses race, under what is assumed beside CUDA's document if something hangs.
    """
    why = _explanation(check)
    both = f"volatile of C++ is a plain access; nvcc makes ld.volatile of it, which is relaxed.sys: {check.elsewhere}"
    rests = [f"no document says {reading}: it is a reading of scopec's" for reading in check.rests_on]
    more = (both if check.elsewhere is not None else None, check.assuming, check.orders, *rests)
    return replace(why, sentences=(*why.sentences, *(sentence for sentence in more if sentence is not None)))


def _explanation(check: Check) -> Explanation:
    here = Mark(check.expectation.span, "expected here")
    match check.trace:
        case StuckExecution() as stuck:
            order = [stuck.missing_order] if stuck.missing_order is not None else []
            marks = _marks(_first(stuck.behind))
            return Explanation(marks or (here,), (*order, *_where(stuck.behind)))
        case Execution() as execution:
            pair = race_of(check)
            if pair is not None:
                sentence = race(execution, pair)
                if check.reason == UNDEFINED:
                    sentence = f"{execution.shown_race(pair)}: {sentence}"
                return Explanation(tuple(Mark(e.span, e.thread) for e in pair), (sentence,))
            failing, formula = failing_assertions(execution, check), check.expectation.formula
            named = {a.thread for a in failing}
            if formula is not None:
                named |= {what.thread for what in formula.observed.values() if isinstance(what, FinalRegister)}
            undefined = failing[:1] if check.expectation.kind == "undefined" else []
            found = [
                *(f"line {a.span.line}: {a.text}" for a in undefined),
                *lifetimes(execution, failing),
                *reads(execution, named),
                *early(execution),
                *([final_sentence(execution, formula)] if formula is not None else []),
            ]
            marks = tuple(Mark(a.span, f"{'undefined' if a.implicit else 'fails'} in {a.thread}") for a in failing)
            return Explanation(marks or (here,), tuple(s for s in found if s))
        case Schedule() as schedule:
            behind = _first(schedule.behind)
            marks = _marks(behind)
            if schedule.ending is Ending.FOUND and check.expectation.formula is not None:
                reached = _reached(schedule, check.expectation.formula)
                return Explanation((here,), (reached,) if reached else ())
            return Explanation(marks or (here,), _where(schedule.behind))
        case None:
            return Explanation((here,))


def _first(behind: Sequence[Behind]) -> list[Behind]:
    """Threads that are stuck explain more than those that never started, device threads more than the host."""
    return sorted(behind, key=lambda b: (b.where == NOT_STARTED, "[" not in b.thread))


def _where(behind: Sequence[Behind]) -> tuple[str, ...]:
    found = []
    for (where, why), group in groupby(_first(behind), key=lambda b: (b.where, b.why)):
        threads = [b.thread for b in group]
        if len(threads) < _MANY:
            found += [f"{thread} {where}: {why}" for thread in threads]
        else:
            found.append(f"each of {len(threads)} threads from {threads[0]} to {threads[-1]} {where}: {why}")
    return tuple(found)


#: So many threads of which the same is to be said are told of together.
_MANY = 4


def _marks(behind: Sequence[Behind]) -> tuple[Mark, ...]:
    """The places at which threads stay: many in a row at one place have one mark."""
    found = []
    for span, group in groupby(behind, key=lambda b: b.span):
        threads = [b.thread for b in group]
        if len(threads) < _MANY:
            found += [Mark(span, thread) for thread in threads]
        else:
            found.append(Mark(span, f"{len(threads)} threads from {threads[0]} to {threads[-1]}"))
    return tuple(found)


def race_of(check: Check) -> tuple[Event, Event] | None:
    """The race that decides a check, or None where its verdict is not about one."""
    racy = check.expectation.kind in ("race_free", "race") or check.reason == UNDEFINED
    return check.trace.racing_pair(check.expectation.target) if racy and isinstance(check.trace, Execution) else None


def failing_assertions(execution: Execution, check: Check) -> list[Assertion]:
    """The assertions that decide a check and fail in an execution, with the threads in which they do."""
    written = (a for a in execution.graph.assertions if a.span == check.expectation.span and not a.implicit)
    return failed_assertions(execution, execution.graph.faults if is_fault(check) else written)


def race(execution: Execution, pair: tuple[Event, Event]) -> str:
    """The reason why two accesses race: which is not atomic at a scope that includes the other thread, and no order."""
    first, second = pair
    if lifetime_of(first.location) is not None:
        return bound(execution, pair)
    whole = overrun(execution, pair) or outlives(execution, pair) or unordered_in_tensor_memory(execution, pair)
    if whole is not None:
        return whole
    why = [(one, _not_inclusive(execution, one, other)) for one, other in ((first, second), (second, first))]
    reasons = [f"{access_name(one)} is {reason}" for one, reason in why if reason is not None]
    if len(reasons) < 2:
        reasons.append(" and ".join(f"{access_name(e)} is by {e.thread}" for e in pair))
    elif why[0][1] == why[1][1] and reasons[0].startswith(f"{access_name(first)} is not "):
        alike = (why[0][1] or "").removeprefix("not ")
        same = access_name(first) == access_name(second)
        both = f"{access_name(first)}, by {first.thread} and by {second.thread}, is not"
        reasons = [f"{both if same else f'neither {access_name(first)} nor {access_name(second)} is'} {alike}"]
    known = unfenced(execution, pair) or unconnected(execution, pair) or incomplete(execution, pair)
    no_order = known or too_early(execution, pair) or unordered(execution, pair)
    return "; ".join([*reasons, no_order, *lost(execution, pair)])


def lost(execution: Execution, pair: tuple[Event, Event]) -> list[str]:
    """The stores that a racing plain write may undo, as its thread has not heard of them: a sentence each."""
    if broken(execution, pair) is not None:
        return []
    stored = {e.rmw for e in execution.events if e.rmw is not None}
    return [
        f"what {access_name(other)} has stored is lost where {access_name(write)} comes after it"
        for write, other in (pair, pair[::-1])
        if write.writes and not write.atomic and (other.rmw is not None or other.id in stored)
    ]


def _not_inclusive(execution: Execution, one: Event, other: Event) -> str | None:
    """The reason why ``one`` is not atomic at a scope that includes the thread of ``other``, or None; "it is …"."""
    if not one.atomic:
        strong = one.volatile and "WEAK" in execution.model.mentioned
        return None if strong else "not an atomic operation"
    if one.id not in execution.base.atomic:
        return _not_atomic(execution, one)
    return left_out(execution, one, other)


def _not_atomic(execution: Execution, event: Event) -> str:
    """The clause of the document that a system-scope operation would have needed."""
    assert event.location is not None
    object_ = execution.graph.program.objects[event.location.object]
    version = execution.base.version
    assert version is not None
    clauses = [f'"{c.text}"' for c in CLAUSES[version] if object_.storage in c.storages]
    needed = " (it is atomic if " + ", or ".join(clauses) + ")"
    return f"not atomic at system scope in {object_.storage.value} memory{needed}"


def _reached(schedule: Schedule, formula: Formula) -> str:
    """The values in the last state of what a condition names, as far as that state has them by name."""
    last = schedule.moves[-1].after if schedule.moves else schedule.start
    found = []
    for name, what in formula.observed.items():
        match what:
            case FinalRegister(thread, register):
                value = last.registers.get(thread, {}).get(register)
            case FinalMemory(location):
                value = last.memory.get(location.object)
        found += [f"{name} = {value}"] if isinstance(value, int) else []
    return f"at the end {', '.join(found)}" if found else ""


def final_sentence(execution: Execution, formula: Formula) -> str:
    """The final values of what a condition names."""
    values = execution.observed(formula)
    final = ", ".join(f"{name} = {value}" for name, value in values.items() if value is not None)
    missing = [f"{name} has no value in this execution" for name, value in values.items() if value is None]
    return "; ".join([f"at the end {final}", *missing] if final else missing)
