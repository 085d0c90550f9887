"""Who may be left in which condition: the promises of the progress model, asked of a state in which nothing changes.

The promises are those that give a TLA+ module its fairness (:mod:`scopec.progress.promises`).  One is broken where its
conditions hold, an act that it is about could take place, and none does.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.memory.events.paths import ALWAYS, NEVER, at_least, every, negated, some
from scopec.program import ir
from scopec.progress.models import Owed
from scopec.progress.promises import Act, Each, Promise, When, promises

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.hangs.final_status import Standing
    from scopec.memory.events.paths import Paths
    from scopec.progress.models import Property
    from scopec.progress.system import System


#: Of so many choices of resident blocks a condition is written out.
_MOST_CHOICES = 5000


class Conditions:
    """What holds of the threads of a system in a state that lasts for ever."""

    def __init__(self, system: System, standings: Mapping[str, Standing]) -> None:
        self.system = system
        self.of = standings

    def stuck(self, property_: Property) -> Paths:
        """Where every thread is in a final condition, and the property fails for ever."""
        final = every(self.of[t.name].final for t in self.system.everyone)
        return every((final, self._placed(), self._fails(property_)))

    def undecided(self, property_: Property) -> Paths:
        """Where a thread goes on beyond the bound, or goes round and no state recurs, so that it may never end."""
        standings = [self.of[t.name] for t in self.system.everyone]
        beyond = some(s.beyond for s in standings)
        drifting = some(s.drifting for s in standings)
        left = [some((s.final, s.drifting)) for s in standings]
        # Beyond the bound the others may be taken to have got as far as they can.
        kept = [negated(self._could_step(t)) for t in self.system.everyone]
        cut = every((beyond, *(some((one, s.beyond)) for one, s in zip(left, standings, strict=True)), *kept))
        return every((self._placed(), some((cut, every((drifting, *left, self._fails(property_)))))))

    def _fails(self, property_: Property) -> Paths:
        """Where not everything has ended, and each promise is kept; for ``Progress`` also no step counts any more."""
        standings = [self.of[t.name] for t in self.system.everyone]
        kept = every(self._kept(promise) for promise in promises(self.system))
        silent = some(s.silent for s in standings)
        parts: list[Paths] = [negated(self._all_done()), some((silent, kept))]
        if property_ == "Progress":
            parts += [negated(s.counted) for s in standings]
        return every(parts)

    def _all_done(self) -> Paths:
        """Where the host threads and every launched grid have ended."""
        return every(some((negated(s.launched), s.ended)) for s in (self.of[t.name] for t in self.system.everyone))

    # ---- promises

    def _kept(self, promise: Promise) -> Paths:
        system = self.system
        to: dict[Each, tuple[ir.Thread | None, ...]] = {
            Each.HOST: system.hosts,
            Each.DEVICE: system.threads,
            Each.FUNCTION: tuple(t for t in system.tasks if t.work is ir.Work.HOST_FUNCTION),
            Each.THREAD: system.everyone,
            Each.NOBODY: (None,),
        }
        return every(self._kept_to(promise, thread) for thread in to[promise.each])

    def _kept_to(self, promise: Promise, thread: ir.Thread | None) -> Paths:
        when = [self._when(condition, thread) for condition in promise.when]
        possible = some(self._possible(act, thread) for act in promise.acts)
        taken = some(s.goes_on for s in self.of.values()) if Act.ANY in promise.acts else NEVER
        return negated(every((*when, possible, negated(taken))))

    def _possible(self, act: Act, thread: ir.Thread | None) -> Paths:
        """Where an act could take place, and does not."""
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
        standing = self.of[thread.name]
        return some((standing.stopped, standing.may_return, self._could_start(thread)))

    # ---- which blocks have started, and could start

    def _could_start(self, thread: ir.Thread) -> Paths:
        """Where a thread has not started, and nothing keeps it from that."""
        conditions: list[Paths] = [self.of[thread.name].may_start]
        own = self.system.unit_of.get(thread.name)
        if own is not None and own in self.system.unit_before:
            conditions.append(self._unit_started(self.system.unit_before[own]))
        if own is not None and self.system.places is not None:
            left = self.system.places - self.system.blocks_of[own]
            conditions.append(some((self._unit_started(own), negated(self._resident(thread.device, left + 1)))))
        return every(conditions)

    def _placed(self) -> Paths:
        """Where units have started in the order that the model has, and no more blocks are resident than can be.

        Whether there were ever more is not looked at.
        """
        in_order = [
            some((negated(self._unit_started(own)), self._unit_started(before)))
            for own, before in self.system.unit_before.items()
        ]
        places, devices = self.system.places, {t.device for t in self.system.threads}
        full = [] if places is None else [negated(self._resident(device, places + 1)) for device in devices]
        return every((*in_order, *full))

    def _unit_started(self, unit: str) -> Paths:
        return some(self.of[t.name].started for t in self.system.threads if self.system.unit_of[t.name] == unit)

    def _resident(self, device: int, least: int) -> Paths:
        """Where so many blocks at least are resident on a device."""
        units: dict[str, str] = {}
        left: dict[str, list[Paths]] = {}
        for thread in self.system.threads:
            if thread.device == device:
                units[thread.block_name] = self.system.unit_of[thread.name]
                left.setdefault(thread.block_name, []).append(negated(self.of[thread.name].ended))
        resident = [every((self._unit_started(unit), some(left[block]))) for block, unit in units.items()]
        if comb(len(resident), min(least, len(resident))) > _MOST_CHOICES:
            span = next(iter(self.system.program.grids.values())).span
            raise error(Code.TOO_LARGE, f"{least} of {len(resident)} blocks are too many choices", span)
        return at_least(least, resident)

    def _when(self, when: When, thread: ir.Thread | None) -> Paths:
        if when is When.QUIET:
            return negated(some(self._runs(t) for t in self.system.threads))
        assert thread is not None
        standing = self.of[thread.name]
        match when:
            case When.IN_API:
                return standing.pending
            case When.NOT_IN_API:
                return ~standing.pending
            case When.NOT_READY:
                return standing.queries
            case When.STARTED:
                return standing.started
            case When.UNIT_STARTED:
                return self._unit_started(self.system.unit_of[thread.name])
            case When.OWED:
                return some(self._owed(part, thread) for part in self.system.model.owed)

    def _runs(self, thread: ir.Thread) -> Paths:
        standing = self.of[thread.name]
        return standing.started & ~standing.ended

    def _owed(self, part: Owed, thread: ir.Thread) -> Paths:
        """Whether a thread is owed a step by a part of a progress model; units are numbered as written."""
        number_of = self.system.number_of
        own = number_of[thread.name]
        meanings: dict[Owed, Paths] = {
            Owed.EVERY: ALWAYS,
            Owed.STARTED: some(self.of[name].started for name, n in number_of.items() if n == own),
            Owed.LOWEST: every(self.of[name].ended for name, n in number_of.items() if n < own),
            Owed.BEFORE_STARTED: some(self.of[name].started for name, n in number_of.items() if n >= own),
            Owed.NONE: NEVER,
        }
        return meanings[part]
