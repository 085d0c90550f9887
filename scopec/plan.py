"""What a file is asked: one run a variant and model, each with its checks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, TypeAlias

from scopec import __version__, options
from scopec.diagnostics import Code, Diagnostic, error
from scopec.expectations import (
    MEMORY_KINDS,
    OUTCOME_KINDS,
    PROGRESS_KINDS,
    Expectation,
    FinalRegister,
    Settings,
    expectations,
    settings_of,
    variants,
)
from scopec.memory.base import Base
from scopec.memory.cat import registry
from scopec.memory.cat.model import Model
from scopec.memory.domains import Domains, domains, doubtful_indices
from scopec.memory.events import EventGraph, Index
from scopec.memory.graph import build as build_graph
from scopec.memory.questions import Goal, Problem, Question
from scopec.program import ir
from scopec.program.names import distinct, identifier
from scopec.program.values import Const, Value
from scopec.progress import models as progress_models
from scopec.records import dataclass
from scopec.source import Source, Span
from scopec.syntax import litmus_tree, tree
from scopec.syntax.scan import read_source

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.progress.system import System
    from scopec.tla.emit import Module

_DEFAULT_MODEL = "cuda"
#: What `under` and `--memory` call the example hardware of HRF0.
HARDWARE = "hrf0-hw"
#: The files that scopec reads.
SUFFIXES = (".cu", ".litmus")


@dataclass(frozen=True)
class Overrides:
    """What the command line changes for every file."""

    model: str | None = None
    given: Mapping[str, str] | None = None
    unroll: int | None = None
    ignore_races: bool = False
    progress: str | None = None
    memory: str = "sc"


@dataclass(frozen=True)
class Run:
    """One variant of a file under one memory model, with what is asked of it.

    With ``on_hardware``, outcomes and assertions are asked of the example hardware of HRF0, not of the memory model.
    ``listing`` tells that every local variable is observed, not only those that expectations name.
    """

    file: str
    source: Source
    program: ir.Program
    model: registry.Entry
    progress: progress_models.Model
    settings: Settings
    checks: tuple[Expectation, ...]
    void: tuple[Expectation, ...]
    on_hardware: bool = False
    listing: bool = False

    @cached_property
    def name(self) -> str:
        """A name for generated files: the file's stem, the variant, and the models that are not the default."""
        parts = [identifier(Path(self.file).stem)]
        parts += [f"{identifier(k)}_{identifier(v)}" for k, v in self.program.variant.items()]
        if self.model.name != registry.find(_DEFAULT_MODEL).name:
            parts.append(identifier(self.model.name))
        if self.progress != progress_models.CUDA:
            parts.append(identifier(self.progress.name))
        if self.on_hardware:
            parts.append(identifier(HARDWARE))
        name = "__".join(parts)
        return name if name[0].isalpha() else f"p_{name}"

    @property
    def is_litmus(self) -> bool:
        """Whether the file is a litmus file."""
        return self.file.endswith(".litmus")

    @property
    def memory_checks(self) -> tuple[Expectation, ...]:
        """The checks that the memory model answers; implicit ones only where something may fail."""
        may_fail = any(c.implicit for c in self.checks) and any(a.implicit for a in self.graph.assertions)
        return tuple(c for c in self._of_the_model if may_fail or not c.implicit)

    @property
    def _of_the_model(self) -> tuple[Expectation, ...]:
        return tuple(c for c in self.checks if c.kind in MEMORY_KINDS and c not in self.hardware_checks)

    @property
    def hardware_checks(self) -> tuple[Expectation, ...]:
        """The checks that the example hardware answers."""
        return tuple(c for c in self.checks if self.on_hardware and c.kind in OUTCOME_KINDS and not c.implicit)

    @property
    def progress_checks(self) -> tuple[Expectation, ...]:
        """The checks of the progress question."""
        return tuple(c for c in self.checks if c.kind in PROGRESS_KINDS)

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that the progress checks need."""
        kinds = {c.kind for c in self.checks}
        found: list[Property] = []
        if kinds & {"terminates", "may_hang"}:
            found.append("Termination")
        if kinds & {"progresses", "may_stall"}:
            found.append("Progress")
        return tuple(found)

    # ---- the memory question

    @cached_property
    def graph(self) -> EventGraph:
        """The event graph, with the registers that expectations observe."""
        observed = {
            (what.thread, what.register): check
            for check in self._of_the_model
            if check.sought is not None
            for what in check.sought.observed.values()
            if isinstance(what, FinalRegister)
        }
        every = [(t.name, r) for t in self.program.threads for r in t.body.variables] if self.listing else []
        graph = build_graph(self.program, self.settings.bound["unroll"], [*observed, *every])
        for (thread, register), check in observed.items():
            if thread in graph.ended and (thread, register) not in graph.finals:
                message = f"`{thread}.{register}` never has a value when {thread} ends"
                raise error(Code.BAD_EXPECTATION, message, check.span)
        return graph

    @cached_property
    def problem(self) -> Problem:
        """Everything that an engine needs to answer the memory checks, and to tell whether progress checks are void."""
        model = registry.load(self.model, self.settings.options)
        base = Base(self.graph, self.model.version, self.settings.given)
        return Problem(
            self.name,
            self.header("memory"),
            base,
            model,
            self.model.name,
            self.domains(model),
            tuple(self._questions()),
        )

    def domains(self, model: Model) -> Domains:
        """The values that reads may return: where values may come out of thin air, also those that a check names."""
        mentioned = {
            constant
            for check in self.memory_checks
            if check.sought is not None and not model.values_have_origins
            for constant in _constants(check.sought.value)
        }
        return domains(self.graph, mentioned) if mentioned else self._computed_domains

    @cached_property
    def _computed_domains(self) -> Domains:
        return domains(self.graph)

    def _questions(self) -> Iterator[Question]:
        needs_ends = not self.graph.cuts or any(
            c.kind not in ("race", "race_free") and c.quantifier != "not exists" for c in self.memory_checks
        )
        yield Question(
            "execution", Goal.EXECUTION, "some execution is consistent and complete", True if needs_ends else None
        )
        if self.graph.cuts:
            yield Question("prefix", Goal.PREFIX, "some execution is consistent, complete or not", True)
        races = {c.target for c in self.memory_checks if c.kind == "race"} | {None}
        for target in sorted(races, key=lambda t: t or ""):
            name = race_name(target, self.program)
            comment = "some execution has a race" + (f" on {target}" if target else "")
            wanted = {c.kind for c in self.checks if c.kind in ("race", "race_free") and target in (None, c.target)}
            expected = wanted == {"race"} if wanted else None
            yield Question(name, Goal.RACE, comment, expected, target=target)
        for number, check in enumerate(self.memory_checks):
            if check.kind == "condition":
                expected = check.quantifier == "exists"
                comment = _one_line(check.text)
                yield Question(question_name(number, check), Goal.OUTCOME, comment, expected, check.sought)
                if check.restriction is not None:
                    comment = "some execution is one that the condition is about"
                    yield Question(filter_name(number, check), Goal.OUTCOME, comment, True, check.restriction)
            elif check.formula is not None:
                goal = Goal.COUNTER_OUTCOME if check.kind == "required" else Goal.OUTCOME
                name = question_name(number, check)
                yield Question(name, goal, _one_line(check.text), check.kind == "allowed", check.formula)
            elif check.kind == "assertion":
                reached = tuple(
                    a for a in self.graph.assertions if (a.implicit if check.implicit else a.span == check.span)
                )
                if reached:
                    comment = f"line {check.span.line}: {_one_line(check.text)}"
                    yield Question(question_name(number, check), Goal.ASSERTION, comment, False, assertions=reached)
        if any(not cut.wait for cut in self.graph.cuts):
            comment = f"some execution goes round a loop more than {self.settings.bound['unroll']} times"
            yield Question("longer", Goal.LONGER, comment)
        for number, index in enumerate(self.doubtful_indices):
            comment = f"line {index.span.line}: an index lies outside `{index.object}`"
            yield Question(outside_name(number), Goal.ASSERTION, _one_line(comment), False, assertions=(index.inside,))
        if not self.problem_domains_closed:
            yield Question("overflow", Goal.OVERFLOW, "some write has a value beyond those that are modelled", False)

    @cached_property
    def problem_domains_closed(self) -> bool:
        """Whether the finite value domains cover every value that any execution computes."""
        return self._computed_domains.closed

    @cached_property
    def doubtful_indices(self) -> tuple[Index, ...]:
        """The indices that only an engine can tell to be inside their objects."""
        return tuple(doubtful_indices(self.graph, self._computed_domains)) if self.graph.indices else ()

    # ---- the progress question

    def system(self, property_: Property) -> System:
        """The labelled steps for a property; where each turn of a poll matters it is a step."""
        from scopec.progress.build import build
        from scopec.progress.reductions import Reductions
        from scopec.progress.system import readings

        polls = self.progress.has_host and property_ == "Termination"
        return build(self.program, self.progress, Reductions(polls=polls), readings(self.settings.options))

    def module(self, property_: Property) -> tuple[System, Module]:
        """The TLA+ module that asks a property, and the system that it is made from."""
        from scopec.tla.emit import emit

        system = self.system(property_)
        name = self.name if property_ == "Termination" else f"{self.name}__progress"
        return system, emit(system, name, self.header("progress"), property_)

    # ---- the example hardware of HRF0

    @cached_property
    def hardware_system(self) -> System:
        """The labelled steps, with every access to memory and every fence a step."""
        from scopec.progress.build import build
        from scopec.progress.reductions import Reductions
        from scopec.progress.system import readings

        reductions = Reductions(start=False, local=False, registers=False, objects=False)
        reads = readings(self.settings.options)
        return build(self.program, progress_models.CUDA, reductions, reads, self.observed_registers)

    @cached_property
    def observed_registers(self) -> Mapping[str, frozenset[str]]:
        """The registers that the hardware's checks observe, by grid, or by thread where it has none."""
        grids = {t.name: t.grid or t.name for t in self.program.threads}
        found: dict[str, set[str]] = {name: set() for name in grids.values()}
        for check in self.hardware_checks:
            for what in () if check.sought is None else check.sought.observed.values():
                if isinstance(what, FinalRegister):
                    found[grids[what.thread]].add(what.register)
        return {name: frozenset(registers) for name, registers in found.items()}

    def hardware_module(self, number: int | None) -> Module:
        """The module that looks for what decides a hardware check; for any final state, without a number."""
        from scopec.tla.hardware import Hardware
        from scopec.tla.outcomes import Sought, emit

        if number is None:
            sought, name, span = Sought(), "final", self.source.span(0, 0)
        else:
            check = self.hardware_checks[number]
            assertion = check.span if check.kind == "assertion" else None
            sought = Sought(check.sought, assertion, otherwise=check.kind == "required")
            name, span = question_name(number, check), check.span
        options_ = self.settings.options
        hardware = Hardware(*(options_[o] == "on" for o in options.HARDWARE_OPTIONS))
        return emit(
            self.hardware_system, f"{self.name}__{name}", self.header("hardware"), hardware,
            self.observed_registers, sought, span,
        )  # fmt: skip

    # ---- generated files

    def header(self, question: str) -> tuple[str, ...]:
        """The first lines of a generated file: where it comes from and under which choices."""
        digest = hashlib.sha256(self.source.text.encode()).hexdigest()
        lines = [
            f"{self.name}: the {question} question, generated by scopec {__version__}",
            f"from {_one_line(Path(self.file).name)}, SHA-256 {digest[:32]}",
        ]
        if self.program.variant:
            lines.append("variant " + ", ".join(f"{k} = {v}" for k, v in self.program.variant.items()))
        if question == "memory":
            lines.append(f"model {self.model.name}" + _changed(self.settings, options.MEMORY_OPTIONS))
            lines.append("given " + ", ".join(f"{k} = {v}" for k, v in self.settings.given.items() if k != "device"))
        elif question == "hardware":
            lines.append("the example hardware of HRF0" + _changed(self.settings, options.HARDWARE_OPTIONS))
            lines.append("safety only: which final states can be reached")
        else:
            lines.append(f"progress model {self.progress.name}" + _changed(self.settings, options.PROGRESS_OPTIONS))
            lines.append("memory is sequentially consistent here; races are the memory question's")
        return tuple(part for line in lines for part in _wrapped(line, 74))


