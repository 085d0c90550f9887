"""Where the values of a program are: the variables of its module, their first values, and the paths of places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.progress.influence import accessed
from scopec.progress.steps import OWN_KINDS, touches_memory
from scopec.tla import named_barriers
from scopec.tla.barriers import Barriers
from scopec.tla.calls import Streams
from scopec.tla.names import Names, function, strings
from scopec.tla.sleeping import Sleepers
from scopec.tla.values import Printer

if TYPE_CHECKING:
    from scopec.progress.steps import Step
    from scopec.progress.system import System
    from scopec.tla.hardware import Hardware


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a module: what it is, its first value, and conjuncts of TypeOK."""

    name: str
    comment: str
    first: str
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """What a step does to memory: ``stored`` is the value that it leaves in ``place``, None where it never writes.

    ``wrote`` is whether it writes, where it may or may not.
    """

    step: Step
    place: ir.Place | None
    stored: str | None
    wrote: str | None


class Layout:
    """The variables of the module of a system.

    Objects that one thread alone has are fields of that thread's record in ``reg``, beside its registers; every other
    object is a field of ``mem``, by block where it is shared and by device where there are several.
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.names = Names(system)
        self.barriers = Barriers(system, self.names)
        self.streams = Streams(system, self.names)
        self.sleepers = Sleepers(system)
        self.objects = system.program.objects
        self.shared = {o.name for o in self.objects.values() if o.storage is ir.Storage.SHARED}
        self.automatic = {o.name for o in self.objects.values() if o.storage is ir.Storage.AUTOMATIC}
        several = any(t.device for t in system.everyone)
        self.per_device = {
            o.name
            for o in self.objects.values()
            if several and o.storage is ir.Storage.DEVICE and o.device is None  # what cudaMalloc gives is one object
        }
        #: Whether the host issues grids, in an order that is part of the state.
        self.issues = bool(system.grids) and system.model.has_host

    @cached_property
    def accessed(self) -> frozenset[str]:
        """The objects that some step reads or writes."""
        found = set()
        for step in self.system.steps.values():
            if not isinstance(step.operation, OWN_KINDS):
                place = accessed(step.operation)
                if place is not None and touches_memory(step):
                    found.add(place.object)
        return frozenset(found)

    @cached_property
    def memory(self) -> tuple[ir.Object, ...]:
        """The objects in ``mem``."""
        return tuple(o for o in self.objects.values() if o.name in self.accessed - self.automatic)

    #: The hardware that stands for memory, where it is not sequentially consistent.
    hardware: Hardware | None = None

    def maps(self) -> list[tuple[str, str]]:
        """The constants about memory."""
        return []

    def locals_of(self, thread: ir.Thread) -> dict[str, str]:
        """The fields of a thread's record in ``reg`` with their first values."""
        fields = {self.names.field(r): "0" for r in self.system.machine_of(thread).registers}
        for name in sorted(self.accessed & self.automatic):
            if name.startswith(f"{thread.grid or thread.name}."):
                fields[self.names.field(name)] = _initial(self.objects[name])
        begun = self.system.begin(thread)
        for name, value in begun.updates:
            span = thread.body.nodes[thread.body.entry].span
            fields[self.names.field(name)] = Printer(lambda leaf: leaf.name, span).value(value)
        return fields

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in the order in which they are declared."""
        return tuple(self._variables())

    def _variables(self) -> Iterator[Variable]:
        yield Variable("pc", "label of each thread", self._first_labels(), ("pc \\in [Threads -> Labels]",))
        if self.memory:
            scalars = [o for o in self.memory if not o.array and o.name not in self.shared | self.per_device]
            names = strings(self.names.field(o.name) for o in scalars)
            types = (f"\\A o \\in {names} : mem[o] \\in Int",) if scalars else ()
            first = f"[{', '.join(self._first_value(o) for o in self.memory)}]"
            yield Variable("mem", "objects in memory, sequentially consistent", first, types)
        if any(self.locals_of(t) for t in self.system.everyone):
            yield Variable("reg", "registers and automatic objects of each thread", self._first_registers())
        if self.issues:
            types = (f"\\A i \\in DOMAIN issued : issued[i] \\in {strings(map(self.names.of, self.system.grids))}",)
            yield Variable("issued", "grids in the order in which the host launched them", "<<>>", types)
        if self.streams.events:
            grids = strings(map(self.names.of, self.system.grids))
            streams, events = strings(self.streams.streams), strings(map(self.names.of, self.streams.events))
            yield Variable("after", "grids that a grid comes after", f"[g \\in {grids} |-> {{}}]")
            yield Variable("fence", "grids that later work of a stream comes after", f"[s \\in {streams} |-> {{}}]")
            yield Variable("event", "grids that an event stands for", f"[e \\in {events} |-> {{}}]")
        if self.system.snapshots:
            yield Variable("awaited", "grids that a pending call waits for", "[h \\in HostThreads |-> {}]")
        if self.barriers.collective:
            types = ("\\A b \\in DOMAIN Joins : arrived[b] \\subseteq Joins[b]",)
            yield Variable("arrived", "threads that wait at each barrier", "[b \\in DOMAIN Joins |-> {}]", types)
        if self.barriers.votes:
            yield Variable("ballot", "votes at barriers, then their outcome", "[t \\in DeviceThreads |-> 0]")
        if named_barriers.is_used(self.system):
            yield Variable("tokens", "arrivals at named barriers: thread, barrier, phase", "{}")

    def _first_labels(self) -> str:
        running = [t for t in self.system.hosts if t.name not in self.system.created]
        hosts = function((self.names.thread(t), f'"{self.system.begin(t).label}"') for t in running)
        if not hosts:
            return '[t \\in Threads |-> "idle"]'
        if len(running) == len(self.system.everyone):
            return hosts
        return f'{hosts} @@ [t \\in Threads |-> "idle"]'

    def _first_registers(self) -> str:
        rows = []
        for thread in self.system.everyone:
            record = ", ".join(f"{n} |-> {v}" for n, v in self.locals_of(thread).items())
            rows.append((self.names.thread(thread), f"[{record}]" if record else "<<>>"))
        return function(rows)

    def unchanged(self, changed: set[str]) -> str:
        """The conjunct that says which variables stay as they are, beside ``pc`` and those that change."""
        rest = [v.name for v in self.variables if v.name not in changed and v.name != "pc"]
        if not rest:
            return ""
        return f"/\\ UNCHANGED {rest[0]}" if len(rest) == 1 else f"/\\ UNCHANGED <<{', '.join(rest)}>>"

    def _first_value(self, object_: ir.Object) -> str:
        first = _initial(object_)
        if object_.name in self.shared:
            blocks = dict.fromkeys(
                self.names.block(t) for t in self.system.threads if object_.name.startswith(f"{t.grid}.")
            )
            first = f"[b \\in {strings(blocks)} |-> {first}]"
        if object_.name in self.per_device:
            devices = ", ".join(str(d) for d in sorted({t.device for t in self.system.everyone}))
            first = f"[d \\in {{{devices}}} |-> {first}]"
        return f"{self.names.field(object_.name)} |-> {first}"

    # ---- places

    def read(self, place: ir.Place, _step: Step, printer: Printer) -> str:
        """The value that a step finds in a place."""
        index = self._index(place, printer)
        if place.object in self.automatic:
            return f"reg[t].{self.names.field(place.object)}{index}"
        return f"mem.{self.names.field(place.object)}{self._instance(place)}{index}"

    def effect(self, access: Access, printer: Printer) -> str:
        """What a step does to memory, where it does anything: the conjunct for ``mem``."""
        if access.place is None or access.stored is None:
            return ""
        return f"/\\ mem' = [mem EXCEPT {self.path(access.place, printer)} = {access.stored}]"

    def begin(self) -> list[str]:
        """What it does to the other variables that a device thread starts."""
        return [line for line in [self.unchanged(set())] if line]

    def path(self, place: ir.Place, printer: Printer) -> str:
        """The path of a place in an EXCEPT of ``reg`` or ``mem``."""
        index = self._index(place, printer)
        if place.object in self.automatic:
            return f"![t].{self.names.field(place.object)}{index}"
        return f"!.{self.names.field(place.object)}{self._instance(place)}{index}"

    def _index(self, place: ir.Place, printer: Printer) -> str:
        return f"[{printer.value(place.index)}]" if self.objects[place.object].array else ""

    def instance_map(self, place: ir.Place) -> str:
        """The map that gives the instance of an object that a thread accesses; empty where there is only one."""
        if place.object in self.shared:
            return "BlockOf"
        return "DeviceOf" if place.object in self.per_device else ""

    def _instance(self, place: ir.Place) -> str:
        instances = self.instance_map(place)
        return f"[{instances}[t]]" if instances else ""


def _initial(object_: ir.Object) -> str:
    numbers = [str(v if v is not None else 0) for v in object_.values]
    if not object_.array:
        return numbers[0]
    if len(set(numbers)) == 1:
        return f"[i \\in 0..{len(numbers) - 1} |-> {numbers[0]}]"
    return "(" + " @@ ".join(f"{i} :> {v}" for i, v in enumerate(numbers)) + ")"
