"""The machine: executes the LLVM code of one thread, what is known at once, the rest as a control-flow graph.

A thread's indices and parameters are known, so addresses and most branches are too.  What comes from memory that other
threads may write is in registers of the program.  Where paths meet in the same state, the graph goes on once; numbers
that differ between too many such states, as counters of loops do, become registers too, and the thread begins anew.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import InputError, error
from scopec.frontends.clang.evaluation_order.footprints import Touch, Touched, touch_of
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.bits import EVERY_BIT, may_be_set
from scopec.frontends.clang.llvm.numbers import as_type, compare, kept, number, signed
from scopec.frontends.clang.machine.access import home
from scopec.frontends.clang.machine.bulk import copy_bytes
from scopec.frontends.clang.machine.instructions import operand, value_of
from scopec.frontends.clang.machine.lifetimes import begin, end_all
from scopec.frontends.clang.machine.memory import (
    ARRIVED,
    Address,
    Cell,
    Cells,
    Code,
    Content,
    Held,
    Opaque,
    Private,
    Record,
    Region,
    Unset,
    overlapping,
)
from scopec.frontends.clang.machine.spawned import Launch
from scopec.frontends.clang.machine.state import (
    AT_EXIT,
    UNTIL_WAYS_MEET,
    Again,
    Done,
    Entering,
    Frame,
    Holder,
    Knowledge,
    State,
)
from scopec.frontends.clang.machine.steps import compute
from scopec.frontends.clang.machine.undefined import check_at_trap, leads_to_trap
from scopec.frontends.clang.machine.world import Side, World, refused, unused
from scopec.program import faults, ir, values
from scopec.program.builder import Builder
from scopec.program.dead_assignments import without_unread
from scopec.program.effects import effects, place_of
from scopec.program.specialise import cluster_name
from scopec.program.types import INT, LONG, IntType
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scopec.base.source import Span
    from scopec.frontends.clang.evaluation_order.footprints import Site
    from scopec.frontends.clang.llvm.debug import Place

#: In so many different states a thread may come to one place, before the numbers in which they differ are registers.
_MOST_STATES = 8
_MOST_CALLS = 64
_MOST_NODES = 50_000


def _block(builtins: Mapping[str, int]) -> int:
    """The linear index of a block in its grid; 0 on the host."""
    index = 0
    for axis in "zyx":
        index = index * builtins.get(f"gridDim.{axis}", 1) + builtins.get(f"blockIdx.{axis}", 0)
    return index


class Machine:
    """One run of one thread."""

    def __init__(
        self, world: World, side: Side, thread: str, builtins: Mapping[str, int], known: Knowledge,
        called: Callable[[Machine, State, llvm.Instruction], bool], device: int = 0,
    ) -> None:  # fmt: skip
        self._called = called
        self.device = device
        self.world = world
        self.side = side
        self.thread = thread
        self.builtins = builtins
        self.block = _block(builtins)
        self.known = known
        self.builder = Builder()
        self.variables: dict[str, IntType] = {}
        self.ambiguous: set[str] = set()
        self._names: dict[tuple[object, ...], str] = {}
        self.owners: dict[str, Private] = {}
        #: Registers that hold masks, with the lanes that may be in them.
        self.lanes: dict[str, int] = {}
        self._numbers: set[str] = set()  # variables that hold no mask
        #: In how many ways the thread goes on behind a mask that is told apart.
        self.ways = 1
        #: The types of local variables, as LLVM has them.
        self.allocated: dict[Private, llvm.Type] = {}
        #: What the source calls a region, the metadata of its type, and the place of its declaration.
        self.named: dict[Region, tuple[str, str, Span]] = {}
        #: The types that the source gives to numbers of a region, by their places in it.
        self.types: dict[Region, dict[int, IntType]] = {}
        #: The registers of the program that are variables of the source, by their places in private memory.
        self.cells: dict[Private, dict[int, Reg]] = {}
        self._seen: dict[tuple[object, ...], int] = {}
        self._states: dict[tuple[object, ...], list[State]] = {}
        self._work: list[tuple[int, State]] = []
        self._emitted = 0
        self._unset: InputError | None = None
        self.last = world.span(None)
        self.touched: Touched = {}
        #: How many evaluations of operands in no order there are.
        self.evaluations = 0

    # ---------------------------------------------------------------- the way through the code

    def run(
        self, function: llvm.Function, arguments: Iterable[Content], cells: Cells, first: Iterable[llvm.Function] = ()
    ) -> ir.Body:
        """The graph of a thread that begins with a call, after some without arguments."""
        state = State([], dict(cells))
        self.call(state, function, list(arguments), None, None)
        main = state.frames.pop()
        waiting = [main]
        for initialiser in reversed(tuple(first)):
            self.call(state, initialiser, [], None, None)
            waiting.append(replace(state.frames.pop(), calls=(("before main", "", 0),)))
        state.frames = waiting
        self._go_on(state)
        while self._work:
            label, state = self._work.pop()
            self.builder.place(label)
            self._go_on(state)
        if self._unset is not None:
            raise self._unset
        return without_unread(self.builder.finish(self.variables, frozenset(self.ambiguous)))

    def _go_on(self, state: State) -> None:
        try:
            if isinstance(state, Entering) and not self.enter(state, state.target):
                return
            while state.frames:
                frame = state.frame
                if not self._step(state, frame.function.blocks[frame.label][frame.at]):
                    return
        except Done:
            return
        except InputError as found:
            if found.diagnostics[0].code is not Codes.UNINITIALISED:
                raise
            self._unset = self._unset or found  # what another way finds out may make this one go elsewhere
            return
        self.builder.end(self.last)

    def later(self, state: State) -> int:
        """A label for what is to be done in a state."""
        label = self.builder.label()
        self._work.append((label, state))
        return label

    def enter(self, state: State, target: str) -> bool:
        """Go on at a block; False if the thread has been there in such a state."""
        frame = state.frame
        source, frame.label, frame.at = frame.label, target, 0
        block = frame.function.blocks[target]
        chosen: dict[str, Content] = {}
        for instruction in block:
            if not isinstance(instruction.action, llvm.Phi):
                break
            phi = instruction.action
            given = next(value for value, label in phi.incoming if label == source)
            assert instruction.result is not None
            chosen[instruction.result] = operand(self, state, llvm.Typed(phi.type, given))
            frame.at += 1
        about = self.side.flow(frame.function)
        frame.env = {
            name: c for name, c in (frame.env | chosen).items() if name in about.live[target] or name in chosen
        }
        self._forget(state, about.scalars)
        return self._meet(state) if target in about.joins else True

    def _forget(self, state: State, scalars: frozenset[str]) -> None:
        """What a call does not read again tells no states apart."""
        frame = state.frame
        for name in scalars - self.side.flow(frame.function).scalars_live[frame.label][frame.at]:
            state.cells.pop((Private(frame.calls, name), 0), None)

    def _meet(self, state: State) -> bool:
        position = state.position()
        for passing in [at for at in state.cells if at[0].name.startswith(UNTIL_WAYS_MEET)]:
            del state.cells[passing]
        for holder in sorted(self.known.registers.get(position, ()), key=repr):
            self._to_register(state, holder)
        for region, at, bits in sorted(self.known.lacking, key=repr):
            if any(frame.calls == region.calls for frame in state.frames):
                self._to_register(state, (region, at))
                size = llvm.size(llvm.Int(bits))
                if not overlapping(state.cells, region, at, size):
                    state.cells[region, at] = Cell(size, kept(self._cell_register(region, at, signed(bits))))
        key = state.key()
        if key in self._seen:
            label = self._seen[key]
            if self.builder.is_here(label):  # a loop without an operation: `while (true);`
                self.builder.split(values.TRUE, self.span(state), label, label)
            else:
                self.builder.jump(label)
            return False
        label = self._seen[key] = self.builder.label()
        self.builder.place(label)
        others = self._states.setdefault(position, [])
        others.append(state.copy())
        if len(others) > _MOST_STATES * self.ways:
            self._generalise(position, others, state)
        return True

    def lacking(self, region: Private, at: int, bits: int) -> Content:
        """What a local variable is that has no value here: its register, once it is known that somebody reads it."""
        if (region, at, bits) in self.known.lacking:
            return kept(self._cell_register(region, at, signed(bits)))
        return Unset((region, at, bits))

    def _generalise(self, position: tuple[object, ...], states: list[State], state: State) -> None:
        found = self.known.registers.setdefault(position, set())
        before = len(found)
        first, *rest = (self._holders(one) for one in states)
        for holder, content in first.items():
            for other in rest:
                differs = isinstance(content, Const) and holder in other and other[holder] != content
                if differs and not self._is_way(state, holder):
                    found.add(holder)
        if len(found) > before:
            raise Again
        if len(states) > 8 * _MOST_STATES * self.ways:
            message = "here the program is in more states than scopec follows, which differ in what pointers point to"
            raise error(Codes.TOO_LARGE, message, self.span(state))

    def _is_way(self, state: State, holder: Holder) -> bool:
        """Whether a holder says what way was taken: as a register it would lead to ways that nobody takes."""
        region = holder[0]
        return isinstance(region, Private) and any(
            frame.calls == region.calls and region.name in self.side.flow(frame.function).ways for frame in state.frames
        )

    def _holders(self, state: State) -> dict[Holder, Content]:
        found: dict[Holder, Content] = {key: cell.content for key, cell in state.cells.items()}
        for depth, frame in enumerate(state.frames):
            found |= {(depth, name): content for name, content in frame.env.items()}
        return found

    def _to_register(self, state: State, holder: Holder) -> None:
        """Put a known number into a register of the program."""
        match holder:
            case (Private() as region, int(at)):
                cell = state.cells.get((region, at))
                if cell is not None and isinstance(cell.content, Const):
                    register = self._cell_register(region, at, cell.content.type)
                    self.assign(state, register, as_type(cell.content, register.type), but=(region, at))
                    state.cells[region, at] = Cell(cell.bytes, kept(register))
            case (int(depth), str(name)):
                frame = state.frames[depth]
                content = frame.env.get(name)
                if isinstance(content, Const):
                    register = self.register(frame.calls, name, content.type)
                    self.assign(state, register, content)
                    frame.env[name] = register
            case _:
                raise AssertionError(holder)

    # ---------------------------------------------------------------- registers of the program

    def register(self, calls: tuple[object, ...], name: object, type_: IntType, shown: str | None = None) -> Reg:
        """The register of the program for a place in the text, or for what is ``shown`` by a name there."""
        key = (*calls, name, type_)
        if key not in self._names:
            number_ = len(self._names) + 1
            self._names[key] = f"%{number_}" if shown is None else unused(f"%{shown}", self._names.values())
        return Reg(self._names[key], type_)

    def _cell_register(self, region: Private, at: int, type_: IntType) -> Reg:
        """The register for a cell of private memory: the variable of the source, if it is one."""
        if (named := self.cells.get(region, {}).get(at)) is not None and named.type.size == type_.size:
            return named
        name = self.named[region][0] if region in self.named else None
        own = self.types.get(region, {}).get(at, type_)
        return self.register(region.calls, (region.name, at), own if own.size == type_.size else type_, name)

    def assign(self, state: State, target: Reg, value: Value, but: tuple[Private, int] | None = None) -> None:
        """``target = value``; what is the same is the register then, what else needs its old value keeps that."""
        self._keep(state, target, but, value)
        if target.type.bits == INT.bits:
            self._note_lanes(target.name, value)
        self.emit(state, ir.Set(target.name, value))

    def _note_lanes(self, target: str, value: Value) -> None:
        """Know of a variable that is given masks alone which lanes may be in it."""
        mask = any(leaf.name in self.lanes for leaf in values.leaves(value))
        if mask and target not in self._numbers:
            self.holds_lanes(target, target, may_be_set(value, self.lanes))
        elif target in self.lanes:
            self.holds_lanes(target, target, EVERY_BIT)
        else:
            self._numbers.add(target)

    def holds_lanes(self, register: str, place: object, lanes: int) -> None:
        """Note that a register that is set at a place has some lanes at most."""
        known = self.known.lanes
        before = known.get(place)
        known[place] = self.lanes[register] = lanes | (before or 0)
        if before is not None and known[place] != before:
            raise Again  # it was taken for less

    def _keep(
        self, state: State, target: Reg, but: tuple[Private, int] | None = None, new: Value | None = None
    ) -> None:
        for depth, frame in enumerate(state.frames):
            for name, content in frame.env.items():
                frame.env[name] = self._kept(state, target, new, content, (depth, name))
        for key, cell in state.cells.items():
            if key != but:
                state.cells[key] = Cell(cell.bytes, self._kept(state, target, new, cell.content, key))

    def _kept(self, state: State, target: Reg, new: Value | None, content: Content, where: object) -> Content:
        """A content as it is when the target has a new value: what needs the old one has that in a register."""
        match content:
            case Held(value, among) if _mentions(value, target):
                return Held(self._copy(state, value, where), among)
            case Address(region, offset) if any(_mentions(value, target) for _, value in offset.terms):
                terms = tuple((factor, self._copy(state, value, (where, n)))
                              for n, (factor, value) in enumerate(offset.terms))  # fmt: skip
                return Address(region, replace(offset, terms=terms))
            case Record(parts):
                return Record(tuple(self._kept(state, target, new, part, (where, n)) for n, part in enumerate(parts)))
            case Address() | Held() | Opaque() | Unset():
                return content
            case value if (
                new is not None and value.type.bits == target.type.bits and as_type(value, target.type) == new
            ):
                return as_type(kept(target), value.type) if _mentions(value, target) else value
            case value:
                return self._copy(state, value, where) if _mentions(value, target) else value

    def _copy(self, state: State, value: Value, where: object) -> Value:
        """A register that nothing needs, with a value."""
        number_ = 0
        while self._mentioned(state, copy := self.register((), ("kept", where, number_), value.type)):
            number_ += 1
        self.emit(state, ir.Set(copy.name, value))
        return copy

    def _mentioned(self, state: State, register: Reg) -> bool:
        return any(_holds(content, register) for content in self._holders(state).values())

    def target(self, state: State, type_: IntType) -> Reg:
        """A register for what the present instruction of the thread yields."""
        frame = state.frame
        found = self.register(frame.calls, frame.site(), type_)
        self._keep(state, found)
        return found

    # ---------------------------------------------------------------- places, and what is emitted

    def place(self, state: State) -> Place | None:
        """Where the user's text is: the innermost call that is not the library's."""
        debug = self.side.debug
        if state.frames:
            frame = state.frame
            code = frame.function.blocks[frame.label]
            number_ = code[min(frame.at, len(code) - 1)].place
            for node in (number_, *(f.place for f in reversed(state.frames))):
                if node is not None:
                    found = debug.place(node)
                    if found.line and not debug.is_shim(found.file):
                        self.last = self.world.span(found)
                        return found
        return None

    def span(self, state: State) -> Span:
        """The place of the present instruction in the user's text, or of the last one that has any."""
        place = self.place(state)
        return self.last if place is None else self.world.span(place)

    def emit(self, state: State, operation: ir.Operation, span: Span | None = None) -> None:
        """Append an operation to the graph, of a place that is not that of the instruction if one is given."""
        self._emitted += 1
        if ARRIVED in state.cells and not isinstance(operation, (ir.Set, ir.Assert, ir.Lifetime)):
            self.halve()
        if self._emitted > _MOST_NODES:
            raise error(Codes.TOO_LARGE, "this thread does more than scopec follows", self.span(state))
        at = span or self.span(state)
        place = None if self.side.host else place_of(operation)
        if place is not None and place.object in self.world.constant and effects(operation).writes:
            self.builder.emit(faults.of_constant(self.world.text_of(at), place.object), at)
        self.builder.emit(operation, at)
        if (touch := touch_of(operation)) is not None:
            self.touch(state, touch)

    def touch(self, state: State, touch: Touch) -> None:
        """Note what the present instruction does, for the calls around it too."""
        owner = len(touch.of.calls) if isinstance(touch.of, Private) else 0
        innermost = state.frame
        for frame, site in zip(reversed(state.frames), (innermost.site(), *reversed(innermost.calls)), strict=False):
            if len(frame.calls) < owner:
                return
            if frame.function.subprogram is not None and frame.function.name == site[0]:
                self.touched.setdefault(site, set()).add(touch)

    def refused(self, state: State, what: str, help_: str | None = None) -> Exception:
        """The error for something that is not modelled."""
        return refused(what, self.span(state), help_)

    def in_halves(self, state: State) -> Exception:
        """The error for a barrier of a cluster of which a thread executes one half."""
        return self.refused(
            state, "half of a barrier of a cluster, an arrival without a wait or a wait without one, is"
        )

    @property
    def halved(self) -> bool:
        """Whether something is between the halves of the barriers of the thread's cluster, which are then in memory."""
        return self.thread in self.world.halves

    def halve(self) -> None:
        """See to it that the halves of those barriers are told apart."""
        if not self.halved:
            self.world.halves.add(self.thread)
            raise Again

    def cluster_barrier(self, state: State) -> ir.Place:
        """The barrier of the thread's cluster, where it is in memory."""
        launch = self.world.launches[self.thread]
        assert isinstance(launch, Launch)
        name = f"{cluster_name(self.thread, launch.blocks, launch.cluster, self.block)}.barrier"
        threads = (launch.cluster or ir.Dim()).count * launch.threads.count
        return self.world.cluster_barrier(name, threads, self.span(state))

    def leave_cluster(self, state: State) -> None:
        """The thread ends: "wait for all non-exited threads of the cluster" (PTX ISA, "barrier.cluster")."""
        if ARRIVED in state.cells:
            raise self.in_halves(state)
        if self.halved:
            mode = ir.Mode(ir.Order.RELAXED, ir.Scope.CLUSTER)
            phase, one = self.target(state, LONG), Const(1, LONG)
            self.emit(state, ir.BarrierArrive(phase.name, self.cluster_barrier(state), one, mode, drop=True))

    # ---------------------------------------------------------------- instructions

    def _step(self, state: State, instruction: llvm.Instruction) -> bool:  # one case an instruction
        """Execute an instruction; False where the state goes no further here."""
        action = instruction.action
        match action:
            case llvm.Jump(target):
                return self.enter(state, target)
            case llvm.Branch(condition, then, otherwise):
                truth = value_of(self, state, llvm.Typed(llvm.Int(1), condition))
                return self._branch(state, truth, then, otherwise)
            case llvm.Switch(value, default, cases):
                return self._switch(state, value_of(self, state, value), default, cases)
            case llvm.Return(value):
                self.place(state)
                content = None if value is None else operand(self, state, value)
                self._return(state, content)
                return True
            case llvm.Unreachable():
                self.emit(state, ir.Assert(values.FALSE, "control gets where C++ says it does not", implicit=True))
                self.builder.end(self.span(state))
                return False
            case llvm.Call() | llvm.Assembly():
                return self._called(self, state, instruction)
            case _:
                self.finish(state, instruction, compute(self, state, instruction))
                return True

    def finish(self, state: State, instruction: llvm.Instruction, content: Content | None) -> None:
        """Give an instruction its result, and forget what is not read again."""
        frame = state.frame
        if instruction.result is not None and content is not None:
            frame.env[instruction.result] = content
        for name in self.side.flow(frame.function).dying[frame.label][frame.at]:
            frame.env.pop(name, None)
        frame.at += 1

    # ---------------------------------------------------------------- control

    def _branch(self, state: State, truth: Value, then: str, otherwise: str) -> bool:
        if leads_to_trap(state.frame.function, otherwise):
            check_at_trap(self, state, truth, then, otherwise)
            return self.enter(state, then)
        if isinstance(truth, Const):
            return self.enter(state, then if truth.value else otherwise)
        span = self.span(state)
        self.builder.split(truth, span, self._edge(state, then), self._edge(state, otherwise))
        return False

    def _edge(self, state: State, target: str) -> int:
        after = state.copy()
        return self.later(Entering(after.frames, after.cells, target))

    def _switch(self, state: State, value: Value, default: str, cases: tuple[tuple[int, str], ...]) -> bool:
        bits = value.type.bits
        if isinstance(value, Const):
            target = next(
                (label for known, label in cases if number(known, bits) == number(value.value, bits)), default
            )
            return self.enter(state, target)
        span = self.span(state)
        for known, label in cases:
            following = self.builder.label()
            self.builder.split(compare("eq", value, number(known, bits)), span, self._edge(state, label), following)
            self.builder.place(following)
        self.builder.jump(self._edge(state, default))
        return False

    def call(
        self, state: State, function: llvm.Function, arguments: list[Content], result: str | None, place: str | None
    ) -> None:
        """Begin a call; the caller's position is already that after it."""
        if len(state.frames) >= _MOST_CALLS:
            message = "calls that are nested so deep, or for ever, are not followed"
            raise error(Codes.TOO_LARGE, message, self.span(state), "write a loop, or recursion that soon ends")
        calls: tuple[Site, ...] = ()
        if state.frames:
            caller = state.frame
            calls = (*caller.calls, caller.site())
            self._forget(state, self.side.flow(caller.function).variables)
        entry = next(iter(function.blocks))
        env: dict[str, Content] = {}
        frame = Frame(function, entry, 0, env, calls, result, place)
        for (name, _), behind, content in zip(function.parameters, function.byval, arguments, strict=False):
            env[name] = content
            if behind is not None and isinstance(content, Address) and not self._is_passed_itself(function, name):
                copy = home(self, Private(calls, name), behind)
                state.frames.append(frame)
                begin(self, state, copy)
                copy_bytes(self, state, Address(copy), content, llvm.size(behind))
                state.frames.pop()
                env[name] = Address(copy)
        state.frames.append(frame)

    def _is_passed_itself(self, function: llvm.Function, parameter: str) -> bool:
        """Whether an argument that is passed in memory is the object, not its bytes: the caller destroys what it made.

        LLVM's code for devices does not say so of classes with a copy constructor or destructor of their own.
        """
        about, debug = self.side.parameter(function, parameter), self.side.debug
        if about is None or function.kernel:
            return False
        return "DIFlagTypePassByReference" in debug.fields(debug.stripped(about.type)).get("flags", "")

    def _return(self, state: State, content: Content | None) -> None:
        end_all(self, state)
        if len(state.frames) == 1:
            self.leave_cluster(state)
        done = state.frames.pop()
        mine = [key for key in state.cells if key[0].calls == done.calls and key[0].name != "heap"]
        if state.frames:
            for key in mine:
                del state.cells[key]
            if done.result is not None and content is not None:
                state.frame.env[done.result] = content
        if not state.frames:
            self._at_exit(state)

    def _at_exit(self, state: State) -> None:
        """Destroy the objects of static storage duration, the last that was made first ([basic.start.term]/3)."""
        cell = state.cells.pop((AT_EXIT, 0), None)
        if cell is None:
            return
        assert isinstance(cell.content, Record)
        *earlier, last = cell.content.parts
        assert isinstance(last, Record)
        function, argument = last.parts
        assert isinstance(function, Address)
        assert isinstance(function.region, Code)
        code = self.side.function(function.region.name)
        if code is None:
            raise self.refused(state, "what is called at the end of the program is")
        if earlier:
            state.cells[AT_EXIT, 0] = Cell(0, Record(tuple(earlier)))
        self.call(state, code, [argument], None, None)


def _mentions(value: Value, register: Reg) -> bool:
    return not isinstance(value, Const) and any(leaf.name == register.name for leaf in values.leaves(value))


def _holds(content: Content, register: Reg) -> bool:
    """Whether a content is a value of a register, or is made of some."""
    match content:
        case Held(value):
            return _mentions(value, register)
        case Address(_, offset):
            return any(_mentions(value, register) for _, value in offset.terms)
        case Record(parts):
            return any(_holds(part, register) for part in parts)
        case Opaque() | Unset():
            return False
        case value:
            return _mentions(value, register)
