"""Programs of the fair-cycle oracle as Program forms, without a text: whatever the language can say of them today."""

from __future__ import annotations

from collections.abc import Iterable

from scopec.base.source import Source, Span
from scopec.program import ir, values
from scopec.program.program import Program
from scopec.program.types import BOOL, INT
from scopec.program.values import Builtin, Const, Reg, Value
from scopec.progress.models import MODELS, Model
from tests.oracles import fair_programs

_MODE = ir.Mode(ir.Order.SEQ_CST, ir.Scope.SYSTEM)
_OWN = "own"
_NOT_READY = Const(600, INT)


def built(program: fair_programs.Program) -> Program:
    """The Program form of an oracle's program; the source is a list of its statements."""
    text = _Text()
    streams = {name: _stream(name) for name in _streams(program)}
    objects = {
        name: ir.Object(name, text.span("object"), INT, ir.Storage.MANAGED, (v,)) for name, v in program.objects.items()
    }
    grids = {}
    for name, grid in program.grids.items():
        own = f"{name}.{_OWN}"
        objects[own] = ir.Object(own, text.span("automatic object"), INT, ir.Storage.AUTOMATIC, (None,))
        body = _Body(text, streams, own)
        bodies = {(b, t): _at(grid, b, t) for b in range(grid.blocks) for t in range(grid.threads)}
        entry = body.exit
        for (b, t), statements in bodies.items():
            is_it = values.binary("&&", _is("blockIdx.x", b), _is("threadIdx.x", t))
            entry = body.branch(is_it, body.sequence(statements, body.exit), entry)
        grids[name] = ir.Grid(
            name,
            name,
            text.span(name),
            ir.Dim(grid.blocks),
            ir.Dim(grid.threads),
            _stream(grid.stream, grid.device),
            body.done(entry),
            grid.device,
            ir.Dim(grid.cluster) if grid.cluster > 1 else None,
            grid.cooperative,
            work={"kernel": ir.Work.KERNEL, "copy": ir.Work.COPY, "function": ir.Work.HOST_FUNCTION}[grid.work],
        )
    hosts = []
    for name, statements in {"main": program.host, **program.others}.items():
        own = f"{name}.{_OWN}"
        objects[own] = ir.Object(own, text.span("automatic object"), INT, ir.Storage.SYSTEM, (None,))
        body = _Body(text, streams, own)
        hosts.append(ir.Thread(name, body.done(body.sequence(statements, body.exit))))
    main, *others = hosts
    source = Source(_Text.NAME, "\n".join(text.lines))
    return Program("built", source, objects, tuple(streams.values()), grids, main, {}, {}, tuple(others))


def assumed(says: fair_programs.Readings) -> Model:
    """The progress model of what an oracle assumes of the order in which blocks start."""
    name = "cuda-resident" if says.resident else "cuda-in-order" if says.in_order else "cuda"
    return MODELS[name]


def _at(grid: fair_programs.Grid, block: int, thread: int) -> fair_programs.Body:
    return grid.body(block, thread) if callable(grid.body) else grid.body[block, thread]


def _stream(name: str, device: int = 0) -> ir.Stream:
    if name == "0":
        return ir.legacy_stream(device)
    return ir.Stream(name, "non-blocking" if name.startswith("nb") else "blocking", device)


def _streams(program: fair_programs.Program) -> list[str]:
    calls = [s.stream for body in (program.host, *program.others.values()) for s in body if hasattr(s, "stream")]
    return sorted({*calls, *(grid.stream for grid in program.grids.values() if grid.device == 0)})


def _is(builtin: str, value: int) -> Value:
    return values.binary("==", Builtin(builtin, INT), Const(value, INT))


class _Text:
    NAME = "built.cu"

    def __init__(self) -> None:
        self.lines: list[str] = []

    def span(self, what: str) -> Span:
        self.lines.append(what)
        return Span(self.NAME, len(self.lines), 1, len(self.lines), len(what) + 1)


