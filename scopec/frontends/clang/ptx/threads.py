"""Inline PTX: barriers, and what a thread does beside computing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.frontends.clang.intrinsics.warps import REDUCTIONS, SHUFFLES, VOTES
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.ptx.assembler import BIT, INT, LONG, Assembler, Lowerings, llvm_type
from scopec.frontends.ptx import forms, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.base.source import Span

_VOTES = {"popc": 0, "and": 1, "or": 2}
#: The orders that a half of the barrier of a cluster can have, the one that it has when none is written first.
_CLUSTER = {"arrive": ("release", "relaxed"), "wait": ("acquire",)}
_HINTS = ("prefetch", "prefetchu", "applypriority", "pmevent", "setmaxnreg")


def _bar(asm: Assembler, item: forms.Instruction) -> None:
    """``bar`` and ``barrier``.

    ".aligned [...] all threads in the warp must execute the same barrier instruction", and "bar{.cta}.sync is
    equivalent to barrier{.cta}.sync.aligned" (PTX ISA, "bar").
    """
    aligned = llvm.Typed(BIT, llvm.Number(int(item.operation[0] == "bar" or "aligned" in item.operation)))
    words = [word for word in item.operation[1:] if word not in ("cta", "aligned")]
    match words:
        case ["cluster", "arrive" | "wait" as what, *order] if order in ([], *([one] for one in _CLUSTER[what])):
            asm.operands(item, 0)
            about = (what == "wait", order == ["relaxed"])
            asm.call("cluster_barrier", llvm.Void(), *(llvm.Typed(BIT, llvm.Number(int(one))) for one in about))
        case ["warp", "sync"]:
            (mask,) = asm.operands(item, 1)
            kind = llvm.Typed(INT, llvm.Number(0))
            asm.call("group_sync", llvm.Void(), kind, llvm.Typed(INT, asm.value(mask, INT)))
        case ["sync" | "arrive" as what]:
            if not (what == "arrive") < len(item.operands) <= 2:
                message = f"`{item.name}` has a barrier and {'a' if what == 'arrive' else 'maybe a'} thread count"
                raise error(Code.BAD_ARGUMENTS, message, item.span)
            waits = llvm.Typed(BIT, llvm.Number(int(what == "sync")))
            asm.call("cta_barrier", llvm.Void(), *_barrier(asm, item.operands), waits, aligned)
        case ["red", "popc" | "and" | "or" as what, _]:
            if not 3 <= len(item.operands) <= 4:
                message = f"`{item.name}` has a result, a barrier, maybe a thread count, and a predicate"
                raise error(Code.BAD_ARGUMENTS, message, item.span)
            target, *name, predicate = item.operands
            truth = asm.value(predicate, BIT)
            which = llvm.Typed(INT, llvm.Number(_VOTES[what]))
            wide = llvm.Typed(INT, asm.resized(truth, BIT, INT))
            found: llvm.Operand = asm.call("cta_vote", INT, *_barrier(asm, name), which, wide, aligned)
            if what == "popc":
                asm.store(asm.target(target), found, INT, item.span)
            else:
                found = asm.emit(llvm.Compare("icmp", "ne", INT, found, llvm.Number(0)))
                asm.store(asm.target(target), found, BIT, item.span)
        case _:
            help_ = suggestion(words[0], ("sync", "arrive", "red", "warp", "cluster")) if words else None
            message = f"`{item.name}` is outside the modelled subset of PTX"
            raise error(Code.OUTSIDE_SUBSET, message, item.span, help_)


def _shfl(asm: Assembler, item: forms.Instruction) -> None:
    """``shfl.sync.mode.b32 d|p, a, b, c, membermask``."""
    if len(item.operation) != 4 or item.operation[2] not in SHUFFLES or item.operation[1:4:2] != ("sync", "b32"):
        raise asm.outside(f"`{item.name}` is", item.span)
    target, value, by, segments, mask = asm.operands(item, 5)
    kind = llvm.Typed(INT, llvm.Number(SHUFFLES.index(item.operation[2])))
    b, c = (llvm.Typed(INT, asm.value(operand, INT)) for operand in (by, segments))
    brought = llvm.Typed(INT, asm.value(value, INT))
    found = asm.call("shuffle", INT, kind, llvm.Typed(INT, asm.value(mask, INT)), brought, b, c, letter="j")
    inside = asm.call("in_range", BIT, kind, b, c) if isinstance(target, forms.Pair) else None
    _results(asm, target, found, INT, inside, item.span)


def _results(
    asm: Assembler, target: forms.Operand, found: llvm.Operand, type_: llvm.Type, also: llvm.Operand | None, span: Span
) -> None:
    """Set ``d``, or ``d|p``."""
    if isinstance(target, forms.Pair) and also is not None:
        asm.store(target.first, found, type_, span)
        asm.store(target.second, also, BIT, span)
    else:
        asm.store(asm.target(target), found, type_, span)


def _vote(asm: Assembler, item: forms.Instruction) -> None:
    """``vote.sync.mode.pred d, a, membermask`` and ``vote.sync.ballot.b32``."""
    _, *words = item.operation
    ballot = words == ["sync", "ballot", "b32"]
    if not ballot and not (len(words) == 3 and words[1] in VOTES[:3] and words[::2] == ["sync", "pred"]):
        raise asm.outside(f"`{item.name}` is", item.span)
    target, predicate, mask = asm.operands(item, 3)
    which, wide = llvm.Typed(INT, llvm.Number(VOTES.index(words[1]))), asm.resized(asm.value(predicate, BIT), BIT, INT)
    given = llvm.Typed(INT, asm.value(mask, INT)), llvm.Typed(INT, wide)
    found: llvm.Operand = asm.call("warp_vote", INT, which, *given)
    if not ballot:
        found = asm.emit(llvm.Compare("icmp", "ne", INT, found, llvm.Number(0)))
    asm.store(asm.target(target), found, INT if ballot else BIT, item.span)


def _match(asm: Assembler, item: forms.Instruction) -> None:
    """``match.any.sync.type d, a, membermask``; ``match.all.sync.type d|p, a, membermask``."""
    target, value, mask = asm.operands(item, 3)
    _, *words = item.operation
    if len(words) != 3 or words[0] not in ("any", "all") or words[1] != "sync" or words[2] not in ("b32", "b64"):
        raise asm.outside(f"`{item.name}` is", item.span)
    type_ = llvm_type(asm.types(item)[-1])
    every = llvm.Typed(INT, llvm.Number(int(words[0] == "all")))
    given = llvm.Typed(INT, asm.value(mask, INT)), llvm.Typed(type_, asm.value(value, type_))
    found = asm.call("match", INT, every, *given, letter="j" if words[2] == "b32" else "m")
    _results(asm, target, found, INT, asm.emit(llvm.Compare("icmp", "ne", INT, found, llvm.Number(0))), item.span)


def _redux(asm: Assembler, item: forms.Instruction) -> None:
    """``redux.sync.op.type d, a, membermask``."""
    target, value, mask = asm.operands(item, 3)
    _, *words = item.operation
    if words[:1] == ["sync"] and words[1:2] in (["min"], ["max"]) and words[-1] == "f32":
        which, real = llvm.Typed(INT, llvm.Number(REDUCTIONS.index(words[1]))), llvm.Float(4)
        given = llvm.Typed(INT, asm.value(mask, INT)), llvm.Typed(real, asm.value(value, real))
        asm.store(asm.target(target), asm.call("reduce", real, which, *given, letter="f"), real, item.span)
        return
    types = ("b32",) if words[1:2] and words[1] in REDUCTIONS[3:] else ("u32", "s32")
    if len(words) != 3 or words[0] != "sync" or words[1] not in REDUCTIONS or words[2] not in types:
        raise asm.outside(f"`{item.name}` is", item.span)
    which = llvm.Typed(INT, llvm.Number(REDUCTIONS.index(words[1])))
    given = llvm.Typed(INT, asm.value(mask, INT)), llvm.Typed(INT, asm.value(value, INT))
    found = asm.call("reduce", INT, which, *given, letter="i" if words[2] == "s32" else "j")
    asm.store(asm.target(target), found, INT, item.span)


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
    asm.store(asm.target(target), asm.call("active", INT), INT, item.span)


def _elect(asm: Assembler, item: forms.Instruction) -> None:
    target, mask = asm.operands(item, 2)
    if not isinstance(target, forms.Pair):
        raise error(Code.BAD_ARGUMENTS, "two results are wanted here, such as _|p", target.span)
    leader = asm.call("elect", INT, llvm.Typed(INT, asm.value(mask, INT)))
    asm.store(target.first, leader, INT, item.span)
    own, _ = asm.special("%laneid", item.span)
    mine = asm.emit(llvm.Compare("icmp", "eq", INT, leader, own))
    asm.store(target.second, mine, BIT, item.span)


def _nothing(asm: Assembler, item: forms.Instruction) -> None:
    """Nothing, for a mere hint."""


def _griddepcontrol(asm: Assembler, item: forms.Instruction) -> None:
    """What a grid does with one that it overlaps."""
    asm.operands(item, 0)
    match item.operation[1:]:
        case ("wait",):
            asm.call("await_prerequisite", llvm.Void())
        case ("launch_dependents",):
            asm.call("trigger_dependents", llvm.Void())
        case _:
            raise asm.outside(f"`{item.name}` is", item.span)


def _createpolicy(asm: Assembler, item: forms.Instruction) -> None:
    """A cache policy is a number that says nothing of memory."""
    if not item.operands:
        raise error(Code.BAD_ARGUMENTS, f"`{item.name}` needs a result", item.span)
    asm.store(asm.target(item.operands[0]), asm.call("unknown", LONG), LONG, item.span)


def _isspacep(asm: Assembler, item: forms.Instruction) -> None:
    """Whether a generic address is in a state space."""
    target, address = asm.operands(item, 2)
    if item.operation[1:] not in [(space,) for space in table.SPACES]:
        raise asm.outside(f"`{item.name}` is", item.span)
    which = llvm.Typed(INT, llvm.Number(table.SPACES.index(item.operation[1])))
    asm.store(asm.target(target), asm.call("space", BIT, asm.pointer(address), which), BIT, item.span)


def _mapa(asm: Assembler, item: forms.Instruction) -> None:
    """``mapa`` is where a variable in shared memory is in the block of a rank, ``getctarank`` the rank of a place."""
    own = llvm_type(asm.types(item)[-1])
    asm.only(item, "shared::cluster")
    maps = item.operation[0] == "mapa"
    target, address, *rank = asm.operands(item, 2 + maps)
    given = llvm.Typed(own, asm.value(address, own))
    pointer = llvm.Typed(llvm.Pointer(), asm.emit(llvm.Cast("inttoptr", given, llvm.Pointer())))
    if maps:
        mapped = asm.call("map_shared", llvm.Pointer(), pointer, llvm.Typed(INT, asm.value(rank[0], INT)))
        found = asm.emit(llvm.Cast("ptrtoint", llvm.Typed(llvm.Pointer(), mapped), own))
        asm.store(asm.target(target), found, own, item.span)
    else:
        asm.store(asm.target(target), asm.call("shared_rank", INT, pointer), INT, item.span)


#: The lowering of each instruction.
THREADS: Lowerings = {
    "bar": _bar,
    "barrier": _bar,
    "nanosleep": _nanosleep,
    "griddepcontrol": _griddepcontrol,
    "trap": _trap,
    "exit": _trap,
    "activemask": _activemask,
    "shfl": _shfl,
    "vote": _vote,
    "match": _match,
    "redux": _redux,
    "elect": _elect,
    **dict.fromkeys(_HINTS, _nothing),
    "createpolicy": _createpolicy,
    "isspacep": _isspacep,
    "mapa": _mapa,
    "getctarank": _mapa,
    "bra": Assembler.bra,
    "brx": Assembler.brx,
}
