"""Reader of the program of a PTX litmus file: rows of instructions to columns of threads."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.lalr import Token
from scopec.base.source import Span
from scopec.frontends.litmus.syntax.tree import Coordinate, PtxThread
from scopec.frontends.parse import number, parse
from scopec.frontends.ptx import syntax
from scopec.frontends.ptx.forms import Instruction, Label, Predicate

if TYPE_CHECKING:
    from scopec.base.lalr import Node
    from scopec.base.source import Source

_Cell = tuple[Label | Instruction, ...]
_Head = tuple[Span, str, tuple[Coordinate, ...]]


def read(source: Source, text: str) -> tuple[PtxThread, ...]:
    """The threads of a program; InputError at the first place that is not in the language."""
    if not text.strip():
        return ()
    threads: tuple[PtxThread, ...] = parse("ptx", "program", text, _Builder(source))
    return threads


class _Builder(syntax.Builder):
    def program(self, node: Node, heads: list[_Head], *rows: tuple[Span, tuple[_Cell, ...]]) -> tuple[PtxThread, ...]:
        code: list[list[Label | Instruction]] = [[] for _ in heads]
        for span, row in rows:
            for column, cell in enumerate(row):
                if column < len(heads):
                    code[column] += cell
                elif cell or span.line != span.end_line:  # an empty column at the end of a line does no harm
                    message = f"this is column {column + 1}, and there are {len(heads)} threads"
                    help_ = "name the thread in the first row, or end the row before with `;`"
                    raise error(Code.SYNTAX, message, cell[0].span if cell else span, help_)
        return tuple(
            PtxThread(span, name, place, tuple(column)) for (span, name, place), column in zip(heads, code, strict=True)
        )

    def heads(self, node: Node, *heads: _Head) -> list[_Head]:
        return list(heads)

    def head(self, node: Node, name: Token, *place: Coordinate) -> _Head:
        return self.token(name), str(name), place

    def coordinate(self, node: Node, level: Token, value: Token) -> Coordinate:
        return Coordinate(self.at(node), str(level), number(self, value))

    def row(self, node: Node, *cells: _Cell) -> tuple[Span, tuple[_Cell, ...]]:
        return self.at(node), cells

    def cell(self, node: Node, *items: Label | Predicate | Instruction) -> _Cell:
        found: list[Label | Instruction] = []
        guard: Predicate | None = None
        for item in items:
            if isinstance(item, Predicate):
                guard = item
            else:
                found.append(replace(item, guard=guard) if isinstance(item, Instruction) else item)
        return tuple(found)
