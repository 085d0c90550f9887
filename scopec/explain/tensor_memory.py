"""Races in tensor memory: the commit, wait or fence that lacks.

PTX ISA, "Canonical synchronization patterns": an instruction is complete for who waits for it, and after a commit makes
a fence behind that wait; another thread issues what follows behind a fence of its own, and there is one before the two
synchronise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.synchronisation import place
from scopec.memory.events.events import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

_BEFORE, _AFTER = "tcgen05.fence::before_thread_sync", "tcgen05.fence::after_thread_sync"
_COMMIT = "issue tcgen05.commit"
_WAITS = {"ld": "tcgen05.wait::ld", "st": "tcgen05.wait::st"}


def unordered_in_tensor_memory(execution: Execution, pair: tuple[Event, Event]) -> str | None:
    """The reason why two accesses to tensor memory race; None of other memory."""
    return _Race(execution, *pair).reason() if execution.graph.in_tensor_memory(pair[0]) else None


class _Race:
    """Two accesses, the one first that is issued first as far as that is known."""

    def __init__(self, execution: Execution, one: Event, other: Event) -> None:
        self.execution = execution
        self.executed = set(execution.derived("executed") or execution.relation("po"))
        first, last = (one, other) if not self._comes(self._issue(other), self._issue(one)) else (other, one)
        self.first, self.last = first, last

    def reason(self) -> str:
        first, last, issue = self.first, self.last, self._issue(self.last)
        if not first.agent:
            return f"{self._name(last)} comes behind the tcgen05.dealloc of {first.thread} at {place(first)}"
        if not self._comes(self._issue(first), issue):
            return f"nothing orders {self._name(first)} and {self._name(last)}"
        found = list(self._ends(first))
        if not found:
            return self._nobody_waits(first)
        early = [wait for wait in found if self._comes(wait, issue)]
        if not early:
            return f"{self._name(first)} is complete at {place(found[0])}, which is not ahead of {self._name(last)}"
        return self._no_fence(early[0], last, issue)

    def _nobody_waits(self, first: Event) -> str:
        issue, name = self._issue(first), self._name(first)
        if issue.pipe in _WAITS:
            return f"no {_WAITS[issue.pipe]} of its warp comes behind {name}"
        commits = [e for e in self._events(first.thread) if e.text == _COMMIT and self._comes(issue, e)]
        if not commits:
            return f"no tcgen05.commit of {first.thread} comes behind {name}"
        return f"nobody waits for the phase in which the tcgen05.commit at {place(commits[0])} arrives, behind {name}"

    def _no_fence(self, wait: Event, last: Event, issue: Event) -> str:
        known = f"{wait.thread} finds {self._name(self.first)} complete at {place(wait)}"
        behind = wait
        if wait.kind is not Kind.COMPLETE:
            fences = [e for e in self._fences(wait.thread, Kind.TENSOR_AFTER) if self._comes(wait, e)]
            if last.thread == wait.thread:
                fences = [e for e in fences if self._comes(e, issue)]
            if not fences:
                return f"{known}, and makes no {_AFTER} behind that wait, ahead of {self._name(last)}"
            behind = fences[0]
        if last.thread == wait.thread:
            return f"{known}, and {self._name(last)} is not behind that"
        handed = [e for e in self._fences(wait.thread, Kind.TENSOR_BEFORE) if self._comes(behind, e)]
        handed = [e for e in handed if self._comes(e, issue)]
        if not handed:
            return f"{known}, and makes no {_BEFORE} behind that before it synchronises with {last.thread}"
        return f"{known}, and {last.thread} makes no {_AFTER} behind that, ahead of {self._name(last)}"

    def _ends(self, access: Event) -> Iterable[Event]:
        """The waits that find an access complete."""
        for name in ("done", "complete"):
            yield from (wait for one, wait in self.execution.relation(name) if one is access)

    def _fences(self, thread: str, kind: Kind) -> list[Event]:
        return [e for e in self._events(thread) if e.kind is kind]

    def _events(self, thread: str) -> Iterable[Event]:
        return (e for e in self.execution.events if e.thread == thread and not e.agent)

    def _comes(self, one: Event, other: Event) -> bool:
        return one is other or (one, other) in self.executed

    def _issue(self, event: Event) -> Event:
        return self.execution.graph.by_id[event.agent] if event.agent else event

    def _name(self, event: Event) -> str:
        """The instruction that makes an access, and its place."""
        issue = self._issue(event)
        what = issue.text.removeprefix("issue ") if event.agent else "tcgen05.dealloc"
        return f"the {what} that {event.thread} issues at {place(issue)}"
