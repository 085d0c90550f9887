"""Layout of a program's values: the variables of its module, their first values, and the paths of places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.engines.tla.names import Names, function, strings
from scopec.engines.tla.terms import Terms
from scopec.engines.tla.values import Printer
from scopec.program import ir
from scopec.progress.rules import Rules, phases
from scopec.progress.slicing import touched

if TYPE_CHECKING:
    from scopec.progress.questions import Hardware
    from scopec.progress.steps import Machine, Step
    from scopec.progress.system import System


#: The objects whose state is a record, and what that is among.
_RECORDS = {
    ir.Use.BARRIER: "[phase: Int, expected: Int, pending: Int]",
    ir.Use.MBARRIER: "[phase: Int, expected: Int, pending: Int, served: 0..1, bytes: Int, copied: 0..1, late: 0..1]",
}


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a module: what it is, its first value, and conjuncts of TypeOK."""

    name: str
    comment: str
    first: str
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Access:
    """The effect of a step on memory: ``stored`` is the value that it leaves in ``place``, None if it never writes.

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
        self.terms = Terms(self.names.id)
        self.rules = Rules(system)
        self.objects = system.program.objects
        self.shared = {name for name in self.objects if system.instances_of(name) == "BlockOf"}
        self.automatic = {o.name for o in self.objects.values() if o.storage is ir.Storage.AUTOMATIC}
        self.per_device = {name for name in self.objects if system.instances_of(name) == "DeviceOf"}

    @cached_property
    def accessed(self) -> frozenset[str]:
        """The objects that some step reads or writes."""
        return frozenset[str]().union(*map(self.accessed_by, self.system.machines.values()))

    def accessed_by(self, machine: Machine) -> frozenset[str]:
        """The objects that some step of a machine reads or writes."""
        places = map(touched, machine.steps.values())
        return frozenset(place.object for place in places if place is not None)

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
        for name in sorted(self.accessed_by(self.system.machine_of(thread)) & self.automatic):
            fields[self.names.field(name)] = self._first_of(self.objects[name])
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
            kinds: dict[str, list[ir.Object]] = {"Int": [], **{kind: [] for kind in _RECORDS.values()}}
            for o in scalars:
                kind = _RECORDS.get(o.use, "Int")
                kinds[kind] = [*kinds[kind], o]
            types = tuple(
                f"\\A o \\in {strings(self.names.field(o.name) for o in objects)} : mem[o] \\in {kind}"
                for kind, objects in kinds.items()
                if objects
            )
            first = f"[{', '.join(self._first_value(o) for o in self.memory)}]"
            yield Variable("mem", "objects in memory, sequentially consistent", first, types)
        if any(self.locals_of(t) for t in self.system.everyone):
            yield Variable("reg", "registers and automatic objects of each thread", self._first_registers())
        for v in self.rules.variables:
            yield Variable(v.name, v.comment, self.terms.text(v.first), tuple(map(self.terms.text, v.types)))

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
        first = self._first_of(object_)
        if object_.name in self.shared:
            users = (t for t in self.system.threads if object_.name in self.accessed_by(self.system.machine_of(t)))
            blocks = dict.fromkeys(map(self.names.block, users))
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

    def old(self, _place: ir.Place, _step: Step, _printer: Printer) -> str:
        """The same in the path of an EXCEPT."""
        return "@"

    def effect(self, access: Access, printer: Printer) -> str:
        """The effect of a step on memory, if it has one: the conjunct for ``mem``."""
        if access.place is None or access.stored is None:
            return ""
        return f"/\\ mem' = [mem EXCEPT {self.path(access.place, printer)} = {access.stored}]"

    def begin(self) -> list[str]:
        """The effect of a device thread's start on the other variables."""
        return [line for line in [self.unchanged(set())] if line]

    def path(self, place: ir.Place, printer: Printer) -> str:
        """The path of a place in an EXCEPT of ``reg`` or ``mem``."""
        index = self._index(place, printer)
        if place.object in self.automatic:
            return f"![t].{self.names.field(place.object)}{index}"
        return f"!.{self.names.field(place.object)}{self._instance(place)}{index}"

    def _index(self, place: ir.Place, printer: Printer) -> str:
        return f"[{printer.value(place.index)}]" if self.objects[place.object].array else ""

    def _instance(self, place: ir.Place) -> str:
        instances = self.system.instances_of(place.object)
        return f"[{instances}[t]]" if instances else ""

    def first(self, object_: ir.Object, index: int) -> str:
        """The first value of an element."""
        return self.terms.text(phases.first(object_, index))

    def _first_of(self, object_: ir.Object) -> str:
        firsts = [self.first(object_, index) for index in range(len(object_.values))]
        if not object_.array:
            return firsts[0]
        if len(set(firsts)) == 1:
            return f"[i \\in 0..{len(firsts) - 1} |-> {firsts[0]}]"
        return "(" + " @@ ".join(f"{i} :> {v}" for i, v in enumerate(firsts)) + ")"
