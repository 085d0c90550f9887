"""Calls: of functions that have a body, of LLVM's own, and of the intrinsics that the shims are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.base.records import dataclass
from scopec.frontends.clang import llvm
from scopec.frontends.clang.access import (
    copy_bytes,
    fill_bytes,
    follows_null,
    load,
    located,
    publish,
    store,
    stored,
)
from scopec.frontends.clang.debug import Leaf as LeafOf
from scopec.frontends.clang.instructions import as_number, pointer_of
from scopec.frontends.clang.machine import Machine
from scopec.frontends.clang.memory import (
    Address,
    Code,
    Content,
    Held,
    Layout,
    Memory,
    Nowhere,
    Opaque,
    Private,
    Record,
    Unset,
    element,
)
from scopec.frontends.clang.numbers import arithmetic, as_type, compare, kept, number, resized, signed, unsigned
from scopec.frontends.clang.state import Again, State
from scopec.program import ir, types, values
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.frontends.clang.debug import Leaf

_ORDERS = (ir.Order.RELAXED, ir.Order.ACQUIRE, ir.Order.ACQUIRE, ir.Order.RELEASE, ir.Order.ACQ_REL, ir.Order.SEQ_CST)
_INDICES = (
    *(f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz"),
    "clusterRank", "clusterSize",
)  # fmt: skip
#: The types whose order as template arguments in a mangled name has no sign.
_UNSIGNED_CODES = frozenset("bhtjmyo")
#: cudaErrorLaunchFailure.
_LAUNCH_FAILURE = 719
_FETCHES = {"add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor"}


@dataclass(frozen=True)
class Call:
    """A call that is being executed: the arguments, and the letter of its template argument in the mangled name."""

    machine: Machine
    state: State
    instruction: llvm.Instruction
    action: llvm.Call
    arguments: tuple[Content, ...]
    name: str
    template: str

    def number(self, position: int) -> Value:
        """An argument that is a number."""
        return as_number(self.machine, self.state, self.arguments[position])

    def known(self, position: int) -> int:
        """An argument that is a constant."""
        value = self.number(position)
        if not isinstance(value, Const):
            raise error(Codes.NOT_CONSTANT, f"a constant is wanted for `{self.name}`", self.machine.span(self.state))
        return value.value

    def emit(self, operation: ir.Operation) -> None:
        """Append an operation to the thread's graph."""
        self.machine.emit(self.state, operation)

    def done(self, content: Content | None = None) -> bool:
        """The call is over, with a result."""
        self.machine.finish(self.state, self.instruction, content)
        return True

    def mode(self, order: int, scope: int) -> ir.Mode:
        """The mode of an atomic access, from the arguments that say it."""
        return ir.Mode(_ORDERS[self.known(order)], ir.Scope(self.known(scope)))

    def target(self, type_: types.IntType) -> Reg:
        """A register for what the call finds."""
        return self.machine.target(self.state, type_)


def enter(call: Call, function: llvm.Function) -> bool:
    """Go into a function; its result becomes that of the call."""
    machine, state, instruction = call.machine, call.state, call.instruction
    caller = state.frame
    machine.call(state, function, list(call.arguments), instruction.result, instruction.place)
    position = caller.at
    callee = state.frames.pop()
    machine.finish(state, instruction, None)
    assert caller.at == position + 1
    state.frames.append(callee)
    return True


# ---------------------------------------------------------------- LLVM's own


