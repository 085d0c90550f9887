"""LLVM's arithmetic as terms over mathematical integers.

A register's number of so many bits is that of its term, but for multiples of 2^bits: sums, differences and products
keep that.  Where the number itself counts (a comparison, an extension, a quotient) the term is taken for it, a negative
one in an unsigned reading for what it is there: that is right as long as nothing passes the limits of its type upwards,
which the verdict says.  A multiplication by a large constant, as in hash functions, passes them: its result is any.
"""

from __future__ import annotations

from scopec.frontends.clang.anythread.limits import goes_round, limits, not_below, signed_part, unsigned_part
from scopec.frontends.clang.anythread.values import Names
from scopec.frontends.clang.llvm import code as llvm
from scopec.program import anythread as terms
from scopec.program.anythread import Term, const

#: What is multiplied by this or more may not stay below the limits of its type.
_LARGE = 1 << 16
#: What takes its operands for numbers, and whether for signed ones.
READS = {
    "udiv": False, "urem": False, "lshr": False, "umin": False, "umax": False,
    "sdiv": True, "srem": True, "ashr": True, "smin": True, "smax": True,
}  # fmt: skip
#: What goes round where it is unsigned.
_ROUND = ("add", "sub")


def number(value: int, bits: int) -> Term:
    """A constant, in its signed reading."""
    if bits == 1:
        return terms.TRUE if value & 1 else terms.FALSE
    low = value & ((1 << bits) - 1)
    return const(low - (1 << bits) if low >> (bits - 1) else low)


def unsigned(term: Term, bits: int) -> Term:
    """The unsigned reading of a number."""
    if terms.is_natural(term):
        return term
    if term.op == "const":
        return const(term.value % (1 << bits))
    return terms.choose(terms.less(term, terms.ZERO), terms.add(term, const(1 << bits)), term)


def signed(term: Term, bits: int) -> Term:
    """The signed reading of a number."""
    if term.op == "const":
        return number(term.value, bits)
    if term.op == "choose":
        condition, then, otherwise = term.args
        return terms.choose(condition, signed(then, bits), signed(otherwise, bits))
    _, high = limits(term) if term.op in ("symbol", "mod") else (None, None)
    if high is not None and high >= 1 << (bits - 1):
        return terms.choose(terms.less(term, const(1 << (bits - 1))), term, terms.add(term, const(-(1 << bits))))
    return term


def arithmetic(
    opcode: str, left: Term, right: Term, bits: int, names: Names, flags: frozenset[str] = frozenset()
) -> Term:
    """The result of an instruction with two numbers of one width."""
    found = _of_truths(opcode, left, right) if bits == 1 else _of_numbers(opcode, left, right, bits, flags)
    if found is not None and bits > 1 and opcode in _ROUND and "nsw" not in flags:
        found = goes_round(opcode, left, right, found, bits)
    if found is None:
        found_any = names.any_of(llvm.Int(bits))
        assert isinstance(found_any, Term)
        return found_any
    return found


def _of_truths(opcode: str, left: Term, right: Term) -> Term | None:
    match opcode:
        case "and" | "mul":
            return terms.both(left, right)
        case "or":
            return terms.either(left, right)
        case "xor" | "add" | "sub":
            return terms.choose(left, terms.opposite(right), right)
        case _:
            return None


def _of_numbers(opcode: str, left: Term, right: Term, bits: int, flags: frozenset[str]) -> Term | None:
    value = right.value if right.op == "const" else None
    match opcode:
        case "add":
            return terms.add(left, right)
        case "sub":
            return terms.add(left, terms.negative(right))
        case "mul":
            if "nsw" in flags:  # one that passes the limits is undefined
                return terms.mul(left, right)
            constants = [term.value for term in (left, right) if term.op == "const"]
            return None if any(abs(one) >= _LARGE for one in constants) else _not_large(terms.mul(left, right), bits)
        case "shl":
            if value is None:
                return terms.grown(left, right, 2)
            return _not_large(terms.mul(const(1 << value), left), bits) if 0 <= value < 16 else None
        case "lshr":
            return _shifted(unsigned_part(left, bits) if _is_multiple(left) else unsigned(left, bits), right, bits)
        case "ashr":
            return _shifted(signed_part(left, bits) if _is_multiple(left) else signed(left, bits), right, bits)
        case "udiv" | "urem":
            made = terms.div if opcode == "udiv" else terms.mod
            return made(unsigned(left, bits), unsigned(right, bits))
        case "sdiv" | "srem":
            return _of_signs(opcode, signed(left, bits), signed(right, bits))
        case "and":
            return _masked(left, right)
        case "or" | "xor":
            return _set(opcode, left, right)
        case "umin" | "umax":
            return _one(opcode == "umin", unsigned(left, bits), unsigned(right, bits))
        case "smin" | "smax":
            return _one(opcode == "smin", signed(left, bits), signed(right, bits))
        case _:
            return None


def _not_large(product: Term, bits: int) -> Term | None:
    """A product, if it has no factor with which it passes the limits of 32 bits in small launches already."""
    return None if bits <= 32 and any(abs(one) >= _LARGE for one in terms.linear(product)[0].values()) else product


def _is_multiple(term: Term) -> bool:
    """Whether a number may be what a shift to the left, as of a bit-field, has left of one."""
    return term.op == "mul" and term.args[0].op == "const" and term.args[0].value % 2 == 0


def _one(least: bool, left: Term, right: Term) -> Term:
    return terms.choose(terms.less(left, right), *((left, right) if least else (right, left)))


