"""LLVM's arithmetic as values: a number of so many bits is one of the signed type of that width, ``i1`` a bool."""

from __future__ import annotations

from scopec.base.records import dataclass
from scopec.program import types, values
from scopec.program.types import BOOL, IntType
from scopec.program.values import Binary, Choose, Const, Convert, Value

_SIGNED = {1: BOOL, 8: types.CHAR, 16: IntType("short", 16, True), 32: types.INT, 64: types.LONG, 128: types.INT128}
_UNSIGNED = {
    1: BOOL, 8: IntType("unsigned char", 8, False), 16: IntType("unsigned short", 16, False), 32: types.UINT,
    64: types.ULONG, 128: types.UINT128,
}  # fmt: skip
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<"}
#: Those that are of signed numbers, or of unsigned ones.
_OF_SIGNS = {
    "sdiv": ("/", True), "udiv": ("/", False), "srem": ("%", True), "urem": ("%", False),
    "ashr": (">>", True), "lshr": (">>", False),
    "smin": ("min", True), "umin": ("min", False), "smax": ("max", True), "umax": ("max", False),
}  # fmt: skip
_PREDICATES = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def signed(bits: int) -> IntType:
    """The type in which numbers of a width are kept."""
    return _SIGNED.get(bits) or IntType(f"i{bits}", bits, signed=True)


def unsigned(bits: int) -> IntType:
    """The unsigned type of a width."""
    return _UNSIGNED.get(bits) or IntType(f"u{bits}", bits, signed=False)


def number(value: int, bits: int) -> Const:
    """A constant of a width."""
    type_ = signed(bits)
    return Const(type_.wrap(value) if bits > 1 else value & 1, type_)


def as_type(value: Value, type_: IntType) -> Value:
    """The same bits (or their number, for bool) as another type; what was only changed back and forth is not."""
    while isinstance(value, Convert) and value.operand.type.bits == value.type.bits == type_.bits:
        value = value.operand
    return value if value.type == type_ else values.cast(value, type_)


def kept(value: Value) -> Value:
    """A value in the type in which numbers of its width are kept."""
    return as_type(value, signed(value.type.bits))


def arithmetic(opcode: str, left: Value, right: Value) -> Value:
    """The result of an instruction, or ``llvm.smin`` and the like, with two operands of one width."""
    bits = left.type.bits
    if bits == 1 and opcode in ("add", "sub"):
        opcode = "xor"
    if opcode in _OF_SIGNS:
        operator, is_signed = _OF_SIGNS[opcode]
        type_ = signed(bits) if is_signed else unsigned(bits)
        return kept(_binary(operator, as_type(left, type_), as_type(right, type_), type_))
    if bits == 1:
        return _of_bools(opcode, left, right)
    left, right = _alike(left, right)
    return kept(_binary(_OPERATORS[opcode], left, right, left.type))


def _alike(left: Value, right: Value) -> tuple[Value, Value]:
    """Two numbers of one width as the source has them, where they are of one type: bits are all that counts."""
    first, second = (v.operand if isinstance(v, Convert) and v.operand.type.bits == v.type.bits else v
                     for v in (left, right))  # fmt: skip
    if isinstance(second, Const):
        return first, as_type(second, first.type)
    if isinstance(first, Const):
        return as_type(first, second.type), second
    return (first, second) if first.type == second.type else (left, right)


def _of_bools(opcode: str, left: Value, right: Value) -> Value:
    match opcode:
        case "and" | "mul":
            return values.binary("&&", left, right)
        case "or":
            return values.binary("||", left, right)
        case _:
            return values.unary("!", right) if left == values.TRUE else (
                values.unary("!", left) if right == values.TRUE else values.binary("!=", left, right)
            )  # fmt: skip


def _binary(operator: str, left: Value, right: Value, type_: IntType) -> Value:
    if isinstance(left, Const) and isinstance(right, Const):  # of which nothing need be asked that may differ by thread
        return values.substitute(Binary(operator, left, right, type_), lambda leaf: leaf)
    if operator in ("+", "-", "|", "^", "<<", ">>") and isinstance(right, Const) and right.value == 0:
        return left
    if operator in ("+", "|", "^") and isinstance(left, Const) and left.value == 0:
        return right
    if operator == "*" and isinstance(right, Const) and right.value == 1:
        return left
    return values.substitute(Binary(operator, left, right, type_), lambda leaf: leaf)


