"""The questions about all launches of one kernel, and the launch that a model names.

A proof is z3's.  A pair of threads that it finds is a launch, of which the usual question is asked: what that says is
the verdict, or else there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import LimitError
from scopec.base.files import source_of, write_below
from scopec.base.limits import limited, worked
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.engines.table import of_sizes
from scopec.explain.verdict import Breach
from scopec.frontends.clang.anythread.hosts import Host, as_launched
from scopec.frontends.clang.anythread.reader import form, objects
from scopec.frontends.clang.anythread.values import NotFollowed
from scopec.frontends.clang.kernels import Kernel
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.program.anythread import TRUE, AnyThread, Barrier, Loop, Term, both, symbols
from scopec.session import witness
from scopec.session.generated import named
from scopec.session.plan import Overrides
from scopec.session.vacuous import said_of
from scopec.session.witnessed import Answered, Found, Launch, lines_of
from scopec.sizes import assumptions, digits, questions
from scopec.sizes import pairs as meeting
from scopec.sizes.questions import Launches, Model

if TYPE_CHECKING:
    from scopec.session.asking import Asking
    from scopec.session.inquiry.run import Run
    from scopec.sizes.questions import Answer, OfSizes, Question

#: So many launches are looked at for a divergent barrier.
_LAUNCHES = 4
#: Seconds for a question about barriers.
_SECONDS = 5.0
#: Seconds for the form of a kernel.
_READING = 20.0
_TOO_LONG = f"what one thread does is not known after {_READING:g} s: its loops have too many turns or nest too deeply"
#: Seconds for a question about a pair at a first look, for all questions of a pair later, and for all pairs.
_LOOK = 0.6
_PAIR = 6.0
_PAIRS = 30.0
#: Seconds for all pairs of the launches of the host, of which nobody asked.
OFFER = 10.0
#: Seconds for one question about an assumption, and for all of a kernel.
_BREACH = 1.0
_ALL_BREACHES = 3.0
_MOST_WITNESSES = 4
_INSTALL = "z3 is not installed: pip install 'scopec[sizes]'"


@dataclass(frozen=True)
class Open:
    """A pair of which it is not proved that it never meets, what is known of it, and whether more time may help."""

    pair: meeting.Pair
    found: Found
    may_change: bool


@dataclass(frozen=True)
class Side:
    """Clang's code of a file for one side, and what is known of its places."""

    module: Module
    about: Debug


