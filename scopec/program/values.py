"""Pure expressions over a thread's registers, folded as they are built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from functools import reduce
from typing import TypeAlias, assert_never

from scopec.program import types
from scopec.program.types import BOOL, IntType
from scopec.records import dataclass


@dataclass(frozen=True, slots=True)
class Const:
    """A known value."""

    value: int
    type: IntType


@dataclass(frozen=True, slots=True)
class Reg:
    """The value of a register of the thread."""

    name: str
    type: IntType


@dataclass(frozen=True, slots=True)
class Builtin:
    """``threadIdx.x`` and the like: a constant of each thread, named ``threadIdx.x``."""

    name: str
    type: IntType


@dataclass(frozen=True, slots=True)
class Unary:
    """``op operand``."""

    op: str
    operand: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right``; both operands already have the type that the operation is computed in."""

    op: str
    left: Value
    right: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Choose:
    """``condition ? then : otherwise``."""

    condition: Value
    then: Value
    otherwise: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Convert:
    """``operand`` converted to another integral type."""

    operand: Value
    type: IntType


@dataclass(frozen=True, slots=True)
class Named:
    """A long value that others share: equal ones have one ``number``; ``reads`` are its leaves, each once."""

    number: int
    value: Value = field(compare=False)
    reads: tuple[Reg | Builtin, ...] = field(compare=False)
    size: int = field(compare=False)
    names: Names = field(compare=False, repr=False)

    @property
    def type(self) -> IntType:
        """The type of the value."""
        return self.value.type


Value: TypeAlias = Const | Reg | Builtin | Unary | Binary | Choose | Convert | Named


class Names:
    """Names for long values, so that what is computed from them stays short."""

    def __init__(self) -> None:
        self._known: dict[Value, Named] = {}

    def short(self, value: Value) -> Value:
        """``value``, by a name if it has more than LONGEST nodes."""
        return value if _shown_size(value, LONGEST) <= LONGEST else self.named(value)

    def named(self, value: Value) -> Named:
        """``value`` by its name."""
        if value not in self._known:
            reads = tuple(dict.fromkeys(leaves(value)))
            self._known[value] = Named(len(self._known), value, reads, size(value), self)
        return self._known[value]


#: The nodes that a value has at most before it is named.
LONGEST = 100

TRUE = Const(1, BOOL)
FALSE = Const(0, BOOL)


def convert(value: Value, type_: IntType) -> Value:
    """``value`` converted to ``type_`` for what has that type itself; nothing is added where every value is kept."""
    if isinstance(value, Const):
        return Const(type_.wrap(value.value), type_)
    return value if keeps(value.type, type_) else Convert(value, type_)


def cast(value: Value, type_: IntType) -> Value:
    """``value`` converted to ``type_``, which is its type then: what is computed from it depends on that."""
    converted = convert(value, type_)
    return converted if converted.type == type_ else Convert(converted, type_)


def keeps(source: IntType, type_: IntType) -> bool:
    """Whether a conversion from ``source`` to ``type_`` keeps every value."""
    if source == type_ or source.is_bool or type_.is_bool:
        return source == type_ or source.is_bool
    if type_.signed == source.signed:
        return type_.bits >= source.bits
    return type_.signed and type_.bits > source.bits


def unary(op: str, operand: Value) -> Value:
    """``op operand`` after integral promotion."""
    if op == "!":
        operand = convert(operand, BOOL)
        if isinstance(operand, Unary) and operand.op == "!":
            return operand.operand
        if isinstance(operand, Binary) and operand.op in _NEGATED:
            return Binary(_NEGATED[operand.op], operand.left, operand.right, BOOL)
        type_ = BOOL
    else:
        type_ = types.promoted(operand.type)
        if op == "+":
            return cast(operand, type_)
        operand = convert(operand, type_)
    if isinstance(operand, Const):
        return Const(types.unary(op, operand.value, type_), type_)
    return Unary(op, operand, type_)


_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def binary(op: str, left: Value, right: Value) -> Value:
    """``left op right`` with the usual arithmetic conversions."""
    if op in ("&&", "||"):
        return _logical(op, convert(left, BOOL), convert(right, BOOL))
    if op in ("<<", ">>"):
        type_ = operands = types.promoted(left.type)
    else:
        operands = types.common_type(left.type, right.type)
        type_ = BOOL if op in types.COMPARISONS else operands
    left, right = convert(left, operands), convert(right, operands if op not in ("<<", ">>") else right.type)
    if isinstance(left, Const) and isinstance(right, Const):
        try:
            return Const(types.binary(op, left.value, right.value, type_), type_)
        except types.ArithmeticFault:
            pass
    return Binary(op, left, right, type_)


