"""Points-to sets of pointers in memory: the addresses that some operation of the program stores there.

The sets are empty at first; each run of the machine uses those found so far and may add to them, until none grows.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from scopec.frontends.clang.llvm.numbers import arithmetic, number
from scopec.program import ir
from scopec.program.effects import overwritten, place_of
from scopec.program.values import Binary, Choose, Const, Convert, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The numbers of addresses, None for any.
Among: TypeAlias = frozenset[int] | None
#: The stores to an element of an object, or with None to one that is not known.
Written: TypeAlias = dict[tuple[str, int | None], Among]

#: Stands for all pointers to what has no number (:func:`elsewhere`).
ELSEWHERE = 1 << 62

_NONE: frozenset[int] = frozenset()
_POINTER_BITS = 64


def elsewhere(value: Value) -> Value:
    """The number of a pointer to what has none, from its address, and the address from the number.

    No object lies at an address that differs in this bit from one of the numbers of pointers, which are small.
    """
    return arithmetic("xor", value, number(ELSEWHERE, 64))


def either(*sets: Among) -> Among:
    """The union of these."""
    known = [one for one in sets if one is not None]
    return None if len(known) < len(sets) else _NONE.union(*known)


def held(written: Written, object_: ir.Object, index: Value) -> Among:
    """The values that a read of an element may find; memory without an initial value has 0."""
    if isinstance(index, Const) and 0 <= index.value < len(object_.values):
        initial: Among = frozenset([object_.values[index.value] or 0])
        return either(initial, *(written.get((object_.name, at), _NONE) for at in (index.value, None)))
    found = (among for (name, _), among in written.items() if name == object_.name)
    return either(frozenset(value or 0 for value in object_.values), *found)


def grown(written: Written, bodies: Iterable[ir.Body], objects: Mapping[str, ir.Object]) -> Written:
    """The addresses that are written, with those that threads write that go through these graphs."""
    flows = [_Flow(body, objects) for body in bodies]
    while True:
        after = dict(written)
        for flow in flows:
            flow.add_to(after)
        if after == written:
            return written
        written = after


class _Flow:
    """One thread: what it writes to memory that may hold a pointer, and where that is from."""

    def __init__(self, body: ir.Body, objects: Mapping[str, ir.Object]) -> None:
        self._entry, self._objects = body.entry, objects
        self._does = {number: node.operation for number, node in body.nodes.items() if isinstance(node, ir.Do)}
        self._before: dict[int, list[int]] = defaultdict(list)
        for at, node in body.nodes.items():
            for after in ir.successors(node):
                self._before[after].append(at)
        found = ((number, self._written(operation)) for number, operation in self._does.items())
        self._writes = [(number, *write) for number, write in found if write is not None]
        self._set: dict[tuple[int, str], list[int | None]] = {}

    def _written(self, operation: ir.Operation) -> tuple[ir.Place, Value | None] | None:
        place = place_of(operation)
        if place is None or self._objects[place.object].type.bits != _POINTER_BITS:
            return None
        match operation:
            case ir.Load() | ir.BarrierTest() | ir.BarrierWait() | ir.Notify() | ir.Await(new=None):
                return None
            case ir.Store(value=value) | ir.Rmw(new=value) | ir.CompareExchange(desired=value) | ir.Await(new=value):
                return place, value
            case _:
                return place, None

    def add_to(self, written: Written) -> None:
        """Add what it writes when it reads what is written so far."""
        for at, place, value in self._writes:
            element = place.object, place.index.value if isinstance(place.index, Const) else None
            among = None if value is None else self._among(value, at, written, set())
            written[element] = either(written.get(element, _NONE), among)

    def _among(self, value: Value, at: int, written: Written, seen: set[tuple[int, str]]) -> Among:
        """The addresses that a value may be in an operation."""
        match value:
            case Const(found):
                return frozenset([found])
            case Choose(_, then, otherwise):
                return either(*(self._among(side, at, written, seen) for side in (then, otherwise)))
            case Convert(inner) if inner.type.bits == value.type.bits:
                return self._among(inner, at, written, seen)
            case Binary("^", _, Const(found)) if found == ELSEWHERE:
                return frozenset([ELSEWHERE])
            case Reg(name):
                if (at, name) in seen:
                    return _NONE
                seen.add((at, name))
                operation = self._does.get(at)
                if isinstance(operation, (ir.Rmw, ir.Await)) and operation.target == name:  # what it has just found
                    return self._set_at(at, name, written, seen)
                reaching = self._reaching(name, at)
                return (
                    None
                    if None in reaching
                    else either(*(self._set_at(n, name, written, seen) for n in reaching if n is not None))
                )
            case _:
                return None

    def _set_at(self, at: int, name: str, written: Written, seen: set[tuple[int, str]]) -> Among:
        match self._does[at]:
            case ir.Set(_, value):
                return self._among(value, at, written, seen)
            case (
                ir.Load(target, place)
                | ir.Rmw(target, place)
                | ir.Await(target, place)
                | ir.CompareExchange(target, _, place)
            ) if target == name:
                return held(written, self._objects[place.object], place.index)
            case _:
                return None

    def _reaching(self, name: str, at: int) -> list[int | None]:
        """The operations from which a register may have its value before another one; None for before all."""
        if (at, name) not in self._set:
            found: list[int | None] = []
            passed, work = {at}, [at]
            while work:
                here = work.pop()
                if here == self._entry:
                    found.append(None)
                for before in self._before[here]:
                    if before in self._does and name in overwritten(self._does[before]):
                        found.append(before)
                    elif before not in passed:
                        passed.add(before)
                        work.append(before)
            self._set[at, name] = found
        return self._set[at, name]
