"""Inline PTX: tensor memory, and what is multiplied into it (PTX ISA, "TensorCore 5th Generation Instructions")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, LONG, Assembler, Lowerings
from scopec.frontends.clang.ptx.memory import place
from scopec.frontends.ptx import forms
from scopec.program import ir
from scopec.program.warp import EVERY_LANE

if TYPE_CHECKING:
    from collections.abc import Sequence

_ONE_BLOCK, _TWO_BLOCKS = "cta_group::1", "cta_group::2"
_MOVE = re.compile(r"x(1|2|4|8|16|32|64|128)\Z")
#: The shapes of loads and stores: columns, lanes, and registers of each repetition.
_SHAPES = {
    "32x32b": (1, 32, 1),
    "16x64b": (2, 16, 1),
    "16x128b": (4, 16, 2),
    "16x256b": (8, 16, 4),
    "16x32bx2": (1, 16, 1),
}
_MOST_REGISTERS = 128
#: The shapes of copies: rows, parts of 16 bytes of a row, and columns.
_COPIES = {
    ("128x256b",): (128, 2, 8),
    ("4x256b",): (4, 2, 8),
    ("128x128b",): (128, 1, 4),
    ("64x128b", "warpx2::02_13"): (64, 1, 4),
    ("64x128b", "warpx2::01_23"): (64, 1, 4),
    ("32x128b", "warpx4"): (32, 1, 4),
}
_KINDS = ("kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8")
_WAITS = {"wait::ld": ir.CopyGroups.TENSOR_LOAD, "wait::st": ir.CopyGroups.TENSOR_STORE}


def _tcgen05(asm: Assembler, item: forms.Instruction) -> None:
    _, what, *words = (*item.operation, "")
    words = [word for word in words if word]
    if _TWO_BLOCKS in words:
        message = f"`{item.name}`: an instruction of two blocks (.{_TWO_BLOCKS}) is outside the modelled subset of PTX"
        raise error(Code.OUTSIDE_SUBSET, message, item.span, f"write .{_ONE_BLOCK}")
    match what, words:
        case "alloc", [cta, "sync", "aligned", *space, "b32"] if cta == _ONE_BLOCK and space in ([], ["shared::cta"]):
            to, columns = asm.operands(item, 2)
            _meet(asm)
            asm.call("tensor_allocate", llvm.Void(), place(asm, to, "shared::cta" if space else ""), _int(asm, columns))
        case "dealloc", [cta, "sync", "aligned", "b32"] if cta == _ONE_BLOCK:
            address, columns = asm.operands(item, 2)
            _meet(asm)
            asm.call("tensor_deallocate", llvm.Void(), _int(asm, address), _int(asm, columns))
        case "relinquish_alloc_permit", [cta, "sync", "aligned"] if cta == _ONE_BLOCK:
            asm.operands(item, 0)
            _meet(asm)
            asm.call("tensor_relinquish", llvm.Void())
        case "fence::before_thread_sync" | "fence::after_thread_sync", []:
            asm.operands(item, 0)
            asm.call("tensor_fence", llvm.Void(), _number(int("before" in what), BIT))
        case "wait::ld" | "wait::st", ["sync", "aligned"]:
            asm.operands(item, 0)
            _meet(asm)
            groups = _number(list(ir.CopyGroups).index(_WAITS[what]))
            asm.call("commit_copies", llvm.Void(), groups)
            asm.call("await_copies", llvm.Void(), _number(0), groups, _number(0, BIT))
        case "ld" | "st", ["sync", "aligned", shape, *form, "b32"] if shape in _SHAPES:
            _move(asm, item, shape, form)
        case "commit", [cta, "mbarrier::arrive::one", *space, "b64"] if cta == _ONE_BLOCK:
            _commit(asm, item, space)
        case "mma", [cta, *rest] if cta == _ONE_BLOCK:
            _multiply(asm, item, rest)
        case "cp", [cta, *shape] if cta == _ONE_BLOCK and tuple(shape) in _COPIES:
            to, source = asm.operands(item, 2)
            numbers = [_number(n) for n in _COPIES[tuple(shape)]]
            asm.call("tensor_copy", llvm.Void(), _address(asm, to), llvm.Typed(LONG, asm.value(source, LONG)), *numbers)
        case "shift", [cta, "down"] if cta == _ONE_BLOCK:
            (at,) = asm.operands(item, 1)
            asm.call("tensor_shift", llvm.Void(), _address(asm, at))
        case _:
            raise asm.outside(f"`{item.name}` is", item.span)


def _number(value: int, type_: llvm.Int = INT) -> llvm.Typed:
    return llvm.Typed(type_, llvm.Number(value))


def _int(asm: Assembler, operand: forms.Operand) -> llvm.Typed:
    return llvm.Typed(INT, asm.value(operand, INT))


def _meet(asm: Assembler) -> None:
    """Every lane of the warp meets there, "the mandatory .sync qualifier" says."""
    asm.call("warp_vote", INT, _number(0), _number(EVERY_LANE), _number(0))


def _address(asm: Assembler, operand: forms.Operand) -> llvm.Typed:
    """``[taddr]`` or ``[taddr + 4]``: a number in brackets."""
    if not isinstance(operand, forms.Element) or not operand.name:
        message = "an address of tensor memory is wanted here, such as [%r1]"
        raise error(Code.BAD_ARGUMENTS, message, operand.span)
    value, own = asm.load(operand.name, operand.span)
    value = asm.resized(value, own, INT)
    if operand.offset:
        value = asm.emit(llvm.Arithmetic("add", INT, value, llvm.Number(operand.offset)))
    return llvm.Typed(INT, value)


def _move(asm: Assembler, item: forms.Instruction, shape: str, form: Sequence[str]) -> None:
    """``tcgen05.ld`` and ``tcgen05.st``: what a warp loads is unknown."""
    loads = item.operation[1] == "ld"
    repeated = _MOVE.match(form[0]) if form else None
    packed = list(form[1:]) == [("pack" if loads else "unpack") + "::16b"]
    if repeated is None or not (packed or len(form) == 1):
        raise asm.outside(f"`{item.name}` is", item.span)
    columns, lanes, each = _SHAPES[shape]
    count = int(repeated[1])
    twice = shape == "16x32bx2"
    operands = list(asm.operands(item, 2 + twice))
    registers, address = (operands[0], operands[1]) if loads else (operands[-1], operands[0])
    offset = operands[2 if loads else 1] if twice else None
    if offset is not None and not (isinstance(offset, forms.Number) and offset.value > 0):
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` takes a number behind the address", offset.span)
    items = registers.items if isinstance(registers, forms.Vector) else (registers,)
    if each * count > _MOST_REGISTERS:
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}`: at most {_MOST_REGISTERS} registers", item.span)
    if len(items) != each * count:
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` has {each * count} registers", registers.span)
    _meet(asm)
    if not loads:
        for one in items:
            asm.value(one, INT)
    apart = _number(offset.value if isinstance(offset, forms.Number) else 0)
    # what is packed comes from two columns
    given = _address(asm, address), _number(columns * count * (1 + packed)), _number(lanes), apart
    asm.call(f"tensor_{'read' if loads else 'write'}", llvm.Void(), *given)
    for one in items if loads else ():
        asm.store(asm.target(one), asm.call("unknown", INT), INT, item.span)


def _commit(asm: Assembler, item: forms.Instruction, space: Sequence[str]) -> None:
    """``tcgen05.commit``: an mbarrier of the block; ``.shared::cluster`` is its own in it."""
    if "multicast::cluster" in space:
        message = f"`{item.name}`: an arrival in several blocks is outside the modelled subset of PTX"
        raise error(Code.OUTSIDE_SUBSET, message, item.span, "commit to an mbarrier of the block")
    if space not in ([], ["shared::cluster"]):
        raise asm.outside(f"`{item.name}` is", item.span)
    (at,) = asm.operands(item, 1)
    asm.call("tensor_commit", llvm.Void(), place(asm, at, space[0] if space else ""))


def _multiply(asm: Assembler, item: forms.Instruction, words: Sequence[str]) -> None:
    """``tcgen05.mma``: A is in shared memory, or in tensor memory."""
    left = {"sp": "a matrix of which elements are left out", "ws": "weight-stationary multiplication (.ws)"}
    what = next((left[word] for word in words if word in left), None)
    if any(word.startswith(("kind::mx", "block_scale", "scale_vec")) for word in words):
        what = "multiplication with scaled blocks"
    if what is not None:
        raise error(Code.OUTSIDE_SUBSET, f"`{item.name}`: {what} is outside the modelled subset of PTX", item.span)
    kind, *more = words or [""]
    if kind not in _KINDS or not all(word.startswith(("collector::a", "ashift")) for word in more):
        raise asm.outside(f"`{item.name}` is", item.span)
    if len(item.operands) < len(("d", "a", "b", "descriptor", "enable")):
        message = f"`{item.name}` takes a result, two matrices, a descriptor and a predicate"
        raise error(Code.BAD_ARGUMENTS, message, item.span)
    result, first, second, shape, *_ = item.operands
    in_memory = isinstance(first, forms.Element)
    a = _address(asm, first) if in_memory else llvm.Typed(LONG, asm.value(first, LONG))
    given = (
        _address(asm, result), a, _number(int(in_memory), BIT), llvm.Typed(LONG, asm.value(second, LONG)),
        _int(asm, shape), _number(_KINDS.index(kind)),
    )  # fmt: skip
    asm.call("tensor_multiply", llvm.Void(), *given)


#: The lowering of instructions of tensor memory.
TENSOR_CORES: Lowerings = {"tcgen05": _tcgen05}