def _wrapped(line: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(line, width, subsequent_indent="  ") or [""]


def _changed(settings: Settings, table: Mapping[str, options.Setting]) -> str:
    """Which options of a table do not have their defaults."""
    chosen = ", ".join(f"{n} = {settings.options[n]}" for n, s in table.items() if settings.options[n] != s.default)
    return f", options {chosen}" if chosen else ""


def _one_line(text: str) -> str:
    """Text that cannot end a comment or a line of a generated file."""
    plain = "".join(c if c.isprintable() and ord(c) < 128 else "?" for c in text)
    return plain.replace("*)", "* )").replace("*/", "* /").replace("(*", "( *")[:120]


def question_name(number: int, check: Expectation) -> str:
    """The name of a check's question in the generated specification."""
    return f"{check.kind}_{number + 1}"


def race_name(target: str | None, program: ir.Program) -> str:
    """The name of the question whether there is a race, or one on an object."""
    if target is None:
        return "race"
    names = distinct({name: identifier(name) for name in (*program.objects, target)})
    return f"race_on_{names[target]}"


def filter_name(number: int, check: Expectation) -> str:
    """The name of the question whether there are executions that a check with a filter is about."""
    return f"{question_name(number, check)}_filter"


def outside_name(number: int) -> str:
    """The name of the question whether a doubtful index can lie outside its object."""
    return f"outside_{number + 1}"


def _constants(value: Value) -> Iterator[int]:
    if isinstance(value, Const):
        yield value.value
    for name in ("operand", "left", "right", "condition", "then", "otherwise"):
        inner = getattr(value, name, None)
        if inner is not None:
            yield from _constants(inner)


# ---------------------------------------------------------------- files to runs


@dataclass(frozen=True)
class Plan:
    """The runs of one file, and warnings about it."""

    runs: tuple[Run, ...]
    warnings: tuple[Diagnostic, ...]


def plan(path: Path, shown: str, overrides: Overrides) -> Plan:
    """Read a file and work out what it is asked; InputError where it is not in the language."""
    source = read_source(path, shown)
    try:
        return (_plan_litmus if path.suffix == ".litmus" else _plan)(source, shown, overrides)
    except RecursionError:
        at = source.span(0, 0)
        raise error(Code.TOO_LARGE, "an expression or statement nests too deeply", at, "split it up") from None


def _divergence(program: ir.Program) -> Iterator[Diagnostic]:
    from scopec.progress.divergence import divergent_barriers

    for span, barrier, one, other in divergent_barriers(program):
        message = f"{one} can reach this {barrier}, {other} cannot: CUDA calls it likely to hang"
        yield Diagnostic(Code.DIVERGENT_BARRIER, message, span, None, "warning")


def _plan(source: Source, shown: str, overrides: Overrides) -> Plan:
    from scopec.program.lower.program import lower
    from scopec.syntax import cuda

    file = cuda.read(source)
    settings = _settings(file, overrides)
    default = _default_models(overrides)
    runs: list[Run] = []
    warnings: list[Diagnostic] = []
    divergent: dict[Span, Diagnostic] = {}
    applied: set[Span] = set()
    has_expectations = any(isinstance(d, tree.Expect) for d in file.directives)
    for number, chosen in enumerate(variants(file)):
        program = lower(file, source, Path(shown).stem, chosen)
        by_model: dict[_Models, list[Expectation]] = {}
        for expectation, names in expectations(file, program, source):
            applied.add(expectation.span)
            if expectation.kind == "condition":
                message = "a condition is the final clause of a litmus file"
                raise error(Code.BAD_EXPECTATION, message, expectation.span, "use allowed, forbidden or required")
            for models in [_under(name, expectation, default, settings) for name in names] or [default]:
                by_model.setdefault(models, []).append(expectation)
        if not has_expectations:
            by_model[default] = list(_usual(source, file, registry.load(default[0], settings.options)))
        elif not by_model:
            variant = ", ".join(f"{k} = {v}" for k, v in program.variant.items())
            at = next(d.span for d in file.directives if isinstance(d, tree.Expect))
            message = "no expectation applies" + (f" when {variant}" if variant else "")
            warnings.append(Diagnostic(Code.IGNORED, message, at, "remove the value, or add an expectation", "warning"))
            by_model[default] = []
        asserts = _assertions(program)
        asserted: set[registry.Entry] = set()
        for models, checks in by_model.items():
            entry, progress, on_hardware = models
            racy = any(c.kind == "race" for c in checks)
            also = [] if entry in asserted or (on_hardware and not default[2]) else asserts
            if also:
                asserted.add(entry)
            run = Run(
                shown, source, program, entry, progress, settings,
                tuple(checks + ([] if racy else also)),
                tuple(a for a in also if racy and not a.implicit), on_hardware,
            )  # fmt: skip
            runs.append(run)
        if any(c.kind in PROGRESS_KINDS for checks in by_model.values() for c in checks):
            divergent |= {w.span: w for w in _divergence(program)}
        if number >= 255:
            at = file.directives[0].span
            raise error(Code.TOO_LARGE, "more than 256 variants", at, "vary fewer constants")
    for directive in file.directives:
        if isinstance(directive, tree.Expect) and directive.span not in applied:
            message = "this expectation applies to no variant"
            warnings.append(Diagnostic(Code.IGNORED, message, directive.span, "correct its `when`", "warning"))
    return Plan(tuple(runs), (*warnings, *divergent.values()))


def _plan_litmus(source: Source, shown: str, overrides: Overrides) -> Plan:
    """A litmus file is asked its final clause and race freedom, and whether it terminates under a progress model.

    Its `expect` directives, if it has any, are asked instead; `expect condition` is the final clause.
    """
    from scopec.program.litmus import lower
    from scopec.syntax import litmus

    file = litmus.read(source)
    settings = _settings(file, overrides)
    default = _default_models(overrides)
    lowered = lower(file, source, Path(shown).stem)
    program, condition = lowered.program, lowered.condition
    asked: dict[_Models, list[Expectation]] = {}
    for expectation, names in expectations(file, program, source):
        found = expectation
        if expectation.kind == "condition":
            if condition is None:
                raise error(Code.BAD_EXPECTATION, "the file has no final clause", expectation.span, "add one")
            found = condition
        for models in [_under(name, expectation, default, settings) for name in names] or [default]:
            asked.setdefault(models, []).append(found)
    if not any(isinstance(d, tree.Expect) for d in file.directives):
        span = file.threads[0].span if condition is None else condition.span
        asked[default] = [] if condition is None else [condition]
        if registry.load(default[0], settings.options).tells_races():
            asked[default].append(Expectation("race_free", "race_free", span))
        if overrides.progress is not None:
            asked[default].append(Expectation("terminates", "terminates", span))
    asserts = _assertions(program)
    runs = [
        Run(shown, source, program, entry, progress, settings, (*checks, *asserts), (), on_hardware)
        for (entry, progress, on_hardware), checks in asked.items()
    ]
    return Plan(tuple(runs), lowered.warnings)


#: A memory model, a progress model, and whether the example hardware answers for the memory model.
_Models: TypeAlias = tuple[registry.Entry, progress_models.Model, bool]


def _default_models(overrides: Overrides) -> _Models:
    entry, progress = (
        registry.find(overrides.model or _DEFAULT_MODEL),
        progress_models.find(overrides.progress or "cuda"),
    )
    return entry, progress, overrides.memory == HARDWARE


def _under(name: str, expectation: Expectation, default: _Models, settings: Settings) -> _Models:
    """The models that an expectation is asked `under`: a progress model's name is one only for progress questions.

    InputError for a race under a model that does not define races.
    """
    if expectation.kind in PROGRESS_KINDS and name in progress_models.MODELS:
        return default[0], progress_models.find(name), default[2]
    if name == HARDWARE:
        if expectation.kind not in OUTCOME_KINDS:
            message = f"`{expectation.kind}` is not a question for {HARDWARE}, which says only how a program can end"
            raise error(Code.BAD_EXPECTATION, message, expectation.span, "use allowed, forbidden or required")
        return default[0], default[1], True
    entry = registry.find(name, expectation.span)
    if expectation.kind in ("race", "race_free"):
        model = registry.load(entry, settings.options)
        if not model.tells_races(expectation.target):
            help_ = "ask it under a model that does, such as cuda"
            raise error(Code.BAD_EXPECTATION, f"the model {name} does not define races", expectation.span, help_)
    return entry, default[1], False


def _settings(file: tree.File | litmus_tree.File, overrides: Overrides) -> Settings:
    settings = settings_of(file)
    if overrides.given:
        settings = replace(settings, given={**settings.given, **overrides.given})
    if overrides.unroll is not None:
        settings = replace(settings, bound={**settings.bound, "unroll": overrides.unroll})
    if overrides.ignore_races:
        settings = replace(settings, options={**settings.options, "races": "ignore"})
    return settings


def _usual(source: Source, file: tree.File, model: Model) -> Iterator[Expectation]:
    """What a file without expectations is asked: is it race free, does it terminate (assertions are always asked).

    A model that does not define races is not asked about them.
    """
    span = source.span(0, 0)
    functions = [i for i in file.items if isinstance(i, tree.Function)]
    if functions:
        span = functions[-1].name_span
    if model.tells_races():
        yield Expectation("race_free", "race_free", span)
    yield Expectation("terminates", "terminates", span)


def _assertions(program: ir.Program) -> list[Expectation]:
    """One check for each `assert` that some thread may reach, and one for all indices and pointers."""
    found: dict[Span, Expectation] = {}
    implicit: list[Span] = []
    for thread in program.threads:
        for node in thread.body.nodes.values():
            match node:
                case ir.Do(ir.Assert(_, text, False), span):
                    found.setdefault(span, Expectation("assertion", f"assert({text})", span))
                case ir.Do(ir.Assert(), span):
                    implicit.append(span)
                case ir.Do(operation, span) if not isinstance(index_of(operation), (Const, NoneType)):
                    implicit.append(span)
                case _:
                    pass
    checks = [found[span] for span in sorted(found)]
    if implicit:
        checks.append(Expectation("assertion", "indices and pointers are valid", min(implicit), implicit=True))
    return checks


def index_of(operation: ir.Operation) -> Value | None:
    """Which element an operation accesses, None if it accesses no memory."""
    place = getattr(operation, "place", None)
    return place.index if isinstance(place, ir.Place) else None
