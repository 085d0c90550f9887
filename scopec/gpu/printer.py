"""Operations of a device thread as CUDA C++: each access an instruction of PTX."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.gpu.cxx import cxx, type_name
from scopec.program import ir, values
from scopec.program.observe import Location, instance
from scopec.program.show import words
from scopec.program.types import IntType
from scopec.program.values import Binary, Choose, Reg, Unary, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.base.source import Span
    from scopec.gpu.layout import Memory
    from scopec.program.program import Program


SCOPES = {ir.Scope.BLOCK: "cta", ir.Scope.CLUSTER: "cluster", ir.Scope.DEVICE: "gpu", ir.Scope.SYSTEM: "sys"}


#: The read-modify-writes that are an instruction, and the kind of number that it takes.
_ATOMS = {"+": ("add", "u"), "-": ("add", "u"), "&": ("and", "b"), "|": ("or", "b"), "^": ("xor", "b"),
          "min": ("min", "su"), "max": ("max", "su")}  # fmt: skip


#: The ends of a thread, in the harness and in what it writes.
FINISHED, UNFINISHED, FIRST_FAULT = 0, 1, 2


#: The word of an instance at which a grid meets.
MEETING = Location("(grid)")


#: The uses of the library's objects that have a number as their state, as data has.
_NUMBERS = (ir.Use.DATA, ir.Use.LATCH, ir.Use.SEMAPHORE)


@dataclass(frozen=True)
class Launches:
    """The threads that are to begin and to end before something, if host threads run, too, and the words that say so.

    ``started`` says of a grid or of a created thread that it begins, ``ended`` of a thread that it has ended; ``grids``
    are the threads of each grid, ``before`` the grids that come before one in their streams.
    """

    started: Mapping[str, Location]
    ended: Mapping[str, Location]
    grids: Mapping[str, tuple[str, ...]]
    before: Mapping[str, tuple[str, ...]]

    @property
    def words(self) -> tuple[Location, ...]:
        """All of them."""
        return (*self.started.values(), *self.ended.values())


def refuse(message: str, span: Span) -> NoReturn:
    """Refuse by name what cannot be run: InputError."""
    raise error(Code.OUTSIDE_SUBSET, f"`scopec run` does not run {message}", span, "docs/run.md lists what it runs")


@dataclass(frozen=True)
class Printer:
    """Prints the nodes of a thread's graph."""

    thread: ir.Thread
    program: Program
    memory: Memory
    faults: list[ir.Assert]
    lanes: Mapping[int, int]
    roles: int
    launches: Launches | None
    names: Mapping[str, str]

    def before(self) -> Iterator[str]:
        """The lines with which a thread waits for its launch, and for work that is to end before."""
        start = self.thread.grid or self.thread.name
        if self.launches is None or start not in self.launches.started:
            return
        yield f"    if (!p.begins({self._word(self.launches.started[start])})) goto end;"
        for grid in self.launches.before.get(start, ()):
            yield f"    {self._ended(grid)}"

    def after(self) -> Iterator[str]:
        """The lines with which an ending thread says that what it has not launched never begins."""
        for node in self.thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.LaunchGrid | ir.CreateThread):
                yield f"    p.never({self._start(node.operation)});"

    def at_the_end(self) -> Iterator[str]:
        """The line with which a thread says that it has ended."""
        if self.launches is not None:
            yield f"    tell(p.mapped({self._word(self.launches.ended[self.thread.name])}), 1);"

    def _word(self, location: Location) -> int:
        return self.memory.anywhere[location]

    def _start(self, operation: ir.LaunchGrid | ir.CreateThread) -> int:
        assert self.launches is not None
        name = operation.grid if isinstance(operation, ir.LaunchGrid) else operation.thread
        return self._word(self.launches.started[name])

    def _ended(self, grid: str) -> str:
        """Waits for the threads of a grid, if it has been launched."""
        assert self.launches is not None
        ends = " ".join(f"p.ends({self._word(self.launches.ended[name])});" for name in self.launches.grids[grid])
        return f"if (look(p.mapped({self._word(self.launches.started[grid])})) == 1) {{ {ends} }}"

    def node(self, number: int, node: ir.Node, place: Mapping[int, int]) -> Iterator[str]:
        """The lines of a node, and those that lead on from it."""

        def go(to: int) -> str:
            back = place[to] <= place[number]
            return f"{{ if (--left == 0) {{ ended = UNFINISHED; goto end; }} goto n{to}; }}" if back else f"goto n{to};"

        yield f"n{number}:"
        match node:
            case ir.Do(operation, span, following):
                yield f"    // line {span.line}: {' '.join(words(operation)[0].split())}"
                for line in self._at_node(number, operation, span):
                    yield f"    {line}"
                if place[following] != place[number] + 1:
                    yield f"    {go(following)}"
            case ir.Branch(condition, span, then, otherwise):
                yield f"    if ({self._cxx(condition, span)}) {go(then)} else {go(otherwise)}"
            case ir.Exit():
                yield "    goto end;"

    def _at_node(self, _: int, operation: ir.Operation, span: Span) -> Iterator[str]:
        """The lines of the operation of a node."""
        yield from self._operation(operation, span)

    def _cxx(
        self, value: Value, span: Span, type_: IntType | None = None, more: Mapping[str, str] | None = None
    ) -> str:
        """A value in C++, of the type given; ``more`` are registers of the place."""
        if values.size(value) > 2000:
            refuse("a value of more than 2,000 operations", span)
        if value.type.bits > 64 or value.type.is_float:
            refuse(f"values of type `{value.type.name}`", span)
        text = cxx(value, {**self.names, **(more or {})})
        return text if type_ is None or value.type == type_ else f"{type_name(type_)}({text})"

    def _operation(self, operation: ir.Operation, span: Span) -> Iterator[str]:
        match operation:
            case ir.Set(target, value):
                yield f"{self.names[target]} = word({self._cxx(value, span)});"
            case ir.Load(target, place, mode):
                yield self._load(target, place, mode, span)
            case ir.Store(place, value, mode):
                yield self._store(place, value, mode, span)
            case ir.Rmw():
                yield from self._rmw(operation, span)
            case ir.Fence(_, ir.Scope.THREAD):
                yield ";"
            case ir.Fence(order, scope):
                yield self._fence(order, scope)
            case ir.Await(target, place, condition, mode, new):
                test = self._cxx(condition, span)
                yield "for (;;) {"
                yield f"    {self._load(target, place, mode if new is None else _relaxed(mode), span)}"
                if new is None:
                    yield f"    if ({test}) break;"
                else:
                    yield f"    if ({test}) {{"
                    yield f"        const word old = {self.names[target]};"
                    yield f"        {self._swap(target, place, new, mode, span)}"
                    yield f"        if ({self.names[target]} == old) break;"
                    yield "    }"
                yield "    if (--left == 0) { ended = UNFINISHED; goto end; }"
                yield "}"
            case ir.Assert(condition):
                if operation not in self.faults:
                    self.faults.append(operation)
                number = FIRST_FAULT + self.faults.index(operation)
                yield f"if (!{self._cxx(condition, span)}) {{ ended = {number}; goto end; }}"
            case ir.SyncThreads(None):
                yield 'asm volatile("barrier.cta.sync 0;" ::: "memory");'
            case ir.SyncThreads(ir.Vote(target, function_, predicate)):
                said = f"{'!' * (function_ == 'and')}({self._cxx(predicate, span)} != 0)"
                result = {"count": "", "and": " == 0", "or": " != 0"}[function_]
                yield f"{self.names[target]} = p.vote(polls++, {said}){result};"
            case ir.NamedBarrier(vote=None):
                yield self._named(operation, span)
            case ir.GroupSync(ir.Group.WARP | ir.Group.TILE, _, exchange):
                lanes = f"p.lanes({self._bits(operation):#x})"
                if exchange is None:
                    yield f"__syncwarp({lanes});"
                else:
                    yield from self._exchange(exchange, lanes, span)
            case ir.GroupSync(ir.Group.CLUSTER):
                yield 'asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");'
            case ir.GroupSync(ir.Group.GRID):
                yield f"met += {self.roles};"
                meeting = self.memory.anywhere[MEETING]
                yield f"for (p.arrive({meeting}); p.arrived({meeting}) < met;)"
                yield "    if (--left == 0) { ended = UNFINISHED; goto end; }"
            case ir.Yield(True) if not self.thread.is_host:
                yield "__nanosleep(20);"
            case ir.LaunchGrid() | ir.CreateThread():
                yield f"tell(p.mapped({self._start(operation)}), 1);"
            case ir.JoinThread(name) if self.launches is not None:
                yield f"p.ends({self._word(self.launches.ended[name])});"
            case ir.DeviceSynchronize(device) if self.launches is not None:
                of_it = [name for name in self.launches.grids if self.program.grids[name].device == device]
                yield " ".join(map(self._ended, of_it)) or ";"
            case ir.StreamSynchronize(stream) if self.launches is not None:
                of_it = [name for name in self.launches.grids if self.program.grids[name].stream.name == stream]
                yield " ".join(map(self._ended, of_it)) or ";"
            case ir.ApiCall() | ir.EndProcess():
                yield ";"
            case (
                ir.Yield()
                | ir.InputOutput()
                | ir.SideEffect()
                | ir.Lifetime()
                | ir.Notify()
                | ir.Operand()
                | ir.Called()
            ):
                yield ";"
            case ir.Decide(target, "failure" | "order"):
                yield f"{self.names[target]} = 1;"
            case _:
                refuse(f"`{words(operation)[0]}`", span)

    def _bits(self, operation: ir.GroupSync) -> int:
        """The positions of the lanes that meet: those of a mask, or of the thread's tile."""
        here, size = self.thread.lane % WARP, operation.mask
        mask = size if operation.group is ir.Group.WARP else (1 << size) - 1 << here // size * size
        return sum(1 << position for lane, position in self.lanes.items() if mask >> lane & 1)

    def _exchange(self, exchange: ir.Exchange, lanes: str, span: Span) -> Iterator[str]:
        """Lines for what lanes bring each other, a shuffle for each that somebody looks at."""
        leaves = {leaf.name for result in exchange.results for leaf in values.leaves(result)}
        yield f"{{   const unsigned all = {lanes}, here = __ballot_sync(all, true);"
        yield f"    const word given = word({self._cxx(exchange.value, span)});"
        more = {}
        for lane in range(WARP):
            at = f"p.first_lane + {self.lanes[lane]}" if lane in self.lanes else None
            for what, text in ((ir.brought(lane), "__shfl_sync(all, given, {})"), (ir.came(lane), "here >> ({}) & 1")):
                if what in leaves:
                    more[what] = f"{'bc'[what == ir.came(lane)]}{lane}"
                    yield f"    const word {more[what]} = {text.format(at) if at else 0};"
        for target, result in zip(exchange.targets, exchange.results, strict=True):
            yield f"    {self.names[target]} = word({self._cxx(result, span, None, more)});"
        yield "    (void)here; (void)given; }"

    def _named(self, barrier: ir.NamedBarrier, span: Span) -> str:
        """A barrier with a name: a warp of the GPU arrives as 32 threads, whichever of its lanes does.

        A litmus file's thread has a warp of its own; of others a lane arrives for its warp.
        """
        number, *others = barrier.name
        if any(not (isinstance(other, values.Const) and other.value == 0) for other in others):
            refuse("barriers with other names than numbers", span)
        asked = f'"r"(u32({self._cxx(number, span)}))'
        if barrier.count is None:
            if not barrier.waits:
                refuse("an arrival without a count", span)
            return f'asm volatile("barrier.cta.sync %0;" :: {asked} : "memory");'
        if not isinstance(barrier.count, values.Const):
            refuse("a barrier of a count that varies", span)
        count = barrier.count.value * (32 if self.thread.grid is None or barrier.warps else 1)
        if count % WARP:
            refuse("a barrier of a count that is not of whole warps", span)
        what = "sync" if barrier.waits else "arrive"
        return f'asm volatile("barrier.cta.{what} %0, {count};" :: {asked} : "memory");'

    def _place(self, place: ir.Place, span: Span) -> tuple[IntType, str, str]:
        """The type of what is accessed, its address, and its state space."""
        object_ = self.program.objects[place.object]
        if object_.use not in _NUMBERS:
            refuse(f"operations on a {object_.use.value}", span)
        return self._address(place, span)

    def _address(self, place: ir.Place, span: Span) -> tuple[IntType, str, str]:
        object_ = self.program.objects[place.object]
        fixed = place.index.value if isinstance(place.index, values.Const) else 0
        index = "" if isinstance(place.index, values.Const) else self._cxx(place.index, span)
        location = Location(object_.name, fixed, instance(object_, self.thread))
        space, at = self.memory.address(location, self.thread.block_name, index, object_.size)
        return object_.type, at, space

    def _mode(self, mode: ir.Mode, span: Span) -> str:
        if mode.proxy is not ir.Proxy.GENERIC or mode.alias:
            refuse("accesses through other proxies, or by other virtual addresses", span)
        if mode.volatile or mode.order is None:
            return "volatile" if mode.volatile else "weak"
        if mode.scope is ir.Scope.THREAD:
            refuse("atomic operations of thread scope", span)
        return f"{mode.order.value}.{SCOPES[mode.scope]}"

    def _store(self, place: ir.Place, value: Value, mode: ir.Mode, span: Span) -> str:
        type_, at, space = self._place(place, span)
        text = f"st.{self._mode(mode, span)}.{space}.b{_width(type_)} [%0], %1;"
        return f'asm volatile("{text}" :: "l"({at}), {_operand(type_, self._cxx(value, span, type_))} : "memory");'

    def _fence(self, order: ir.Order, scope: ir.Scope) -> str:
        return f'asm volatile({_FENCES[order]} ".{SCOPES[scope]};" ::: "memory");'

    def _load(self, target: str, place: ir.Place, mode: ir.Mode, span: Span) -> str:
        type_, at, space = self._place(place, span)
        text = f"ld.{self._mode(mode, span)}.{space}.b{_width(type_)} %0, [%1];"
        return self._read(target, type_, text, f'"l"({at})')

    def _read(self, target: str, type_: IntType, text: str, operands: str) -> str:
        got, constraint = ("u64", "l") if type_.bits == 64 else ("u32", "r")
        assembly = f'asm volatile("{text}" : "={constraint}"(got) : {operands} : "memory");'
        return f"{{ {got} got; {assembly} {self.names[target]} = word({type_name(type_)}(got)); }}"

    def _rmw(self, operation: ir.Rmw, span: Span) -> Iterator[str]:
        type_, at, space = self._place(operation.place, span)
        mode, bits = self._mode(operation.mode, span), _width(type_)
        if operation.mode.order is None:
            refuse("a read-modify-write that is not atomic", span)
        name, kinds, new = self._atom(operation, type_, span)
        given = ", ".join(_operand(type_, operand) for operand in new)
        if name is None:  # in one step by way of compare-and-swap, as the library has what is no instruction
            got = self.names[operation.target]
            yield "for (word old;;) {"
            yield f"    {self._load(operation.target, operation.place, _relaxed(operation.mode), span)} old = {got};"
            yield f"    {self._swap(operation.target, operation.place, operation.new, operation.mode, span)}"
            yield f"    if ({got} == old) break;"
            yield "}"
            return
        kind = kinds if len(kinds) == 1 else "su"[not type_.signed]
        if operation.reduction and name in ("exch", "cas"):
            refuse(f"a reduction that is `{name}`", span)
        places = ", ".join(f"%{n + 2 - operation.reduction}" for n in range(len(new)))
        text = f"{'red' if operation.reduction else 'atom'}.{mode}.{space}.{name}.{kind}{bits} "
        if operation.reduction:
            yield f'asm volatile("{text}[%0], {places};" :: "l"({at}), {given} : "memory");'
        else:
            yield self._read(operation.target, type_, f"{text}%0, [%1], {places};", f'"l"({at}), {given}')

    def _swap(self, target: str, place: ir.Place, new: Value, mode: ir.Mode, span: Span) -> str:
        """Compare and swap against ``old``: ``new`` mentions that as the register that gets what was found."""
        type_, at, space = self._place(place, span)
        text = f"atom.{self._mode(mode, span)}.{space}.cas.b{_width(type_)} %0, [%1], %2, %3;"
        operands = f'"l"({at}), {_operand(type_, f"{type_name(type_)}(old)")}'
        return self._read(target, type_, text, f"{operands}, {_operand(type_, self._cxx(new, span, type_))}")

    def _atom(self, operation: ir.Rmw, type_: IntType, span: Span) -> tuple[str | None, str, list[str]]:
        """The instruction that a read-modify-write is, the kinds of number that it takes, and its operands."""

        def is_old(value: Value) -> bool:
            return isinstance(value, Reg) and value.name == operation.target

        def free(value: Value) -> bool:
            return all(leaf.name != operation.target for leaf in values.leaves(value))

        match operation.new:
            case Choose(Binary("==", old, expected), desired, kept) if (
                is_old(old) and is_old(kept) and free(expected) and free(desired)
            ):
                return "cas", "b", [self._cxx(expected, span, type_), self._cxx(desired, span, type_)]
            case Binary(op, old, new, _) if op in _ATOMS and is_old(old) and free(new) and type_.bits >= 32:
                value = Unary("-", new, new.type) if op == "-" else new
                return (*_ATOMS[op], [self._cxx(value, span, type_)])
            case new if free(new):
                return "exch", "b", [self._cxx(new, span, type_)]
            case new:
                return None, "", [self._cxx(new, span, type_)]


#: Fences of one direction are instructions from sm_90 on; a macro of the harness says what they are before.
_FENCES = {
    ir.Order.ACQUIRE: "FENCE_ACQUIRE",
    ir.Order.RELEASE: "FENCE_RELEASE",
    ir.Order.ACQ_REL: '"fence.acq_rel"',
    ir.Order.SEQ_CST: '"fence.sc"',
}


def _width(type_: IntType) -> int:
    """The bits of an access: what is narrower than a word of 32 bits is accessed as one."""
    return max(32, type_.bits)


def _operand(type_: IntType, text: str) -> str:
    return f'"l"(u64({text}))' if type_.bits == 64 else f'"r"(u32({text}))'


def _relaxed(mode: ir.Mode) -> ir.Mode:
    return replace(mode, order=ir.Order.RELAXED)
