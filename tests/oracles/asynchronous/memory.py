"""Accesses to elements, and what else a step of a thread or agent does to a state."""

from __future__ import annotations

from typing import Any

from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.states import Agent, Event, Mbarrier, State, Undefined


class Memory:
    def __init__(self, program: p.Program, options: p.Options) -> None:
        self.options = options
        self.code: list[tuple[p.Instruction, ...]] = []
        self.block: list[int] = []
        self.warp: list[int] = []
        for b, threads in enumerate(program.blocks):
            for thread in threads:
                self.code.append(thread.code)
                self.block.append(b)
                self.warp.append(thread.warp)
        self.threads = range(len(self.code))
        self.blocks = range(len(program.blocks))
        self.home: dict[str, int | None] = {m.name: m.block for m in program.memory}  # None: global
        self.barriers = {m.name for m in program.memory if isinstance(m, p.Barrier)}
        self.tensor = {m.name for m in program.memory if isinstance(m, p.Array) and m.tensor}
        self.size = cluster = program.cluster
        self.cluster = [b // cluster for b in self.block]
        self.first = State(len(self.code))
        for m in program.memory:
            if isinstance(m, p.Array):
                self.first.mem.update({(m.name, i): (m.init, None) for i in range(m.size)})
            else:
                self.first.bars[m.name] = Mbarrier()
        self.table: list[Event] = []
        self.numbers: dict[Event, int] = {}

    # -------------------------------------------------------------- events

    def emit(self, s: State, agent: Agent, kind: str, **fields: Any) -> int:
        mine = (agent, fields.get("part", 0))
        index = s.count.get(mine, 0)
        s.count[mine] = index + 1
        event = Event(agent, index, agent[1], kind, **fields)
        number = self.numbers.setdefault(event, len(self.table))
        if number == len(self.table):
            self.table.append(event)
        s.events |= {number}
        return number

    def element(self, s: State, loc: p.Loc) -> tuple[str, int]:
        place = (loc.name, loc.index)
        if loc.name in self.barriers:
            if s.bars[loc.name].valid:
                raise Undefined("ordinary access to a valid mbarrier")
            s.mem.setdefault(place, (0, None))
        elif place not in s.mem:
            raise Undefined(f"out of bounds: {place}")
        return place

    def access(
        self, s: State, agent: Agent, loc: p.Loc, proxy: str, **how: Any
    ) -> tuple[tuple[str, int], tuple[int, int | None], int]:
        """An access to an element: its place, what was there and who had written that strongly, and its event."""
        place = self.element(s, loc)
        found = s.mem[place]
        if how.get("reads") and how.get("order", "weak") != "weak":
            how["rf"] = found[1]
        return place, found, self.emit(s, agent, "access", loc=place, address=loc.address, proxy=proxy, **how)

    def read(
        self, s: State, agent: Agent, loc: p.Loc, proxy: str, order: str = "weak", scope: str = "", part: int = 0
    ) -> int:
        _, (value, _), _ = self.access(s, agent, loc, proxy, reads=True, order=order, scope=scope, part=part)
        return value

    def write(
        self, s: State, agent: Agent, loc: p.Loc, value: int, proxy: str, order: str = "weak", scope: str = "",
        part: int = 0,
    ) -> None:  # fmt: skip
        place, _, e = self.access(s, agent, loc, proxy, writes=True, order=order, scope=scope, part=part)
        s.mem[place] = (value, e if order != "weak" else None)

    def add(
        self, s: State, agent: Agent, loc: p.Loc, value: int, proxy: str, order: str, scope: str, part: int = 0
    ) -> int:
        both = {"reads": True, "writes": True}
        place, (old, _), e = self.access(s, agent, loc, proxy, **both, order=order, scope=scope, part=part)
        s.mem[place] = (old + value, e)
        return old

    def instruction(self, t: int, pc: int) -> p.Instruction:
        i = self.code[t][pc]
        return i.then if isinstance(i, p.If) else i

    def advance(self, s: State, t: int, dst: str | None = None, value: int | None = None) -> State:
        if dst is not None:
            s.regs[t, dst] = value
        s.pc[t] += 1
        s.failed.pop(t, None)
        return s

    def value(self, s: State, t: int, value: p.Value) -> int:
        return s.regs.get((t, value), 0) if isinstance(value, str) else value
