"""The example hardware of HRF0 in place of the sequentially consistent memory (HRF0 paper, section 4).

Its operators are ``templates/tla/hrf0.tla.j2``; this module says which of them each operation of a program is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.engines.tla.layout import Layout, Variable
from scopec.engines.tla.names import function, strings
from scopec.engines.tla.reachable_accesses import Accesses, ahead
from scopec.program import ir
from scopec.program.collective import scope_of
from scopec.program.effects import effects
from scopec.program.observe import FinalRegister, Location, instance
from scopec.progress.slicing import accessed
from scopec.progress.steps import IDLE, OWN_KINDS, Again, Asleep, Pending, Return, Tick, Undefined, Visible, Wait

if TYPE_CHECKING:
    from scopec.engines.tla.layout import Access
    from scopec.engines.tla.names import Names
    from scopec.engines.tla.values import Printer
    from scopec.program.observe import Observation
    from scopec.progress.questions import Hardware
    from scopec.progress.steps import Step
    from scopec.progress.system import System


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """A label whose step is an acquire, a release or both, at a level; ``place`` is what it reads or writes, if any."""

    label: str
    level: str
    order: str
    place: ir.Place | None


class HardwareLayout(Layout):
    """The variables of a system whose memory is the example hardware.

    A location is a tuple of an object, an element, and the instance where there are several.
    """

    def __init__(self, system: System, hardware: Hardware, observed: Mapping[str, frozenset[str]]) -> None:
        super().__init__(system)
        self.hardware: Hardware = hardware
        self.observed = observed

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        """The variables in the order in which they are declared; ``mem`` is the whole hardware."""
        return tuple(self._hardware() if v.name == "mem" else v for v in self._variables())

    def _hardware(self) -> Variable:
        empty = "[l \\in Locations |-> Empty]"
        initial = " @@ ".join(f"{location} :> {value}" for location, value in self._initial())
        first = (
            f"[global |-> {initial}, cache |-> [g \\in Groups |-> {empty}], "
            f'buffer |-> [t \\in Threads |-> {empty}], late |-> [t \\in Threads |-> "thread"]]'
        )
        return Variable("mem", "write buffers, the caches of groups, global memory", first)

    def _initial(self) -> Iterator[tuple[str, str]]:
        for location in self.locations:
            yield self.location_name(location), self.first(self.objects[location.object], location.index)

    @cached_property
    def instances(self) -> dict[str, str]:
        """The name in the module of each instance that a location may name."""
        found: dict[str, str] = {}
        for object_ in self.memory:
            for thread in self.system.everyone:
                name = instance(object_, thread)
                if object_.name in self.shared:
                    found[name] = f'"{self.names.block(thread)}"'
                elif object_.name in self.per_device:
                    found[name] = str(thread.device)
        return found

    @cached_property
    def locations(self) -> tuple[Location, ...]:
        """Every location in memory."""
        found: dict[Location, None] = {}
        for object_ in self.memory:
            for thread in self.system.everyone:
                if object_.name in self.shared - self.accessed_by(self.system.machine_of(thread)):
                    continue
                for index in range(len(object_.values)):
                    found[Location(object_.name, index, instance(object_, thread))] = None
        return tuple(found)

    def location_name(self, location: Location) -> str:
        """A location in TLA+."""
        where = f", {self.instances[location.instance]}" if self.has_instances(location.object) else ""
        return f'<<"{self.names.field(location.object)}", {location.index}{where}>>'

    def final(self, what: Observation) -> str:
        """The value of an observation in a final state, in which everything has been written back."""
        threads = {t.name: t for t in self.system.everyone}
        if isinstance(what, FinalRegister):
            return f'reg["{self.names.thread(threads[what.thread])}"].{self.names.field(what.register)}'
        location = what.location
        if location.object in self.automatic:
            owner = self.names.thread(threads[location.instance])
            element = f"[{location.index}]" if self.objects[location.object].array else ""
            return f'reg["{owner}"].{self.names.field(location.object)}{element}'
        return f"mem.global[{self.location_name(location)}]"

    def locals_of(self, thread: ir.Thread) -> dict[str, str]:
        """The fields of a thread's record; registers that are observed at the end have no value at first."""
        fields = super().locals_of(thread)
        observed = self.observed.get(thread.grid or thread.name, frozenset())
        begun = dict(self.system.begin(thread).updates)
        return {**fields, **{self.names.field(r): "NoValue" for r in observed if r not in begun}}

    def has_instances(self, name: str) -> bool:
        """Whether an object has several instances."""
        return name in self.shared or name in self.per_device

    def place(self, place: ir.Place, printer: Printer) -> str:
        """The location that a thread accesses."""
        instances = self.system.instances_of(place.object)
        where = f", {instances}[t]" if instances else ""
        return f'<<"{self.names.field(place.object)}", {printer.value(place.index)}{where}>>'

    def maps(self) -> list[tuple[str, str]]:
        """The constants of the hardware: its locations, the group of each thread, what a thread may still access."""
        everyone = self.system.everyone
        groups = ((self.names.thread(t), f'"{group(t, self.names)}"') for t in everyone)
        locations = "{" + ", ".join(map(self.location_name, self.locations)) + "}"
        reads = function((self.names.thread(t), self._ahead(t, _cached)) for t in everyone)
        writes = function((self.names.thread(t), self._ahead(t, self._written, idle=True)) for t in everyone)
        return [("GroupOf", function(groups)), ("Locations", locations), ("Reads", reads), ("Writes", writes)]

    def _ahead(self, thread: ir.Thread, accesses: Accesses, *, idle: bool = False) -> str:
        """The accesses that a thread may still make, by label; labels without any are left out.

        What the cache of its group holds while a thread is idle is no matter to it: it starts with an acquire.
        """
        found = ahead(self.system, thread, self.locations, accesses)
        if idle:
            found[IDLE] = found.get(self.system.begin(thread).label, frozenset())
        labels: dict[frozenset[Location], list[str]] = {}
        for label, locations in found.items():
            labels.setdefault(locations, []).append(label)
        rows = []
        for locations, same in labels.items():
            names = ", ".join(self.location_name(at) for at in self.locations if at in locations)
            if names:
                rows.append(f"[l \\in {strings(same)} |-> {{{names}}}]")
        return f"({' @@ '.join(rows)})" if rows else "<<>>"

    def _written(self, operation: Visible) -> ir.Place | None:
        """The values that an operation may write; of an mbarrier a test marks that it has been true."""
        place = None if isinstance(operation, (ir.Load, *OWN_KINDS)) else accessed(operation)
        if place is None or not isinstance(operation, ir.BarrierTest):
            return place
        return place if self.objects[place.object].use is ir.Use.MBARRIER else None

    # ---- what operations do

    def read(self, place: ir.Place, step: Step, printer: Printer) -> str:
        """The value that a step finds in a place."""
        if place.object in self.automatic:
            return super().read(place, step, printer)
        return f'Value(t, {self.place(place, printer)}, "{level(step.operation)}")'

    def old(self, place: ir.Place, step: Step, printer: Printer) -> str:
        """The same for an update."""
        return self.read(place, step, printer)

    def effect(self, access: Access, printer: Printer) -> str:
        """The effect of a step on the hardware."""
        after = self._other_effect(access.step.operation) if access.place is None else self._access(access, printer)
        if not after:
            return ""
        ready = "/\\ Ready(t) " if self.hardware.early_acquire else ""
        return f"{ready}/\\ mem' = {after}"

    def _other_effect(self, operation: Visible) -> str:
        match operation:
            case ir.CreateThread(child) | ir.JoinThread(child):
                name = self.names.thread(next(t for t in self.system.hosts if t.name == child))
                first, then = ("t", f'"{name}"') if isinstance(operation, ir.CreateThread) else (f'"{name}"', "t")
                released = f'Synchronize(mem, {first}, "global", "release")'
                return f'Synchronize({released}, {then}, "global", "acquire")'
            case _:
                order = order_of(operation)
                return f'Synchronize(mem, t, "{level(operation)}", "{order}")' if order else ""

    def _access(self, access: Access, printer: Printer) -> str:
        assert access.place is not None
        operation, stored = access.step.operation, access.stored
        where = self.place(access.place, printer)
        at = f'"{level(operation)}", "{order_of(operation)}"'
        load, update = f"Load(t, {where}, {at})", f"Update(t, {where}, {stored}, {at})"
        match operation:
            case _ if self.objects[access.place.object].use is ir.Use.MBARRIER:
                return load if stored is None else f"IF {access.wrote} THEN {update} ELSE {load}"
            case ir.Store() | ir.BarrierInit():
                return f"Store(t, {where}, {stored}, {at})"
            case ir.Rmw() | ir.BarrierArrive() | ir.BarrierExpect():
                return update
            case ir.Load() | ir.BarrierWait() | ir.BarrierTest():
                return load
            case ir.CompareExchange() | ir.Await():
                return load if stored is None else f"IF {access.wrote} THEN {update} ELSE {load}"
            case _:
                raise AssertionError(operation)

    def begin(self) -> list[str]:
        """A device thread that starts acquires what the launch released."""
        if not self.system.grids:
            return super().begin()
        line = '/\\ mem\' = Synchronize(mem, t, "global", "acquire")'
        return [line, *(x for x in [self.unchanged({"mem"})] if x)]

    def synchronisations(self) -> Iterator[Synchronisation]:
        """The steps that the invariants are about."""
        for step in self.system.steps.values():
            order = order_of(step.operation)
            if order in ("acquire", "release", "acq_rel"):
                place = accessed(step.operation)
                if place is None or place.object not in self.automatic:
                    yield Synchronisation(step.label, level(step.operation), order, place)


