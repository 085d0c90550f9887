"""Names of threads, registers, objects and blocks in a TLA+ module."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.engines.tla.values import tla_name
from scopec.program import ir
from scopec.program.names import distinct, identifier
from scopec.program.warp import EVERY_LANE
from scopec.progress.terms import Sort

if TYPE_CHECKING:
    from scopec.progress.system import System
    from scopec.progress.terms import Id


class Names:
    """The names of a system: no two threads, grids, blocks, objects or registers have one."""

    def __init__(self, system: System) -> None:
        self.system = system

    @cached_property
    def _strings(self) -> dict[str, str]:
        system, program = self.system, self.system.program
        streams = (s.name for s in (*program.streams, *(g.stream for g in program.grids.values())))
        asked = (s.operation.event for s in system.host_steps if isinstance(s.operation, _ON_EVENTS))
        events = (*asked, *system.events)
        blocks = (t.block_name for t in system.everyone if t.grid is None)
        clusters = (t.cluster_name for t in system.everyone)
        names = (*system.machines, *program.grids, *streams, *events, *blocks, *clusters, *system.unit_of.values())
        return distinct({name: identifier(name) for name in names})

    @cached_property
    def _threads(self) -> dict[str, str]:
        return distinct({t.name: self._thread(t) for t in self.system.everyone})

    def _thread(self, thread: ir.Thread) -> str:
        if thread.grid is None:
            return identifier(thread.name)
        return f"{self.of(thread.grid)}_b{thread.block}_t{thread.lane}"

    @cached_property
    def _fields(self) -> dict[str, str]:
        registers = (r for t in self.system.everyone for r in self.system.machine_of(t).registers)
        observed = (r for t in self.system.everyone for r in t.body.variables)
        return distinct({name: _field(name) for name in (*self.system.program.objects, *registers, *observed)})

    def of(self, name: str) -> str:
        """The string for a grid, a host thread's machine, a stream, an event, a cluster or another unit."""
        return self._strings[name]

    def thread(self, thread: ir.Thread) -> str:
        """``main``, ``P0``, or ``mp_b1_t0`` for ``mp[1][0]``."""
        return self._threads[thread.name]

    def block(self, thread: ir.Thread) -> str:
        """The block of a device thread: ``mp_b1``, or as a litmus file calls it."""
        return self.of(thread.block_name) if thread.grid is None else f"{self.of(thread.grid)}_b{thread.block}"

    def field(self, name: str) -> str:
        """The field of ``mem`` that holds an object, or that of a thread's record that holds a register."""
        return self._fields[name]

    def id(self, id_: Id) -> str:
        """The string for a thread, a grid or what else rules are about; a label is one."""
        match id_.sort, id_.name:
            case Sort.THREAD, str(name):
                return self._threads[name]
            case Sort.BLOCK, str(name):
                return self._blocks[name]
            case Sort.LABEL, str(name):
                return name
            case Sort.BARRIER, (ir.Group.WARP, number, str(block), mask, str(exchange)):
                lanes = "" if mask == EVERY_LANE else f" {mask:#x}"
                return f"warp {number} of {self._blocks[block]}{lanes}{exchange and f', {exchange}'}"
            case Sort.BARRIER, (ir.Group.TILE, number, str(block), size, _):
                return f"tile {number} of {self._blocks[block]} by {size}"
            case Sort.BARRIER, (ir.Group(value=kind), _, str(of), *_):
                return f"{kind} {self.of(of)}"
            case _, name:
                return self.of(str(name))

    @cached_property
    def _blocks(self) -> dict[str, str]:
        return {t.block_name: self.block(t) for t in self.system.everyone}

    @cached_property
    def fields(self) -> dict[str, str]:
        """The source's name for each field."""
        return {field: name for name, field in self._fields.items()}

    @cached_property
    def threads(self) -> dict[str, str]:
        """The program's name for each thread."""
        return {spelled: name for name, spelled in self._threads.items()}

    @cached_property
    def blocks(self) -> dict[str, str]:
        """The program's name for each block."""
        return {spelled: name for name, spelled in self._blocks.items()}

    @cached_property
    def strings(self) -> dict[str, str]:
        """The program's name for each grid, stream, event and cluster."""
        return {spelled: name for name, spelled in self._strings.items()}


_ON_EVENTS = (ir.EventRecord, ir.EventWait, ir.EventSynchronize, ir.EventQuery)


def _field(name: str) -> str:
    if not name.startswith("%"):
        return tla_name(identifier(name))
    stem = name.removeprefix("%")
    return f"tmp{stem}" if stem.isdigit() else f"tmp_{identifier(stem)}"


def strings(names: Iterable[str]) -> str:
    """A set of strings."""
    return "{" + ", ".join(f'"{n}"' for n in names) + "}"


def function(rows: Iterable[tuple[str, str]]) -> str:
    """A function from strings."""
    return " @@ ".join(f'"{name}" :> {value}' for name, value in rows)
