"""Inline PTX: copies of tensors (PTX ISA, "cp.async.bulk.tensor"), of boxes that a map describes."""

from __future__ import annotations

import re

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import INT, Assembler
from scopec.frontends.clang.ptx.memory import place
from scopec.frontends.ptx import forms

_COMPLETION, _MULTICAST = "mbarrier::complete_tx::bytes", "multicast::cluster"
_SHORT = llvm.Int(16)
_RANK = re.compile(r"([1-5])d\Z")
_MOST_DIMENSIONS = 5


def tensor(asm: Assembler, item: forms.Instruction) -> None:
    """``cp.async.bulk.tensor``, a load or a store of tiles; InputError for other modes."""
    words = [word for word in item.operation[4:] if word not in ("tile", "L2::cache_hint")]
    hint = "L2::cache_hint" in item.operation
    found = _RANK.match(words[0]) if words else None
    if found is None:
        raise _outside(item)
    rank = int(found[1])
    match words[1:]:
        case ["shared::cluster" | "shared::cta" as space, "global", completion, *cast] if (
            completion == _COMPLETION and cast in ([], [_MULTICAST])
        ):
            to, at, bar, *mask = asm.operands(item, 3 + len(cast) + hint)[: 3 + len(cast)]
            given = llvm.Typed(_SHORT, asm.value(mask[0], _SHORT) if mask else llvm.Number(0))
            map_, coordinates = _place(asm, item, at, rank)
            there, bar_there = place(asm, to, space), place(asm, bar, space)
            asm.call("tensor_load", llvm.Void(), there, map_, bar_there, given, _int(rank), *coordinates)
        case ["global", "shared::cta", "bulk_group"]:
            at, from_ = asm.operands(item, 2 + hint)[:2]
            map_, coordinates = _place(asm, item, at, rank)
            asm.call("tensor_store", llvm.Void(), map_, place(asm, from_, "shared::cta"), _int(rank), *coordinates)
        case _:
            raise _outside(item)


def _outside(item: forms.Instruction) -> Exception:
    help_ = f"write cp.async.bulk.tensor.2d.shared::cluster.global.{_COMPLETION}, .global.shared::cta.bulk_group"
    return error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)


def _place(
    asm: Assembler, item: forms.Instruction, at: forms.Operand, rank: int
) -> tuple[llvm.Typed, tuple[llvm.Typed, ...]]:
    """The map and the coordinates of ``[map, {c0, c1}]``; those that a box has not are 0."""
    match at:
        case forms.Arguments(_, (forms.Name(span, name), forms.Vector(_, coordinates))) if len(coordinates) == rank:
            given = [llvm.Typed(INT, asm.value(one, INT)) for one in coordinates]
            return asm.address(name, span), (*given, *(_int(0) for _ in range(_MOST_DIMENSIONS - rank)))
        case _:
            message = f"`{item.name}` has a place such as [map, {{x, y}}], of {rank} coordinates"
            raise error(Code.BAD_ARGUMENTS, message, at.span)


def _int(number: int) -> llvm.Typed:
    return llvm.Typed(INT, llvm.Number(number))
