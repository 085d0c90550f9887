"""The questions about all launches of one kernel, and the launch that a model names.

A proof is z3's.  A pair of threads that it finds is a launch, of which the usual question is asked: what that says is
the verdict, or else there is none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError
from scopec.base.limits import limited
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.engines.table import of_sizes
from scopec.explain.verdict import Check, Verdict
from scopec.frontends.clang.anythread import hosts
from scopec.frontends.clang.anythread.reader import form
from scopec.frontends.clang.anythread.values import NotFollowed
from scopec.frontends.clang.kernels import Kernel
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.program.anythread import TRUE, AnyThread, Barrier, Loop, Term, both, symbols
from scopec.session import witness
from scopec.session.plan import Overrides, plan_of
from scopec.sizes import pairs as meeting
from scopec.sizes import questions
from scopec.sizes.questions import Model

if TYPE_CHECKING:
    from scopec.session.asking import Asking
    from scopec.session.inquiry.run import Run
    from scopec.sizes.questions import Answer, Question

#: Seconds for one try of a question, and for reading a launch that a model names.
_SECONDS = 3.0
_READING = 20
#: The elements of an object, until no index leaves it.
_ELEMENTS = (16, 256, 4096)
_MOST_WITNESSES = 4
#: Seconds after which no race is looked for any more, where a proof has failed already.
_LOOKING = 20.0
_INSTALL = "z3 is not installed: pip install 'scopec[sizes]'"
_ASSUMED = ("no 32-bit number passes its limits", "no two pointers overlap", "no index leaves its array")


@dataclass(frozen=True)
class Found:
    """A verdict about all launches, with its reason, and the run that shows it."""

    verdict: Verdict
    reason: str
    shown: Answered | None = None
    assumed: tuple[str, ...] = ()
    pair: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Answered:
    """The answers of one run, and whatever reports of it."""

    run: Run
    checks: tuple[Check, ...]
    report: object = None


@dataclass(frozen=True)
class Side:
    """Clang's code of a file for one side, and what is known of its places."""

    module: Module
    about: Debug


