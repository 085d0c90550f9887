"""PTX litmus threads: each instruction to operations of the Program form (language note, "Litmus files")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.litmus.lower import proxies
from scopec.frontends.litmus.lower.frame import Frame, whole
from scopec.frontends.litmus.syntax import tree
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.table import ACCESSES, ALLOWED, ARITHMETIC, COMPARISONS, UNARY
from scopec.program import ir, types, values
from scopec.program.ir import Order, Scope
from scopec.program.types import LONG
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scopec.base.source import Span
    from scopec.frontends.litmus.lower.world import Position, World

_BRANCHES = {"beq": "==", "bne": "!=", "blt": "<", "ble": "<=", "bgt": ">", "bge": ">="}
_OPCODES = (
    *ALLOWED, *proxies.OPCODES, "membar", "bar", "barrier", "setp", *ARITHMETIC, *UNARY, *_BRANCHES, "goto", "bra",
)  # fmt: skip
_VOTES: dict[str, Literal["count", "and", "or"]] = {"popc": "count", "and": "and", "or": "or"}
_REGISTER = re.compile(r"[%$]?(r|rd|p)\d+\Z")


def _exchange(_old: Value, new: Value) -> Value:
    return new


def _increment(old: Value, limit: Value) -> Value:
    """``(old >= limit) ? 0 : old + 1``, unsigned (PTX ISA, "atom")."""
    return values.choose(_unsigned(">=", old, limit), Const(0, LONG), values.binary("+", old, Const(1, LONG)))


def _decrement(old: Value, limit: Value) -> Value:
    """``(old == 0 || old > limit) ? limit : old - 1``, unsigned (PTX ISA, "atom")."""
    wraps = values.binary("||", values.binary("==", old, Const(0, LONG)), _unsigned(">", old, limit))
    return values.choose(wraps, limit, values.binary("-", old, Const(1, LONG)))


def _unsigned(op: str, left: Value, right: Value) -> Value:
    return values.binary(op, values.convert(left, types.ULONG), values.convert(right, types.ULONG))


def _shifted(op: str, value: Value, by: Value) -> Value:
    """A shift: "amounts greater than the register width N are clamped to N" (PTX ISA, "shl", "shr")."""
    last = Const(LONG.bits - 1, LONG)
    clamped = Const(0, LONG) if op == "<<" else values.binary(">>", value, last)
    return values.choose(_unsigned(">", by, last), clamped, values.binary(op, value, values.binary("&", by, last)))


def _operator(op: str) -> Callable[[Value, Value], Value]:
    return lambda old, operand: values.binary(op, old, operand)


#: The value that a read-modify-write stores, from the old value and its operand; `cas` takes two.
_UPDATES: dict[str, Callable[[Value, Value], Value]] = {
    "exch": _exchange,
    "inc": _increment,
    "dec": _decrement,
    **{
        name: _operator(known.operator)
        for name, known in ARITHMETIC.items()
        if name in ("add", "sub", "and", "or", "xor", "min", "max")
    },
}


def implied_locations(world: World, threads: Iterable[tree.PtxThread]) -> list[tree.Name]:
    """The names in address position of no register or alias: locations that the initial state need not list."""
    found = []
    for thread in threads:
        for item in thread.code:
            opcode = proxies.generic(item)[0].operation[0] if isinstance(item, forms.Instruction) else ""
            if isinstance(item, forms.Instruction) and opcode in ACCESSES:
                at = 0 if opcode in ("st", "red") else 1
                operand = item.operands[at] if at < len(item.operands) else None
                if isinstance(operand, (forms.Name, forms.Element)) and not (
                    _REGISTER.match(operand.name) or operand.name in world.aliases
                ):
                    found.append(tree.Name(operand.span, operand.name))
    return found


def lower(world: World, thread: tree.PtxThread, position: Position, watched: Iterable[str]) -> ir.Thread:
    """The thread of a column; ``watched`` are registers that the final clause names.

    Raises InputError for instructions and operands outside the modelled subset.
    """
    return _Thread(world, thread).lower(position, watched)


class _Thread:
    def __init__(self, world: World, thread: tree.PtxThread) -> None:
        self.world = world
        self.thread = thread
        self.frame = Frame(world, thread.name)
        self.labels: dict[str, int] = {}
        self.evaluations = 0
        self.proxy = ir.Proxy.GENERIC

    def lower(self, position: Position, watched: Iterable[str]) -> ir.Thread:
        labels = [item for item in self.thread.code if isinstance(item, forms.Label)]
        for label in labels:
            if label.name in self.labels:
                raise error(Code.DUPLICATE, f"{self.thread.name} has two labels `{label.name}`", label.span)
            self.labels[label.name] = self.frame.builder.label()
        for item in self.thread.code:
            if isinstance(item, forms.Label):
                self.frame.builder.place(self.labels[item.name])
            else:
                self.instruction(item)
        end = self.thread.code[-1].span if self.thread.code else self.thread.span
        self.frame.builder.end(end)
        self.world.mentioned.setdefault(self.thread.name, set()).update(self.frame.registers)
        for name in watched:
            if name not in self.world.objects:
                self.frame.register(name, LONG)
        return self.frame.finish(position, self.thread.span)

    # ---- instructions

    def instruction(self, item: forms.Instruction) -> None:
        if item.guard is None:
            self.unguarded(item)
            return
        inside, after = self.frame.builder.label(), self.frame.builder.label()
        register = self.target(forms.Name(item.guard.span, item.guard.register))
        self.frame.builder.split(register, item.guard.span, *((inside, after) if item.guard.truth else (after, inside)))
        self.frame.builder.place(inside)
        self.unguarded(item)
        self.frame.builder.jump(after)
        self.frame.builder.place(after)

    def unguarded(self, written: forms.Instruction) -> None:
        item, self.proxy = proxies.generic(written)
        opcode, *qualifiers = item.operation
        match opcode:
            case "ld":
                target, place = self.operands(item, "register", "location")
                if not qualifiers and self.is_value(place):  # as public suites write a move
                    self.set(item, target, self.value(place))
                else:
                    self.load(item, target, place)
            case "st":
                place, value = self.operands(item, "location", "value")
                self.store(item, place, value)
            case "atom" | "red":
                self.atomic(item)
            case "fence" | "membar":
                self.operands(item)
                self.fence(item)
            case "bar" | "barrier":
                self.barrier(item)
            case "goto" | "bra" if not qualifiers or item.operation == ("bra", "uni"):
                (label,) = self.operands(item, "label")
                there = self.label(label)
                self.frame.builder.split(values.TRUE, item.span, there, there)
            case _ if opcode in _BRANCHES and not qualifiers:
                left, right, label = self.operands(item, "value", "value", "label")
                condition = values.binary(_BRANCHES[opcode], self.value(left), self.value(right))
                following = self.frame.builder.label()
                self.frame.builder.split(condition, item.span, self.label(label), following)
                self.frame.builder.place(following)
            case "setp" if len(qualifiers) == 1 and qualifiers[0] in COMPARISONS:
                target, left, right = self.operands(item, "register", "value", "value")
                self.set(
                    item,
                    target,
                    values.binary(COMPARISONS[qualifiers[0]].operator, self.value(left), self.value(right)),
                )
            case _ if opcode in ARITHMETIC and not qualifiers:
                target, left, right = self.operands(item, "register", "value", "value")
                operate = _shifted if opcode in ("shl", "shr") else values.binary
                result = operate(ARITHMETIC[opcode].operator, self.value(left), self.value(right))
                self.set(item, target, self.frame.computed(result, item.span))
            case _ if opcode in UNARY and not qualifiers:
                target, operand = self.operands(item, "register", "value")
                self.set(item, target, values.unary(UNARY[opcode], self.value(operand)))
            case _:
                text = item.name
                alone = "setp.eq (or ne, lt, le, gt, ge) without a type" if opcode == "setp" else f"{opcode} alone"
                help_ = suggestion(opcode, _OPCODES) if opcode not in _OPCODES else f"write {alone}"
                raise error(
                    Code.OUTSIDE_SUBSET,
                    f"`{text}` is outside the modelled subset of PTX",
                    item.span,
                    help_ or "see docs/language.md for the instructions it has",
                )

    def load(self, item: forms.Instruction, target: forms.Operand, place: forms.Operand) -> None:
        mode, count = self.mode(item), table.count(item)
        targets = [self.target(one) for one in self.items(target, count)]
        if len(set(targets)) < count:
            raise error(Code.BAD_ARGUMENTS, "a register gets two elements", target.span, "name another")

        def emit(at: ir.Place, _: types.IntType, how: ir.Mode) -> None:
            for n, element in self.elements(at, count, item.span):
                self.frame.emit(ir.Load(targets[n].name, element, how), item.span)

        self.access(place, mode, item.span, emit, count)

    def store(self, item: forms.Instruction, place: forms.Operand, value: forms.Operand) -> None:
        mode, count = self.mode(item), table.count(item)
        given = [self.value(one) for one in self.items(value, count)]

        def emit(at: ir.Place, type_: types.IntType, how: ir.Mode) -> None:
            for n, element in self.elements(at, count, item.span):
                self.frame.emit(ir.Store(element, values.convert(given[n], type_), how), item.span)

        self.access(place, mode, item.span, emit, count)

    def items(self, operand: forms.Operand, count: int) -> tuple[forms.Operand, ...]:
        """The registers, or values, of the elements of an access."""
        found = operand.items if isinstance(operand, forms.Vector) else (operand,)
        if len(found) != count or (count > 1) != isinstance(operand, forms.Vector):
            shown = f"{{{', '.join(f'r{n}' for n in range(count))}}}" if count > 1 else "r0, or add .v2 or .v4"
            message = f"{count} of them are wanted here" if count > 1 else "one of them is wanted here"
            raise error(Code.BAD_ARGUMENTS, message, operand.span, f"write {shown}")
        return found

    def elements(self, first: ir.Place, count: int, span: Span) -> Iterator[tuple[int, ir.Place]]:
        """The elements of a vector from the first on, each when it is to be accessed: in no order (PTX ISA, "Vector
        Data-types")."""
        assert isinstance(first.index, Const)
        for n in range(count):
            if count > 1:
                self.frame.emit(ir.Operand(self.evaluations, n, vector=True), span)
            yield n, ir.Place(first.object, Const(first.index.value + n, types.INT))
        if count > 1:
            self.frame.emit(ir.Operand(self.evaluations, None, vector=True), span)
            self.evaluations += 1

    def atomic(self, item: forms.Instruction) -> None:
        """``atom`` and ``red``.  A compare-and-swap always writes, the old value where it fails."""
        operation = table.operation_of(item)
        mode = self.mode(item, operation)
        shape = ["location", *(["value"] * (2 if operation == "cas" else 1))]
        if item.operation[0] == "atom":
            target, place, *operands = self.operands(item, "register", *shape)
            result: Reg | None = self.target(target)
        else:
            place, *operands = self.operands(item, *shape)
            result = None
        given = [self.value(o) for o in operands]

        def emit(at: ir.Place, type_: types.IntType, how: ir.Mode) -> None:
            old = self.frame.temporary(type_)
            wide = values.convert(old, LONG)
            if operation == "cas":
                new = values.choose(values.binary("==", wide, given[0]), given[1], wide)
            else:
                new = _UPDATES[operation](wide, given[0])
            self.frame.emit(ir.Rmw(old.name, at, values.convert(new, type_), how, result is None), item.span)
            if result is not None:
                self.frame.emit(ir.Set(result.name, wide), item.span)

        self.access(place, mode, item.span, emit)

    def fence(self, item: forms.Instruction) -> None:
        proxy = item.operation[:2] == ("fence", "proxy")
        self.frame.emit(proxies.fence(item) if proxy else table.fence(item), item.span)

    def barrier(self, item: forms.Instruction) -> None:
        """``bar.cta.sync`` and ``bar.cta.arrive`` with a label, an identity (0 where none is written) and a count.

        Without ``.cta`` they are PTX's own, with a label and a count (PTX ISA, "bar"): "Operand b specifies the number
        of threads participating in the barrier", "a non-zero thread count is required for barrier{.cta}.arrive".  That
        the count is "a multiple of the warp size" says nothing where threads are written one by one.
        """
        text = item.name
        words = [word for word in item.operation[1:] if word != "aligned"]
        if words[:1] == ["red"] and words[1:] in (["popc"], ["and"], ["or"]):
            self.vote(item, words[1])
            return
        if words not in (["sync"], ["arrive"], ["cta", "sync"], ["cta", "arrive"]):
            message = f"`{text}` is outside the modelled subset of PTX"
            raise error(Code.OUTSIDE_SUBSET, message, item.span, "write bar.cta.sync or bar.cta.arrive")
        waits = words[-1] == "sync"
        operands = [self.value(o) for o in item.operands]
        if words[0] == "cta":
            if not 1 <= len(operands) <= 3:
                message = "a barrier has a label, and may have an identity and a count"
                raise error(Code.BAD_ARGUMENTS, message, item.span, "write bar.cta.sync 0, or bar.cta.sync 0, 1, 2")
            identity, count = [*operands[1:], None, None][:2]
        else:
            if len(operands) not in ((1, 2) if waits else (2,)):
                message = f"`{text}` has a label and {'may have ' if waits else ''}a number of threads"
                raise error(Code.BAD_ARGUMENTS, message, item.span, f"write {text} 0, 2")
            identity, count = None, operands[1] if len(operands) > 1 else None
            self.check_label(item.operands[0], "bar.cta takes any label")
        self.frame.emit(ir.NamedBarrier((operands[0], identity or Const(0, LONG)), count, waits), item.span)

    def vote(self, item: forms.Instruction, what: str) -> None:
        """``bar.red``: a result, a label, maybe a count, and a predicate."""
        if not 3 <= len(item.operands) <= 4:
            message = f"`{item.name}` has a result, a label, maybe a number of threads, and a predicate"
            raise error(Code.BAD_ARGUMENTS, message, item.span, f"write {item.name} r0, 0, 2, r1")
        target, label, *count, predicate = item.operands
        self.check_label(label, "write a number of these")
        given = values.convert(values.binary("!=", self.value(predicate), Const(0, LONG)), types.INT)
        found = self.frame.temporary(types.INT)
        vote = ir.Vote(found.name, _VOTES[what], given)
        name = self.value(label), Const(0, LONG)
        counted = self.value(count[0]) if count else None
        self.frame.emit(ir.NamedBarrier(name, counted, waits=True, vote=vote), item.span)
        self.set(item, target, found)

    def check_label(self, label: forms.Operand, help_: str) -> None:
        """InputError for a number that no barrier of a block has."""
        if isinstance(label, forms.Number) and not 0 <= label.value < table.BARRIERS:
            message = f"a block has the barriers 0 to {table.BARRIERS - 1}"
            raise error(Code.BAD_ARGUMENTS, message, label.span, help_)

    def set(self, item: forms.Instruction, target: forms.Operand, value: Value) -> None:
        self.frame.emit(ir.Set(self.target(target).name, values.convert(value, LONG)), item.span)

    # ---- qualifiers

    def mode(self, item: forms.Instruction, operation: str = "") -> ir.Mode:
        """Order and scope of an access or fence; a volatile one is relaxed at system scope (PTX ISA, "ld")."""
        opcode, *written = item.operation
        qualifiers = [q for q in written if q not in (operation, "global" if opcode in ACCESSES else "")]
        if table.count(item) > 1 and opcode in ("ld", "st"):
            qualifiers = [q for q in qualifiers if table.count_of(q) is None]
        if qualifiers == ["volatile"] and opcode in ("ld", "st"):
            return ir.Mode(Order.RELAXED, Scope.SYSTEM)
        for qualifier in qualifiers:
            if table.count_of(qualifier) is not None:
                message = f"`{item.name}` is outside the modelled subset of PTX"
                raise error(Code.OUTSIDE_SUBSET, message, item.span, "vectors of integers are loaded and stored")
            if table.TYPED.match(qualifier):
                message = f"`.{qualifier}` is outside the modelled subset"
                help_ = "registers have 64 bits here: leave the type out"
                raise error(Code.OUTSIDE_SUBSET, message, item.span, help_)
        return table.mode(item, qualifiers)

    # ---- operands

    def operands(self, item: forms.Instruction, *shape: str) -> tuple[forms.Operand, ...]:
        if len(item.operands) != len(shape):
            message = f"`{item.name}` takes {len(shape)} operands, {len(item.operands)} given"
            raise error(Code.BAD_ARGUMENTS, message, item.span, f"write {', '.join(shape)}" if shape else None)
        return item.operands

    def target(self, operand: forms.Operand) -> Reg:
        if not isinstance(operand, forms.Name):
            raise error(Code.BAD_ARGUMENTS, "a register is wanted here", operand.span, "name one, such as r0")
        if operand.name in self.world.objects or operand.name in self.world.aliases:
            message = f"`{operand.name}` is a location, and a register is wanted here"
            raise error(Code.BAD_ARGUMENTS, message, operand.span, "name another, such as r0")
        return self.frame.register(operand.name, LONG)

    def value(self, operand: forms.Operand) -> Value:
        match operand:
            case forms.Number(_, number):
                return Const(LONG.wrap(number), LONG)
            case forms.Name(span, name) if name in self.world.aliases:
                message = f"`{name}` is an alias, whose address is no value here"
                raise error(Code.OUTSIDE_SUBSET, message, span, "name it in an access")
            case forms.Name(_, name):
                return self.world.address(name) if name in self.world.objects else self.frame.register(name, LONG)
            case _:
                message = "a register or a number is wanted here"
                raise error(Code.BAD_ARGUMENTS, message, operand.span, "load it first")

    def is_value(self, operand: forms.Operand) -> bool:
        """Whether an operand is a number or a register, and not a place in memory (an address is written ``[r0]``)."""
        return isinstance(operand, forms.Number) or (
            isinstance(operand, forms.Name)
            and operand.name not in self.world.objects
            and operand.name not in self.world.aliases
        )

    def label(self, operand: forms.Operand) -> int:
        if not isinstance(operand, forms.Name) or operand.name not in self.labels:
            shown = operand.name if isinstance(operand, forms.Name) else "this"
            help_ = suggestion(shown, self.labels) or f"write {shown}: before an instruction of the column"
            raise error(Code.UNKNOWN_NAME, f"{self.thread.name} has no label `{shown}`", operand.span, help_)
        return self.labels[operand.name]

    def access(
        self,
        written: forms.Operand,
        mode: ir.Mode,
        span: Span,
        emit: Callable[[ir.Place, types.IntType, ir.Mode], None],
        count: int = 1,
    ) -> None:
        """Access so many elements from an address on, that of a location or one in a register, maybe with an offset.

        ``emit`` gets the first element, its type, and the mode with proxy and virtual address.  PTX ISA, "Addresses as
        Operands": "[var+immOff]"; and "The effective address must be naturally aligned, i.e. the address must be a
        multiple of the access size".
        """
        operand, address = proxies.resolve(self.world, written, self.proxy)
        how = proxies.through(mode, self.proxy, address)
        if not isinstance(operand, (forms.Name, forms.Element, forms.Indexed)) or not operand.name:
            help_ = "name one, such as x; mov sets a register"
            raise error(Code.BAD_ARGUMENTS, "a location is wanted here", operand.span, help_)
        offset = operand.offset if isinstance(operand, forms.Element) else 0
        object_ = self.world.objects.get(operand.name)
        if isinstance(operand, forms.Indexed):
            if object_ is None or operand.register is not None:
                message = f"`{operand.name}[…]` is no element of a location at a number"
                raise error(Code.BAD_ARGUMENTS, message, operand.span, "write [r0], with an address in r0")
            offset = operand.number * object_.size
        if object_ is None:
            register = self.frame.register(operand.name, LONG)
            pointer = values.binary("+", register, Const(offset, LONG)) if offset else register
            self.frame.through(pointer, operand.name, span, lambda at, type_: emit(at, type_, how), count)
            return
        index, inside = divmod(offset, object_.size)
        if inside or not whole(object_, index, count):
            wanted = f"{count} elements" if count > 1 else "element"
            message = f"`{operand.name}` has no {wanted} at the offset {offset}"
            help_ = f"declare the array in the initial state, such as `int {operand.name}[{max(count, 2)}];`"
            raise error(Code.BAD_ARGUMENTS, message, operand.span, help_)
        emit(ir.Place(operand.name, Const(index, types.INT)), object_.type, how)
