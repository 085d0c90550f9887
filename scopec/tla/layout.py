"""Where the values of a program are: the variables of its module, their first values, and the paths of places."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.memory.events import identifier
from scopec.program import ir
from scopec.progress.influence import accessed
from scopec.progress.steps import Again, Return, Tick, Wait, touches_memory
from scopec.tla.names import block_name, field_name, function, object_name, strings, thread_name
from scopec.tla.values import Printer

if TYPE_CHECKING:
    from scopec.progress.system import System


class Layout:
    """The variables of the module of a system.

    Objects that one thread alone has are fields of that thread's record in ``reg``, beside its registers; every other
    object is a field of ``mem``, by block where it is shared and by device where there are several.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.objects = system.program.objects
        self.shared = {o.name for o in self.objects.values() if o.storage is ir.Storage.SHARED}
        self.automatic = {o.name for o in self.objects.values() if o.storage is ir.Storage.AUTOMATIC}
        several = any(t.device for t in system.threads)
        self.per_device = {o.name for o in self.objects.values() if several and o.storage is ir.Storage.DEVICE}
        self.barriers = any(isinstance(s.operation, Wait) for s in system.steps.values())
        #: Whether the host issues grids, in an order that is part of the state.
        self.issues = bool(system.grids) and system.model.has_host

    @cached_property
    def accessed(self) -> frozenset[str]:
        """The objects that some step reads or writes."""
        found = set()
        for step in self.system.steps.values():
            if not isinstance(step.operation, (Tick, Return, Wait, Again)):
                place = accessed(step.operation)
                if place is not None and touches_memory(step.tree):
                    found.add(place.object)
        return frozenset(found)

    @cached_property
    def memory(self) -> tuple[ir.Object, ...]:
        """The objects in ``mem``."""
        return tuple(o for o in self.objects.values() if o.name in self.accessed - self.automatic)

    def locals_of(self, thread: ir.Thread) -> dict[str, str]:
        """The fields of a thread's record in ``reg`` with their first values."""
        fields = {field_name(r): "0" for r in self.system.machine_of(thread).registers}
        for name in sorted(self.accessed & self.automatic):
            if name.startswith(f"{thread.grid or thread.name}."):
                fields[field_name(name)] = _initial(self.objects[name])
        begun = self.system.begin(thread)
        for name, value in begun.updates:
            span = thread.body.nodes[thread.body.entry].span
            fields[field_name(name)] = Printer(lambda leaf: leaf.name, span).value(value)
        return fields

    @cached_property
    def registers(self) -> dict[str, str]:
        """The source's name for each field of ``reg``."""
        names = {r for t in self.system.everyone for r in self.system.machine_of(t).registers}
        return {field_name(name): name for name in names | self.automatic}

    @cached_property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """The variables in the order in which they are declared, each with what it is."""
        rows = [("pc", "label of each thread")]
        if self.memory:
            rows.append(("mem", "objects in memory, sequentially consistent"))
        if any(self.locals_of(t) for t in self.system.everyone):
            rows.append(("reg", "registers and automatic objects of each thread"))
        if self.issues:
            rows.append(("issued", "grids in the order in which the host launched them"))
        if self.barriers:
            rows.append(("arrived", "threads of each block that wait at __syncthreads"))
        return tuple(rows)

    def unchanged(self, changed: set[str]) -> str:
        """The conjunct that says which variables stay as they are, beside ``pc`` and those that change."""
        rest = [name for name, _ in self.variables if name not in changed and name != "pc"]
        if not rest:
            return ""
        return f"/\\ UNCHANGED {rest[0]}" if len(rest) == 1 else f"/\\ UNCHANGED <<{', '.join(rest)}>>"

    def first_values(self) -> list[str]:
        """One conjunct of Init for each variable but ``pc``."""
        names = {name for name, _ in self.variables}
        lines = []
        if "mem" in names:
            lines.append(f"mem = [{', '.join(self._first_value(o) for o in self.memory)}]")
        if "reg" in names:
            rows = []
            for thread in self.system.everyone:
                record = ", ".join(f"{n} |-> {v}" for n, v in self.locals_of(thread).items())
                rows.append((thread_name(thread), f"[{record}]" if record else "<<>>"))
            lines.append(f"reg = {function(rows)}")
        if "issued" in names:
            lines.append("issued = <<>>")
        if "arrived" in names:
            lines.append("arrived = [b \\in Blocks |-> {}]")
        return lines

    def _first_value(self, object_: ir.Object) -> str:
        first = _initial(object_)
        if object_.name in self.shared:
            blocks = dict.fromkeys(block_name(t) for t in self.system.threads if object_.name.startswith(f"{t.grid}."))
            first = f"[b \\in {strings(blocks)} |-> {first}]"
        if object_.name in self.per_device:
            devices = ", ".join(str(d) for d in sorted({t.device for t in self.system.threads}))
            first = f"[d \\in {{{devices}}} |-> {first}]"
        return f"{object_name(object_.name)} |-> {first}"

    def types(self) -> list[str]:
        """Conjuncts of TypeOK for the variables but ``pc``."""
        lines = []
        scalars = [o for o in self.memory if not o.array and o.name not in self.shared | self.per_device]
        if scalars:
            names = ", ".join(f'"{object_name(o.name)}"' for o in scalars)
            lines.append(f"\\A o \\in {{{names}}} : mem[o] \\in Int")
        if self.issues:
            lines.append(f"\\A i \\in DOMAIN issued : issued[i] \\in {strings(map(identifier, self.system.grids))}")
        if self.barriers:
            lines.append("\\A b \\in Blocks : arrived[b] \\subseteq ThreadsOf(b)")
        return lines

    # ---- places

    def read(self, place: ir.Place, printer: Printer) -> str:
        """The value of a place."""
        index = self._index(place, printer)
        if place.object in self.automatic:
            return f"reg[t].{field_name(place.object)}{index}"
        return f"mem.{object_name(place.object)}{self._instance(place)}{index}"

    def path(self, place: ir.Place, printer: Printer) -> str:
        """The path of a place in an EXCEPT of ``reg`` or ``mem``."""
        index = self._index(place, printer)
        if place.object in self.automatic:
            return f"![t].{field_name(place.object)}{index}"
        return f"!.{object_name(place.object)}{self._instance(place)}{index}"

    def _index(self, place: ir.Place, printer: Printer) -> str:
        return f"[{printer.value(place.index)}]" if self.objects[place.object].array else ""

    def _instance(self, place: ir.Place) -> str:
        if place.object in self.shared:
            return "[BlockOf[t]]"
        return "[DeviceOf[t]]" if place.object in self.per_device else ""


def _initial(object_: ir.Object) -> str:
    numbers = [str(v if v is not None else 0) for v in object_.values]
    if not object_.array:
        return numbers[0]
    if len(set(numbers)) == 1:
        return f"[i \\in 0..{len(numbers) - 1} |-> {numbers[0]}]"
    return "(" + " @@ ".join(f"{i} :> {v}" for i, v in enumerate(numbers)) + ")"
