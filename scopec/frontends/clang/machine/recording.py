"""The record of a thread's run: its registers, its graph, and the source position of the code it executes.

Before a register gets another value, an old value that the state still needs is copied to a register of its own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import replace
from scopec.frontends.clang.evaluation_order.footprints import Touch, Touched, touch_of
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.bits import EVERY_BIT, may_be_set
from scopec.frontends.clang.llvm.numbers import as_type, kept, signed
from scopec.frontends.clang.machine.memory import ARRIVED, Address, Cell, Content, Held, Private, Record, Region, Unset
from scopec.frontends.clang.machine.names import unused
from scopec.frontends.clang.machine.opaque import Formula, Opaque
from scopec.frontends.clang.machine.refusals import refused
from scopec.frontends.clang.machine.side import Side
from scopec.frontends.clang.machine.state import (
    Again,
    Holder,
    Knowledge,
    State,
)
from scopec.frontends.clang.machine.world import World
from scopec.program import faults, ir, values
from scopec.program.builder import Builder
from scopec.program.effects import effects, place_of
from scopec.program.types import INT, IntType
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span
    from scopec.frontends.clang.llvm.debug import Place

_MOST_NODES = 50_000


def _block(builtins: Mapping[str, int]) -> int:
    """The linear index of a block in its grid; 0 on the host."""
    index = 0
    for axis in "zyx":
        index = index * builtins.get(f"gridDim.{axis}", 1) + builtins.get(f"blockIdx.{axis}", 0)
    return index


class Recording:
    """The registers and the graph of one run of one thread."""

    def __init__(
        self, world: World, side: Side, thread: str, builtins: Mapping[str, int], known: Knowledge,
        device: int = 0,
    ) -> None:  # fmt: skip
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
        #: The number of cases into which a mask was split.
        self.ways = 1
        #: The types of local variables, as LLVM has them.
        self.allocated: dict[Private, llvm.Type] = {}
        #: The source's name of a region, the metadata of its type, and the place of its declaration.
        self.named: dict[Region, tuple[str, str, Span]] = {}
        #: The types that the source gives to numbers of a region, by their places in it.
        self.types: dict[Region, dict[int, IntType]] = {}
        #: The registers of the program that are variables of the source, by their places in private memory.
        self.cells: dict[Private, dict[int, Reg]] = {}
        #: What is in registers, for it differs too often where ways meet; those of which a register's value is made.
        self.held_in: dict[str, Holder] = {}
        self.made_of: dict[str, set[str]] = defaultdict(set)
        self._work: list[tuple[int, State]] = []
        self._emitted = 0
        self.last = world.span(None)
        self.touched: Touched = {}
        #: The number of evaluations of operands in no order.
        self.evaluations = 0

    def later(self, state: State) -> int:
        """A label for what is to be done in a state."""
        label = self.builder.label()
        self._work.append((label, state))
        return label

    def lacking(self, region: Private, at: int, bits: int) -> Content:
        """A local variable that has no value here: its register, once it is known that somebody reads it."""
        if (region, at, bits) in self.known.lacking:
            return kept(self._cell_register(region, at, signed(bits)))
        return Unset((region, at, bits))

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
        self.made_of[target.name].update(leaf.name for leaf in values.leaves(value) if isinstance(leaf, Reg))
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
            case Opaque(formula=Formula(text, of)) if any(_mentions(value, target) for value in of):
                copies = (self._copy(state, value, (where, n)) for n, value in enumerate(of))
                return replace(content, formula=Formula(text, tuple(copies)))
            case Unset(value=value) if value is not None and _mentions(value, target):
                return replace(content, value=self._copy(state, value, where))
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
        return any(_holds(content, register) for content in state.holders().values())

    def target(self, state: State, type_: IntType, part: int = 0) -> Reg:
        """A register for what the present instruction of the thread yields, or for a part of it."""
        frame = state.frame
        found = self.register(frame.calls, (frame.site(), part) if part else frame.site(), type_)
        self._keep(state, found)
        return found

    # ---------------------------------------------------------------- places, and what is emitted

    def place(self, state: State) -> Place | None:
        """The place in the user's text: that of the innermost call that is not the library's."""
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
                self.touched.setdefault(site, []).append(touch)

    def refused(self, state: State, what: str, help_: str | None = None) -> Exception:
        """The error for something that is not modelled."""
        return refused(what, self.span(state), help_)

    def follow_further(self, value: Value) -> None:
        """Raise Again where a value may be known if the thread is followed through more states, as of a longer loop."""
        names: set[str] = set()
        more = {leaf.name for leaf in values.leaves(value) if isinstance(leaf, Reg)}
        while more:
            names |= more
            more = set().union(*(self.made_of[name] for name in more)) - names
        if self.known.follow({self.held_in[name] for name in names if name in self.held_in}):
            raise Again

    def unknown(self, state: State, what: str, value: Value) -> Exception:
        """The error for a value that has to be known when the program is read; or Again, if it may be."""
        self.follow_further(value)
        return self.refused(state, f"{what} that is known at run time alone is")

    @property
    def halved(self) -> bool:
        """Whether something is between the halves of the barriers of the thread's cluster, which are then in memory."""
        return self.thread in self.world.halves

    def halve(self) -> None:
        """See to it that the halves of those barriers are told apart."""
        if not self.halved:
            self.world.halves.add(self.thread)
            raise Again


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
        case Opaque(formula=formula):
            return formula is not None and any(_mentions(value, register) for value in formula.of)
        case Unset(value=value):
            return value is not None and _mentions(value, register)
        case value:
            return _mentions(value, register)
