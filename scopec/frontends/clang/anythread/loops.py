"""Loops: one turn that stands for any.

What a turn changes is any value at its beginning, but for the numbers that ``turns`` knows.  Accesses of different
turns of one thread never race, so that a turn is enough where no barrier is in the loop.  Where one is, the number of
the turn is that of the block, and the condition of another turn is written down.  A loop whose ways are all decided is
unrolled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scopec.base.records import dataclass
from scopec.frontends.clang.anythread import leaving, turns
from scopec.frontends.clang.anythread.frame import Executes, Frame, Record, Shape, Way
from scopec.frontends.clang.anythread.turns import Key
from scopec.frontends.clang.anythread.values import (
    NOWHERE,
    Cells,
    Parts,
    Pointers,
    Value,
    address,
    is_shared,
    is_told_later,
    joined_cells,
)
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.flow import targets
from scopec.program.anythread import FALSE, TRUE, Loop, Term, Ticket, both, either, is_truth, opposite

#: So many turns are unrolled at most.
_MOST_TURNS = 64
#: So many at most in one loop, with those of the loops in it.
_MOST_IN_ALL = 1000
_MOST_TRIES = 12


@dataclass(frozen=True)
class Summary:
    """The memory at the beginning of any turn, what turns change in it, of that the numbers, whether the loop has a
    barrier, the addresses of which no turn tells whose they are, but for those that turns exchange, and what atomic
    additions find in turns.
    """

    cells: Cells
    changed: set[Key]
    numbers: dict[Key, turns.Number]
    barred: bool
    unknown: dict[Key, Pointers]
    exchanged: dict[Key, Callable[[Term], Pointers]]
    numbered: dict[Key, Ticket]


def shape(function: llvm.Function, record: Record) -> Shape:
    """The shape of a function; refused if a loop has several entries."""
    after = {label: targets(code[-1].action) for label, code in function.blocks.items()}
    entry = next(iter(function.blocks))
    order: list[str] = []
    seen, open_ = {entry}, {entry}
    back: list[tuple[str, str]] = []
    stack = [(entry, iter(after[entry]))]
    while stack:
        label, left = stack[-1]
        for target in left:
            if target in open_:
                back.append((label, target))
            elif target not in seen:
                seen.add(target)
                open_.add(target)
                stack.append((target, iter(after[target])))
                break
        else:
            stack.pop()
            open_.discard(label)
            order.append(label)
    before: dict[str, list[str]] = {}
    for label in seen:
        for target in after[label]:
            before.setdefault(target, []).append(label)
    found: dict[str, frozenset[str]] = {}
    for latch, head in back:
        body, work = {head}, [latch]
        while work:
            label = work.pop()
            if label not in body:
                body.add(label)
                work += before.get(label, ())
        if entry in body and head != entry:
            raise record.refused("a loop with several entries")
        found[head] = found.get(head, frozenset()) | body
    for head, inside in found.items():
        for label in inside - {head}:
            if any(source not in inside for source in before[label]):
                raise record.refused("a loop with several entries")
    return Shape(entry, tuple(reversed(order)), found)


def run(
    executor: Executes, frame: Frame, shape: Shape, head: str, ways: list[Way],
    returned: list[tuple[Value | None, Way]],
) -> dict[str, list[Way]]:  # fmt: skip
    """Execute a loop; the ways that leave it."""
    record = executor.record
    begins, named = record.place, record.names.mark()
    mark, gone = record.mark(), len(returned)
    unrolled = _unrolled(executor, frame, shape, head, ways, returned)
    if unrolled is not None:
        return unrolled
    record.back_to(mark)
    del returned[gone:]
    condition = FALSE
    for way in ways:
        condition = either(condition, way.condition)
    before = joined_cells([(way.condition, way.cells) for way in ways], record.names)
    if any(isinstance(one.action, llvm.Phi) for one in frame.function.blocks[head]):
        raise record.refused("a loop whose turns hand on registers")
    summary = _summarised(executor, frame, shape, head, condition, before, returned)
    around, ended, barred = record.turns, record.ended, summary.barred
    turn = record.names.turn(of_block=barred)
    record.turns = (*around, turn) if barred else around
    cells = _in_turn(record, summary, turn)
    out = executor.region(frame, shape, shape.loops[head], {head: [Way("", condition, dict(cells))]}, returned, head)
    assert barred or len(record.barriers) == mark[1]
    record.forget_warps(mark)
    again = FALSE
    for way in out.get(head, []):
        again = either(again, way.condition)
    if barred:
        record.loops.append(Loop(record.turns, again, begins))
    else:
        record.again.append((turn, again))
    record.turns = around
    for label in shape.loops[head]:
        for instruction in frame.function.blocks[label]:
            frame.env.pop(instruction.result or "", None)
    left = [way for target, those in out.items() if target != head for way in those]
    left += [way for _, way in returned[gone:]]
    last = leaving.Last(record, turn, named, condition, again, left, barred=barred)
    after = leaving.after(record, cells, summary.changed, left, last)
    return _left(record, out, head, condition, after, record.ended > ended, returned, gone)


def _in_turn(record: Record, summary: Summary, turn: Term) -> Cells:
    """The memory at the beginning of a turn."""
    cells = dict(summary.cells)
    known = turns.laws(summary.numbers, cells, summary.changed)
    same = turns.of_block(summary.numbers, record.made) if summary.barred else set()
    for key, number in summary.numbers.items():
        if key in known:
            cells[key] = cells[key][0], _moved(cells[key][1], known[key](turn))
        elif isinstance(cells[key][1], Pointers):
            continue
        elif key in summary.numbered:
            found = record.names.like(number.begins)
            assert isinstance(found, Term)
            record.tickets.append(replace(summary.numbered[key], value=found))
            cells[key] = cells[key][0], found
        elif key in same:
            cells[key] = cells[key][0], record.of_block(record.names.like(number.value, "block"))
    for key in summary.unknown:
        law = summary.exchanged.get(key)
        cells[key] = cells[key][0], NOWHERE if law is None else law(turn)
    return cells


def _moved(value: Value, to: Term) -> Value:
    """A number, or the address there in the object of another."""
    return address(value.ways[0][1], to) if isinstance(value, Pointers) else to


def _left(
    record: Record, out: dict[str, list[Way]], head: str, condition: Term, after: Cells, ends: bool,
    returned: list[tuple[Value | None, Way]], gone: int,
) -> dict[str, list[Way]]:  # fmt: skip
    """The ways that leave a loop; a thread takes one of them, unless it ends in the loop."""
    exits = [(target, s) for target in out if target != head for s in dict.fromkeys(w.source for w in out[target])]
    found: dict[str, list[Way]] = {}
    for number, (target, source) in enumerate(exits):
        last = number == len(exits) - 1 and len(returned) == gone
        here = TRUE if last and not ends else _any(record)
        found.setdefault(target, []).append(Way(source, both(condition, here), dict(after)))
        condition = both(condition, opposite(here))
    for position in range(gone, len(returned)):
        value, way = returned[position]
        given = None if value is None else record.names.like(value)
        here = TRUE if position == len(returned) - 1 and not ends else _any(record)
        returned[position] = given, Way(way.source, both(condition, here), dict(after))
        condition = both(condition, opposite(here))
    return found


def _any(record: Record) -> Term:
    found = record.names.any_of(llvm.Int(1))
    assert isinstance(found, Term)
    return found


def _summarised(
    executor: Executes, frame: Frame, shape: Shape, head: str, condition: Term, before: Cells,
    returned: list[tuple[Value | None, Way]],
) -> Summary:  # fmt: skip
    """What turns change, as far as it is seen by a look at turns that begin with any values of what they change."""
    record = executor.record
    cells, changed, unknown = dict(before), set[Key](), dict[Key, Pointers]()
    for _ in range(_MOST_TRIES):
        mark, gone = record.mark(), len(returned)
        out = executor.region(
            frame, shape, shape.loops[head], {head: [Way("", condition, dict(cells))]}, returned, head
        )
        barred, tickets = len(record.barriers) > mark[1], tuple(record.tickets)
        record.back_to(mark)
        del returned[gone:]
        again = out.get(head, [])
        after = joined_cells([(way.condition, way.cells) for way in again], record.names) if again else {}
        more = {
            key for key, (size, value) in cells.items()
            if again and (key not in after or after[key][0] != size
                or not (_may_be if key in changed else _same)(value, after[key][1]))
        }  # fmt: skip
        if not more:
            exchanged = turns.exchanged(before, after, unknown)
            found = turns.numbers(before, cells, after, changed)
            given = len(record.tickets)
            numbered = turns.numbered(found, tickets[:given], tickets[given:])
            return Summary(cells, changed, found, barred, unknown, exchanged, numbered)
        for key in more:
            if key not in after or after[key][0] != cells[key][0]:
                del cells[key]
                unknown.pop(key, None)
                continue
            start = cells[key][1]
            if key in changed and not isinstance(start, Pointers):
                del cells[key]
                continue
            changed.add(key)
            like = record.names.like(_pattern(start, after[key][1]))
            if like == NOWHERE and is_shared(before[key][1]):
                like = unknown[key] = record.names.pointer()
            cells[key] = cells[key][0], like
    raise record.refused("a loop that changes more with each look at it")


def _same(one: Value, other: Value) -> bool:
    return one is other if isinstance(one, Term) else one == other


def _may_be(one: Value, other: Value) -> bool:
    """Whether a value that stands for any of its kind stands for another too."""
    match one, other:
        case Pointers(ways), Pointers(others):
            known = {object_ for _, object_, _ in ways}
            return None in known or is_told_later(one) or known.issuperset(object_ for _, object_, _ in others)
        case Parts(items), Parts(others_):
            return len(items) == len(others_) and all(map(_may_be, items, others_))
        case Term(), Term():
            return is_truth(one) == is_truth(other)
        case _:
            return False


def _pattern(start: Value, after: Value) -> Value:
    """What any value is like which is one of two."""
    if isinstance(start, Pointers) and isinstance(after, Pointers):
        return Pointers((*start.ways, *after.ways))
    return start


def _unrolled(
    executor: Executes, frame: Frame, shape: Shape, head: str, ways: list[Way],
    returned: list[tuple[Value | None, Way]],
) -> dict[str, list[Way]] | None:  # fmt: skip
    """The ways that leave a loop whose turns are decided; None if they are not."""
    record = executor.record
    outermost, record.unrolling = not record.unrolling, True
    record.unrolled = 0 if outermost else record.unrolled
    try:
        return _turn_by_turn(executor, frame, shape, head, ways, returned)
    finally:
        record.unrolling = not outermost


def _turn_by_turn(
    executor: Executes, frame: Frame, shape: Shape, head: str, ways: list[Way],
    returned: list[tuple[Value | None, Way]],
) -> dict[str, list[Way]] | None:  # fmt: skip
    current, out = ways, dict[str, list[Way]]()
    for _ in range(_MOST_TURNS):
        executor.record.unrolled += 1
        if executor.record.unrolled > _MOST_IN_ALL:
            return None
        found = executor.region(frame, shape, shape.loops[head], {head: current}, returned, head)
        again = [way for way in found.pop(head, []) if way.condition is not FALSE]
        left = [way for ways_ in found.values() for way in ways_ if way.condition is not FALSE]
        if again and left:
            return None
        if not again:
            for target, those in found.items():
                out.setdefault(target, []).extend(those)
            return out
        current = again
    return None
