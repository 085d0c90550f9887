"""The graphs of a variant: its events, and its steps on the example hardware of HRF0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.memory.cat import registry
from scopec.memory.graph import build as build_graph
from scopec.memory.reduce.certain_race import racing
from scopec.memory.reduce.resolve_locations import settled
from scopec.program.observe import FinalRegister
from scopec.program.values import constants

if TYPE_CHECKING:
    from scopec.memory.cat.model import Model
    from scopec.memory.events.events import EventGraph
    from scopec.progress.system import System
    from scopec.session.inquiry.variant import Variant

#: How many events are asked about, when what the program alone decides is left out.
MOST_ASKED = 800


def event_graph(run: Variant) -> EventGraph:
    """The event graph, with the registers that expectations observe."""
    observed = {
        (what.thread, what.register): check
        for check in run.of_the_model
        if check.sought is not None
        for what in check.sought.observed.values()
        if isinstance(what, FinalRegister)
    }
    every = [(t.name, r) for t in run.program.threads for r in t.body.variables] if run.listing else []
    named = mentioned(run, registry.load(run.model, run.readings))
    chosen = run.reductions
    graph = build_graph(run.packed, run.settings.bound["unroll"], [*observed, *every], named, chosen)
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


def _asks_one_race(run: Variant) -> bool:
    """Whether any race decides all that is asked."""
    about_all = all(c.kind not in ("condition", "undefined") and c.target is None for c in run.of_the_model)
    return run.reports_races and about_all


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
