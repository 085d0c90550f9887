"""The runs of a program: interleavings of its threads and agents.

A state holds what the next steps depend on and the *events* so far. An event names the event that it read from, the
phase or generation that it met, never a time: runs that differ only in the order of independent steps are one state,
and each maximal run is a partial order to which `check.py` applies the rules of section 2.

A step "nobody could see" (section 1) is taken at once, the others in every order: fences, issues, commits, the return
from a meeting that is complete, and with `Options.eager` weak accesses and agents that only access weakly: their order
is not free without a race, and a race of theirs is in every run that has both events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.mbarriers import Mbarriers
from tests.oracles.asynchronous.meetings import Meetings
from tests.oracles.asynchronous.states import Agent, Mbarrier, State, Undefined


class Machine(Mbarriers, Meetings):
    # -------------------------------------------------------------- agents

    def agent_steps(self, s: State, agent: Agent) -> tuple[list[State], bool]:
        """The next states of an agent, and whether nobody could see the step."""
        _, t, pc = agent
        i = self.instruction(t, pc)
        held = s.agents[agent]
        new = s.copy()
        match i:
            case p.BulkCopy():  # one agent with destinations and a completion in each named block
                out = []
                for k in held:
                    new = s.copy()
                    for a, b in zip(i.src.locs(), i.dsts[k].locs(), strict=True):
                        value = self.read(new, agent, a, "ASY", part=k)
                        if i.add:
                            self.add(new, agent, b, value, "ASY", "relaxed", "sys", k)
                        else:
                            self.write(
                                new, agent, b, value, "ASY", "relaxed" if i.strong else "weak", i.strong or "", k
                            )
                    self.transact(new, agent, i.bars[k], -p.ELEMENT * i.src.count, "complete_tx", ((agent, k),), k)
                    self.held(new, agent, tuple(x for x in held if x != k))
                    out.append(new)
                return out, False
            case p.BulkStore() if held == ():
                values = tuple(self.read(new, agent, a, "ASY") for a in i.src.locs())
                new.agents[agent] = values
                return [new], self.options.eager
            case p.BulkStore():
                for b, value in zip(i.dst.locs(), held, strict=True):
                    if i.add:  # relaxed atomics by element, .sys
                        self.add(new, agent, b, value, "ASY", "relaxed", "sys")
                    else:
                        self.write(new, agent, b, value, "ASY")
                del new.agents[agent]
                return [new], self.options.eager and not i.add
            case p.CpAsync():  # a GEN agent
                for a, b in zip(i.src.locs(), i.dst.locs(), strict=True):
                    self.write(new, agent, b, self.read(new, agent, a, "GEN"), "GEN")
                del new.agents[agent]
                return [new], self.options.eager
            case p.StAsync() | p.RedAsync():  # weak / relaxed.cluster, complete-tx in the data's block
                if isinstance(i, p.StAsync):
                    self.write(new, agent, i.dst, held[0], "GEN")
                else:
                    self.add(new, agent, i.dst, held[0], "GEN", "relaxed", "cluster")
                self.transact(new, agent, i.bar, -p.ELEMENT, "complete_tx", ((agent, 0),))
                del new.agents[agent]
                return [new], False
            case p.CpArrive() | p.TcCommit():  # arrives when what it covers is done
                if any(a in s.agents for a in held):
                    return [], False
                self.arrive(new, agent, i.bar, 1, "relaxed", "cluster", covers=tuple((a, 0) for a in (*held, agent)))
                del new.agents[agent]
                return [new], False
            case p.TcMma():
                for a in i.src.locs():
                    self.read(new, agent, a, "ASY")
                for b in i.dst.locs():
                    self.write(new, agent, b, 0, "TC")
                del new.agents[agent]
                return [new], self.options.eager
            case p.TcLoad():
                for a in i.src.locs():
                    self.read(new, agent, a, "TC")
                del new.agents[agent]
                return [new], self.options.eager
        raise AssertionError(i)

    def held(self, s: State, agent: Agent, rest: tuple[int, ...]) -> None:
        if rest:
            s.agents[agent] = rest
        else:
            del s.agents[agent]

    # -------------------------------------------------------------- threads

    def issue(self, s: State, t: int, held: Any, group: str | None = None) -> list[State]:
        agent: Agent = ("A", t, s.pc[t])
        self.emit(s, ("T", t), "issue", what=f"issue {s.pc[t]}", covers=((agent, 0),))
        s.agents[agent] = held
        if group is not None:
            s.open[t, group] = (*s.open.get((t, group), ()), agent)
        return [self.advance(s, t)]

    def leave(self, s: State, t: int) -> list[State]:
        s.exited |= {t}
        s.pc[t] = len(self.code[t]) + 1
        self.emit(s, ("T", t), "exit")
        for key in list(s.meetings):
            if t in self.members(key):
                self.settle(s, key)
        return [s]

    def thread_steps(self, old: State, t: int) -> tuple[list[State], bool]:
        """The next states of a thread (none: it is blocked), and whether nobody could see the step."""
        if t in old.exited:
            return [], False
        s = old.copy()
        me: Agent = ("T", t)
        pc = s.pc[t]
        if pc < 0:
            self.emit(s, me, "start")
            return [self.advance(s, t)], True
        if pc >= len(self.code[t]):
            return self.leave(s, t), False
        i = self.code[t][pc]
        if isinstance(i, p.If):
            if s.regs.get((t, i.register)) != i.value:
                return [self.advance(s, t)], True
            i = i.then

        if t in s.inside:  # the return from a meeting
            where = s.inside[t]
            if not self.passed(s, where):
                return [], False
            del s.inside[t]
            ordered = not isinstance(i, p.Exchange)  # "shuffles, votes: no memory order [G]"
            self.emit(
                s, me, "leave", order="acquire" if ordered else "relaxed", scope="cta", sync=where if ordered else None
            )
            return [self.advance(s, t)], True

        match i:
            case p.Load():
                s.regs[t, i.dst] = self.read(s, me, i.loc, "GEN", i.order, i.scope if i.order != "weak" else "")
                return [self.advance(s, t)], self.options.eager and i.order == "weak"
            case p.Store():
                self.write(
                    s, me, i.loc, self.value(s, t, i.value), "GEN", i.order, i.scope if i.order != "weak" else ""
                )
                return [self.advance(s, t)], self.options.eager and i.order == "weak"
            case p.Add():
                value = self.add(s, me, i.loc, self.value(s, t, i.value), "GEN", i.order, i.scope)
                return [self.advance(s, t, i.dst, value)], False
            case p.Await():
                place = self.element(s, i.loc)
                there = s.mem[place][0] == self.value(s, t, i.value)
                if not there and s.mem[place] in s.failed.get(t, ()):
                    return [], False
                self.read(s, me, i.loc, "GEN", i.order, i.scope)
                if there:
                    return [self.advance(s, t)], False
                s.failed[t] = s.failed.get(t, frozenset()) | {s.mem[place]}
                return [s], False
            case p.Fence():
                self.emit(s, me, "fence", order=i.order, scope=i.scope)
                return [self.advance(s, t)], True
            case p.ProxyFence():
                self.emit(s, me, "proxy", what=i.kind, scope=i.space or "")
                return [self.advance(s, t)], True
            case p.FenceMbarrierInit():
                self.emit(s, me, "initfence")
                return [self.advance(s, t)], True

            case p.BlockBarrier():
                s.inside[t] = self.meet(s, t, ("barrier", self.block[t], 0), "release", "cta")
                return [s], False
            case p.NamedSync():
                s.inside[t] = self.meet(s, t, ("barrier", self.block[t], i.id), "release", "cta", i.count)
                return [s], False
            case p.NamedArrive():
                self.meet(s, t, ("barrier", self.block[t], i.id), "release", "cta", i.count)
                return [self.advance(s, t)], False
            case p.ClusterArrive():
                if t in s.cluster:
                    raise Undefined("two arrives at the cluster barrier")
                s.cluster[t] = self.meet(s, t, ("cluster", self.cluster[t]), i.order, "cluster")
                return [self.advance(s, t)], False
            case p.ClusterWait():
                if t not in s.cluster:
                    raise Undefined("wait first at the cluster barrier")
                if not self.passed(s, s.cluster[t]):
                    return [], False
                self.emit(s, me, "leave", order=i.order, scope="cluster", sync=s.cluster.pop(t))
                return [self.advance(s, t)], True
            case p.SyncWarp() | p.Exchange():
                order = "release" if isinstance(i, p.SyncWarp) else "relaxed"
                key = (type(i).__name__, self.block[t], self.warp[t], i.lanes)
                s.inside[t] = self.meet(s, t, key, order, "cta", ordered=isinstance(i, p.SyncWarp))
                return [s], False

            case p.Init():
                if s.bars[i.bar].valid:
                    raise Undefined("init of a valid mbarrier")  # "on a valid object undefined, inval first"
                if not 1 <= i.count < 2**20:
                    raise Undefined("count out of range")
                self.emit(s, me, "init", loc=(i.bar, 0), writes=True)
                s.bars[i.bar] = Mbarrier(0, i.count, i.count, 0, True, False, s.bars[i.bar].birth + 1)
                return [self.advance(s, t)], False
            case p.Inval():
                if not s.bars[i.bar].valid:
                    raise Undefined("mbarrier without init")
                self.emit(s, me, "inval", loc=(i.bar, 0), writes=True)
                s.bars[i.bar] = replace(s.bars[i.bar], valid=False)
                return [self.advance(s, t)], False
            case p.Arrive():
                before = self.arrive(s, me, i.bar, i.count, i.order, i.scope)
                if i.no_complete and s.bars[i.bar].phase != before.phase:
                    raise Undefined("noComplete that completes")
                self.token(s, t, i.bar, before, i.dst)
                return [self.advance(s, t)], False
            case p.ArriveExpectTx():
                before = self.arrive(s, me, i.bar, i.count, i.order, i.scope, i.bytes)
                self.token(s, t, i.bar, before, i.dst)
                return [self.advance(s, t)], False
            case p.ArriveDrop():
                before = self.arrive(s, me, i.bar, i.count, i.order, i.scope, drop=True)
                self.token(s, t, i.bar, before, i.dst)
                return [self.advance(s, t)], False
            case p.ExpectTx():
                self.transact(s, me, i.bar, i.bytes, "expect_tx")
                return [self.advance(s, t)], False
            case p.CompleteTx():
                self.transact(s, me, i.bar, -i.bytes, "complete_tx")
                return [self.advance(s, t)], False
            case p.Wait():
                return self.wait(old, t, i), False

            case p.BulkCopy():
                return self.issue(s, t, tuple(range(len(i.dsts)))), True
            case p.BulkStore():
                return self.issue(s, t, (), "bulk"), True
            case p.CpAsync():
                return self.issue(s, t, (), "cp"), True
            case p.StAsync() | p.RedAsync():
                home = self.home[i.dst.name]
                if home == self.block[t] or home != self.home[i.bar]:
                    raise Undefined("st.async to the own block, or data and mbarrier apart")
                return self.issue(s, t, (self.value(s, t, i.value),)), True
            case p.CpArrive():  # "pending += 1 unless noinc; an agent arrives when T's earlier cp.async are done [.18]"
                if not i.noinc:
                    self.update(s, me, i.bar, "pending += 1", lambda b: replace(b, pending=b.pending + 1))
                return self.issue(s, t, self.earlier(t, pc, p.CpAsync)), i.noinc
            case p.TcMma():
                return self.issue(s, t, ()), True
            case p.TcLoad():
                return self.issue(s, t, ()), True
            case p.TcCommit():
                return self.issue(s, t, self.earlier(t, pc, p.TcMma)), True
            case p.TcWait():
                mine = self.earlier(t, pc, p.TcLoad)
                if any(a in s.agents for a in mine):
                    return [], False
                self.emit(s, me, "group", what="wait::ld", covers=tuple((a, 0) for a in mine))
                return [self.advance(s, t)], True
            case p.TcFence():
                self.emit(s, me, "tcfence", what=i.side)
                return [self.advance(s, t)], True
            case p.BulkCommit() | p.CpCommit():
                self.commit(s, t, "bulk" if isinstance(i, p.BulkCommit) else "cp")
                return [self.advance(s, t)], True
            case p.BulkWait():
                return self.group_wait(s, t, "bulk", i.n, i.read), True
            case p.CpWait():
                if i.n is None:
                    self.commit(s, t, "cp")
                return self.group_wait(s, t, "cp", i.n or 0, False), True
            case p.Exit():
                return self.leave(s, t), False
        raise AssertionError(i)

    def earlier(self, t: int, pc: int, kind: type) -> tuple[Agent, ...]:
        return tuple(("A", t, k) for k in range(pc) if isinstance(self.code[t][k], kind))

    def commit(self, s: State, t: int, kind: str) -> None:
        s.groups[t, kind] = (*s.groups.get((t, kind), ()), s.open.pop((t, kind), ()))

    def group_wait(self, s: State, t: int, kind: str, n: int, read: bool) -> list[State]:
        """Blocked until at most n groups are left. `done` from all of the others; .read: from reads only; to T only."""
        groups = s.groups.get((t, kind), ())
        old = [a for g in groups[: max(0, len(groups) - n)] for a in g]
        if any(a in s.agents and not (read and s.agents[a] != ()) for a in old):
            return []
        self.emit(
            s, ("T", t), "group", what="wait_group.read" if read else "wait_group", covers=tuple((a, 0) for a in old)
        )
        return [self.advance(s, t)]

    # -------------------------------------------------------------- the graph

    def steps(self, s: State) -> tuple[list[State], list[str]]:
        """All next states, or those of one step that nobody could see; and errors that a step commits."""
        out: list[State] = []
        errors: list[str] = []
        for unit in self.units(s):
            try:
                new, local = unit[0](s, unit[1])
            except Undefined as error:
                errors.append(str(error))
                continue
            if local and new:
                return new, []
            out += new
        return out, errors

    def units(self, s: State) -> Iterator[tuple[Any, Any]]:
        yield from ((self.thread_steps, t) for t in self.threads)
        yield from ((self.agent_steps, a) for a in sorted(s.agents))

    def finished(self, s: State) -> bool:
        return len(s.exited) == len(self.code) and not s.agents
