"""Collective and named barriers: who arrives, and when all may leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from scopec.embedded.states import State, barrier_of
from scopec.embedded.ways import Take, Ways
from scopec.program import ir
from scopec.program.values import Const
from scopec.progress.steps import (
    DONE,
    Step,
)


class Barriers(Ways):
    """Arriving at barriers and leaving them."""

    def _arrive(self, thread: ir.Thread, step: Step, operation: ir.SyncThreads | ir.GroupSync) -> Take:
        me, slot = self.number[thread.name], self._slots["arrived", barrier_of(operation, thread)]
        ballot = vote = None
        if isinstance(operation, ir.SyncThreads) and operation.vote is not None:
            ballot = self._slots["ballot", thread.name]
            vote = self.value(operation.vote.predicate, thread)

        def also(s: State, after: list[Any]) -> None:
            after[slot] = s[slot] | {me}
            if ballot is not None and vote is not None:
                after[ballot] = 1 if vote(s) else 0

        return self._way(thread, step.tree, also=also)

    def _leave(self, thread: ir.Thread, step: Step, operation: ir.SyncThreads | ir.GroupSync) -> Take:
        """The first thread that leaves ends the phase for all.

        "For .aligned and .sync, all non-exited threads" (PTX ISA): a block, a warp and a cluster wait for those that
        have not exited.  A grid is one software barrier of its blocks, and waits for every thread.
        """
        me = self.number[thread.name]
        barrier = barrier_of(operation, thread)
        slot, members = self._slots["arrived", barrier], self.joins[barrier]
        if isinstance(operation, ir.GroupSync):
            holds = operation.group is ir.Group.GRID
        else:
            holds = self.system.readings.exited_threads_hold

        def over(s: State) -> int:
            arrived = s[slot]
            return me not in arrived or all(u in arrived or (not holds and s[u] == DONE) for u in members)

        vote = operation.vote if isinstance(operation, ir.SyncThreads) else None
        ballots = {self.number[t.name]: self._slots["ballot", t.name] for t in self.system.threads}

        def tally(s: State) -> int:
            assert vote is not None
            votes = [s[ballots[u]] for u in s[slot]]
            return sum(votes) if vote.function == "count" else int(all(votes) if vote.function == "and" else any(votes))

        def outcome(s: State) -> int:
            return tally(s) if me in s[slot] else s[ballots[me]]

        def also(s: State, after: list[Any]) -> None:
            first = me in s[slot]
            if vote is not None:
                if first:
                    result = tally(s)
                    for u in s[slot]:
                        after[ballots[u]] = result
                after[ballots[me]] = 0
            if first:
                after[slot] = frozenset()

        return self._blocking(thread, step, over, self._way(thread, step.tree, out=outcome, also=also))

    def _name(self, thread: ir.Thread, operation: ir.NamedBarrier) -> Callable[[State], tuple[object, ...]]:
        parts = [self.value(part, thread) for part in operation.name]
        return lambda s: (thread.block_name, *(part(s) for part in parts))

    def _arrive_at_name(self, thread: ir.Thread, step: Step, operation: ir.NamedBarrier) -> Take:
        """The k-th arrival of a thread at a name belongs to its k-th phase, counted from the current one.

        With a count it belongs to the current phase, or to the one after those in which the thread has arrived; the
        arrival that completes the count ends the phase.
        """
        me, slot, name = self.number[thread.name], self._slots["tokens"], self._name(thread, operation)
        count = None if operation.count is None else self.value(operation.count, thread)

        def also(s: State, after: list[Any]) -> None:
            barrier = name(s)
            phase = sum(1 for u, b, _ in s[slot] if u == me and b == barrier)
            tokens = s[slot] | {(me, barrier, phase + 1)}
            if count is not None and sum(1 for _, b, p in tokens if b == barrier and p == 1) >= count(s):
                tokens = _passed(tokens, barrier, 1)
            after[slot] = tokens

        return self._way(thread, step.tree, also=also)

    def _leave_name(self, thread: ir.Thread, step: Step, operation: ir.NamedBarrier) -> Take:
        me, slot, name = self.number[thread.name], self._slots["tokens"], self._name(thread, operation)
        texts = {
            self.number[t.name]: [
                tuple(part.value if isinstance(part, Const) else None for part in node.operation.name)
                for node in t.body.nodes.values()
                if isinstance(node, ir.Do) and isinstance(node.operation, ir.NamedBarrier)
            ]
            for t in self.system.threads
            if t.block_name == thread.block_name
        }

        def phase(s: State, barrier: tuple[object, ...]) -> int:
            return sum(1 for u, b, _ in s[slot] if u == me and b == barrier)

        def over(s: State) -> bool:
            barrier = name(s)
            now = phase(s, barrier)
            if now == 0 or operation.count is not None:
                return now == 0
            return all(
                (u, barrier, now) in s[slot] or s[u] == DONE
                for u, names in texts.items()
                if any(_may_be(text, barrier[1:]) for text in names)
            )

        def also(s: State, after: list[Any]) -> None:
            barrier = name(s)
            after[slot] = _passed(s[slot], barrier, phase(s, barrier))

        return self._blocking(thread, step, over, self._way(thread, step.tree, also=also))


_Tokens: TypeAlias = "frozenset[tuple[int, tuple[object, ...], int]]"


def _passed(tokens: _Tokens, barrier: tuple[object, ...], phases: int) -> _Tokens:
    """The arrivals at all barriers after so many phases of one are over."""
    return frozenset((u, b, p - phases if b == barrier else p) for u, b, p in tokens if b != barrier or p > phases)


def _may_be(text: tuple[int | None, ...], name: tuple[object, ...]) -> bool:
    """Whether a name in a thread's text may be one, parts that are computed left open."""
    return len(text) == len(name) and all(a is None or a == b for a, b in zip(text, name, strict=True))
