"""The steps of a system as functions from a state to those that may come next.

Functions are made once per step and thread, so that a state costs no look at the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.base.records import dataclass
from scopec.engines.embedded.progress.states import States
from scopec.engines.embedded.progress.terms import Bound, Compute, Fixed, Outcomes, Seen, Slot, State, once, run
from scopec.program import ir
from scopec.program.values import Const
from scopec.progress.rules import phases
from scopec.progress.steps import OLD, BarrierWrite, Either, Fork, Goto, Step, Tree, leaves
from scopec.progress.terms import At, Kind, Name, Over, both, call

if TYPE_CHECKING:
    from scopec.program.values import Value
    from scopec.progress.system import System
    from scopec.progress.transition import Transition, Update, Wakes

#: From how many threads on a table is looked at only where a step may change it.
MANY = 64
#: What a step changes: slots, each with what is in it then; of one slot the last counts.
Changes: TypeAlias = "list[tuple[int, Any]]"
#: What a step may change, for each way that it may go, and whether every choice falls well on it.
Take: TypeAlias = "Callable[[Seen], list[tuple[Changes, bool]]]"


@dataclass(frozen=True)
class _Effects:
    """What a step of a thread does: what its place holds and where that is, changes at slots, threads that wake.

    ``tables`` give what else changes where only the state says which slots may.
    """

    thread: ir.Thread
    old: Compute | None
    cell: Compute | None
    outcomes: Outcomes
    changes: list[tuple[int, Compute]]
    tables: list[Callable[[Seen], Changes]]
    woken: Callable[[Seen], list[tuple[int, str]]] | None


def changed(state: State, changes: Changes) -> State:
    """The state after a step."""
    after = list(state)
    for slot, value in changes:
        after[slot] = value
    return tuple(after)


class Stepping(States):
    """The steps of the threads of a system."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self._takes: dict[tuple[int, str], Take] = {}
        self._transitions: dict[str, Transition] = {}
        self.all_done = self.holds(call("AllDone"), {})

    def can_start(self, thread: ir.Thread) -> Compute:
        """Whether a thread may start."""
        conditions = [name for name in self.rules.starting if name != "CanStart" or thread.grid is not None]
        if not conditions:
            return lambda _: True
        return self.holds(both(*(call(name, "t") for name in conditions)), {"t": Fixed(self.number[thread.name])})

    def step(self, number: int, label: str) -> Take:
        """The steps that a thread may take at a label."""
        take = self._takes.get((number, label))
        if take is None:
            if label not in self._transitions:
                self._transitions[label] = self.rules.transition(self.system.steps[label])
            take = self._takes[number, label] = self._take(self.threads[number], self._transitions[label])
        return take

    def _take(self, thread: ir.Thread, transition: Transition) -> Take:
        step, me = transition.step, self.number[thread.name]
        place = self.touched[step.label]
        cell = None if place is None else self.cell(place, thread)
        bound: dict[str, Any] = {"t": Fixed(me)}
        if place is not None:
            bound[OLD] = self.held(place, thread)
        out = {name: self.function(term, bound) for name, term in transition.outcomes.items()}
        wide = [u for u in transition.updates if u.among is not None and len(self.threads) > MANY]
        changes = [change for u in transition.updates if u not in wide for change in self._changes(u, bound)]
        tables = [self._table(u, bound) for u in wide]
        wakes = None if transition.wakes is None else self._woken(transition.wakes, bound)
        effects = _Effects(thread, bound.get(OLD), cell, out, changes, tables, wakes if place is not None else None)
        take = self._chosen(transition, effects, bound)
        if wakes is not None and transition.wakes is not None and place is None:
            take = _notifying(take, wakes, one=transition.wakes.one)
        return take if transition.guard is None else self._guarded(step, me, self.holds(transition.guard, bound), take)

    def _guarded(self, step: Step, me: int, guard: Compute, take: Take) -> Take:
        """A step that waits for a condition; where each turn is a step there is a second label."""
        again = step.again
        if not again or not step.blocks:
            return lambda s: take(s) if guard(s) else []
        return lambda s: take(s) if guard(s) else [([(me, again)], True)]

    def _chosen(self, transition: Transition, effects: _Effects, bound: Bound) -> Take:
        tree = transition.step.tree
        if transition.choice is None:
            return self._way(tree, effects)
        choice = self.holds(transition.choice, bound)
        first, other = (self._way(end, effects) for end in leaves(tree))
        return lambda s: first(s) if choice(s) else other(s)

    def _changes(self, update: Update, bound: Bound) -> Iterator[tuple[int, Compute]]:
        """The slots that an update changes, and their new values."""
        match update.key, update.new:
            case None, Over(Kind.TABLE, name, domain, body):
                keys = self.known(domain, bound)
                assert isinstance(keys, Fixed)
                for key in keys.value:
                    slot, new = self.keyed[update.variable][key], self.known(body, {**bound, name: Fixed(key)})
                    if not (isinstance(new, Slot) and new.index == slot):
                        yield slot, run(new)
            case None, new:
                yield self.slots[update.variable], self.function(new, bound)
            case key, new:
                old = self.known(At(Name(update.variable), key), bound)
                assert isinstance(old, Slot)
                yield old.index, self.function(new, {**bound, "@": old})

    def _table(self, update: Update, bound: Bound) -> Callable[[Seen], Changes]:
        """The changes of an update to a table, at the keys where it may: the terms of each are computed then."""
        assert update.among is not None
        assert isinstance(update.new, Over)
        keys, slots = self.function(update.among, bound), self.keyed[update.variable]
        name, body = update.new.name, update.new.body
        new = once(lambda key: self.function(body, {**bound, name: Fixed(key)}))
        return lambda s: [(slots[key], new(key)(s)) for key in keys(s)]

    def _written(self, write: Value | BarrierWrite, effects: _Effects) -> Compute:
        """The value that a step stores."""
        if not isinstance(write, BarrierWrite):
            return self.value(write, effects.thread, effects.old, effects.outcomes)
        assert effects.old is not None
        bound: Bound = {"t": Fixed(self.number[effects.thread.name]), OLD: effects.old}
        return self.function(phases.written(write, Name(OLD)), bound)

    def _woken(self, wakes: Wakes, bound: Bound) -> Callable[[Seen], list[tuple[int, str]]]:
        """The threads that a step wakes, each with the label that it is moved to."""
        who, to = self.function(wakes.who, bound), self.fixed(Name(wakes.to))
        return lambda s: [(number, to[s[number]]) for number in sorted(who(s))]

    def _way(self, tree: Tree, effects: _Effects) -> Take:
        """The changes of a tree: memory, registers and label; each is computed in the state before."""
        thread, old, out = effects.thread, effects.old, effects.outcomes
        match tree:
            case Fork(condition, then, otherwise):
                if isinstance(known := self.for_thread(condition, thread), Const):
                    return self._way(then if known.value else otherwise, effects)
                test = self.value(condition, thread, old, out)
                yes, no = self._way(then, effects), self._way(otherwise, effects)
                return lambda s: yes(s) if test(s) else no(s)
            case Either(first, second):
                good, bad = self._way(first, effects), self._way(second, effects)
                return lambda s: [*good(s), *((t, False) for t, _ in bad(s))]
            case Goto(label, updates, write):
                me, registers = self.number[thread.name], self.keyed.get("reg", {})
                slots = ((registers.get((thread.name, name)), value) for name, value in updates)
                own = [(slot, self.value(value, thread, old, out)) for slot, value in slots if slot is not None]
                written = None if write is None else self._written(write, effects)
                cell, woken, changes, tables = effects.cell, effects.woken, [*effects.changes, *own], effects.tables

                def take(s: Seen) -> list[tuple[Changes, bool]]:
                    after: Changes = []
                    if written is not None and cell is not None:
                        after.append((cell(s), written(s)))
                        if woken is not None:
                            after += woken(s)
                    after += [(slot, value(s)) for slot, value in changes]
                    for of_table in tables:
                        after += of_table(s)
                    after.append((me, label))
                    return [(after, True)]

                return take


def _notifying(take: Take, sleepers: Callable[[Seen], list[tuple[int, str]]], *, one: bool) -> Take:
    """A step that wakes threads as well: all of them, or any one."""

    def woken(s: Seen, who: list[tuple[int, str]]) -> list[tuple[Changes, bool]]:
        return [([*changes, *who], well) for changes, well in take(s)]

    def notify(s: Seen) -> list[tuple[Changes, bool]]:
        who = sleepers(s)
        if not one or not who:
            return woken(s, who)
        return [after for sleeper in who for after in woken(s, [sleeper])]

    return notify
