"""PTX as a function of LLVM code: its registers are local variables, its accesses and barriers calls of the intrinsics
that the shims are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.clang.intrinsics.calls import INDICES
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.flow import targets
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scopec.base.source import Span
    from scopec.frontends.ptx.table import Type

#: The lowering of each instruction.
Lowerings: TypeAlias = "Mapping[str, Callable[[Assembler, forms.Instruction], None]]"

BIT, INT, LONG = llvm.Int(1), llvm.Int(32), llvm.Int(64)


class Assembler:
    """Makes functions of LLVM code from instructions, each by what ``lowerings`` says.

    Raises InputError for what is not modelled.
    """

    def __init__(self, lowerings: Lowerings) -> None:
        self.lowerings = lowerings
        self.blocks: dict[str, list[llvm.Instruction]] = {"entry": []}
        self.code = self.blocks["entry"]
        self.count = 0
        #: The registers that are known, by their names: where they are, and their types; those declared last first.
        self.registers: list[dict[str, tuple[str, llvm.Type]]] = [{}]
        #: The meanings of the names of memory, likewise.
        self.memory: list[dict[str, llvm.Typed]] = [{}]
        #: The bytes of an element of each.
        self.widths: dict[str, int] = {}
        self.labels: list[dict[str, str]] = []
        #: Tables of labels, and what functions are like that are called by their addresses.
        self.tables: dict[str, tuple[str, ...]] = {}
        self.prototypes: dict[str, forms.Prototype] = {}
        self.entry: list[llvm.Instruction] = []
        #: Whether accesses are side effects, whatever they are: those of an ``asm volatile``.
        self.side_effects = False
        #: The metadata of the place that instructions have.
        self.place: str | None = None

    def finished(self) -> dict[str, tuple[llvm.Instruction, ...]]:
        """The blocks that are reached, when all is there."""
        self.blocks["entry"][:0] = self.entry
        reached, work = {"entry"}, ["entry"]
        while work:
            found = set(targets(self.blocks[work.pop()][-1].action)) - reached
            reached |= found
            work += found
        return {label: tuple(code) for label, code in self.blocks.items() if label in reached}

    # ---------------------------------------------------------------- code

    def emit(self, action: llvm.Action) -> llvm.Local:
        """Append an instruction that has a result."""
        self.count += 1
        name = f"v{self.count}"
        self.code.append(llvm.Instruction(action, name, self.place))
        return llvm.Local(name)

    def do(self, action: llvm.Action) -> None:
        """Append an instruction that has none."""
        self.code.append(llvm.Instruction(action, None, self.place))

    def label(self) -> str:
        """A name for a block."""
        self.count += 1
        return f"b{self.count}"

    def go_on(self, label: str) -> None:
        """Go on in a block."""
        self.do(llvm.Jump(label))
        self.code = self.blocks[label] = []

    def leave(self, action: llvm.Action) -> None:
        """Go elsewhere: nobody comes to what follows but by a label."""
        self.do(action)
        self.code = self.blocks[self.label()] = []

    def call(self, name: str, type_: llvm.Type, *arguments: llvm.Typed, letter: str = "") -> llvm.Local:
        """A call of an intrinsic of the shims."""
        full = f"__scopec_{name}"
        mangled = f"_Z{len(full)}{full}" + (f"I{letter}" if letter else "")
        return self.emit(llvm.Call(type_, llvm.Global(mangled), arguments, (None,) * len(arguments)))

    # ---------------------------------------------------------------- registers

    def declare(self, name: str, type_: llvm.Type) -> None:
        """A register, in the innermost braces."""
        self.registers[-1][name] = self.local(name, type_), type_

    def local(self, name: str, type_: llvm.Type) -> str:
        """A local variable."""
        self.count += 1
        slot = f"{name} {self.count}"
        self.entry.append(llvm.Instruction(llvm.Alloca(type_), slot, None))
        return slot

    def find(self, name: str, span: Span) -> tuple[str, llvm.Type]:
        """The variable of a register, and its type."""
        for known in reversed(self.registers):
            if name in known:
                return known[name]
        names = [n for known in self.registers for n in known]
        raise error(Code.UNKNOWN_NAME, f"there is no register `{name}`", span, suggestion(name, names))

    def address(self, name: str, span: Span) -> llvm.Typed:
        """The address in a register, or of a name of memory."""
        for known in reversed(self.memory):
            if name in known:
                return known[name]
        if not any(name in known for known in self.registers):
            names = {n for known in self.registers for n in known} | {n for known in self.memory for n in known}
            raise error(Code.UNKNOWN_NAME, f"there is no `{name}`", span, suggestion(name, names))
        value, type_ = self.load(name, span)
        return llvm.Typed(llvm.Pointer(), self.emit(llvm.Cast("inttoptr", llvm.Typed(type_, value), llvm.Pointer())))

    def moved(self, base: llvm.Typed, offset: int) -> llvm.Typed:
        """An address so many bytes on."""
        if not offset:
            return base
        where = llvm.Typed(LONG, llvm.Number(offset))
        return llvm.Typed(llvm.Pointer(), self.emit(llvm.Element(llvm.Int(8), base, (where,))))

    def indexed(self, operand: forms.Indexed) -> llvm.Typed:
        """The address of an element of an array."""
        if operand.name not in self.widths:
            message = f"`{operand.name}` is no array: an index is for a variable"
            raise error(Code.BAD_ARGUMENTS, message, operand.span, f"write [{operand.name}+4], with an offset in bytes")
        base, width = self.address(operand.name, operand.span), self.widths[operand.name]
        if operand.register is not None:
            value, own = self.load(operand.register, operand.span)
            count = self.emit(llvm.Arithmetic("mul", LONG, self.resized(value, own, LONG), llvm.Number(width)))
            base = llvm.Typed(llvm.Pointer(), self.emit(llvm.Element(llvm.Int(8), base, (llvm.Typed(LONG, count),))))
        return self.moved(base, width * operand.number)

    def pointer(self, operand: forms.Operand) -> llvm.Typed:
        """An operand that is a generic address."""
        number = llvm.Typed(LONG, self.value(operand, LONG))
        return llvm.Typed(llvm.Pointer(), self.emit(llvm.Cast("inttoptr", number, llvm.Pointer())))

    def load(self, name: str, span: Span) -> tuple[llvm.Operand, llvm.Type]:
        """The value of a register."""
        slot, type_ = self.find(name, span)
        return self.emit(llvm.Load(type_, llvm.Typed(llvm.Pointer(), llvm.Local(slot)), volatile=False)), type_

    def store(self, name: str, value: llvm.Operand, type_: llvm.Type, span: Span, *, signed: bool = False) -> None:
        """Put a value of a type into a register, which may be wider; ``_`` takes what nobody wants."""
        if name == "_":
            return
        slot, own = self.find(name, span)
        value = self.resized(value, type_, own, signed=signed)
        self.do(llvm.Store(llvm.Typed(own, value), llvm.Typed(llvm.Pointer(), llvm.Local(slot)), volatile=False))

    def resized(self, value: llvm.Operand, own: llvm.Type, type_: llvm.Type, *, signed: bool = False) -> llvm.Operand:
        """A value as another type; the bits of a floating-point number are not known."""
        if own == type_:
            return value
        match own, type_:
            case llvm.Int(bits), llvm.Int(wanted):
                opcode = "trunc" if wanted < bits else "sext" if signed else "zext"
            case _:
                opcode = "bitcast"
        return self.emit(llvm.Cast(opcode, llvm.Typed(own, value), type_))

    def value(self, operand: forms.Operand, type_: llvm.Type, *, signed: bool = False) -> llvm.Operand:
        """An operand that is read, as a value of a type."""
        match operand:
            case forms.Number(_, number):
                return llvm.Real() if isinstance(type_, llvm.Float) else llvm.Number(number)
            case forms.Real():
                return llvm.Real()
            case forms.Name(span, name) if name.startswith("%") and not any(name in r for r in self.registers):
                found, own = self.special(name, span)
                return self.resized(found, own, type_)
            case forms.Name(span, name) if any(name in known for known in self.memory):
                found = self.emit(llvm.Cast("ptrtoint", self.address(name, span), LONG))
                return self.resized(found, LONG, type_)
            case forms.Offset(span, name, distance) if any(name in known for known in self.memory):
                there = self.moved(self.address(name, span), distance)
                return self.resized(self.emit(llvm.Cast("ptrtoint", there, LONG)), LONG, type_)
            case forms.Indexed():
                return self.resized(self.emit(llvm.Cast("ptrtoint", self.indexed(operand), LONG)), LONG, type_)
            case forms.Name(span, name):
                found, own = self.load(name, span)
                return self.resized(found, own, type_, signed=signed)
            case forms.Negated(span, name):
                found, own = self.load(name, span)
                return self.emit(llvm.Arithmetic("xor", own, found, llvm.Number(1)))
            case forms.Vector(_, (only,)):
                return self.value(only, type_, signed=signed)
            case _:
                raise error(Code.BAD_ARGUMENTS, "a register or a number is wanted here", operand.span, "load it first")

    def special(self, name: str, span: Span) -> tuple[llvm.Operand, llvm.Type]:
        """A special register."""
        if name in table.INDICES:
            which = llvm.Typed(INT, llvm.Number(INDICES.index(table.INDICES[name])))
            return self.call("index", INT, which), INT
        register, _, axis = name.partition(".")
        if register in table.CLUSTERS and axis in ("x", "y", "z"):
            parts = list(table.CLUSTERS).index(register), "xyz".index(axis)
            return self.call("cluster_index", INT, *(llvm.Typed(INT, llvm.Number(n)) for n in parts)), INT
        if name == "%is_explicit_cluster":
            return self.call("in_cluster", BIT), BIT
        if name == "%dynamic_smem_size":
            return self.call("dynamic_shared", INT), INT
        if name in table.LANES:
            which = llvm.Typed(INT, llvm.Number(list(table.LANES).index(name)))
            return self.call("lane", INT, which), INT
        if name in table.UNKNOWN:
            type_ = llvm.Int(table.UNKNOWN[name])
            return self.call("unknown", type_), type_
        if name in table.CLOCKS:
            type_ = llvm.Int(table.CLOCKS[name])
            return self.call("clock", type_), type_
        raise self.outside(f"the special register `{name}` is", span)

    def target(self, operand: forms.Operand) -> str:
        """The register that a result goes to."""
        match operand:
            case forms.Name(_, name) | forms.Vector(_, (forms.Name(_, name),)):
                return name
            case _:
                raise error(Code.BAD_ARGUMENTS, "a register is wanted here", operand.span)

    # ---------------------------------------------------------------- statements

    def block(self, block: forms.Block) -> None:
        """Append the instructions in braces."""
        self.registers.append({})
        self.memory.append({})
        self.labels.append({})
        for item in block.items:
            if isinstance(item, forms.Label):
                if item.name in self.labels[-1]:
                    raise error(Code.DUPLICATE, f"there are two labels `{item.name}`", item.span)
                self.labels[-1][item.name] = self.label()
            elif isinstance(item, forms.Targets):
                self.tables[item.name] = item.labels
            elif isinstance(item, forms.Prototype):
                self.prototypes[item.name] = item
        for item in block.items:
            match item:
                case forms.Label(_, name):
                    self.go_on(self.labels[-1][name])
                case forms.Declaration(span, word, names):
                    type_ = table.type_of(word)
                    if type_ is None:
                        raise self.outside(f"a register of type `.{word}` is", span)
                    for name in names:
                        self.declare(name, llvm_type(type_))
                case forms.Block():
                    self.block(item)
                case forms.Object():
                    self.object(item)
                case forms.Location():
                    self.location(item)
                case forms.Targets() | forms.Prototype():
                    pass
                case forms.Instruction(guard=None):
                    self.instruction(item)
                case forms.Instruction(guard=guard):
                    assert guard is not None
                    self.under(guard, item)
        self.registers.pop()
        self.memory.pop()
        self.labels.pop()

    def object(self, item: forms.Object) -> None:
        """Memory that a function has."""
        raise self.outside(f"memory in the state space `.{item.words[0]}`, declared here, is", item.span)

    def location(self, item: forms.Location) -> None:
        """Set the source place of what follows."""

    def under(self, guard: forms.Predicate, item: forms.Instruction) -> None:
        """An instruction with a predicate."""
        truth, type_ = self.load(guard.register, guard.span)
        condition = self.resized(truth, type_, BIT)
        if guard.truth:
            self.either(condition, lambda: self.instruction(item))
        else:
            self.either(condition, lambda: None, lambda: self.instruction(item))

    def either(
        self, condition: llvm.Operand, then: Callable[[], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """Append ``then`` for where a condition holds, and ``otherwise``, if given, for elsewhere."""
        inside, after = self.label(), self.label()
        outside = after if otherwise is None else self.label()
        self.do(llvm.Branch(condition, inside, outside))
        for label, append in ((inside, then), (outside, otherwise)):
            if append is not None:
                self.code = self.blocks[label] = []
                append()
                self.do(llvm.Jump(after))
        self.code = self.blocks[after] = []

    def instruction(self, item: forms.Instruction) -> None:
        """One instruction without its predicate."""
        if (later := table.later(item)) is not None:
            raise later
        opcode = ".".join((item.operation[0], *(word for word in item.operation[1:] if word in table.VARIANTS)))
        lower = self.lowerings.get(opcode)
        if lower is None:
            help_ = suggestion(opcode, self.lowerings) or "see docs/language.md for the instructions it has"
            raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)
        lower(self, item)

    def outside(self, what: str, span: Span) -> Exception:
        """The error for something that is not modelled."""
        return error(Code.OUTSIDE_SUBSET, f"{what} outside the modelled subset of PTX", span)

    def operands(self, item: forms.Instruction, count: int) -> tuple[forms.Operand, ...]:
        """The operands of an instruction that has so many."""
        if len(item.operands) != count:
            message = f"`{item.name}` takes {count} operands, {len(item.operands)} given"
            raise error(Code.BAD_ARGUMENTS, message, item.span)
        return item.operands

    def types(self, item: forms.Instruction) -> list[Type]:
        """The types in an operation; InputError where there is none."""
        found = table.types(item.operation[1:])
        if not found:
            raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` has no type that is modelled", item.span)
        if item.operation[0] != "mov" and any(type_.bits == table.WIDEST for type_ in found):
            raise error(Code.BAD_ARGUMENTS, f"`{item.name}`: numbers of .b128 are moved and accessed alone", item.span)
        return found

    def only(self, item: forms.Instruction, *words: str) -> None:
        """Refuse qualifiers, of an operation on integers, that are neither types nor these."""
        for word in item.operation[1:]:
            if table.type_of(word) is None and word not in words:
                raise self.outside(f"`{item.name}` is", item.span)

    # ---------------------------------------------------------------- control

    def bra(self, item: forms.Instruction) -> None:
        """A jump."""
        (target,) = self.operands(item, 1)
        if item.operation not in (("bra",), ("bra", "uni")):
            raise self.outside(f"`{item.name}` is", item.span)
        self.leave(llvm.Jump(self.found(target.name if isinstance(target, forms.Name) else "this", target.span)))

    def brx(self, item: forms.Instruction) -> None:
        """A jump to one of several labels."""
        which, table_ = self.operands(item, 2)
        name = table_.name if isinstance(table_, forms.Name) else "this"
        if item.operation[1:2] != ("idx",) or name not in self.tables:
            raise self.outside(f"`{item.name}` is", item.span)
        labels = [self.found(label, table_.span) for label in self.tables[name]]
        cases = tuple(enumerate(labels[:-1]))
        self.leave(llvm.Switch(llvm.Typed(INT, self.value(which, INT)), labels[-1], cases))

    def found(self, label: str, span: Span) -> str:
        """The block of a label."""
        for known in reversed(self.labels):
            if label in known:
                return known[label]
        help_ = suggestion(label, [name for known in self.labels for name in known])
        raise error(Code.UNKNOWN_NAME, f"there is no label `{label}`", span, help_)


def register_type(type_: llvm.Type) -> llvm.Type:
    """The type of a register that holds a value of a type."""
    return llvm.Int(8 * llvm.size(type_)) if isinstance(type_, llvm.Pointer) else type_


def llvm_type(type_: Type) -> llvm.Int | llvm.Float:
    """The type of a register that PTX gives a type."""
    return llvm.Float(type_.bits // 8) if type_.kind == "f" else llvm.Int(type_.bits)
