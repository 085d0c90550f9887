"""PTX: arithmetic of more bits than a register has (PTX ISA, "Extended-Precision Integer Arithmetic Instructions").

``.cc`` writes a carry, or what a difference borrows, into ``CC.CF``; ``addc``, ``subc`` and ``madc`` add or borrow it.
"""

from __future__ import annotations

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, Assembler, Lowerings, llvm_type
from scopec.frontends.clang.ptx.numbers import product
from scopec.frontends.ptx import forms

#: The instructions that take the carry.
_ALONE = ("addc", "subc", "madc")
#: The register of the carry.
_CARRY = "CC.CF"


def _carried(asm: Assembler, item: forms.Instruction) -> None:
    """A sum or a difference of two numbers, or of a product and a number, and of the carry before."""
    opcode, multiplies = item.operation[0].removesuffix("c"), item.operation[0].startswith("mad")
    target, *given = asm.operands(item, 4 if multiplies else 3)
    type_ = asm.types(item)[-1]
    own = llvm_type(type_)
    asm.only(item, "cc", *(("lo", "hi") if multiplies else ()))
    if not any(_CARRY in known for known in asm.registers):
        asm.registers[0][_CARRY] = asm.local(_CARRY, BIT), BIT
    left = product(asm, item, type_, *given[:2])[0] if multiplies else asm.value(given[0], own)
    right = asm.value(given[-1], own)
    adds = opcode != "sub"
    found = asm.emit(llvm.Arithmetic("add" if adds else "sub", own, left, right))
    over = asm.emit(llvm.Compare("icmp", "ult", own, *((found, left) if adds else (left, right))))
    if item.operation[0] in _ALONE:
        more, _ = asm.load(_CARRY, item.span)
        wide = asm.resized(more, BIT, own)
        before, found = found, asm.emit(llvm.Arithmetic("add" if adds else "sub", own, found, wide))
        again = asm.emit(llvm.Compare("icmp", "ult", own, *((found, before) if adds else (before, wide))))
        over = asm.emit(llvm.Arithmetic("or", BIT, over, again))
    asm.store(asm.target(target), found, own, item.span)
    if "cc" in item.operation:
        asm.store(_CARRY, over, BIT, item.span)


#: The lowering of these, with ``.cc`` or behind one that has it.
CARRY: Lowerings = dict.fromkeys((*_ALONE, *(f"{name}.cc" for name in ("add", "sub", "mad", *_ALONE))), _carried)
