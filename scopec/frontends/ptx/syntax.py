"""Reader of PTX: text to instructions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lark import Token, v_args

from scopec.frontends import parse
from scopec.frontends.parse import number
from scopec.frontends.ptx.forms import (
    Block,
    Declaration,
    Element,
    Instruction,
    Label,
    Name,
    Negated,
    Number,
    Operand,
    Pair,
    Predicate,
    Real,
    Statement,
    Vector,
)

if TYPE_CHECKING:
    from lark.tree import Meta

    from scopec.base.source import Source


def read(source: Source) -> Block:
    """The statements of inline assembly; InputError at the first place that is not in the language."""
    found: Block = parse.parse("ptx", "assembly", source.text, Builder(source))
    return found


@v_args(meta=True, inline=True)
class Builder(parse.Builder):
    """Lark tree to syntax tree: the rules that inline assembly and litmus files have in common, and the former's."""

    # ---- inline assembly

    def assembly(self, meta: Meta, *items: Statement | None) -> Block:
        return Block(self.at(meta), tuple(item for item in items if item is not None))

    block = assembly

    def nothing(self, meta: Meta) -> None:
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

    def real(self, meta: Meta, _: Token) -> Real:
        return Real(self.at(meta))

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

    def number(self, meta: Meta, *tokens: Token) -> Number:
        return Number(self.at(meta), self._signed(*tokens))

    def element(self, meta: Meta, name: Token, distance: int | None) -> Element:
        return Element(self.at(meta), str(name), distance or 0)

    def distance(self, meta: Meta, *tokens: Token) -> int:
        return self._signed(*tokens)

    def _signed(self, *tokens: Token) -> int:
        value = number(self, tokens[-1])
        return -value if len(tokens) > 1 and tokens[0].type == "MINUS" else value
