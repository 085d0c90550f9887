"""mbarriers (section 3): their state machine, and waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.oracles.asynchronous import program as p
from tests.oracles.asynchronous.memory import Memory
from tests.oracles.asynchronous.states import Agent, Mbarrier, State, Undefined


class Mbarriers(Memory):
    def update(
        self,
        s: State,
        agent: Agent,
        name: str,
        what: str,
        change: Any,
        arrives: int = 0,
        order: str = "relaxed",
        scope: str = "cluster",
        covers: tuple[tuple[Agent, int], ...] = (),
        part: int = 0,
    ) -> Mbarrier:
        """One atomic step: `change`, then the end of the phase where the sums meet. Return the state before."""
        old = s.bars[name]
        if not old.valid:
            raise Undefined("mbarrier without init")
        if arrives > old.pending:
            raise Undefined("more arrivals than pending")
        # "an arrive in phase p+1 though no wait was true for p [.5.1] (overrun)"
        if arrives and old.phase > 0 and not old.waited:
            raise Undefined("overrun")
        self.emit(
            s,
            agent,
            "mbarrier",
            loc=(name, 0),
            reads=True,
            writes=True,
            what=what,
            order=order,
            scope=scope,
            sync=(name, old.birth, old.phase),
            covers=covers,
            part=part,
        )
        s.bars[name] = change(old).settle()
        return old

    def arrive(
        self,
        s: State,
        agent: Agent,
        name: str,
        count: int,
        order: str,
        scope: str,
        tx: int = 0,
        drop: bool = False,
        covers: tuple[tuple[Agent, int], ...] = (),
    ) -> Mbarrier:
        if not 1 <= count < 2**20:
            raise Undefined("count out of range")
        if not -(2**20) < tx < 2**20:
            raise Undefined("bytes out of range")

        def change(b: Mbarrier) -> Mbarrier:
            expected = b.expected - count if drop else b.expected
            if expected <= 0:
                raise Undefined("arrive_drop to an expected count of 0")  # "at 0 undefined [.17]"
            return replace(b, pending=b.pending - count, tx=b.tx + tx, expected=expected)

        return self.update(s, agent, name, "arrive", change, count, order, scope, covers)

    def transact(
        self,
        s: State,
        agent: Agent,
        name: str,
        tx: int,
        what: str,
        covers: tuple[tuple[Agent, int], ...] = (),
        part: int = 0,
    ) -> None:
        """expect_tx, complete_tx: relaxed; tx may be negative meanwhile [.3]."""
        if not -(2**20) < tx < 2**20:
            raise Undefined("bytes out of range")
        self.update(s, agent, name, what, lambda b: replace(b, tx=b.tx + tx), covers=covers, part=part)

    def token(self, s: State, t: int, name: str, before: Mbarrier, dst: str | None) -> None:
        if dst is not None:
            if self.home[name] != self.block[t]:
                raise Undefined("token from another block's barrier")
            s.regs[t, dst] = (name, before.birth, before.phase)

    def wait(self, s: State, t: int, i: p.Wait) -> list[State]:
        """True iff phase = t+1; iff phase mod 2 != q. What is true, is true for the phase before."""
        bar = s.bars[i.bar]
        if self.home[i.bar] != self.block[t]:
            raise Undefined("wait on another block's barrier")
        if not bar.valid:
            raise Undefined("mbarrier without init")
        if i.token is not None:
            name, birth, phase = s.regs.get((t, i.token), (None, 0, 0))
            if (name, birth) != (i.bar, bar.birth):
                raise Undefined("token of another barrier")
            if phase + 1 < bar.phase:
                raise Undefined("token older than the preceding phase")
            true = bar.phase == phase + 1
        else:
            true = bar.phase % 2 != i.parity

        out = []
        if true:
            yes = s.copy()
            self.emit(
                yes,
                ("T", t),
                "mbarrier",
                loc=(i.bar, 0),
                reads=True,
                writes=True,
                what="wait",
                order=i.order,
                scope=i.scope,
                sync=(i.bar, bar.birth, bar.phase - 1),
            )
            yes.bars[i.bar] = replace(bar, waited=True)
            out.append(self.advance(yes, t, i.dst, 1))
        # "try_wait may give up at a time limit: false says nothing"; a failed try orders nothing
        if i.mode == "try" or (i.mode == "test" and not true):
            no = self.failed_try(s, t, i)
            out.append(self.advance(no, t, i.dst, 0))
        if i.mode == "loop" and not true and not s.failed.get(t) and self.options.tries:
            again = self.failed_try(s, t, i)
            again.failed[t] = frozenset({"try"})
            out.append(again)
        return out

    def failed_try(self, s: State, t: int, i: p.Wait) -> State:
        new = s.copy()
        both = {"reads": True, "writes": True}
        self.emit(new, ("T", t), "mbarrier", loc=(i.bar, 0), **both, what="try", order="relaxed", scope=i.scope)
        return new
