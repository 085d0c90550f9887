"""Additional synchronises-with: what launches, completion, stream order and barriers order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events import Event, Kind, Synchronises
from scopec.program import types, values
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.symbolic import Collected
    from scopec.program import ir


def waits_for(later: ir.Stream, earlier: ir.Stream) -> bool:
    """Whether work issued to ``later`` starts only after work issued before to ``earlier``.

    Within a stream always; the legacy default stream and blocking streams of a device wait for each other (reading 8 of
    the progress note, from CUDA's programming guide); non-blocking streams wait for no other.
    """
    if later.name == earlier.name:
        return True
    if later.device != earlier.device:
        return False
    return "legacy" in (later.kind, earlier.kind) and "non-blocking" not in (later.kind, earlier.kind)


class Ordering:
    """What orders the threads whose events were collected."""

    def __init__(self, out: Collected) -> None:
        self.out = out
        self.program = out.program
        self.position = {event.id: i for i, event in enumerate(out.events)}
        grid_of = {thread.name: thread.grid for thread in out.program.threads}
        self.block_of = {thread.name: thread.block_name for thread in out.program.threads}
        self.inside: dict[str, tuple[str, ...]] = {
            grid: tuple(e.id for e in out.events if grid_of.get(e.thread) == grid) for grid in out.launches
        }

    def synchronises(self) -> Iterator[Synchronises]:
        """The pairs that are ordered beyond what atomics and fences order."""
        initial = tuple(e.id for e in self.out.events if e.kind is Kind.INIT)
        rest = tuple(e.id for e in self.out.events if e.kind is not Kind.INIT)
        if initial and rest:
            yield Synchronises(initial, rest, "initial values")
        for grid, launch in self.out.launches.items():
            if self.inside[grid]:
                yield Synchronises((launch,), self.inside[grid], f"launch of {grid}")
        for first, second in self.stream_order():
            if self.inside[first] and self.inside[second]:
                yield Synchronises(self.inside[first], self.inside[second], f"{second} after {first} in stream order")
        for call, grid, when in self.completions():
            if self.inside[grid]:
                yield Synchronises(self.inside[grid], (call.id,), f"completion of {grid}", when)
        for arrival, wait, when in self.phases():
            yield Synchronises((arrival.id,), (wait.id,), f"__syncthreads of {self.block_of[wait.thread]}", when)

    def stream_order(self) -> Iterator[tuple[str, str]]:
        """Pairs of grids of which the first completes before the second starts."""
        grids = list(self.out.launches)
        for i, second in enumerate(grids):
            for first in grids[:i]:
                if waits_for(self.program.grids[second].stream, self.program.grids[first].stream):
                    yield first, second

    def completions(self) -> Iterator[tuple[Event, str, Value | None]]:
        """Calls that return after the completion of a grid: the call, the grid, and with which result (None: any).

        A query reports on its own stream alone ("all operations in stream have completed"), the legacy one included.
        """
        for call in self.out.events:
            if call.kind is not Kind.CALL or call.id in self.out.launches.values():
                continue
            for grid, launch in self.out.launches.items():
                if self.position[launch] > self.position[call.id]:
                    continue
                if call.id in self.out.synchronised:
                    if self.out.synchronised[call.id] == self.program.grids[grid].device:
                        yield call, grid, None
                elif self.out.queries[call.id] == self.program.grids[grid].stream.name:
                    result = Reg(f"{call.id}?result", types.INT)
                    yield call, grid, values.binary("==", result, Const(0, types.INT))

    def phases(self) -> Iterator[tuple[Event, Event, Value | None]]:
        """Arrivals and waits of different threads of a block, with the condition that they are in one phase."""
        arrivals = [e for e in self.out.events if e.kind is Kind.ARRIVE]
        waits = [e for e in self.out.events if e.kind is Kind.WAIT]
        for arrival in arrivals:
            for wait in waits:
                if arrival.thread == wait.thread or self.block_of[arrival.thread] != self.block_of[wait.thread]:
                    continue
                same = values.binary("==", self.out.phases[arrival.id], self.out.phases[wait.id])
                if same != values.FALSE:
                    yield arrival, wait, None if isinstance(same, Const) else same