def of_llvm(call: Call, name: str) -> bool:
    """A call of one of LLVM's own functions."""
    machine, state = call.machine, call.state
    match name.split(".")[1:]:
        case ["memcpy" | "memmove", *_]:
            copy_bytes(machine, state, _address(call, 0), _address(call, 1), call.known(2))
            return call.done()
        case ["memset", *_]:
            fill_bytes(machine, state, _address(call, 0), call.number(1), call.known(2))
            return call.done()
        case ["lifetime", *_]:  # what a variable held before or after it lives is nothing
            variable = call.arguments[-1]
            if isinstance(variable, Address) and isinstance(variable.region, Private):
                for key in [key for key in state.cells if key[0] == variable.region]:
                    del state.cells[key]
            return call.done()
        case ["dbg" | "assume" | "experimental" | "stacksave" | "stackrestore", *_]:
            return call.done(Unset())
        case [("sadd" | "ssub" | "smul" | "uadd" | "usub" | "umul") as operation, "with", "overflow", *_]:
            return call.done(Record((arithmetic(operation[1:], call.number(0), call.number(1)), values.FALSE)))
        case [("smin" | "smax" | "umin" | "umax") as operation, *_]:
            return call.done(_extreme(operation[1:], call.number(0), call.number(1), operation[0] == "s"))
        case ["abs", *_]:
            value = call.number(0)
            negative = compare("slt", value, number(0, value.type.bits))
            return call.done(values.choose(negative, arithmetic("sub", number(0, value.type.bits), value), value))
        case ["ctpop", *_]:
            bits = call.number(0).type.bits
            return call.done(number((call.known(0) & ((1 << bits) - 1)).bit_count(), bits))
        case ["ubsantrap"]:
            call.emit(ir.Assert(values.FALSE, "the arithmetic has a result", implicit=True))
            machine.builder.end(machine.span(state))
            return False
        case ["trap"]:
            return _trap(call)
        case ["expect", *_]:
            return call.done(call.arguments[0])
        case _ if isinstance(call.action.type, llvm.Float):
            return call.done(Opaque(llvm.size(call.action.type)))
        case _:
            raise machine.refused(state, f"`{name}` is")


def _extreme(operation: str, left: Value, right: Value, is_signed: bool) -> Value:
    predicate = ("s" if is_signed else "u") + ("lt" if operation == "min" else "gt")
    return values.choose(compare(predicate, left, right), left, right)


def _address(call: Call, position: int) -> Address:
    return pointer_of(call.machine, call.state, call.action.arguments[position])


# ---------------------------------------------------------------- memory


def _located(call: Call) -> tuple[ir.Place, Leaf]:
    """The number in memory that the first argument points to."""
    machine, state = call.machine, call.state
    address = _address(call, 0)
    match address.region:
        case Private():
            publish(machine, state, address)
        case Nowhere() | Code():
            raise follows_null(machine, state)
        case Memory() as region:
            layout = machine.world.layouts[region]
            size = _size(call)
            found = element(layout, address.offset, size)
            if found is None:
                raise machine.refused(state, f"an access of {size} bytes that is not one number of `{layout.name}` is")
            return located(machine, state, layout, found.leaf, found.index), found.leaf
    raise AssertionError(address)


_SIZES = {
    "b": 1, "c": 1, "a": 1, "h": 1, "s": 2, "t": 2, "i": 4, "j": 4, "l": 8, "m": 8, "x": 8, "y": 8, "f": 4, "d": 8,
    "n": 16, "o": 16, "P": 8, "D": 2,
}  # fmt: skip


def _size(call: Call) -> int:
    """The bytes of what an atomic operation is about, from the type in its mangled name."""
    if call.template and call.template[0] in _SIZES:
        return _SIZES[call.template[0]]
    for argument in call.action.arguments[1:2]:
        return llvm.size(argument.type)
    return llvm.size(call.action.type)


def _result(call: Call, register: Reg, leaf: Leaf) -> Content:
    """What an operation found in memory, as the type of the call."""
    if leaf.type.is_float:
        return Opaque(leaf.type.size)
    type_ = call.action.type
    if isinstance(type_, llvm.Pointer):
        return Held(register)
    if isinstance(type_, llvm.Int):
        return resized("zext", kept(register), type_.bits)
    return kept(register)


def _is_unsigned(call: Call, leaf: Leaf) -> bool:
    return call.template[:1] in _UNSIGNED_CODES if call.template else not leaf.type.signed


def _load(call: Call) -> bool:
    place, leaf = _located(call)
    register = call.target(leaf.type)
    call.emit(ir.Load(register.name, place, call.mode(1, 2)))
    return call.done(_result(call, register, leaf))


