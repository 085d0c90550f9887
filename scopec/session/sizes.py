"""Questions about all launches of each kernel of a file: is it race free, has each barrier all threads of its block.

A proof is z3's.  A pair of threads that it finds is a launch, of which the usual question is asked: what that says is
the verdict, or else there is none.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError, suggestion
from scopec.base.limits import limited
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.engines.table import SIZES, of_sizes
from scopec.explain.verdict import Check, Verdict
from scopec.frontends.clang.anythread.reader import form
from scopec.frontends.clang.anythread.values import NotFollowed
from scopec.frontends.clang.command import shims
from scopec.frontends.clang.compilation_cache import compilations
from scopec.frontends.clang.kernels import Kernel, has_main, kernels
from scopec.frontends.clang.llvm.debug import Debug
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.clang.prepare import Every, about_every, condition_of, prepared, without_questions
from scopec.frontends.clang.program import with_library
from scopec.frontends.scoped.syntax.scan import scan
from scopec.program.anythread import TRUE, AnyThread, Barrier, Loop, Term, symbols
from scopec.program.expectations import Expectation
from scopec.session import witness
from scopec.session.plan import Overrides, plan_of, source_of
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
#: What can be asked of all launches.
_KINDS = ("race_free", "race", "uniform", "divergent")
_OPPOSITE: dict[Verdict, Verdict] = {"holds": "violated", "violated": "holds"}
#: The functions that conditions are.
_WHERE = "__scopec_where_"
_INSTALL = "z3 is not installed: pip install 'scopec[sizes]'"
_ASSUMED = "no 32-bit number passes its limits, no two pointers overlap, no index leaves its array"


@dataclass(frozen=True)
class Found:
    """A verdict about all launches, with its reason, and the run that shows it."""

    verdict: Verdict
    reason: str
    shown: Answered | None = None


@dataclass(frozen=True)
class Answered:
    """The answers of one run, and whatever reports of it."""

    run: Run
    checks: tuple[Check, ...]
    report: object = None


def of_file(
    path: Path, shown: str, overrides: Overrides, settings: Asking, ask: Callable[[Run], Answered],
) -> tuple[list[Answered], list[Diagnostic]]:  # fmt: skip
    """A report for each kernel of a file; InputError with what clang objects to."""
    source = source_of(path, shown, overrides)
    if path.suffix != ".cu":
        at = source.span(0, 0)
        message = "all launches can be asked of the kernels of a .cu file alone"
        raise InputError(Diagnostic(Code.NOTHING_TO_CHECK, message, at))
    flags = overrides.flags.of(path, source.span(0, 0))
    entries = compilations() if overrides.cache else None
    scanned = scan(source)
    every, expected = about_every(scanned)
    bare = replace(source, text=without_questions(source, scanned))
    found = kernels(bare, path.parent, flags, entries)
    text = replace(source, text=found.text)
    uses = "".join(
        f"\nstatic auto* __scopec_every_{n} = &{k.name};" for n, k in enumerate(found.kernels) if "<" in k.name
    )
    wanted = list(_wanted(source, every, found.kernels))
    for number, (kernel, one) in enumerate(wanted):
        if one is not None and one.condition:
            uses += condition_of(source, one, f"{_WHERE}{number}", _parameters(source, kernel, one))
    whole = prepared(text) + uses
    code, _ = with_library(whole, text, path.parent, flags, entries, includes="#include" in whole)
    module = Module(code.device)
    about = Debug(module, str(shims()), source.name)
    nothing = plan_of(replace(source, text="int main() {}\n"), path, replace(overrides, guess=False)).runs[0]
    reports = []
    kinds = _kinds(source, expected) if every else ()
    for number, (kernel, one) in enumerate(wanted):
        begun = time.monotonic()
        condition = f"{_WHERE}{number}" if one is not None and one.condition else ""
        asked = OfKernel(text, path, kernel, module, about, overrides, settings, ask, condition)
        if asked.unmet():
            assert one is not None
            span = source.span(one.at, one.at + len(one.condition))
            raise InputError(Diagnostic(Code.BAD_DIRECTIVE, "no launch meets this condition", span, "weaken it"))
        where = f" where {' '.join(one.condition.split())}" if one is not None and one.condition else ""
        for kind, span in kinds or (("race_free", kernel.span), ("uniform", kernel.span)):
            answer = asked.race_free() if kind in ("race_free", "race") else asked.uniform()
            if answer is None and not kinds:
                continue
            expectation = Expectation(kind, f"{kind} for every launch of {kernel.name}{where}", span)
            answer = answer or Found("unknown", "the kernel has no barrier, or is not understood")
            reports.append(_answered(replace(nothing, source=source), expectation, answer, begun))
    told = [] if found.objection is None else [_left_out(found.objection)]
    told += [
        Diagnostic(Code.NOT_LAUNCHED, f"nothing instantiates the kernel `{name}`, a template", span,
                   "instantiate it, as in `template __global__ void k<int>(int*);`", "warning")
        for name, span in found.open
    ]  # fmt: skip
    return reports, told


def _left_out(first: Diagnostic) -> Diagnostic:
    message = f"the host code is not read: {first.message}"
    return Diagnostic(Code.HOST_LEFT_OUT, message, first.span, None, "warning", first.line)


def _wanted(
    source: Source, every: tuple[Every, ...], found: tuple[Kernel, ...]
) -> Iterator[tuple[Kernel, Every | None]]:
    """The kernels that are asked, with what the file says of their launches."""
    named = {name: kernel for kernel in found for name in (kernel.own_name, kernel.name)}
    for one in every:
        if one.kernel not in named:
            span = source.span(one.start, one.end)
            help_ = suggestion(one.kernel, list(named)) or "write `every KERNEL where CONDITION;`"
            raise InputError(Diagnostic(Code.BAD_DIRECTIVE, f"the file has no kernel `{one.kernel}`", span, help_))
        yield named[one.kernel], one
    if not every:
        yield from ((kernel, None) for kernel in found)


def _kinds(source: Source, expected: tuple[tuple[str, int, int], ...]) -> tuple[tuple[str, Span], ...]:
    """What is expected of all launches; where a file has launches too, the rest is of these."""
    found = tuple((text, source.span(start, end)) for text, start, end in expected if text in _KINDS)
    if not asks_launches(source):
        for text, start, end in expected:
            if text not in _KINDS:
                message = f"`{text}` is asked of launches, and the file has none"
                help_ = f"of all launches {', '.join(_KINDS)} can be asked"
                raise InputError(Diagnostic(Code.BAD_EXPECTATION, message, source.span(start, end), help_))
    return found


def asks_launches(source: Source) -> bool:
    """Whether a file has launches of its own, of which the usual questions are asked."""
    return has_main(source) or re.search(r"(?<!\w)launch\b", scan(source).directives) is not None


def _parameters(source: Source, kernel: Kernel, one: Every) -> str:
    """The parameters of a kernel as C++."""
    stars = {"number": "", "truth": "", "class": "", "pointer": "*", "pointers": "**"}
    for parameter in kernel.parameters:
        if parameter.kind not in stars or parameter.rows:
            message = f"a condition on a kernel with the parameter `{parameter.name}` is not supported"
            raise InputError(Diagnostic(Code.BAD_DIRECTIVE, message, source.span(one.start, one.end)))
    return ", ".join(f"{p.type}{stars[p.kind]} {p.name}" for p in kernel.parameters)


def _answered(nothing: Run, expectation: Expectation, found: Found, begun: float) -> Answered:
    milliseconds = (time.monotonic() - begun) * 1000
    if expectation.kind in ("race", "divergent"):
        found = replace(found, verdict=_OPPOSITE.get(found.verdict, "unknown"))
    if found.shown is not None:
        (check,) = found.shown.checks
        check = replace(check, expectation=expectation, reason=found.reason, verdict=found.verdict)
        return replace(found.shown, run=replace(found.shown.run, checks=(expectation,)), checks=(check,))
    run = replace(nothing, checks=(expectation,), not_asked=())
    return Answered(run, (Check(expectation, found.verdict, found.reason, SIZES, milliseconds),))


class OfKernel:
    """The questions about one kernel."""

    def __init__(
        self, text: Source, path: Path, kernel: Kernel, module: Module, about: Debug, overrides: Overrides,
        settings: Asking, ask: Callable[[Run], Answered], condition: str,
    ) -> None:  # fmt: skip
        self.text, self.path, self.kernel, self.module, self.about = text, path, kernel, module, about
        self.overrides, self.settings, self.ask = overrides, settings, ask
        self.end, self.condition = settings.deadline(), condition

    @cached_property
    def form(self) -> tuple[AnyThread, Term] | Found:
        """What any thread does, or why that is unknown."""
        if of_sizes() is None:
            return Found("unknown", _INSTALL)
        try:
            with limited(self.end.left(), self.settings.memory, said=self.end.late):
                return form(self.module, self.about, self.text, self.kernel.symbol, self.condition)
        except NotFollowed as reason:
            where = f"line {reason.span.line}: " if reason.span is not None and reason.span.line else ""
            return Found("unknown", f"{where}{reason.reason}")
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

    def race_free(self) -> Found:
        """Whether no launch has a race."""
        return self._race_free

    @cached_property
    def _race_free(self) -> Found:
        if isinstance(self.form, Found):
            return self.form
        made, where = self.form
        tried, undecided = 0, None
        for pair in meeting.pairs(made):
            answer = self.meet(pair)
            if answer == "none":
                continue
            lines = f"lines {pair.first.span.line} and {pair.second.span.line}"
            if isinstance(answer, Model) and tried < _MOST_WITNESSES:
                tried += 1
                shown = self.confirmed(answer)
                if shown.verdict == "violated":
                    return shown
                lines = f"{lines}: {shown.reason}"
            elif answer is None:
                lines = f"{lines}: z3 does not decide whether they meet"
            undecided = undecided or lines
        if undecided is not None:
            return Found("unknown", undecided)
        return self.proved(made, where)

    def proved(self, made: AnyThread, where: Term) -> Found:
        """A proof, if there is a launch in which two threads come to an access."""
        for access in made.accesses:
            for same_block in (True, False):
                come = questions.both_come(made, where, access.condition, same_block=same_block)
                if isinstance(self.answer(come), Model):
                    return Found("holds", self.assumed(made))
        if not made.accesses:
            return Found("unknown", "it accesses no memory that threads share")
        return Found("unknown", "no launch was found in which two threads come to an access")

    def assumed(self, made: AnyThread) -> str:
        """What was assumed, in words."""
        pairs = [(f"{name}.{axis}", f"{index}.{axis}") for name, index in questions.SIZED for axis in "yz"]
        flat = [name for name, index in pairs if not {name, index} & made.dimensions]
        ones = f"{', '.join(flat)} = 1, " if flat else ""
        return f"assumed: {ones}{_ASSUMED}"

    def uniform(self) -> Found | None:
        """Whether each barrier is reached by all threads of its block; None without barriers."""
        if isinstance(self.form, Found):
            return None
        made, _ = self.form
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
        if self.told_by_memory(made) and self.race_free().verdict != "holds":
            return Found("unknown", "what is read from memory decides over barriers, and may race")
        return Found("holds", self.assumed(made))

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