def _logical(op: str, left: Value, right: Value) -> Value:
    absorbing = int(op == "||")
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Const):
            return Const(absorbing, BOOL) if one.value == absorbing else other
    return left if left == right else Binary(op, left, right, BOOL)


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """``condition ? then : otherwise`` with both branches converted to their common type."""
    type_ = then.type
    if then.type != otherwise.type:
        type_ = types.common_type(then.type, otherwise.type)
        then, otherwise = convert(then, type_), convert(otherwise, type_)
    condition = convert(condition, BOOL)
    if isinstance(condition, Const):
        return cast(then if condition.value else otherwise, type_)
    if then == otherwise:
        return cast(then, type_)
    if type_.is_bool:  # a choice with a constant side is a conjunction or disjunction
        if isinstance(then, Const):
            return (
                _logical("||", condition, otherwise) if then.value else _logical("&&", unary("!", condition), otherwise)
            )
        if isinstance(otherwise, Const):
            first = unary("!", condition) if otherwise.value else condition
            return _logical("||" if otherwise.value else "&&", first, then)
    return Choose(condition, then, otherwise, type_)


def substitute(value: Value, replace: Callable[[Reg | Builtin], Value]) -> Value:
    """``value`` with every register and builtin replaced, folded again."""
    done: dict[int, Value] = {}

    def replaced(inner: Value) -> Value:
        match inner:
            case Const():
                return inner
            case Reg() | Builtin():
                return replace(inner)
            case Unary(op, operand, type_):
                operand = replaced(operand)
                if op == "!":
                    return unary(op, operand)
                if isinstance(operand, Const):
                    return Const(types.unary(op, operand.value, type_), type_)
                return Unary(op, operand, type_)
            case Binary(op, left, right, type_):
                left, right = replaced(left), replaced(right)
                if op in ("&&", "||"):
                    return binary(op, left, right)
                if isinstance(left, Const) and isinstance(right, Const):
                    try:
                        return Const(types.binary(op, left.value, right.value, type_), type_)
                    except types.ArithmeticFault:
                        pass
                return Binary(op, left, right, type_)
            case Choose(condition, then, otherwise, _):
                return choose(replaced(condition), replaced(then), replaced(otherwise))
            case Convert(operand, type_):
                return cast(replaced(operand), type_)
            case Named(number, long, _, _, names):
                if number not in done:
                    done[number] = names.short(replaced(long))
                return done[number]
            case _:
                assert_never(inner)

    return replaced(value)


def assume(value: Value, condition: Value, truth: bool) -> Value:
    """``value`` where ``condition`` is known to be ``truth``: choices by it, or by its negation, are decided."""
    negated = unary("!", condition)
    mentioned = set(leaves(condition))
    done: dict[int, Value] = {}

    def decided(inner: Value) -> Value:
        match inner:
            case Choose(test, then, otherwise, type_):
                if test in (condition, negated):
                    return decided(then if (test == condition) == truth else otherwise)
                return Choose(decided(test), decided(then), decided(otherwise), type_)
            case Unary(op, operand, type_):
                return Unary(op, decided(operand), type_)
            case Binary(op, left, right, type_):
                return Binary(op, decided(left), decided(right), type_)
            case Convert(operand, type_):
                return Convert(decided(operand), type_)
            case Named(number, long, reads, _, names) if mentioned <= set(reads):
                if number not in done:
                    done[number] = names.short(decided(long))
                return done[number]
            case _:
                return inner

    return decided(value)


def map_atoms(value: Value, atom: Callable[[Value], Value], truth: bool = True) -> Value:
    """A condition (``truth``) or its negation, negations taken inward, with ``atom`` applied to what is no logic."""
    match value:
        case Unary("!", operand, _):
            return map_atoms(operand, atom, not truth)
        case Binary(("&&" | "||") as op, left, right, _):
            dual = "||" if op == "&&" else "&&"
            return binary(op if truth else dual, map_atoms(left, atom, truth), map_atoms(right, atom, truth))
        case _:
            return atom(value if truth else unary("!", value))


def without_repeats(value: Value) -> Value:
    """A conjunction with each of its conditions once."""

    def conjuncts(inner: Value) -> Iterator[Value]:
        match inner:
            case Binary("&&", left, right, _):
                yield from conjuncts(left)
                yield from conjuncts(right)
            case _:
                yield inner

    first, *others = dict.fromkeys(conjuncts(value))
    return reduce(lambda left, right: binary("&&", left, right), others, first)


def size(value: Value) -> int:
    """The number of nodes of a value, those of named ones at each of their uses."""
    match value:
        case Unary(_, operand, _) | Convert(operand, _):
            return 1 + size(operand)
        case Binary(_, left, right, _):
            return 1 + size(left) + size(right)
        case Choose(condition, then, otherwise, _):
            return 1 + size(condition) + size(then) + size(otherwise)
        case Named():
            return value.size
        case _:
            return 1


