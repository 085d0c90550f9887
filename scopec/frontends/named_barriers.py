"""Checks that threads which may meet at a named barrier agree on its count and kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.program import ir
from scopec.program.values import Const, Value

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_counts(threads: Iterable[tuple[str, ir.Body]]) -> None:
    """Raise InputError unless threads, each with its block, that may meet at a barrier give it one count, or none.

    "Different warps may execute different forms of the barrier{.cta} instruction using the same barrier name and thread
    count" (PTX ISA, "bar"); what different counts mean it does not say.  Nor may one that votes be mixed with others:
    "Execution in this case is unpredictable".
    """
    seen: set[tuple[str, ir.NamedBarrier]] = set()
    for here, body in threads:
        for node in body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.NamedBarrier):
                mine = node.operation
                if (here, mine) in seen:
                    continue
                for block, its in seen:
                    apart = block != here or any(map(_differ, mine.name, its.name))
                    if not apart and _function(mine) != _function(its):
                        message = "a barrier at which threads vote is used without that vote too"
                        raise error(Code.OUTSIDE_SUBSET, message, node.span, "use another barrier for the vote")
                    if not apart and _differ(mine.count, its.count):
                        message = "threads that may meet at a barrier give it different counts"
                        raise error(Code.OUTSIDE_SUBSET, message, node.span, "write the same count everywhere")
                seen.add((here, mine))


def _function(barrier: ir.NamedBarrier) -> str | None:
    return None if barrier.vote is None else barrier.vote.function


def _differ(one: Value | None, other: Value | None) -> bool:
    """Whether two values are surely different."""
    if isinstance(one, Const) and isinstance(other, Const):
        return one.value != other.value
    return (one is None) != (other is None)
