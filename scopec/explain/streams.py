"""Races between the work of streams, or with the host: which comes too early, and why no event keeps it from that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.explain.synchronisation import broken
from scopec.memory.events.events import Kind, shown_location
from scopec.program import ir
from scopec.program.show import shown_call
from scopec.program.transfers import STAGING, staged_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution
    from scopec.program.program import Program

_SHORT = {"cudaMemcpy": "copy", "cudaMemset": "fill"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


@dataclass(frozen=True, slots=True)
class Early:
    """Two accesses of which the second may come before the first, whose work a stream got earlier: who makes each, in
    words, and why nothing keeps the second back; ``within`` is the launch of a graph that both are of."""

    first: Event
    second: Event
    who: str
    before: str
    why: str
    within: str = ""


def too_early(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """What may come before work that was given to a stream earlier; None where a race is not about such."""
    if broken(execution, pair) is not None:
        return _without_barrier(execution, pair)
    found = early_work(execution, pair)
    if found is None:
        return None
    own = "" if found.second.thread != found.who else f" at line {found.second.span.line}"
    who, before = (name + "," * (", in " in name) for name in (found.who, found.before))
    does = f"{_does(execution, found.first, found.second)}{own}"
    has = "has written it" if found.first.writes else "has read it"
    return f"{found.within}{who} {does} before {before} {has}: {found.why}"


def early_work(execution: Execution, pair: tuple[Event, Event]) -> Early | None:
    """Which of two accesses may come before work that was given to a stream earlier; None where none is such work."""
    for first, second in (pair, pair[::-1]):
        work, later = _work(execution, first), _work(execution, second)
        if work is None or (launch := _launch(execution, first)) is None:
            continue
        if later is None and _before(execution, launch, second):
            name = _named(execution, work)
            why = _call_for_event(execution, work, second) or "no call before that waits for it"
            return Early(first, second, second.thread, name, why)
        if later is None or later.stream.name == work.stream.name:
            continue
        if _before(execution, launch, _launch(execution, second)):
            if _same_launch(work, later) and staged_copy(later.name) is None:
                within = f"in {_launch_of(execution.graph.program, work)} "
                return Early(first, second, _short(later), _short(work), _no_edge(work, later), within)
            of = next((one for one in later.awaits if one.grid == work.name), None)
            why = _why(execution, launch, later) if of is None else _event_of_launch(of.fires, "its stream waits for")
            return Early(first, second, _named(execution, later), _named(execution, work), why)
    return None


def _work(execution: Execution, event: Event) -> ir.Grid | None:
    """The work of a stream that an event belongs to."""
    program = execution.graph.program
    grid = next((thread.grid for thread in program.threads if thread.name == event.thread), None)
    return None if grid is None else program.grids[grid]


def _launch(execution: Execution, event: Event) -> Event | None:
    """The call that gives the work of an event to its stream."""
    grid = _work(execution, event)
    if grid is None:
        return None
    at = grid.span if grid.node is None else grid.node.launch
    given = (a for a, b in execution.relation("asw") if b is event and a.kind is Kind.CALL)
    return next((a for a in given if a.span == at), None)


def _before(execution: Execution, first: Event, second: Event | None) -> bool:
    return any(a is first and b is second for a, b in execution.relation("po"))


# ---------------------------------------------------------------- names


def stream_name(stream: ir.Stream) -> str:
    """A stream as the source calls it: `stream s`, `the legacy stream`."""
    if stream.kind == "legacy":
        return "the legacy stream" + (f" of device {stream.device}" if stream.device else "")
    return f"stream {stream.name}"


def work_kind(grid: ir.Grid) -> str:
    """What work is: `kernel add`, `copy`, `cudaFreeAsync`, `function look`."""
    match grid.work:
        case ir.Work.KERNEL:
            return f"kernel {grid.kernel}"
        case ir.Work.COPY:
            return _SHORT.get(grid.kernel.removesuffix(STAGING), grid.kernel)
        case ir.Work.HOST_FUNCTION:
            return f"function {grid.kernel}"


def _named(execution: Execution, grid: ir.Grid) -> str:
    """Work, where it was given to its stream, and to which; of a node of a graph, in which launch."""
    node = grid.node
    if node is None:
        return f"the call of the copy at line {grid.span.line}" if staged_copy(grid.name) is not None else _short(grid)
    launch = _launch_of(execution.graph.program, grid)
    if staged_copy(grid.name) is not None:
        return f"{launch}, for its copy of line {grid.span.line},"
    return f"{_short(grid)}, in {launch} in {stream_name(node.launched)}"


def _short(grid: ir.Grid) -> str:
    """The same without the launch of its graph."""
    where, node = f"at line {grid.span.line}", grid.node
    if node is None:
        return f"the {work_kind(grid)} {where} in {stream_name(grid.stream)}"
    if node.stream:
        return f"the {work_kind(grid)} captured {where} in stream {node.stream}"
    return f"the {work_kind(grid)}{f' of node `{node.name}`' if node.name else ''} {where}"


def _launch_of(program: Program, grid: ir.Grid) -> str:
    """The launch of a graph: which one, if there are several."""
    assert grid.node is not None
    of = grid.node
    launches = {g.node.number for g in program.grids.values() if g.node is not None and g.node.graph == of.graph}
    ordinal = _ORDINALS[of.number - 1] if of.number <= len(_ORDINALS) else f"{of.number}th"
    which = f"{ordinal} launch" if len(launches) > 1 else "launch"
    return f"the {which} of the graph `{of.graph}` at line {of.launch.line}"


def by_work(execution: Execution, event: Event, *, within: bool) -> str | None:
    """By which work of a stream an access is, in words that follow its name; None where it is by none.

    Of a node of a graph it is said in which launch, unless it is ``within`` one that was named.
    """
    grid = _work(execution, event)
    if grid is None:
        return None
    name = _short(grid) if within else _named(execution, grid)
    if event.span != grid.span:
        return f"by {name}"
    return name[name.index(" in ") + 1 :] if " in " in name else f"by {name}"  # the access is that work


# ---------------------------------------------------------------- reasons


def _does(execution: Execution, first: Event, second: Event) -> str:
    assert second.location is not None
    name = f"`{shown_location(second.location, execution.graph.program)}`"
    if not second.writes:
        return f"may read {name}"
    return f"may write {name}" if first.writes else f"may overwrite {name}"


def _same_launch(one: ir.Grid, other: ir.Grid) -> bool:
    a, b = one.node, other.node
    return a is not None and b is not None and (a.graph, a.number) == (b.graph, b.number)


def _no_edge(one: ir.Grid, other: ir.Grid) -> str:
    """Why two nodes of one graph have no order."""
    assert one.node is not None
    assert other.node is not None
    if one.node.stream and other.node.stream:
        return "no event in the capture, so no edge of the graph leads from the one to the other"
    return "no edge of the graph leads from the one to the other"


def _why(execution: Execution, launch: Event, later: ir.Grid) -> str:
    """What is wrong with the events for which the stream of later work waits, or that there are none."""
    if staged_copy(later.name) is not None:
        return "it may read pageable memory at once, whatever its stream has to do before"
    calls = list(_events(execution))
    for event, waits in calls:
        if not isinstance(event, ir.EventWait) or event.stream != later.stream.name:
            continue
        records = [at for one, at in calls if isinstance(one, ir.EventRecord) and one.event == event.event]
        behind = f"line {waits.span.line}"
        if not records:
            return f"event {event.event}, for which stream {event.stream} waits at {behind}, is never recorded"
        for record in records:
            there = f"event {event.event} is recorded at line {record.span.line}"
            if _before(execution, waits, record):
                return f"{there}, behind the wait for it at {behind}, which waits for nothing"
            if _before(execution, record, launch):
                return f"{there}, before that work is given to its stream"
    return "no event, no synchronisation"


_COMES = {
    ir.Fires.TRIGGERED: "each block has triggered it or ended, and orders only what a release fence before that covers",
    ir.Fires.BEGUN: "each block has begun, and orders nothing that the kernel does",
    ir.Fires.LAUNCHED: "its blocks are about to begin, a best effort, and orders nothing that the kernel does",
}


def _event_of_launch(fires: ir.Fires, waits: str) -> str:
    """Why a wait for the event of a launch is not enough."""
    return f"{waits} the event of that launch, which comes when {_COMES[fires]}"


def _call_for_event(execution: Execution, work: ir.Grid, second: Event) -> str | None:
    """Why a call of the host for the event of a launch does not keep an access back; None where there is none."""
    for thread in execution.graph.program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.LaunchSynchronize | ir.LaunchQuery):
                calls = (e for e in execution.events if e.kind is Kind.CALL and e.span == node.span)
                if node.operation.grid == work.name and any(_before(execution, call, second) for call in calls):
                    name = shown_call(node.operation).partition("(")[0]
                    return _event_of_launch(node.operation.fires, f"{name} at line {node.span.line} is for")
    return None


def _events(execution: Execution) -> Iterator[tuple[ir.EventRecord | ir.EventWait, Event]]:
    """The calls that record an event, or have a stream wait for one, each with what it is in the execution."""
    graphs = {grid.node.graph for grid in execution.graph.program.grids.values() if grid.node is not None}
    for thread in execution.graph.program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.EventRecord | ir.EventWait):
                if is_internal(node.operation.event, graphs):
                    continue
                for event in execution.events:
                    if event.kind is Kind.CALL and event.span == node.span and event.thread == thread.name:
                        yield node.operation, event


def is_internal(event: str, graphs: set[str]) -> bool:
    """Whether no source has an event: one that orders the nodes of a graph, or what a copy reads from its staging."""
    return event.endswith(STAGING) or event.rpartition(".")[0] in graphs


def _without_barrier(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """That a stream writes a value for which another waits, and writes it without a memory barrier; else None."""
    gap = broken(execution, pair)
    if gap is None:
        return None
    writes, waits = _work(execution, gap.write), _work(execution, gap.read)
    if writes is None or waits is None or not writes.kernel.startswith("cuStreamWriteValue"):
        return None
    if not waits.kernel.startswith("cuStreamWaitValue"):
        return None
    value = f"the value that {stream_name(writes.stream)} writes at line {gap.write.span.line}"
    lacks = "no memory barrier is before that write: it has CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER"
    return f"{stream_name(waits.stream)} waits at line {gap.read.span.line} for {value}, but {lacks}"
