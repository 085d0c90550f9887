"""The graphs of a variant: its events, and its steps on the example hardware of HRF0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.memory.cat import registry
from scopec.memory.graph import Asked, reduced
from scopec.program.observe import FinalRegister
from scopec.program.values import constants

if TYPE_CHECKING:
    from scopec.base.passes import Passed
    from scopec.memory.cat.model import Model
    from scopec.memory.events.events import EventGraph
    from scopec.program.expectations import Expectation
    from scopec.program.observe import Target
    from scopec.progress.system import System
    from scopec.session.inquiry.variant import Variant

#: The most events that are asked about, when what the program alone decides is left out.
MOST_ASKED = 800


def asked(run: Variant) -> Asked:
    """The settings on which the event graph depends, with the registers that expectations observe."""
    every = [(t.name, r) for t in run.program.threads for r in t.body.variables] if run.listing else []
    model = registry.load(run.model, run.readings)
    return Asked(
        run.settings.bound["unroll"],
        frozenset([*_observed(run), *every]),
        mentioned(run, model),
        run.reductions,
        run.listing,
        *_race_asked(run),
        run.whole_vectors,
        run.is_ptx,
    )


def event_graph(run: Variant, log: list[Passed]) -> EventGraph:
    """The event graph; what its passes came to is noted in ``log``."""
    graph = reduced(run.packed, asked(run), log)
    if len(graph.events) > MOST_ASKED:
        message = f"the order of {len(graph.events)} events depends on what is read, more than {MOST_ASKED}"
        help_ = "launch fewer threads or blocks, or lower the bound of a loop"
        raise error(Code.TOO_LARGE, message, graph.events[-1].span, help_)
    for (thread, register), check in _observed(run).items():
        if thread in graph.ended and (thread, register) not in graph.finals:
            message = f"`{thread}.{register}` never has a value when {thread} ends"
            raise error(Code.BAD_EXPECTATION, message, check.span)
    return graph


def _observed(run: Variant) -> Mapping[tuple[str, str], Expectation]:
    """The registers that expectations observe, by thread and name."""
    return {
        (what.thread, what.register): check
        for check in run.of_the_model
        if check.sought is not None
        for what in check.sought.observed.values()
        if isinstance(what, FinalRegister)
    }


def _race_asked(run: Variant) -> tuple[bool, Target | None]:
    """Whether any race decides all that is asked, if it is on the target."""
    targets = {c.target for c in run.of_the_model if c.target is not None}
    about_all = len(targets) < 2 and all(c.kind not in ("condition", "undefined") for c in run.of_the_model)
    return run.reports_races and about_all, next(iter(targets), None)


def mentioned(run: Variant, model: Model) -> frozenset[int]:
    """The values that checks name, where the model may have values out of thin air."""
    return frozenset(
        constant.value
        for check in run.of_the_model
        if check.sought is not None and not model.values_have_origins
        for constant in constants(check.sought.value)
    )


def hardware_steps(run: Variant) -> System:
    """The labelled steps, with every access to memory and every fence a step."""
    # Start-up: few runs are asked of it.
    from scopec.progress.questions import hardware_system

    return hardware_system(run.program, run.settings.options, observed_registers(run))


def observed_registers(run: Variant) -> Mapping[str, frozenset[str]]:
    """The registers that the hardware's checks observe, by grid, or by thread where it has none."""
    grids = {t.name: t.grid or t.name for t in run.program.threads}
    found: dict[str, set[str]] = {name: set() for name in grids.values()}
    for check in run.hardware_checks:
        for what in () if check.sought is None else check.sought.observed.values():
            if isinstance(what, FinalRegister):
                found[grids[what.thread]].add(what.register)
    return {name: frozenset(registers) for name, registers in found.items()}
