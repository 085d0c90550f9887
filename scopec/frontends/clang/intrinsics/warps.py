"""Exchanges between the lanes of a warp: shuffles, votes, matches and reductions, of CUDA C++ and of PTX.

"PTX ISA" is NVIDIA's "Parallel Thread Execution ISA"; a lane that a block does not have takes part in nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import dataclass
from scopec.frontends.clang.intrinsics.agreed import agreed
from scopec.frontends.clang.intrinsics.atomics import is_unsigned
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler, in_kernel
from scopec.frontends.clang.intrinsics.clusters import launch_of
from scopec.frontends.clang.intrinsics.masks import (
    active,
    lane_of,
    lane_of_rank,
    lanes_in,
    lanes_there,
    mask_of,
    to_lanes,
    to_ranks,
)
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import arithmetic, compare, kept, number, resized
from scopec.frontends.clang.machine.addresses import as_number, pointer_number
from scopec.frontends.clang.machine.memory import Cell, Content, Held, Private, Unset
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.program import ir, types, values
from scopec.program.values import Const, Reg, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

#: The kinds of each intrinsic, by the number that it is given.
SHUFFLES = ("idx", "up", "down", "bfly")
VOTES = ("any", "all", "uni", "ballot")
REDUCTIONS = ("add", "min", "max", "and", "or", "xor")


@dataclass(frozen=True)
class _Meeting:
    """The lanes that exchange something: the mask, those of it that the block has, and the own one."""

    call: Call
    mask: int
    lanes: tuple[int, ...]
    own: int

    def exchange(
        self, name: str, brought: Value, result: Value, also: Value | None = None, *, nothing: bool = False
    ) -> tuple[Reg, Reg]:
        """Meet, bring a value or ``nothing``, and get a result; ``also`` is a condition that is found with it."""
        register = self.call.target(result.type)
        second = Reg(f"{register.name} also", types.BOOL)
        both = ((register, result), *([] if also is None else [(second, also)]))
        targets, results = tuple(target.name for target, _ in both), tuple(found for _, found in both)
        exchange = ir.Exchange(name, brought, targets, results, nothing=nothing)
        self.call.emit(ir.GroupSync(ir.Group.WARP, self.mask, exchange))
        return register, second


def _meeting(call: Call, position: int) -> _Meeting:
    mask = mask_of(call, position)
    return _Meeting(call, mask, lanes_in(mask & lanes_there(call)), lane_of(call))


def _lanes(call: Call, meeting: _Meeting, register: Reg) -> None:
    """Note that what the call finds are lanes that meet there."""
    frame = call.state.frame
    lanes = sum(1 << lane for lane in meeting.lanes)
    call.machine.holds_lanes(register.name, (*frame.calls, frame.site()), lanes)


def _group_sync(call: Call) -> bool:
    """A barrier of the warp's lanes, a tile, the cluster or the grid."""
    group = tuple(ir.Group)[call.known(0)]
    match group:
        case ir.Group.WARP:
            call.emit(ir.GroupSync(group, mask_of(call, 1)))
        case ir.Group.TILE:
            call.emit(ir.GroupSync(group, call.known(1)))
        case ir.Group.CLUSTER | ir.Group.GRID:
            if group is ir.Group.GRID and not launch_of(call).cooperative:
                message = "a barrier of the grid in a launch that is not cooperative: what it does is undefined"
                help_ = "launch with cudaLaunchCooperativeKernel, or `//@ launch cooperative kernel<<<...>>>(...);`"
                raise error(Codes.BAD_LAUNCH, message, call.machine.span(call.state), help_)
            call.emit(ir.GroupSync(group))
    return call.done()


def _grid_valid(call: Call) -> bool:
    """``grid_group::is_valid()``: whether the grid can synchronise (CUDA C++ Programming Guide, "Grid Groups")."""
    return call.done(number(launch_of(call).cooperative, 1))


def _known_mask(call: Call) -> bool:
    """A mask, as a constant from here on."""
    return call.done(number(mask_of(call, 0), WARP))


def _came(lane: int) -> Value:
    return Reg(ir.came(lane), types.BOOL)


def _one(lane: int, where: Value) -> Value:
    """The bit of a lane where a condition holds."""
    return values.choose(where, Const(1 << lane, types.UINT), Const(0, types.UINT))


def _joined(function: Callable[[Value, Value], Value], parts: Iterable[Value]) -> Value:
    """The combination of values by a function, two by two, so that the result stays flat."""
    row = list(parts)
    while len(row) > 1:
        row = [function(*row[n : n + 2]) if n + 1 < len(row) else row[n] for n in range(0, len(row), 2)]
    return row[0]


