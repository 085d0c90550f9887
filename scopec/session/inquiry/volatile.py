"""Races of volatile accesses, reported for both languages: CUDA C++ gives them no order, in PTX they are strong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ScopecError
from scopec.explain.verdict import UNDEFINED, Check
from scopec.memory.cat import registry
from scopec.memory.execution import Execution
from scopec.program.expectations import Expectation
from scopec.session.inquiry.verdicts import memory_checks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scopec.memory.events.events import Event
    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.run import Run

_PTX = "ptx"
_SECONDS = 5.0


def told(run: Run, checks: Sequence[Check], ask: Callable[[Run], Inquiry]) -> list[Check]:
    """The checks; those that a race between volatile accesses decides say their verdict under ``ptx`` too.

    PTX ISA, "volatile Operation": "PTX volatile operations are intended for compilers to lower volatile read and write
    operations from CUDA C++", and "equivalent to a relaxed memory operation with system-scope".
    """
    concerned = [run.model.version is not None and _volatile_race(c) for c in checks]
    if not any(concerned):
        return list(checks)
    asked = [_asked(c) if is_ else None for c, is_ in zip(checks, concerned, strict=True)]
    answers = _verdicts(run, ask, [e for n, e in enumerate(asked) if e is not None and e not in asked[:n]])
    return [
        c if e is None else replace(c, elsewhere=_said(next((a for a in answers if a.expectation == e), None)))
        for c, e in zip(checks, asked, strict=True)
    ]


def _volatile_race(check: Check) -> bool:
    """Whether a race decides a check, and is one of C++'s volatile accesses with another or an atomic one, or comes
    with one.
    """
    kind, target = check.expectation.kind, check.expectation.target
    if not (kind in ("race_free", "race") or check.reason == UNDEFINED) or not isinstance(check.trace, Execution):
        return False
    pairs = [(a, b) for a, b in check.trace.race if {_strength(a), _strength(b)} in ({_OF_CPP}, {_OF_CPP, True})]
    return any(target is None or target.holds(a.location) for a, _ in pairs)


#: An access that is volatile in C++, and has no order.
_OF_CPP = "volatile"


def _strength(event: Event) -> str | bool:
    """The mode of an access, as far as it decides whether it is a strong one in PTX."""
    return _OF_CPP if event.volatile and not event.atomic else event.atomic


def _asked(check: Check) -> Expectation:
    """The same question under ``ptx``; of a race, whether there is any."""
    if check.reason == UNDEFINED:
        return check.expectation
    return Expectation("race_free", "race_free", check.expectation.span)


def _verdicts(run: Run, ask: Callable[[Run], Inquiry], asked: Sequence[Expectation]) -> list[Check]:
    """The verdicts under ``ptx`` of the engine that answers at once; none where it does not have them soon."""
    there = replace(run, model=registry.find(_PTX), checks=tuple(asked), void=())
    try:
        found = ask(there).quickly(there.problem, _SECONDS)
        return [] if found.unanswered else memory_checks(there, found)
    except ScopecError:
        return []


def _said(check: Check | None) -> str:
    if check is None:
        return f"`--model {_PTX}` asks what holds there"
    if check.verdict == "unknown":
        return f"under `{_PTX}` it is not decided: {check.reason}"
    if check.expectation.kind == "race_free":
        return f"under `{_PTX}` the program {'is race free' if check.verdict == 'holds' else f'has {check.reason}'}"
    return f"under `{_PTX}` it {'holds' if check.verdict == 'holds' else f'is violated too: {check.reason}'}"