def _store(call: Call) -> bool:
    place, leaf = _located(call)
    call.emit(ir.Store(place, stored(call.machine, call.state, call.arguments[1], leaf), call.mode(2, 3)))
    return call.done()


def _rmw(new: Callable[[Call, Reg, Value, Leaf], Value]) -> Handler:
    def handler(call: Call) -> bool:
        place, leaf = _located(call)
        operand = stored(call.machine, call.state, call.arguments[1], leaf)
        register = call.target(leaf.type)
        result = new(call, register, operand, leaf)
        call.emit(ir.Rmw(register.name, place, as_type(result, leaf.type), call.mode(2, 3)))
        return call.done(_result(call, register, leaf))

    return handler


def _fetch(operation: str) -> Handler:
    def new(_: Call, old: Reg, operand: Value, leaf: Leaf) -> Value:
        if leaf.type.is_float:
            return Const(0, leaf.type)
        return as_type(arithmetic(operation, kept(old), kept(operand)), leaf.type)

    return _rmw(new)


def _fetch_extreme(operation: str) -> Handler:
    def new(call: Call, old: Reg, operand: Value, leaf: Leaf) -> Value:
        type_ = unsigned(leaf.type.bits) if _is_unsigned(call, leaf) else signed(leaf.type.bits)
        return values.Binary(operation, as_type(old, type_), as_type(operand, type_), type_)

    return _rmw(new)


def _increment(_: Call, old: Reg, limit: Value, leaf: Leaf) -> Value:
    one, zero = number(1, leaf.type.bits), number(0, leaf.type.bits)
    return values.choose(compare("uge", kept(old), kept(limit)), zero, arithmetic("add", kept(old), one))


def _decrement(_: Call, old: Reg, limit: Value, leaf: Leaf) -> Value:
    one, zero = number(1, leaf.type.bits), number(0, leaf.type.bits)
    over = values.binary("||", compare("eq", kept(old), zero), compare("ugt", kept(old), kept(limit)))
    return values.choose(over, kept(limit), arithmetic("sub", kept(old), one))


def _compare_exchange(call: Call) -> bool:
    """The number found is written to ``*expected`` where it is not the expected one."""
    machine, state = call.machine, call.state
    place, leaf = _located(call)
    expected_at = _address(call, 1)
    type_ = call.action.arguments[2].type
    expected = stored(machine, state, load(machine, state, expected_at, type_, ir.PLAIN), leaf)
    desired = stored(machine, state, call.arguments[2], leaf)
    frame = state.frame  # not the register of what was expected, which may have been read from memory just now
    register = machine.register(frame.calls, ("found", state.position(), frame.at), leaf.type)
    succeeded = machine.register(frame.calls, ("succeeded", state.position(), frame.at), types.BOOL)
    machine._keep(state, register)
    machine._keep(state, succeeded)
    call.emit(
        ir.CompareExchange(register.name, succeeded.name, place, expected, desired, call.mode(3, 5),
                           _ORDERS[call.known(4)], bool(call.known(6)))
    )  # fmt: skip
    found: Content = Held(register) if isinstance(type_, llvm.Pointer) else kept(register)

    def failed(after: State) -> None:
        store(machine, after, expected_at, found, type_, ir.PLAIN)

    call.done(succeeded)
    _split_after(call, succeeded, lambda _: None, failed)
    return False


def _split_after(
    call: Call, condition: Value, then: Callable[[State], None], otherwise: Callable[[State], None]
) -> None:
    """Go on in two ways behind the call, with what each does first in its own code; where both agree they meet."""
    machine, builder = call.machine, call.machine.builder
    ways = []
    for change, truth in ((then, values.TRUE), (otherwise, values.FALSE)):
        after = call.state.copy()
        if call.instruction.result is not None and call.instruction.result in after.frame.env:
            after.frame.env[call.instruction.result] = truth
        ways.append((builder.label(), after, change))
    builder.split(condition, machine.span(call.state), ways[0][0], ways[1][0])
    for label, after, change in ways:
        builder.place(label)
        change(after)
        builder.jump(machine.later(after))


