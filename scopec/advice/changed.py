"""The answers about a program whose text is changed: it is read again, and asked all that was asked of it.

A changed text holds if it is a program, has no warning of a kind that the text had not, and all that held still holds,
without a reservation.  What is not decided does not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.advice.rereading import replanned
from scopec.base.diagnostics import InputError, ScopecError
from scopec.base.records import dataclass
from scopec.program import ir
from scopec.program.expectations import PROGRESS_KINDS, Expectation
from scopec.session.check import check_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from scopec.engines.java.workers import Workers
    from scopec.explain.fixes import Replacement
    from scopec.explain.verdict import Check
    from scopec.session.check import Report, Settings
    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Plan

#: A run of a plan, by which that of a changed text is found.
_Key = tuple[str, bool]


@dataclass(frozen=True)
class Answer:
    """What became of a changed text: why it does not hold, in words; whether that is only not known; whether what the
    program does is the same; its launches."""

    reason: str | None = None
    unknown: bool = False
    same: bool = False
    reports: tuple[Report, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether everything holds of it."""
        return self.reason is None


class Changed:
    """A program, changes of its text, and what is asked of each: ``also`` are questions that no line states."""

    def __init__(
        self, planned: Plan, settings: Settings, workers: Workers, also: Mapping[_Key, Sequence[Expectation]]
    ) -> None:
        self.planned, self.settings, self.workers, self.also = planned, settings, workers, also
        self.asked = 0
        self._known: dict[str, Answer] = {}

    def answer(self, changes: Iterable[Replacement], settings: Settings | None = None) -> Answer:
        """What becomes of the text with changes; ``settings`` are others than those of the search."""
        run = self.planned.runs[0]
        changes = tuple(sorted(changes))
        key = repr(changes)
        if settings is not None:
            return self._found(run, changes, settings)
        if key not in self._known:
            self.asked += 1
            self._known[key] = self._found(run, changes, self.settings)
        return self._known[key]

    def _found(self, run: Run, changes: Sequence[Replacement], settings: Settings) -> Answer:
        try:
            planned = replanned(run.source, run.file, changes, self.settings.overrides)
            return self._asked(planned, settings)
        except InputError as refused:
            return Answer(f"the text is refused: {refused.diagnostics[0].message}")
        except ScopecError as failed:
            return Answer(str(failed), unknown=True)

    def _asked(self, planned: Plan, settings: Settings) -> Answer:
        before = self.planned.runs
        if [key(run) for run in planned.runs] != [key(run) for run in before]:
            return Answer("other variants come of it")
        if new := Counter(w.code.id for w in planned.warnings) - Counter(w.code.id for w in self.planned.warnings):
            message = next(w.message for w in planned.warnings if w.code.id in new)
            return Answer(f"a warning is new: {message}")
        reports: list[Report] = []
        for run, old in zip(planned.runs, before, strict=True):
            if [c.kind for c in run.checks if not c.implicit] != [
                c.kind for c in old.checks if not c.implicit
            ] or run.void:
                return Answer("other questions come of it")
            asked = replace(run, checks=(*run.checks, *self.also.get(key(run), ())))
            report = check_run(asked, settings.policy, self.workers, settings)
            if (bad := next((c for c in report.checks if not stands(c)), None)) is not None:
                return Answer(_why(report, bad, len(before)), unknown=bad.verdict != "violated")
            reports.append(report)
        same = [did(run) for run in planned.runs] == [did(run) for run in before]
        return Answer(None, same=same, reports=tuple(reports))


def stands(check: Check) -> bool:
    """Whether a check holds without a reservation."""
    return check.verdict == "holds" and not check.warnings


def _why(report: Report, check: Check, runs: int) -> str:
    variant = ", ".join(f"{k} = {v}" for k, v in report.run.program.variant.items())
    of = f" [{', '.join(filter(None, (variant, report.run.model.name)))}]" if runs > 1 else ""
    what = "is violated" if check.verdict == "violated" else "is not known to hold"
    return f"`{check.expectation.text}`{of} {what}"


def key(run: Run) -> _Key:
    """By what a run is known among those of its file."""
    return run.name, run.on_hardware


def did(run: Run) -> list[Counter[object]]:
    """The operations of a run that synchronise, by their orders and scopes."""
    bodies = {id(body): body for body in run.program.bodies}
    return [Counter(filter(None, (_does(node) for node in body.nodes.values()))) for body in bodies.values()]


def _does(node: ir.Node) -> object:
    operation = node.operation if isinstance(node, ir.Do) else None
    if isinstance(operation, ir.Fence):
        return "fence", operation.order, operation.scope
    if isinstance(operation, ir.Access | ir.BarrierOperation):
        failure = operation.failure if isinstance(operation, ir.CompareExchange) else None
        return type(operation).__name__, operation.place.object, operation.mode, failure
    if isinstance(operation, ir.GroupSync):
        return type(operation).__name__, operation.group, operation.mask, operation.waits
    if isinstance(operation, ir.SyncThreads | ir.NamedBarrier | ir.AtBarrier | ir.InitFence | ir.AwaitCopies):
        return type(operation).__name__
    if isinstance(operation, ir.TensorFence):
        return "tensor fence", operation.before
    if isinstance(operation, ir.ProxyFence):
        return "fence", operation.proxy, operation.space
    return None


def unstated(runs: Iterable[Run], workers: Workers, settings: Settings) -> dict[_Key, tuple[Expectation, ...]]:
    """The usual questions that no line of a file asks, and that hold of it: to weaken it is not to lose these."""
    found: dict[_Key, tuple[Expectation, ...]] = {}
    for run in runs:
        kinds = {check.kind for check in run.checks}
        span = run.source.span(0, 0)
        wanted = []
        if not kinds & {"race_free", "race", "undefined"} and not run.on_hardware:
            wanted.append("race_free")
        if "terminates" in run.not_asked and not kinds & {*PROGRESS_KINDS, "undefined"}:
            wanted.append("terminates")
        held = []
        for kind in wanted:
            try:
                one = Expectation(kind, kind, span)
                report = check_run(replace(run, checks=(one,)), settings.policy, workers, settings)
            except ScopecError:  # the model says nothing of it
                continue
            if all(map(stands, report.checks)):
                held.append(one)
        if held:
            found[key(run)] = tuple(held)
    return found
