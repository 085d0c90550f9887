"""Inline PTX: mbarriers (PTX ISA, "mbarrier")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.clang.intrinsics.call import ORDERS
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, LONG, Assembler, Lowerings
from scopec.frontends.clang.ptx.memory import place
from scopec.frontends.ptx import forms, table
from scopec.program.ir import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPERATIONS = (
    "init",
    "inval",
    "arrive",
    "arrive_drop",
    "expect_tx",
    "complete_tx",
    "test_wait",
    "try_wait",
    "pending_count",
)
_OWN = ("shared", "shared::cta")
_SCOPES = ("cta", "cluster")
#: The orders that each has, the one first that it has when none is written.
_ORDERED = {
    "arrive": ("release", "relaxed"),
    "arrive_drop": ("release", "relaxed"),
    "expect_tx": ("relaxed",),
    "complete_tx": ("relaxed",),
    "test_wait": ("acquire", "relaxed"),
    "try_wait": ("acquire", "relaxed"),
}
#: The words that come first.
_OWN_WORDS = {
    **dict.fromkeys(("arrive", "arrive_drop"), ("expect_tx", "noComplete")),
    **dict.fromkeys(("test_wait", "try_wait"), ("parity",)),
}
#: Those that threads of other blocks may do.
_REMOTE = ("arrive", "arrive_drop", "expect_tx", "complete_tx")


def _mbarrier(asm: Assembler, item: forms.Instruction) -> None:
    _, operation, *words = (*item.operation, "")
    words = [word for word in words if word]
    if operation not in _OPERATIONS:
        message, help_ = f"`{item.name}` is outside the modelled subset of PTX", suggestion(operation, _OPERATIONS)
        raise error(Code.OUTSIDE_SUBSET, message, item.span, help_)
    order, scope, space = _qualifiers(asm, item, operation, words)
    match operation:
        case "pending_count":
            to, state = asm.operands(item, 2)
            found = asm.call("mbarrier_pending_count", INT, llvm.Typed(LONG, asm.value(state, LONG)))
            asm.store(asm.target(to), found, INT, item.span)
        case "init":
            at, count = asm.operands(item, 2)
            asm.call("mbarrier_init", llvm.Void(), place(asm, at, space), _int(asm, count))
        case "inval":
            (at,) = asm.operands(item, 1)
            asm.call("mbarrier_inval", llvm.Void(), place(asm, at, space))
        case "expect_tx" | "complete_tx":
            at, bytes_ = asm.operands(item, 2)
            given = place(asm, at, space), _int(asm, bytes_), scope
            asm.call(f"mbarrier_{operation.removesuffix('_tx')}", llvm.Void(), *given)
        case "arrive" | "arrive_drop":
            _arrive(asm, item, space, order, scope, words)
        case _:
            _wait(asm, item, space, order, scope, parity="parity" in words)


def _qualifiers(
    asm: Assembler, item: forms.Instruction, operation: str, words: Sequence[str]
) -> tuple[llvm.Typed, llvm.Typed, str]:
    """Order and scope, as the intrinsics have them, and the state space, in whatever order they are written.

    CUTLASS writes the space first.  Raises InputError for what there is not.
    """
    rest = list(words[:-1])
    partial = rest[:1] == ["noComplete"]
    if rest[:1] and rest[0] in _OWN_WORDS.get(operation, ()):
        del rest[0]
    orders = _ORDERED.get(operation, ())
    spaces = (*_OWN, "shared::cluster") if operation in _REMOTE else _OWN
    order, scope, space = (next((word for word in rest if word in among), "") for among in (orders, _SCOPES, spaces))
    if order and not scope:
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` needs a scope", item.span, f"write .{order}.cta")
    if (scope and not order) or sorted(rest) != sorted(filter(None, (order, scope, space))) or words[-1:] != ["b64"]:
        raise asm.outside(f"`{item.name}` is", item.span)
    if partial and ((order or "release", scope or "cta") != ("release", "cta") or space not in ("", *_OWN)):
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}`: .noComplete is .release.cta, in shared::cta", item.span)
    number = ORDERS.index(table.ORDERS[order or next(iter(orders), "relaxed")] or Order.RELAXED)
    found = llvm.Typed(INT, llvm.Number(number)), llvm.Typed(INT, llvm.Number(int(table.SCOPES[scope or "cta"])))
    return *found, space or spaces[-1]


def _int(asm: Assembler, operand: forms.Operand) -> llvm.Typed:
    return llvm.Typed(INT, asm.value(operand, INT))


def _arrive(
    asm: Assembler, item: forms.Instruction, space: str, order: llvm.Typed, scope: llvm.Typed, words: Sequence[str]
) -> None:
    """``arrive`` and ``arrive_drop``, with bytes that are expected, or a count, of which one may not end the phase."""
    expects, partial = "expect_tx" in words, "noComplete" in words
    if not 2 + (expects or partial) <= len(item.operands) <= 3:
        message = f"`{item.name}` has a state (or _), an mbarrier, and {'' if expects or partial else 'maybe '}a count"
        raise error(Code.BAD_ARGUMENTS, message, item.span)
    state, at, *count = item.operands
    drop = llvm.Typed(BIT, llvm.Number(int(item.operation[1] == "arrive_drop")))
    one, given = llvm.Typed(INT, llvm.Number(1)), [_int(asm, operand) for operand in count]
    there = place(asm, at, space)
    if expects:
        found = asm.call("mbarrier_arrive_expect", LONG, there, one, *given, order, scope, drop)
    else:
        part = llvm.Typed(BIT, llvm.Number(int(partial)))
        found = asm.call("mbarrier_arrive", LONG, there, *(given or [one]), order, scope, drop, part)
    asm.store(asm.target(state), found, LONG, item.span)


def _wait(
    asm: Assembler, item: forms.Instruction, space: str, order: llvm.Typed, scope: llvm.Typed, *, parity: bool
) -> None:
    """``test_wait``, and ``try_wait``, which may give up: it waits for no longer than a time limit."""
    tries = item.operation[1] == "try_wait"
    if not 3 <= len(item.operands) <= 3 + tries:
        what = "a parity" if parity else "a state"
        message = f"`{item.name}` has a result, an mbarrier, {what}{', maybe a time limit' * tries}"
        raise error(Code.BAD_ARGUMENTS, message, item.span)
    target, at, phase, *_ = item.operands
    type_ = INT if parity else LONG
    given = place(asm, at, space), llvm.Typed(type_, asm.value(phase, type_)), order, scope
    over: llvm.Operand = asm.call(f"mbarrier_test{'_parity' * parity}", BIT, *given)
    if tries:
        over = asm.emit(llvm.Arithmetic("and", BIT, asm.call("decide", BIT), over))
    asm.store(asm.target(target), over, BIT, item.span)


#: The lowering of mbarriers.
MBARRIERS: Lowerings = {"mbarrier": _mbarrier}