def _sum(parts: Iterable[Value]) -> Value:
    return _joined(lambda one, other: values.binary("+", one, other), parts)


def _all(parts: Iterable[Value]) -> Value:
    return _joined(lambda one, other: values.binary("&&", one, other), parts)


# ---------------------------------------------------------------- shuffles


def source(kind: str, own: int, b: int, c: int) -> tuple[int, bool]:
    """The lane that a shuffle reads from, and whether that is in range: elsewhere it is its own (PTX ISA, "shfl")."""
    clamp, segment = c & 31, c >> 8 & 31
    last = own & segment | clamp & ~segment
    match kind:
        case "up":
            lane, inside = own - (b & 31), own - (b & 31) >= last
        case "down":
            lane, inside = own + (b & 31), own + (b & 31) <= last
        case "bfly":
            lane, inside = own ^ b & 31, own ^ b & 31 <= last
        case _:
            lane = own & segment | b & 31 & ~segment
            inside = lane <= last
    return (lane if inside else own), inside


def _shuffle(call: Call) -> bool:
    """A value of another lane: "If the target thread is inactive, the retrieved value is undefined": it has to come."""
    kind, meeting, segments = SHUFFLES[call.known(0)], _meeting(call, 1), call.known(4)
    name, content, by = f"shfl.sync.{kind}", call.arguments[2], call.number(3)
    known, nothing = not isinstance(content, Opaque), isinstance(content, Unset)
    if nothing:  # as of who is not the leader: `if (rank == 0) old = atomicAdd(&count, size); old = shfl(old, 0);`
        brought: Value = number(0, 8 * llvm.size(call.action.type))
    else:
        found = pointer_number if isinstance(call.action.type, llvm.Pointer) else as_number
        brought = found(call.machine, call.state, content) if known else Const(0, types.INT)
    own = meeting.own
    sources = {b: source(kind, own, b, segments)[0] for b in range(WARP)}
    if isinstance(by, Const):
        lane = sources[by.value & 31]
        known = known and lane in meeting.lanes
        result: Value = Reg(ir.brought(lane if known else own), brought.type)
        there: Value = _came(lane) if known else values.TRUE
    else:
        low = arithmetic("and", by, number(31, by.type.bits))
        result, there = Reg(ir.brought(own), brought.type), values.FALSE
        for lane in meeting.lanes:
            from_it = [compare("eq", low, number(b, by.type.bits)) for b, its in sources.items() if its == lane]
            if from_it:
                here = _joined(lambda one, other: values.binary("||", one, other), from_it)
                result = values.choose(here, Reg(ir.brought(lane), brought.type), result)
                there = values.binary("||", there, values.binary("&&", here, _came(lane)))
    register, met = meeting.exchange(name, brought, result, there if known else None, nothing=nothing)
    same = None if nothing else agreed(call, brought if known else None)
    if not known:
        gone = content.lost if isinstance(content, Opaque) else call.machine.ways > 1
        return call.done(Opaque(llvm.size(call.action.type), gone))
    call.emit(ir.Assert(met, "the lane that a shuffle reads from takes part in it", implicit=True))
    if same is not None:
        one = "lanes that exchange values here do that at one instruction, or bring the same"
        call.emit(ir.Assert(values.binary("==", register, same), one, implicit=True))
        return call.done(_content(call, same))
    return call.done(_content(call, register))


def _in_range(call: Call) -> bool:
    """Whether a shuffle reads from another lane than its own for want of that one."""
    kind, by = SHUFFLES[call.known(0)], call.known(1)
    return call.done(Const(int(source(kind, lane_of(call), by, call.known(2))[1]), types.BOOL))


def _content(call: Call, register: Reg | Const) -> Content:
    type_ = call.action.type
    if isinstance(type_, llvm.Pointer):
        return Held(register)
    return resized("trunc", kept(register), type_.bits) if isinstance(type_, llvm.Int) else kept(register)


# ---------------------------------------------------------------- votes, matches, reductions


@lru_cache(maxsize=64)  # the same for each lane that meets
def _voted(function: str, lanes: tuple[int, ...]) -> Value:
    """The result of a vote of lanes: threads that have exited do not vote ("vote.sync": "all non-exited threads")."""
    votes = {lane: Reg(ir.brought(lane), types.BOOL) for lane in lanes}
    yes = [(lane, values.binary("&&", _came(lane), vote)) for lane, vote in votes.items()]
    if function == "ballot":
        return _sum(_one(lane, one) for lane, one in yes)
    nobody = _all(values.unary("!", one) for _, one in yes)
    if function == "any":
        return values.unary("!", nobody)
    no = [values.binary("&&", _came(lane), values.unary("!", vote)) for lane, vote in votes.items()]
    everyone = _all(values.unary("!", one) for one in no)
    return everyone if function == "all" else values.binary("||", everyone, nobody)


