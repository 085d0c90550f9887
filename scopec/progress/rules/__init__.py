"""The rules of progress: what each step of a system does, stated once for every engine.

- ``ending``: starts and ends
- ``barriers``: ``__syncthreads`` and groups; ``named_barriers``: ``bar``; ``phases``: ``cuda::barrier``
- ``mbarriers``: those of PTX
- ``sleeping``: ``wait`` and ``notify``
- ``calls``: calls of the host, and the ends of threads
- ``fairness``: the promises of progress models
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.progress.rules import barriers, calls, ending, fairness, mbarriers, named_barriers, phases, sleeping
from scopec.progress.slicing import accessed
from scopec.progress.steps import Wait
from scopec.progress.terms import Id, Number, Of, Sort, block, label, thread
from scopec.progress.transition import Definition, Laws, Table, Transition, Variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.progress.steps import Step
    from scopec.progress.system import System

#: The laws of progress, each after those that it adds to, but for those of objects that few programs have.
LAWS = (
    ending.LABELS, phases.PHASES, *ending.STREAMS.bases, ending.STREAMS, ending.EVENTS, ending.DEPENDENCIES,
    ending.TRIGGERS, ending.BEGINNINGS, barriers.BARRIERS, barriers.EXCHANGES, named_barriers.NAMED_BARRIERS,
    fairness.EXECUTION_MODEL,
    *(laws for laws in fairness.MODELS.values() if laws is not fairness.EXECUTION_MODEL),
)  # fmt: skip


class Rules:
    """The rules of a system: constants, variables beside labels, memory and registers, definitions, transitions."""

    def __init__(self, system: System) -> None:
        self.system = system

    @cached_property
    def sets(self) -> Mapping[str, tuple[Id, ...]]:
        """The sets of threads, and of labels at which a call is pending."""
        system = self.system
        kinds = {"HostThreads": system.hosts, "DeviceThreads": system.threads, "Tasks": system.tasks}
        kinds["Threads"] = system.everyone
        threads = {name: tuple(thread(t.name) for t in who) for name, who in kinds.items()}
        labels = {"ApiLabels": system.api_labels, "NotReadyLabels": system.not_ready_labels}
        return {**threads, **{name: tuple(map(label, which)) for name, which in labels.items()}}

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The constant functions."""
        system = self.system
        units: Table = {thread(name): Id(Sort.UNIT, unit) for name, unit in system.unit_of.items()}
        return {
            "BlockOf": {thread(t.name): block(t.block_name) for t in system.threads},
            "UnitOf": units,
            "Number": {thread(name): Number(n) for name, n in system.number_of.items()},
            "DeviceOf": {thread(t.name): Number(t.device) for t in (*system.threads, *system.tasks)},
            **dict(barriers.tables(system)),
            **dict(ending.tables(system)),
            **dict(sleeping.tables(system)),
            **dict(fairness.tables(system)),
        }

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables of the state beside labels, memory and registers."""
        of = (ending, barriers, named_barriers)
        return tuple(variable for rules in of for variable in rules.variables(self.system))

    @cached_property
    def stated(self) -> tuple[Definition | Laws, ...]:
        """The definitions of the system and the laws that it is under, each after what it uses."""
        of = (ending, barriers, named_barriers, phases, mbarriers, fairness)
        return tuple(found for rules in of for found in rules.definitions(self.system))

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """The named terms, each after those that it uses."""
        found = (each.definitions if isinstance(each, Laws) else (each,) for each in self.stated)
        return {definition.name: definition for some in found for definition in some}

    @cached_property
    def starting(self) -> tuple[str, ...]:
        """The conditions of a thread that is started: those of these definitions that there are."""
        return tuple(
            name for name in ("CanStart", "Triggered", "Begun", "InOrder", "HasPlace") if name in self.definitions
        )

    def transition(self, step: Step) -> Transition:
        """The transition of a step."""
        match step.operation:
            case ir.SyncThreads() | ir.GroupSync() as operation:
                return barriers.arrive(step, operation)
            case Wait(ir.SyncThreads() | ir.GroupSync() as operation):
                return barriers.leave(self.system, step, operation)
            case ir.NamedBarrier() as operation:
                return named_barriers.arrive(step, operation)
            case Wait(ir.NamedBarrier() as operation):
                return named_barriers.leave(step, operation)
            case ir.Notify() as operation:
                return sleeping.notify(self.system, step, operation)
            case _:
                return calls.transition(self.system, step) or self._access(step)

    def _access(self, step: Step) -> Transition:
        """An access, which waits for what its operation waits for; or a step of the thread alone."""
        place = accessed(step.operation)
        if place is None:
            return Transition(step)
        guard = None if step.guard is None else Of(step.guard, truth=True)
        return Transition(step, guard, place=place, wakes=sleeping.written(self.system, step, place))
