"""Host calls in TLA+: launches, streams, events, synchronisation, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.asw import waits_for
from scopec.program import ir
from scopec.progress.steps import Pending, leaves
from scopec.tla.names import function, strings

if TYPE_CHECKING:
    from scopec.progress.steps import Step
    from scopec.progress.system import System
    from scopec.tla.actions import Actions
    from scopec.tla.names import Names


class Streams:
    """The streams and events of a system, as far as some call depends on them."""

    def __init__(self, system: System, names: Names) -> None:
        self.system = system
        self.names = names
        operations = [s.operation for s in system.host_steps]
        #: Whether events order work, so that what a grid comes after is part of the state.
        self.events = tuple(
            dict.fromkeys(op.event for op in operations if isinstance(op, (ir.EventRecord, ir.EventWait)))
        )
        self.streams = {self.names.of(name): stream for name, stream in system.streams.items()}

    def maps(self) -> list[tuple[str, str]]:
        """The constants about streams."""
        if not self.events:
            return []
        grids = self.system.program.grids.values()
        orders = (
            (name, strings(other for other, earlier in self.streams.items() if waits_for(stream, earlier)))
            for name, stream in self.streams.items()
        )
        return [
            ("StreamOf", function((self.names.of(g.name), f'"{self.names.of(g.stream.name)}"') for g in grids)),
            ("Waits", function(orders)),
        ]

    def effect(self, actions: Actions, step: Step) -> list[str] | None:
        """The conjuncts of a host call's step; None for a step that is none of those that this module knows."""
        match step.operation:
            case ir.LaunchGrid(grid):
                name, stream = self.names.of(grid), self.names.of(self.system.program.grids[grid].stream.name)
                lines, changed = [f'/\\ issued\' = Append(issued, "{name}")'], {"issued"}
                if self.events:
                    lines.append(f'/\\ after\' = [after EXCEPT !["{name}"] = Before("{stream}")]')
                    changed.add("after")
                return [*lines, *actions.way(step.tree, step, changed=changed)]
            case ir.EventRecord(event, stream):
                before = f'Before("{self.names.of(stream)}")'
                lines = [
                    f'/\\ event\' = [event EXCEPT !["{self.names.of(event)}"] = {before}]',
                    f'/\\ fence\' = [fence EXCEPT !["{self.names.of(stream)}"] = {before}]',
                ]
                return [*lines, *actions.way(step.tree, step, changed={"event", "fence"})]
            case ir.EventWait(event, stream):
                name = self.names.of(stream)
                after = f'Before("{name}") \\cup event["{self.names.of(event)}"]'
                line = f'/\\ fence\' = [fence EXCEPT !["{name}"] = {after}]'
                return [line, *actions.way(step.tree, step, changed={"fence"})]
            case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() as call:
                if self.system.snapshots:
                    line = f"/\\ awaited' = [awaited EXCEPT ![t] = {self._work(call)}]"
                    return [line, *actions.way(step.tree, step, changed={"awaited"})]
                return [f"/\\ {self._done(call)}", *actions.way(step.tree, step)]
            case ir.WorkSynchronize() as call:
                return [f"/\\ {self._done(call)}", *actions.way(step.tree, step)]
            case Pending():
                lines = ["/\\ AllDoneOf(awaited[t])", "/\\ awaited' = [awaited EXCEPT ![t] = {}]"]
                return [*lines, *actions.way(step.tree, step, changed={"awaited"})]
            case ir.StreamQuery() | ir.EventQuery() as query:
                ready, not_ready = (end.label for end in leaves(step.tree))
                goto = f'/\\ Goto(t, IF {self._done(query)} THEN "{ready}" ELSE "{not_ready}")'
                return [line for line in (goto, actions.layout.unchanged(set())) if line]
            case ir.CreateThread(name):
                child = next(t for t in self.system.hosts if t.name == name)
                entry = self.system.begin(child).label
                start = f', !["{self.names.thread(child)}"] = "{entry}"]'
                return actions.way(step.tree, step, move=lambda label: f"pc' = [pc EXCEPT ![t] = {label}{start}")
            case ir.JoinThread(name):
                child = next(t for t in self.system.hosts if t.name == name)
                return actions.blocking(step, f'Done("{self.names.thread(child)}")', actions.way(step.tree, step))
            case _:
                return None

    def _work(self, call: ir.Operation) -> str:
        """The set of grids that a call waits for or asks about."""
        if isinstance(call, ir.WorkSynchronize):
            return strings([self.names.of(call.grid)])
        if isinstance(call, (ir.EventSynchronize, ir.EventQuery)):
            return f'event["{self.names.of(call.event)}"]' if call.event in self.events else "{}"
        grids, streams = self.system.program.grids.values(), self.system.waited(call)
        wanted = [g for g in grids if g.stream.name in streams]
        if len(wanted) == len(grids):
            return "Issued"
        work = f"Issued \\cap {self._grids(wanted)}"
        fences = " \\cup ".join(f'fence["{self.names.of(stream)}"]' for stream in streams)
        return f"({work}) \\cup {fences}" if self.events else work

    def _done(self, call: ir.Operation) -> str:
        work = self._work(call)
        return "AllIssuedDone" if work == "Issued" else f"AllDoneOf({work})"

    def _grids(self, grids: list[ir.Grid]) -> str:
        return strings(self.names.of(g.name) for g in grids)