class _Body:
    """A control-flow graph, from its end to its beginning."""

    def __init__(self, text: _Text, streams: dict[str, ir.Stream], own: str) -> None:
        self.text = text
        self.streams = streams
        self.own = own
        self.nodes: dict[int, ir.Node] = {}
        self.here = text.span("the end")
        self.exit = self.add(ir.Exit(self.here))

    def add(self, node: ir.Node) -> int:
        number = len(self.nodes)
        self.nodes[number] = node
        return number

    def branch(self, condition: Value, then: int, otherwise: int) -> int:
        return self.add(ir.Branch(condition, self.here, then, otherwise))

    def do(self, operation: ir.Operation, following: int) -> int:
        return self.add(ir.Do(operation, self.here, following))

    def loop(self, condition: Value, following: int, *operations: ir.Operation) -> int:
        """``do operations while (condition)``."""
        back = self.add(ir.Exit(self.here))
        entry = back
        for operation in reversed(operations):
            entry = self.do(operation, entry)
        self.nodes[back] = ir.Branch(condition, self.here, entry, following)
        return entry

    def done(self, entry: int) -> ir.Body:
        return ir.Body(entry, self.nodes, {})

    def sequence(self, statements: Iterable[fair_programs.Stmt], following: int) -> int:
        for statement in reversed(tuple(statements)):
            self.here = self.text.span(str(statement))
            following = self.statement(statement, following)
        return following

    def register(self) -> Reg:
        return Reg(f"r{len(self.nodes)}", INT)

    def statement(self, statement: fair_programs.Stmt, following: int) -> int:
        r = self.register()
        match statement:
            case fair_programs.AtomicStore(obj, value):
                return self.do(ir.Store(_place(obj), Const(value, INT), _MODE), following)
            case fair_programs.PlainStore(obj, value):
                return self.do(ir.Store(_place(obj), Const(value, INT), ir.PLAIN), following)
            case fair_programs.AtomicAdd(obj, value):
                new = values.binary("+", r, Const(value, INT))
                return self.do(ir.Rmw(r.name, _place(obj), new, _MODE), following)
            case fair_programs.Spin(_, _, "automatic"):
                inside = self.loop(_equal(r, 1), following, ir.Load(r.name, _place(self.own), ir.VOLATILE))
                return self.do(ir.Store(_place(self.own), Const(1, INT), ir.VOLATILE), inside)
            case fair_programs.Spin(obj, value, kind):
                mode = {"atomic": _MODE, "volatile": ir.VOLATILE, "plain": ir.PLAIN}[kind]
                return self.loop(_other(r, value), following, ir.Load(r.name, _place(obj), mode))
            case fair_programs.LockSpin(obj):
                return self.loop(_other(r, 0), following, ir.Rmw(r.name, _place(obj), Const(1, INT), _MODE))
            case fair_programs.WeakLockSpin(obj):
                won, seen = Reg(f"{r.name}.won", BOOL), f"{r.name}.seen"
                exchange = ir.CompareExchange(
                    r.name, won.name, _place(obj), Const(0, INT), Const(1, INT), _MODE, ir.Order.SEQ_CST, weak=True
                )
                # The load's value is never used, but it counts and lies on a cycle.
                back = self.add(ir.Exit(self.here))
                entry = self.do(exchange, self.branch(won, following, back))
                self.nodes[back] = ir.Do(ir.Load(seen, _place(obj), _MODE), self.here, entry)
                return entry
            case fair_programs.Acquire(obj):
                more = values.binary(">", r, Const(0, INT))
                less = values.binary("-", r, Const(1, INT))
                return self.do(ir.Await(r.name, _place(obj), more, _MODE, less), following)
            case fair_programs.WaitWhile(obj, value):
                return self.do(ir.Await(r.name, _place(obj), _other(r, value), _MODE, None, notified=True), following)
            case fair_programs.Notify(obj, everyone):
                return self.do(ir.Notify(_place(obj), everyone), following)
            case fair_programs.LoopForever("atomic_store", obj, value):
                return self.loop(values.TRUE, following, ir.Store(_place(obj), Const(value, INT), _MODE))
            case fair_programs.LoopForever("atomic_load", obj):
                return self.loop(values.TRUE, following, ir.Load(r.name, _place(obj), _MODE))
            case fair_programs.LoopForever("yield"):
                return self.loop(values.TRUE, following, ir.Yield())
            case fair_programs.LoopForever():
                return self.loop(values.TRUE, following)
            case fair_programs.LocalLoop(n):
                step = ir.Set(r.name, values.binary("+", r, Const(1, INT)))
                inside = self.loop(values.binary("<", r, Const(n, INT)), following, step)
                return self.do(ir.Set(r.name, Const(0, INT)), inside)
            case fair_programs.SyncThreads():
                return self.do(ir.SyncThreads(), following)
            case fair_programs.GroupSync(group):
                return self.do(ir.GroupSync(ir.Group(group)), following)
            case fair_programs.IfEquals(obj, value, then):
                inner = self.sequence(then, following)
                return self.do(ir.Load(r.name, _place(obj), _MODE), self.branch(_equal(r, value), inner, following))
            case fair_programs.Yield():
                return self.do(ir.Yield(), following)
            case fair_programs.Launch(grid):
                return self.do(ir.LaunchGrid(grid), following)
            case fair_programs.DeviceSynchronize(device):
                return self.do(ir.DeviceSynchronize(device), following)
            case fair_programs.StreamSynchronize(stream):
                return self.do(ir.StreamSynchronize(self.streams[stream].name), following)
            case fair_programs.StreamQueryOnce(stream):
                return self.do(ir.StreamQuery(r.name, self.streams[stream].name), following)
            case fair_programs.QuerySpin(obj, value, stream):
                back = self.add(ir.Exit(self.here))
                query = self.do(ir.StreamQuery(f"{r.name}.q", self.streams[stream].name), back)
                test = self.do(ir.Load(r.name, _place(obj), _MODE), self.branch(_equal(r, value), following, query))
                self.nodes[back] = ir.Branch(values.TRUE, self.here, test, test)
                return test
            case fair_programs.EventRecord(event, stream):
                return self.do(ir.EventRecord(event, self.streams[stream].name), following)
            case fair_programs.EventWait(event, stream):
                return self.do(ir.EventWait(event, self.streams[stream].name), following)
            case fair_programs.EventSynchronize(event):
                return self.do(ir.EventSynchronize(event), following)
            case fair_programs.EventQuerySpin(event):
                not_ready = values.binary("==", r, _NOT_READY)
                return self.loop(not_ready, following, ir.EventQuery(r.name, event))
            case fair_programs.Create(thread):
                return self.do(ir.CreateThread(thread), following)
            case fair_programs.Join(thread):
                return self.do(ir.JoinThread(thread), following)


def _place(obj: str) -> ir.Place:
    return ir.Place(obj, Const(0, INT))


def _equal(register: Reg, value: int) -> Value:
    return values.binary("==", register, Const(value, INT))


def _other(register: Reg, value: int) -> Value:
    return values.binary("!=", register, Const(value, INT))
