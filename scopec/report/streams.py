"""Streams as lanes: what the host gives to each, events, waits, and racing accesses in the lanes of their work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.base.records import dataclass
from scopec.explain.queues import queues_of
from scopec.explain.reasons import race_of
from scopec.explain.streams import early_work, stream_name, work_kind
from scopec.memory.execution import Execution
from scopec.program import ir
from scopec.program.show import shown_call
from scopec.program.transfers import staged_copy
from scopec.report.lanes import Row, event_parts, lanes, line
from scopec.report.picture import Box, Edge, Lane, Picture, following

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Span
    from scopec.explain.queues import Call, Item, Queues
    from scopec.explain.verdict import Check, Trace
    from scopec.memory.events.events import Event
    from scopec.program.program import Program

#: More boxes than these are no help.
_MOST = 120
#: The lane of what copies read of pageable memory before their streams come to them.
_STAGING = Lane("pageable memory, read at once")


def stream_picture(program: Program, check: Check, title: str) -> Picture | None:
    """Streams as lanes, as far as a check's trace goes; None without streams, and of a race that is within one grid."""
    trace = check.trace
    if trace is None or not _has_streams(program):
        return None
    marked = race_of(check) or ()
    works = [_work(program, event) for event in marked]
    if works and (works == [None, None] or works[0] is works[-1]):
        return None  # the race is within one grid, or of host threads alone
    queues = queues_of(program, trace)
    if queues is None:
        return None
    drawn = _Drawing(program, queues, trace, marked).picture(clean(title))
    return drawn if len(drawn.boxes) <= _MOST else None


def _has_streams(program: Program) -> bool:
    """Whether a program does more with streams than launch kernels in the legacy one and wait for the device."""
    if any(g.stream.kind != "legacy" or g.work is not ir.Work.KERNEL for g in program.grids.values()):
        return True
    operations = (n.operation for t in program.threads for n in t.body.nodes.values() if isinstance(n, ir.Do))
    return any(
        isinstance(one, ir.EventRecord | ir.EventWait | ir.StreamSynchronize | ir.LaunchSynchronize)
        for one in operations
    )


def _work(program: Program, event: Event) -> ir.Grid | None:
    grid = next((thread.grid for thread in program.threads if thread.name == event.thread), None)
    return None if grid is None else program.grids[grid]


