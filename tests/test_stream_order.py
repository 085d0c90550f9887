"""The order of streams when several host threads use them, against a simulation of the calls in every order.

The simulation is written from the CUDA C++ programming guide: a stream executes what is issued to it in order, whoever
issues it; the legacy default stream waits for the blocking streams and they for it; an event stands for what its stream had
when it was recorded last.  Where that leaves it open, it is as an H200 does it: a blocking stream waits for the legacy one
when it gets work or a record, and neither by a wait for an event nor because somebody waits for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import pytest

from scopec.memory.events.events import EventGraph, Kind
from scopec.memory.graph import build
from scopec.program.values import evaluate
from tests.conftest import program_of
from tests.samples import programs

_PROGRAMS = programs(15, 40)
_STREAMS = {"0": "legacy", "s": "blocking", "t": "blocking", "n": "non-blocking"}

_TEXT = """
__managed__ int x[9];
__global__ void k(int i) { x[i] = 1; }
__global__ void idle() {}
int main() {
    cudaStream_t s, t, n;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaEvent_t e, f;
    cudaEventCreate(&e);
    cudaEventCreate(&f);
    std::thread other([&] { OTHER });
    MAIN
    other.join();
    cudaDeviceSynchronize();
}
"""

Call = tuple[str, ...]


def script(chance: random.Random, length: int, grids: Iterator[int]) -> list[Call]:
    """Calls of one thread; a launch has the number of its grid."""
    calls: list[Call] = []
    for _ in range(length):
        stream, event = chance.choice(list(_STREAMS)), chance.choice("ef")
        kind = chance.choice(["launch", "launch", "idle", "record", "wait", "stream", "event", "device"])
        match kind:
            case "launch":
                calls.append((kind, stream, str(next(grids))))
            case "record" | "wait":
                calls.append((kind, stream, event))
            case _:
                calls.append((kind, event if kind == "event" else stream))
    return calls


def written(call: Call) -> str:
    match call:
        case ("launch", stream, grid):
            return f"k<<<1, 1, 0, {stream}>>>({grid});"
        case ("idle", stream):
            return f"idle<<<1, 1, 0, {stream}>>>();"
        case ("record", stream, event):
            return f"cudaEventRecord({event}, {stream});"
        case ("wait", stream, event):
            return f"cudaStreamWaitEvent({stream}, {event}, 0);"
        case ("stream", stream):
            return f"cudaStreamSynchronize({stream});"
        case ("event", event):
            return f"cudaEventSynchronize({event});"
        case _:
            return "cudaDeviceSynchronize();"


@dataclass
class Machine:
    """Streams, events and what each thread knows to be complete, as sets of grids; what each grid comes after."""

    streams: dict[str, set[str]] = field(default_factory=lambda: {s: set() for s in _STREAMS})
    events: dict[str, set[str]] = field(default_factory=lambda: {"e": set(), "f": set()})
    recorded: dict[str, str] = field(default_factory=dict)
    known: dict[str, set[str]] = field(default_factory=lambda: {"main": set(), "other": set()})
    after: dict[str, set[str]] = field(default_factory=dict)

    def before(self, stream: str, thread: str) -> set[str]:
        """What work that a thread issues to a stream now comes after."""
        mine = {_STREAMS[stream]}
        found = self.streams[stream] | self.known[thread]
        for other, work in self.streams.items():
            if "non-blocking" not in mine | {_STREAMS[other]} and "legacy" in mine | {_STREAMS[other]}:
                found |= work
        return found

    def take(self, thread: str, call: Call) -> None:
        match call:
            case ("launch", stream, grid):
                self.after[grid] = self.before(stream, thread)
                self.streams[stream] |= {grid, *self.after[grid]}
            case ("idle", stream):  # nobody notices it, but what it comes after is complete when it is
                self.streams[stream] |= self.before(stream, thread)
            case ("record", stream, event):
                self.events[event] = self.before(stream, thread)
                self.streams[stream] |= self.events[event]
                self.recorded[event] = stream
            case ("wait", stream, event):
                others = stream == "0" and self.recorded.get(event, "0") != "0"
                before = self.before(stream, thread) if others else self.known[thread]
                self.streams[stream] |= before | self.events[event]
            case ("stream", stream):
                self.known[thread] |= self.streams[stream]
            case ("event", event):
                self.known[thread] |= self.events[event]
            case _:
                self.known[thread] |= set(self.after)

    def order(self) -> set[tuple[str, str]]:
        """The pairs of grids that are ordered."""
        found = {(earlier, grid) for grid, work in self.after.items() for earlier in work}
        while more := {(a, d) for a, b in found for c, d in found if b == c} - found:
            found |= more
        return found


def ordered_by(graph: EventGraph, position: dict[str, int]) -> set[tuple[str, str]]:
    """The pairs of grids that the edges of a graph order where calls are made at these positions."""

    def chosen(leaf: object) -> int:
        first, _, second = leaf.name.partition("?before_")  # type: ignore[attr-defined]
        return int(position[first] < position[second])

    edges: dict[str, set[str]] = {e.id: set() for e in graph.events}
    for a, b in combinations(graph.events, 2):
        if a.thread and a.thread == b.thread:
            edges[a.id].add(b.id)
    for edge in graph.asw:
        if edge.when is None or evaluate(edge.when, chosen):
            for a_id in edge.before:
                edges[a_id] |= set(edge.after)
    for middle in edges:
        for after in edges.values():
            if middle in after:
                after |= edges[middle]
    grid = {e.id: str(e.location.index) for e in graph.events if e.kind is Kind.WRITE and e.location is not None}
    return {(grid[a], grid[b]) for a in grid for b in grid if b in edges[a]}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_grids_are_ordered_as_in_a_simulation_of_every_order_of_the_calls(seed: int) -> None:
    chance = random.Random(seed)
    grids = iter(range(9))
    scripts = {
        "main": script(chance, chance.randint(1, 4), grids),
        "other": script(chance, chance.randint(1, 3), grids),
    }
    text = _TEXT.replace("MAIN", " ".join(map(written, scripts["main"])))
    graph = build(program_of(text.replace("OTHER", " ".join(map(written, scripts["other"])))), 1)
    calls = {t: [e.id for e in graph.events if e.thread == t and e.kind is Kind.CALL] for t in scripts}
    creation, *made = calls["main"]
    pairs = {
        thread: list(zip(events, scripts[thread], strict=False)) for thread, events in {**calls, "main": made}.items()
    }
    whole = len(scripts["main"]) + len(scripts["other"])
    for places in combinations(range(whole), len(scripts["other"])):
        machine, position = Machine(), {creation: -1}
        left = {t: iter(p) for t, p in pairs.items()}
        for number in range(whole):
            thread = "other" if number in places else "main"
            event, call = next(left[thread])
            machine.take(thread, call)
            position[event] = number
        for number, last in enumerate(made[len(scripts["main"]) :]):  # the join, and what comes after it
            position[last] = whole + number
        assert ordered_by(graph, position) == machine.order(), places
