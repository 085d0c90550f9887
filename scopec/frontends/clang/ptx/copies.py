"""Inline PTX: asynchronous copies by ``cp.async``, and their groups (PTX ISA, "Data Movement: Non-bulk copy")."""

from __future__ import annotations

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, LONG, Assembler, Lowerings
from scopec.frontends.clang.ptx.bulk_copies import bulk, follow, reduce
from scopec.frontends.clang.ptx.memory import place
from scopec.frontends.clang.ptx.tensor_copies import tensor
from scopec.frontends.ptx import forms

#: "cp-size can only be 4, 8 and 16"; ".cg" copies 16.
_SIZES = {"ca": (4, 8, 16), "cg": (16,)}
_NO = llvm.Typed(BIT, llvm.Number(0))


def _cp(asm: Assembler, item: forms.Instruction) -> None:
    """``cp.async`` and what commits and awaits it; InputError for other copies."""
    _, *words = item.operation
    match words:
        case ["async", "bulk", "tensor", *_]:
            tensor(asm, item)
        case ["async", "bulk", "prefetch", "tensor", *_]:  # a hint
            pass
        case ["async", "bulk", *_]:
            bulk(asm, item)
        case ["reduce", "async", "bulk", *_]:
            reduce(asm, item)
        case ["async", "mbarrier", *_]:
            follow(asm, item)
        case ["async", "commit_group"]:
            asm.operands(item, 0)
            _commit(asm)
        case ["async", "wait_group"]:
            _await(asm, _constant(item, asm.operands(item, 1)[0]))
        case ["async", "wait_all"]:  # "equivalent to: cp.async.commit_group; cp.async.wait_group 0;"
            asm.operands(item, 0)
            _commit(asm)
            _await(asm, 0)
        case ["async", "ca" | "cg" as cache, "shared" | "shared::cta", "global", *hints] if all(
            hint.startswith("L2::") for hint in hints
        ):
            _copy(asm, item, cache, policy="L2::cache_hint" in hints)
        case _:
            message = f"`{item.name}` is outside the modelled subset of PTX"
            help_ = "write cp.async.ca.shared.global, commit_group, wait_group or wait_all"
            raise error(Code.OUTSIDE_SUBSET, message, item.span, help_)


def _commit(asm: Assembler) -> None:
    asm.call("commit_copies", llvm.Void(), _NO)


def _await(asm: Assembler, left: int) -> None:
    asm.call("await_copies", llvm.Void(), llvm.Typed(INT, llvm.Number(left)), _NO, _NO)


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
    there, from_ = place(asm, to, "shared"), place(asm, source, "global")
    asm.call("agent", llvm.Void(), llvm.Typed(BIT, llvm.Number(1)))
    if not given:
        _bytes(asm, there, from_, count)
    elif isinstance(given[0], forms.Number):
        known = min(_constant(item, given[0]), count)
        _bytes(asm, there, from_, known)
        _zeros(asm, asm.moved(there, known), count - known)
    else:
        none = _none(asm, given[0], count)
        asm.either(none, lambda: _zeros(asm, there, count), lambda: _bytes(asm, there, from_, count))
    asm.call("agent", llvm.Void(), llvm.Typed(BIT, llvm.Number(0)))


def _none(asm: Assembler, given: forms.Operand, count: int) -> llvm.Operand:
    """Whether no byte is copied: a predicate says so, or a size, which is 0 or all then; a part is refused."""
    if isinstance(given, forms.Negated) or (
        isinstance(given, forms.Name) and asm.find(given.name, given.span)[1] == BIT
    ):
        return asm.value(given, BIT)
    size = llvm.Typed(INT, asm.value(given, INT))
    return asm.call("copies_nothing", BIT, size, llvm.Typed(INT, llvm.Number(count)))


def _bytes(asm: Assembler, there: llvm.Typed, from_: llvm.Typed, count: int) -> None:
    _of_llvm(asm, "memcpy.p0.p0.i64", there, from_, count)


def _zeros(asm: Assembler, there: llvm.Typed, count: int) -> None:
    _of_llvm(asm, "memset.p0.i64", there, llvm.Typed(llvm.Int(8), llvm.Number(0)), count)


def _of_llvm(asm: Assembler, name: str, there: llvm.Typed, what: llvm.Typed, count: int) -> None:
    if count:
        arguments = (there, what, llvm.Typed(LONG, llvm.Number(count)), llvm.Typed(BIT, llvm.Number(0)))
        asm.do(llvm.Call(llvm.Void(), llvm.Global(f"llvm.{name}"), arguments, (None,) * 4))


#: The lowering of copies.
COPIES: Lowerings = {"cp": _cp}
