"""Reader of PTX: text to instructions."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from lark import Token

from scopec.base import syntax as base
from scopec.frontends import parse
from scopec.frontends.parse import number
from scopec.frontends.ptx import constants
from scopec.frontends.ptx.constants import Constant
from scopec.frontends.ptx.forms import (
    Arguments,
    Block,
    Declaration,
    Element,
    File,
    Function,
    Indexed,
    Instruction,
    Label,
    Location,
    Module,
    Name,
    Negated,
    Number,
    Object,
    Offset,
    Operand,
    Pair,
    Predicate,
    Prototype,
    Real,
    Statement,
    Targets,
    Vector,
)
from scopec.frontends.ptx.table import WARP_SIZE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lark.tree import Meta

    from scopec.base.source import Source


#: The words before a name without their dots, and the alignment.
_Words: TypeAlias = "tuple[tuple[str, ...], int]"
_LINE = re.compile(r"[^\n]")
#: Debug information.
_SECTION = re.compile(r"^[ \t]*\.section\s[^{]*\{[^}]*\}", re.MULTILINE)


def read_module(source: Source) -> Module:
    """What a file has; InputError at the first place that is not in the language."""
    text = _SECTION.sub(lambda match: _LINE.sub(" ", match.group()), source.text)
    found: Module = parse.parse("ptx", "module", text, Builder(source))
    return found


def read(source: Source) -> Block:
    """The statements of inline assembly; InputError at the first place that is not in the language."""
    found: Block = parse.parse("ptx", "assembly", source.text, Builder(source))
    return found


class Builder(base.Builder):
    """Lark tree to syntax tree: the rules that inline assembly and litmus files have in common, and the former's."""

    # ---- inline assembly

    def assembly(self, meta: Meta, *items: Statement | None) -> Block:
        return Block(self.at(meta), tuple(item for item in items if item is not None))

    block = assembly

    def nothing(self, meta: Meta, *_: Token) -> None:
        return None

    def guarded(self, meta: Meta, *items: Predicate | Instruction) -> Instruction:
        *guard, instruction = items
        assert isinstance(instruction, Instruction)
        return replace(instruction, guard=guard[0]) if guard else instruction  # type: ignore[arg-type]

    def declaration(self, meta: Meta, _: Token, type_: Token, *names: tuple[str, ...]) -> Declaration:
        return Declaration(self.at(meta), type_[1:], tuple(name for some in names for name in some))

    def variable(self, meta: Meta, name: Token, count: Token | None) -> tuple[str, ...]:
        """``r<3>`` declares r0, r1 and r2 (PTX ISA, "Parameterized Variable Names")."""
        return (str(name),) if count is None else tuple(f"{name}{n}" for n in range(number(self, count)))

    def pair(self, meta: Meta, first: Token, second: Token) -> Pair:
        return Pair(self.at(meta), str(first), str(second))

    def negated(self, meta: Meta, _: Token, name: Token) -> Negated:
        return Negated(self.at(meta), str(name))

    def vector(self, meta: Meta, *items: Operand) -> Vector:
        return Vector(self.at(meta), items)

    def offset(self, meta: Meta, name: Token, distance: Constant) -> Offset:
        return Offset(self.at(meta), str(name), constants.integer(distance))

    def coordinates(self, meta: Meta, name: Token, *others: Operand) -> Arguments:
        return Arguments(self.at(meta), (Name(self.token(name), str(name)), *others))

    def arguments(self, meta: Meta, *items: Operand | None) -> Arguments:
        return Arguments(self.at(meta), tuple(item for item in items if item is not None))

    def object(self, meta: Meta, linkage: Token | None, words: _Words, *rest: Any) -> Object:
        *names, value = rest
        return Object(self.at(meta), words[0], tuple(names), words[1], value, external=linkage == ".extern")

    def named(self, meta: Meta, name: Token, count: int | None = None) -> tuple[str, int | None]:
        return str(name), count

    def words(self, meta: Meta, *tokens: Token) -> _Words:
        """The words, the alignment."""
        aligned = [number(self, token) for token in tokens if token.type == "INT"]
        return tuple(token[1:] for token in tokens if token.type == "TYPE"), aligned[0] if aligned else 0

    def length(self, meta: Meta, *counts: Constant | None) -> int:
        return prod(0 if count is None else constants.integer(count) for count in counts)

    def address(self, meta: Meta, name: Token, distance: Constant | None) -> Element:
        return self.element(meta, name, distance)

    def generic(self, meta: Meta, _: Token, address: Operand, distance: Constant | None) -> Operand:
        if distance is None or not isinstance(address, Element):
            return address
        return replace(address, offset=address.offset + constants.integer(distance))

    def location(self, meta: Meta, _: Token, *parts: Token | None) -> Location:
        file, line, column, *around = [number(self, t) for t in parts if t is not None and t.type == "INT"]
        return Location(self.at(meta), (file, line, column), (around[-3], around[-2], around[-1]) if around else None)

    def prototype(
        self, meta: Meta, name: Token, _: Token, results: tuple[Object, ...] | None, __: Token,
        parameters: tuple[Object, ...] | None,
    ) -> Prototype:  # fmt: skip
        return Prototype(self.at(meta), str(name), results or (), parameters or ())

    def targets(self, meta: Meta, name: Token, _: Token, *labels: Token) -> Targets:
        return Targets(self.at(meta), str(name), tuple(map(str, labels)))

    # ---- a file

    def module(self, meta: Meta, *parts: Function | Object | File | None) -> Module:
        functions = {part.name: part for part in parts if isinstance(part, Function) and part.body is not None}
        objects = tuple(part for part in parts if isinstance(part, Object))
        return Module(tuple(functions.values()), objects, tuple(part for part in parts if isinstance(part, File)))

    def file(self, meta: Meta, _: Token, which: Token, name: Token, *__: Token) -> File:
        return File(self.at(meta), number(self, which), name[1:-1])

    def function(
        self, meta: Meta, _: Token | None, kind: Token, results: tuple[Object, ...] | None, name: Token,
        parameters: tuple[Object, ...] | None, limits: Mapping[str, tuple[int, ...]], body: Block | None = None,
    ) -> Function:  # fmt: skip
        return Function(self.token(name), str(name), kind == ".entry", results or (), parameters or (), body, limits)

    def parameters(self, meta: Meta, *items: Object | None) -> tuple[Object, ...]:
        return tuple(item for item in items if item is not None)

    def parameter(self, meta: Meta, words: _Words, named: tuple[str, int | None]) -> Object:
        return Object(self.at(meta), words[0], (named,), words[1])

    def limits(self, meta: Meta, *items: tuple[str, tuple[int, ...]]) -> Mapping[str, tuple[int, ...]]:
        return MappingProxyType(dict(items))

    def limit(self, meta: Meta, name: Token, *numbers: Token | None) -> tuple[str, tuple[int, ...]]:
        return name[1:], tuple(number(self, one) for one in numbers if one is not None)

    # ---- both

    def guard(self, meta: Meta, *tokens: Token) -> Predicate:
        return Predicate(self.at(meta), str(tokens[-1]), truth=tokens[0].type != "NOT")

    def label(self, meta: Meta, name: Token) -> Label:
        return Label(self.token(name), str(name))

    def instruction(self, meta: Meta, operation: Token, operands: list[Operand] | None) -> Instruction:
        return Instruction(self.at(meta), tuple(operation.split(".")), tuple(operands or ()))

    def operation(self, meta: Meta, token: Token) -> Token:
        return token

    def operands(self, meta: Meta, *operands: Operand) -> list[Operand]:
        return list(operands)

    def name(self, meta: Meta, token: Token) -> Name:
        return Name(self.token(token), str(token))

    def element(self, meta: Meta, name: Token, distance: Constant | None, _: Token | None = None) -> Element:
        return Element(self.at(meta), str(name), 0 if distance is None else constants.integer(distance))

    def before(self, meta: Meta, name: Token, _: Token, distance: Constant, __: Token | None = None) -> Element:
        return Element(self.at(meta), str(name), -constants.integer(distance))

    def absolute(self, meta: Meta, address: Constant, _: Token | None = None) -> Element:
        return Element(self.at(meta), "", constants.integer(address))

    def indexed(self, meta: Meta, name: Token, first: Token | Constant, more: Constant | None = None) -> Indexed:
        register, number_ = (str(first), more) if isinstance(first, Token) else (None, first)
        return Indexed(self.at(meta), str(name), register, 0 if number_ is None else constants.integer(number_))

    # ---- constant expressions

    def number(self, meta: Meta, token: Token) -> Number:
        value = number(self, token)
        return Number(self.at(meta), value, unsigned=token.endswith("U") or value >= 1 << 63)

    def real(self, meta: Meta, token: Token) -> Real:
        return Real(self.at(meta), constants.real(token))

    def lanes(self, meta: Meta, _: Token) -> Number:
        return Number(self.at(meta), WARP_SIZE)

    def signed(self, meta: Meta, operator: Token, operand: Constant) -> Constant:
        return constants.unary(self.at(meta), str(operator), operand)

    def cast(self, meta: Meta, type_: Token, operand: Constant) -> Constant:
        return constants.cast(self.at(meta), type_[1:], operand)

    def binary(self, meta: Meta, left: Constant, operator: Token, right: Constant) -> Constant:
        return constants.binary(self.at(meta), str(operator), left, right)

    def chosen(self, meta: Meta, which: Constant, _: Token, then: Constant, __: Token, other: Constant) -> Constant:
        return constants.chosen(self.at(meta), which, then, other)