class OfKernel:
    """The questions about one kernel."""

    def __init__(
        self, text: Source, path: Path, kernel: Kernel, device: Side, host: Side | Found | None, overrides: Overrides,
        settings: Asking, ask: Callable[[Run], Answered], condition: str,
    ) -> None:  # fmt: skip
        self.text, self.path, self.kernel, self.device, self.host = text, path, kernel, device, host
        self.overrides, self.settings, self.ask = overrides, settings, ask
        self.end, self.condition = settings.deadline(), condition

    @cached_property
    def form(self) -> tuple[AnyThread, Term] | Found:
        """What any thread does, or why that is unknown."""
        if of_sizes() is None:
            return Found("unknown", _INSTALL)
        try:
            with limited(self.end.left(), self.settings.memory, said=self.end.late):
                device = self.device
                made, where = form(device.module, device.about, self.text, self.kernel.symbol, self.condition)
                if self.host is None:
                    return made, where
                if isinstance(self.host, Found):
                    return self.host
                found = hosts.launches(self.host.module, self.host.about, self.text, self.kernel.symbol)
                if not found:
                    return Found("unknown", "no code of the file launches the kernel")
                return made, both(where, hosts.as_launched(found, made.parameters))
        except NotFollowed as reason:
            line = f"line {reason.span.line}: " if reason.span is not None and reason.span.line else ""
            return Found("unknown", f"{line}{reason.reason}")
        except LimitError as late:
            return Found("unknown", str(late))
        except RecursionError:
            return Found("unknown", "its expressions nest too deeply")

    def answer(self, question: Question) -> Answer:
        """The answer to a question, within the limits."""
        left = self.end.left()
        engine = of_sizes()
        if engine is None or (left is not None and left <= 0):
            return None
        try:
            return engine(question, _SECONDS if left is None else min(_SECONDS, left), self.settings.memory)
        except RecursionError:
            return None

    @cached_property
    def differing(self) -> list[tuple[Span, Answer]]:
        """The barriers of which it is not proved that all threads of a block come to them in each turn of their loops,
        and the loops of which it is not proved that all threads of a block go round as often.
        """
        assert not isinstance(self.form, Found)
        made, where = self.form
        conditions = [(one.span, one.condition) for one in made.barriers]
        conditions += [(self.barrier_in(loop).span, loop.again) for loop in made.loops]
        asked = [(span, questions.differs(made, where, condition)) for span, condition in conditions]
        answers = [(span, self.answer(question)) for span, question in asked]
        return [(span, answer) for span, answer in answers if answer != "none"]

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
        made, where = self.form
        if "named barriers" in made.left_out:
            return False
        if not self.differing:
            return True
        if made.loops or made.uniform or not all(questions.is_exact(barrier.condition) for barrier in made.barriers):
            return False
        return all(
            self.answer(questions.misaligned(made, where, earlier.condition, later.condition)) == "none"
            for n, earlier in enumerate(made.barriers)
            for later in made.barriers[n + 1 :]
        )

    @cached_property
    def order(self) -> meeting.Order:
        """What is known of the barriers."""
        assert not isinstance(self.form, Found)
        made, where = self.form
        if not self.ordered:
            return meeting.Order(False, frozenset())
        without = [(loop.turn, questions.turn_without(made, where, loop)) for loop in made.loops]
        return meeting.Order(True, frozenset(turn for turn, asked in without if self.answer(asked) == "none"))

    def meet(self, pair: meeting.Pair) -> Answer:
        """Whether a pair may meet: proved not to in any turns of loops, or two threads that do, as far as known."""
        assert not isinstance(self.form, Found)
        undecided: Answer = "none"
        for question in meeting.asked(*self.form, pair, self.order):
            answer = self.answer(question)
            if isinstance(answer, Model):
                return answer
            undecided = undecided if answer == "none" else None
        return undecided

    def unmet(self) -> bool:
        """Whether no launch meets the condition."""
        if isinstance(self.form, Found):
            return False
        made, where = self.form
        return where is not TRUE and self.answer(questions.met(made, where)) == "none"

    def has_launches(self) -> bool:
        """Whether the host code launches the kernel, as far as it is understood."""
        return not isinstance(self.form, Found) and self.form[1] is not TRUE

    def about(self, kind: str) -> Found | None:
        """The answer to an expectation, or to its opposite; None to one about barriers where there are none."""
        return self.race_free if kind in ("race_free", "race") else self.uniform

    @cached_property
    def race_free(self) -> Found:
        """Whether no launch has a race."""
        if isinstance(self.form, Found):
            return self.form
        made, where = self.form
        tried, undecided, begun = 0, None, time.monotonic()
        for pair in meeting.pairs(made):
            if undecided is not None and time.monotonic() - begun > _LOOKING:
                break
            answer = self.meet(pair)
            if answer == "none":
                continue
            spans = (pair.first.span, pair.second.span)
            lines = f"lines {spans[0].line} and {spans[1].line}"
            if isinstance(answer, Model) and tried < _MOST_WITNESSES:
                tried += 1
                shown = self.confirmed(answer)
                if shown.verdict == "violated":
                    return replace(shown, pair=spans)
                lines = f"{lines}: {shown.reason}"
            elif answer is None:
                lines = f"{lines}: z3 does not decide whether they meet"
            undecided = undecided or Found("unknown", lines, pair=spans)
        return undecided or self.proved(made, where)

    def proved(self, made: AnyThread, where: Term) -> Found:
        """A proof, if there is a launch in which two threads come to an access."""
        for access in made.accesses:
            for same_block in (True, False):
                come = questions.both_come(made, where, access.condition, same_block=same_block)
                if isinstance(self.answer(come), Model):
                    return self.holds(made, where)
        if not made.accesses:
            return Found("unknown", "it accesses no memory that threads share")
        return Found("unknown", "no launch was found in which two threads come to an access")

    def holds(self, made: AnyThread, where: Term) -> Found:
        """A proof, with what was assumed."""
        pairs = [(f"{name}.{axis}", f"{index}.{axis}") for name, index in questions.SIZED for axis in "yz"]
        looked_at = made.dimensions | set(symbols(where))
        flat = [name for name, index in pairs if not {name, index} & looked_at]
        assumed = (*((f"{', '.join(flat)} = 1",) if flat else ()), *_ASSUMED)
        return Found("holds", f"assumed: {', '.join(assumed)}", assumed=assumed)

    @cached_property
    def uniform(self) -> Found | None:
        """Whether each barrier is reached by all threads of its block; None without barriers."""
        if isinstance(self.form, Found):
            return None
        made, where = self.form
        if not made.barriers:
            return None
        if made.left_out:
            return Found("unknown", f"it uses {', '.join(made.left_out)}")
        for span, answer in self.differing:
            line = f"the barrier of line {span.line}"
            if isinstance(answer, Model):
                shown = self.divergent(answer)
                if shown is not None:
                    return Found("violated", f"at {shown}: {line} is not reached by all threads of a block")
            return Found("unknown", f"{line}: it is not decided whether all threads of a block come to it")
        if self.told_by_memory(made) and self.race_free.verdict != "holds":
            return Found("unknown", "what is read from memory decides over barriers, and may race")
        return self.holds(made, where)

    def told_by_memory(self, made: AnyThread) -> bool:
        """Whether what is the same for a block decides over barriers, and something of that is read."""
        conditions = [*(one.condition for one in made.barriers), *(loop.again for loop in made.loops)]
        return any(one.is_read for one in made.uniform) and not {one.symbol.name for one in made.uniform}.isdisjoint(
            symbols(*conditions)
        )

    # ---------------------------------------------------------------- the launch that a model names

    def launches(self, model: Model) -> Iterator[tuple[Run, tuple[Diagnostic, ...]]]:
        """The launch of a model, read with objects that no index leaves; nothing where it cannot be read."""
        for elements in _ELEMENTS:
            for prefix in ("", f"{self.kernel.own_name}_"):
                said = witness.directives(self.text, self.kernel, model, elements, prefix)
                if said is None:
                    return
                text = self.text.text + "".join(f"\n//@ {one}" for one in said) + "\n//@ expect race_free;\n"
                try:
                    with limited(_READING, self.settings.memory):
                        own = replace(self.overrides, guess=False)
                        planned = plan_of(replace(self.text, text=text), self.path, own)
                        run = planned.runs[0]
                        faulty = bool(run.graph.faults)
                except LimitError:
                    return
                except InputError:
                    continue
                if not faulty:
                    yield run, planned.warnings
                    return
                break

    def confirmed(self, model: Model) -> Found:
        """What the usual question says of the launch of a model."""
        at = witness.words(self.kernel, model)
        for run, _ in self.launches(model):
            try:
                told = self.ask(run)
            except (InputError, LimitError) as objection:
                message = objection.diagnostics[0].message if isinstance(objection, InputError) else str(objection)
                return Found("unknown", f"two threads may meet at {at}, which is not answered: {message}")
            check = next(c for c in told.checks if c.expectation.kind == "race_free")
            if check.verdict == "violated":
                shown = replace(told, checks=(check,))
                return Found("violated", f"at {at}: {check.reason or 'a data race'}", shown)
            return Found("unknown", f"two threads may meet at {at}, where there is no race: {check.verdict}")
        return Found("unknown", f"two threads may meet at {at}, which cannot be read as a launch")

    def divergent(self, model: Model) -> str | None:
        """The launch of a model in words, if scopec warns of a divergent barrier at it."""
        for _, warnings in self.launches(model):
            if any(warning.code is Code.DIVERGENT_BARRIER for warning in warnings):
                return witness.words(self.kernel, model)
        return None
