"""Loops: one turn that stands for any.

What a turn changes is any value at its beginning, but what each turn adds the same to: that is ``start + turn * step``.
Accesses of different turns of one thread never race, so that a turn is enough where no barrier is in the loop.  Where
one is, the number of the turn is that of the block, and the condition of another turn is written down.  A loop whose
ways are all decided is unrolled.
"""

from __future__ import annotations

from scopec.frontends.clang.anythread.frame import Executes, Frame, Record, Shape, Way
from scopec.frontends.clang.anythread.values import Cells, Pointers, Value, joined_cells
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.flow import targets
from scopec.program import anythread as terms
from scopec.program.anythread import FALSE, TRUE, Loop, Term, both, either, opposite, truth

#: So many turns are unrolled at most.
_MOST_TURNS = 64
_MOST_TRIES = 12


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
    begins = record.place
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
    cells, changed, steps, barred = _summarised(executor, frame, shape, head, condition, before, returned)
    turn = record.names.turn(of_block=barred)
    for key, (start, step) in steps.items():
        cells[key] = cells[key][0], terms.add(start, terms.mul(turn, step))
    around, ended = record.turns, record.ended
    record.turns = (*around, turn) if barred else around
    out = executor.region(frame, shape, shape.loops[head], {head: [Way("", condition, dict(cells))]}, returned, head)
    assert barred or len(record.barriers) == mark[1]
    if barred:
        again = FALSE
        for way in out.get(head, []):
            again = either(again, way.condition)
        record.loops.append(Loop(record.turns, again, begins))
    record.turns = around
    for label in shape.loops[head]:
        for instruction in frame.function.blocks[label]:
            frame.env.pop(instruction.result or "", None)
    return _left(record, out, head, condition, cells, changed, record.ended > ended, returned, gone)


def _left(
    record: Record, out: dict[str, list[Way]], head: str, condition: Term, cells: Cells, changed: set[tuple[str, int]],
    ends: bool, returned: list[tuple[Value | None, Way]], gone: int,
) -> dict[str, list[Way]]:  # fmt: skip
    """The ways that leave a loop, each with any values of what its turns change; a thread takes one of them, unless it
    ends in the loop.
    """
    after = {key: (size, record.names.like(value) if key in changed else value) for key, (size, value) in cells.items()}
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
    return truth(found.name, "thread")


def _summarised(
    executor: Executes, frame: Frame, shape: Shape, head: str, condition: Term, before: Cells,
    returned: list[tuple[Value | None, Way]],
) -> tuple[Cells, set[tuple[str, int]], dict[tuple[str, int], tuple[Term, Term]], bool]:  # fmt: skip
    """The memory at the beginning of any turn, what turns change in it, of that what each adds the same to, and whether
    the loop has a barrier.
    """
    record = executor.record
    cells, changed = dict(before), set[tuple[str, int]]()
    for _ in range(_MOST_TRIES):
        mark, gone = record.mark(), len(returned)
        out = executor.region(
            frame, shape, shape.loops[head], {head: [Way("", condition, dict(cells))]}, returned, head
        )
        barred = len(record.barriers) > mark[1]
        record.back_to(mark)
        del returned[gone:]
        again = out.get(head, [])
        after = joined_cells([(way.condition, way.cells) for way in again], record.names) if again else {}
        more = {
            key for key, (size, value) in cells.items()
            if again and key not in changed
            and (key not in after or after[key][0] != size or not _same(value, after[key][1]))
        }  # fmt: skip
        if not more:
            return cells, changed, _steps(before, cells, after, changed), barred
        for key in more:
            if key not in after or after[key][0] != cells[key][0]:
                del cells[key]
                continue
            changed.add(key)
            cells[key] = cells[key][0], record.names.like(_pattern(before[key][1], after[key][1]))
    raise record.refused("a loop that changes more with each look at it")


def _same(one: Value, other: Value) -> bool:
    return one is other if isinstance(one, Term) else one == other


def _pattern(start: Value, after: Value) -> Value:
    """What any value is like which is one of two."""
    if isinstance(start, Pointers) and isinstance(after, Pointers):
        return Pointers((*start.ways, *after.ways))
    return start


def _steps(
    before: Cells, cells: Cells, after: Cells, changed: set[tuple[str, int]]
) -> dict[tuple[str, int], tuple[Term, Term]]:
    """Where numbers begin, and what each turn adds to them: something that no turn changes."""
    varying = {name for key in changed if isinstance(value := cells[key][1], Term) for name in terms.symbols(value)}
    offsets = [value for key in changed if isinstance(value := cells[key][1], Pointers)]
    varying |= {name for value in offsets for _, _, offset in value.ways for name in terms.symbols(offset)}
    found = {}
    for key in changed:
        if key not in cells or key not in after:
            continue
        begins, value, next_ = before[key][1], cells[key][1], after[key][1]
        if not (isinstance(begins, Term) and isinstance(value, Term) and isinstance(next_, Term)):
            continue
        step = _step(value, next_)
        if step is not None and all(_stays(one) and name not in varying for name, one in terms.symbols(step).items()):
            found[key] = begins, step
    return found


def _stays(symbol: Term) -> bool:
    """Whether a symbol is the same in each turn: one made for a read in the loop is not."""
    return symbol.level == "launch" or not symbol.name.startswith("?")


def _step(value: Term, after: Term) -> Term | None:
    """What is added to a number, if nothing else is done with it."""
    left, rest, found = [after], terms.ZERO, False
    while left:
        term = left.pop()
        if term is value and not found:
            found = True
        elif term.op == "add":
            left += term.args
        else:
            rest = terms.add(rest, term)
    return rest if found else None


def _unrolled(
    executor: Executes, frame: Frame, shape: Shape, head: str, ways: list[Way],
    returned: list[tuple[Value | None, Way]],
) -> dict[str, list[Way]] | None:  # fmt: skip
    """The ways that leave a loop whose turns are decided; None if they are not."""
    current, out = ways, dict[str, list[Way]]()
    for _ in range(_MOST_TURNS):
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