def _cached(operation: Visible) -> ir.Place | None:
    """The value that an operation may find in its group's cache: a global atomic operation reads global memory."""
    if isinstance(operation, (ir.Store, *OWN_KINDS)) or level(operation) == "global":
        return None
    writes = isinstance(operation, ir.BarrierInit) and not operation.fault
    return None if writes else accessed(operation)


def group(thread: ir.Thread, names: Names) -> str:
    """The group of a thread: its block; a host thread is one by itself."""
    return names.thread(thread) if thread.is_host else names.block(thread)


def level(operation: Visible) -> str:
    """The memory that an operation reads, writes or synchronizes at: its thread's, its group's, or the global one."""
    match operation:
        case _ if isinstance(operation, ir.Access | ir.BarrierOperation):
            return _LEVELS[operation.mode.scope] if operation.mode.atomic else "thread"
        case ir.Fence(_, scope):
            return _LEVELS[scope]
        case ir.NamedBarrier() | Wait(ir.NamedBarrier()):
            return "group"
        case ir.SyncThreads() | ir.GroupSync() as barrier:
            return _LEVELS[scope_of(barrier)]
        case Wait(ir.SyncThreads() | ir.GroupSync() as barrier):
            return _LEVELS[scope_of(barrier)]
        case _:  # what orders beyond a group, if it orders anything
            return "global"