def compare(predicate: str, left: Value, right: Value) -> Value:
    """The truth of ``icmp``."""
    bits = left.type.bits
    if predicate in ("eq", "ne"):
        if bits == 1 and isinstance(right, Const):
            positive = (predicate == "eq") == bool(right.value)
            return left if positive else values.unary("!", left)
        return _same(predicate, *_alike(left, right))
    type_ = unsigned(bits) if predicate[0] == "u" else signed(bits)
    return _truth(_PREDICATES[predicate[1:]], as_type(left, type_), as_type(right, type_))


def _same(predicate: str, left: Value, right: Value) -> Value:
    """Whether two numbers are equal, of the values that were made wider to be compared."""
    if isinstance(right, Const):
        while isinstance(left, Convert):
            inner = left.operand
            narrow = inner.type.wrap(right.value) if not inner.type.is_bool else right.value & 1
            if left.type.wrap(narrow) != left.type.wrap(right.value) or inner.type.bits > left.type.bits:
                break
            left, right = inner, Const(narrow, inner.type)
        if left.type.is_bool:
            positive = (predicate == "eq") == bool(right.value)
            return left if positive else values.unary("!", left)
    return _truth(_PREDICATES[predicate], left, right)


def _truth(operator: str, left: Value, right: Value) -> Value:
    if left == right:
        return values.TRUE if operator in ("==", "<=", ">=") else values.FALSE
    match left, right:
        case Choose(condition, Const() as then, Const() as otherwise), Const():
            return values.choose(condition, _truth(operator, then, right), _truth(operator, otherwise, right))
        case _:
            pass
    return values.substitute(Binary(operator, left, right, BOOL), lambda leaf: leaf)


def resized(opcode: str, value: Value, bits: int) -> Value:
    """``trunc``, ``zext`` or ``sext`` to a width."""
    own = value.type.bits
    if own == bits:
        return value
    if bits == 1:
        last = value
        while isinstance(last, Convert) and not last.type.is_bool:  # to another number of bits, the last one stays
            last = last.operand
        if last.type.is_bool:
            return last
        low = arithmetic("and", value, number(1, own))
        return compare("ne", low, number(0, own))
    if own == 1:
        one = number(-1 if opcode == "sext" else 1, bits)
        if isinstance(value, Const):
            return one if value.value else number(0, bits)
        return values.cast(value, signed(bits)) if opcode == "zext" else values.choose(value, one, number(0, bits))
    if opcode == "zext":
        value = as_type(value, unsigned(own))
    return values.cast(value, signed(bits))


# ---------------------------------------------------------------- addresses


@dataclass(frozen=True, slots=True)
class Offset:
    """Bytes from the beginning of a region: a constant and multiples of values, sorted by factor, the largest first.

    ``shift`` is how much of the constant was added to values, as in ``a[i + 1]``: without it the constant says which
    array they are an index in.
    """

    constant: int = 0
    terms: tuple[tuple[int, Value], ...] = ()
    shift: int = 0

    def plus(self, factor: int, value: Value) -> Offset:
        """So many times a value further on."""
        if isinstance(value, Const):
            return Offset(self.constant + factor * value.value, self.terms, self.shift)
        known, terms = _linear(factor, value)
        return self.moved(Offset(known, terms, known))

    def moved(self, distance: Offset) -> Offset:
        """The offset of something at an offset from here."""
        terms = (*self.terms, *distance.terms)
        if len(terms) > 1:
            distinct = len({factor for factor, _ in terms}) == len(terms)
            terms = tuple(sorted(terms, key=_by_factor if distinct else _by_factor_and_text))
        return Offset(self.constant + distance.constant, terms, self.shift + distance.shift)


def _linear(factor: int, value: Value) -> tuple[int, tuple[tuple[int, Value], ...]]:
    """So many times a value, as a constant and multiples of values."""
    value = _index(value)
    match value:
        case Const(known, _):
            return factor * known, ()
        case Binary("+", one, other, _):
            (first, terms), (second, more) = _linear(factor, one), _linear(factor, other)
            return first + second, (*terms, *more)
        case Binary("*", one, Const(known, _), _):
            return _linear(factor * known, one)
        case _:
            return 0, ((factor, value),) if factor else ()


def _by_factor(term: tuple[int, Value]) -> int:
    return -term[0]


def _by_factor_and_text(term: tuple[int, Value]) -> tuple[int, str]:
    return -term[0], repr(term[1])


def _index(value: Value) -> Value:
    """An index without the widening that an address needs, which changes no number that is in range."""
    while isinstance(value, Convert) and value.type.bits == 64 and value.operand.type.bits < 64:
        if isinstance(value.operand, Const):
            break
        value = value.operand
    return value
