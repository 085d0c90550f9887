"""Addresses as numbers, and numbers as addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code as Codes
from scopec.base.diagnostics import error
from scopec.frontends.clang.llvm.numbers import Offset, arithmetic, as_type, compare, kept, number, resized, signed
from scopec.frontends.clang.machine import points_to
from scopec.frontends.clang.machine.memory import NULL, Address, Code, Content, Held, Memory, Nowhere, Record, Unset
from scopec.frontends.clang.machine.opaque import Opaque
from scopec.frontends.clang.machine.state import Again, Done, State
from scopec.frontends.clang.machine.tracked import untracked
from scopec.program import ir, values
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from scopec.frontends.clang.machine.recording import Recording


def as_number(machine: Recording, state: State, content: Content, bits: int = 64) -> Value:
    """A content as a number; an error where it is none that is modelled.  Addresses are those of ``World.place``."""
    match content:
        case Address(Nowhere(), offset):
            return distance(offset)
        case Address(Memory() as region, offset):
            if machine.world.layouts[region].known is not None:  # a table that lies nowhere yet
                machine.world.tables.add(region)
                raise Again
            begin = number(machine.world.place(region), 64)
            return resized("trunc", arithmetic("add", begin, distance(offset)), bits)
        case Held(value, among):
            return resized("trunc", _address(machine, state, value, among), bits)
        case Opaque(_, True):
            raise lost(machine, state)
        case Opaque():
            message = "a value that is not modelled, such as a floating-point number, decides something here; that is"
            raise machine.refused(state, message, "use an integer type")
        case Unset(of):
            if of is not None:
                machine.known.lacking.add(untracked(of))
                raise Again
            raise error(Codes.UNINITIALISED, "this reads a variable that has no value", machine.span(state))
        case Address() | Record():
            raise machine.refused(state, "an address as a number is")
        case value:
            return value


def _address(machine: Recording, state: State, value: Value, among: points_to.Among) -> Value:
    """The address that a pointer holds which was read: one of those that are numbered, or what `pointed` made of it."""
    null = number(0, 64)
    result: Value = null
    if _may_be_elsewhere(machine, among):
        result = values.choose(compare("eq", kept(value), null), null, points_to.elsewhere(kept(value)))
    for address, found in list(machine.world.pointers.items()):
        if among is None or found in among:
            each = as_number(machine, state, address)
            result = values.choose(compare("eq", kept(value), number(found, 64)), each, result)
    return result


def pointer_number(machine: Recording, state: State, content: Content) -> Value:
    """The number that stands for a pointer in the program's memory, also for an address that no object has."""
    match content:
        case Address(Nowhere(), offset) if offset.terms:
            raise machine.refused(state, "a pointer that is made of a number is")
        case Address(Memory() | Code() | Nowhere(), offset) if not offset.terms:
            return number(machine.world.pointer(content), 64)
        case Held(value):
            return as_type(value, signed(64))
        case Const(value):
            return number(machine.world.pointer(Address(Nowhere(), Offset(value))), 64)
        case Address():
            raise machine.refused(state, "an address as a number is")
        case Opaque() | Unset() | Record():
            return as_number(machine, state, content)
        case value:
            return pointer_number(machine, state, pointed(machine, state, value))


#: The most addresses that a number that becomes a pointer is compared with.
_MOST_ADDRESSES = 64


def pointed(machine: Recording, state: State, value: Value) -> Address | Held:
    """The pointer that a number becomes: to an element of an object whose address was computed with, to the end of one,
    to what has a number as a pointer, or elsewhere, which the number itself tells then.
    """
    world = machine.world
    if isinstance(value, Const):
        return world.at_address(value.value)
    world.pointers_of_numbers.append(machine.span(state))
    known = [Address(region, Offset(at)) for region in world.placed for at in world.begins(region)]
    if len(known) > _MOST_ADDRESSES:
        raise machine.refused(state, f"a pointer that is made of a number, with more than {_MOST_ADDRESSES} elements,")
    world.pointer(_OTHERS)
    known += [Address(region, Offset(there.stop - there.start - 1)) for region, there in world.placed.items()]
    nowhere = {address for address in world.pointers if isinstance(address.region, Nowhere)} - {_OTHERS}
    numbered = [address for address in world.pointers if address.region in world.placed or address in nowhere]
    wide = resized("zext", kept(value), 64)
    result = points_to.elsewhere(wide)
    for address in dict.fromkeys([*known, NULL, *numbered]):
        found = number(world.pointer(address), 64)
        result = values.choose(compare("eq", wide, as_number(machine, state, address)), found, result)
    among = (world.pointer(address) for address in (*known, *numbered))
    return Held(result, frozenset([points_to.ELSEWHERE, 0, *among]))


#: Has a number, as a pointer, in a program in which others become pointers.
_OTHERS = Address(Nowhere(), Offset(points_to.ELSEWHERE))


def _may_be_elsewhere(machine: Recording, among: points_to.Among) -> bool:
    """Whether a pointer may be one that a number became, and to nothing that has a number as a pointer."""
    return _OTHERS in machine.world.pointers if among is None else points_to.ELSEWHERE in among


def lost(machine: Recording, state: State) -> Exception:
    """Say that the value of a lane is used that takes no part in a shuffle; what to raise then."""
    machine.emit(state, ir.Assert(values.FALSE, "the lane that a shuffle reads from takes part in it", implicit=True))
    machine.builder.end(machine.span(state))
    return Done()


def distance(offset: Offset) -> Value:
    """An offset as a number."""
    result: Value = number(offset.constant, 64)
    for factor, value in offset.terms:
        wide = values.cast(value, signed(64))
        result = arithmetic("add", result, arithmetic("mul", wide, number(factor, 64)))
    return result
