"""Abstracts high iteration limits of wait loops: "limit reached" becomes a free choice.

A wait may have any number of turns that change nothing, so the turn in which a count reaches its limit does not
matter: executions and schedules that reach it in another turn differ by turns that nobody notices.  The free choice is
a ``timeout`` where the wait gives up, else a ``failure``: the wait looks at something else, again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scopec.base.records import dataclass, replace
from scopec.program import ir, types, values
from scopec.program.conditions import looked_through
from scopec.program.effects import registers, uses_and_definitions
from scopec.program.loops.facts import AGAIN, added_by, facts
from scopec.program.loops.loops import live_registers
from scopec.program.values import Binary, Const, Convert, Reg, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Set

    from scopec.program.loops.facts import Facts

#: Counts that end a wait after no more turns than this are counted.
NEAR = 64
#: The number of turns that are looked at one by one, for conditions such as ``turns % 1024 == 0``.
_FIRST_TURNS = 1100
_WORD = 32
#: The most turns that are counted to find the value with which a loop gives up.
_MOST_TURNS = 1 << 16


def left_open(body: ir.Body, observed: Set[str] = frozenset()) -> ir.Body:
    """The graph with far counts of its waits left open; the ``observed`` registers matter at its end."""
    straight = looked_through(_straight(body))
    nodes = dict(straight.nodes)
    for fact in facts(straight):
        if fact.entries == {fact.loop.head} and fact.idle(AGAIN):
            for number, up, what in _counted(fact, observed):
                _leave_open(nodes, number, what, up=up)
    return replace(body, nodes=nodes) if len(nodes) > len(body.nodes) else body


def _straight(body: ir.Body) -> ir.Body:
    """The graph without the branches that the node before decides, as `a && b` has them where it is false."""

    def after(node: ir.Node) -> ir.Node:
        match node:
            case ir.Do(ir.Set(target, Const() as value), _, following):
                test = body.nodes[following]
                if isinstance(test, ir.Branch) and registers(test.condition) == {target}:
                    known = values.substitute(test.condition, lambda leaf: value if leaf.name == target else leaf)
                    if isinstance(known, Const):
                        return replace(node, next=test.then if known.value else test.otherwise)
                return node
            case _:
                return node

    return replace(body, nodes={number: after(node) for number, node in body.nodes.items()})


def _leave_open(nodes: dict[int, ir.Node], number: int, what: Literal["timeout", "failure"], *, up: bool) -> None:
    branch, after = nodes[number], max(nodes) + 1
    assert isinstance(branch, ir.Branch)
    is_up = Reg(f"{min(registers(branch.condition))}_is_up", types.BOOL)
    nodes[number] = ir.Do(ir.Decide(is_up.name, what), branch.span, after)
    nodes[after] = replace(branch, condition=is_up if up else values.unary("!", is_up))


def _counted(fact: Facts, observed: Set[str]) -> Iterator[tuple[int, bool, Literal["timeout", "failure"]]]:
    """The branches of a loop that a far count alone decides: how it comes out where that is up, and what that means.

    1. A register counts (:func:`_count`), nothing else passes from turn to turn, and the count is of no use afterwards.
    2. The loop waits: an exit depends on something else than the count.
    3. The one branch on the count comes out the same in the first turns, and otherwise once the count is up.
    4. Until then each turn adds to the count and looks at it, and none begins it anew.
    5. No read follows the look in a turn: one in which the count is up has read all that the turns before it have.
    6. A turn can be made again with the same reads, and no way round misses the addition or the look.

    If the count then leaves the loop, it is a timeout, provided that it is far; else a failure, provided that it recurs
    or is begun anew.
    """
    live = live_registers(fact.body, frozenset(observed))
    loop, inside, outside, computed = fact.loop, fact.nodes, fact.outside, fact.computed
    for name in sorted(computed):
        count = _count(fact, name)
        of_count = {name, *_copies(inside, name)}
        # Nothing else passes from turn to turn, and what is counted is of no use afterwards.
        if count is None or any(live[f] & of_count for f in outside) or live[loop.head] & computed - of_count:
            continue
        (number, test) = count.test
        if not any(one.names & (computed - of_count) for one in fact.exits):  # none waits
            continue
        found = _up(test.condition, count)
        if found is None:
            continue
        up, first, again = found
        usual, then = (test.otherwise, test.then) if up else (test.then, test.otherwise)
        # Until the count is up, each turn adds to it and looks at it, and none begins it anew.
        turn = {n: [usual] if n == number else [*ir.successors(node)] for n, node in inside.items()}
        if usual not in inside or _leads(turn, loop.head, count.resets):
            continue
        # It looks at the count last: a turn in which that is up has read all that the turns before it have.
        reads = {n for n, node in inside.items() if isinstance(node, ir.Do) and isinstance(node.operation, ir.Access)}
        if _leads(turn, usual, reads, around={loop.head}, itself=True) or not _repeats(inside, turn, loop.head):
            continue
        if any(_leads(turn, loop.head, {loop.head}, around={place}) for place in (number, count.place)):
            continue
        edges = {n: [*ir.successors(node)] for n, node in inside.items()}
        if then not in inside or not _leads(edges, then, {loop.head}, {number}, itself=True):
            if first > NEAR:
                yield number, up, "timeout"
        elif again or not _leads(edges, then, {loop.head}, count.resets, itself=True):
            yield number, up, "failure"


def _repeats(inside: Mapping[int, ir.Node], turn: Mapping[int, list[int]], head: int) -> bool:
    """Whether a turn can be made again with the same reads: one, or of several places without any order."""
    usual = [n for n in inside if n == head or _leads(turn, head, {n})]
    operations = [node.operation for n in usual if isinstance(node := inside[n], ir.Do)]
    reads = [operation for operation in operations if isinstance(operation, ir.Access)]
    places = [read.place for read in reads]
    if len(reads) <= 1:
        return True
    return (
        all(isinstance(read, ir.Load) and read.mode.order in (None, ir.Order.RELAXED) for read in reads)
        and all(isinstance(place.index, Const) for place in places)
        and all(place not in places[:n] for n, place in enumerate(places))
        and not any(isinstance(operation, ir.Fence) for operation in operations)
    )


def _leads(
    edges: Mapping[int, list[int]], start: int, goals: Set[int], around: Set[int] = frozenset(), *, itself: bool = False
) -> bool:
    """Whether a way leads from a node of a loop to one of some others without some, and without leaving the loop."""
    seen: set[int] = set()
    work = [start] if itself else edges[start] if start not in around else []
    work = list(work)
    while work:
        number = work.pop()
        if number in seen or number in around or number not in edges:
            continue
        if number in goals:
            return True
        seen.add(number)
        work += edges[number]
    return False


@dataclass(frozen=True)
class _Count:
    """A register that counts turns: what it may begin with, what the node at ``place`` adds, the branch it decides.

    More registers than those of :attr:`Facts.steps`: it may be begun anew in the loop, and copied.
    """

    name: str
    starts: Set[Const]
    step: int
    place: int
    resets: Set[int]
    test: tuple[int, ir.Branch]


def _count(fact: Facts, name: str) -> _Count | None:
    inside, starts = fact.nodes, _held(fact, name)
    copies = _copies(inside, name)
    steps: dict[int, int] = {}
    resets: set[int] = set()
    tests: dict[int, ir.Branch] = {}
    for number, node in inside.items():
        used, defined = uses_and_definitions(node)
        match node:
            case ir.Do(ir.Set(target, Const() as value)) if target == name:
                starts.add(value)
                resets.add(number)
            case ir.Do(ir.Set(_, value)) if (step := added_by(node, name)) is not None:
                if _narrows(value):
                    return None
                steps[number] = step
            case ir.Branch(condition) if registers(condition) and registers(condition) <= {name, *copies}:
                original = values.substitute(condition, lambda leaf: copies.get(leaf.name, leaf))
                tests[number] = replace(node, condition=original)
            case ir.Do(ir.Set(target)) if target in copies:
                pass
            case _:
                if (used | defined) & {name, *copies}:
                    return None
    known = {start for start in starts if start is not None}
    if len(steps) != 1 or len(tests) != 1 or not known or known != starts:
        return None
    ((place, step),) = steps.items()
    return _Count(name, known, step, place, resets, *tests.items())


def _narrows(value: Value) -> bool:
    while isinstance(value, Convert):
        if value.type.bits < values.children(value)[0].type.bits or value.type.bits < _WORD:
            return True
        value = value.operand
    return value.type.bits < _WORD


def _copies(inside: Mapping[int, ir.Node], name: str) -> dict[str, Value]:
    """The registers of a loop that hold what a count has been: `n++ > 1000` looks at one."""
    found: dict[str, Value] = {}
    several: set[str] = set()
    for node in inside.values():
        defined = uses_and_definitions(node)[1]
        several |= defined & found.keys()
        match node:
            case ir.Do(ir.Set(target, value)) if target != name and registers(value) == {name}:
                found[target] = value
            case _:
                several |= defined
    return {target: value for target, value in found.items() if target not in several}


def _held(fact: Facts, name: str) -> set[Const | None]:
    """The constants that a register may hold where a loop is entered, None among them if that is not known."""
    body, head = fact.body, fact.loop.head
    before: dict[int, set[int]] = {n: set() for n in body.nodes}
    for number, node in body.nodes.items():
        for following in ir.successors(node):
            before[following].add(number)
    found: set[Const | None] = {None} if body.entry == head else set()
    seen: set[int] = set()
    work = [n for n in before[head] if n not in fact.nodes]
    while work:
        number = work.pop()
        if number in seen:
            continue
        seen.add(number)
        match body.nodes[number]:
            case ir.Do(ir.Set(target, value)) if target == name:
                found.add(value if isinstance(value, Const) else None)
            case node if number == body.entry or name in uses_and_definitions(node)[1]:
                found.add(None)
            case _:
                work += before[number]
    return found


def _up(condition: Value, count: _Count) -> tuple[bool, int, bool] | None:
    """The outcome of a condition once a count is up, the least turns until then, and whether it recurs."""
    found = [_flips(condition, start, count) for start in count.starts]
    known = [one for one in found if one is not None]
    if len(known) < len(found) or len({up for up, _, _ in known}) > 1:
        return None
    return known[0][0], min(first for _, first, _ in known), all(again for _, _, again in known)


def _flips(condition: Value, start: Const, count: _Count) -> tuple[bool, int, bool] | None:
    near = {
        (many * constant.value - start.value) // count.step + beside
        for constant in values.constants(condition)
        for many in (1, 2, 3)
        for beside in range(-3, 4)
    }

    def out(turns: int) -> bool | None:
        held = Const(start.type.wrap(start.value + count.step * turns), start.type)
        found = values.substitute(condition, lambda leaf: held if leaf.name == count.name else leaf)
        return bool(found.value) if isinstance(found, Const) else None

    usual = out(1)
    if usual is None or out(0) is not usual or out(2) is not usual:
        return None
    ups = [turns for turns in sorted({*near, *range(3, _FIRST_TURNS)}) if turns > 2 and out(turns) is (not usual)]
    return (not usual, ups[0], len(ups) > 1 and _recurs(condition)) if ups else None


def _recurs(condition: Value) -> bool:
    """Whether what comes out so twice does so again and again: at every multiple, or from somewhere on."""
    match condition:
        case Binary("==" | "!=", Binary("%" | "&", _, Const()), Const()):
            return True
        case Binary(">" | ">=" | "<" | "<=", Reg() | Convert(Reg()), Const()):
            return True
        case _:
            return False


# ---------------------------------------------------------------- in searches for hangs


def gives_up(condition: Value, held: Mapping[str, Value], steps: Mapping[str, int], stays: bool) -> int | None:
    """After how many more turns a condition is no longer ``stays``, whatever is read; None if that is not found.

    ``held`` are the registers' values, of those that count turns constants; ``steps`` what a turn adds to these.
    """
    mentioned = [name for name in steps if name in registers(condition)]
    now = {name: value for name in mentioned if isinstance(value := held.get(name), Const)}
    if not mentioned or len(now) < len(mentioned):
        return None
    for turns in range(_MOST_TURNS):

        def advanced(leaf: Reg | values.Builtin, turns: int = turns) -> Value:
            known = now.get(leaf.name)
            return leaf if known is None else after(known, steps[leaf.name], turns)

        decided = values.substitute(condition, advanced)
        if isinstance(decided, Const) and bool(decided.value) is not stays:
            return turns
    return None


def after(value: Const, step: int, turns: int) -> Const:
    """The value of a register that counts turns, after some more."""
    return Const(value.type.wrap(value.value + step * turns), value.type)
