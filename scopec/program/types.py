"""Integer types and the arithmetic of C++ on them, on an LP64 platform (CUDA's)."""

from __future__ import annotations

from scopec.base.records import dataclass


@dataclass(frozen=True, slots=True)
class IntType:
    """An integral type: its C++ spelling, width in bits and signedness.  ``bool`` has width 1.

    ``modelled`` says whether values are, where this is the type of an object.
    """

    name: str
    bits: int
    signed: bool
    modelled: bool = True

    @property
    def size(self) -> int:
        """Bytes, as ``sizeof`` gives them; also the natural alignment."""
        return max(1, self.bits // 8)

    @property
    def is_bool(self) -> bool:
        """Whether this is ``bool``, to which every non-zero value converts as 1."""
        return self.bits == 1

    @property
    def is_float(self) -> bool:
        """Whether accesses to objects of this type are modelled, but values are not.

        It stands for a floating-point type, or for that of integers of which some are made of floating-point numbers.
        """
        return self.name in ("float", "double") or not self.modelled

    def not_modelled(self) -> IntType:
        """This type for integers whose values are not modelled."""
        return IntType(self.name, 8 * self.size, self.signed, modelled=False)

    def wrap(self, value: int) -> int:
        """``value`` converted to this type ([conv.integral]: modulo 2 to the width; [conv.bool] for bool)."""
        if self.is_bool:
            return int(value != 0)
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> (self.bits - 1) else value


BOOL = IntType("bool", 1, signed=False)
CHAR = IntType("char", 8, signed=True)
INT = IntType("int", 32, signed=True)
UINT = IntType("unsigned int", 32, signed=False)
LONG = IntType("long", 64, signed=True)
ULONG = IntType("unsigned long", 64, signed=False)
LONG_LONG = IntType("long long", 64, signed=True)
ULONG_LONG = IntType("unsigned long long", 64, signed=False)
INT128 = IntType("__int128", 128, signed=True)
UINT128 = IntType("unsigned __int128", 128, signed=False)


def common_type(a: IntType, b: IntType) -> IntType:
    """The usual arithmetic conversions ([expr.arith.conv])."""
    a, b = promoted(a), promoted(b)
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def promoted(type_: IntType) -> IntType:
    """Integral promotion ([conv.prom]): everything narrower than int becomes int."""
    return INT if type_.bits < 32 else type_


class ArithmeticFault(ArithmeticError):
    """An operation without a defined result; :mod:`scopec.program.faults` says when."""


def unary(op: str, value: int, type_: IntType) -> int:
    """``op value``, computed in ``type_`` (the promoted operand type; bool for ``!``)."""
    match op:
        case "!":
            return int(value == 0)
        case "-":
            return type_.wrap(-value)
        case "~":
            return type_.wrap(~value)
        case _:
            return type_.wrap(value)


def binary(op: str, left: int, right: int, type_: IntType) -> int:
    """``left op right`` with the operands already converted; ``type_`` is the result's type.

    Raises ArithmeticFault where C++ defines no result.
    """
    match op:
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "&&":
            return int(bool(left) and bool(right))
        case "||":
            return int(bool(left) or bool(right))
        case "/" | "%":
            if right == 0:
                raise ArithmeticFault("division by zero")
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            if type_.wrap(quotient) != quotient:
                raise ArithmeticFault(f"a quotient that does not fit {type_.name}")
            return type_.wrap(quotient if op == "/" else left - quotient * right)
        case "<<" | ">>":
            if not 0 <= right < type_.bits:
                raise ArithmeticFault("shift by more than the width")
            return type_.wrap(left << right if op == "<<" else left >> right)
        case "+":
            return type_.wrap(left + right)
        case "-":
            return type_.wrap(left - right)
        case "*":
            return type_.wrap(left * right)
        case "&":
            return type_.wrap(left & right)
        case "|":
            return type_.wrap(left | right)
        case "^":
            return type_.wrap(left ^ right)
        case "min":
            return min(left, right)
        case "max":
            return max(left, right)
        case _:
            raise AssertionError(op)


COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
