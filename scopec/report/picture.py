"""The content of a picture of a trace, whatever draws it: lanes with boxes, and edges between the boxes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.base.records import dataclass
from scopec.explain.agents import EDGES
from scopec.explain.reasons import race_of
from scopec.explain.synchronisation import broken, too_narrow
from scopec.hangs.execution import StuckExecution
from scopec.memory.events.events import Kind
from scopec.memory.events.scopes import scope_of
from scopec.memory.execution import Execution
from scopec.memory.unfold.lifetimes import kept
from scopec.progress.schedule import Ending
from scopec.report.lanes import CLOSING, event_parts, in_order, lane_of, line

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.explain.synchronisation import Broken
    from scopec.explain.verdict import Check
    from scopec.memory.events.events import Event
    from scopec.program.ir import Thread
    from scopec.progress.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Relation:
    """A kind of edge: its name, what it says, and whether it is drawn unless one asks for it."""

    name: str
    meaning: str
    shown: bool = True
    directed: bool = True


RELATIONS = {
    r.name: r
    for r in (
        Relation("po", "program order: the next one of the same thread"),
        Relation("rf", "reads-from: the read returns what this write wrote"),
        Relation("co", "coherence order: this write, then that one, to the same object"),
        Relation("fr", "from-reads: the read returns a value that this write replaces"),
        Relation("sw", "synchronises-with: a release that an acquire sees, at scopes that include each other"),
        Relation("hb", "happens-before between threads", shown=False),
        Relation(
            "no-sw",
            "a value is handed over, but this does not synchronise: here the way from one access to the other breaks",
        ),
        Relation("start", "the issue of an asynchronous copy, before its accesses"),
        Relation("done", "an access of a copy, before the return of a wait that finds the copy complete"),
        Relation(
            "complete", "an access of a copy, before a wait that finds the phase over in which the copy completes"
        ),
        Relation("race", "a data race: two accesses that nothing orders", directed=False),
        Relation("issue", "a call of the host: this is what it gives to a stream, or launches"),
        Relation("stream", "stream order, or an edge of a graph: complete before the next begins"),
        Relation("event", "record of an event: complete before what comes behind a wait for it"),
        Relation("fires", "event of a launch, which comes before the end of the kernel: what waits for it begins"),
        Relation("returns", "return of a call: what it has waited for"),
        Relation("missing", "an order that is not there: nothing has this complete before that begins"),
        Relation("waits", "waits for this thread, which could give what is waited for, or has kept it"),
        Relation("loop", "the schedule goes back to here, again and again"),
        Relation("period", "the thread goes back to here, again and again"),
    )
}


#: The threads to which arrows lead from one that waits.
_MOST_WAITED_FOR = 4


@dataclass(frozen=True, slots=True)
class Box:
    """An event or a step: its lane (None for an initial value), its row from 0, and one or two lines of text.

    ``marked`` are those that a verdict is about: the racing accesses, and the places where threads stay in the end.
    ``step`` is the number of a step of a schedule, from 1.
    """

    id: str
    lane: int | None
    row: int
    text: str
    detail: str
    span: Span
    marked: bool = False
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two boxes, by their ids; whether it is on the way that would order two accesses."""

    relation: str
    source: str
    target: str
    way: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """A thread, and the device, cluster and block that it is in, from the outside in."""

    name: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """A trace to be drawn; ``closing`` is what happens after the last row, or what is not drawn.

    ``ends`` are groups of lanes that a scope does not reach beyond, though somebody outside needs it.
    """

    title: str
    lanes: tuple[Lane, ...]
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    closing: str = ""
    ends: frozenset[str] = frozenset()

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The kinds of edges that occur, in a fixed order."""
        used = {e.relation for e in self.edges}
        return tuple(r for r in RELATIONS.values() if r.name in used)


def usual(drawn: Picture) -> Picture:
    """The picture with those relations only that are drawn unless one asks for more."""
    return replace(drawn, edges=tuple(e for e in drawn.edges if RELATIONS[e.relation].shown))


def picture(check: Check, title: str, most: int | None = None, main: str = "") -> Picture:
    """The picture of a check's trace, of a schedule at most so many steps; ValueError if it has none.

    Lines of a schedule have the names of their files, but for those of ``main``.
    """
    match check.trace:
        case Execution() as execution:
            return picture_of(execution, race_of(check) or (), title)
        case None:
            raise ValueError("no trace")
        case schedule:
            return _schedule(schedule, clean(title), most, main)


# ---------------------------------------------------------------- executions

#: More racing pairs than these hide everything else.
_MOST_RACES = 12


def picture_of(execution: Execution, marked: Sequence[Event], title: str) -> Picture:
    """The picture of an execution; ``marked`` are the accesses that a verdict is about."""
    events = in_order(execution)
    stuck = execution if isinstance(execution, StuckExecution) else None
    main = execution.graph.program.source.name
    left = [] if stuck is None else [b for b in stuck.behind if not stuck.period(b.thread)]
    present = {e.thread for e in events} | {b.thread for b in left}
    gap = broken(execution, (marked[0], marked[1])) if len(marked) == 2 else None
    narrow = _narrow(execution, marked, gap)
    lanes = _lanes([t for t in execution.graph.program.threads if t.name in present], narrow)
    copies = dict.fromkeys((e.thread, lane_of(execution, e)) for e in events if e.agent)
    lanes = tuple(
        one
        for lane in lanes
        for one in (lane, *(replace(lane, name=name) for thread, name in copies if thread == lane.name))
    )
    names = [lane.name for lane in lanes]
    rows = _rows(execution, events)
    boxes = [
        Box(e.id, names.index(lane_of(execution, e)), rows[e.id], *_label(execution, e), e.span, e in marked or e.last)
        for e in events
    ]
    bottom = 1 + max(rows.values(), default=-1)
    ends = [
        Box(f"end_{b.thread}", names.index(b.thread), bottom, f"{line(b.span, main)}: {b.where}", "", b.span, True)
        for b in left
    ]
    races = [(a.id, b.id) for a, b in execution.race]
    decisive = [(a.id, b.id) for a, b in [marked]] if len(marked) == 2 else races[:1]
    drawn = races if len(races) <= _MOST_RACES else decisive
    edges = [*_edges(execution, {b.id for b in boxes}), *_between("race", drawn)]
    if gap is not None:
        edges = [*_on(execution, gap.way, edges), Edge("no-sw", gap.write.id, gap.read.id, way=True)]
    closing = "" if drawn == races else f"{len(races):,} pairs of accesses race; one of them is drawn"
    if stuck is not None:
        edges += _periods(stuck)
        closing = CLOSING[Ending.STOP]
    used = {end for edge in edges for end in (edge.source, edge.target)}
    initial = [e for e in execution.events if e.kind is Kind.INIT and e.id in used]
    first = [Box(e.id, None, 0, *_label(execution, e), e.span) for e in initial]
    return Picture(clean(title), lanes, (*first, *boxes, *ends), tuple(edges), closing, frozenset(narrow.values()))


def _narrow(execution: Execution, marked: Sequence[Event], gap: Broken | None) -> dict[str, str]:
    """The groups at which a scope ends that would have to reach further, with what is said there."""
    threads = {t.name: t for t in execution.graph.program.threads}
    pairs = [(marked[0], marked[1])] if len(marked) == 2 else []
    pairs += [(gap.write, gap.read)] if gap is not None else []
    found = {}
    for event in (e for pair in pairs for e in too_narrow(execution, *pair)):
        scope = scope_of(event).name.lower()
        for group in _groups(threads[event.thread]):
            if group.startswith(f"{scope} "):
                found[group] = f"{group}: {scope} scope ends here"
    return found


def _on(execution: Execution, way: Sequence[Event], edges: Sequence[Edge]) -> Iterator[Edge]:
    """The edges, those of program order marked that are on a way."""
    after = set(_pairs(execution, "po"))
    steps = [(a.id, b.id) for a, b in pairwise(way) if a.thread == b.thread]
    for edge in edges:
        on = any(
            (edge.source == a or (a, edge.source) in after) and (edge.target == b or (edge.target, b) in after)
            for a, b in steps
        )
        yield replace(edge, way=True) if edge.relation == "po" and on else edge


def _lanes(threads: Sequence[Thread], said: Mapping[str, str]) -> tuple[Lane, ...]:
    """The lanes of threads in their order, those of a group side by side; ``said`` of some groups."""
    of_block = {t.block_name: tuple(said.get(g, g) for g in _groups(t)) for t in threads}
    lanes = [Lane(t.name, of_block.get(kept(t) or "", of_block[t.block_name])) for t in threads]  # memory in its block
    first: dict[tuple[str, ...], int] = {}
    for number, lane in enumerate(lanes):
        for depth in range(1, len(lane.groups) + 1):
            first.setdefault(lane.groups[:depth], number)
    order = {lane: [first[lane.groups[:d]] for d in range(1, len(lane.groups) + 1)] for lane in lanes}
    return tuple(sorted(lanes, key=lambda lane: (*order[lane], lanes.index(lane))))


def _groups(thread: Thread) -> Iterator[str]:
    """The groups that a thread is in, from the outside in."""
    if not thread.is_host:
        yield f"device {thread.device}"
        if thread.cluster is not None:
            yield f"cluster {thread.cluster}"
        yield f"block {thread.block_name}"


def _periods(execution: StuckExecution) -> Iterator[Edge]:
    """The ways back of threads that go round for ever."""
    for behind in execution.behind:
        period = execution.period(behind.thread)
        if period:
            yield Edge("period", period[-1].id, period[0].id)


def _label(execution: Execution, event: Event) -> tuple[str, str]:
    what, how = event_parts(execution, event)
    again = f"{how}{', ' if how else ''}again and again" if event.last else how
    where = line(event.span, execution.graph.program.source.name)
    return (what if event.kind is Kind.INIT else f"{where}: {what}"), again


def _rows(execution: Execution, events: Sequence[Event]) -> dict[str, int]:
    """A row for each event, below the one before it in its thread, and below those before it that it reads from."""
    rows: dict[str, int] = {}
    above: dict[str, list[str]] = {e.id: [] for e in events}
    for write, read in (*execution.choice.rf, *(pair for name in EDGES for pair in _pairs(execution, name))):
        if write in above and read in above:
            above[read].append(write)
    lowest: dict[tuple[str, str], int] = {}
    for event in events:
        before = [rows[x] + 1 for x in above[event.id] if x in rows]
        lane = (event.thread, event.agent)
        rows[event.id] = max([lowest.get(lane, -1) + 1, *before])
        lowest[lane] = rows[event.id]
    return rows


def _edges(execution: Execution, inside: set[str]) -> Iterator[Edge]:
    """The edges of each relation that a reader needs: steps of orders instead of whole orders, and nothing twice."""
    known = {e.id for e in execution.events}
    yield from _between("po", reduced(_pairs(execution, "po"), inside))
    yield from _between("rf", [p for p in _pairs(execution, "rf") if p[0] in known and p[1] in inside])
    for name in EDGES:
        yield from _between(name, [p for p in _pairs(execution, name) if p[0] in inside and p[1] in inside])
    coherence = reduced(_pairs(execution, "co"), known)
    yield from _between("co", [(a, b) for a, b in coherence if a in inside and b in inside])
    follows: dict[str, list[str]] = {}
    for a, b in coherence:
        follows.setdefault(a, []).append(b)
    sources = {read: write for write, read in execution.choice.rf}
    from_reads = [(r, w) for r, source in sources.items() for w in follows.get(source, []) if r in inside and r != w]
    rmw = {(e.id, e.rmw) for e in execution.events if e.rmw is not None}
    yield from _between("fr", [p for p in sorted(from_reads) if p not in rmw and p[1] in inside])
    thread = {e.id: e.thread for e in execution.events}
    synchronisation = sorted((a.id, b.id) for a, b in execution.synchronisation)
    yield from _between("sw", [p for p in synchronisation if p[0] in inside and p[1] in inside])
    happens_before = execution.derived("hb")
    before = [] if happens_before is None else [(a.id, b.id) for a, b in happens_before] + _pairs(execution, "po")
    yield from _between("hb", [(a, b) for a, b in reduced(before, inside) if thread[a] != thread[b]])


def _pairs(execution: Execution, name: str) -> list[tuple[str, str]]:
    return [(a.id, b.id) for a, b in execution.relation(name)]


def _between(relation: str, pairs: Sequence[tuple[str, str]]) -> list[Edge]:
    return [Edge(relation, a, b) for a, b in pairs]


def reduced(pairs: Sequence[tuple[str, str]], among: set[str]) -> list[tuple[str, str]]:
    """The steps of a transitive relation without cycles: its pairs with nothing between them."""
    following: dict[str, set[str]] = {}
    for a, b in pairs:
        if a in among and b in among and a != b:
            following.setdefault(a, set()).add(b)
    return [
        (a, b)
        for a, b in pairs
        if b in following.get(a, ()) and not any(b in following.get(c, ()) for c in following[a] if c != b)
    ]


# ---------------------------------------------------------------- schedules


def _schedule(schedule: Schedule, title: str, most: int | None, main: str) -> Picture:
    present = {m.thread for m in schedule.moves} | {b.thread for b in schedule.behind}
    names = [t for t in schedule.start.labels if t in present]
    left_out = _left_out(schedule, most)
    boxes = []
    for number, move in enumerate(schedule.moves, start=1):
        if number in left_out:
            continue
        changes = ", ".join(f"{name} = {value}" for name, value in move.changes.items() if name not in move.action)
        what, how = parted(move.action)
        text, changes = f"{line(move.span, main)}: {what}", ", ".join(filter(None, (how, changes)))
        row = number - 1 - (len(left_out) if number > left_out.start else 0)
        boxes.append(Box(f"step{number}", names.index(move.thread), row, text, changes, move.span, step=number))
    last = {box.lane: box for box in boxes}
    rows = len(boxes)
    for behind in schedule.behind:
        what, how = parted(behind.where)
        lane, text = names.index(behind.thread), f"{line(behind.span, main)}: {what}"
        boxes.append(Box(f"end_{behind.thread}", lane, rows, text, how, behind.span, marked=True))
    last |= {box.lane: box for box in boxes[rows:]}
    edges = [Edge("po", a.id, b.id) for a, b in following(boxes)]
    for behind in schedule.behind:
        for other in behind.on[:_MOST_WAITED_FOR]:
            if other in names and (to := last.get(names.index(other))) is not None:
                edges.append(Edge("waits", f"end_{behind.thread}", to.id))
    closing = CLOSING[schedule.ending]
    if left_out:
        closing += f" (steps {left_out.start} to {left_out.stop - 1} are not drawn)"
    if schedule.ending is Ending.LASSO and schedule.loop_to is not None:
        target = f"step{schedule.loop_to + 1}"
        if any(box.id == target for box in boxes):
            edges.append(Edge("loop", boxes[rows - 1].id, target))
    lanes = (Lane(n, (f"block {block}",) if (block := n.rpartition("[")[0]) else ()) for n in names)
    return Picture(title, tuple(lanes), tuple(boxes), tuple(edges), closing)


def parted(action: str) -> tuple[str, str]:
    """A step in words, and in which way: `loads f = 1`, `acquire, device`."""
    what, mode, how = action.partition(" (")
    return (what, how.replace("),", ",").removesuffix(")")) if mode else (action, "")


def _left_out(schedule: Schedule, most: int | None) -> range:
    """The numbers of the steps that are not drawn: from the middle, and of what repeats what is not at its ends."""
    moves = len(schedule.moves)
    if most is None or moves <= most:
        return range(0)
    first = most // 3
    if schedule.ending is Ending.LASSO and schedule.loop_to is not None:
        first = max(first, min(schedule.loop_to + 2, most - 2))
    return range(first + 1, moves - (most - first) + 1)


def following(boxes: Sequence[Box]) -> Iterator[tuple[Box, Box]]:
    """Each box with the next one of its lane."""
    last: dict[int | None, Box] = {}
    for box in boxes:
        if box.lane in last:
            yield last[box.lane], box
        last[box.lane] = box
