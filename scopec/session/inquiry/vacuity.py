"""Waits that no execution passes: a verdict that holds says nothing about what comes after one."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, ScopecError
from scopec.memory.events import paths
from scopec.memory.events.events import Kind
from scopec.memory.questions import Goal, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scopec.base.source import Span
    from scopec.memory.events.events import Wait
    from scopec.memory.questions import Problem
    from scopec.session.inquiry.findings import Findings
    from scopec.session.inquiry.run import Run

    #: A function that answers the questions of a problem within some seconds.
    Ask = Callable[[Problem, float], Findings]

_SECONDS = 5.0
_MOST_THREADS = 3


def vacuous_waits(run: Run, found: Findings, ask: Ask) -> list[Diagnostic]:
    """A warning for each place where some execution waits, and none gets on.

    The executions that were found show of most waits that one gets past them; ``ask`` finds out about the
    others.  Nothing is said where executions are left out: beyond the bound, or of a program that is undefined.
    """
    beyond = any(found.answers.get(name) is not None for name in ("longer", "overflow"))
    undefined = found.fault is not None or (found.racy and run.reports_races)
    if not run.memory_checks or beyond or undefined:
        return []
    executions = [e for e in found.answers.values() if e is not None]
    open_ = {
        place: waits
        for place, waits in places(run).items()
        if not any(wait.passed.holds(e.outcomes) for e in executions for wait in waits)
    }
    answers = _asked(questioned(run.problem, open_), ask) if open_ else {}
    dead = [p for n, p in enumerate(open_) if answers.get(f"reached_{n}") and not answers.get(f"passed_{n}", True)]
    return list(_warnings(run, _first(run, {place: open_[place] for place in dead})))


#: A thread, and where it waits.
Place = tuple[str, "Span"]


def places(run: Run) -> dict[Place, list[Wait]]:
    """The waits of each thread by their place in the text: a loop around one waits there again."""
    found: dict[Place, list[Wait]] = defaultdict(list)
    for wait in run.graph.waits:
        found[wait.thread, wait.span].append(wait)
    return found


def questioned(problem: Problem, places: Mapping[Place, Sequence[Wait]]) -> Problem:
    """The problem that asks of each place whether some execution gets there, and whether one gets past it."""

    def questions() -> Iterator[Question]:
        for number, ((thread, span), waits) in enumerate(places.items()):
            where = f"line {span.line} in {thread}"
            reached, passed = paths.some(w.reached for w in waits), paths.some(w.passed for w in waits)
            yield Question(f"reached_{number}", Goal.LEFT, f"some execution gets to {where}", paths=reached)
            yield Question(f"passed_{number}", Goal.LEFT, f"some execution gets past {where}", paths=passed)

    return replace(problem, questions=tuple(questions()))


def _asked(problem: Problem, ask: Ask) -> dict[str, bool]:
    """The findings that come soon; nothing otherwise."""
    try:
        return {name: execution is not None for name, execution in ask(problem, _SECONDS).answers.items()}
    except ScopecError:
        return {}


def _first(run: Run, dead: Mapping[Place, Sequence[Wait]]) -> list[Place]:
    """Those of waits in vain that are not for each other: loops before barriers, and these before calls of the host."""

    def rank(wait: Wait) -> int:
        if not wait.event:
            return 0
        return 1 if run.graph.by_id[wait.event].kind is Kind.WAIT else 2

    ranks = {place: min(map(rank, waits)) for place, waits in dead.items()}
    return [place for place in dead if ranks[place] == min(ranks.values())]


def _warnings(run: Run, dead: Sequence[Place]) -> Iterator[Diagnostic]:
    variant = ", ".join(f"{name} = {value}" for name, value in run.program.variant.items())
    when = f" when {variant}" if variant else ""
    by_span: dict[Span, list[str]] = defaultdict(list)
    for thread, span in dead:
        by_span[span].append(thread)
    for span, threads in by_span.items():
        others = any(w.span == span and w.thread not in threads for w in run.graph.waits)
        message = f"no execution {f'lets {_listed(threads)} get' if others else 'gets'} past line {span.line}{when}"
        yield Diagnostic(Code.DEAD_END, message, span, None, "warning")


def _listed(threads: Sequence[str]) -> str:
    shown, left = threads[:_MOST_THREADS], len(threads) - _MOST_THREADS
    return ", ".join(shown) + (f" and {left} more" if left > 0 else "")
