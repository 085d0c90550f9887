"""Reader of PTX: text to instructions."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.base import syntax as base
from scopec.base.lalr import Token
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
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.lalr import Node
    from scopec.base.source import Source


#: The words before a name without their dots, and the alignment.
_Words: TypeAlias = "tuple[tuple[str, ...], int]"
_LINE = re.compile(r"[^\n]")
#: Debug information.
_SECTION = re.compile(r"^[ \t]*\.section\s[^{]*\{[^}]*\}", re.MULTILINE)

#: Inline assembly in what LLVM makes of another language, and the places in it: LLVM counts the lines of the assembly
#: on from that of the statement, which the place before it names.
_INLINE = re.compile(r"// begin inline asm\n.*?// end inline asm", re.DOTALL)
_PLACE = re.compile(r"^[ \t]*\.loc\b[^\n]*", re.MULTILINE)


def read_module(source: Source) -> Module:
    """The content of a file; InputError at the first place that is not in the language."""
    text = _SECTION.sub(_spaces, source.text)
    text = _INLINE.sub(lambda match: _PLACE.sub(_spaces, match.group()), text)
    found: Module = parse.parse("ptx", "module", text, Builder(source))
    return found


def _spaces(match: re.Match[str]) -> str:
    """Spaces in place of a text, on as many lines."""
    return _LINE.sub(" ", match.group())


def read(source: Source) -> Block:
    """The statements of inline assembly; InputError at the first place that is not in the language."""
    found: Block = parse.parse("ptx", "assembly", source.text, Builder(source))
    return found


class Builder(base.Builder):
    """Lark tree to syntax tree: the rules that inline assembly and litmus files have in common, and the former's."""

    # ---- inline assembly

    def assembly(self, node: Node, *items: Statement | None) -> Block:
        return Block(self.at(node), tuple(item for item in items if item is not None))

    block = assembly

    def nothing(self, node: Node, *_: Token) -> None:
        return None

    def guarded(self, node: Node, *items: Predicate | Instruction) -> Instruction:
        *guard, instruction = items
        assert isinstance(instruction, Instruction)
        return replace(instruction, guard=guard[0]) if guard else instruction  # type: ignore[arg-type]

    def declaration(self, node: Node, _: Token, type_: Token, *names: tuple[str, ...]) -> Declaration:
        return Declaration(self.at(node), type_[1:], tuple(name for some in names for name in some))

    def variable(self, node: Node, name: Token, count: Token | None) -> tuple[str, ...]:
        """``r<3>`` declares r0, r1 and r2 (PTX ISA, "Parameterized Variable Names")."""
        return (str(name),) if count is None else tuple(f"{name}{n}" for n in range(number(self, count)))

    def pair(self, node: Node, first: Token, second: Token) -> Pair:
        return Pair(self.at(node), str(first), str(second))

    def negated(self, node: Node, _: Token, name: Token) -> Negated:
        return Negated(self.at(node), str(name))

    def vector(self, node: Node, *items: Operand) -> Vector:
        return Vector(self.at(node), items)

    def offset(self, node: Node, name: Token, distance: Constant) -> Offset:
        return Offset(self.at(node), str(name), constants.integer(distance))

    def coordinates(self, node: Node, name: Token, *others: Operand) -> Arguments:
        return Arguments(self.at(node), (Name(self.token(name), str(name)), *others))

    def arguments(self, node: Node, *items: Operand | None) -> Arguments:
        return Arguments(self.at(node), tuple(item for item in items if item is not None))

    def object(self, node: Node, linkage: Token | None, words: _Words, *rest: Any) -> Object:
        *names, value = rest
        return Object(self.at(node), words[0], tuple(names), words[1], value, external=linkage == ".extern")

    def named(self, node: Node, name: Token, count: int | None = None) -> tuple[str, int | None]:
        return str(name), count

    def words(self, node: Node, *tokens: Token) -> _Words:
        """The words, the alignment."""
        aligned = [number(self, token) for token in tokens if token.type == "INT"]
        return tuple(token[1:] for token in tokens if token.type == "TYPE"), aligned[0] if aligned else 0

    def length(self, node: Node, *counts: Constant | None) -> int:
        return prod(0 if count is None else constants.integer(count) for count in counts)

    def address(self, node: Node, name: Token, distance: Constant | None) -> Element:
        return self.element(node, name, distance)

    def generic(self, node: Node, _: Token, address: Operand, distance: Constant | None) -> Operand:
        if distance is None or not isinstance(address, Element):
            return address
        return replace(address, offset=address.offset + constants.integer(distance))

    def location(self, node: Node, _: Token, *parts: Token | None) -> Location:
        file, line, column, *around = [number(self, t) for t in parts if t is not None and t.type == "INT"]
        return Location(self.at(node), (file, line, column), (around[-3], around[-2], around[-1]) if around else None)

    def prototype(
        self, node: Node, name: Token, _: Token, results: tuple[Object, ...] | None, __: Token,
        parameters: tuple[Object, ...] | None,
    ) -> Prototype:  # fmt: skip
        return Prototype(self.at(node), str(name), results or (), parameters or ())

    def targets(self, node: Node, name: Token, _: Token, *labels: Token) -> Targets:
        return Targets(self.at(node), str(name), tuple(map(str, labels)))

    # ---- a file

    def module(self, node: Node, *parts: Function | Object | File | None) -> Module:
        functions = {part.name: part for part in parts if isinstance(part, Function) and part.body is not None}
        objects = tuple(part for part in parts if isinstance(part, Object))
        return Module(tuple(functions.values()), objects, tuple(part for part in parts if isinstance(part, File)))

    def file(self, node: Node, _: Token, which: Token, name: Token, *__: Token) -> File:
        return File(self.at(node), number(self, which), name[1:-1])

    def function(
        self, node: Node, _: Token | None, kind: Token, results: tuple[Object, ...] | None, name: Token,
        parameters: tuple[Object, ...] | None, limits: Mapping[str, tuple[int, ...]], body: Block | None = None,
    ) -> Function:  # fmt: skip
        return Function(self.token(name), str(name), kind == ".entry", results or (), parameters or (), body, limits)

    def parameters(self, node: Node, *items: Object | None) -> tuple[Object, ...]:
        return tuple(item for item in items if item is not None)

    def parameter(self, node: Node, words: _Words, named: tuple[str, int | None]) -> Object:
        return Object(self.at(node), words[0], (named,), words[1])

    def limits(self, node: Node, *items: tuple[str, tuple[int, ...]]) -> Mapping[str, tuple[int, ...]]:
        return MappingProxyType(dict(items))

    def limit(self, node: Node, name: Token, *numbers: Token | None) -> tuple[str, tuple[int, ...]]:
        return name[1:], tuple(number(self, one) for one in numbers if one is not None)

    # ---- both

    def guard(self, node: Node, *tokens: Token) -> Predicate:
        return Predicate(self.at(node), str(tokens[-1]), truth=tokens[0].type != "NOT")

    def label(self, node: Node, name: Token) -> Label:
        return Label(self.token(name), str(name))

    def instruction(self, node: Node, operation: Token, operands: list[Operand] | None) -> Instruction:
        return Instruction(self.at(node), tuple(operation.split(".")), tuple(operands or ()))

    def operation(self, node: Node, token: Token) -> Token:
        return token

    def operands(self, node: Node, *operands: Operand) -> list[Operand]:
        return list(operands)

    def name(self, node: Node, token: Token) -> Name:
        return Name(self.token(token), str(token))

    def element(self, node: Node, name: Token, distance: Constant | None, _: Token | None = None) -> Element:
        return Element(self.at(node), str(name), 0 if distance is None else constants.integer(distance))

    def before(self, node: Node, name: Token, _: Token, distance: Constant, __: Token | None = None) -> Element:
        return Element(self.at(node), str(name), -constants.integer(distance))

    def absolute(self, node: Node, address: Constant, _: Token | None = None) -> Element:
        return Element(self.at(node), "", constants.integer(address))

    def indexed(self, node: Node, name: Token, first: Token | Constant, more: Constant | None = None) -> Indexed:
        register, number_ = (str(first), more) if isinstance(first, Token) else (None, first)
        return Indexed(self.at(node), str(name), register, 0 if number_ is None else constants.integer(number_))

    # ---- constant expressions

    def number(self, node: Node, token: Token) -> Number:
        value = number(self, token)
        return Number(self.at(node), value, unsigned=token.endswith("U") or value >= 1 << 63)

    def real(self, node: Node, token: Token) -> Real:
        return Real(self.at(node), constants.real(token))

    def lanes(self, node: Node, _: Token) -> Number:
        return Number(self.at(node), WARP)

    def signed(self, node: Node, operator: Token, operand: Constant) -> Constant:
        return constants.unary(self.at(node), str(operator), operand)

    def cast(self, node: Node, type_: Token, operand: Constant) -> Constant:
        return constants.cast(self.at(node), type_[1:], operand)

    def binary(self, node: Node, left: Constant, operator: Token, right: Constant) -> Constant:
        return constants.binary(self.at(node), str(operator), left, right)

    def chosen(self, node: Node, which: Constant, _: Token, then: Constant, __: Token, other: Constant) -> Constant:
        return constants.chosen(self.at(node), which, then, other)
