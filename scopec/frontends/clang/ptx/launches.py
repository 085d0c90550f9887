"""The kernels of a file of PTX with their parameters, so that a launch can be guessed for each.

A parameter of 64 bits may be a pointer or a number.  It is a pointer if the file says so (``.ptr``, ``cvta``), or if an
access adds nothing but sums to it; what its elements are, the accesses say.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.clang.kernels import Kernel, Parameter
from scopec.frontends.clang.shapes import Shape
from scopec.frontends.ptx import forms, table
from scopec.frontends.ptx.names import kernels
from scopec.frontends.ptx.syntax import read_module

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source

#: The instructions whose results are addresses where an operand is one; of ``mad`` that is the last operand.
_SUMS = frozenset({"mov", "cvta", "add", "sub", "selp", "mad"})
#: The instructions whose results are copies of an operand.
_COPIES = frozenset({"mov", "cvta", "cvt", "ld"})
#: The state spaces in which a pointer of the host's is no address.
_OWN_SPACES = ("param", "shared", "local", "const")
_INTEGERS = {8: "unsigned char", 16: "unsigned short", 32: "int", 64: "long long", 128: "unsigned __int128"}
_REAL = {32: "float", 64: "double"}
_NUMBERED = re.compile(r".*_param_(\d+)")
#: The bytes at one address of which ``cp.async`` copies at most.
_COPIED = (table.Type("b", 32), 4)


def ptx_kernels(source: Source) -> tuple[Kernel, ...]:
    """The kernels of a file of PTX.  Raises InputError where it is none."""
    module = read_module(source)
    dynamic = any(item.external and "shared" in item.words for item in module.objects)
    called = _names(*(function for function in module.functions if not function.entry))
    return tuple(_kernel(name, entry, called, dynamic=dynamic) for name, entry in kernels(module).items())


def _names(*functions: forms.Function) -> set[str]:
    """The registers that functions name."""
    operands = (operand for one in functions for code in forms.instructions(one.body) for operand in code.operands)
    return {operand.name for operand in operands if isinstance(operand, forms.Name)}


def _axes(register: str, names: set[str]) -> str:
    """The axes of a special register that are named."""
    return "".join(axis for axis in "xyz" if {register, f"{register}.{axis}"} & names)


def _kernel(name: str, entry: forms.Function, called: set[str], *, dynamic: bool) -> Kernel:
    flow = _Flow.of(entry)
    limits = (entry.limits.get(word) for word in ("reqntid", "maxntid"))
    blocks = tuple(f"dim3({', '.join(map(str, limit))})" for limit in limits if limit)
    pointers, numbers = flow.pointers(entry), list[Parameter]()
    for n, item in enumerate(entry.parameters):
        numbers.append(_parameter(n, item, flow.elements(n) if n in pointers else None))
    factors = frozenset(numbers[n].name for n in flow.factors)
    names = called | _names(entry)
    threads, grid = _axes("%tid", names) or "x", _axes("%ctaid", names)
    shape = Shape(threads, grid, blocks, dynamic=dynamic, factors=factors, counts=bool(blocks))
    return Kernel(name, entry.span, tuple(numbers), shape, entry.name)


def _parameter(number: int, item: forms.Object, pointee: str | None) -> Parameter:
    (name, count), (type_, *_) = item.names[0], table.types(item.words)
    if _NUMBERED.fullmatch(name) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        name = f"p{number}"
    if count is not None:
        return Parameter(name, "other", "")
    if pointee is not None:
        return Parameter(name, "pointer", pointee)
    real = type_.kind == "f" and type_.bits in _REAL
    return Parameter(name, "number", _REAL[type_.bits] if real else _INTEGERS[type_.bits])


@dataclass(frozen=True, slots=True)
class _Flow:
    """What a kernel does with its parameters, by their numbers.

    ``accesses`` are types and counts of elements, with the parameters that may be their pointers; ``global_`` are those
    made addresses of global memory, ``factors`` those that it multiplies with.
    """

    accesses: tuple[tuple[frozenset[int], table.Type, int], ...]
    global_: frozenset[int]
    factors: frozenset[int]

    @classmethod
    def of(cls, entry: forms.Function) -> _Flow:
        """What the instructions of a kernel do, in whatever order."""
        code = list(forms.instructions(entry.body))
        numbers = {item.names[0][0]: n for n, item in enumerate(entry.parameters)}
        sums, copies = _reached(code, numbers, _SUMS), _reached(code, numbers, _COPIES)
        accesses, global_, factors = list[tuple[frozenset[int], table.Type, int]](), set[int](), set[int]()
        for one in code:
            if one.operation[0] == "cvta":
                global_ |= _of(one.operands[1:], sums)
            elif one.operation[0] in ("mul", "mad", "shl"):
                factors |= _of(one.operands[1:3], copies)
            for type_, count, place in _accesses(one):
                if found := sums.get(place):
                    accesses.append((frozenset(found), type_, count))
        return cls(tuple(accesses), frozenset(global_), frozenset(factors))

    def pointers(self, entry: forms.Function) -> set[int]:
        """The parameters that are pointers."""
        said = {n for n, item in enumerate(entry.parameters) if "ptr" in item.words} | self.global_
        for found, _, _ in self.accesses:
            said |= set() if found & said else found
        return said

    def elements(self, parameter: int) -> str:
        """The type of the elements of a pointer: as narrow as the narrowest access, as aligned as the widest."""
        types = [(type_, count) for found, type_, count in self.accesses if parameter in found]
        if not types:
            return "int"
        bits = min(type_.bits for type_, _ in types)
        real = bits in _REAL and any(type_.kind == "f" for type_, _ in types if type_.bits == bits)
        widest = max(type_.bits * count for type_, count in types)
        aligned = f"__align__({widest // 8}) " if widest > bits else ""
        return aligned + (_REAL[bits] if real else _INTEGERS[bits])


def _reached(code: list[forms.Instruction], numbers: dict[str, int], through: frozenset[str]) -> dict[str, set[int]]:
    """The parameters whose values reach each register through some instructions."""
    found: dict[str, set[int]] = defaultdict(set)
    before = -1
    while (size := sum(map(len, found.values()))) > before:
        before = size
        for one in code:
            opcode, (to, *given) = one.operation[0], one.operands or (None,)
            if not isinstance(to, forms.Name):
                continue
            if opcode == "ld" and table.space(one.operation) == "param":
                places = (at.name for at in given if isinstance(at, forms.Element))
                found[to.name] |= {numbers[place] for place in places if place in numbers}
            elif opcode in through:
                found[to.name] |= _of(given[-1:] if opcode == "mad" else given, found)
    return found


def _of(operands: tuple[forms.Operand, ...] | list[forms.Operand], found: dict[str, set[int]]) -> set[int]:
    """The parameters that reach operands."""
    names = (operand.name for operand in operands if isinstance(operand, forms.Name))
    return set().union(*(found.get(name, ()) for name in names))


def _accesses(one: forms.Instruction) -> Iterator[tuple[table.Type, int, str]]:
    """The accesses that an instruction makes of memory that others have too: type, count, and the name of the place."""
    if one.operation[0] in table.ACCESSES and table.space(one.operation) not in _OWN_SPACES:
        for type_ in table.types(one.operation)[:1]:
            places = (operand.name for operand in one.operands if isinstance(operand, forms.Element))
            yield from ((type_, table.count(one), place) for place in places)
    elif one.operation[:2] == ("cp", "async"):
        yield from ((*_COPIED, operand.name) for operand in one.operands[1:2] if isinstance(operand, forms.Element))
