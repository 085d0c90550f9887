"""Intrinsics that access memory in one step, and those of barriers, latches and semaphores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.intrinsics.calls import Handler, address_of
from scopec.frontends.clang.intrinsics.states import phase_of, state_of
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.numbers import arithmetic, as_type, compare, kept, number, resized
from scopec.frontends.clang.machine.access import follows_null, load, located, misfit, store, stored
from scopec.frontends.clang.machine.addresses import pointed
from scopec.frontends.clang.machine.memory import (
    Address,
    Code,
    Content,
    Held,
    Memory,
    Nowhere,
    Private,
    Record,
    element,
)
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.state import Again, State
from scopec.frontends.clang.machine.variables import publish
from scopec.program import ir, types, values
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.frontends.clang.llvm.debug import Leaf

#: The value that an operation stores, of the register that holds the old one, and the operand.
Update: TypeAlias = "Callable[[Call, Reg, Value, Leaf], Value]"
#: The types whose order as template arguments in a mangled name has no sign.
_UNSIGNED_CODES = (*"bhtjmyo", "Di", "Ds", "Du")


def _located(call: Call) -> tuple[ir.Place, Leaf]:
    """The number in memory that the first argument points to."""
    return number_at(call, 0, _size(call))


def number_at(call: Call, position: int, size: int) -> tuple[ir.Place, Leaf]:
    """The number of so many bytes in memory that an argument points to."""
    return number_there(call, address_of(call, position), size)


def number_there(call: Call, address: Address, size: int) -> tuple[ir.Place, Leaf]:
    """The number of so many bytes in memory that is at an address."""
    machine, state = call.machine, call.state
    match address.region:
        case Private():
            publish(machine, state, address)
        case Nowhere() | Code():
            raise follows_null(machine, state)
        case Memory() as region:
            layout = machine.world.layouts[region]
            found = element(layout, address.offset, size)
            if found is None and machine.world.join(layout, address.offset, size):
                raise Again
            if found is None:
                raise misfit(machine, state, layout, address.offset, size)
            return located(machine, state, layout, found.leaf, found.index), found.leaf
    raise AssertionError(address)


_SIZES = {
    "b": 1, "c": 1, "a": 1, "h": 1, "s": 2, "t": 2, "i": 4, "j": 4, "l": 8, "m": 8, "x": 8, "y": 8, "f": 4, "d": 8,
    "n": 16, "o": 16, "P": 8, "DF": 2, "Di": 4, "Ds": 2, "Du": 1,
}  # fmt: skip


def _size(call: Call) -> int:
    """The bytes of what an atomic operation is about, from the type in its mangled name."""
    for letters in call.template[:1], call.template[:2]:
        if letters in _SIZES:
            return _SIZES[letters]
    for argument in call.action.arguments[1:2]:
        return llvm.size(argument.type)
    return llvm.size(call.action.type)


def _result(call: Call, register: Reg, leaf: Leaf) -> Content:
    """The value that an operation found in memory, as the type of the call."""
    if leaf.type.is_float:
        return Opaque(leaf.type.size)
    type_ = call.action.type
    if leaf.pointer:
        return Held(register)
    if isinstance(type_, llvm.Pointer):
        return pointed(call.machine, call.state, kept(register))
    if isinstance(type_, llvm.Int):
        return resized("zext", kept(register), type_.bits)
    return kept(register)


def is_unsigned(call: Call) -> bool:
    """Whether the template argument of a call is an unsigned type."""
    return call.template.startswith(_UNSIGNED_CODES)


def _is_unsigned(call: Call, leaf: Leaf) -> bool:
    return is_unsigned(call) if call.template else not leaf.type.signed


def _load(call: Call) -> bool:
    place, leaf = _located(call)
    register = call.target(leaf.type)
    call.emit(ir.Load(register.name, place, call.mode(call.order(1, ir.READ_ORDERS, "a load"), 2)))
    return call.done(_result(call, register, leaf))


def _store(call: Call) -> bool:
    place, leaf = _located(call)
    mode = call.mode(call.order(2, ir.WRITE_ORDERS, "a store"), 3)
    call.emit(ir.Store(place, stored(call.machine, call.state, call.arguments[1], place, leaf), mode))
    return call.done()


def _rmw(new: Update) -> Handler:
    def handler(call: Call) -> bool:
        place, leaf = _located(call)
        operand = stored(call.machine, call.state, call.arguments[1], place, leaf)
        register = call.target(leaf.type)
        result = new(call, register, operand, leaf)
        mode, reduction = call.mode(call.order(2), 3), isinstance(call.action.type, llvm.Void)
        call.emit(ir.Rmw(register.name, place, as_type(result, leaf.type), mode, reduction))
        return call.done(_result(call, register, leaf))

    return handler


def _no_pointer(call: Call, leaf: Leaf) -> None:
    """Pointers in memory are numbered, and their numbers are no addresses."""
    if leaf.pointer:
        raise call.machine.refused(call.state, "arithmetic with a pointer in memory in one step is")


def _computed(operation: str) -> Update:
    def new(call: Call, old: Reg, operand: Value, leaf: Leaf) -> Value:
        if leaf.type.is_float:
            return Const(0, leaf.type)
        _no_pointer(call, leaf)
        opcode = f"{'u' if _is_unsigned(call, leaf) else 's'}{operation}" if operation in ("min", "max") else operation
        return as_type(arithmetic(opcode, kept(old), kept(operand)), leaf.type)

    return new


def _check_modelled(call: Call, place: ir.Place) -> None:
    """Refuse what depends on an integer whose values are not modelled."""
    if place.object in call.machine.world.not_modelled:
        what = f"an operation that compares `{place.object}` in one step, where a floating-point number was stored, is"
        raise call.machine.refused(call.state, what)


def _increment(call: Call, old: Reg, limit: Value, leaf: Leaf) -> Value:
    if leaf.type.is_float:
        return Const(0, leaf.type)
    _no_pointer(call, leaf)
    one, zero = number(1, leaf.type.bits), number(0, leaf.type.bits)
    return values.choose(compare("uge", kept(old), kept(limit)), zero, arithmetic("add", kept(old), one))


def _decrement(call: Call, old: Reg, limit: Value, leaf: Leaf) -> Value:
    if leaf.type.is_float:
        return Const(0, leaf.type)
    _no_pointer(call, leaf)
    one, zero = number(1, leaf.type.bits), number(0, leaf.type.bits)
    over = values.binary("||", compare("eq", kept(old), zero), compare("ugt", kept(old), kept(limit)))
    return values.choose(over, kept(limit), arithmetic("sub", kept(old), one))


def _compare_swap(call: Call) -> bool:
    """``atom.cas``, which always writes: the number found where that is not the expected one."""
    place, leaf = _located(call)
    expected, desired = (stored(call.machine, call.state, call.arguments[n], place, leaf) for n in (1, 2))
    _check_modelled(call, place)
    register = call.target(leaf.type)
    new = values.choose(compare("eq", kept(register), kept(expected)), kept(desired), kept(register))
    call.emit(ir.Rmw(register.name, place, as_type(new, leaf.type), call.mode(call.order(3), 4)))
    return call.done(_result(call, register, leaf))


def _compare_exchange(call: Call) -> bool:
    """The number found is written to ``*expected`` where it is not the expected one."""
    machine, state = call.machine, call.state
    expected_at, type_ = address_of(call, 1), call.action.arguments[2].type
    expected = load(machine, state, expected_at, type_, ir.PLAIN)
    found, succeeded = _exchanged(call, expected)

    def failed(after: State) -> None:
        store(machine, after, expected_at, found, type_, ir.PLAIN)

    call.done(succeeded)
    _split_after(call, succeeded, lambda _: None, failed)
    return False


def _exchanged(call: Call, content: Content) -> tuple[Content, Reg]:
    """Compare and exchange; what was found, and whether it was the expected content."""
    machine, state = call.machine, call.state
    place, leaf = _located(call)
    expected, desired = (stored(machine, state, each, place, leaf) for each in (content, call.arguments[2]))
    _check_modelled(call, place)
    frame = state.frame  # not the register of what was expected, which may have been read from memory just now
    register = machine.register(frame.calls, ("found", state.position(), frame.at), leaf.type)
    succeeded = machine.register(frame.calls, ("succeeded", state.position(), frame.at), types.BOOL)
    machine._keep(state, register)
    machine._keep(state, succeeded)
    mode, failure = call.mode(call.order(3), 5), call.order(4, ir.READ_ORDERS, "a failed compare_exchange")
    unknown = leaf.type.is_float
    if unknown and not isinstance(content, Opaque):
        _either_way(call, register, succeeded, place, mode, replace(mode, order=failure))
        return Opaque(leaf.type.size), succeeded
    # Of values that are not modelled all are equal; who tries again with what was found does not fail for ever.
    weak = unknown or bool(call.known(6))
    call.emit(ir.CompareExchange(register.name, succeeded.name, place, expected, desired, mode, failure, weak))
    if unknown:
        return Opaque(leaf.type.size), succeeded
    if leaf.pointer:
        return Held(register), succeeded
    is_pointer = isinstance(call.action.arguments[2].type, llvm.Pointer)
    return pointed(machine, state, kept(register)) if is_pointer else kept(register), succeeded


def _either_way(
    call: Call, register: Reg, succeeded: Reg, place: ir.Place, mode: ir.Mode, failure: ir.Mode
) -> None:  # fmt: skip
    """Exchange a number of which no value is modelled, or read it: which of the two is not known."""
    builder, span = call.machine.builder, call.machine.span(call.state)
    yes, no, done = builder.label(), builder.label(), builder.label()
    call.emit(ir.Decide(succeeded.name, "unknown"))
    builder.split(succeeded, span, yes, no)
    builder.place(yes)
    call.emit(ir.Rmw(register.name, place, Const(0, register.type), mode))
    builder.jump(done)
    builder.place(no)
    call.emit(ir.Load(register.name, place, failure))
    builder.place(done)


def _cmpxchg(call: Call) -> bool:
    """LLVM's instruction: the number found, and whether it was the expected one."""
    found, succeeded = _exchanged(call, call.arguments[1])
    return call.done(Record((found, succeeded)))


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
    old = stored(call.machine, call.state, call.arguments[1], place, leaf)
    _check_modelled(call, place)
    if leaf.type.is_float:
        raise call.machine.refused(call.state, "a wait on an object whose values are not modelled is")
    register = call.target(leaf.type)
    condition = values.binary("!=", register, old)
    mode = call.mode(call.order(2, ir.READ_ORDERS, "a wait"), 3)
    call.emit(ir.Await(register.name, place, condition, mode, notified=True))
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


