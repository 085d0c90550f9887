"""The passes of the progress question, in their order: from control-flow graphs to a system of labelled steps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from scopec.base.passes import Pass
from scopec.base.records import dataclass, replace
from scopec.program import ir
from scopec.program.constants import always_holding
from scopec.program.names import distinct, identifier
from scopec.program.program import Program
from scopec.program.values import Const
from scopec.progress.counting import counts
from scopec.progress.idle_branches import without_idle_branches
from scopec.progress.interleaving import interleaved
from scopec.progress.models import Model
from scopec.progress.reductions import (
    REDUCTIONS,
    Reductions,
    automatic_as_registers,
    waits_as_polls,
    without_assertions,
    without_dead_values,
)
from scopec.progress.slicing import accessed, accessed_objects, deciding_objects
from scopec.progress.stepper import machine, without_unread
from scopec.progress.steps import Goto, Machine, leaves
from scopec.progress.system import ISSUING_CALLS, Readings, System

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from scopec.progress.steps import Visible


@dataclass(frozen=True)
class Threads:
    """The threads that take part."""

    hosts: tuple[ir.Thread, ...] = ()
    device: tuple[ir.Thread, ...] = ()
    tasks: tuple[ir.Thread, ...] = ()

    @property
    def everyone(self) -> tuple[ir.Thread, ...]:
        """All of them."""
        return (*self.hosts, *self.device, *self.tasks)


@dataclass(frozen=True)
class Making:
    """An intermediate stage of a system: graphs by grid, or by thread without one; then machines; then the whole.

    ``observed`` are the registers that are read at the end, where final states are asked for, ``before`` as
    :class:`System` has it; ``deciding`` the objects whose values are kept; ``live`` gives the live registers of each
    machine by label.
    """

    program: Program
    model: Model
    readings: Readings
    reductions: Reductions
    observed: Mapping[str, frozenset[str]] | None
    threads: Threads
    before: Mapping[str, tuple[str, ...]]
    bodies: Mapping[str, ir.Body]
    deciding: frozenset[str]
    machines: Mapping[str, Machine] | None = None
    live: Mapping[str, Mapping[str, frozenset[str]]] | None = None
    system: System | None = None

    @property
    def made(self) -> System:
        """The system."""
        assert self.system is not None
        return self.system

    def makes(self, reduction: str) -> bool:
        """Whether a reduction is not switched off."""
        return reduction in REDUCTIONS and bool(getattr(self.reductions, reduction))

    def without(self, reduction: str) -> Self:
        """The same with a reduction switched off."""
        return replace(self, reductions=self.reductions.without({reduction}))

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes with which the number of states grows."""
        objects = {"objects with values": len(self.deciding)}
        if self.machines is None:
            return {**objects, "accesses": sum(map(_accesses, self.bodies.values()))}
        most = {**objects, "values in registers": sum(map(_kept, self.machines.values()))}
        return most if self.system is None else {**most, "steps": self.system.number}

    @property
    def form(self) -> str:
        """The form that there is: a changed program, or steps."""
        return "program" if self.machines is None else "steps"

    @property
    def text(self) -> str:
        """The form in print."""
        # Start-up: most calls print no form.
        from scopec.program.show import show_program
        from scopec.progress.show import show_steps

        if self.machines is not None:
            return show_steps(self.system or assembled(self))
        bodies, program = self.bodies, self.program
        host, *others = (replace(t, body=bodies.get(t.name, t.body)) for t in (program.host, *program.others))
        grids = {name: replace(grid, body=bodies[name]) for name, grid in program.grids.items()}
        return show_program(replace(program, host=host, others=tuple(others), grids=grids))

    @property
    def snapshots(self) -> bool:
        """Whether several host threads issue work."""
        issuing = [t for t in self.threads.hosts if any(isinstance(op, ISSUING_CALLS) for op in _operations(t.body))]
        return len(issuing) > 1

    def counted(self, name: str) -> Callable[[Visible], bool]:
        """The operations that count as progress in a grid or thread."""
        on_host = any(t.is_host for t in self.threads.everyone if name == (t.grid or t.name))
        return partial(counts, program=self.program, host=on_host)

    def read_at_end(self, name: str) -> frozenset[str]:
        """The registers of a grid or thread that are read at the end."""
        return (self.observed or {}).get(name, frozenset())

    def changed(self, change: Callable[[str, ir.Body], ir.Body]) -> Making:
        """The same with other graphs."""
        return replace(self, bodies={name: change(name, body) for name, body in self.bodies.items()})

    def remade(self, change: Callable[[str, Machine], Machine]) -> Making:
        """The same with other machines."""
        assert self.machines is not None
        return replace(self, machines={name: change(name, one) for name, one in self.machines.items()})


