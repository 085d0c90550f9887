"""A variant of a file under one memory model: what is asked of it, and of whom."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scopec import __version__, options
from scopec.diagnostics import Code, Diagnostic, error
from scopec.expectations import (
    MEMORY_KINDS,
    OUTCOME_KINDS,
    PROGRESS_KINDS,
    Expectation,
    FinalRegister,
    Settings,
    Target,
)
from scopec.memory.base import Base
from scopec.memory.cat import registry
from scopec.memory.cat.model import Model
from scopec.memory.domains import Domains, domains
from scopec.memory.events import EventGraph
from scopec.memory.graph import build as build_graph
from scopec.memory.questions import Goal, Problem, Question
from scopec.memory.registration import unmapped
from scopec.program import ir
from scopec.program.names import distinct, identifier
from scopec.program.values import Const, Value
from scopec.progress import models as progress_models
from scopec.records import dataclass
from scopec.source import Source
from scopec.tla.values import module_name

if TYPE_CHECKING:
    from scopec.progress.models import Property
    from scopec.progress.system import System
    from scopec.tla.emit import Module


DEFAULT_MODEL = "cuda"
#: What `under` and `--memory` call the example hardware of HRF0.
HARDWARE = "hrf0-hw"


@dataclass(frozen=True)
class Run:
    """One variant of a file under one memory model, with what is asked of it.

    With ``on_hardware``, outcomes and assertions are asked of the example hardware of HRF0, not of the memory model.
    ``listing`` tells that every local variable is observed, not only those that expectations name.  ``not_asked`` is
    what is usually asked, and is not asked of this variant under any model.
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
    not_asked: tuple[str, ...] = ()

    @cached_property
    def name(self) -> str:
        """A name for generated files: the file's stem, the variant, and the models that are not the default."""
        parts = [identifier(Path(self.file).stem)]
        parts += [f"{identifier(k)}_{identifier(v)}" for k, v in self.program.variant.items()]
        if self.model.name != registry.find(DEFAULT_MODEL).name:
            parts.append(identifier(self.model.name))
        if self.progress != progress_models.CUDA:
            parts.append(identifier(self.progress.name))
        if self.on_hardware:
            parts.append(identifier(HARDWARE))
        name = "__".join(parts)
        return module_name(name)

    @property
    def is_litmus(self) -> bool:
        """Whether the file is a litmus file."""
        return self.file.endswith(".litmus")

    @property
    def memory_checks(self) -> tuple[Expectation, ...]:
        """The checks that the memory model answers; implicit ones only where something may fail."""
        may_fail = any(c.implicit for c in self.checks) and bool(self.graph.faults)
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

    # ---- the memory question

    @property
    def remarks(self) -> Iterator[Diagnostic]:
        """Warnings about what the event graph shows.

        Locals that are read before they have a value on some path; and host memory that devices access although it is
        not registered there, on a machine whose devices cannot access pageable memory (pageableMemoryAccess).
        """
        for span, name in dict.fromkeys((unset.span, unset.variable) for unset in self.graph.unset):
            message = f"`{name}` may be read before it has a value: what it has then is undefined"
            yield Diagnostic(Code.MAYBE_UNSET, message, span, None, "warning")
        if self.settings.given["pageableMemoryAccess"] == "0":
            for span, name in dict.fromkeys((event.span, name) for event, name in unmapped(self.graph)):
                message = f"a device accesses `{name}`, host memory that is not registered here: the access is invalid"
                yield Diagnostic(Code.NOT_MAPPED, message, span, None, "warning")

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
        mentioned = self._mentioned(registry.load(self.model, self.settings.options))
        graph = build_graph(self.program, self.settings.bound["unroll"], [*observed, *every], mentioned)
        for (thread, register), check in observed.items():
            if thread in graph.ended and (thread, register) not in graph.finals:
                message = f"`{thread}.{register}` never has a value when {thread} ends"
                raise error(Code.BAD_EXPECTATION, message, check.span)
        return graph

    @property
    def reports_races(self) -> bool:
        """Whether a race takes the meaning of every other verdict."""
        undefined = registry.load(self.model, self.settings.options).races_undefined
        return undefined and self.settings.options["races"] == "report"

    @cached_property
    def problem(self) -> Problem:
        """Everything that an engine needs to answer the memory checks, and to tell whether progress checks are void."""
        model = registry.load(self.model, self.settings.options)
        base = Base(self.graph, self.model.version, self.settings.given, self._computed_domains, self.model.own)
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
        mentioned = self._mentioned(model)
        return domains(self.graph, mentioned) if mentioned else self._computed_domains

    def _mentioned(self, model: Model) -> frozenset[int]:
        return frozenset(
            constant
            for check in self._of_the_model
            if check.sought is not None and not model.values_have_origins
            for constant in _constants(check.sought.value)
        )

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
        for target in self._races_asked():
            name = self.race_name(target)
            comment = "some execution has a race" + (f" on {_one_line(target.text)}" if target else "")
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
            elif check.kind == "assertion" and not check.implicit:
                reached = tuple(a for a in self.graph.assertions if a.span == check.span and not a.implicit)
                if reached:
                    comment = f"line {check.span.line}: {_one_line(check.text)}"
                    yield Question(question_name(number, check), Goal.ASSERTION, comment, False, assertions=reached)
        if any(not cut.wait for cut in self.graph.cuts):
            comment = f"some execution goes round a loop more than {self.settings.bound['unroll']} times"
            yield Question("longer", Goal.LONGER, comment)
        if self.graph.faults:
            asked = next((c for c in self.checks if c.implicit), None)
            comment = "some execution does what is undefined"
            expected = None if asked is None else False
            yield Question("fault", Goal.FAULT, comment, expected, assertions=self.graph.faults)
        if not self.problem_domains_closed:
            yield Question("overflow", Goal.OVERFLOW, "some write has a value beyond those that are modelled", False)

    def race_name(self, target: Target | None) -> str:
        """The name of the question whether there is a race, or one on what a check names."""
        if target is None:
            return "race"
        asked = [c.target.text for c in self.memory_checks if c.target is not None]
        names = distinct({name: identifier(name) for name in (*self.program.objects, *asked)})
        return f"race_on_{names[target.text]}"

    def _races_asked(self) -> list[Target | None]:
        """The objects on which a race is looked for; None is any, which may also take the meaning of other verdicts.

        Where it does not (PTX) it is looked for only if it is asked for, because that is dear there.
        """
        asked = {c.target for c in self.memory_checks if c.kind in ("race", "race_free")}
        undefined = registry.load(self.model, self.settings.options).races_undefined
        if undefined or self.listing:
            asked.add(None)
        return sorted(asked, key=lambda target: "" if target is None else target.text)

    @cached_property
    def problem_domains_closed(self) -> bool:
        """Whether the finite value domains cover every value that any execution computes."""
        return self._computed_domains.closed

    # ---- the progress question

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


def filter_name(number: int, check: Expectation) -> str:
    """The name of the question whether there are executions that a check with a filter is about."""
    return f"{question_name(number, check)}_filter"


def _constants(value: Value) -> Iterator[int]:
    if isinstance(value, Const):
        yield value.value
    for name in ("operand", "left", "right", "condition", "then", "otherwise"):
        inner = getattr(value, name, None)
        if inner is not None:
            yield from _constants(inner)