class OfKernel:
    """The questions about one kernel."""

    def __init__(
        self, text: Source, path: Path, kernel: Kernel, device: Side, host: Host | Found | None, overrides: Overrides,
        settings: Asking, ask: Callable[[Run, float], Answered], condition: str,
    ) -> None:  # fmt: skip
        self.text, self.kernel, self.device, self.host = text, kernel, device, host
        self.settings, self.end, self.condition = settings, settings.deadline(), condition
        self.launch = Launch(text, path, kernel, overrides, settings, ask, self.end)
        self._kept: list[str] = []
        self._begins()

    @property
    def _of_kernel(self) -> Source:
        """The text that has the kernel: the file's, or that of a header."""
        return source_of(self.kernel.span, self.text)

    def _begins(self) -> None:
        self._tried = 0
        self.seconds, self.patience = _PAIRS, _SECONDS
        self._refuted: set[Question] = set()
        self._races: dict[str, Found] = {}

    @cached_property
    def form(self) -> tuple[AnyThread, Term] | Found:
        """What any thread does, or why that is unknown."""
        if of_sizes() is None:
            return Found("unknown", _INSTALL)
        try:
            limits = limited(self.end.left(), self.settings.memory, said=self.end.late)
            with limits, limited(_READING, None, worked=True, said=_TOO_LONG):
                device = self.device
                made, where = form(device.module, device.about, self._of_kernel, self.kernel.symbol, self.condition)
                if self.host is None:
                    return made, where
                if isinstance(self.host, Found):
                    return self.host
                found = self.host.launches(self.kernel.symbol)
                if not found:
                    return Found("unknown", "no code of the file launches the kernel")
                return made, both(where, as_launched(found, made.parameters))
        except NotFollowed as reason:
            place = reason.span
            line = f"{lines_of((place,), self.text)}: " if place is not None and place.line else ""
            return Found("unknown", f"{line}{reason.reason}")
        except LimitError as late:
            return Found("unknown", str(late))
        except RecursionError:
            return Found("unknown", "its expressions nest too deeply")

    def narrowed(self, condition: Term) -> OfKernel:
        """The same of the launches that meet a condition too."""
        assert not isinstance(self.form, Found)
        made, where = self.form
        found = copy(self)
        for name in ("launches", "differing", "ordered", "order", "of_grid", "uniform"):
            found.__dict__.pop(name, None)
        found.form = made, both(where, condition)
        found._begins()
        found.patience = _LOOK
        return found

    def has_barrier_of_two(self) -> bool:
        """Whether there is a launch in which two threads of a block come to a barrier."""
        come = dict.fromkeys(barrier.condition for barrier in self.launches.form.barriers)
        asked = (questions.both_come(self.launches, condition, same_block=True) for condition in come)
        return any(isinstance(self.answer(one), Model) for one in asked)

    @cached_property
    def launches(self) -> Launches:
        """The launches that are asked about."""
        assert not isinstance(self.form, Found)
        return Launches(*self.form)

    @cached_property
    def engine(self) -> OfSizes:
        """Who answers."""
        engine = of_sizes()
        assert engine is not None
        return engine()

    def answer(self, question: Question, seconds: float | None = None) -> Answer:
        """The answer to a question, within the limits."""
        if question in self._refuted or questions.is_absurd(question):
            return "none"
        within = self.end.within(self.patience if seconds is None else seconds)
        if within <= 0:
            return None
        try:
            found = self.engine.answer(question, within, self.end, self.settings.memory)
            self._keep()
        except RecursionError:
            return None
        if found == "none":
            self._refuted.add(question)
        return found

    def _keep(self) -> None:
        """Write down the question that was answered, where ``--keep`` says."""
        folder, text = self.settings.keep, self.engine.decided if self.settings.keep is not None else None
        if folder is not None and text is not None:
            self._kept.append(self.file_of(len(self._kept) + 1))
            write_below(named(folder), self._kept[-1], text)

    def file_of(self, number: int) -> str:
        """The name of a question's file."""
        name = re.sub(r"\W+", "_", self.kernel.name).strip("_")
        return f"{self.launch.stem}.{name}.{number:03}.smt2"

    @cached_property
    def differing(self) -> list[tuple[Span, Question, Answer]]:
        """The barriers of which it is not proved that all threads of a block come to them in each turn of their loops,
        and the loops of which it is not proved that all threads of a block go round as often.
        """
        assert not isinstance(self.form, Found)
        made, _ = self.form
        conditions = [(one.span, one.condition) for one in made.barriers]
        conditions += [(self.barrier_in(loop).span, loop.again) for loop in made.loops]
        asked = [(span, questions.differs(self.launches, condition)) for span, condition in conditions]
        answers = [(span, question, self.answer(question)) for span, question in asked]
        return [one for one in answers if one[2] != "none"]

    def barrier_in(self, loop: Loop) -> Barrier:
        """The first barrier of a loop."""
        assert not isinstance(self.form, Found)
        return next(barrier for barrier in self.form[0].barriers if loop.turn in barrier.turns)

    @cached_property
    def ordered(self) -> bool:
        """Whether the threads of a block come to barriers in one order: all to all, in loops in the same turns, or,
        without loops, some leave out the last ones.
        """
        assert not isinstance(self.form, Found)
        made, _ = self.form
        if "named barriers" in made.left_out:
            return False
        if not self.differing:
            return True
        if made.loops or made.uniform or not all(questions.is_exact(barrier.condition) for barrier in made.barriers):
            return False
        return all(
            self.answer(questions.misaligned(self.launches, earlier.condition, later.condition)) == "none"
            for n, earlier in enumerate(made.barriers)
            for later in made.barriers[n + 1 :]
        )

    @cached_property
    def order(self) -> meeting.Order:
        """What is known of the barriers."""
        assert not isinstance(self.form, Found)
        made, _ = self.form
        warps = made.warps if all(map(self.of_whole_warps, made.warps)) else ()
        if not self.ordered:
            return meeting.Order(False, frozenset(), warps)
        return meeting.Order(True, self.full(made.barriers), warps, self.of_grid)

    @cached_property
    def of_grid(self) -> meeting.Order | None:
        """What is known of the barriers of the grid, if all threads come to them in the same turns of loops."""
        made = self.launches.form
        if not made.grids:
            return None
        conditions = [(one.condition, one.turns) for one in made.grids]
        around = {turn for one in made.grids for turn in one.turns}
        conditions += [(loop.again, loop.turns) for loop in made.loops if loop.turn in around]
        asked = (questions.differs_between_blocks(self.launches, *one) for one in conditions)
        return meeting.Order(True, self.full(made.grids)) if all(self.answer(one) == "none" for one in asked) else None

    def full(self, barriers: tuple[Barrier, ...]) -> frozenset[Term]:
        """The loops of which each turn that another follows has one of these barriers."""
        asked = [(n.turn, questions.turn_without(self.launches, n, barriers)) for n in self.launches.form.loops]
        return frozenset(turn for turn, question in asked if self.answer(question) == "none")

    def of_whole_warps(self, barrier: Barrier) -> bool:
        """Whether all lanes of each warp come to a barrier, or none."""
        is_known = questions.is_exact(barrier.condition)
        return is_known and self.answer(questions.differs_in_warp(self.launches, barrier.condition)) == "none"

    def meet(self, pair: meeting.Pair, seconds: float, *, by_digits: bool = False, shown: bool = True) -> Answer:
        """Whether a pair may meet: proved not to in any turns of loops, or two threads that do, as far as known."""
        undecided: Answer = "none"
        for question in meeting.asked(self.launches, pair, self.order):
            if by_digits and self.meet_in_no_digit(question, seconds / 2):
                continue
            answer = self.answer(replace(question, shown=shown), seconds)
            if isinstance(answer, Model):
                return answer
            undecided = undecided if answer == "none" else None
        return undecided

    def meet_in_no_digit(self, question: Question, seconds: float) -> bool:
        """Whether the digits of two offsets tell that they differ."""
        end = worked() + seconds
        for parts in digits.split(question):
            if all(self.answer(one, max(0.0, min(seconds / 2, end - worked()))) == "none" for one in parts):
                return True
        return False

    def unmet(self) -> bool:
        """Whether no launch meets the condition."""
        if isinstance(self.form, Found):
            return False
        return self.form[1] is not TRUE and self.answer(questions.met(self.launches)) == "none"

    def has_launches(self) -> bool:
        """Whether the host code launches the kernel, as far as it is understood."""
        return not isinstance(self.form, Found) and self.form[1] is not TRUE

    def objects(self, name: str) -> frozenset[str]:
        """The objects of a name; none if the code of the file has none."""
        return objects(self.device.module, self.device.about, self.kernel.symbol).get(name, frozenset())

    def wanted(self, on: str) -> frozenset[str]:
        """The objects of a name, or without one all that the kernel accesses."""
        return self.objects(on) if on else frozenset(access.object for access in self.launches.form.accesses)

    def accesses(self, name: str) -> bool:
        """Whether the kernel accesses an object of a name, as far as it is understood."""
        wanted = self.objects(name)
        return not isinstance(self.form, Found) and any(one.object in wanted for one in self.form[0].accesses)

    def about(self, kind: str, on: str = "") -> Found | None:
        """The answer to an expectation, or to its opposite; None to one about barriers where there are none."""
        return self.races(on) if kind in ("race_free", "race") else self.uniform

    def races(self, on: str = "") -> Found:
        """Whether no launch has a race, or none ``on`` the objects of a name."""
        if on not in self._races:
            self._races[on] = self._asked(on)
        return self._races[on]

    def _asked(self, on: str) -> Found:
        if isinstance(self.form, Found):
            return self.form
        made, _ = self.form
        wanted = self.wanted(on)
        found = self._met(wanted, on)
        if found.verdict != "holds" or not on:
            return found
        accesses = [access for access in made.accesses if access.object in wanted]
        terms = [term for access in accesses for term in (access.offset, access.condition)]
        terms += questions.left(made, *terms)
        if self.rests_on_reads(made, *terms) and self.races().verdict != "holds":
            return Found("unknown", "a number that all threads of a block read counts, and another object may race")
        return found

    def _met(self, wanted: frozenset[str], on: str) -> Found:
        """Whether no two threads of any launch meet at some objects."""
        end = worked() + self.end.within(self.seconds)
        pairs = meeting.pairs(self.launches.form, self.order)
        opened, left = list[Open](), [pair for pair in pairs if pair.first.first.object in wanted]
        while left:
            pair = left.pop(0)
            if worked() > end:
                break
            answer = self.meet(pair, _LOOK)
            if answer == "none":
                continue
            singles = list(pair.single())
            left = singles + left
            if not singles:
                found = self.looked_at(pair, answer, on)
                if found.verdict == "violated":
                    return found
                opened.append(Open(pair, found, answer is None))
        for number, one in enumerate(opened):
            share = (end - worked()) / (len(opened) - number)
            found = self.again(one, share, on) if one.may_change and share > _LOOK else one.found
            if found.verdict != "holds":
                return found
        return Found("unknown", self.too_late(left)) if left else self.proved(wanted)

    def again(self, one: Open, seconds: float, on: str) -> Found:
        """What is found of a pair in more time."""
        answer = self.meet(one.pair, min(_PAIR, seconds), by_digits=True)
        return Found("holds", "") if answer == "none" else self.looked_at(one.pair, answer, on)

    def looked_at(self, pair: meeting.Pair, answer: Model | None, on: str) -> Found:
        """What is known of a pair that is not proved not to meet."""
        lines = lines_of(pair.spans, self.text)
        if answer is None:
            return Found("unknown", f"{lines}: z3 does not decide whether they meet", pair=pair.spans)
        if self._tried == _MOST_WITNESSES or self.launches.asks_contents:
            return Found("unknown", f"{lines}: two threads may meet, by z3 alone", pair=pair.spans)
        self._tried += 1
        shown = self.launch.races(answer, on)
        if shown.verdict == "violated":
            return replace(shown, pair=pair.spans)
        return Found("unknown", f"{lines}: {shown.reason}", pair=pair.spans)

    def too_late(self, left: list[meeting.Pair]) -> str:
        """Why a proof is not there in time."""
        lines = lines_of(left[0].spans, self.text)
        return f"{lines}: the time is up before these and {len(left) - 1} others are asked"

    def proved(self, wanted: frozenset[str]) -> Found:
        """A proof about these objects, if there is anything to prove."""
        accesses = [access for access in self.launches.form.accesses if access.object in wanted]
        if self.launches.form.accesses and not accesses:
            return Found("unknown", "no thread accesses it")
        said, is_proof = said_of(self.launches, accesses, self.answer, _PAIR)
        return self.holds(said) if is_proof else Found("unknown", said)

    def breaches(self) -> tuple[Breach, ...]:
        """For each assumption of a proof a launch at which it is not so, if one is found in time."""
        found: dict[str, Breach] = {}
        end = worked() + self.end.within(_ALL_BREACHES)
        for doubt in assumptions.doubts(self.launches, self.order):
            if worked() > end:
                break
            if doubt.assumption in found:
                continue
            answer = self.answer(doubt.question, _BREACH)
            if isinstance(answer, Model):
                launch = witness.words(self.kernel, answer)
                found[doubt.assumption] = Breach(doubt.assumption, launch, doubt.places, doubt.said)
        return tuple(found.values())

    def holds(self, said: str = "") -> Found:
        """A proof, with what was assumed."""
        flat = self.launches.flat
        assumed = (*((f"{', '.join(flat)} = 1",) if flat else ()), *assumptions.assumed(self.launches.form))
        return Found("holds", f"{said}assumed: {', '.join(assumed)}", assumed=assumed)

    @cached_property
    def uniform(self) -> Found | None:
        """Whether each barrier is reached by all threads of its block; None without barriers."""
        if isinstance(self.form, Found):
            return None
        made, _ = self.form
        if not made.barriers:
            return None
        if made.left_out:
            return Found("unknown", f"it uses {', '.join(made.left_out)}")
        for span, question, answer in self.differing:
            shown = None if self.launches.asks_contents else self._divergent(question, answer)
            if shown is not None:
                line = f"the barrier of {lines_of((span,), self.text)}"
                return Found("violated", f"at {shown}: {line} is not reached by all threads of a block")
        if self.differing:
            line = f"the barrier of {lines_of((self.differing[0][0],), self.text)}"
            return Found("unknown", f"{line}: it is not decided whether all threads of a block come to it")
        if made.grids and self.of_grid is None:
            return Found("unknown", "it is not decided whether all blocks come to the barriers of the grid")
        if self.rests_on_reads(made) and self.races().verdict != "holds":
            return Found("unknown", "what is read from memory decides over barriers, and may race")
        return self.holds()

    def _divergent(self, question: Question, answer: Answer) -> str | None:
        """A launch with a divergent barrier, of some that z3 names: with the numbers of one it may be the last turn."""
        for _ in range(_LAUNCHES):
            if not isinstance(answer, Model):
                return None
            shown = self.launch.divergent(answer)
            if shown is not None:
                return shown
            question = questions.with_other_numbers(question, answer)
            answer = self.answer(question)
        return None

    def rests_on_reads(self, made: AnyThread, *others: Term) -> bool:
        """Whether what is the same for a block decides over barriers or is in other terms, and something of that is
        read, which is the same as long as nothing races.
        """
        conditions = [*(one.condition for one in made.barriers), *(loop.again for loop in made.loops)]
        alike = {one.symbol.name for one in made.uniform}
        return any(one.is_read for one in made.uniform) and not alike.isdisjoint(symbols(*conditions, *others))