def _operations(body: ir.Body) -> Iterator[ir.Operation]:
    return (node.operation for node in body.nodes.values() if isinstance(node, ir.Do))


def _accesses(body: ir.Body) -> int:
    return sum(accessed(operation) is not None for operation in _operations(body))


def _kept(made: Machine) -> int:
    """The number of registers, of all labels together, that may have a value."""
    held: dict[str, set[str]] = {}
    work: list[tuple[Goto, set[str]]] = [(end, set()) for end in leaves(made.entry)]
    while work:
        end, before = work.pop()
        gone = {name for name, value in end.updates if isinstance(value, Const) and not value.value}
        there = (before | {name for name, _ in end.updates}) - gone
        if end.label not in held or not there <= held[end.label]:
            held[end.label] = held.get(end.label, set()) | there
            step = made.steps.get(end.label)
            work += [(after, held[end.label]) for after in (leaves(step.tree) if step else ())]
    return sum(map(len, held.values()))


# ---------------------------------------------------------------- the passes


def _without_assertions(stage: Making) -> Making:
    def change(name: str, body: ir.Body) -> ir.Body:
        holding = always_holding(body, [t for t in stage.program.threads if name in (t.grid, t.name)])
        return without_assertions(body, holding, explicit=stage.observed is not None)

    return stage.changed(change)


def _with_registers(stage: Making) -> Making:
    uses = {name: accessed_objects(body) for name, body in stage.bodies.items()}

    def change(name: str, body: ir.Body) -> ir.Body:
        elsewhere = set[str]().union(*(found for other, found in uses.items() if other != name))
        own = {n: stage.program.objects[n] for n in uses[name] - elsewhere}
        return automatic_as_registers(body, own, stage.counted(name))

    return stage.changed(change)


def _stepped(stage: Making) -> Making:
    stems = distinct({name: identifier(name) for name in stage.bodies})
    mbarriers = frozenset(o.name for o in stage.program.objects.values() if o.use is ir.Use.MBARRIER)
    found = {
        name: machine(
            name, stems[name], body, stage.deciding, stage.counted(name), stage.reductions,
            snapshots=stage.snapshots, observed=stage.read_at_end(name), mbarriers=mbarriers,
        )
        for name, body in stage.bodies.items()
    }  # fmt: skip
    return replace(
        stage,
        machines={name: one for name, (one, _) in found.items()},
        live={name: live for name, (_, live) in found.items()},
    )


def _without_dead_values(stage: Making) -> Making:
    live = stage.live or {}
    return stage.remade(lambda name, one: replace(one, steps=without_dead_values(one.steps, live[name])))


def _without_unread(stage: Making) -> Making:
    return stage.remade(lambda name, one: without_unread(one, stage.read_at_end(name)))


def assembled(stage: Making) -> System:
    """The machines, and the threads that run them."""
    assert stage.machines is not None
    threads = stage.threads
    return System(
        stage.program,
        stage.model,
        stage.readings,
        stage.reductions,
        stage.machines,
        threads.hosts,
        threads.device,
        threads.tasks,
        stage.before,
        stage.snapshots,
    )


#: All of them, in their order.
PASSES: tuple[Pass[Making], ...] = (
    Pass(
        interleaved,
        "operands that nothing orders: a way of each order",
        lambda stage: stage.changed(lambda _, body: interleaved(body)),
    ),
    Pass(
        without_assertions,
        "without the checks that hold, and without `assert`, which the memory question asks",
        _without_assertions,
    ),
    Pass(
        waits_as_polls,
        "for final states: a wait may look again at any time",
        lambda stage: stage.changed(lambda _, body: waits_as_polls(body)),
        lambda stage: None if stage.observed is None else "",
    ),
    Pass(
        without_idle_branches,
        "branches both of whose ways are the same decide nothing",
        lambda stage: stage.changed(lambda _, body: without_idle_branches(body)),
        reduction="objects",
    ),
    Pass(
        deciding_objects,
        "objects whose values decide nothing have none",
        lambda stage: replace(stage, deciding=deciding_objects(stage.bodies.values())),
        reduction="objects",
    ),
    Pass(
        automatic_as_registers,
        "locals in memory that only their thread uses are registers",
        _with_registers,
        reduction="local",
    ),
    Pass(
        machine,
        "one visible operation per step, the thread's own arithmetic after it",
        _stepped,
        inside=("local", "polls"),
        shown="assembled",
    ),
    Pass(
        without_dead_values,
        "a register that is not read again is 0",
        _without_dead_values,
        reduction="registers",
    ),
    Pass(
        without_unread,
        "registers that no step reads are gone",
        _without_unread,
    ),
    Pass(
        assembled,
        "the machines, and the threads that run them, each of which starts with its first step where it may",
        lambda stage: replace(stage, system=assembled(stage)),
        inside=("start",),
    ),
)
