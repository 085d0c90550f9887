"""Races with asynchronous copies: accesses that do not wait for the copy, or for which the copy does not wait.

A copy is complete for the thread that waits for its group, and for threads that synchronise with it afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.synchronisation import access_name, place
from scopec.memory.events.events import Kind
from scopec.memory.unfold.lifetimes import kept

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

#: The relations between agents and threads.
EDGES = ("start", "done", "complete")


def incomplete(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """The reason if nothing orders an access and a copy's because no wait finds the copy complete; else None."""
    for copied, other in (pair, pair[::-1]):
        if copied.agent and other.agent != copied.agent:
            issue = execution.graph.by_id[copied.agent]
            name = f"the {work(issue)} that {copied.thread} issues at {place(issue)}"
            if other.kind is Kind.READ and copied.kind is Kind.WRITE and _reads_before(execution, other, copied):
                return f"{name} may overwrite what {access_name(other)} gets: nothing orders that read before the issue"
            found = [wait for access, wait in execution.relation("done") if access is copied]
            at_mbarrier = [wait for access, wait in execution.relation("complete") if access is copied]
            at_mbarrier += [wait for wait in found if wait.kind is Kind.WAIT]  # its phases are settled
            if at_mbarrier:
                behind = f"{at_mbarrier[0].thread} finds it complete at {place(at_mbarrier[0])}"
                if other.thread == at_mbarrier[0].thread and not other.agent:
                    return f"{behind}, {_side(execution, other, at_mbarrier[0])}"
                return (
                    f"{name} is complete for who waits for its phase: {behind}, and nothing orders {access_name(other)}"
                )
            waits = [wait for wait in found if wait.kind is not Kind.WAIT]
            if waits:
                if other.thread == copied.thread and not other.agent:
                    return f"{name} is complete only at {place(waits[0])}, {_side(execution, other, waits[0])}"
                behind = f"{copied.thread} waits for it at {place(waits[0])}"
                return f"{name} is complete for that thread alone: {behind}, and nothing orders {access_name(other)}"
            if any(e.kind is Kind.COMPLETE and e.thread == copied.thread for e in execution.events):
                return f"no wait of {copied.thread} is for the group of {name}"
            return f"nobody waits for {name}"
    return None


def work(issue: Event) -> str:
    """What an event issues: a copy, or a multiplication."""
    return issue.text.removeprefix("issue ")


def outlives(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """The reason if a copy may be made after its block has ended, and that is the race; else None."""
    for copied, end in (pair, pair[::-1]):
        block = next((b for t in execution.graph.program.threads if t.name == end.thread and (b := kept(t))), None)
        if copied.agent and block is not None:
            issued = execution.graph.by_id[copied.agent]
            what, issue = work(issued), place(issued)
            return (
                f"the threads of {block} may end before the {what} that {copied.thread} issues at {issue} is complete, "
                f"for nothing that they wait for is behind it: its shared memory is no more then"
            )
    return None


def _reads_before(execution: Execution, read: Event, write: Event) -> bool:
    """Whether a read returns what another copy, or a thread, wrote before."""
    source = next(w for w, r in execution.relation("rf") if r is read)
    return source is not write and source.kind is not Kind.INIT


def _side(execution: Execution, other: Event, wait: Event) -> str:
    before = (other, wait) in execution.relation("po")
    return f"{'behind' if before else 'and nothing orders it with'} {access_name(other)}"
