"""Work of two streams that races: waits and events between them, and one piece of it in the stream of the other.

Each is tried by asking again (``search``), of what is captured and what is moved by reading the text again: what is
looked at here says only where to try.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.advice.edits import Edit, Synchronise, WaitForEvent, operations, work_and_place, written_stream
from scopec.advice.spelling import event_between
from scopec.advice.statements import after, bare, ending
from scopec.base.files import source_of
from scopec.base.records import dataclass
from scopec.explain.fixes import Replacement
from scopec.program import ir
from scopec.program.transfers import staged_copy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Source, Span
    from scopec.memory.execution import Execution
    from scopec.program.program import Program
    from scopec.session.inquiry.run import Run

#: The number of the argument that is a stream, from 0, of the calls that give work to one; the last that has a default.
_STREAM_AT = {
    "cudaFreeAsync": 1, "cudaGraphLaunch": 1, "cudaLaunchCooperativeKernel": 5, "cudaLaunchHostFunc": 0,
    "cudaLaunchKernel": 5, "cudaMallocAsync": 2, "cudaMallocFromPoolAsync": 3, "cudaMemPrefetchAsync": 3,
    "cudaMemcpy2DAsync": 7, "cudaMemcpyAsync": 4, "cudaMemcpyFromSymbolAsync": 5, "cudaMemcpyPeerAsync": 5,
    "cudaMemcpyToSymbolAsync": 5, "cudaMemset2DAsync": 5, "cudaMemsetAsync": 3, "cudaStreamAddCallback": 0,
    "cuLaunchKernel": 8, "cuMemAllocAsync": 2, "cuMemFreeAsync": 1, "cuMemcpyAsync": 3, "cuMemcpyDtoDAsync": 3,
    "cuMemcpyDtoHAsync": 3, "cuMemcpyHtoDAsync": 3, "cuMemsetD8Async": 3, "cuMemsetD16Async": 3, "cuMemsetD32Async": 3,
    "cuGraphLaunch": 1, "cuLaunchHostFunc": 0,
}  # fmt: skip
_GIVES = re.compile(r"<<<|\b([A-Za-z]\w*?)(?:_v2|_ptsz)?\s*\(")
#: The number of the stream between `<<<` and `>>>`.
_CONFIGURED_AT = 3
#: A stream as it may be written elsewhere too.
_PLAIN = re.compile(r"[A-Za-z_][\w.\[\]]*(?:->\w+)*")
#: The races that are looked at.
_MOST = 4


@dataclass(frozen=True, slots=True)
class _Given:
    """Where something is given to a stream: in words, the place, and the stream."""

    words: str
    at: Span
    stream: ir.Stream | None
    name: str


def waits(run: Run, execution: Execution) -> Iterator[list[Edit]]:
    """Edits that have a stream, or the host, wait for the work of another stream."""
    grids, threads = list(run.program.grids), {t.name: t.grid for t in run.program.threads}
    work: set[str] = set()
    for pair in execution.race:
        there = {grid for e in pair if (grid := threads.get(e.thread)) is not None and launched_there(run, grid)}
        known = {threads[e.thread] for e in pair if e.thread in threads}
        early = {copy for grid in there if (copy := staged_copy(grid)) is not None}
        if early:  # no event keeps a call back, and who waits for what it reads waits for its copy
            waited = {grid for grid in there if staged_copy(grid) is None} or early
            yield [Synchronise(grid, run.program.grids[grid].stream.name) for grid in sorted(waited)]
            work |= waited
            continue
        work |= there if len(known) > 1 else set()
        streams = [run.program.grids[grid].stream for grid in sorted(there, key=grids.index)]
        if len(there) == 2 and streams[0].name != streams[1].name:
            yield [WaitForEvent(*sorted(there, key=grids.index))]
        elif len(there) == 1 and len(known) > 1 and streams[0].kind != "legacy":
            yield [Synchronise(grid, streams[0].name) for grid in there]
    for grid in sorted(work):
        yield [Synchronise(grid)]


def launched_there(run: Run, grid: str) -> bool:
    """Whether a grid is launched where its launch is written, which is not so of a node of a graph."""
    span = run.program.grids[grid].span
    return any(node.operation == ir.LaunchGrid(grid) and node.span == span for node in operations(run.program))


def texts_that_wait(run: Run, execution: Execution) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """Waits for nodes of graphs, which are launched elsewhere: an event, or a call of the host; words and text."""
    program = run.program
    for first, second in list(_pairs(program, execution))[:_MOST]:
        one, other = _given(first, second), _given(second, first)
        if (first.node is None and second.node is None) or one is None or other is None or one.name == other.name:
            continue
        recorded = f"an event that is recorded after the {one.words}"
        waits = "the legacy stream" if other.name == "0" else other.name
        words = f"{recorded}, and cudaStreamWaitEvent of {waits} for it before the {other.words}"
        if changes := event_between(program, (one.at, one.name), (other.at, other.name)):
            yield words, changes
    for grid in _beside_the_host(program, execution):
        assert grid.node is not None
        launch, stream = grid.node.launch, _name(grid.node.launched)
        source = source_of(launch, run.source)
        call = f"cudaStreamSynchronize({stream})"
        added = after(source, source.offset(launch.line, launch.column), f"{call};")
        if added is not None:
            yield f"{call} after the {_launched(grid.node)}", added


def texts_in_one_stream(run: Run, execution: Execution) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """One piece of work in the stream of the other with which it races, in words and as text: the later one first."""
    for first, second in list(_pairs(run.program, execution))[:_MOST]:
        one, other = _given(first, second), _given(second, first)
        for moved, to in ((other, one), (one, other)):
            if moved is not None and to is not None and moved.name != to.name:
                yield from _moved(run, moved, to)


def _beside_the_host(program: Program, execution: Execution) -> Iterator[ir.Grid]:
    """The nodes of graphs that race with a thread of no grid."""
    threads = {t.name: t.grid for t in program.threads}
    found = [[threads[e.thread] for e in pair if e.thread in threads] for pair in execution.race]
    names = dict.fromkeys(grid for grids in found if None in grids for grid in grids if grid is not None)
    return (program.grids[name] for name in names if program.grids[name].node is not None)


def _pairs(program: Program, execution: Execution) -> Iterator[tuple[ir.Grid, ir.Grid]]:
    """The work of each race between two pieces of work in two streams, in the order in which it was given to them."""
    grids, threads = list(program.grids), {t.name: t.grid for t in program.threads}
    told: set[tuple[str, str]] = set()
    for pair in execution.race:
        names = sorted({grid for e in pair if (grid := threads.get(e.thread)) is not None}, key=grids.index)
        if len(names) != 2 or any(staged_copy(name) is not None for name in names):
            continue
        one, other = (program.grids[name] for name in names)
        if one.stream.name != other.stream.name and (one.name, other.name) not in told:
            told.add((one.name, other.name))
            yield one, other


def _same_launch(one: ir.Grid, other: ir.Grid) -> bool:
    a, b = one.node, other.node
    return a is not None and b is not None and (a.graph, a.number) == (b.graph, b.number)


def _given(grid: ir.Grid, beside: ir.Grid) -> _Given | None:
    """What gave work to its stream: within one launch of a graph what was captured, else the launch."""
    node = grid.node
    if node is None:
        return _Given(work_and_place(grid), grid.span, grid.stream, written_stream(grid))
    if not _same_launch(grid, beside):
        return _Given(_launched(node), node.launch, node.launched, _name(node.launched))
    return _Given(work_and_place(grid), grid.span, None, node.stream) if node.stream else None


def _launched(node: ir.GraphNode) -> str:
    return f"launch of the graph `{node.graph}`, at line {node.launch.line}"


def _name(stream: ir.Stream) -> str:
    return "0" if stream.kind == "legacy" else stream.name


def _moved(run: Run, moved: _Given, to: _Given) -> Iterator[tuple[str, Sequence[Replacement]]]:
    """The text in which work is given to the stream of other work."""
    if moved.stream is not None and to.stream is not None and moved.stream.device != to.stream.device:
        return
    source = source_of(moved.at, run.source)
    beside = _argument(source_of(to.at, run.source), to.at)
    there = "" if beside is None else beside[2]
    wanted = there if _PLAIN.fullmatch(there) else to.name
    found = _argument(source, moved.at)
    if found is None or (wanted != "0" and not _PLAIN.fullmatch(wanted)):
        return
    start, end, _, before = found
    shown = "the legacy stream" if wanted == "0" else f"stream {wanted}"
    words = f"the {moved.words}, in {shown}, as the {to.words}"
    yield words, [Replacement(source.span(start, end), f"{before}{wanted}")]


def _argument(source: Source, at: Span) -> tuple[int, int, str, str] | None:
    """Where the stream is written in what gives work to one: its place, the text there, and what is to stand before it
    where it was left out; None where that is not found."""
    code, start = bare(source), source.offset(at.line, at.column)
    end = ending(code, start)
    for found in _GIVES.finditer(code, start, len(code) if end is None else end):
        configured = found[1] is None
        position = _CONFIGURED_AT if configured else _STREAM_AT.get(found[1])
        if position is None:
            continue
        arguments = _arguments(code, found.end(), ">>>" if configured else ")")
        if arguments is None:
            return None
        if position < len(arguments):
            first, last = arguments[position]
            return first, last, source.text[first:last].strip(), " " * (source.text[first : first + 1] == " ")
        missing = position - len(arguments)
        if configured or not missing:
            last = arguments[-1][1]
            return last, last, "", ", 0" * missing + ", "
        return None
    return None


def _arguments(code: str, at: int, close: str) -> list[tuple[int, int]] | None:
    """The places of the arguments from a bracket on to the one that closes it."""
    found: list[tuple[int, int]] = []
    depth, first = 0, at
    for place in range(at, len(code)):
        letter = code[place]
        if depth == 0 and code.startswith(close, place):
            return [*found, (first, place)]
        if depth == 0 and letter == ",":
            found.append((first, place))
            first = place + 1
        depth += (letter in "([{") - (letter in ")]}")
        if depth < 0 or letter == ";":
            return None
    return None