def _shown_size(value: Value, limit: int) -> int:
    """The number of nodes of a value, a named one counted as one; counted up to just above ``limit``."""
    count, work = 0, [value]
    while work and count <= limit:
        count += 1
        match work.pop():
            case Unary(_, operand, _) | Convert(operand, _):
                work.append(operand)
            case Binary(_, left, right, _):
                work += [left, right]
            case Choose(condition, then, otherwise, _):
                work += [condition, then, otherwise]
            case _:
                pass
    return count


def bounds(value: Value) -> tuple[int, int]:
    """A range that every value of an expression is in."""
    low = -(1 << (value.type.bits - 1)) if value.type.signed else 0
    high = (1 << (value.type.bits - value.type.signed)) - 1
    match value:
        case Const(number, _):
            return number, number
        case Binary("%", left, Const(by, _), _) if by > 0 and bounds(left)[0] >= 0:
            return 0, min(by - 1, bounds(left)[1])
        case Binary("&", _, Const(mask, _), _) if mask >= 0:
            return 0, mask
        case Choose(_, then, otherwise, _):
            (a, b), (c, d) = bounds(then), bounds(otherwise)
            return min(a, c), max(b, d)
        case Convert(operand, _):
            a, b = bounds(operand)
            return (a, b) if low <= a and b <= high else (low, high)
        case Binary(("+" | "-") as op, left, right, _):
            (a, b), (c, d) = bounds(left), bounds(right)
            least, most = (a + c, b + d) if op == "+" else (a - d, b - c)
            return (least, most) if low <= least and most <= high else (low, high)
        case Named(_, long):
            return bounds(long)
        case _:
            return low, high


def leaves(value: Value) -> Iterator[Reg | Builtin]:
    """The registers and builtins that a value mentions, left to right, with repetitions (but not in named values)."""
    match value:
        case Const():
            return
        case Reg() | Builtin():
            yield value
        case Unary(_, operand, _) | Convert(operand, _):
            yield from leaves(operand)
        case Binary(_, left, right, _):
            yield from leaves(left)
            yield from leaves(right)
        case Choose(condition, then, otherwise, _):
            yield from leaves(condition)
            yield from leaves(then)
            yield from leaves(otherwise)
        case Named():
            yield from value.reads
        case _:
            assert_never(value)


def form(value: Value) -> frozenset[object]:
    """What a value may be, whichever registers it is computed from, and whichever sides are chosen."""
    done: dict[int, frozenset[object]] = {}

    def of(inner: Value) -> frozenset[object]:
        match inner:
            case Reg() | Builtin():
                return frozenset({inner.type})
            case Unary(op, operand, type_):
                return frozenset({(op, of(operand), type_)})
            case Binary(op, left, right, type_):
                return frozenset({(op, of(left), of(right), type_)})
            case Choose(_, then, otherwise, _):
                return of(then) | of(otherwise)
            case Convert(operand, type_):
                return frozenset({(of(operand), type_)})
            case Const():
                return frozenset({inner})
            case Named(number, long):
                if number not in done:
                    done[number] = of(long)
                return done[number]
            case _:
                assert_never(inner)

    return of(value)


def evaluate(value: Value, environment: Callable[[Reg | Builtin], int]) -> int:
    """The integer that ``value`` has; raises ArithmeticFault where C++ defines no result."""
    done: dict[int, int] = {}

    def result(inner: Value) -> int:
        match inner:
            case Const(number, _):
                return number
            case Reg() | Builtin():
                return environment(inner)
            case Unary(op, operand, type_):
                return types.unary(op, result(operand), type_)
            case Binary("&&", left, right, _):
                return int(bool(result(left) and result(right)))
            case Binary("||", left, right, _):
                return int(bool(result(left) or result(right)))
            case Binary(op, left, right, type_):
                return types.binary(op, result(left), result(right), type_)
            case Choose(condition, then, otherwise, _):
                return result(then if result(condition) else otherwise)
            case Convert(operand, type_):
                return type_.wrap(result(operand))
            case Named(number, long):
                if number not in done:
                    done[number] = result(long)
                return done[number]
            case _:
                assert_never(inner)

    return result(value)


_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip


def show(value: Value, outer: int = 0) -> str:
    """``value`` in C++ notation (conversions as ``type(…)``)."""
    match value:
        case Const(number, type_):
            return ("true" if number else "false") if type_.is_bool else str(number)
        case Reg(name, _) | Builtin(name, _):
            return name
        case Unary(op, operand, _):
            return op + show(operand, 11)
        case Binary(("min" | "max") as op, left, right, _):
            return f"{op}({show(left)}, {show(right)})"
        case Binary(op, left, right, _):
            level = _PRECEDENCE[op]
            text = f"{show(left, level)} {op} {show(right, level + 1)}"
            return f"({text})" if level < outer else text
        case Choose(condition, then, otherwise, _):
            text = f"{show(condition, 1)} ? {show(then, 1)} : {show(otherwise)}"
            return f"({text})" if outer else text
        case Convert(operand, type_):
            return f"{type_.name}({show(operand)})"
        case Named():
            return "…"
        case _:
            assert_never(value)
