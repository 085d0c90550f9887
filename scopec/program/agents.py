"""Asynchronous copies in a program (PTX ISA, "Asynchronous Operations")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.program.program import Program


def first_agent(program: Program) -> Span | None:
    """The place of an asynchronous copy, or of a wait for some; None without."""
    for thread in program.threads:
        for node in thread.body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Agent | ir.AwaitCopies):
                return node.span
    return None