_LEVELS = {
    ir.Scope.THREAD: "thread",
    ir.Scope.BLOCK: "group",
    ir.Scope.CLUSTER: "global",
    ir.Scope.DEVICE: "global",
    ir.Scope.SYSTEM: "global",
}


def order_of(operation: Visible) -> str:
    """``acquire``, ``release``, ``acq_rel``; ``relaxed`` or ``data`` for an access that is neither; or empty.

    The paper has no read-modify-write operations.  HRF0 orders a release after an earlier release of its scope too, and
    only an operation that reads can notice: so each is an acquire and a release at its scope, whatever its order.
    """
    match operation:
        case Wait(ir.GroupSync(exchange=ir.Exchange())):
            return ""
        case Wait() | Pending() | Return(ready=True):
            return "acquire"
        case Tick() | Return() | Asleep() | Undefined() | Again():
            return ""
        case _:
            done = effects(operation)
            if not isinstance(operation, ir.Access | ir.BarrierOperation):
                return "" if done.order is None else _of(done.order)
            if done.reads and done.writes:
                return "acq_rel"
            order = operation.mode.order
            if order is None:
                return "data"
            if done.reads:
                return "acquire" if order.acquires else "relaxed"
            return "release" if order.releases else "relaxed"


def _of(order: ir.Order) -> str:
    if order.acquires and order.releases:
        return "acq_rel"
    return "acquire" if order.acquires else "release" if order.releases else "relaxed"
