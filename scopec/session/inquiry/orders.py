"""Votes in one expression: marks violations that need threads to take them in different orders.

C++ leaves it open in which order the operands of an expression are evaluated ([intro.execution]/10), for each
evaluation anew: nothing makes two threads take two votes in one order, though compilers choose one for all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ScopecError
from scopec.base.graphs import reached
from scopec.program import ir, values
from scopec.session.inquiry.assumptions import ends
from scopec.session.inquiry.verdicts import memory_checks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scopec.base.source import Span
    from scopec.explain.verdict import Check
    from scopec.program.expectations import Expectation
    from scopec.session.inquiry.ask import Inquiry
    from scopec.session.inquiry.findings import Findings
    from scopec.session.inquiry.run import Run

_SECONDS = 5.0
_MEETS = (ir.SyncThreads, ir.GroupSync, ir.NamedBarrier)


def told(run: Run, checks: Sequence[Check], ask: Callable[[Run], Inquiry]) -> list[Check]:
    """The checks; a violated one that no order alone violates, which all threads take, says so."""
    spans = list(dict.fromkeys(span for thread in run.program.threads for span in _open(thread.body).values()))
    concerned = [c for c in checks if c.verdict == "violated"] if spans else []
    if not concerned:
        return list(checks)
    try:
        held = [_holding(run, [c.expectation for c in concerned], ask, first=first) for first in (True, False)]
    except ScopecError:  # a limit, say
        return list(checks)
    lines = sorted({span.line for span in spans})
    said = (
        f"this is so only where threads meet for the operands at line {', '.join(map(str, lines))} in different "
        "orders, which C++ leaves open: give each a statement of its own"
    )
    alone = [c for c in concerned if all(c.expectation in holding for holding in held)]
    return [replace(c, orders=said) if c in alone else c for c in checks]


def _open(body: ir.Body) -> dict[int, Span]:
    """The choices of an order in which threads meet others either way, before the ways come together."""

    def after(number: int) -> tuple[int, ...]:
        return ir.successors(body.nodes[number])

    found = {}
    for number, node in body.nodes.items():
        match node:
            case ir.Do(ir.Decide(what="order"), span, following) if isinstance(
                branch := body.nodes[following], ir.Branch
            ):
                one, other = (reached(way, after) for way in (branch.then, branch.otherwise))
                if all(any(_meets(body.nodes[n]) for n in way) for way in (one - other, other - one)):
                    found[number] = span
            case _:
                pass
    return found


def _meets(node: ir.Node) -> bool:
    return isinstance(node, ir.Do) and isinstance(node.operation, _MEETS)


def _holding(
    run: Run, asked: Sequence[Expectation], ask: Callable[[Run], Inquiry], *, first: bool
) -> list[Expectation]:
    """The formula for executions in which every thread takes the same order."""
    order = values.TRUE if first else values.FALSE

    def fixed(body: ir.Body) -> ir.Body:
        nodes = dict(body.nodes)
        for number in _open(body):
            node = nodes[number]
            assert isinstance(node, ir.Do)
            assert isinstance(node.operation, ir.Decide)
            nodes[number] = replace(node, operation=ir.Set(node.operation.target, order))
        return replace(body, nodes=nodes)

    inquiry = ask(replace(run, program=run.program.with_bodies(fixed), checks=tuple(asked), void=()))
    return list(_answered(inquiry))


def _answered(inquiry: Inquiry) -> Iterator[Expectation]:
    found: Findings | None = None
    if inquiry.run.of_the_model:
        found = inquiry.quickly(inquiry.run.problem, _SECONDS)
        if not found.unanswered:
            yield from (c.expectation for c in memory_checks(inquiry.run, found) if c.verdict == "holds")
    for expectation in inquiry.run.progress_checks:
        if expectation.kind == "terminates" and ends(inquiry, found):
            yield expectation