@dataclass
class _Drawing:
    """Boxes and edges of queues, from the first call of the host to the last."""

    program: Program
    queues: Queues
    trace: Trace
    marked: Sequence[Event]

    def __post_init__(self) -> None:
        self.main = self.program.source.name
        self.lanes: list[Lane] = []
        self.boxes: list[Box] = []
        self.edges: list[Edge] = []
        self.bottom: dict[Lane, int] = {}
        self.ends: dict[int, str] = {}  # the last box of each item
        self.of_item: dict[int, Box] = {}
        self.of_event: dict[str, Box] = {}
        self.behind = {b.thread: b for b in getattr(self.trace, "behind", ())}
        self.grids = {thread.name: thread.grid for thread in self.program.threads}

    def picture(self, title: str) -> Picture:
        host = list(dict.fromkeys(call.thread for call in self.queues.calls))
        self.lanes = [Lane(name) for name in host]
        inside = sorted({self._lane(n) for n in range(len(self.queues.items))}, key=self._position)
        self.lanes += inside
        for number, call in enumerate(self.queues.calls):
            self._accesses_of_host(call.thread, number)
            self._call(number, call)
        for thread in host:
            self._accesses_of_host(thread, len(self.queues.calls))
        named = set(host)
        for a, b in following(self.boxes):
            if a.lane is not None and self.lanes[a.lane].name in named:
                self.edges.append(Edge("po", a.id, b.id))
        self.edges += [Edge("stream", self.ends[a], self.of_item[b].id) for a, b in self.queues.order]
        self.edges += [Edge("event", self.ends[a], self.of_item[b].id) for a, b in self.queues.events]
        self.edges += [Edge("fires", self.of_item[a].id, self.of_item[b].id) for a, b in self.queues.lets]
        self.edges += self._race()
        self.edges += self._waits()
        return Picture(title, tuple(self.lanes), tuple(self.boxes), tuple(self.edges))

    # ---- lanes

    def _lane(self, number: int) -> Lane:
        """The lane of an item: its stream's, of a node of a graph that of the stream that was captured."""
        item = self.queues.items[number]
        if item.grid is not None and staged_copy(item.grid.name) is not None:
            return _STAGING
        if (node := None if item.grid is None else item.grid.node) is None:
            return Lane(stream_name(item.stream))
        if node.stream:
            return Lane(f"stream {node.stream}, captured", (f"graph {node.graph}",))
        streams = [i.stream.name for i in self.queues.items if i.grid is not None and i.grid.node is not None
                   and i.grid.node.graph == node.graph]  # fmt: skip
        branches = list(dict.fromkeys(streams))
        which = f" {branches.index(item.stream.name) + 1}" if len(branches) > 1 else ""
        return Lane(f"nodes{which}", (f"graph {node.graph}",))

    def _position(self, lane: Lane) -> tuple[int, int]:
        """Streams as the program makes them, then graphs, then what is read at once."""
        numbers = [n for n in range(len(self.queues.items)) if self._lane(n) == lane]
        names = [stream.name for stream in self.program.streams]
        own = self.queues.items[numbers[0]].stream.name
        kind = 2 if lane == _STAGING else 1 if lane.groups else 0
        return kind, names.index(own) if kind == 0 and own in names else numbers[0]

    # ---- boxes

    def _put(self, id_: str, lane: Lane, row: int, text: str, detail: str, span: Span, *, marked: bool) -> Box:
        row = max(row, self.bottom.get(lane, -1) + 1)
        self.bottom[lane] = row
        box = Box(id_, self.lanes.index(lane), row, clean(text), clean(detail), span, marked)
        self.boxes.append(box)
        return box

    def _call(self, number: int, call: Call) -> None:
        below = [self._row(n) + 1 for n in call.complete]
        stuck = self.behind.get(call.thread)
        here = stuck is not None and number == len(self.queues.calls) - 1 and stuck.span == call.span
        text = f"{line(call.span, self.main)}: {self._call_text(call)}"
        detail = "does not return" if here else ""
        box = self._put(f"call{number}", Lane(call.thread), max(below, default=0), text, detail, call.span, marked=here)
        self.edges += [Edge("returns", self.ends[n], box.id) for n in call.complete if not here]
        for n in call.gives:
            self._item(n, box)

    def _call_text(self, call: Call) -> str:
        if call.graph is not None:
            into = call.graph.launched
            return f"cudaGraphLaunch({call.graph.graph}, {'0' if into.kind == 'legacy' else into.name})"
        match call.operation:
            case ir.LaunchGrid(name):
                grid = self.program.grids[name]
                if grid.work is ir.Work.KERNEL:
                    return f"launch of {grid.kernel}"
                kind = work_kind(grid)
                return f"call of the {kind}" if kind in ("copy", "fill") or " " in kind else kind
            case ir.WorkSynchronize(name):
                return f"return of the {work_kind(self.program.grids[name])}"
            case operation:
                return shown_call(operation)

    def _item(self, number: int, call: Box) -> None:
        item, lane = self.queues.items[number], self._lane(number)
        earlier = [a for a, b in (*self.queues.order, *self.queues.events) if b == number]
        lets = [self.of_item[a].row for a, b in self.queues.lets if b == number]
        row = max([call.row, *(self._row(n) + 1 for n in earlier), *(row + 1 for row in lets)])
        text, detail, marked = self._item_text(item)
        box = self._put(
            f"item{number}", lane, row, f"{line(item.span, self.main)}: {text}", detail, item.span, marked=marked
        )
        self.of_item[number], self.ends[number] = box, box.id
        if not any(_same_launch(self.queues.items[a], item) for a in earlier):
            self.edges.append(Edge("issue", call.id, box.id))
        for event in self.marked:
            if item.grid is not None and self.grids.get(event.thread) == item.grid.name:
                access = self._access(event, lane, box.row + 1)
                self.edges.append(Edge("stream", box.id, access.id))
                self.ends[number] = access.id

    def _item_text(self, item: Item) -> tuple[str, str, bool]:
        """What an item is, what more there is to say of it, and whether it is held up."""
        match item.operation:
            case ir.EventRecord(event):
                return f"record {event}", "", False
            case ir.EventWait(event):
                return f"wait for {event}", "", False
            case ir.LaunchGrid():
                assert item.grid is not None
                stuck = [b for t, b in self.behind.items() if self.grids.get(t) == item.grid.name]
                said = [stuck[0].where] if stuck else []
                node = item.grid.node
                if node is not None and node.name:
                    said.insert(0, f"node {node.name}")
                of = [grid.node for grid in self.program.grids.values() if grid.node is not None]
                if node is not None and any((o.graph, o.number) == (node.graph, 2) for o in of):
                    said.append(f"launch {node.number}")
                return work_kind(item.grid), ", ".join(said), bool(stuck)

    def _row(self, number: int) -> int:
        return next(box.row for box in self.boxes if box.id == self.ends[number])

    def _access(self, event: Event, lane: Lane, row: int) -> Box:
        assert isinstance(self.trace, Execution)
        what, _ = event_parts(self.trace, event)
        text = f"{line(event.span, self.main)}: {what}"
        by = event.thread if not lane.groups and lane.name == event.thread else f"by {event.thread}"
        box = self._put(event.id, lane, row, text, "" if by == event.thread else by, event.span, marked=True)
        self.of_event[event.id] = box
        return box

    def _accesses_of_host(self, thread: str, number: int) -> None:
        """The racing accesses of a host thread that come before a call, or behind the last one."""
        if not isinstance(self.trace, Execution):
            return
        events = [e for e in self.trace.events if e.thread == thread]
        for event in self.marked:
            if event.thread != thread or event.id in self.of_event:
                continue
            calls = [e for e in events[: events.index(event)] if e.kind.name == "CALL"]
            before = {(e.span, e.text) for e in calls}
            passed = sum((c.span, shown_call(c.operation)) in before for c in self.queues.calls if c.thread == thread)
            own = sum(c.thread == thread for c in self.queues.calls[:number])
            if passed <= own:
                self._access(event, Lane(thread), 0)

    # ---- edges

    def _race(self) -> Iterator[Edge]:
        if len(self.marked) != 2 or any(event.id not in self.of_event for event in self.marked):
            return
        first, second = self.marked
        yield Edge("race", first.id, second.id)
        assert isinstance(self.trace, Execution)
        found = early_work(self.trace, (first, second))
        if found is not None:
            later = next((b for n, b in self.of_item.items() if self._is_of(n, found.second)), None)
            yield Edge("missing", found.first.id, found.second.id if later is None else later.id)

    def _is_of(self, number: int, event: Event) -> bool:
        grid = self.queues.items[number].grid
        return grid is not None and self.grids.get(event.thread) == grid.name

    def _waits(self) -> Iterator[Edge]:
        """From what is held up to the work that it waits for."""
        of_grid = {i.grid.name: self.of_item[n] for n, i in enumerate(self.queues.items) if i.grid is not None}
        told: set[tuple[str, str]] = set()
        for thread, behind in self.behind.items():
            own = of_grid.get(self.grids.get(thread) or "")
            for other in behind.on:
                there = of_grid.get(self.grids.get(other) or "")
                if own is not None and there is not None and own != there and (own.id, there.id) not in told:
                    told.add((own.id, there.id))
                    yield Edge("waits", own.id, there.id)


