"""Inline PTX: bulk copies (PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk"), and arrivals behind copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, Assembler
from scopec.frontends.clang.ptx.memory import letter, place
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMPLETION = "mbarrier::complete_tx::bytes"
_SHORT = llvm.Int(16)
_HINT = "L2::cache_hint"


def bulk(asm: Assembler, item: forms.Instruction) -> None:
    """``cp.async.bulk`` and what commits and awaits it; InputError for other copies."""
    _, _, _, *words = item.operation
    hint = _HINT in words
    words = [word for word in words if word != _HINT]
    bulk_ = llvm.Typed(BIT, llvm.Number(1))
    match words:
        case ["commit_group"]:
            asm.operands(item, 0)
            asm.call("commit_copies", llvm.Void(), bulk_)
        case ["wait_group", *reads] if reads in ([], ["read"]):
            (left,) = asm.operands(item, 1)
            if not isinstance(left, forms.Number) or left.value < 0:
                raise error(Code.BAD_ARGUMENTS, f"`{item.name}` takes a number", left.span, "write a constant")
            number = llvm.Typed(INT, llvm.Number(left.value))
            asm.call("await_copies", llvm.Void(), number, bulk_, llvm.Typed(BIT, llvm.Number(len(reads))))
        case ["prefetch", "L2", "global"]:
            asm.operands(item, 2 + hint)
        case ["shared::cta" | "shared::cluster" as space, "global" | "shared::cta" as source, completion] if (
            completion == _COMPLETION and (space, source) != ("shared::cta", "shared::cta")
        ):
            _copy(asm, asm.operands(item, 4 + hint), "bulk_copy", space, source)
        case ["shared::cluster", "global", completion, "multicast::cluster"] if completion == _COMPLETION:
            *operands, mask = asm.operands(item, 5 + hint)[:5]
            given = llvm.Typed(_SHORT, asm.value(mask, _SHORT))
            _copy(asm, operands, "bulk_multicast", "shared::cluster", "global", given)
        case ["global", "shared::cta", "bulk_group"]:
            _store(asm, asm.operands(item, 3 + hint), "bulk_store")
        case _:
            help_ = f"write cp.async.bulk.shared::cluster.global.{_COMPLETION}, .global.shared::cta.bulk_group"
            raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)


def reduce(asm: Assembler, item: forms.Instruction) -> None:
    """``cp.reduce.async.bulk``; InputError for what is no integer of 32 or 64 bits."""
    _, _, _, _, *words = item.operation
    hint = _HINT in words
    *words, operation, type_ = [word for word in words if word != _HINT] or [""]
    kind = table.type_of(type_)
    if kind is None or kind.kind not in table.REDUCTIONS.get(operation, "") or kind.bits not in (32, 64):
        kinds = ", ".join(f"{name}.{'/'.join(kinds)}32" for name, kinds in table.REDUCTIONS.items())
        help_ = f"those of integers are modelled: {kinds}, and of 64 bits"
        raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)
    match words:
        case ["shared::cluster", "shared::cta", completion] if completion == _COMPLETION:
            operands = asm.operands(item, 4 + hint)
            _copy(asm, operands, f"bulk_{operation}", "shared::cluster", "shared::cta", template=letter(kind))
        case ["global", "shared::cta", "bulk_group"]:
            _store(asm, asm.operands(item, 3 + hint), f"bulk_store_{operation}", letter(kind))
        case _:
            help_ = f"write .global.shared::cta.bulk_group, or .shared::cluster.shared::cta.{_COMPLETION}"
            raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)


def _copy(
    asm: Assembler, operands: Sequence[forms.Operand], name: str, space: str, source: str, *more: llvm.Typed,
    template: str = "",
) -> None:  # fmt: skip
    """A bulk operation that completes at an mbarrier."""
    to, from_, size, at, *_ = operands
    places = place(asm, to, space), place(asm, from_, source)
    bytes_ = llvm.Typed(INT, asm.value(size, INT))
    asm.call(name, llvm.Void(), *places, bytes_, place(asm, at, space), *more, letter=template)


def _store(asm: Assembler, operands: Sequence[forms.Operand], name: str, template: str = "") -> None:
    """A bulk operation in a group."""
    to, from_, size, *_ = operands
    places = place(asm, to, "global"), place(asm, from_, "shared::cta")
    asm.call(name, llvm.Void(), *places, llvm.Typed(INT, asm.value(size, INT)), letter=template)


def follow(asm: Assembler, item: forms.Instruction) -> None:
    """``cp.async.mbarrier.arrive{.noinc}``."""
    _, _, _, first, *words = (*item.operation, "")
    counted = words[:1] == ["noinc"]
    match words[counted:]:
        case [*space, "b64", ""] if first == "arrive" and space in ([], ["shared"], ["shared::cta"]):
            (at,) = asm.operands(item, 1)
            number = llvm.Typed(BIT, llvm.Number(counted))
            asm.call("mbarrier_follow_copies", llvm.Void(), place(asm, at, "shared::cta"), number)
        case _:
            help_ = "write cp.async.mbarrier.arrive.shared.b64"
            raise error(Code.OUTSIDE_SUBSET, f"`{item.name}` is outside the modelled subset of PTX", item.span, help_)
