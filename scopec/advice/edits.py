"""Edits of a program that a programmer could make in a line or two, and how to say them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.files import source_of
from scopec.base.records import dataclass
from scopec.explain.streams import work_kind
from scopec.frontends.ptx.table import ORDERS, SCOPES
from scopec.program import ir
from scopec.program.program import Program
from scopec.program.values import leaves

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.session.inquiry.run import Run


@dataclass(frozen=True, slots=True)
class Widen:
    """A wider scope for the atomic operations on an object."""

    object: str
    scope: ir.Scope


@dataclass(frozen=True, slots=True)
class WidenFence:
    """A wider scope for the fences at a place."""

    at: Span
    scope: ir.Scope


@dataclass(frozen=True, slots=True)
class Strengthen:
    """A stronger order for the atomic operations and fences at a place."""

    at: Span
    order: ir.Order


@dataclass(frozen=True, slots=True)
class AddFence:
    """A ``__threadfence()`` before or after the operations at a place: a function like atomicAdd takes no order, and an
    access of PTX is not seq_cst."""

    at: Span
    scope: ir.Scope
    before: bool


@dataclass(frozen=True, slots=True)
class MakeAtomic:
    """Atomic accesses to an object instead of plain ones: relaxed, or acquire and release."""

    object: str
    scope: ir.Scope
    ordered: bool


@dataclass(frozen=True, slots=True)
class Update:
    """One read-modify-write instead of a plain read followed by a plain write of an object."""

    object: str
    scope: ir.Scope


@dataclass(frozen=True, slots=True)
class Attribute:
    """A machine that has what a device attribute says."""

    name: str


@dataclass(frozen=True, slots=True)
class Cooperate:
    """A cooperative launch of a grid."""

    grid: str


@dataclass(frozen=True, slots=True)
class Synchronise:
    """``cudaDeviceSynchronize()`` after the launch of a grid, or ``cudaStreamSynchronize`` for the stream that it is
    launched in."""

    grid: str
    stream: str | None = None


@dataclass(frozen=True, slots=True)
class WaitForEvent:
    """An event that is recorded behind a grid, and for which the stream of another one waits before that."""

    first: str
    second: str


#: The operations of an assignment such as `n = n + a[i]`: a loop of reads has no end.
_MOST_STEPS = 8
#: The event that an edit adds.
_ADDED = "event of an edit"
_ModeEdit: TypeAlias = Widen | WidenFence | Strengthen | MakeAtomic
_StreamEdit: TypeAlias = Synchronise | WaitForEvent
Edit: TypeAlias = _ModeEdit | AddFence | Update | Attribute | Cooperate | _StreamEdit


def edited(run: Run, edits: Iterable[Edit]) -> Run:
    """The run of the program that edits make of it."""
    for edit in edits:
        match edit:
            case Attribute(name):
                settings = replace(run.settings, given={**run.settings.given, name: "1"})
                run = replace(run, settings=settings)
            case Cooperate(name):
                grid = replace(run.program.grids[name], cooperative=True)
                run = replace(run, program=replace(run.program, grids={**run.program.grids, name: grid}))
            case _:
                run = replace(run, program=run.program.with_bodies(_body_edit(edit, run.program)))
    return run


def _body_edit(edit: _ModeEdit | AddFence | Update | _StreamEdit, program: Program) -> Callable[[ir.Body], ir.Body]:
    match edit:
        case Update():
            return lambda body: _fused(body, edit)
        case Synchronise(grid, stream):
            waits = ir.DeviceSynchronize() if stream is None else ir.StreamSynchronize(stream)
            return lambda body: _beside(body, grid, waits, before=False)
        case WaitForEvent(first, second):
            streams = [program.grids[grid].stream.name for grid in (first, second)]
            record, wait = ir.EventRecord(_ADDED, streams[0]), ir.EventWait(_ADDED, streams[1])
            return lambda body: _beside(_beside(body, first, record, before=False), second, wait, before=True)
        case AddFence():
            return lambda body: _fenced(body, edit)
        case _:
            return lambda body: replace(body, nodes={i: _node(n, edit) for i, n in body.nodes.items()})


def _node(node: ir.Node, edit: _ModeEdit) -> ir.Node:
    return replace(node, operation=_operation(node.operation, node.span, edit)) if isinstance(node, ir.Do) else node


def _operation(operation: ir.Operation, at: Span, edit: _ModeEdit) -> ir.Operation:
    match operation, edit:
        case ir.Fence(), WidenFence(place, scope) if place == at:
            return replace(operation, scope=max(operation.scope, scope))
        case ir.Fence(), Strengthen(place, order) if place == at:
            return replace(operation, order=order)
        case ((ir.Load() | ir.Store() | ir.Rmw() | ir.CompareExchange() | ir.Await()), _):
            return replace(operation, mode=_mode(operation, at, edit))
        case ((ir.BarrierArrive() | ir.BarrierWait() | ir.BarrierTest()), Widen(name, scope)) if (
            operation.place.object == name
        ):
            return replace(operation, mode=replace(operation.mode, scope=max(operation.mode.scope, scope)))
        case _:
            return operation


def _mode(operation: ir.Access, at: Span, edit: _ModeEdit) -> ir.Mode:
    mode, name = operation.mode, operation.place.object
    match edit:
        case Widen() if mode.atomic and name == edit.object:
            return replace(mode, scope=max(mode.scope, edit.scope))
        case Strengthen() if mode.atomic and at == edit.at:
            return replace(mode, order=edit.order)
        case MakeAtomic() if not mode.atomic and name == edit.object:
            order = acquire_release(operation) if edit.ordered else ir.Order.RELAXED
            return replace(mode, order=order, scope=edit.scope, volatile=False)
        case _:
            return mode


def acquire_release(operation: ir.Access | ir.Fence) -> ir.Order:
    """The order that orders what is around an operation, short of seq_cst."""
    match operation:
        case ir.Load() | ir.Await(new=None):
            return ir.Order.ACQUIRE
        case ir.Store():
            return ir.Order.RELEASE
        case _:
            return ir.Order.ACQ_REL


def _fused(body: ir.Body, edit: Update) -> ir.Body:
    """The body with each pair of :func:`updates` as one atomic operation, behind what is read between them."""
    nodes = dict(body.nodes)
    for number, (read, *between, write) in updates(body, edit.object):
        operation = write.operation
        assert isinstance(read.operation, ir.Load)
        assert isinstance(operation, ir.Store)
        mode = replace(operation.mode, order=ir.Order.RELAXED, scope=edit.scope, volatile=False)
        rmw = ir.Rmw(read.operation.target, operation.place, operation.value, mode)
        steps = [*between, replace(write, operation=rmw)]
        places = [number, *range(max(nodes) + 1, max(nodes) + len(steps)), write.next]
        nodes |= {at: replace(step, next=then) for step, at, then in zip(steps, places, places[1:], strict=False)}
    return replace(body, nodes=nodes)


def updates(body: ir.Body, name: str) -> Iterator[tuple[int, list[ir.Do]]]:
    """The plain reads of an object that a plain write of it follows, whose value is computed from the read, with what
    is between: a few plain reads of other objects, at places that do not depend on it."""
    for number, node in body.nodes.items():
        match node:
            case ir.Do(ir.Load(target, place, ir.Mode(order=None))) if place.object == name:
                steps = [node]
            case _:
                continue
        while len(steps) < _MOST_STEPS and isinstance(following := body.nodes[steps[-1].next], ir.Do):
            steps.append(following)
            match following.operation:
                case ir.Load(other, ir.Place(object_, index), ir.Mode(order=None)) if (
                    object_ != name and other != target and target not in {leaf.name for leaf in leaves(index)}
                ):
                    continue
                case ir.Store(written, value, ir.Mode(order=None)) if place == written and target in {
                    leaf.name for leaf in leaves(value)
                }:
                    yield number, steps
                case _:
                    pass
            break


def _fenced(body: ir.Body, edit: AddFence) -> ir.Body:
    """The body with a fence at each operation at a place."""
    nodes = dict(body.nodes)
    fence = ir.Fence(ir.Order.SEQ_CST, edit.scope)
    for number, node in body.nodes.items():
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.Access) and node.span == edit.at:
            added = max(nodes) + 1
            first, second = (fence, node.operation) if edit.before else (node.operation, fence)
            nodes[number] = ir.Do(first, node.span, added)
            nodes[added] = ir.Do(second, node.span, node.next)
    return replace(body, nodes=nodes)


def _beside(body: ir.Body, grid: str, call: ir.Call, *, before: bool) -> ir.Body:
    """The body with a call before or after each launch of a grid."""
    nodes = dict(body.nodes)
    for number, node in body.nodes.items():
        if isinstance(node, ir.Do) and node.operation == ir.LaunchGrid(grid):
            added = max(nodes) + 1
            first, second = (call, node.operation) if before else (node.operation, call)
            nodes[number] = ir.Do(first, node.span, added)
            nodes[added] = ir.Do(second, node.span, node.next)
    return replace(body, nodes=nodes)


# ---------------------------------------------------------------- in words


_ASM = re.compile(r"(__)?asm\b|asm__\b")
FENCES = {
    ir.Scope.BLOCK: "__threadfence_block()",
    ir.Scope.DEVICE: "__threadfence()",
    ir.Scope.SYSTEM: "__threadfence_system()",
}
_PTX_ORDERS = {order: f"`.{word}`" for word, order in ORDERS.items()}
_PTX_SCOPES = {scope: f"`.{word}`" for word, scope in SCOPES.items()}


def is_ptx(at: Span, program: Program) -> bool:
    """Whether what is at a place is written in PTX."""
    source = source_of(at, program.source)
    litmus = at.file.endswith(".litmus") and source.text.lstrip().startswith("PTX")
    return litmus or at.file.endswith(".ptx") or _ASM.match(source.text_of(at)) is not None


def writes_value(at: Span, program: Program) -> bool:
    """Whether a stream writes a value at a place (``cuStreamWriteValue``)."""
    return any(g.span == at and g.kernel.startswith("cuStreamWriteValue") for g in program.grids.values())


def said(edits: Iterable[Edit], program: Program) -> str:
    """The edits as what a programmer would do, those of one kind together."""
    listed = sorted(edits, key=lambda e: isinstance(e, Strengthen))
    kinds: dict[object, list[Edit]] = {}
    for edit in listed:
        kind = (edit.order, is_ptx(edit.at, program)) if isinstance(edit, Strengthen) else edit
        kinds.setdefault(kind, []).append(edit)
    match parts := [_said(same, program) for same in kinds.values()]:
        case [one]:
            return one
        case [one, other]:
            return f"both {one} and {other}"
        case _:
            return f"all of this: {'; '.join(parts)}"


def _said(same: list[Edit], program: Program) -> str:
    match same[0]:
        case Widen(name, scope):
            there = places(program, name, atomic=True)
            return f"{_scope(scope, program, there)} for the atomic operations on `{_short(name)}` ({_lines(there)})"
        case WidenFence(at, scope):
            return f"{_scope(scope, program, {at})} for the fence at line {at.line}"
        case Strengthen(at, order):
            what = _PTX_ORDERS[order] if is_ptx(at, program) else f"memory_order_{order.value}"
            return f"{what} at {_lines({e.at for e in same if isinstance(e, Strengthen)})}"
        case AddFence(at) if writes_value(at, program):
            return f"the memory barrier of the value that is written at line {at.line} (CU_STREAM_WRITE_VALUE_DEFAULT)"
        case AddFence(at, scope, before):
            fence = f"`fence.sc{_PTX_SCOPES[scope][1:]}" if is_ptx(at, program) else FENCES[scope]
            return f"{fence} {'before' if before else 'after'} line {at.line}"
        case MakeAtomic(name, scope, ordered):
            there = places(program, name, atomic=False)
            how = "release stores and acquire loads" if ordered else "relaxed operations"
            return f"an atomic `{_short(name)}` at {_scope(scope, program, there)}, {how} ({_lines(there)})"
        case Update(name, scope):
            there = places(program, name, atomic=False)
            return (
                f"one atomic read-modify-write at {_scope(scope, program, there)} where `{_short(name)}` is read and "
                f"then written ({_lines(there)})"
            )
        case Attribute(name):
            return f"a machine with {name} = 1"
        case Cooperate(name):
            return (
                f"a cooperative launch of {name} (cudaLaunchCooperativeKernel), whose blocks are owed progress together"
            )
        case Synchronise(name, stream):
            call = "cudaDeviceSynchronize()" if stream is None else f"cudaStreamSynchronize({stream})"
            return f"{call} after the {_launch(name, program)}"
        case WaitForEvent(first, second):
            recorded = f"an event that is recorded after the {_launch(first, program)}"
            own = written_stream(program.grids[second])
            waits = "the legacy stream" if own == "0" else own
            return f"{recorded}, and cudaStreamWaitEvent of {waits} for it before the {_launch(second, program)}"
        case _ as never:
            assert_never(never)


def written_stream(grid: ir.Grid) -> str:
    """The stream that work was given to as it may be written: that which was captured, of a node of a graph."""
    if grid.node is not None and grid.node.stream:
        return grid.node.stream
    return "0" if grid.stream.kind == "legacy" else grid.stream.name


def _launch(name: str, program: Program) -> str:
    return work_and_place(program.grids[name])


def work_and_place(grid: ir.Grid) -> str:
    """What gives work to a stream: ``launch of use, at line 9``, ``copy, at line 9``."""
    what = work_kind(grid) if grid.work is ir.Work.COPY else grid.work.value
    what = f"launch of {grid.name}" if grid.work is ir.Work.KERNEL else what
    return f"{what}, at line {grid.span.line}"


def _scope(scope: ir.Scope, program: Program, places: Iterable[Span]) -> str:
    """A scope as it is written at some places."""
    cxx, ptx = f"thread_scope_{scope.name.lower()}", _PTX_SCOPES[scope]
    written = {is_ptx(at, program) for at in places}
    return ptx if written == {True} else f"{cxx} ({ptx} in PTX)" if True in written else cxx


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def places(program: Program, name: str, *, atomic: bool) -> set[Span]:
    """Source places of the accesses to an object that are atomic, or of those that are not."""
    return {
        node.span
        for node in operations(program)
        if isinstance(node.operation, ir.Access | ir.BarrierOperation)
        and node.operation.place.object == name
        and node.operation.mode.atomic == atomic
    }


def _lines(places: Iterable[Span]) -> str:
    texts = [str(n) for n in sorted({at.line for at in places})]
    return f"line {texts[0]}" if len(texts) == 1 else f"lines {', '.join(texts[:-1])} and {texts[-1]}"


def operations(program: Program) -> Iterator[ir.Do]:
    """Every operation of a program, once a body."""
    for body in bodies(program):
        yield from (node for node in body.nodes.values() if isinstance(node, ir.Do))


def bodies(program: Program) -> Collection[ir.Body]:
    """Every body of a program, once."""
    found = {id(b): b for b in (program.host.body, *(t.body for t in program.others))}
    found |= {id(g.body): g.body for g in program.grids.values()}
    return found.values()