def _wait(call: Call) -> bool:
    place, leaf = _located(call)
    old = stored(call.machine, call.state, call.arguments[1], leaf)
    register = call.target(leaf.type)
    condition = values.binary("!=", register, old)
    call.emit(ir.Await(register.name, place, condition, call.mode(2, 3), notified=True))
    return call.done()


def _notify(call: Call) -> bool:
    place, _ = _located(call)
    call.emit(ir.Notify(place, bool(call.known(1))))
    return call.done()


def _await_zero(call: Call) -> bool:
    place, leaf = _located(call)
    register = call.target(leaf.type)
    mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope(call.known(1)))
    call.emit(ir.Await(register.name, place, values.binary("==", register, Const(0, leaf.type)), mode))
    return call.done()


def _acquire(call: Call) -> bool:
    place, leaf = _located(call)
    register = call.target(leaf.type)
    mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope(call.known(1)))
    less = values.binary("-", register, Const(1, leaf.type))
    call.emit(ir.Await(register.name, place, values.binary(">", register, Const(0, leaf.type)), mode, less))
    return call.done()


# ---------------------------------------------------------------- barriers that are objects


def _barrier_init(call: Call) -> bool:
    place, _ = _located(call)
    call.emit(ir.BarrierInit(place, as_type(call.number(1), types.LONG)))
    return call.done()


def _barrier_arrive(call: Call) -> bool:
    place, _ = _located(call)
    register = call.target(types.LONG)
    mode = ir.Mode(ir.Order.RELEASE, ir.Scope(call.known(2)))
    call.emit(ir.BarrierArrive(register.name, place, as_type(call.number(1), types.LONG), mode, bool(call.known(3))))
    return call.done(register)


def _barrier_wait(condition: Callable[[Call, Reg], Value]) -> Handler:
    def handler(call: Call) -> bool:
        place, _ = _located(call)
        register = call.target(types.LONG)
        mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope(call.known(2)))
        call.emit(ir.BarrierWait(register.name, place, condition(call, register), mode))
        return call.done()

    return handler


def _later(call: Call, phase: Reg) -> Value:
    return values.binary("!=", phase, as_type(call.number(1), types.LONG))


def _other_parity(call: Call, phase: Reg) -> Value:
    parity = resized("zext", call.number(1), 64)
    return values.binary("!=", values.binary("%", phase, Const(2, types.LONG)), parity)


def _barrier_phase(call: Call) -> bool:
    place, _ = _located(call)
    register = call.target(types.LONG)
    call.emit(ir.BarrierPhase(register.name, place, ir.Mode(ir.Order.ACQUIRE, ir.Scope(call.known(1)))))
    return call.done(register)


# ---------------------------------------------------------------- threads


def _fence(call: Call) -> bool:
    order = _ORDERS[call.known(0)]
    if order is not ir.Order.RELAXED:
        call.emit(ir.Fence(order, ir.Scope(call.known(1))))
    return call.done()


def _index(call: Call) -> bool:
    name = _INDICES[call.known(0)]
    if name not in call.machine.builtins:
        raise call.machine.refused(call.state, f"`{name}` on the host is")
    return call.done(number(call.machine.builtins[name], 32))


def _decide(call: Call) -> bool:
    register = call.target(types.BOOL)
    call.emit(ir.Decide(register.name))
    return call.done(register)


def _vote(call: Call) -> bool:
    functions = ("count", "and", "or")
    register = call.target(types.INT)
    truth = compare("ne", call.number(1), number(0, 32))
    vote = ir.Vote(register.name, functions[call.known(0)], values.convert(truth, types.INT))  # type: ignore[arg-type]
    call.emit(ir.SyncThreads(vote))
    return call.done(register)


def _group_sync(call: Call) -> bool:
    group = tuple(ir.Group)[call.known(0)]
    mask = call.known(1) & 0xFFFFFFFF
    call.emit(ir.GroupSync(group, mask) if group in (ir.Group.WARP, ir.Group.TILE) else ir.GroupSync(group))
    return call.done()


