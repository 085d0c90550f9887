"""The memory engines' answers about stuck executions, combined with those about schedules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError, LimitError
from scopec.base.records import dataclass
from scopec.hangs.provenance import Provenance
from scopec.memory.events.events import Left
from scopec.session.inquiry.hangs import OVERFLOW, STUCK, UNDECIDED, search
from scopec.session.inquiry.sc_suffices import found_whole
from scopec.session.inquiry.verdicts import not_decided

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from scopec.explain.verdict import Check
    from scopec.hangs.execution import StuckExecution
    from scopec.memory.execution import Execution
    from scopec.memory.questions import Problem
    from scopec.program.program import Program
    from scopec.progress.models import Property
    from scopec.session.inquiry.findings import Findings, Progress
    from scopec.session.inquiry.hangs import Search
    from scopec.session.inquiry.run import Run

#: Up to how many pairs of a write and a read a graph is asked about again, with more turns of its loops.
_MOST_PAIRS = 600
#: The factors of further turns, and the most turns.
_MORE_TURNS = (1, 2, 4)
_MOST_TURNS = 64
_PLACES = "an execution gets stuck, and whether its blocks were ever more than `resident_blocks` is not known"
_SCHEDULES_ALONE = "ask about schedules of a sequentially consistent memory alone with `--hangs sc`"


@dataclass(frozen=True)
class Hangs:
    """An execution that gets stuck, or why it is not known whether there is one; neither where there is none."""

    execution: StuckExecution | None = None
    undecided: str | None = None
    whole: str | None = None
    engine: str | None = None
    time_ms: float = 0.0
    cached: bool = False


def hangs(
    run: Run,
    property_: Property,
    answer: Progress,
    found: Findings | None,
    ask: Callable[[Problem], Findings],
    limited: Callable[[], AbstractContextManager[None]],
) -> Hangs | None:
    """The findings about hangs beside an answer about schedules; None if nothing is asked.

    ``found`` are the answers to the memory questions, ``ask`` asks the memory engines, and making a question is
    ``limited``.
    """
    if not run.asks_hangs or answer.holds is False:
        return None
    try:
        with limited():
            whole = run.whole or found_whole(run, run.graph, found)
    except LimitError as passed:
        return Hangs(undecided=f"{passed} about executions that get stuck")
    if whole is not None:
        return Hangs(whole=whole)
    if any(grid.dependent or grid.events for grid in run.program.grids.values()):
        return Hangs(undecided=f"whether a dependent grid starts is not known of an execution: {_SCHEDULES_ALONE}")
    bound = run.settings.bound["unroll"]
    for factor in _MORE_TURNS:
        try:
            with limited():
                asked = search(run, property_, factor * bound)
        except LimitError as passed:
            return Hangs(undecided=f"{passed} about executions that get stuck")
        except InputError as bad:
            return Hangs(
                undecided=f"the executions that get stuck are too many to look at ({bad.diagnostics[0].message}): "
                f"{_SCHEDULES_ALONE}"
            )
        result = _result(asked, ask(asked.problem))
        larger = factor * bound * 2 > _MOST_TURNS or asked.problem.base.graph.reads_from_pairs > _MOST_PAIRS
        if result.undecided is None or larger or not _beyond(asked):
            break
    return result


def _result(asked: Search, found: Findings) -> Hangs:
    said = Hangs(engine=found.engine, time_ms=found.time_ms, cached=found.cached)
    if found.unanswered is not None and found.answers.get(STUCK) is None:
        return replace(said, undecided=f"{found.unanswered} about executions that get stuck")
    stuck = found.answers[STUCK]
    if stuck is None:
        return replace(said, undecided=_undecided(asked, found))
    if stuck.undecided:
        return replace(said, undecided=not_decided(stuck))
    if asked.system.places is not None:
        return replace(said, undecided=f"{_PLACES}: {_SCHEDULES_ALONE}")
    return replace(said, execution=asked.shown(stuck))


def _undecided(asked: Search, found: Findings) -> str | None:
    execution = found.answers[UNDECIDED]
    if execution is not None:
        more = min(_MOST_TURNS, 2 * asked.turns)
        raised = f"raise the bound with `//@ bound unroll = {more};`, or " if more > asked.turns else ""
        return f"{'; '.join(dict.fromkeys(_open_loops(asked, execution)))}: {raised}{_SCHEDULES_ALONE}"
    if found.answers.get(OVERFLOW) is not None:
        return "values that the program computes from each other exceed what scopec models"
    if asked.wakes_one_of:
        names = ", ".join(sorted(asked.wakes_one_of))
        return f"several threads may sleep on {names}, and which of them a notify_one wakes is not modelled here"
    return None


def _open_loops(asked: Search, execution: Execution) -> Iterator[str]:
    for cut in execution.graph.cuts:
        if not cut.guard.holds(execution.outcomes):
            continue
        if cut.left is Left.BEYOND:
            yield (
                f"the loop at line {cut.span.line} can go round more than {asked.turns} times and change something "
                "each time, and it is not known whether it ends under the memory model"
            )
        elif cut.left is Left.DIVERGING:
            yield f"the loop at line {cut.span.line} goes round, and no state of it recurs within {asked.turns} turns"


def _beyond(asked: Search) -> bool:
    """Whether more turns could show more."""
    return any(cut.left in (Left.BEYOND, Left.DIVERGING) for cut in asked.problem.base.graph.cuts)


def combined(check: Check, answer: Progress, found: Hangs | None, run: Run) -> Check:
    """The verdict on schedules of a sequentially consistent memory and on executions of the memory model together.

    Where no hang was found, and a loop was taken to end that may not, nothing is known.
    """
    combination = _combined(check, answer, found, run.settings.options["hangs"])
    ends = combination.verdict == ("holds" if check.expectation.kind in ("terminates", "progresses") else "violated")
    if ends:
        lines, otherwise = {span.line for span in run.supposed}, "so, no thread waits for ever"
    else:
        lines, otherwise = _may_end(run.program, combination), "not, a thread goes round for ever"
    if not lines:
        return combination
    where = (
        f"the loops at lines {_listed(sorted(lines))} end" if len(lines) > 1 else f"the loop at line {min(lines)} ends"
    )
    reason = (
        f"whether {where} is decided by a value that is not modelled, such as a floating-point number: if {otherwise}; "
        "bound the turns by a count"
    )
    return replace(combination, verdict="unknown", reason=reason, trace=None)


def _may_end(program: Program, check: Check) -> set[int]:
    """The lines of loops in the endless behaviour of a check of which it is not known whether they end."""
    if check.trace is None:
        return set()
    # Start-up: few programs hang.
    from scopec.session.inquiry.unmodelled import loops

    return loops(program, check.trace)


def _listed(lines: list[int]) -> str:
    return f"{', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _combined(check: Check, answer: Progress, found: Hangs | None, option: str) -> Check:
    asked = Provenance(option, answer.engine)
    if found is None:
        return replace(check, hangs=asked)
    asked = replace(asked, memory=found.engine, whole=found.whole)
    universal = check.expectation.kind in ("terminates", "progresses")
    if found.execution is not None:
        return replace(
            check,
            hangs=asked,
            verdict="violated" if universal else "holds",
            reason=found.execution.reason(check.expectation.kind, ends=bool(answer.holds)) if universal else None,
            engine=found.engine or check.engine,
            time_ms=found.time_ms,
            states=None,
            trace=found.execution,
            cached=found.cached,
        )
    if found.undecided is not None and check.verdict != "unknown":
        return replace(check, hangs=asked, verdict="unknown", reason=found.undecided, trace=None)
    return replace(check, hangs=asked)