def _vote(call: Call) -> bool:
    function, meeting = VOTES[call.known(0)], _meeting(call, 1)
    truth = compare("ne", call.number(2), number(0, call.number(2).type.bits))
    register = meeting.exchange(f"vote.sync.{function}", truth, _voted(function, meeting.lanes))[0]
    if function == "ballot":
        _lanes(call, meeting, register)
    return call.done(resized("zext", kept(register), 32))


def _match(call: Call) -> bool:
    """The lanes that bring what this one does, or all of them if all do, else none (PTX ISA, "match.sync")."""
    everyone, meeting, value = bool(call.known(0)), _meeting(call, 1), call.number(2)
    mine = Reg(ir.brought(meeting.own), value.type)
    same = {lane: values.binary("==", Reg(ir.brought(lane), value.type), mine) for lane in meeting.lanes}
    alike = {lane: values.binary("&&", _came(lane), one) for lane, one in same.items()}
    result = _sum(_one(lane, _came(lane) if everyone else one) for lane, one in alike.items())
    if everyone:
        agreed = _all(values.binary("||", values.unary("!", _came(lane)), one) for lane, one in same.items())
        result = values.choose(agreed, result, Const(0, types.UINT))
    name = f"match.{'all' if everyone else 'any'}.sync.b{value.type.bits}"
    register = meeting.exchange(name, value, result)[0]
    _lanes(call, meeting, register)
    return call.done(kept(register))


def _reduce(call: Call) -> bool:
    """A result over what all lanes bring (PTX ISA, "redux.sync")."""
    operation, meeting = REDUCTIONS[call.known(0)], _meeting(call, 1)
    type_ = call.action.type
    if isinstance(call.arguments[2], Opaque):
        meeting.exchange(f"redux.sync.{operation}", Const(0, types.INT), Reg(ir.brought(meeting.own), types.INT))
        return call.done(Opaque(llvm.size(type_)))
    value = kept(call.number(2))
    bits = value.type.bits
    sign = "u" if is_unsigned(call) else "s"
    neutral = {"and": number(-1, bits), "min": None, "max": None}.get(operation, number(0, bits))
    mine = Reg(ir.brought(meeting.own), value.type)
    parts = [
        values.choose(_came(lane), Reg(ir.brought(lane), value.type), mine if neutral is None else neutral)
        for lane in meeting.lanes
    ]

    def both(one: Value, other: Value) -> Value:
        return kept(arithmetic(f"{sign}{operation}" if neutral is None else operation, one, other))

    name = f"redux.sync.{operation}.{'b32' if operation in ('and', 'or', 'xor') else f'{sign}{bits}'}"
    return call.done(kept(meeting.exchange(name, value, _joined(both, parts))[0]))


def _elect(call: Call) -> bool:
    """A leader among the lanes that come: any, but the same whenever the mask is (PTX ISA, "elect.sync")."""
    meeting, key = _meeting(call, 0), (Private((), f"%leader {call.known(0)}"), 0)
    known = call.state.cells.get(key)
    wants: Value
    if known is None:
        wants = call.target(types.BOOL)
        call.emit(ir.Decide(wants.name, "unknown"))
    else:
        leader = as_number(call.machine, call.state, known.content)
        wants = compare("eq", leader, number(meeting.own, leader.type.bits))
    result: Value = Const(meeting.own, types.INT)
    for lane in meeting.lanes:  # the last one that comes, unless another wants to
        result = values.choose(_came(lane), Const(lane, types.INT), result)
    for lane in meeting.lanes:
        willing = values.binary("&&", _came(lane), Reg(ir.brought(lane), types.BOOL))
        result = values.choose(willing, Const(lane, types.INT), result)
    found = meeting.exchange("elect.sync", wants, result)[0]
    call.state.cells[key] = Cell(4, found)
    return call.done(found)


#: The effect of each intrinsic by which the lanes of a warp exchange values.
WARPS: dict[str, Handler] = {
    "group_sync": in_kernel(_group_sync),
    "grid_valid": in_kernel(_grid_valid),
    "known_mask": in_kernel(_known_mask),
    "active": in_kernel(active),
    "lane_of": in_kernel(lane_of_rank),
    "ranks": in_kernel(to_ranks),
    "lanes_of": in_kernel(to_lanes),
    "shuffle": in_kernel(_shuffle),
    "in_range": in_kernel(_in_range),
    "warp_vote": in_kernel(_vote),
    "match": in_kernel(_match),
    "reduce": in_kernel(_reduce),
    "elect": in_kernel(_elect),
}
