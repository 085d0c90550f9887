"""Host memory that is registered: which accesses come after ``cudaHostRegister`` and before ``cudaHostUnregister``.

"Page-locks the memory range [...] and maps it for the device(s)"; "Unmaps the memory range [...] and makes it pageable
again" (CUDA runtime API).  An access counts as one of mapped memory where the program orders it so by launches,
completions, creations and joins; elsewhere the memory may be as the system allocated it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.events import Kind
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Event, EventGraph
    from scopec.memory.unfold.asw import Ordering


def mapped(ordering: Ordering) -> frozenset[str]:
    """The accesses to host memory that is registered when they are made."""
    out = ordering.out
    registers: dict[str, list[str]] = {}
    unregisters: dict[str, list[str]] = {}
    for call, operation in out.calls.items():
        if isinstance(operation, ir.ApiCall):
            which = registers if operation.maps else unregisters
            for name in operation.objects:
                which.setdefault(name, []).append(call)
    order = _Order(ordering)
    found = set()
    for event in out.events:
        if event.location is not None and event.kind is not Kind.INIT:
            name = event.location.object
            for register in registers.get(name, ()):
                ends = (u for u in unregisters.get(name, ()) if not order.precedes(u, register))
                if order.begins(register, event) and all(order.ends(event, end) for end in ends):
                    found.add(event.id)
    return frozenset(found)


class _Order:
    """The order that holds in every execution."""

    def __init__(self, ordering: Ordering) -> None:
        self.ordering = ordering
        self.out = ordering.out
        self.position, self.event = ordering.position, ordering.event
        self.precedes = ordering.order.precedes
        self.grid_of = {t.name: t.grid for t in self.out.program.threads}
        self.complete: dict[str, list[str]] = {}
        for call, grid, path, when in ordering.completions():
            if path.always and when is None:
                self.complete.setdefault(grid, []).append(call.id)

    def begins(self, call: str, access: Event) -> bool:
        """Whether a call is made before an access, wherever the access is."""
        if not (access.guard & ~self.event[call].guard).never:
            return False
        grid = self.grid_of[access.thread]
        start = self.out.creations.get(access.thread) if grid is None else self.out.launches[grid]
        before = (c for c in self._calls(access.thread) if self.position[c] < self.position[access.id])
        own = self.event[call].thread == access.thread and self.position[call] < self.position[access.id]
        return own or any(self.precedes(call, c) for c in (*before, *([start] if start is not None else ())))

    def ends(self, access: Event, call: str) -> bool:
        """Whether an access is made before a call, wherever both are."""
        ends = self.event[call]
        if access.guard.excludes(ends.guard):
            return True
        if ends.thread == access.thread and self.position[access.id] < self.position[call]:
            return True
        grid = self.grid_of[access.thread]
        if grid is None:
            after = [c for c in self._calls(access.thread) if self.position[c] > self.position[access.id]]
            after += [c for c, op in self.out.calls.items() if op == ir.JoinThread(access.thread)]
        else:
            after = self.complete.get(grid, [])
        return any(self.precedes(c, call) and (ends.guard & ~self.event[c].guard).never for c in after)

    def _calls(self, thread: str) -> list[str]:
        return [c for c in self.out.calls if self.event[c].thread == thread]


def unmapped(graph: EventGraph) -> Iterator[tuple[Event, str]]:
    """The accesses of device threads to memory that the system allocated and that is not registered then, by object."""
    threads = {t.name: t for t in graph.program.threads}
    for event in graph.events:
        if event.location is not None and event.thread and event.id not in graph.mapped:
            object_, thread = graph.program.objects[event.location.object], threads[event.thread]
            on_device = not thread.is_host and thread.work is ir.Work.KERNEL
            if on_device and object_.storage in ir.PAGEABLE and object_.use not in (ir.Use.PASSED, ir.Use.LIFETIME):
                yield event, object_.name
