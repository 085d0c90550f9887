"""Programs of which every execution takes the phases of mbarriers that one schedule takes.

That is so if these hold of a schedule in which copies are complete at their issue, for each mbarrier ("before" is the
order that program order, barriers and the phases of the schedule give, and from a wait on through what its thread
issues behind it, for only who goes on does so); who waits for ever in it waits for the phase that never ends, and does
so in every execution:

1. it is made before all other operations, and ended after them; none breaks a rule or drops an arrival;
2. who arrives, or changes the bytes, in a phase that is not the first does so after a wait for the phase before;
3. who arrives in a phase has arrived in the phase before; a thread that changes the bytes arrives behind that in the
   same phase; where an agent arrives, behind copies, each phase has one arrival;
4. a wait for a phase comes before some arrival of the next one, if that has any, and, unless it is for the first,
   after a wait for the phase before.

A phase needs every arrival that it has in the schedule, for these are as many as it expects.  So the first one that is
completed otherwise has an arrival that comes early, of a later phase.  Take an early arrival, or a wait that finds
another phase over than in the schedule, with none of either before it.

- The waits before it found the phases of the schedule, and these had their own arrivals.  Take the first that did not:
  none of those arrivals is early, for they are before it, and none is of that phase, for those come after a wait for
  the phase before (2).  So all are late, of the first phase that was completed otherwise, which then had none of its
  own; but an early one there comes behind one of its own, of the same thread (3).  Where each phase has one arrival,
  the early one comes after a wait for a phase that is not over, and was found over wrongly.
- So what comes before it in the schedule does so in this execution, too.  An early arrival comes after a wait for the
  phase before its own (2), and a wait that finds a phase over too soon after one for the phase before (4): the mbarrier
  goes on from there.  A wait that finds a later phase over comes after all arrivals of the next one, of which one comes
  after it (4).  None of them is possible.
"""

from __future__ import annotations

from collections import defaultdict
from enum import Enum
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: More sums of copies' bytes than these are not looked at.
_MOST_SUMS = 1024


class Kind(Enum):
    """The kinds of operations: ``EXPECT`` changes the bytes, ``COMPLETE`` does it for a copy."""

    INIT = "init"
    END = "end"
    ARRIVE = "arrive"
    EXPECT = "expect"
    COMPLETE = "complete"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on an mbarrier in a schedule.

    ``phase`` is the one that it finds, that of a wait the one that it finds over (-1: none was); so much is
    ``expected``, ``pending`` and in ``bytes`` after it.  An arrival that comes ``later`` is an agent's.
    """

    name: str
    thread: str
    kind: Kind
    phase: int
    expected: int
    pending: int
    bytes: int
    later: bool = False


def settled(operations: Sequence[Operation], before: Callable[[Operation, Operation], bool]) -> bool:
    """Whether the conditions hold of one mbarrier.

    ``operations`` are all of it, in the order of the schedule, none of which breaks a rule.
    """
    by_kind = {kind: _by_phase([o for o in operations if o.kind is kind]) for kind in Kind}
    arrivals, waits, expects = by_kind[Kind.ARRIVE], by_kind[Kind.WAIT], by_kind[Kind.EXPECT]
    changes = _by_phase([o for o in operations if o.kind in (Kind.ARRIVE, Kind.EXPECT, Kind.COMPLETE)])
    return (
        _lives_once(operations, before)
        and all(
            not phase or any(before(wait, change) for wait in waits.get(phase - 1, ()))
            for phase, own in changes.items()
            for change in own
        )
        and all(
            not phase or any(a.thread == b.thread for b in arrivals.get(phase - 1, ()))
            for phase, own in arrivals.items()
            for a in own
        )
        and all(
            any(e.thread == a.thread and before(e, a) for a in arrivals.get(phase, ()))
            for phase, own in expects.items()
            for e in own
        )
        and all(
            (phase + 1 not in arrivals or any(before(wait, a) for a in arrivals[phase + 1]))
            and (phase < 1 or any(before(earlier, wait) for earlier in waits.get(phase - 1, ())))
            for phase, own in waits.items()
            for wait in own
        )
    )


def _by_phase(operations: Sequence[Operation]) -> Mapping[int, Sequence[Operation]]:
    found: dict[int, list[Operation]] = defaultdict(list)
    for operation in operations:
        found[operation.phase].append(operation)
    return found


def _lives_once(operations: Sequence[Operation], before: Callable[[Operation, Operation], bool]) -> bool:
    """The first condition; and no other order of completions ends a phase that does not end in the schedule."""
    made, *rest = operations
    ends = [o for o in rest if o.kind is Kind.END]
    used = [o for o in rest if o.kind is not Kind.END]
    if made.kind is not Kind.INIT or any(o.kind is Kind.INIT for o in rest) or len(ends) > 1:
        return False
    if not all(before(made, o) and all(before(o, end) for end in ends) for o in used):
        return False
    # Where a copy completes something that somebody else ends, nothing says that it is over by then.
    behind = any(o.later for o in used)
    copied = behind or any(o.kind is Kind.COMPLETE for o in used)
    arrivals = _by_phase([o for o in used if o.kind is Kind.ARRIVE])
    # `cp.async.mbarrier.arrive` without `.noinc` asks its phase for one arrival more.
    if behind and (made.expected != 1 or any(len(own) > 1 for own in arrivals.values())):
        return False
    return (
        _is_open([made, *(o for o in used if o.kind is not Kind.WAIT)])
        and {o.expected for o in used} <= {made.expected}
        and not (ends and copied)
    )


def _is_open(changes: Sequence[Operation]) -> bool:
    """Whether the last phase never ends: arrivals are missing, or no copies of it bring just what is expected then.

    Whoever changes the bytes arrives behind that, so all that is expected is so by the time of the last arrival.
    """
    last = changes[-1]
    if last.pending > 0 or last.bytes > 0:
        return True
    before, sizes = 0, []
    for one in (o for o in changes if o.phase == last.phase):
        if one.kind is Kind.COMPLETE:
            sizes.append(before - one.bytes)
        before = one.bytes
    sums = {0}
    for size in sizes:
        sums |= {total + size for total in sums}
        if len(sums) > _MOST_SUMS:
            return False
    return last.bytes + sum(sizes) not in sums
