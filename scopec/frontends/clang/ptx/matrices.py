"""Inline PTX: asynchronous matrix instructions of a warpgroup (PTX ISA, "Asynchronous Warpgroup Level Matrix
Instructions").
"""

from __future__ import annotations

import re

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, LONG, Assembler, Lowerings, llvm_type
from scopec.frontends.ptx import forms, table
from scopec.program import ir
from scopec.program.warp import EVERY_LANE

_GROUPS = llvm.Typed(INT, llvm.Number(list(ir.CopyGroups).index(ir.CopyGroups.MATRIX)))
_SHAPE = re.compile(r"m64n(\d+)k(\d+)\Z")
#: The most columns of B.
_MOST_COLUMNS = 256
#: The elements of a row of A, or a column of B, of 32 bytes, by the types of elements.
_DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, **dict.fromkeys(("e4m3", "e5m2", "u8", "s8"), 32)}
#: The operands behind the two matrices that say nothing of memory: whether to add, and signs.  Behind them, of types of
#: 16 bits, it is said whether the matrices in shared memory are transposed.
_ADDS, _SIGNS = 1, 2
_INTEGERS = ("u8", "s8")
_SHORT = ("f16", "bf16")


def _wgmma(asm: Assembler, item: forms.Instruction) -> None:
    """``wgmma``: every lane of the warp meets there, "the mandatory .sync qualifier" says."""
    _, what, *words = item.operation
    if words[:2] != ["sync", "aligned"]:
        raise asm.outside(f"`{item.name}` is", item.span)
    mask, nothing = llvm.Typed(INT, llvm.Number(EVERY_LANE)), llvm.Typed(INT, llvm.Number(0))
    asm.call("warp_vote", INT, nothing, mask, nothing)
    match what, words[2:]:
        case "fence", []:
            asm.operands(item, 0)
            asm.call("matrix_fence", llvm.Void())
        case "commit_group", []:
            asm.operands(item, 0)
            asm.call("commit_copies", llvm.Void(), _GROUPS)
        case "wait_group", []:
            (left,) = asm.operands(item, 1)
            if not isinstance(left, forms.Number) or left.value < 0:
                raise error(Code.BAD_ARGUMENTS, f"`{item.name}` takes a number", left.span, "write a constant")
            number = llvm.Typed(INT, llvm.Number(left.value))
            asm.call("await_copies", llvm.Void(), number, _GROUPS, llvm.Typed(BIT, llvm.Number(0)))
        case "mma_async", [shape, *types]:
            _multiply(asm, item, shape, [word for word in types if word != "satfinite"])
        case _:
            raise asm.outside(f"`{item.name}` is", item.span)


def _multiply(asm: Assembler, item: forms.Instruction, shape: str, types: list[str]) -> None:
    """``wgmma.mma_async``: reads of the matrices in shared memory, and results of which nothing is known."""
    found = _SHAPE.match(shape)
    if found is None or len(types) != len(("D", "A", "B")) or any(one not in _DEPTH for one in types[1:]):
        raise asm.outside(f"`{item.name}` is", item.span)
    columns, depth = int(found[1]), int(found[2])
    if columns % 8 or not 8 <= columns <= _MOST_COLUMNS or depth != _DEPTH[types[1]]:
        message = f"`{item.name}` has no such shape: 64 rows, 8 to {_MOST_COLUMNS} columns, 32 bytes of each"
        raise error(Code.BAD_ARGUMENTS, message, item.span)
    if len(item.operands) < 3 + _ADDS:
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` takes a result and two matrices", item.span)
    result, first, second, *more = item.operands
    _check_layout(item, more, (not isinstance(first, forms.Vector)) + 1, types[1])
    rows = 0 if isinstance(first, forms.Vector) else 64
    a = llvm.Number(0) if isinstance(first, forms.Vector) else asm.value(first, LONG)
    matrices = ((a, rows), (asm.value(second, LONG), columns))
    given = [llvm.Typed(*pair) for one, n in matrices for pair in ((LONG, one), (INT, llvm.Number(n)))]
    asm.call("matrix_multiply", llvm.Void(), *given)
    _forget(asm, item, result, types[0])


def _check_layout(item: forms.Instruction, more: list[forms.Operand], matrices: int, type_: str) -> None:
    """Refuse what lies otherwise than by rows of A and columns of B: "imm-trans-a", "imm-trans-b"."""
    signs = 0 if type_ in _INTEGERS else _SIGNS
    transposed = more[_ADDS + signs :]
    if len(more) not in (_ADDS + signs, _ADDS + signs + matrices * (type_ in _SHORT)):
        message = f"`{item.name}` takes other operands behind its matrices"
        raise error(Code.BAD_ARGUMENTS, message, item.span)
    for one in transposed:
        if not isinstance(one, forms.Number) or one.value:
            message = "a matrix that is transposed (imm-trans-a, imm-trans-b) is outside the modelled subset"
            raise error(Code.OUTSIDE_SUBSET, message, one.span, "lay A out by rows, and B by columns (K-major)")


def _forget(asm: Assembler, item: forms.Instruction, result: forms.Operand, type_: str) -> None:
    """Nothing is known of the registers of the result."""
    items = result.items if isinstance(result, forms.Vector) else (result,)
    kind = table.type_of("b32" if type_ == "f16" else type_)
    if kind is None:
        raise asm.outside(f"`{item.name}` is", item.span)
    own = llvm_type(kind)
    for one in items:
        asm.store(asm.target(one), asm.call("unknown", own), own, item.span)


#: The lowering of matrix instructions.
MATRICES: Lowerings = {"wgmma": _wgmma}
