"""Hangs that no document rules out, but an assumption that programs commonly make does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ScopecError
from scopec.explain.verdict import FAULTY, Check
from scopec.progress.models import ASSUMED, CUDA
from scopec.session.inquiry import any_index, partners, runs_of_bytes
from scopec.session.inquiry.stuck import hangs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.findings import Findings
    from scopec.session.inquiry.run import Run

#: For each of the questions: schedules, and executions that get stuck, under each assumption.
_SECONDS = 5.0


def told(run: Run, checks: Sequence[Check], found: Findings | None, ask: Callable[[Run], Inquiry]) -> list[Check]:
    """The checks; a violated ``terminates`` says whether it holds under what is assumed beside the CUDA document.

    ``found`` are the answers to the memory questions of the run.  Nothing is said of a program that is undefined, nor
    where the engines that answer at once do not know soon.
    """
    checks = doubted(run, checks)
    concerned = [c for c in checks if run.progress == CUDA and _hangs(c)]
    said = "; ".join(_said(run, found, ask)) if concerned else ""
    return [replace(c, assuming=said) if said and c in concerned else c for c in checks]


def doubted(run: Run, checks: Sequence[Check]) -> list[Check]:
    """The checks; unknown is what may be due to a guess, or to an index."""
    return any_index.told(run, partners.told(run, runs_of_bytes.told(run, checks)))


def _hangs(check: Check) -> bool:
    void = bool(check.warnings) or (check.reason or "").startswith(FAULTY)
    return check.expectation.kind == "terminates" and check.verdict == "violated" and not void


def _said(run: Run, found: Findings | None, ask: Callable[[Run], Inquiry]) -> Iterator[str]:
    for model in ASSUMED:
        try:
            there = ends(ask(run.under(model)), found)
        except ScopecError:  # a limit, say
            continue
        if there is not None:
            yield f"under `{model.name}` it {'holds' if there else 'is violated too'}"


def ends(inquiry: Inquiry, found: Findings | None) -> bool | None:
    """Whether a run ends, None where that is not known soon; ``found`` are the answers to its memory questions."""
    seconds = inquiry.deadline.within(_SECONDS)
    schedules = inquiry.progress_soon("Termination", seconds)
    if not schedules.holds:
        return schedules.holds
    stuck = hangs(
        inquiry.run,
        "Termination",
        schedules,
        found,
        lambda problem: inquiry.quickly(problem, seconds),
        inquiry.limited,
    )
    if stuck is None or (stuck.execution is None and stuck.undecided is None):
        return True
    return False if stuck.execution is not None else None