def _same_launch(one: Item, other: Item) -> bool:
    a, b = (None if item.grid is None else item.grid.node for item in (one, other))
    return a is not None and b is not None and (a.graph, a.number) == (b.graph, b.number)


# ---------------------------------------------------------------- as text


def stream_lines(drawn: Picture, width: int) -> Iterator[str]:
    """The lanes as text, and the events, waits and missing order between them, a line each."""
    names = [": ".join((*lane.groups, lane.name)) for lane in drawn.lanes]
    boxes = sorted(drawn.boxes, key=lambda box: (box.row, box.lane))
    racing = {end for edge in drawn.edges if edge.relation == "race" for end in (edge.source, edge.target)}
    rows = []
    for box in boxes:
        assert box.lane is not None
        text = f"{box.text} ({box.detail})" if box.detail else box.text
        rows.append(Row(names[box.lane], f"[race] {text}" if box.id in racing else text))
    yield from lanes(names, rows, width)
    yield ""
    said = {box.id: f"{names[box.lane or 0]} {box.text}" for box in drawn.boxes}
    for relation in ("event", "fires", "returns", "waits", "missing"):
        for edge in drawn.edges:
            if edge.relation == relation:
                yield f"{relation:<7} {said[edge.source]}  ->  {said[edge.target]}"
