"""Inline PTX: asynchronous stores and reductions in other blocks' memory (PTX ISA, "st.async", "red.async")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.intrinsics.call import ORDERS
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import INT, Assembler, Lowerings, llvm_type
from scopec.frontends.clang.ptx.memory import MEMORY, letter, place
from scopec.frontends.ptx import forms, table
from scopec.program.ir import Order, Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.frontends.ptx.table import Type

_SPACE, _COMPLETION = "shared::cluster", "mbarrier::complete_tx::bytes"
#: The bytes of elements of which there is a vector of four.
_WORD = 32


def _st(asm: Assembler, item: forms.Instruction) -> None:
    """``st.async{.weak}{.shared::cluster}{.mbarrier::complete_tx::bytes}{.v2,.v4}.type``, or another ``st``."""
    if item.operation[1:2] != ("async",):
        MEMORY["st"](asm, item)
        return
    rest, type_ = _type(asm, item, item.operation[2:])
    count = next((n for word in rest if (n := table.count_of(word)) is not None), 1)
    known = [word for word in ("weak", _SPACE, _COMPLETION, f"v{count}") if word in rest]
    if list(rest) != known or (count > 2 and (count, type_.bits) != (4, _WORD)):
        raise asm.outside(f"`{item.name}` is", item.span)
    to, given, at = asm.operands(item, 3)
    items = given.items if isinstance(given, forms.Vector) else (given,)
    if len(items) != count:
        raise error(Code.BAD_ARGUMENTS, f"{count} of them are wanted here", given.span)
    stored, size = llvm_type(type_), type_.bits // 8
    values = [llvm.Typed(stored, asm.value(one, stored)) for one in items]
    there, bar = place(asm, to, _SPACE), place(asm, at, _SPACE)
    asm.call("send", llvm.Void(), there, _int(size * count), bar)
    for n, value in enumerate(values):
        asm.do(llvm.Store(value, asm.moved(there, n * size), volatile=False))
    asm.call("sent", llvm.Void(), bar, _int(size * count))


def _red(asm: Assembler, item: forms.Instruction) -> None:
    """``red.async.relaxed.cluster{.shared::cluster}{.mbarrier::complete_tx::bytes}.op.type``, or another ``red``."""
    if item.operation[1:2] != ("async",):
        MEMORY["red"](asm, item)
        return
    rest, type_ = _type(asm, item, item.operation[2:])
    *rest, operation = rest or ("",)
    known = ["relaxed", "cluster", *(word for word in (_SPACE, _COMPLETION) if word in rest)]
    if rest != known or type_.kind not in table.REDUCTIONS.get(operation, ""):
        raise asm.outside(f"`{item.name}` is", item.span)
    to, given, at = asm.operands(item, 3)
    stored, size = llvm_type(type_), type_.bits // 8
    value = llvm.Typed(stored, asm.value(given, stored))
    there, bar = place(asm, to, _SPACE), place(asm, at, _SPACE)
    asm.call("send", llvm.Void(), there, _int(size), bar)
    mode = _int(ORDERS.index(Order.RELAXED)), _int(Scope.CLUSTER)
    asm.call(table.UPDATES[operation], llvm.Void(), there, value, *mode, letter=letter(type_))
    asm.call("sent", llvm.Void(), bar, _int(size))


def _type(asm: Assembler, item: forms.Instruction, words: Sequence[str]) -> tuple[Sequence[str], Type]:
    """The words before the type, which is of 32 or 64 bits, and the type."""
    *rest, last = words or ("",)
    type_ = table.type_of(last)
    if type_ is None or type_.bits not in (_WORD, 2 * _WORD):
        raise asm.outside(f"`{item.name}` is", item.span)
    return rest, type_


def _int(number: int) -> llvm.Typed:
    return llvm.Typed(INT, llvm.Number(number))


#: The lowering of stores and reductions, asynchronous ones too.
SENDS: Lowerings = {"st": _st, "red": _red}
