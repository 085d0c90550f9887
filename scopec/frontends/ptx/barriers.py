"""The variables of a PTX file that hold mbarriers: compilers declare arrays of them as bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.ptx.forms import Element, Instruction, Name, Offset, Pair, Vector, instructions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.frontends.ptx.forms import Module, Operand

#: Instructions that read memory, or write it: what is in a register behind them is no address that they are given.
_ACCESSES = ("ld", "ldu", "st", "atom", "red", "mbarrier", "cp", "call")


def with_mbarriers(module: Module) -> frozenset[str]:
    """The names that the addresses of mbarriers are made of, as the text of each function goes."""
    found = set[str]()
    for function in module.functions:
        made_of: dict[str, set[str]] = {}
        for item in instructions(function.body):
            for name in _mbarrier(item):
                found |= made_of.get(name, {name})
            if item.operation[0] not in _ACCESSES and item.operands:
                target, *given = item.operands
                names = [name for operand in given for name in _names(operand)]
                made = set[str]().union(*(made_of.get(name, {name}) for name in names))
                made_of.update((register, made) for register in _names(target))
    return frozenset(found)


def _mbarrier(item: Instruction) -> Iterator[str]:
    """The name in the address of an mbarrier."""
    addresses = [operand.name for operand in item.operands if isinstance(operand, Element)]
    if item.operation[0] == "mbarrier" or item.operation[:3] == ("cp", "async", "mbarrier"):
        yield from addresses
    elif item.operation[:3] == ("cp", "async", "bulk") and len(addresses) > 2:
        yield addresses[2]


def _names(operand: Operand) -> Iterator[str]:
    match operand:
        case Name(_, name) | Offset(_, name, _) | Element(_, name, _):
            yield name
        case Pair(_, first, second):
            yield from (first, second)
        case Vector(_, items):
            for item in items:
                yield from _names(item)
        case _:
            return
