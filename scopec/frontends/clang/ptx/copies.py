"""Inline PTX: asynchronous copies by ``cp.async``, and their groups (PTX ISA, "Data Movement: Non-bulk copy")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, LONG, Assembler, Lowerings
from scopec.frontends.ptx import forms

if TYPE_CHECKING:
    from scopec.base.diagnostics import InputError

#: "cp-size can only be 4, 8 and 16"; ".cg" copies 16.
_SIZES = {"ca": (4, 8, 16), "cg": (16,)}


def _cp(asm: Assembler, item: forms.Instruction) -> None:
    """``cp.async`` and what commits and awaits it; InputError for other copies."""
    _, *words = item.operation
    match words:
        case ["async", "commit_group"]:
            asm.operands(item, 0)
            asm.call("commit_copies", llvm.Void())
        case ["async", "wait_group"]:
            _await(asm, _constant(item, asm.operands(item, 1)[0]))
        case ["async", "wait_all"]:  # "equivalent to: cp.async.commit_group; cp.async.wait_group 0;"
            asm.operands(item, 0)
            asm.call("commit_copies", llvm.Void())
            _await(asm, 0)
        case ["async", "ca" | "cg" as cache, "shared" | "shared::cta", "global", *hints] if all(
            hint.startswith("L2::") for hint in hints
        ):
            _copy(asm, item, cache, policy="L2::cache_hint" in hints)
        case _:
            raise _later(item)


def _later(item: forms.Instruction) -> InputError:
    what = "bulk and tensor copies" if "bulk" in item.operation else "copies that arrive at an mbarrier"
    message = f"`{item.name}` is outside the modelled subset of PTX"
    return error(Code.OUTSIDE_SUBSET, message, item.span, f"{what} come later")


def _await(asm: Assembler, left: int) -> None:
    asm.call("await_copies", llvm.Void(), llvm.Typed(INT, llvm.Number(left)))


def _constant(item: forms.Instruction, operand: forms.Operand) -> int:
    if not isinstance(operand, forms.Number) or operand.value < 0:
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` takes a number", operand.span, "write a constant")
    return operand.value


def _copy(asm: Assembler, item: forms.Instruction, cache: str, *, policy: bool) -> None:
    """A copy of so many bytes, of which those from the optional ``src-size`` on are zeros.

    "cp-size - src-size bytes are filled with zeros"; with a predicate in its place that holds, all of them.
    """
    if not 3 + policy <= len(item.operands) <= 4 + policy:
        message = f"`{item.name}` takes two addresses, a size, and maybe the size of the source"
        raise error(Code.BAD_ARGUMENTS, message, item.span)
    to, source, size, *given = item.operands[: len(item.operands) - policy]
    count = _constant(item, size)
    if count not in _SIZES[cache]:
        sizes = ", ".join(map(str, _SIZES[cache]))
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` copies {sizes} bytes", size.span, "write one of these")
    there, from_ = (_address(asm, operand, space) for operand, space in ((to, 1), (source, 0)))
    asm.call("agent", llvm.Void(), llvm.Typed(BIT, llvm.Number(1)))
    if not given:
        _bytes(asm, there, from_, count)
    elif isinstance(given[0], forms.Number):
        known = min(_constant(item, given[0]), count)
        _bytes(asm, there, from_, known)
        _zeros(asm, asm.moved(there, known), count - known)
    else:
        _bytes_or_zeros(asm, there, from_, count, given[0])
    asm.call("agent", llvm.Void(), llvm.Typed(BIT, llvm.Number(0)))


def _bytes_or_zeros(asm: Assembler, there: llvm.Typed, from_: llvm.Typed, count: int, given: forms.Operand) -> None:
    """All of the bytes, or none, as a size or predicate says that is known at run time; a part is not modelled."""
    ignores = isinstance(given, forms.Negated) or (isinstance(given, forms.Name) and _type(asm, given) == BIT)
    value = asm.value(given, BIT if ignores else INT)
    none = value if ignores else asm.emit(llvm.Compare("icmp", "eq", INT, value, llvm.Number(0)))
    zeros, some, whole, part, after = (asm.label() for _ in range(5))
    asm.do(llvm.Branch(none, zeros, some))
    asm.code = asm.blocks[zeros] = []
    _zeros(asm, there, count)
    asm.do(llvm.Jump(after))
    asm.code = asm.blocks[some] = []
    if ignores:
        asm.do(llvm.Jump(whole))
    else:
        asm.do(llvm.Branch(asm.emit(llvm.Compare("icmp", "eq", INT, value, llvm.Number(count))), whole, part))
        asm.code = asm.blocks[part] = []
        asm.call("part_of_a_copy", llvm.Void())
        asm.do(llvm.Jump(after))
    asm.code = asm.blocks[whole] = []
    _bytes(asm, there, from_, count)
    asm.do(llvm.Jump(after))
    asm.code = asm.blocks[after] = []


def _type(asm: Assembler, name: forms.Name) -> llvm.Type:
    return asm.find(name.name, name.span)[1]


def _address(asm: Assembler, operand: forms.Operand, space: int) -> llvm.Typed:
    if not isinstance(operand, forms.Element) or not operand.name:
        raise error(Code.BAD_ARGUMENTS, "an address is wanted here, such as [%rd1]", operand.span)
    base = asm.address(operand.name, operand.span)
    asm.call("in_space", llvm.Void(), base, llvm.Typed(INT, llvm.Number(space)))
    return asm.moved(base, operand.offset)


def _bytes(asm: Assembler, there: llvm.Typed, from_: llvm.Typed, count: int) -> None:
    _of_llvm(asm, "memcpy.p0.p0.i64", there, from_, count)


def _zeros(asm: Assembler, there: llvm.Typed, count: int) -> None:
    _of_llvm(asm, "memset.p0.i64", there, llvm.Typed(llvm.Int(8), llvm.Number(0)), count)


def _of_llvm(asm: Assembler, name: str, there: llvm.Typed, what: llvm.Typed, count: int) -> None:
    if count:
        arguments = (there, what, llvm.Typed(LONG, llvm.Number(count)), llvm.Typed(BIT, llvm.Number(0)))
        asm.do(llvm.Call(llvm.Void(), llvm.Global(f"llvm.{name}"), arguments, (None,) * 4))


#: What copies are lowered by.
COPIES: Lowerings = {"cp": _cp}
