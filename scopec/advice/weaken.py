"""``scopec weaken``: the weakest synchronisation with which all that is expected of a program still holds.

The places of its text that synchronise are weakened step by step (``places``), each text is read and asked again
(``changed``), and the largest sets of steps that hold are found (``weakest``).  With ``try:`` this shares the words of
orders and scopes, the statements of a text, its changes and their diffs, and reading a changed text again; what is
searched differs: there a few edits under which one violation goes, here every set under which nothing is lost.

The engine that answers at once is asked in the search, the engines of the call about each set that it ends with, as a
whole, and then about a larger launch.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING

from scopec.advice.changed import Answer, Changed, key, stands, unstated
from scopec.advice.larger import AXES, WARPS, larger, launches
from scopec.advice.places import places
from scopec.advice.rereading import replanned
from scopec.advice.steps import SAVES, Place, Step
from scopec.advice.untried import untried
from scopec.advice.weakest import weakest
from scopec.base.diagnostics import EngineError, InputError, ScopecError, UsageError
from scopec.base.records import dataclass
from scopec.engines.policy import immediate
from scopec.engines.protocol import MEMORY
from scopec.explain.fixes import replaced
from scopec.frontends.clang.counted import compiler, instructions
from scopec.session.check import Outcome, check_run
from scopec.session.every import names_every
from scopec.session.plan import plan_of, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from scopec.base.source import Source, Span
    from scopec.engines.java.workers import Workers
    from scopec.explain.fixes import Replacement
    from scopec.program.expectations import Expectation
    from scopec.session.check import Report, Settings
    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Plan

#: Seconds for one text in the search.
_SECONDS = 30.0
#: The expectations that forbid something, which weaker synchronisation may do.
_FORBID = ("forbidden", "required", "assertion", "condition")


@dataclass(frozen=True)
class Larger:
    """A larger launch: of the program as it is, and with what is proposed; None where it is not asked."""

    launches: tuple[str, ...]
    changes: tuple[Replacement, ...]
    before: Answer
    after: Answer | None = None


@dataclass(frozen=True)
class Proposal:
    """A set of steps as changes of the text, what each saves by place, and the verdicts about the whole; the GPU's
    instructions of the program as it is and then, where they are counted."""

    changes: tuple[Replacement, ...]
    saves: tuple[str, ...]
    reports: tuple[Report, ...]
    larger: tuple[Larger, ...] = ()
    instructions: tuple[int, int] | None = None


@dataclass(frozen=True)
class Needed:
    """A step that cannot be made, even alone, and why."""

    place: Place
    step: Step
    change: tuple[Replacement, ...]
    reason: str


@dataclass(frozen=True)
class Found:
    """What was found: ``before`` is the program as it is, of which everything has to hold.

    ``rests_on`` are the expectations, ``also`` those that no line states.  ``whole`` says whether the search came to
    its end; ``notes`` what was found and is not proposed; ``compiler`` whose instructions are counted; ``untried`` is
    what synchronises and is at no place that could be changed.
    """

    run: Run
    before: Outcome
    launches: tuple[str, ...] = ()
    also: tuple[tuple[Run, Expectation], ...] = ()
    proposals: tuple[Proposal, ...] = ()
    needed: tuple[Needed, ...] = ()
    inert: tuple[Place, ...] = ()
    larger: tuple[Larger, ...] = ()
    notes: tuple[str, ...] = ()
    whole: bool = True
    compiler: str | None = None
    asked: int = field(default=0, kw_only=True)
    untried: tuple[Span, ...] = field(default=(), kw_only=True)


def weaken(path: Path, settings: Settings, *, anyway: bool = False, most: int = 3) -> Found:
    """What of a program's synchronisation can be weaker; InputError where it cannot be read.

    UsageError where the file does not state enough, but ``anyway``; at most so many proposals are looked for.
    """
    shown = str(path)
    source = source_of(path, shown, settings.overrides)
    if path.suffix == ".cu" and names_every(path, shown, settings.overrides):
        message = "it asks about all launches, and what is proposed here is asked of one"
        raise UsageError(f"{shown}: {message}: weaken a copy without these directives, that launches the kernel")
    planned = plan_of(source, path, settings.overrides)
    if not planned.runs:
        raise InputError(*planned.warnings)
    _refuse(planned, anyway=anyway)
    with settings.workers() as workers:
        try:
            return _Search(path, planned, settings, workers, most).found()
        except BaseException:
            workers.stop()
            raise


def _refuse(planned: Plan, *, anyway: bool) -> None:
    """Raise where too little is stated for what is not stated to be kept."""
    if anyway:
        return
    run = planned.runs[0]
    again = "write it down, or ask again with --unstated"
    if any(one.guessed for one in planned.runs):
        raise UsageError(f"{run.file}: the launch is guessed, and others may need more: {again}")
    if not any(_forbids(check) for one in planned.runs for check in one.checks):
        message = "no outcome is forbidden or required, and nothing is asserted: what nobody states would be lost"
        raise UsageError(f"{run.file}: {message}: {again}")


def _forbids(check: Expectation) -> bool:
    return check.kind in _FORBID and not check.implicit and check.quantifier != "exists"


class _LateError(Exception):
    """The budget of the call is used up."""


class _Search:
    """The search in one program."""

    def __init__(self, path: Path, planned: Plan, settings: Settings, workers: Workers, most: int) -> None:
        self.path, self.planned, self.settings, self.workers, self.most = path, planned, settings, workers, most
        self.run = planned.runs[0]
        self.source = self.run.source
        seconds = _SECONDS if settings.timeout is None else min(_SECONDS, settings.timeout)
        self.quick = replace(settings, engine=immediate(MEMORY).name, timeout=seconds)
        self.steps: list[tuple[Place, Step]] = []
        self.best: frozenset[int] = frozenset()
        #: Larger launches at which a set failed that held.
        self.demanded: list[Larger] = []

    def found(self) -> Found:
        """What can be weaker."""
        run, settings = self.run, self.settings
        reports = tuple(check_run(one, settings.policy, self.workers, settings) for one in self.planned.runs)
        before = Outcome(run.file, reports, self.planned.warnings)
        if not holds_before(before):
            return Found(run, before)
        self.also = unstated(self.planned.runs, self.workers, self.quick)
        self.changed = Changed(self.planned, self.quick, self.workers, self.also)
        inert = self._read()
        larger, whole, sets = self._searched()
        proposals, notes = self._confirmed(sets, larger)
        proposals, compiler, why = self._counted(proposals)
        stated = tuple((one, e) for one in self.planned.runs for e in self.also.get(key(one), ()))
        return Found(
            run, before, launches(self.planned.runs), stated, proposals, tuple(self._needed()), inert, larger,
            (*notes, *why), whole, compiler, asked=self.changed.asked,
            untried=untried(self.planned.runs, self.source, places(self.source)),
        )  # fmt: skip

    def _read(self) -> tuple[Place, ...]:
        """Find the steps; the places of which none makes a difference to what is asked."""
        inert, steps = [], []
        for place in sorted(places(self.source), key=lambda one: one.span):
            first = [step for step in place.steps if not step.needs]
            answers = [self.changed.answer(place.changes(self.source, frozenset({step.name}))) for step in first]
            if all(answer.holds and answer.same for answer in answers):
                inert += [place] if place.steps else []
            else:
                steps += [(place, step) for step in place.steps]
        self.steps = sorted(steps, key=lambda one: (SAVES.index(one[1].saves), one[0].span))
        return tuple(inert)

    def _changes(self, steps: Iterable[int]) -> tuple[Replacement, ...]:
        taken: dict[Place, set[str]] = {}
        for number in steps:
            place, step = self.steps[number]
            taken.setdefault(place, set()).add(step.name)
        return tuple(one for place, names in taken.items() for one in place.changes(self.source, frozenset(names)))

    def _needs(self, number: int) -> frozenset[int]:
        place, step = self.steps[number]
        return frozenset(n for n, (other, one) in enumerate(self.steps) if other is place and one.name in step.needs)

    def _searched(self) -> tuple[tuple[Larger, ...], bool, list[frozenset[int]]]:
        """The larger launches, whether the search came to its end, and the largest sets of steps that hold there too.

        A launch at which a set fails is asked from then on: what it refutes, it refutes in every set with that.
        """
        asked: dict[str, Larger | None] = {}
        demanded = self.demanded
        whole = True
        while True:
            sets: list[frozenset[int]] = []
            try:
                needs = [self._needs(number) for number in range(len(self.steps))]
                for one in weakest(needs, partial(self._holds, demanded)):
                    if len(sets) == self.most:
                        whole = False
                        break
                    sets.append(one)
            except _LateError:
                whole, sets = False, sets or [self.best]
            sets = [one for one in sets if one]
            for axis in (*AXES, *([WARPS] if self._narrows_blocks(sets) else [])) if sets else ():
                if axis not in asked:
                    asked[axis] = self._larger(axis)
            larger = tuple(one for one in asked.values() if one is not None)
            failing = [
                launch for launch in larger
                if launch.before.holds and launch not in demanded and not all(self._stays(one, launch) for one in sets)
            ]  # fmt: skip
            if not failing:
                return larger, whole, sets
            demanded += failing
            self.best = frozenset()

    def _holds(self, demanded: Sequence[Larger], steps: frozenset[int]) -> bool:
        if self.settings.ends.left() == 0:
            raise _LateError
        held = self.changed.answer(self._changes(steps)).holds and all(self._stays(steps, one) for one in demanded)
        if held and len(steps) > len(self.best):
            self.best = steps
        return held

    def _stays(self, steps: Iterable[int], launch: Larger) -> bool:
        """Whether nothing is violated at a larger launch."""
        answer = self.changed.answer((*self._changes(steps), *launch.changes))
        return answer.holds or answer.unknown

    def _narrows_blocks(self, sets: Iterable[frozenset[int]]) -> bool:
        """Whether a barrier of a block becomes one of a warp, which blocks of one warp do not tell apart."""
        return any(self.steps[number][1].saves == "barrier" for one in sets for number in one)

    def _larger(self, axis: str) -> Larger | None:
        """The first larger launch at which the program holds as it is, or the last that was tried, if there are any."""
        now = launches(self.planned.runs)
        tried = None
        for changes in larger(self.source, axis):
            answer = self.changed.answer(changes)
            words: tuple[str, ...] = ()
            with suppress(ScopecError):
                words = launches(replanned(self.source, self.run.file, changes, self.settings.overrides).runs)
            if words and words != now:
                tried = Larger(words, changes, answer)
                if answer.holds:
                    break
        return tried

    def _confirmed(
        self, sets: Sequence[frozenset[int]], larger: Sequence[Larger]
    ) -> tuple[tuple[Proposal, ...], tuple[str, ...]]:
        """The sets of which the engines of the call say, asked about the whole, what the search found."""
        proposals: list[tuple[list[int], Proposal]] = []
        notes: list[str] = []
        for steps in sets:
            changes = self._changes(steps)
            answer = self.changed.answer(changes, self.settings)
            said = self._words(steps)
            if not answer.holds:
                notes.append(f"not proposed, as {answer.reason} when it is asked as a whole: {'; '.join(said)}")
                continue
            beside = tuple(
                replace(one, after=self.changed.answer((*changes, *one.changes))) if one.before.holds else one
                for one in larger
            )
            ranks = [*sorted(SAVES.index(self.steps[number][1].saves) for number in steps), len(SAVES)]
            proposals.append((ranks, Proposal(tuple(sorted(changes)), said, answer.reports, beside)))
        return tuple(one for _, one in sorted(proposals, key=lambda p: p[0])), tuple(notes)

    def _counted(
        self, proposals: tuple[Proposal, ...]
    ) -> tuple[tuple[Proposal, ...], str | None, tuple[str, ...]]:  # fmt: skip
        """Proposals with the GPU's instructions, who compiled, and why these are not counted where nvcc is there."""
        if not proposals or self.source.name.endswith(".litmus"):
            return proposals, None, ()
        flags, folder = self.settings.overrides.flags, self.path.parent
        try:
            by = compiler(flags)
        except EngineError:  # there is none, and nobody asked for it
            return proposals, None, ()
        try:
            flags = flags.of(self.path, self.source.span(0, 0))
            before = instructions(self.source.text, self.source, folder, flags)
            counted = [
                (before, instructions(replaced(self.source, one.changes), self.source, folder, flags))
                for one in proposals
            ]
        except ScopecError as failed:
            return proposals, None, (f"instructions of the GPU are not counted: {failed}",)
        return tuple(replace(p, instructions=n) for p, n in zip(proposals, counted, strict=True)), by, ()

    def _words(self, steps: frozenset[int]) -> tuple[str, ...]:
        """What is saved, most first: a line for each place."""
        by_place: dict[Place, set[str]] = {}
        for number in sorted(steps):
            place, step = self.steps[number]
            by_place.setdefault(place, set()).add(step.name)
        return tuple(
            text for place, names in by_place.items()
            for text in (in_words(one, self.source) for one in place.changes(self.source, frozenset(names)))
        )  # fmt: skip

    def _needed(self) -> Iterator[Needed]:
        """The steps that cannot be made, the first of each place."""
        failed: set[tuple[int, str]] = set()
        for place, step in sorted(self.steps, key=lambda one: (one[0].span, len(one[1].needs))):
            changes = tuple(place.changes(self.source, step.needs | {step.name}))
            reason = self._refuted(changes)
            if reason is not None and not any((id(place), name) in failed for name in step.needs):
                yield Needed(place, step, changes, reason)
            if reason is not None:
                failed.add((id(place), step.name))

    def _refuted(self, changes: tuple[Replacement, ...]) -> str | None:
        """Why changes cannot be made: at the launch that the file has, or at one that refutes sets with them."""
        reason = self.changed.answer(changes).reason
        for launch in self.demanded if reason is None else ():
            answer = self.changed.answer((*changes, *launch.changes))
            if not (answer.holds or answer.unknown):
                return f"at {', '.join(launch.launches)} {answer.reason}"
        return reason


def in_words(one: Replacement, source: Source) -> str:
    """A change in words."""
    before, after = source.text_of(one.span), " ".join(one.text.strip(" ,").split())
    where = f"line {one.span.line}: "
    if not before:
        return f"{where}`{after}` is written, where nothing was said"
    return f"{where}`{before}` goes" if after in ("", ";") else f"{where}`{before}` becomes `{after}`"


def holds_before(outcome: Outcome) -> bool:
    """Whether a program holds, as it has to: no assertion of it is void, and no verdict has a reservation."""
    return all(map(stands, (c for r in outcome.reports for c in r.checks))) and not any(
        r.run.void for r in outcome.reports
    )
