"""Conditions in which threads may be left: the promises of the progress model, in a state that never changes again.

The promises are those that give a TLA+ module its fairness (:mod:`scopec.progress.promises`).  One is broken where its
conditions hold, an act that it is about could take place, and none does.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.hangs.terms import Terms
from scopec.memory.events.paths import NEVER, every, negated, some
from scopec.program import ir
from scopec.progress.promises import Act, Promise, promises, receivers
from scopec.progress.rules.fairness import CONDITIONS, whom
from scopec.progress.terms import Fn, at, call, implies, op, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.hangs.final_status import FinalStatus
    from scopec.memory.events.paths import Paths
    from scopec.progress.models import Property
    from scopec.progress.system import System


class Conditions:
    """Conditions on the threads of a system in a state that lasts for ever."""

    def __init__(self, system: System, statuses: Mapping[str, FinalStatus]) -> None:
        self.system = system
        self.of = statuses
        self.terms = Terms(system, statuses)

    def stuck(self, property_: Property) -> Paths:
        """The paths on which every thread is in a final condition, and the property fails for ever."""
        final = every(self.of[t.name].final for t in self.system.everyone)
        return every((final, self._placed(), self._fails(property_)))

    def undecided(self, property_: Property) -> Paths:
        """The paths on which a thread goes on beyond the bound, or no state of it recurs, so that it may never end."""
        statuses = [self.of[t.name] for t in self.system.everyone]
        beyond = some(s.beyond for s in statuses)
        diverging = some(s.diverging for s in statuses)
        left = [some((s.final, s.diverging)) for s in statuses]
        # Beyond the bound the others may be taken to have got as far as they can.
        kept = [negated(self._could_step(t)) for t in self.system.everyone]
        cut = every((beyond, *(some((one, s.beyond)) for one, s in zip(left, statuses, strict=True)), *kept))
        return every((self._placed(), some((cut, every((diverging, *left, self._fails(property_)))))))

    def _fails(self, property_: Property) -> Paths:
        """The paths on which not everything has ended, and each promise is kept; for ``Progress`` also no step counts
        any more.
        """
        statuses = [self.of[t.name] for t in self.system.everyone]
        kept = every(self._kept(promise) for promise in promises(self.system))
        silent = some(s.silent for s in statuses)
        parts: list[Paths] = [negated(self._all_done()), some((silent, kept))]
        if property_ == "Progress":
            parts += [negated(s.counted) for s in statuses]
        return every(parts)

    def _all_done(self) -> Paths:
        """The paths on which the host threads and every launched grid have ended."""
        return every(some((negated(s.launched), s.ended)) for s in (self.of[t.name] for t in self.system.everyone))

    # ---- promises

    def _kept(self, promise: Promise) -> Paths:
        return every(self._kept_to(promise, thread) for thread in receivers(promise, self.system))

    def _kept_to(self, promise: Promise, thread: ir.Thread | None) -> Paths:
        names = {} if thread is None else dict.fromkeys(whom(promise), thread.name)
        when = [self.terms.holds(CONDITIONS[condition], **names) for condition in promise.when]
        possible = some(self._possible(act, thread) for act in promise.acts)
        taken = some(s.goes_on for s in self.of.values()) if Act.ANY in promise.acts else NEVER
        return negated(every((*when, possible, negated(taken))))

    def _possible(self, act: Act, thread: ir.Thread | None) -> Paths:
        """The paths on which an act could take place, and does not."""
        match act:
            case Act.OWN:
                assert thread is not None
                return self._could_step(thread)
            case Act.START:
                return some(self._could_start(t) for t in self.system.threads)
            case Act.SERVE:
                return some(
                    (
                        *(self._could_start(t) for t in self.system.threads),
                        *(
                            self._could_step(t) if t.work is ir.Work.COPY else self.of[t.name].may_start
                            for t in self.system.tasks
                        ),
                    )
                )
            case Act.ANY:
                return some(self._could_step(t) for t in self.system.everyone)
            case Act.CHOICE:
                return NEVER  # in a period nothing fails without a reason

    def _could_step(self, thread: ir.Thread) -> Paths:
        status = self.of[thread.name]
        return some((status.stopped, status.may_return, self._could_start(thread)))

    # ---- which blocks have started, and could start

    def _could_start(self, thread: ir.Thread) -> Paths:
        """The paths on which a thread has not started, and nothing keeps it from that."""
        first = self._first_of_unit.get(self.system.unit_of.get(thread.name, ""))
        own = [] if first is None else [self.terms.holds(call(name, "t"), t=first) for name in self._placing]
        return every((self.of[thread.name].may_start, *own))

    def _placed(self) -> Paths:
        """The paths on which units have started in the model's order, and no more blocks are resident than can be.

        Whether there were ever more is not looked at.
        """
        in_order = implies(call("UnitStarted", at("UnitOf", "t")), call("InOrder", "t"))
        ordered = self._first_of_unit.values() if self.system.unit_before else ()
        places = self.system.places
        devices = {} if places is None else {thread.device: thread.name for thread in self.system.threads}
        fits = op(Fn.AT_MOST, size(call("Resident", "t")), places or 0)
        return every(
            (
                *(self.terms.holds(in_order, t=first) for first in ordered),
                *(self.terms.holds(fits, t=thread) for thread in devices.values()),
            )
        )

    @cached_property
    def _placing(self) -> list[str]:
        """The conditions on starting a block."""
        return [name for name in ("InOrder", "HasPlace") if name in self.terms.definitions]

    @cached_property
    def _first_of_unit(self) -> Mapping[str, str]:
        """A thread of each unit: where units may start is the same for all of one."""
        units = self.system.unit_of
        return {units[thread.name]: thread.name for thread in reversed(self.system.threads)}