def _named_barrier(call: Call) -> bool:
    count = call.number(1)
    everyone = isinstance(count, Const) and count.value == -1
    call.emit(ir.NamedBarrier((call.number(0),), None if everyone else count, bool(call.known(2))))
    return call.done()


def _assert(call: Call) -> bool:
    text = text_at(call, call.arguments[1])
    call.emit(ir.Assert(call.number(0), text))
    return call.done()


def text_at(call: Call, content: Content) -> str:
    """The text that a pointer to constant characters points to."""
    if not isinstance(content, Address) or not isinstance(content.region, Memory):
        return "?"
    layout, found = call.machine.world.layouts[content.region], bytearray()
    at = content.offset.constant
    while layout.known is not None and isinstance(byte := layout.known.get(at), Const) and byte.value:
        found.append(byte.value & 255)
        at += 1
    return found.decode("utf-8", "replace")


def last_error(call: Call, device: int) -> ir.Place:
    """Where a grid that was aborted says so to the calls of the API that come after."""
    world = call.machine.world
    name = f"last error@{device}" if device else "last error"
    layout = Layout(name, (LeafOf("", 0, types.INT),))
    world.declare(layout, ir.Storage.SYSTEM, call.machine.span(call.state), {0: 0}, zero=True)
    world.objects[name] = replace(world.objects[name], use=ir.Use.PASSED)
    return ir.Place(name, Const(0, types.INT))


def _trap(call: Call) -> bool:
    machine = call.machine
    if not machine.world.aborts:
        machine.world.aborts.add("trap")
        raise Again
    mode = ir.Mode(ir.Order.RELEASE, ir.Scope.SYSTEM)
    call.emit(ir.Store(last_error(call, machine.device), Const(_LAUNCH_FAILURE, types.INT), mode))
    call.emit(ir.Trap())
    call.machine.builder.end(call.machine.span(call.state))
    return False


def _exit(call: Call) -> bool:
    call.emit(ir.EndProcess())
    call.machine.builder.end(call.machine.span(call.state))
    return False


def _unmodelled(call: Call) -> bool:
    message = f"scopec does not model {text_at(call, call.arguments[0])}"
    raise error(Codes.UNMODELLED_CALL, message, call.machine.span(call.state))


def _unknown(call: Call) -> bool:
    return call.done(Opaque(max(1, llvm.size(call.action.type))))


def _simply(operation: Callable[[Call], ir.Operation]) -> Handler:
    def handler(call: Call) -> bool:
        call.emit(operation(call))
        return call.done()

    return handler


Handler: TypeAlias = "Callable[[Call], bool]"

#: What each intrinsic does that threads of both sides call.
INTRINSICS: dict[str, Handler] = {
    "load": _load,
    "store": _store,
    "exchange": _rmw(lambda _call, _old, operand, _leaf: operand),
    **{f"fetch_{name}": _fetch(opcode) for name, opcode in _FETCHES.items()},
    "fetch_min": _fetch_extreme("min"),
    "fetch_max": _fetch_extreme("max"),
    "fetch_inc": _rmw(_increment),
    "fetch_dec": _rmw(_decrement),
    "compare_exchange": _compare_exchange,
    "wait": _wait,
    "notify": _notify,
    "await_zero": _await_zero,
    "acquire": _acquire,
    "barrier_init": _barrier_init,
    "barrier_arrive": _barrier_arrive,
    "barrier_wait": _barrier_wait(_later),
    "barrier_wait_parity": _barrier_wait(_other_parity),
    "barrier_phase": _barrier_phase,
    "fence": _fence,
    "index": _index,
    "decide": _decide,
    "vote": _vote,
    "group_sync": _group_sync,
    "named_barrier": _named_barrier,
    "assert": _assert,
    "trap": _trap,
    "exit": _exit,
    "unmodelled": _unmodelled,
    "unknown": _unknown,
    "syncthreads": _simply(lambda _: ir.SyncThreads()),
    "yield": _simply(lambda call: ir.Yield(bool(call.known(0)))),
    "io": _simply(lambda _: ir.InputOutput()),
}
