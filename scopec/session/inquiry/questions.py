"""The questions of a run, as values for engines, and their names in generated files and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base import options
from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.lazy_import import later
from scopec.base.version import __version__
from scopec.memory.cat import registry
from scopec.memory.domains.coherent import coherent
from scopec.memory.domains.domains import domains
from scopec.memory.questions import Goal, Problem, Question
from scopec.memory.unfold.registration import unmapped
from scopec.program.names import distinct, identifier
from scopec.program.streams import ordered_by_values
from scopec.session.inquiry.graphs import mentioned, observed_registers

# Start-up: many runs are not asked about progress, and import nothing of it.
if TYPE_CHECKING:
    import hashlib

    from scopec.memory.cat.model import Model
    from scopec.memory.domains.domains import Domains
    from scopec.program.expectations import Expectation, Settings
    from scopec.program.observe import Target
    from scopec.progress.models import Property
    from scopec.progress.questions import HardwareProblem, ProgressProblem
    from scopec.session.inquiry.unfolded import Unfolded
else:
    hashlib = later("hashlib")


# ---------------------------------------------------------------- the memory question


def memory_problem(run: Unfolded) -> Problem:
    """Everything that an engine needs to answer the memory checks, and to know whether progress checks are void."""
    model = registry.load(run.model, run.readings)
    return narrowed(
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


def narrowed(problem: Problem) -> Problem:
    """A problem with fewer values in its domains (the reduction ``coherent``), and with domains that are known to be
    complete where the model has no value out of thin air (``origins``).

    Dependencies are those that there are among all values.
    """
    if problem.reductions.coherent:
        found = coherent(problem.base.graph, problem.domains, problem.reductions.values)
        problem = replace(problem, domains=found)
    return problem.within() if problem.reductions.origins else problem


def _asks_order(run: Unfolded) -> bool:
    """Whether it is asked if some execution is not sequentially consistent."""
    if not run.asks_hangs or run.whole is not None:
        return False
    from scopec.session.inquiry.sc_suffices import may_be_whole

    return may_be_whole(run, run.graph)


def known_values(run: Unfolded, model: Model) -> Domains:
    """The values that reads may return: where values may come out of thin air, also those that a check names."""
    named = mentioned(run, model)
    return domains(run.graph, named) if named else run.known


def _questions(run: Unfolded) -> Iterator[Question]:
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


def race_name(run: Unfolded, target: Target | None) -> str:
    """The name of the question whether there is a race, or one on what a check names."""
    if target is None:
        return "race"
    asked = [target.text for target in (*(c.target for c in run.memory_checks), *run.torn) if target is not None]
    names = distinct({name: identifier(name) for name in (*run.program.objects, *asked)})
    return f"race_on_{names[target.text]}"


def _races_asked(run: Unfolded) -> list[Target | None]:
    """The objects on which a race is looked for; None is any object.

    Where races are undefined behaviour, any race is looked for, because it makes other verdicts meaningless.  Elsewhere
    (PTX) only the races that are asked about are looked for, because the search is expensive there.
    """
    asked = {c.target for c in run.memory_checks if c.kind in ("race", "race_free")} | set(run.torn)
    undefined = registry.load(run.model, run.settings.options).races_undefined
    if undefined or run.listing:
        asked.add(None)
    return sorted(asked, key=lambda target: "" if target is None else target.text)


def remarks(run: Unfolded) -> Iterator[Diagnostic]:
    """Warnings about what the event graph shows.

    Locals that are read before they have a value on some path; host memory that devices access although it is
    not registered there, on a machine whose devices cannot access pageable memory (pageableMemoryAccess); streams that
    a value alone orders; and indices for which any element is taken.
    """
    for span, name in dict.fromkeys((unset.span, unset.variable) for unset in run.graph.unset):
        message = f"`{name}` may be read before it has a value: what it has then is undefined"
        yield Diagnostic(Code.MAYBE_UNSET, message, span, None, "warning")
    if run.settings.given["pageableMemoryAccess"] == "0":
        for span, name in dict.fromkeys((event.span, name) for event, name in unmapped(run.graph)):
            message = f"a device accesses `{name}`, host memory that is not registered here: the access is invalid"
            yield Diagnostic(Code.NOT_MAPPED, message, span, None, "warning")
    for grid, other in ordered_by_values(run.program):
        message = f"stream {grid.stream.name} waits for a value of stream {other.stream.name}, and no event says so"
        yield Diagnostic(Code.BY_VALUE, message, grid.span, None, "warning")
    if places := run.program.any_index:
        many = f" (nor are {len(places) - 1} others)" if places[1:] else ""
        message = f"this index is not modelled{many}: any element is taken, and that the object has it is assumed"
        yield Diagnostic(Code.ANY_INDEX, message, places[0], Code.ANY_INDEX.way_out, "warning")


# ---------------------------------------------------------------- the progress question


def _settled(run: Unfolded) -> frozenset[str]:
    if len(run.program.threads) <= run.reductions.threads:
        return frozenset()
    with suppress(InputError):  # a graph that is too large, which the memory question tells
        return run.graph.decided
    return frozenset()


def progress_problem(run: Unfolded, property_: Property, *, graph: bool = True) -> ProgressProblem:
    """Everything that an engine needs to say whether a property holds; without what the event ``graph`` says of values
    where that takes too long."""
    from scopec.progress.questions import ProgressProblem

    name = run.name if property_ == "Termination" else f"{run.name}__progress"
    settings = run.settings
    return ProgressProblem(
        name, header(run, "progress"), run.program, run.progress, settings.options, settings.given, property_,
        _settled(run) if graph else frozenset(), run.progress_reductions,
    )  # fmt: skip


# ---------------------------------------------------------------- the example hardware of HRF0


def hardware_problem(run: Unfolded, number: int | None) -> HardwareProblem:
    """The problem for an engine that decides a hardware check; any final state, without a number."""
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
        f"{run.name}__{name}", header(run, "hardware"), run.hardware_system, hardware, observed_registers(run),
        sought, span,
    )  # fmt: skip


# ---------------------------------------------------------------- names and headers of generated files


def header(run: Unfolded, question: str) -> tuple[str, ...]:
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
    """The options of a table that do not have their defaults."""
    chosen = ", ".join(f"{n} = {settings.options[n]}" for n, s in table.items() if settings.options[n] != s.default)
    return f", options {chosen}" if chosen else ""


def _places(run: Unfolded) -> str:
    """The number of blocks that have places, where that is given."""
    places = run.settings.given["resident_blocks"]
    return f", given resident_blocks = {places}" if places.isdecimal() else ""


def _vectors(run: Unfolded) -> str:
    """The remark that vectors are whole, where that is given."""
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
