"""Inline PTX: arithmetic, moves, comparisons and conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, Assembler, Lowerings, llvm_type
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.table import ARITHMETIC, COMPARISONS, Type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.base.source import Span

_S32, _U32 = Type("s", 32), Type("u", 32)
#: Functions of floating-point numbers, of which nothing is known.
_FUNCTIONS = ("rcp", "sqrt", "rsqrt", "sin", "cos", "tanh", "lg2", "ex2")
#: Other names of comparisons of unsigned numbers.
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def computed(asm: Assembler, opcode: str, type_: Type, left: llvm.Operand, right: llvm.Operand) -> llvm.Operand:
    """The result of one operation of the table."""
    own, operator = llvm_type(type_), ARITHMETIC[opcode]
    instruction = operator.signed if type_.kind == "s" else operator.unsigned
    if isinstance(own, llvm.Float):
        return asm.emit(llvm.Arithmetic("fadd", own, left, right))
    if opcode in ("min", "max"):
        less = asm.emit(llvm.Compare("icmp", instruction, own, left, right))
        return chosen(asm, less, own, left, right)
    if opcode in ("shl", "shr"):
        return _shifted(asm, instruction, own, left, right)
    return asm.emit(llvm.Arithmetic(instruction, own, left, right))


def _shifted(
    asm: Assembler, instruction: str, type_: llvm.Int, left: llvm.Operand, right: llvm.Operand
) -> llvm.Operand:
    """A shift: "amounts greater than the register width N are clamped to N" (ISA, "shl", "shr")."""
    last = llvm.Number(type_.bits - 1)
    far = asm.emit(llvm.Compare("icmp", "ugt", type_, right, last))
    by = asm.emit(llvm.Arithmetic("and", type_, right, last))
    near = asm.emit(llvm.Arithmetic(instruction, type_, left, by))
    beyond: llvm.Operand = llvm.Number(0)
    if instruction == "ashr":
        beyond = asm.emit(llvm.Arithmetic(instruction, type_, left, last))
    return chosen(asm, far, type_, beyond, near)


def chosen(
    asm: Assembler, truth: llvm.Operand, type_: llvm.Type, then: llvm.Operand, otherwise: llvm.Operand
) -> llvm.Operand:
    """One of two values."""
    typed = llvm.Typed(BIT, truth), llvm.Typed(type_, then), llvm.Typed(type_, otherwise)
    return asm.emit(llvm.Select(*typed))


def _arithmetic(asm: Assembler, item: forms.Instruction) -> None:
    opcode, (target, left, right) = item.operation[0], asm.operands(item, 3)
    type_ = asm.types(item)[-1]
    if type_.kind == "f":
        asm.store(asm.target(target), llvm.Real(), llvm_type(type_), item.span)
        return
    if opcode in ("mul", "mul24"):
        found, type_ = product(asm, item, type_, left, right)
    else:
        more = "sat" if opcode in ("add", "sub") else "relu" if opcode in ("min", "max") else ""
        asm.only(item, *((more,) if type_ == _S32 else ()))
        sides = [asm.value(left, llvm_type(type_)), _amount(asm, opcode, type_, right)]
        found = (_saturated if "sat" in item.operation else computed)(asm, opcode, type_, *sides)
        if "relu" in item.operation:
            found = computed(asm, "max", type_, found, llvm.Number(0))
    asm.store(asm.target(target), found, llvm_type(type_), item.span)


def _amount(asm: Assembler, opcode: str, type_: Type, right: forms.Operand) -> llvm.Operand:
    """The second operand, which is one of 32 bits where it says how far a shift goes."""
    if opcode not in ("shl", "shr") or type_.bits >= _U32.bits:
        return asm.value(right, llvm_type(type_))
    by = computed(asm, "min", _U32, asm.value(right, llvm_type(_U32)), llvm.Number(type_.bits))
    return asm.resized(by, llvm_type(_U32), llvm_type(type_))


def _saturated(asm: Assembler, opcode: str, type_: Type, left: llvm.Operand, right: llvm.Operand) -> llvm.Operand:
    """The number of a signed type that is nearest to the result of an operation."""
    own, whole = llvm_type(type_), wider(type_)
    sides = [asm.resized(side, own, llvm_type(whole), signed=True) for side in (left, right)]
    found = within(asm, computed(asm, opcode, whole, *sides), whole, type_)
    return asm.resized(found, llvm_type(whole), own)


def product(
    asm: Assembler, item: forms.Instruction, type_: Type, left: forms.Operand, right: forms.Operand
) -> tuple[llvm.Operand, Type]:
    """The half of a product, or all of it, that an operation says, and its type.

    ``mul24`` and ``mad24`` multiply 24 bits of each; the higher half of those products begins at bit 16.
    """
    opcode, of_24 = item.operation[0], item.operation[0].endswith("24")
    saturates = opcode in ("mad", "mad24") and "hi" in item.operation and type_ == _S32
    asm.only(item, "lo", "hi", *(() if of_24 else ("wide", "cc")), *(("sat",) if saturates else ()))
    own, whole, signed = llvm_type(type_), wider(type_), type_.kind == "s"
    given = [asm.value(side, own) for side in (left, right)]
    if of_24:
        given = [computed(asm, "shl", type_, side, llvm.Number(8)) for side in given]
        given = [computed(asm, "shr", type_, side, llvm.Number(8)) for side in given]
    if "lo" in item.operation:
        return computed(asm, "mul", type_, *given), type_
    found = computed(asm, "mul", whole, *(asm.resized(side, own, llvm_type(whole), signed=signed) for side in given))
    if "wide" in item.operation:
        return found, whole
    if "hi" not in item.operation:
        raise asm.outside(f"`{item.name}`, without .lo, .hi or .wide, is", item.span)
    high = asm.emit(llvm.Arithmetic("lshr", llvm_type(whole), found, llvm.Number(16 if of_24 else type_.bits)))
    return asm.resized(high, llvm_type(whole), own), type_


def _mad(asm: Assembler, item: forms.Instruction) -> None:
    target, left, right, more = asm.operands(item, 4)
    type_ = asm.types(item)[-1]
    if type_.kind == "f":
        asm.store(asm.target(target), llvm.Real(), llvm_type(type_), item.span)
        return
    whole, result = product(asm, item, type_, left, right)
    add = _saturated if "sat" in item.operation else computed
    found = add(asm, "add", result, whole, asm.value(more, llvm_type(result)))
    asm.store(asm.target(target), found, llvm_type(result), item.span)


def _unary(asm: Assembler, item: forms.Instruction) -> None:
    opcode, (target, operand) = item.operation[0], asm.operands(item, 2)
    type_ = llvm_type(asm.types(item)[-1])
    asm.only(item)
    value = asm.value(operand, type_)
    if isinstance(type_, llvm.Float):
        value = llvm.Real()
    elif opcode == "cnot":
        zero = asm.emit(llvm.Compare("icmp", "eq", type_, value, llvm.Number(0)))
        value = chosen(asm, zero, type_, llvm.Number(1), llvm.Number(0))
    elif opcode == "not":
        value = asm.emit(llvm.Arithmetic("xor", type_, value, llvm.Number(-1)))
    else:
        value = asm.emit(llvm.Arithmetic("sub", type_, llvm.Number(0), value))
    asm.store(asm.target(target), value, type_, item.span)


def _real(asm: Assembler, item: forms.Instruction) -> None:
    """A function of a floating-point number."""
    target, _ = asm.operands(item, 2)
    type_ = llvm_type(asm.types(item)[-1])
    if not isinstance(type_, llvm.Float):
        raise asm.outside(f"`{item.name}` is", item.span)
    asm.store(asm.target(target), llvm.Real(), type_, item.span)


def _testp(asm: Assembler, item: forms.Instruction) -> None:
    """Whether a floating-point number is of a kind."""
    target, operand = asm.operands(item, 2)
    own = llvm_type(asm.types(item)[-1])
    truth = asm.emit(llvm.Compare("fcmp", "oeq", own, asm.value(operand, own), llvm.Real()))
    asm.store(asm.target(target), truth, BIT, item.span)


def _copysign(asm: Assembler, item: forms.Instruction) -> None:
    target, _, _ = asm.operands(item, 3)
    asm.store(asm.target(target), llvm.Real(), llvm_type(asm.types(item)[-1]), item.span)


def _mov(asm: Assembler, item: forms.Instruction) -> None:
    target, operand = asm.operands(item, 2)
    type_ = llvm_type(asm.types(item)[-1])
    asm.only(item)
    match target, operand:
        case forms.Vector(_, parts), _ if len(parts) > 1:
            _unpacked(asm, parts, asm.value(operand, type_), type_, item.span)
        case _, forms.Vector(_, parts) if len(parts) > 1:
            asm.store(asm.target(target), _packed(asm, parts, type_), type_, item.span)
        case _:
            asm.store(asm.target(target), asm.value(operand, type_), type_, item.span)


def _unpacked(
    asm: Assembler, parts: Sequence[forms.Operand], value: llvm.Operand, type_: llvm.Type, span: Span
) -> None:
    """Set registers to the parts of a value, the lowest first."""
    part = llvm.Int(8 * llvm.size(type_) // len(parts))
    for n, register in enumerate(parts):
        moved = asm.emit(llvm.Arithmetic("lshr", type_, value, llvm.Number(n * part.bits)))
        asm.store(asm.target(register), asm.resized(moved, type_, part), part, span)


def _packed(asm: Assembler, parts: Sequence[forms.Operand], type_: llvm.Type) -> llvm.Operand:
    """The value that parts make, the lowest first."""
    part = llvm.Int(8 * llvm.size(type_) // len(parts))
    whole: llvm.Operand = llvm.Number(0)
    for n, one in enumerate(parts):
        wide = asm.resized(asm.value(one, part), part, type_)
        moved = asm.emit(llvm.Arithmetic("shl", type_, wide, llvm.Number(n * part.bits)))
        whole = asm.emit(llvm.Arithmetic("or", type_, whole, moved))
    return whole


def _compared(
    asm: Assembler, item: forms.Instruction, type_: Type, left: forms.Operand, right: forms.Operand
) -> llvm.Operand:
    """Whether a comparison holds."""
    own, comparison = llvm_type(type_), item.operation[1]
    sides = asm.value(left, own), asm.value(right, own)
    if isinstance(own, llvm.Float):
        return asm.emit(llvm.Compare("fcmp", "oeq", own, *sides))
    known = COMPARISONS.get(_UNSIGNED.get(comparison, comparison))
    if known is None or (comparison in _UNSIGNED and type_.kind == "s"):
        raise asm.outside(f"`{item.name}` is", item.span)
    return asm.emit(llvm.Compare("icmp", known.signed if type_.kind == "s" else known.unsigned, own, *sides))


def _comparison(asm: Assembler, item: forms.Instruction, type_: Type) -> tuple[llvm.Operand, llvm.Operand]:
    """The two results of a comparison, each maybe joined with a predicate: ``setp.lt.and.s32 p|q, a, b, c``."""
    joined = [word for word in item.operation[2:] if word in ("and", "or", "xor")]
    _, left, right, *more = asm.operands(item, 3 + len(joined))
    asm.only(item, item.operation[1], "ftz", *joined)
    holds = _compared(asm, item, type_, left, right)
    fails: llvm.Operand = asm.emit(llvm.Arithmetic("xor", BIT, holds, llvm.Number(1)))
    if type_.bits > 16 and item.operation[-1].endswith("x2"):  # of the other half
        fails = _compared(asm, item, type_, left, right)
    for word, predicate in zip(joined, more, strict=True):
        given = asm.value(predicate, BIT)
        holds, fails = (asm.emit(llvm.Arithmetic(word, BIT, one, given)) for one in (holds, fails))
    return holds, fails


def _setp(asm: Assembler, item: forms.Instruction) -> None:
    holds, fails = _comparison(asm, item, asm.types(item)[-1])
    target = item.operands[0]
    if isinstance(target, forms.Pair):
        asm.store(target.first, holds, BIT, item.span)
        asm.store(target.second, fails, BIT, item.span)
    else:
        asm.store(asm.target(target), holds, BIT, item.span)


def _set(asm: Assembler, item: forms.Instruction) -> None:
    """A comparison whose result is a number: all bits, or none."""
    result, of = asm.types(item)
    own = llvm_type(result)
    holds, _ = _comparison(asm, item, of)
    found: llvm.Operand = llvm.Real()
    if isinstance(own, llvm.Int):
        found = chosen(asm, holds, own, llvm.Number(-1), llvm.Number(0))
    asm.store(asm.target(item.operands[0]), found, own, item.span)


def _slct(asm: Assembler, item: forms.Instruction) -> None:
    """One of two numbers, by the sign of a third."""
    target, then, otherwise, which = asm.operands(item, 4)
    own, sign = (llvm_type(type_) for type_ in asm.types(item))
    asm.only(item, "ftz")
    value, kind = asm.value(which, sign), ("fcmp", "oge") if isinstance(sign, llvm.Float) else ("icmp", "sge")
    holds = asm.emit(llvm.Compare(*kind, sign, value, llvm.Real() if kind[0] == "fcmp" else llvm.Number(0)))
    found = chosen(asm, holds, own, asm.value(then, own), asm.value(otherwise, own))
    asm.store(asm.target(target), found, own, item.span)


def _selp(asm: Assembler, item: forms.Instruction) -> None:
    target, then, otherwise, predicate = asm.operands(item, 4)
    type_ = llvm_type(asm.types(item)[-1])
    asm.only(item)
    found = chosen(asm, asm.value(predicate, BIT), type_, asm.value(then, type_), asm.value(otherwise, type_))
    asm.store(asm.target(target), found, type_, item.span)


def _cvt(asm: Assembler, item: forms.Instruction) -> None:
    result, *more = asm.types(item)
    if result.kind == "f":
        asm.store(asm.target(item.operands[0]), llvm.Real(), llvm_type(result), item.span)
        return
    target, operand = asm.operands(item, 2)
    if len(more) != 1:
        raise asm.outside(f"`{item.name}` is", item.span)
    (own,) = more
    value = asm.value(operand, llvm_type(own))
    if own.kind == "f":
        value = asm.emit(llvm.Cast("bitcast", llvm.Typed(llvm_type(own), value), llvm_type(result)))
    else:
        asm.only(item, "sat")
        if "sat" in item.operation:
            value = within(asm, value, own, result)
        value = asm.resized(value, llvm_type(own), llvm_type(result), signed=own.kind == "s")
    asm.store(asm.target(target), value, llvm_type(result), item.span, signed=result.kind == "s")


def within(asm: Assembler, value: llvm.Operand, own: Type, result: Type) -> llvm.Operand:
    """The number of a type that is nearest to one of another."""
    (low, high), (least, most) = _bounds(own), _bounds(result)
    if most < high:
        value = computed(asm, "min", own, value, llvm.Number(most))
    if least > low:
        value = computed(asm, "max", own, value, llvm.Number(least))
    return value


def _bounds(type_: Type) -> tuple[int, int]:
    half = 1 << type_.bits - 1
    return (-half, half - 1) if type_.kind == "s" else (0, 2 * half - 1)


def _cvta(asm: Assembler, item: forms.Instruction) -> None:
    """An address stays what it is: generic ones are told apart from others by what they are used for alone."""
    target, operand = asm.operands(item, 2)
    type_ = llvm_type(asm.types(item)[-1])
    asm.only(item, "to", *table.SPACES)
    asm.store(asm.target(target), asm.value(operand, type_), type_, item.span)


def wider(type_: Type) -> Type:
    """The type of twice as many bits."""
    return Type(type_.kind, 2 * type_.bits)


#: The lowering of operations on numbers.
NUMBERS: Lowerings = {
    "mov": _mov,
    "neg": _unary,
    "not": _unary,
    "mad": _mad,
    "mad24": _mad,
    "mul24": _arithmetic,
    "fma": _mad,
    "setp": _setp,
    "set": _set,
    "slct": _slct,
    "testp": _testp,
    "copysign": _copysign,
    "cnot": _unary,
    "selp": _selp,
    "cvt": _cvt,
    "cvta": _cvta,
    **dict.fromkeys(ARITHMETIC, _arithmetic),
    **dict.fromkeys(_FUNCTIONS, _real),
}
