"""Passes arguments between threads: known values as they are, the rest through memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.frontends.clang.intrinsics.call import Call
from scopec.frontends.clang.machine.memcpy import copy_bytes
from scopec.frontends.clang.machine.memory import Address, Cell, Content, Held, Memory, Private, Record, Unset
from scopec.frontends.clang.machine.names import unused
from scopec.frontends.clang.machine.opaque import Formula, Opaque
from scopec.frontends.clang.machine.variables import publish
from scopec.program import ir
from scopec.program.types import INT, IntType
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.frontends.clang.machine.machine import Machine

_COPY = Private((), "%copy")


def passed_on(call: Call, content: Content, name: str, passed: list[str]) -> Content:
    """A content as another thread gets it: the registers of this one are not its own.

    A number that is known at run time alone goes through an object of about that name, which ``passed`` gets too;
    :func:`take` is the other end.
    """
    publish(call.machine, call.state, content)
    match content:
        case Opaque(formula=Formula(_, of)) if of:
            return replace(content, formula=Formula(f"argument {name}"))
        case Opaque() | Unset():
            return content
        case Held(value, among):
            return Held(_handed_over(call, value, name, passed), among)
        case Address(region, offset):
            terms = tuple((factor, _handed_over(call, value, name, passed)) for factor, value in offset.terms)
            return Address(region, replace(offset, terms=terms))
        case Record(parts):
            return Record(tuple(passed_on(call, part, f"{name}.{n}", passed) for n, part in enumerate(parts)))
        case value:
            return _handed_over(call, value, name, passed)


def _handed_over(call: Call, value: Value, name: str, passed: list[str]) -> Value:
    if isinstance(value, Const):
        return value
    own = unused(name, passed)
    call.emit(ir.Store(call.machine.world.passed(own, value.type, call.machine.span(call.state)), value, ir.PLAIN))
    passed.append(own)
    return _register(own, value.type)


def _register(name: str, type_: IntType) -> Reg:
    return Reg(f"%{name}", type_)


def take(machine: Machine, passed: Iterable[str]) -> None:
    """Have a thread begin with loading what was passed to it."""
    for name in passed:
        made = machine.world.objects[name]
        load = ir.Load(_register(name, made.type).name, ir.Place(name, Const(0, INT)), ir.PLAIN)
        machine.builder.emit(load, made.span)


def cells_at(call: Call, address: Address, size: int) -> Iterator[tuple[int, Cell]]:
    """The cells of so many bytes at an address, by their distance from it; what threads share is read."""
    cells = call.state.cells
    if address.offset.terms:
        publish(call.machine, call.state, address)
    if isinstance(address.region, Memory):
        copy_bytes(call.machine, call.state, Address(_COPY), address, size)
        address = Address(_COPY)
    at = address.offset.constant
    found = [(key, cell) for key, cell in cells.items() if key[0] == address.region and at <= key[1] < at + size]
    for key, cell in found:
        if key[0] == _COPY:
            del cells[key]
        yield key[1] - at, cell
