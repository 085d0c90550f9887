"""The questions of a run, as values: what an engine is asked, and how generated files and reports call it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scopec import __version__
from scopec.base import options
from scopec.base.diagnostics import Code, Diagnostic, InputError, error
from scopec.base.lazy_import import later
from scopec.memory.cat import registry
from scopec.memory.domains.domains import domains
from scopec.memory.graph import build as build_graph
from scopec.memory.questions import Goal, Problem, Question
from scopec.memory.reduce.certain_race import racing
from scopec.memory.reduce.resolve_locations import settled
from scopec.memory.unfold.registration import unmapped
from scopec.program.names import distinct, identifier
from scopec.program.observe import FinalRegister
from scopec.program.values import Const

# Start-up: many runs are not asked about progress, and import nothing of it.
if TYPE_CHECKING:
    import hashlib

    from scopec.memory.cat.model import Model
    from scopec.memory.domains.domains import Domains
    from scopec.memory.events.events import EventGraph
    from scopec.program.expectations import Expectation, Settings
    from scopec.program.observe import Target
    from scopec.program.values import Value
    from scopec.progress.models import Property
    from scopec.progress.questions import HardwareProblem, ProgressProblem
    from scopec.progress.system import System
    from scopec.session.inquiry.run import Run
else:
    hashlib = later("hashlib")

#: How many events are asked about, when what the program alone decides is left out.
MOST_ASKED = 800


# ---------------------------------------------------------------- the memory question


def event_graph(run: Run) -> EventGraph:
    """The event graph, with the registers that expectations observe."""
    observed = {
        (what.thread, what.register): check
        for check in run.of_the_model
        if check.sought is not None
        for what in check.sought.observed.values()
        if isinstance(what, FinalRegister)
    }
    every = [(t.name, r) for t in run.program.threads for r in t.body.variables] if run.listing else []
    mentioned = _mentioned(run, registry.load(run.model, run.settings.readings))
    chosen = run.reductions
    graph = build_graph(run.packed, run.settings.bound["unroll"], [*observed, *every], mentioned, chosen)
    large = len(graph.events) > chosen.events or len(run.program.threads) > chosen.threads
    if large and not run.listing:
        graph = settled(graph, chosen) if chosen.settled else graph
        if chosen.racing and len(graph.events) > chosen.events // 3 and _asks_one_race(run):
            graph = racing(graph, condense=chosen.condensed) or graph
    if len(graph.events) > MOST_ASKED:
        message = f"the order of {len(graph.events)} events depends on what is read, more than {MOST_ASKED}"
        help_ = "launch fewer threads or blocks, or lower the bound of a loop"
        raise error(Code.TOO_LARGE, message, graph.events[-1].span, help_)
    for (thread, register), check in observed.items():
        if thread in graph.ended and (thread, register) not in graph.finals:
            message = f"`{thread}.{register}` never has a value when {thread} ends"
            raise error(Code.BAD_EXPECTATION, message, check.span)
    return graph


def _asks_one_race(run: Run) -> bool:
    """Whether any race decides all that is asked."""
    about_all = all(c.kind not in ("condition", "undefined") and c.target is None for c in run.of_the_model)
    return run.reports_races and about_all


def memory_problem(run: Run) -> Problem:
    """Everything that an engine needs to answer the memory checks, and to know whether progress checks are void."""
    model = registry.load(run.model, run.settings.readings)
    return with_origins(
        Problem(
            run.name,
            partial(header, run, "memory"),
            run.base,
            model,
            run.model.name,
            known_values(run, model),
            tuple(_questions(run)),
            reductions=run.reductions,
        )
    )


def with_origins(problem: Problem) -> Problem:
    """A problem, with domains that are known to be complete where the model has no value out of thin air.

    It is the reduction ``origins``.
    """
    return problem.within() if problem.reductions.origins else problem


def _asks_order(run: Run) -> bool:
    """Whether it is asked if some execution is not sequentially consistent."""
    if not run.asks_hangs or run.whole is not None:
        return False
    from scopec.session.inquiry.sc_suffices import may_be_whole

    return may_be_whole(run)


def known_values(run: Run, model: Model) -> Domains:
    """The values that reads may return: where values may come out of thin air, also those that a check names."""
    mentioned = _mentioned(run, model)
    return domains(run.graph, mentioned) if mentioned else run.known


def _mentioned(run: Run, model: Model) -> frozenset[int]:
    return frozenset(
        constant
        for check in run.of_the_model
        if check.sought is not None and not model.values_have_origins
        for constant in _constants(check.sought.value)
    )


def _questions(run: Run) -> Iterator[Question]:
    needs_ends = not run.graph.unfinished or any(
        c.kind not in ("race", "race_free", "undefined") and c.quantifier != "not exists" for c in run.memory_checks
    )
    yield Question(
        "execution", Goal.EXECUTION, "some execution is consistent and complete", True if needs_ends else None
    )
    if run.graph.unfinished:
        yield Question("prefix", Goal.PREFIX, "some execution is consistent, complete or not", True)
    for target in _races_asked(run):
        name = race_name(run, target)
        comment = "some execution has a race" + (f" on {_one_line(target.text)}" if target else "")
        wanted = {c.kind for c in run.checks if c.kind in ("race", "race_free") and target in (None, c.target)}
        expected = wanted == {"race"} if wanted else None
        yield Question(name, Goal.RACE, comment, expected, target=target)
    for number, check in enumerate(run.memory_checks):
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
            reached = tuple(a for a in run.graph.assertions if a.span == check.span and not a.implicit)
            if reached:
                comment = f"line {check.span.line}: {_one_line(check.text)}"
                yield Question(question_name(number, check), Goal.ASSERTION, comment, False, assertions=reached)
    if any(not cut.wait for cut in run.graph.cuts):
        comment = f"some execution goes round a loop more than {run.settings.bound['unroll']} times"
        yield Question("longer", Goal.LONGER, comment)
    if run.graph.faults:
        undefined = any(c.kind == "undefined" for c in run.checks)
        comment = "some execution does what is undefined"
        expected = True if undefined else False if any(c.implicit for c in run.checks) else None
        yield Question("fault", Goal.FAULT, comment, expected, assertions=run.graph.faults)
    if _asks_order(run):
        yield Question("weak", Goal.WEAK, "some execution is not sequentially consistent")
    if not run.known.closed:
        yield Question("overflow", Goal.OVERFLOW, "some write has a value beyond those that are modelled", False)


def race_name(run: Run, target: Target | None) -> str:
    """The name of the question whether there is a race, or one on what a check names."""
    if target is None:
        return "race"
    asked = [target.text for target in (*(c.target for c in run.memory_checks), *run.torn) if target is not None]
    names = distinct({name: identifier(name) for name in (*run.program.objects, *asked)})
    return f"race_on_{names[target.text]}"


def _races_asked(run: Run) -> list[Target | None]:
    """The objects on which a race is looked for; None is any, which may also take the meaning of other verdicts.

    Where it does not (PTX) it is looked for only if it is asked for, because that is dear there.
    """
    asked = {c.target for c in run.memory_checks if c.kind in ("race", "race_free")} | set(run.torn)
    undefined = registry.load(run.model, run.settings.options).races_undefined
    if undefined or run.listing:
        asked.add(None)
    return sorted(asked, key=lambda target: "" if target is None else target.text)


def remarks(run: Run) -> Iterator[Diagnostic]:
    """Warnings about what the event graph shows.

    Locals that are read before they have a value on some path; and host memory that devices access although it is
    not registered there, on a machine whose devices cannot access pageable memory (pageableMemoryAccess).
    """
    for span, name in dict.fromkeys((unset.span, unset.variable) for unset in run.graph.unset):
        message = f"`{name}` may be read before it has a value: what it has then is undefined"
        yield Diagnostic(Code.MAYBE_UNSET, message, span, None, "warning")
    if run.settings.given["pageableMemoryAccess"] == "0":
        for span, name in dict.fromkeys((event.span, name) for event, name in unmapped(run.graph)):
            message = f"a device accesses `{name}`, host memory that is not registered here: the access is invalid"
            yield Diagnostic(Code.NOT_MAPPED, message, span, None, "warning")


# ---------------------------------------------------------------- the progress question


def _settled(run: Run) -> frozenset[str]:
    if len(run.program.threads) <= run.reductions.threads:
        return frozenset()
    with suppress(InputError):  # a graph that is too large, which the memory question tells
        return run.graph.decided
    return frozenset()


def progress_problem(run: Run, property_: Property) -> ProgressProblem:
    """Everything that an engine needs to say whether a property holds."""
    from scopec.progress.questions import ProgressProblem

    name = run.name if property_ == "Termination" else f"{run.name}__progress"
    settings = run.settings
    return ProgressProblem(
        name, header(run, "progress"), run.program, run.progress, settings.options, settings.given, property_,
        _settled(run), run.progress_reductions,
    )  # fmt: skip


# ---------------------------------------------------------------- the example hardware of HRF0


def hardware_steps(run: Run) -> System:
    """The labelled steps, with every access to memory and every fence a step."""
    from scopec.progress.questions import hardware_system

    return hardware_system(run.program, run.settings.options, _observed_registers(run))


def _observed_registers(run: Run) -> Mapping[str, frozenset[str]]:
    """The registers that the hardware's checks observe, by grid, or by thread where it has none."""
    grids = {t.name: t.grid or t.name for t in run.program.threads}
    found: dict[str, set[str]] = {name: set() for name in grids.values()}
    for check in run.hardware_checks:
        for what in () if check.sought is None else check.sought.observed.values():
            if isinstance(what, FinalRegister):
                found[grids[what.thread]].add(what.register)
    return {name: frozenset(registers) for name, registers in found.items()}


