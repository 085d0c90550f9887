"""Masks as constants: where a mask is computed, the thread goes on once for each value that it may have.

So all that follows knows which lanes meet.  The result of ``__activemask`` is made a constant in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.bits import EVERY_BIT, may_be_set
from scopec.frontends.clang.llvm.numbers import arithmetic, compare, number
from scopec.frontends.clang.machine.state import Done
from scopec.program import ir, types, values
from scopec.program.values import Const, Convert, Reg, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from scopec.frontends.clang.intrinsics.call import Call
    from scopec.frontends.clang.machine.state import State

#: So many masks a computed one may be, and so many lanes are together by chance, at most.
MOST_MASKS, MOST_LANES = 64, 4


def thread_of(call: Call) -> int:
    """The number of a thread in its block."""
    x, y, z = (call.machine.builtins[f"threadIdx.{axis}"] for axis in "xyz")
    return x + call.machine.builtins["blockDim.x"] * (y + call.machine.builtins["blockDim.y"] * z)


def threads_of(call: Call) -> int:
    """The number of threads of a block."""
    x, y, z = (call.machine.builtins[f"blockDim.{axis}"] for axis in "xyz")
    return x * y * z


def lane_of(call: Call) -> int:
    """The lane of a thread in its warp."""
    return thread_of(call) % WARP


def lanes_there(call: Call) -> int:
    """The lanes that the warp of a thread has, as a mask: the last one of a block may have fewer than others."""
    first = thread_of(call) // WARP * WARP
    return (1 << min(WARP, threads_of(call) - first)) - 1


# ---------------------------------------------------------------- masks that are given


def mask_of(call: Call, position: int) -> int:
    """The mask that an argument is.

    Raises Done where it is computed: the thread goes on elsewhere, once for each mask.  "Each calling thread must have
    its own bit set in the mask [...] or the result is undefined" (CUDA C++ Programming Guide, "Warp Shuffle
    Functions"; PTX ISA, "bar.warp.sync", says the same of barriers).
    """
    machine, own, mask = call.machine, lane_of(call), call.number(position)
    if not isinstance(mask, Const):
        raise _told_apart(call, position, mask)
    if not _names(mask.value, own):
        if machine.ways > 1:  # it may have been computed
            raise _undefined(call)
        given = f"{mask.value & EVERY_BIT:#x}"
        message = f"lane {own} is not in the mask {given} that it gives: what this does is undefined"
        raise error(Codes.BAD_ARGUMENTS, message, machine.span(call.state), "name every lane that comes here")
    return mask.value & EVERY_BIT


def _names(mask: int, lane: int) -> bool:
    """Whether a mask has a lane.

    The lane is compared with the ends of the runs of like bits alone: lanes of one run do the same.
    """
    ends = (end for end in range(1, WARP) if mask >> end - 1 & 1 != mask >> end & 1)
    return bool(mask >> next((end for end in ends if lane < end), WARP) - 1 & 1)


def _told_apart(call: Call, position: int, mask: Value) -> Exception:
    """Go on for each mask that an argument may be; what to raise then."""
    builder, own, there, span = call.machine.builder, lane_of(call), lanes_there(call), call.machine.span(call.state)
    bits = may_be_set(mask, call.machine.lanes)
    named = list(_subsets(bits & there, own))
    beyond = bits & ~there
    if len(named) > MOST_MASKS:
        message = f"lane {own} gives a mask here that the program computes, and it may be any of {len(named)}"
        raise error(Codes.TOO_LARGE, message, span, f"let fewer lanes take part: {MOST_MASKS} masks are followed")
    ways = [(compare("eq", mask, number(lanes, WARP)), lanes) for lanes in named]
    if beyond:  # lanes that the block does not have may be named
        low = arithmetic("and", mask, number(there, WARP))
        ways += [(compare("eq", low, number(lanes, WARP)), lanes | EVERY_BIT & ~there) for lanes in named]
    call.machine.ways = max(call.machine.ways, len(ways))
    for condition, lanes in ways:
        following = builder.label()
        builder.split(condition, span, call.machine.later(_knowing(call, position, lanes)), following)
        builder.place(following)
    return _undefined(call)


def _undefined(call: Call) -> Exception:
    """Say that a lane is not in the mask that it gives; what to raise then."""
    call.emit(ir.Assert(values.FALSE, "the lane that gives a mask is in it", implicit=True))
    call.machine.builder.end(call.machine.span(call.state))
    return Done()


def know_lanes(call: Call, position: int) -> None:
    """Raise Done where an argument is some of few lanes: the thread goes on elsewhere, once for each of these masks.

    Who looks for the first or the last lane of a mask then knows it.
    """
    mask, builder = call.number(position), call.machine.builder
    bits = may_be_set(mask, call.machine.lanes) if mask.type.bits == WARP else EVERY_BIT
    if isinstance(mask, Const) or 1 << bits.bit_count() > MOST_MASKS:
        return
    call.machine.ways = max(call.machine.ways, 1 << bits.bit_count())
    lanes, span = bits, call.machine.span(call.state)
    while lanes:
        following = builder.label()
        now = compare("eq", mask, number(lanes, WARP))
        builder.split(now, span, call.machine.later(_knowing(call, position, lanes)), following)
        builder.place(following)
        lanes = lanes - 1 & bits
    builder.jump(call.machine.later(_knowing(call, position, 0)))
    raise Done


def _knowing(call: Call, position: int, lanes: int) -> State:
    """The state in which what an argument holds is known to be a mask."""
    after, argument = call.state.copy(), call.action.arguments[position].operand
    assert isinstance(argument, llvm.Local)
    after.replace(call.arguments[position], number(lanes, WARP))
    register: Value = call.number(position)
    while isinstance(register, Convert) and register.operand.type.bits == WARP:
        register = register.operand
    if isinstance(register, Reg):
        after.learn(register.name, Const(register.type.wrap(lanes), register.type))
    after.frame.env[argument.name] = number(lanes, WARP)
    return after


def _subsets(lanes: int, own: int) -> Iterator[int]:
    """The masks of some lanes that have one of them, the largest first."""
    rest = others = lanes & ~(1 << own)
    while True:
        yield rest | 1 << own
        if not rest:
            return
        rest = rest - 1 & others


# ---------------------------------------------------------------- ranks


def lane_of_rank(call: Call) -> bool:
    """The lane of a mask that has a rank among its lanes; another one where none has."""
    rank, lane = call.number(1), call.number(2)
    for at, one in enumerate(lanes_in(mask_of(call, 0))):
        lane = values.choose(compare("eq", rank, number(at, WARP)), number(one, WARP), lane)
    return call.done(lane)


def to_ranks(call: Call) -> bool:
    """Lanes of a mask as bits of their ranks."""
    return call.done(_moved(call, dict(enumerate(lanes_in(mask_of(call, 0))))))


def to_lanes(call: Call) -> bool:
    """Bits of ranks as lanes of a mask."""
    return call.done(_moved(call, {lane: at for at, lane in enumerate(lanes_in(mask_of(call, 0)))}))


def _moved(call: Call, places: Mapping[int, int]) -> Value:
    """Bits of a number at other places."""
    found: Value = number(0, WARP)
    for to, place in places.items():
        bit = arithmetic("and", arithmetic("lshr", call.number(1), number(place, WARP)), number(1, WARP))
        found = arithmetic("or", found, arithmetic("shl", bit, number(to, WARP)))
    return found


def lanes_in(mask: int) -> tuple[int, ...]:
    """The lanes of a mask."""
    return tuple(lane for lane in range(WARP) if mask >> lane & 1)


# ---------------------------------------------------------------- lanes that are together by chance


def active(call: Call) -> bool:
    """``__activemask()``: the lane itself, and any of those that come here too.

    "Note that threads that are convergent at an __activemask() call are not guaranteed to be convergent at subsequent
    instructions" (CUDA C++ Programming Guide, "Warp Vote Functions"): each set of lanes is possible that execute the
    call together, for whatever reason.  They meet, and an execution in which they do not is none.
    """
    machine, state, own = call.machine, call.state, int(lane_of(call))
    span = machine.span(state)
    name = f"__activemask() in line {span.line}:{span.column}"
    warp = (machine.thread, int(machine.block), int(thread_of(call) // WARP), name)
    come = machine.world.come_together.setdefault(warp, set())
    others = sorted(come - {own})
    if own not in come:
        come.add(own)
        machine.world.grew = True
    if len(others) >= MOST_LANES:
        message = f"{len(others) + 1} lanes come here, any of which may be together: {2 ** len(others)} masks of each"
        help_ = f"let {MOST_LANES} lanes come here, or write a mask"
        raise error(Codes.TOO_LARGE, message, span, help_)
    machine.ways = max(machine.ways, 1 << len(others))
    _together(call, name, others, 1 << own)
    return False


def _together(call: Call, name: str, others: list[int], lanes: int) -> None:
    """Decide of each other lane whether it is there, meet those that are, and go on."""
    builder = call.machine.builder
    if others:
        there, (yes, no) = call.target(types.BOOL), (builder.label(), builder.label())
        call.emit(ir.Decide(there.name, "unknown"))
        builder.split(there, call.machine.span(call.state), yes, no)
        for label, also in ((yes, 1 << others[0]), (no, 0)):
            builder.place(label)
            _together(call, name, others[1:], lanes | also)
        return
    exchange = ir.Exchange(name, Const(0, types.INT), (), (), chance=True)
    call.emit(ir.GroupSync(ir.Group.WARP, lanes, exchange))
    after = call.state.copy()
    call.machine.finish(after, call.instruction, number(lanes, WARP))
    builder.jump(call.machine.later(after))
