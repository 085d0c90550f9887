"""The machine: executes the LLVM code of one thread; known values are computed, the rest becomes a control-flow graph.

A thread's indices and parameters are known, so addresses and most branches are too.  What comes from memory that other
threads may write is in registers of the program.  Where paths meet in the same state, the graph goes on once; numbers
that differ between too many such states, as counters of loops do, become registers too, and the thread begins anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import InputError, error
from scopec.base.records import replace
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import as_type, compare, kept, number, signed
from scopec.frontends.clang.machine.instructions import operand, value_of
from scopec.frontends.clang.machine.lifetimes import begin, end_all
from scopec.frontends.clang.machine.memcpy import copy_bytes
from scopec.frontends.clang.machine.memory import (
    ARRIVED,
    Address,
    Cell,
    Cells,
    Code,
    Content,
    Held,
    Private,
    Record,
    Unset,
    overlapping,
)
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.recording import Recording
from scopec.frontends.clang.machine.side import Side
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
from scopec.frontends.clang.machine.tracked import untracked
from scopec.frontends.clang.machine.undefined import check_at_trap, leads_to_trap
from scopec.frontends.clang.machine.variables import home
from scopec.frontends.clang.machine.world import World
from scopec.program import ir, values
from scopec.program.dead_assignments import without_unread
from scopec.program.specialise import cluster_barrier
from scopec.program.types import LONG
from scopec.program.values import Const, Value, deeper_than

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from scopec.frontends.clang.evaluation_order.footprints import Site

#: In so many different states a thread may come to one place, before the numbers in which they differ are registers;
#: and where these should be known.
_MOST_STATES, _MANY_STATES = 8, 512
_MOST_CALLS = 64
#: A value of more levels is put into a register.
_DEEPEST = 64


class Machine(Recording):
    """One run of one thread."""

    def __init__(
        self, world: World, side: Side, thread: str, builtins: Mapping[str, int], known: Knowledge,
        called: Callable[[Machine, State, llvm.Instruction], bool], device: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(world, side, thread, builtins, known, device)
        self._called = called
        self._seen: dict[tuple[object, ...], list[tuple[object, int]]] = {}
        self._states: dict[tuple[object, ...], list[State]] = {}
        self._unset: InputError | None = None

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
        """Drop dead variables, so that states which differ in these alone merge."""
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
        state.forget_formulas(self.known.formulas.get(position, ()))
        seen, contents = self._seen.setdefault(state.key(), []), state.contents()
        label = next((label for there, label in seen if there == contents), None)
        if label is not None:
            if self.builder.is_here(label):  # a loop without an operation: `while (true);`
                self.builder.split(values.TRUE, self.span(state), label, label)
            else:
                self.builder.jump(label)
            return False
        self._meet_formulas(position, state)
        label = self.builder.label()
        seen.append((contents, label))
        self.builder.place(label)
        others = self._states.setdefault(position, [])
        others.append(state.copy())
        if len(others) > _MOST_STATES * self.ways:
            self._generalise(position, others, state)
        return True

    def _meet_formulas(self, position: tuple[object, ...], state: State) -> None:
        """Forget how values are computed by which alone a state differs from another one that came here."""
        if not any(isinstance(content, Opaque) and content.formula for content in state.holders().values()):
            return
        for other in self._states.get(position, ()):
            if other.key() == state.key() and (holders := state.other_formulas(other)):
                self.known.formulas.setdefault(position, set()).update(holders)
                raise Again

    def _generalise(self, position: tuple[object, ...], states: list[State], state: State) -> None:
        found = self.known.registers.setdefault(position, set())
        followed = self.known.followed if len(states) <= _MANY_STATES * self.ways else set()
        before = len(found)
        first, *rest = (one.holders() for one in states)
        for holder, content in first.items():
            for other in rest:
                differs = isinstance(content, Const) and holder in other and other[holder] != content
                if differs and holder not in followed and not self._is_way(state, holder):
                    found.add(untracked(holder))
        if len(found) > before:
            raise Again
        if len(states) > (_MANY_STATES if followed else 8 * _MOST_STATES) * self.ways:
            message = "here the program is in more states than scopec follows, which differ in what pointers point to"
            raise error(Codes.TOO_LARGE, message, self.span(state))

    def _is_way(self, state: State, holder: Holder) -> bool:
        """Whether a holder says what way was taken: as a register it would lead to ways that nobody takes."""
        region = holder[0]
        return isinstance(region, Private) and any(
            frame.calls == region.calls and region.name in self.side.flow(frame.function).ways for frame in state.frames
        )

    def _to_register(self, state: State, holder: Holder) -> None:
        """Put a known number into a register of the program."""
        match holder:
            case (Private() as region, int(at)):
                cell = state.cells.get((region, at))
                if cell is not None and isinstance(cell.content, Const):
                    register = self._cell_register(region, at, cell.content.type)
                    self.held_in[register.name] = holder
                    self.assign(state, register, as_type(cell.content, register.type), but=(region, at))
                    state.cells[region, at] = Cell(cell.bytes, kept(register))
            case (int(depth), str(name)):
                frame = state.frames[depth]
                content = frame.env.get(name)
                if isinstance(content, Const):
                    register = self.register(frame.calls, name, content.type)
                    self.held_in[register.name] = holder
                    self.assign(state, register, content)
                    frame.env[name] = register
            case _:
                raise AssertionError(holder)

    def in_halves(self, state: State) -> Exception:
        """The error for a barrier of a cluster of which a thread executes one half."""
        return self.refused(
            state, "half of a barrier of a cluster, an arrival without a wait or a wait without one, is"
        )

    def cluster_barrier(self, state: State) -> ir.Place:
        """The barrier of the thread's cluster, where it is in memory."""
        launch = self.world.launches[self.thread]
        assert isinstance(launch, Launch)
        name = cluster_barrier(self.thread, launch.blocks, launch.cluster, self.block)
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
            frame.env[instruction.result] = self._shallow(state, content)
        for name in self.side.flow(frame.function).dying[frame.label][frame.at]:
            frame.env.pop(name, None)
        frame.at += 1

    def _shallow(self, state: State, content: Content) -> Content:
        """What an instruction yields; in a register of the program, if it nests so deep that Python could not recur."""
        if isinstance(content, (Address, Held, Opaque, Record, Unset)) or not deeper_than(content, _DEEPEST):
            return content
        register = self.target(state, content.type)
        self.assign(state, register, content)
        return register

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
