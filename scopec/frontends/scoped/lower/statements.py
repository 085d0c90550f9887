"""The bodies of kernels and of main."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.source import Span
from scopec.frontends.c import statements
from scopec.frontends.c.syntax import tree
from scopec.frontends.c.syntax.walk import walk

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.frontends.scoped.lower.operands import Operand
    from scopec.program import ir


def lower_body(frame: Frame, function: tree.Function, parameters: dict[str, Operand]) -> ir.Body:
    """The graph of a kernel, or of main."""
    frame.scopes = [parameters]
    statements.lower(frame, function.body)
    end = function.body.span
    frame.builder.end(Span(end.file, end.end_line, max(1, end.end_column - 1), end.end_line, end.end_column))
    return frame.finish()


def assigned(function: tree.Function) -> frozenset[str]:
    """The names that a function assigns to, steps, or has a compare-exchange change."""
    found: set[str] = set()
    for node in walk(function.body):
        match node:
            case tree.Assign(target=tree.Name(name=name)) | tree.Step(target=tree.Name(name=name)):
                found.add(name)
            case tree.Call(function=tree.Member(name=member), arguments=(tree.Name(name=name), *_)) if (
                member.startswith("compare_exchange")
            ):
                found.add(name)
            case _:
                pass
    return frozenset(found)