def _shifted(left: Term, by: Term, bits: int) -> Term | None:
    if by.op != "const":
        return terms.shrunk(left, by, 2, "down")
    return terms.div(left, const(1 << by.value)) if 0 <= by.value < bits else None


def _set(opcode: str, left: Term, right: Term) -> Term | None:
    """``| 2^k``, ``^ 2^k`` and ``^ -1``, which hold of every reading."""
    if right.op != "const":
        left, right = right, left
    if right.op != "const":
        made = terms.exclusive if opcode == "xor" else _either
        return made(left, right)
    mask = right.value
    if mask == 0:
        return left
    if mask == -1 and opcode == "xor":
        return terms.add(const(-1), terms.negative(left))
    if mask < 0 or mask & (mask - 1):
        return None if opcode == "or" else terms.exclusive(left, right)
    bit = terms.mod(terms.div(left, right), const(2))
    return terms.add(terms.add(left, right), terms.mul(const(-mask * (2 if opcode == "xor" else 1)), bit))


def _either(left: Term, right: Term) -> Term:
    return terms.add(terms.add(left, right), terms.negative(terms.mask(left, right)))


def _of_signs(opcode: str, left: Term, right: Term) -> Term:
    """A quotient that is rounded to zero, and its rest, which is below 0 where the dividend is."""
    made = terms.div if opcode == "sdiv" else terms.mod

    def of_natural(size: Term) -> Term:
        positive = made(size, right)
        if terms.is_natural(right):
            return positive
        mirrored = made(size, terms.negative(right))
        mirrored = terms.negative(mirrored) if opcode == "sdiv" else mirrored
        return terms.choose(terms.less(terms.ZERO, right), positive, mirrored)

    if terms.is_natural(left):
        return of_natural(left)
    below = terms.negative(of_natural(terms.negative(left)))
    return terms.choose(terms.less(left, terms.ZERO), below, of_natural(left))


def _masked(left: Term, right: Term) -> Term | None:
    """``& (2^k - 1)`` and ``& -2^k``, which hold of every reading."""
    if right.op != "const":
        left, right = right, left
    if right.op != "const":
        for one, other in ((left, right), (right, left)):
            power = terms.add(other, terms.ONE)
            if terms.is_power(power):  # 0 less 1 is all bits
                return terms.choose(terms.less(terms.ZERO, power), terms.mod(one, power), one)
        return terms.mask(left, right)
    mask = right.value
    if mask >= 0 and mask & (mask + 1) == 0:
        return terms.mod(left, const(mask + 1))
    if mask < 0 and -mask & (-mask - 1) == 0:
        return terms.add(left, terms.negative(terms.mod(left, const(-mask))))
    return None


def compare(predicate: str, left: Term, right: Term, bits: int) -> Term:
    """The truth of ``icmp``."""
    if bits == 1:
        same = terms.choose(left, right, terms.opposite(right))
        if predicate in ("eq", "ne"):
            return same if predicate == "eq" else terms.opposite(same)
        left, right = (terms.choose(one, terms.ONE, terms.ZERO) for one in (left, right))
        predicate = f"u{predicate[1:]}" if predicate[0] == "u" else _SWAPPED[predicate]
    if predicate in ("eq", "ne"):
        same = _same(left, right, bits)
        return same if predicate == "eq" else terms.opposite(same)
    reading = unsigned if predicate[0] == "u" else signed
    if bits > 1:
        left, right = reading(left, bits), reading(right, bits)
    match predicate[1:]:
        case "lt":
            return terms.less(left, right)
        case "gt":
            return terms.less(right, left)
        case "le":
            return terms.opposite(terms.less(right, left))
        case _:
            return terms.opposite(terms.less(left, right))


def of_one_sign(left: Term, right: Term) -> bool:
    """Whether ``==`` is right of numbers up to the unsigned limit, not up to the signed one alone."""
    return "const" in (left.op, right.op) or (terms.is_natural(left) and terms.is_natural(right))


def _same(left: Term, right: Term, bits: int) -> Term:
    """Whether two registers have one number: -1 is the largest of the unsigned ones too."""
    if right.op != "const":
        left, right = right, left
    low, high = limits(left)
    if right.op != "const" or right.value >= 0 or (low is not None and high is not None and high < 1 << (bits - 1)):
        is_unsigned = right.op != "const" and terms.is_natural(left) and terms.is_natural(right)
        return terms.equal(*((left, right) if is_unsigned else (signed(left, bits), signed(right, bits))))
    return terms.either(terms.equal(left, right), terms.equal(left, const(right.value + (1 << bits))))


#: Of a signed ``i1``, where 1 is -1, as of an unsigned one.
_SWAPPED = {"slt": "ugt", "sgt": "ult", "sle": "uge", "sge": "ule"}


def converted(opcode: str, term: Term, before: int, after: int) -> Term | None:
    """The result of ``zext``, ``sext`` and ``trunc``; None if it may be any."""
    match opcode:
        case "zext":
            return terms.choose(term, terms.ONE, terms.ZERO) if before == 1 else unsigned(term, before)
        case "sext":
            return terms.choose(term, const(-1), terms.ZERO) if before == 1 else signed(term, before)
        case "trunc":
            if after == 1:
                return terms.equal(terms.mod(term, const(2)), terms.ONE)
            if term.op == "const":
                return number(term.value, after)
            kept = _not_large(term, after) if after >= 32 else None
            low, _ = limits(term, -(1 << (before - 1)))
            return None if kept is None or low is None else not_below(kept, low, after)
        case _:
            return None
