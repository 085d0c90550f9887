"""The barriers of a block: ``__syncthreads()`` and its kin, PTX's ``bar`` and ``barrier``.

``__syncthreads()`` is the barrier 0 of all threads; it is one among others in grids in which some arrive there
otherwise, by ``bar.arrive 0`` or with a count of fewer.

"Barriers are executed on a per-warp basis as if all the threads in the warp are active [...] the arrival count for the
barrier is incremented by the warp size (not the number of active threads in the warp)" (PTX ISA, "bar").  So the lanes
of a warp come together to ``bar.sync`` (a barrier of these lanes), the first of them arrives at the barrier for the
warp, and waits for the count's part of warps, and they go on together.  To ``bar.arrive`` the others only say that they
have come.  Which lane is the first is known from their texts, unless it may end before: then they exchange who has come
("all non-exited threads in the warp", PTX ISA).  At a vote each lane arrives by itself: its count is one of threads,
which may be fewer than a warp has.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler, in_kernel
from scopec.frontends.clang.intrinsics.masks import lane_of, lanes_in, lanes_there, thread_of, threads_of
from scopec.frontends.clang.llvm.numbers import arithmetic, compare, number
from scopec.frontends.clang.machine.refusals import refused
from scopec.frontends.clang.machine.state import Again, Done
from scopec.frontends.ptx import table
from scopec.program import faults, ir, types, values
from scopec.program.values import Const, Reg, Value
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from scopec.frontends.clang.machine.world import World

#: The count where none is written: all threads of the block.
_ALL = -1
_VOTES = ("count", "and", "or")


def _here(call: Call) -> tuple[Hashable, ...]:
    """The instruction that this is: lanes that come to it by other calls come to another one."""
    frame = call.state.frame
    return (*frame.calls, frame.site())


def _synchronise(call: Call) -> bool:
    """``__syncthreads()``; that of a cooperative group need not be reached by all lanes at once."""
    at = _here(call) if call.known(0) else ()
    if _is_shared(call):
        return _by_warps(call, number(0, 32), number(_warps_there(call), 32), "`__syncthreads()`", waits=True, at=at)
    call.emit(ir.SyncThreads(at=at))
    return call.done()


def _check_vote(call: Call) -> None:
    """Refuse a vote of all threads of the block at the barrier 0 where some arrive there without voting."""
    if _is_shared(call):
        raise call.machine.refused(call.state, "a vote at the barrier 0, at which others arrive by `bar`, is")


def _is_shared(call: Call) -> bool:
    """Whether some threads of the grid arrive at the barrier 0 in another way than all together."""
    return call.machine.thread in call.machine.world.shares_barrier


def _vote(call: Call) -> bool:
    _check_vote(call)
    register = call.target(types.INT)
    truth = compare("ne", call.number(1), number(0, 32))
    vote = ir.Vote(register.name, _VOTES[call.known(0)], values.convert(truth, types.INT))  # type: ignore[arg-type]
    call.emit(ir.SyncThreads(vote, _here(call)))
    return call.done(register)


def _cta_barrier(call: Call) -> bool:
    """``bar.sync`` and ``bar.arrive``, ``barrier`` without ``.aligned``; ``bar.sync 0`` is ``__syncthreads()``."""
    name, warps = _name(call), _warps(call)
    if not isinstance(name, Const):
        call.machine.world.unnamed_barriers.setdefault(call.machine.thread, call.machine.span(call.state))
    waits, at = bool(call.known(2)), _here(call) if call.known(3) else ()
    together = waits and warps == number(_warps_there(call), 32)
    if name == number(0, 32) and not _is_shared(call):
        if together:
            call.emit(ir.SyncThreads(at=at))
            return call.done()
        call.machine.world.shares_barrier.add(call.machine.thread)
        raise Again
    given = (name,) if call.number(1) == number(_ALL, 32) else (name, call.number(1))
    of = f"`bar.{'sync' if waits else 'arrive'} {', '.join(str(n.value) for n in given if isinstance(n, Const))}`"
    return _by_warps(call, name, warps, of, waits=waits, at=at)


def _by_warps(call: Call, name: Value, warps: Value, of: str, *, waits: bool, at: tuple[Hashable, ...]) -> bool:
    """Arrive at a barrier with a name by warps, ``of`` which is the instruction."""
    barrier = ir.NamedBarrier((name,), warps, waits, warps=True)
    together = ir.GroupSync(ir.Group.WARP, lanes_there(call), of=of, at=at)
    if waits:
        first = _is_first(call, of)
        call.emit(together)
        _where(call, first, (barrier,), ())
        call.emit(replace(together, of=f"the end of {of}", at=()))
    else:
        _where(call, _is_first(call, of), (together, barrier), (replace(together, waits=False),))
    return call.done()


def _is_first(call: Call, of: str) -> Value:
    """Whether a lane is the first of its warp that comes to a barrier: others end before."""
    machine, own, world = call.machine, lane_of(call), call.machine.world
    warp = (machine.thread, int(machine.block), int(thread_of(call) // WARP), of)
    come = world.come_together.setdefault(warp, set())
    behind = bool(come) and own > min(come)
    if come and not behind and int(own) not in come:
        world.grew = True
    if len(come) < 2 or not behind:  # those behind a first lane do the same: that there is one is enough
        come.add(int(own))
    if warp not in world.elected:
        return values.FALSE if behind else values.TRUE
    own = int(own)
    first: Value = values.TRUE
    for lane in lanes_in(lanes_there(call) & (1 << own) - 1):
        first = values.binary("&&", first, values.unary("!", Reg(ir.came(lane), types.BOOL)))
    register = Reg(f"{call.target(types.INT).name} first", types.BOOL)
    exchange = ir.Exchange(f"first at {of}", number(0, 32), (register.name,), (first,), nothing=True)
    call.emit(ir.GroupSync(ir.Group.WARP, lanes_there(call), exchange))
    return register


def _where(call: Call, condition: Value, then: Sequence[ir.Operation], otherwise: Sequence[ir.Operation]) -> None:
    """Do the one or the other."""
    builder, span = call.machine.builder, call.machine.span(call.state)
    yes, no, after = builder.label(), builder.label(), builder.label()
    builder.split(condition, span, yes, no)
    for label, operations in ((yes, then), (no, otherwise)):
        builder.place(label)
        for operation in operations:
            call.emit(operation)
        builder.jump(after)
    builder.place(after)


def elections(world: World, grid: str, bodies: Mapping[tuple[int, int], ir.Body]) -> bool:
    """Note of each warp and barrier of a grid whether the lane that comes first may end before; whether one is new."""
    known = len(world.elected)
    for key, come in world.come_together.items():
        name, block, warp, of = key
        body = bodies.get((block, warp * WARP + min(come)))
        if name == grid and body is not None and len(come) > 1 and _may_miss(body, of):
            world.elected.add(key)
    return len(world.elected) > known


def check_barrier_0(world: World, grid: str, bodies: Mapping[tuple[int, int], ir.Body]) -> None:
    """Refuse what may be at the barrier 0 of all threads without being known to, and warps that it may not wait for.

    `__syncthreads()` waits for the warps that have not ended; as a barrier among others, for a fixed number of them.
    """
    operations = [
        (place, node)
        for place, body in bodies.items()
        for node in body.nodes.values()
        if isinstance(node, ir.Do) and isinstance(node.operation, (ir.SyncThreads, ir.NamedBarrier))
    ]
    span = world.unnamed_barriers.get(grid)
    if span is not None and any(_is_at_0(node.operation) for _, node in operations):
        what = "a barrier of which the number is known at run time alone, beside the barrier 0 of all threads, is"
        raise refused(what, span)
    if grid not in world.shares_barrier:
        return
    warps: dict[tuple[int, int], list[ir.Body]] = {}
    for (block, thread), body in bodies.items():
        warps.setdefault((block, thread // WARP), []).append(body)
    whole = number(len({warp for _, warp in warps}), 32)
    ending = {block for (block, _), lanes in warps.items() if all(_may_end(lane, _is_at_0) for lane in lanes)}
    for (block, _), node in operations:
        barrier = node.operation
        waits = isinstance(barrier, ir.NamedBarrier) and _is_at_0(barrier) and barrier.waits and barrier.count == whole
        if block in ending and waits:
            what = "a warp that may end without coming to the barrier 0, at which some arrive by `bar`, is"
            raise refused(what, node.span, "have all warps of the block come there")


def _is_at_0(operation: ir.Operation) -> bool:
    """Whether threads come to the barrier of `__syncthreads()` by an operation."""
    return isinstance(operation, ir.SyncThreads) or (
        isinstance(operation, ir.NamedBarrier) and operation.name == (number(0, 32),)
    )


def _may_miss(body: ir.Body, of: str) -> bool:
    """Whether a thread may end without having come to a barrier of its warp, to which it may come."""

    def comes(operation: ir.Operation) -> bool:
        return isinstance(operation, ir.GroupSync) and operation.of == of

    return _may_end(body, comes) and any(
        isinstance(node, ir.Do) and comes(node.operation) for node in body.nodes.values()
    )


def _may_end(body: ir.Body, behind: Callable[[ir.Operation], bool]) -> bool:
    """Whether a thread may end without one of some operations."""
    work, seen = [body.entry], set[int]()
    while work:
        number_ = work.pop()
        node = body.nodes[number_]
        if number_ in seen or (isinstance(node, ir.Do) and behind(node.operation)):
            continue
        if isinstance(node, ir.Exit):
            return True
        seen.add(number_)
        work += ir.successors(node)
    return False


def _cta_vote(call: Call) -> bool:
    """``bar.red``; that of the barrier 0 is ``__syncthreads_count()``, ``_and`` or ``_or``."""
    name, count, at = _name(call), _voters(call), _here(call) if call.known(4) else ()
    register = call.target(types.INT)
    vote = ir.Vote(register.name, _VOTES[call.known(2)], values.convert(call.number(3), types.INT))  # type: ignore[arg-type]
    everyone = name == number(0, 32) and count == number(threads_of(call), 32)
    if everyone:
        _check_vote(call)
    call.emit(ir.SyncThreads(vote, at) if everyone else ir.NamedBarrier((name,), count, waits=True, vote=vote))
    return call.done(register)


def _voters(call: Call) -> Value:
    """The number of threads that a vote is for: all of the block where no count is written."""
    threads, count = threads_of(call), call.number(1)
    if not isinstance(count, Const) or (count.value % WARP and count.value != _ALL):
        return count
    if count.value in (_ALL, _warps_there(call) * WARP):
        return number(threads, 32)
    if threads % WARP and threads > WARP:
        what = f"a vote of {count.value} threads in a block whose last warp is not full is"
        raise call.machine.refused(call.state, what)
    return count


def _name(call: Call) -> Value:
    """The name of the barrier that is meant."""
    name = call.number(0)
    if isinstance(name, Const) and not 0 <= name.value < table.BARRIERS:
        message = f"a block has the barriers 0 to {table.BARRIERS - 1}"
        raise error(Codes.BAD_ARGUMENTS, message, call.machine.span(call.state), "write one of these")
    return name


def _warps_there(call: Call) -> int:
    """The number of warps of a block; the last one may have fewer threads than others."""
    return -(-threads_of(call) // WARP)


def _warps(call: Call) -> Value:
    """For how many warps a barrier is: all of the block where no count is written.

    "Since barriers are executed on a per-warp basis, the thread count must be a multiple of the warp size" (PTX ISA,
    "bar"): with another one what happens is undefined.
    """
    count = call.number(1)
    if count == number(_ALL, 32):
        return number(_warps_there(call), 32)
    rest = arithmetic("urem", count, number(WARP, 32))
    if not isinstance(rest, Const) or rest.value:
        call.emit(faults.of_count(compare("eq", rest, number(0, 32)), values.show(count)))
    if not isinstance(count, Const):
        return arithmetic("udiv", count, number(WARP, 32))
    if count.value % WARP:
        call.machine.builder.end(call.machine.span(call.state))
        raise Done
    return number(count.value // WARP, 32)


#: The effect of each intrinsic.
BARRIERS: dict[str, Handler] = {
    "syncthreads": in_kernel(_synchronise),
    "vote": in_kernel(_vote),
    "cta_barrier": in_kernel(_cta_barrier),
    "cta_vote": _cta_vote,
}
