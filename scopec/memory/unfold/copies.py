"""Asynchronous copies: agents, their issue, and the waits that find them complete.

An agent is a thread of its own.  What its thread did before the issue comes before its accesses, and these come before
what follows a wait that finds the copy complete.  Nothing leads through it: the completion "does not transitively
establish ordering with respect to prior instructions from the issuing thread" (PTX ISA, "Asynchronous Operations").
Groups are counted: behind ``wait_group N`` the copies of all but the thread's latest N groups are complete.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.memory.events.events import Kind, Synchronises
from scopec.program import ir, types, values
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Span
    from scopec.memory.unfold.accesses import Accesses
    from scopec.memory.unfold.unfolding import State, Unfolding
    from scopec.program.values import Value

#: The register that counts the groups that a thread has committed.
_GROUPS = "%groups"


def counters(body: ir.Body) -> dict[str, Value]:
    """The registers that a thread with copies begins with."""
    of_copies = ir.Agent | ir.CommitCopies | ir.AwaitCopies
    found = any(isinstance(node, ir.Do) and isinstance(node.operation, of_copies) for node in body.nodes.values())
    return {_GROUPS: Const(0, types.INT)} if found else {}


def perform(run: Accesses, state: State, operation: ir.Agent | ir.CommitCopies | ir.AwaitCopies, span: Span) -> State:
    """The state after an operation: the accesses that follow are a copy's, a group is full, or copies are complete."""
    groups = state.registers[_GROUPS]
    match operation:
        case ir.Agent(begins=True):
            issue = run.event(state, run.blank(state, Kind.ISSUE, span, "issue copy"))
            run.out.copies[issue.id] = groups
            return replace(state, agent=issue.id)
        case ir.Agent():
            return replace(state, agent="")
        case ir.CommitCopies():
            return run.set(state, _GROUPS, values.binary("+", groups, Const(1, types.INT)))
        case ir.AwaitCopies(left):
            wait = run.event(state, run.blank(state, Kind.COMPLETE, span, "wait for copies"))
            known = values.binary("-", groups, values.convert(run.value(state, left, span), types.INT))
            own = [e.id for e in run.out.events if e.kind is Kind.ISSUE and e.thread == run.thread.name]
            run.out.completed[wait.id] = tuple((copy, values.binary("<", run.out.copies[copy], known)) for copy in own)
            return state


def done(out: Unfolding) -> Iterator[Synchronises]:
    """The accesses of copies, before the returns of waits that find these complete."""
    accesses: dict[str, list[str]] = {}
    for event in out.events:
        if event.agent:
            accesses.setdefault(event.agent, []).append(event.id)
    there = {event.id for event in out.events}
    for wait, found in out.completed.items():
        for copy, when in found if wait in there else ():
            if copy in accesses and when != values.FALSE:
                known = None if isinstance(when, Const) else when
                yield Synchronises(tuple(accesses[copy]), (wait,), "completion of a copy", known)
