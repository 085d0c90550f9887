"""Inline PTX: barriers, and what a thread does beside computing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang import llvm
from scopec.frontends.clang.assembler import BIT, INT, Assembler, Lowerings, llvm_type
from scopec.frontends.ptx import forms

if TYPE_CHECKING:
    from collections.abc import Sequence

_VOTES = {"popc": 0, "and": 1, "or": 2}


def _bar(asm: Assembler, item: forms.Instruction) -> None:
    """``bar`` and ``barrier``; ``.aligned`` says how threads come there, not what they do."""
    words = [word for word in item.operation[1:] if word not in ("cta", "aligned")]
    match words:
        case ["warp", "sync"]:
            (mask,) = asm.operands(item, 1)
            kind = llvm.Typed(INT, llvm.Number(0))
            asm.call("group_sync", llvm.Void(), kind, llvm.Typed(INT, asm.value(mask, INT)))
        case ["sync" | "arrive" as what]:
            if not (what == "arrive") < len(item.operands) <= 2:
                message = f"`{item.name}` has a barrier and {'a' if what == 'arrive' else 'maybe a'} thread count"
                raise error(Code.BAD_ARGUMENTS, message, item.span)
            waits = llvm.Typed(BIT, llvm.Number(int(what == "sync")))
            asm.call("cta_barrier", llvm.Void(), *_barrier(asm, item.operands), waits)
        case ["red", "popc" | "and" | "or" as what, _]:
            if not 3 <= len(item.operands) <= 4:
                message = f"`{item.name}` has a result, a barrier, maybe a thread count, and a predicate"
                raise error(Code.BAD_ARGUMENTS, message, item.span)
            target, *name, predicate = item.operands
            truth = asm.value(predicate, BIT)
            which = llvm.Typed(INT, llvm.Number(_VOTES[what]))
            wide = llvm.Typed(INT, asm.resized(truth, BIT, INT))
            found: llvm.Operand = asm.call("cta_vote", INT, *_barrier(asm, name), which, wide)
            if what == "popc":
                asm.store(asm.target(target), found, INT, item.span)
            else:
                found = asm.emit(llvm.Compare("icmp", "ne", INT, found, llvm.Number(0)))
                asm.store(asm.target(target), found, BIT, item.span)
        case _:
            raise asm.outside(f"`{item.name}` is", item.span)


def _barrier(asm: Assembler, operands: Sequence[forms.Operand]) -> tuple[llvm.Typed, llvm.Typed]:
    """The number of a barrier, and how many threads it is for, -1 where none is written."""
    given = [asm.value(operand, INT) for operand in operands]
    return llvm.Typed(INT, given[0]), llvm.Typed(INT, given[1] if len(given) > 1 else llvm.Number(-1))


def _nanosleep(asm: Assembler, item: forms.Instruction) -> None:
    asm.operands(item, 1)
    asm.call("yield", llvm.Void(), llvm.Typed(BIT, llvm.Number(1)))


def _trap(asm: Assembler, item: forms.Instruction) -> None:
    asm.operands(item, 0)
    asm.call({"trap": "trap", "exit": "end_thread"}[item.operation[0]], llvm.Void())


def _activemask(asm: Assembler, item: forms.Instruction) -> None:
    (target,) = asm.operands(item, 1)
    asm.store(asm.target(target), asm.call("unknown", INT), INT, item.span)


def _elect(asm: Assembler, item: forms.Instruction) -> None:
    target, mask = asm.operands(item, 2)
    if not isinstance(target, forms.Pair):
        raise error(Code.BAD_ARGUMENTS, "two results are wanted here, such as _|p", target.span)
    leader = asm.call("elect", INT, llvm.Typed(INT, asm.value(mask, INT)))
    asm.store(target.first, leader, INT, item.span)
    asm.store(target.second, llvm.Number(1), BIT, item.span)


def _nothing(asm: Assembler, item: forms.Instruction) -> None:
    """What is but a hint."""


def _mapa(asm: Assembler, item: forms.Instruction) -> None:
    target, address, rank = asm.operands(item, 3)
    type_ = asm.types(item)[-1]
    here = llvm.Typed(INT, asm.value(rank, INT))
    asm.call("own_block", llvm.Void(), here)
    asm.store(asm.target(target), asm.value(address, llvm_type(type_)), llvm_type(type_), item.span)


#: What these are lowered by.
THREADS: Lowerings = {
    "bar": _bar,
    "barrier": _bar,
    "nanosleep": _nanosleep,
    "trap": _trap,
    "exit": _trap,
    "activemask": _activemask,
    "elect": _elect,
    "prefetch": _nothing,
    "prefetchu": _nothing,
    "mapa": _mapa,
    "bra": Assembler.bra,
}