def hardware_problem(run: Run, number: int | None) -> HardwareProblem:
    """What an engine is to look for to decide a hardware check; any final state, without a number."""
    from scopec.progress.questions import Hardware, HardwareProblem, Sought

    if number is None:
        sought, name, span = Sought(), "final", run.source.span(0, 0)
    else:
        check = run.hardware_checks[number]
        assertion = check.span if check.kind == "assertion" else None
        sought = Sought(check.sought, assertion, otherwise=check.kind == "required")
        name, span = question_name(number, check), check.span
    options_ = run.settings.options
    hardware = Hardware(*(options_[o] == "on" for o in options.HARDWARE_OPTIONS))
    return HardwareProblem(
        f"{run.name}__{name}", header(run, "hardware"), run.hardware_system, hardware, _observed_registers(run),
        sought, span,
    )  # fmt: skip


# ---------------------------------------------------------------- names and headers of generated files


def header(run: Run, question: str) -> tuple[str, ...]:
    """The first lines of a generated file: where it comes from and under which choices."""
    digest = hashlib.sha256(run.source.text.encode()).hexdigest()
    lines = [
        f"{run.name}: the {question} question, generated by scopec {__version__}",
        f"from {_one_line(Path(run.file).name)}, SHA-256 {digest[:32]}",
    ]
    if run.program.variant:
        lines.append("variant " + ", ".join(f"{k} = {v}" for k, v in run.program.variant.items()))
    if question == "memory":
        lines.append(f"model {run.model.name}" + _changed(run.settings, options.MEMORY_OPTIONS))
        shown = (
            f"{k} = {v}" for k, v in run.settings.given.items() if k not in ("device", "resident_blocks", "vector")
        )
        lines.append("given " + ", ".join(shown) + _vectors(run))
    elif question == "hangs":
        lines.append(f"model {run.model.name}" + _changed(run.settings, options.MEMORY_OPTIONS))
        lines.append(
            f"progress model {run.progress.name}{_places(run)}" + _changed(run.settings, options.PROGRESS_OPTIONS)
        )
        lines.append("executions in which nothing changes any more" + _vectors(run))
    elif question == "hardware":
        lines.append("the example hardware of HRF0" + _changed(run.settings, options.HARDWARE_OPTIONS))
        lines.append("safety only: which final states can be reached")
    else:
        lines.append(
            f"progress model {run.progress.name}{_places(run)}" + _changed(run.settings, options.PROGRESS_OPTIONS)
        )
        lines.append("memory is sequentially consistent here; races are the memory question's")
    if run.without:
        lines.append("without " + ", ".join(sorted(run.without)))
    return tuple(part for line in lines for part in _wrapped(line, 74))


def _wrapped(line: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(line, width, subsequent_indent="  ") or [""]


def _changed(settings: Settings, table: Mapping[str, options.Setting]) -> str:
    """Which options of a table do not have their defaults."""
    chosen = ", ".join(f"{n} = {settings.options[n]}" for n, s in table.items() if settings.options[n] != s.default)
    return f", options {chosen}" if chosen else ""


def _places(run: Run) -> str:
    """How many blocks have places, where that is given."""
    places = run.settings.given["resident_blocks"]
    return f", given resident_blocks = {places}" if places.isdecimal() else ""


def _vectors(run: Run) -> str:
    """That vectors are whole, where that is given."""
    return ", vector = whole" if run.settings.given["vector"] == "whole" else ""


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
