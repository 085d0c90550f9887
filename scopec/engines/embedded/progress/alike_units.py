"""Units of a grid that can be exchanged: of those that have not started only the first one is started.

Such are units all of whose steps are sure (:mod:`scopec.engines.embedded.progress.persistent_steps`) and that come to
their end by these: each thread ends whatever it reads, and all of a unit come to the same barriers in the same order,
on all their ways, so that none waits in vain.  A step that starts one of them leads, with the sure steps behind it, to
a state in which all its threads have ended.  What these steps write nobody else accesses before the grid has completed
(``settled``), so starts of two such units lead to the same in either order.

Whether one may start is asked of its grid, and of the number of places that blocks take on a device: a unit that has
ended takes none, and all units of a grid are of one size and on one device.  So a behaviour with the names of these
units exchanged is one.  Nor does a promise tell them apart: before it has started a unit is owed nothing itself, only
"some device thread starts" is, and after that it has ended.  It is not so where units start in the order of their
indices, of which each waits for one of them, nor under models that owe something to units by their numbers.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from scopec.engines.embedded.progress.places import waits_of
from scopec.program import ir
from scopec.program.collective import by_chance
from scopec.program.warp import EVERY_LANE
from scopec.progress.steps import Wait

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scopec.engines.embedded.progress.persistent_steps import SureSteps
    from scopec.progress.steps import Step


def previous(sure: SureSteps) -> Mapping[int, int]:
    """For each thread that such a unit is started with, that of the unit before, which has to be started first."""
    system, threads = sure.system, sure.stepping.threads
    if not sure.threads or not system.reductions.alike_units or not system.model.has_host or system.unit_before:
        return {}
    ending = frozenset(label for label in sure.first if _passes(system.steps[label]))
    waiting = frozenset(label for label in ending if isinstance(system.steps[label].operation, Wait))
    units: dict[str, list[int]] = defaultdict(list)
    for number in sure.threads:
        units[system.unit_of[threads[number].name]].append(number)
    grids: dict[str, list[int]] = defaultdict(list)
    for unit in units.values():
        grid = threads[unit[0]].grid
        if grid is not None and _ends(sure, unit, ending, waiting):
            grids[grid].append(next(number for number in unit if number not in sure.second))
    return {after: before for firsts in grids.values() for before, after in pairwise(firsts)}


def _ends(sure: SureSteps, unit: Sequence[int], ending: frozenset[str], waiting: frozenset[str]) -> bool:
    """Whether a unit that is started ends at once."""
    found = {
        waits_of(sure.system, sure.stepping.threads[number], sure.labels[number] & ending, waiting) for number in unit
    }
    return len(found) == 1 and None not in found


def _passes(step: Step) -> bool:
    """Whether a thread gets past a step, if it may wait there, once all threads of its unit have come there."""
    match step.operation:
        case Wait(operation) | (ir.GroupSync() as operation) if isinstance(operation, ir.GroupSync):
            whole = operation.group is not ir.Group.WARP or operation.mask == EVERY_LANE
            return whole and operation.group is not ir.Group.GRID and operation.waits and not by_chance(operation)
        case Wait(operation):
            return isinstance(operation, ir.SyncThreads)
        case _:
            return not step.blocks