def _barrier_init(call: Call) -> bool:
    place, _ = _located(call)
    call.emit(ir.BarrierInit(place, as_type(call.number(1), types.LONG)))
    return call.done()


def _barrier_arrive(call: Call) -> bool:
    place, _ = _located(call)
    register = call.target(types.LONG)
    mode = ir.Mode(ir.Order.RELEASE, ir.Scope(call.known(2)))
    call.emit(ir.BarrierArrive(register.name, place, as_type(call.number(1), types.LONG), mode, bool(call.known(3))))
    return call.done(state_of(call, register, None))


def _barrier_wait(condition: Callable[[Call, Reg], Value]) -> Handler:
    def handler(call: Call) -> bool:
        place, _ = _located(call)
        register = call.target(types.LONG)
        mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope(call.known(2)))
        call.emit(ir.BarrierWait(register.name, place, condition(call, register), mode))
        return call.done()

    return handler


def _later(call: Call, phase: Reg) -> Value:
    return values.binary("!=", phase, phase_of(call, 1))


def _other_parity(call: Call, phase: Reg) -> Value:
    parity = resized("zext", call.number(1), 64)
    return values.binary("!=", values.binary("%", phase, Const(2, types.LONG)), parity)


def _barrier_test(condition: Callable[[Call, Reg], Value]) -> Handler:
    def handler(call: Call) -> bool:
        place, _ = _located(call)
        register = call.target(types.BOOL)
        mode = ir.Mode(ir.Order.ACQUIRE, ir.Scope(call.known(2)))
        found = Reg(register.name, types.LONG)
        call.emit(ir.BarrierTest(register.name, place, condition(call, found), mode))
        return call.done(register)

    return handler


#: The operation of each function on the number that it finds, by the rest of its name behind ``fetch_``.
UPDATES: dict[str, Update] = {
    **{opcode: _computed(opcode) for opcode in ("add", "sub", "and", "or", "xor", "min", "max")},
    "inc": _increment,
    "dec": _decrement,
}
#: The effect of each intrinsic that is an operation on memory.
ATOMICS: dict[str, Handler] = {
    "load": _load,
    "store": _store,
    "exchange": _rmw(lambda _call, _old, operand, _leaf: operand),
    **{f"fetch_{name}": _rmw(new) for name, new in UPDATES.items()},
    "compare_swap": _compare_swap,
    "compare_exchange": _compare_exchange,
    "cmpxchg": _cmpxchg,
    "wait": _wait,
    "notify": _notify,
    "await_zero": _await_zero,
    "acquire": _acquire,
    "barrier_init": _barrier_init,
    "barrier_arrive": _barrier_arrive,
    "barrier_wait": _barrier_wait(_later),
    "barrier_wait_parity": _barrier_wait(_other_parity),
    "barrier_test": _barrier_test(_later),
    "barrier_test_parity": _barrier_test(_other_parity),
}
