"""Values of a Program as C++: registers are 64-bit words, and each operation is computed in its own type."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.program import types
from scopec.program.types import IntType
from scopec.program.values import Binary, Builtin, Choose, Const, Convert, Named, Reg, Unary, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Operations that are computed without a sign, as a sum past the range has no meaning in C++ with one.
_MODULAR = ("+", "-", "*", "&", "|", "^")
_MASK = (1 << 64) - 1


def type_name(type_: IntType) -> str:
    """The C++ type: ``i32``, ``u8``, ``bool``."""
    return "bool" if type_.is_bool else f"{'iu'[not type_.signed]}{type_.bits}"


def word(value: int) -> str:
    """A number as a 64-bit word."""
    return f"{value & _MASK:#x}ull" if not 0 <= value < 10 else f"{value}ull"


def cxx(value: Value, names: Mapping[str, str]) -> str:
    """``value`` in C++, its registers called as ``names`` says; it has the value's own type."""
    match value:
        case Const(number, type_):
            return f"{type_name(type_)}({word(number)})"
        case Reg(name, type_):
            return f"{type_name(type_)}({names[name]})"
        case Builtin():
            raise AssertionError(value.name)  # the program of a thread has its values
        case Unary("!", operand, _):
            return f"(!{cxx(operand, names)})"
        case Unary(op, operand, type_):
            return f"{type_name(type_)}({op}{_as(IntType('', type_.bits, signed=False), operand, names)})"
        case Binary(("&&" | "||") as op, left, right, _):
            return f"({cxx(left, names)} {op} {cxx(right, names)})"
        case Binary(op, left, right, type_):
            return _binary(op, left, right, type_, names)
        case Choose(condition, then, otherwise, type_):
            chosen = f"{cxx(condition, names)} ? {cxx(then, names)} : {cxx(otherwise, names)}"
            return f"{type_name(type_)}({chosen})"
        case Convert(operand, type_):
            return f"{type_name(type_)}({cxx(operand, names)})"
        case Named(value=long):
            return cxx(long, names)
        case _:
            assert_never(value)


def _binary(op: str, left: Value, right: Value, type_: IntType, names: Mapping[str, str]) -> str:
    if op in types.COMPARISONS:
        common = types.common_type(left.type, right.type)
        return f"({_as(common, left, names)} {op} {_as(common, right, names)})"
    if op in ("min", "max"):
        return f"{op}({_as(type_, left, names)}, {_as(type_, right, names)})"
    unsigned = IntType("", type_.bits, signed=False)
    if op in _MODULAR:
        return f"{type_name(type_)}({_as(unsigned, left, names)} {op} {_as(unsigned, right, names)})"
    one = _as(unsigned if op == "<<" else type_, left, names)
    other = cxx(right, names) if op in ("<<", ">>") else _as(type_, right, names)
    return f"{type_name(type_)}({one} {op} {other})"


def _as(type_: IntType, value: Value, names: Mapping[str, str]) -> str:
    """A value as one of another type."""
    text, wanted = cxx(value, names), type_name(type_)
    return text if type_name(value.type) == wanted else f"{wanted}({text})"
