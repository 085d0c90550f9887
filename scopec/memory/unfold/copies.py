"""Asynchronous copies: agents, their issue, and the waits that find them complete.

An agent is a thread of its own.  What its thread did before the issue comes before its accesses, and these come before
what follows a wait that finds the copy complete.  Nothing leads through it: the completion "does not transitively
establish ordering with respect to prior instructions from the issuing thread" (PTX ISA, "Asynchronous Operations").
Groups are counted, those of bulk copies by themselves: behind ``wait_group N`` the copies of all but the thread's
latest N groups are complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.base.records import replace
from scopec.memory.events.events import Kind, Synchronises
from scopec.memory.unfold.unfolding import Completed, Copy
from scopec.program import ir, types, values
from scopec.program.show import show_agent
from scopec.program.values import Const
from scopec.program.warp import WARP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Span
    from scopec.memory.unfold.accesses import Accesses
    from scopec.memory.unfold.unfolding import State, Unfolding
    from scopec.program.values import Value


#: The groups that threads have together, and how many threads do.
_TOGETHER = {
    ir.CopyGroups.MATRIX: 4 * WARP,
    ir.CopyGroups.TENSOR_LOAD: WARP,
    ir.CopyGroups.TENSOR_STORE: WARP,
}


def _counter(groups: ir.CopyGroups) -> str:
    """The register that counts the groups that a thread has committed."""
    return f"%groups {groups.value}"


def counters(body: ir.Body) -> dict[str, Value]:
    """The registers that a thread with copies begins with."""
    found = (node.operation for node in body.nodes.values() if isinstance(node, ir.Do))
    of_copies = (one for one in found if isinstance(one, ir.Agent | ir.CommitCopies | ir.AwaitCopies))
    return {_counter(one.groups): Const(0, types.INT) for one in of_copies if one.groups is not None}


def perform(run: Accesses, state: State, operation: ir.Agent | ir.CommitCopies | ir.AwaitCopies, span: Span) -> State:
    """The state after an operation: the accesses that follow are a copy's, a group is full, or copies are complete."""
    match operation:
        case ir.Agent(True, proxy, groups, follows, pipe):
            earlier = () if follows is None else tuple(_own(run, follows))
            issued = replace(run.blank(state, Kind.ISSUE, span, f"issue {show_agent(operation)}"), pipe=pipe)
            issue = run.event(state, issued)
            number = None if groups is None else state.registers[_counter(groups)]
            run.out.copies[issue.id] = Copy(groups, number, earlier)
            return replace(state, agent=issue.id, proxy=proxy)
        case ir.Agent():
            return replace(state, agent="", proxy=ir.Proxy.GENERIC)
        case ir.CommitCopies(groups):
            name = _counter(groups)
            return run.set(state, name, values.binary("+", state.registers[name], Const(1, types.INT)))
        case ir.AwaitCopies(left, groups, reads):
            wait = run.event(state, run.blank(state, Kind.COMPLETE, span, "wait for copies"))
            less = values.convert(run.value(state, left, span), types.INT)
            known = values.binary("-", state.registers[_counter(groups)], less)
            found = ((copy, run.out.copies[copy].group) for copy in _own(run, groups))
            copies = tuple((copy, values.binary("<", number, known)) for copy, number in found if number is not None)
            until = known if groups in _TOGETHER else None
            run.out.completed[wait.id] = Completed(copies, reads, until, groups)
            return state


def _own(run: Accesses, groups: ir.CopyGroups) -> Iterator[str]:
    """The copies that a thread has issued so far, of those that it has in groups."""
    for event in run.out.events:
        if event.kind is Kind.ISSUE and event.thread == run.thread.name and run.out.copies[event.id].groups is groups:
            yield event.id


def done(out: Unfolding) -> Iterator[Synchronises]:
    """The accesses of copies, before the returns of waits that find these complete."""
    _check_warpgroups(out)
    accesses: dict[str, list[str]] = {}
    reads: dict[str, list[str]] = {}
    for event in out.events:
        if event.agent:
            accesses.setdefault(event.agent, []).append(event.id)
            if event.kind is Kind.READ:
                reads.setdefault(event.agent, []).append(event.id)
    there = {event.id for event in out.events}
    for wait, found in out.completed.items():
        complete = reads if found.reads else accesses
        for copy, when in (*found.copies, *_of_others(out, wait, found)) if wait in there else ():
            if copy in complete and when != values.FALSE:
                known = None if isinstance(when, Const) else when
                yield Synchronises(tuple(complete[copy]), (wait,), "completion of a copy", known)


def _of_others(out: Unfolding, wait: str, found: Completed) -> Iterator[tuple[str, Value]]:
    """What other threads of the warpgroup, or of the warp, issued in groups that a wait finds complete.

    "wgmma.wait_group [...] will cause the executing threads to wait until [...] all the prior wgmma-groups committed by
    the executing threads are complete", and a group is one of the warpgroup; "tcgen05.wait::ld [...] .aligned: all
    threads in the warp must execute the same instruction", as for the loads.  Of groups whose numbers depend on what is
    read nothing is taken for complete.
    """
    if not isinstance(found.until, Const):
        return
    threads = {thread.name: thread for thread in out.program.threads}
    thread_of = {event.id: event.thread for event in out.events}
    size, own = _TOGETHER[found.groups], thread_of[wait]
    group = _together(threads[own], size)
    for issue, copy in out.copies.items():
        if copy.groups is found.groups and isinstance(copy.group, Const) and issue in thread_of:
            other = thread_of[issue]
            if other != own and _together(threads[other], size) == group and copy.group.value < found.until.value:
                yield issue, values.TRUE


def _together(thread: ir.Thread, size: int) -> tuple[str, int]:
    """The threads of a block that have groups together, so many."""
    return thread.block_name, thread.lane // size


def _warpgroup(thread: ir.Thread) -> tuple[str, int]:
    """ "A warpgroup is four contiguous warps such that the warp-rank of the first warp is a multiple of 4"."""
    return _together(thread, _TOGETHER[ir.CopyGroups.MATRIX])


def _check_warpgroups(out: Unfolding) -> None:
    """Refuse warpgroups of which some warp issues other multiplications than the others, or in other groups.

    "All threads in the warpgroup must execute the same wgmma.mma_async instruction" (PTX ISA, "wgmma.mma_async").
    """
    spans = {event.id: (event.thread, event.span) for event in out.events if event.kind is Kind.ISSUE}
    issued: dict[str, list[tuple[Span, int | None]]] = {}
    for issue, copy in out.copies.items():
        if copy.groups is ir.CopyGroups.MATRIX and issue in spans:
            name, span = spans[issue]
            issued.setdefault(name, []).append((span, copy.group.value if isinstance(copy.group, Const) else None))
    groups = {_warpgroup(thread) for thread in out.program.threads if thread.name in issued}
    warps: dict[tuple[str, int], list[list[tuple[Span, int | None]]]] = {}
    for thread in out.program.threads if groups else ():
        if thread.lane % WARP == 0 and _warpgroup(thread) in groups:
            warps.setdefault(_warpgroup(thread), []).append(issued.get(thread.name, []))
    for first, *rest in warps.values():
        for other in rest:
            if other != first:
                message = (
                    "a wgmma that not all warps of a warpgroup execute, in one group, is outside the modelled subset"
                )
                span, _ = next(iter((*first, *other)))
                raise error(Code.OUTSIDE_SUBSET, message, span)
