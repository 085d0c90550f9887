"""Meetings of threads: barriers of a block, of a cluster, and of the lanes of a warp."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.oracles.asynchronous.memory import Memory
from tests.oracles.asynchronous.states import Meeting, State, Undefined


class Meetings(Memory):
    def members(self, key: tuple[Any, ...]) -> list[int]:
        match key[0]:
            case "barrier":
                return [t for t in self.threads if self.block[t] == key[1]]
            case "cluster":
                return [t for t in self.threads if self.cluster[t] == key[1]]
            case _:  # a warp: kind, block, warp, lanes
                lanes = [t for t in self.threads if (self.block[t], self.warp[t]) == key[1:3]]
                return [t for n, t in enumerate(lanes) if key[3] is None or n in key[3]]

    def complete(self, s: State, key: tuple[Any, ...], m: Meeting) -> bool:
        often = dict(m.arrivals)
        if not often:
            return False
        if m.count is None:  # all non-exited threads
            return all(t in often or t in s.exited for t in self.members(key))
        # "a warp arrives when its non-exited threads have, and counts 32"
        warps: dict[int, list[int]] = {}
        for t in self.members(key):
            warps.setdefault(self.warp[t], []).append(t)
        total = 0
        for lanes in warps.values():
            live = [t for t in lanes if t not in s.exited]
            total += 32 * (min(often.get(t, 0) for t in live) if live else max(often.get(t, 0) for t in lanes))
        return total >= m.count

    def settle(self, s: State, key: tuple[Any, ...]) -> None:
        m = s.meetings[key]
        if self.complete(s, key, m):
            s.meetings[key] = Meeting(m.generation + 1)

    def meet(
        self,
        s: State,
        t: int,
        key: tuple[Any, ...],
        order: str,
        scope: str,
        count: int | None = None,
        ordered: bool = True,
    ) -> tuple[Any, ...]:
        """An arrival. Return (meeting, generation)."""
        m = s.meetings.get(key, Meeting())
        if m.arrivals and m.count != count:
            raise Undefined("named barrier with two counts")
        if key[0] == "barrier" and count is not None and (count <= 0 or count % 32):
            raise Undefined("count of a named barrier")
        often = dict(m.arrivals)
        often[t] = often.get(t, 0) + 1
        s.meetings[key] = replace(m, arrivals=tuple(sorted(often.items())), count=count)
        self.emit(
            s,
            ("T", t),
            "meet",
            what=f"meet {key[0]}",
            order=order,
            scope=scope,
            sync=(key, m.generation) if ordered else None,
        )
        self.settle(s, key)
        return (key, m.generation)

    def passed(self, s: State, where: tuple[Any, ...]) -> bool:
        return s.meetings[where[0]].generation > where[1]
