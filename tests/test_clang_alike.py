"""The threads of a grid get one graph, of which each has its own part."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from scopec.base.source import Source
from scopec.program import ir, types, values
from scopec.program.merge_threads import together
from scopec.program.specialise import specialise, thread_builtins
from scopec.program.thread_indices import Indices
from scopec.program.values import Const, Reg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scopec.base.source import Span

TEXT = Source("k.cu", "k\n" * 99)
SPAN = TEXT.span(0, 1)
VALUE = Reg("v", types.INT)
#: What threads may disagree on: constants that are sums of multiples of indices, and others.
NUMBERS: tuple[Callable[[Mapping[str, int]], int], ...] = (
    lambda _: 7,
    lambda at: at["threadIdx.x"],
    lambda at: at["threadIdx.x"] + 4 * at["blockIdx.x"] + 3,
    lambda at: 5 - at["threadIdx.x"] - at["threadIdx.y"],
    lambda at: at["threadIdx.x"] ^ 1,
    lambda at: at["blockIdx.x"] * at["threadIdx.x"],
)  # fmt: skip
CONDITIONS: tuple[Callable[[Mapping[str, int]], bool], ...] = (
    lambda at: at["threadIdx.x"] == 0,
    lambda at: at["blockIdx.x"] == 1,
    lambda at: at["threadIdx.x"] < 2,
    lambda at: (at["threadIdx.x"] + at["blockIdx.x"]) % 2 == 0,
)


def _line(number: int) -> Span:
    return TEXT.span(2 * number, 2 * number + 1)


def grid_of(blocks: ir.Dim, threads: ir.Dim) -> ir.Grid:
    return ir.Grid("k", "k", SPAN, blocks, threads, ir.legacy_stream(0), ir.Body(0, {}, {}))


class _Writer:
    """Writes the graph of one thread, from its end on, as a program of all threads says it."""

    def __init__(self, at: Mapping[str, int]) -> None:
        self.at = at
        self.nodes: dict[int, ir.Node] = {0: ir.Exit(SPAN)}

    def add(self, node: ir.Node) -> int:
        self.nodes[len(self.nodes)] = node
        return len(self.nodes) - 1

    def statements(self, random: Random, after: int, depth: int = 2) -> int:
        for _ in range(random.randint(1, 3)):
            after = self.statement(random, after, depth)
        return after

    def statement(self, random: Random, after: int, depth: int) -> int:
        kind, line = random.choice(["store", "store", "if", "choice", "loop"] if depth else ["store"]), random.random()
        span = _line(int(line * 50))
        inner = Random(line)  # so that all threads agree on what is written here, whether they come by or not
        match kind:
            case "store":
                number = Const(inner.choice(NUMBERS)(self.at), types.INT)
                value = values.binary("+", VALUE, number) if inner.random() < 0.3 else number
                place = ir.Place("x", Const(0, types.INT))
                return self.add(ir.Do(ir.Store(place, value, ir.Mode()), span, after))
            case "if":
                return self.statements(inner, after, depth - 1) if inner.choice(CONDITIONS)(self.at) else after
            case "choice":
                ways = self.statements(inner, after, depth - 1), self.statements(inner, after, depth - 1)
                return self.add(ir.Branch(VALUE, span, *ways))
            case _:
                head = self.add(ir.Exit(SPAN))
                body = self.statements(inner, head, depth - 1)
                self.nodes[head] = ir.Branch(VALUE, span, body, after)
                return head


def body_of(seed: int, at: Mapping[str, int]) -> ir.Body:
    writer = _Writer(at)
    entry = writer.statements(Random(seed), 0, 3)
    return ir.Body(entry, writer.nodes, {})


def same(one: ir.Body, other: ir.Body) -> bool:
    """Whether two graphs do the same from their entries on."""
    seen, work = set(), [(one.entry, other.entry)]
    while work:
        if (pair := work.pop()) in seen:
            continue
        seen.add(pair)
        mine, its = one.nodes[pair[0]], other.nodes[pair[1]]
        after = list(zip(ir.successors(mine), ir.successors(its), strict=False))
        match mine, its:
            case ir.Do(), ir.Do():
                equal = (mine.operation, mine.span) == (its.operation, its.span)
            case ir.Branch(), ir.Branch():
                equal = (mine.condition, mine.span) == (its.condition, its.span)
            case _:
                equal = type(mine) is type(its)
        if not equal:
            return False
        work += after
    return True


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.sampled(26)
def test_each_thread_does_in_the_one_graph_what_it_does_in_its_own(seed: int) -> None:
    blocks, threads = Random(seed).choice([(ir.Dim(2), ir.Dim(4)), (ir.Dim(3), ir.Dim(1)), (ir.Dim(1), ir.Dim(2, 3))])
    grid = grid_of(blocks, threads)
    places = [(block, lane) for block in range(blocks.count) for lane in range(threads.count)]
    bodies = {place: body_of(seed, thread_builtins(grid, *place)) for place in places}
    whole = together(grid, bodies)
    for place, body in bodies.items():
        mine = specialise(whole, thread_builtins(grid, *place))
        assert same(mine, specialise(body, {})), place


def _writes(numbers: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], ir.Body]:
    place = ir.Place("x", Const(0, types.INT))
    return {
        at: ir.Body(1, {0: ir.Exit(SPAN), 1: ir.Do(ir.Store(place, Const(n, types.INT), ir.Mode()), SPAN, 0)}, {})
        for at, n in numbers.items()
    }


@pytest.mark.parametrize(
    ("threads", "number", "shown"),
    [
        (ir.Dim(4), lambda t: t.x, "threadIdx.x"),
        (ir.Dim(4), lambda t: 3 * t.x + 1, "threadIdx.x * 3 + 1"),
        (ir.Dim(4), lambda t: 3 - t.x, "3 - threadIdx.x"),
        (ir.Dim(2, 2), lambda t: 2 * t.y + t.x, "threadIdx.y * 2 + threadIdx.x"),
    ],
)
def test_constants_that_are_a_sum_of_indices_are_shown_as_such(
    threads: ir.Dim, number: Callable[[ir.Dim], int], shown: str
) -> None:
    bodies = _writes({(0, lane): number(threads.position(lane)) for lane in range(threads.count)})
    whole = together(grid_of(ir.Dim(1), threads), bodies)
    (operation,) = (node.operation for node in whole.nodes.values() if isinstance(node, ir.Do))
    assert isinstance(operation, ir.Store)
    assert values.show(operation.value) == shown
    assert len(whole.nodes) == 2


@pytest.mark.parametrize(
    ("there", "shown"),
    [
        (lambda t: 2 <= t % 8 < 5, "threadIdx.x % 8 >= 2 && threadIdx.x % 8 < 5"),
        (lambda t: t % 4 in (0, 2), "threadIdx.x % 2 < 1"),
        (lambda t: t % 8 == 0, "threadIdx.x % 8 < 1"),
        (lambda t: 8 <= t < 24, "blockIdx.x * 16 + threadIdx.x >= 8 && blockIdx.x * 16 + threadIdx.x < 24"),
        (lambda t: t % 6 == 0, None),  # no block is as the one before
    ],
)
def test_threads_are_told_by_ranges_or_remainders(there: Callable[[int], bool], shown: str | None) -> None:
    grid = grid_of(ir.Dim(3), ir.Dim(16))
    places = [(block, lane) for block in range(3) for lane in range(16)]
    condition = Indices(grid, [[at] for at in places])._among({at for at in places if there(16 * at[0] + at[1])})
    assert shown is None or values.show(condition) == shown
    for at in places:
        indices = thread_builtins(grid, *at)
        assert values.evaluate(condition, lambda leaf: indices[leaf.name]) == there(16 * at[0] + at[1])  # noqa: B023


def test_what_follows_a_branch_on_indices_is_there_once() -> None:
    """`if (threadIdx.x == 0) x = 1; x = 5; x = 6;` by two threads."""
    place = ir.Place("x", Const(0, types.INT))
    writes = {n: ir.Do(ir.Store(place, Const(7 - n, types.INT), ir.Mode()), _line(9 - n), n - 1) for n in (1, 2, 3)}
    last: dict[int, ir.Node] = {0: ir.Exit(SPAN), 1: writes[1], 2: writes[2]}
    first = last | {3: writes[3]}
    whole = together(grid_of(ir.Dim(1), ir.Dim(2)), {(0, 0): ir.Body(3, first, {}), (0, 1): ir.Body(2, last, {})})
    assert len(whole.nodes) == 5
    entry = whole.nodes[whole.entry]
    assert isinstance(entry, ir.Branch)
    assert values.show(entry.condition) == "threadIdx.x == 0"


def test_a_sum_may_be_there_for_all_and_not_for_some_of_them() -> None:
    """`1 + blockIdx.x` for three threads: of two of them alone the first solution is not whole, and they stay apart."""
    grid = grid_of(ir.Dim(2), ir.Dim(10))
    places = [(block, lane) for block in range(2) for lane in range(10)]

    def write(to: str, number: int, line: int, following: int) -> ir.Do:
        return ir.Do(
            ir.Store(ir.Place(to, Const(0, types.INT)), Const(number, types.INT), ir.Mode()), _line(line), following
        )

    bodies = {}
    for n, at in enumerate(places):
        # What follows is of one form, and so is told apart in the end alone: no multiple of the index is 1 for the first.
        nodes: dict[int, ir.Node] = {0: ir.Exit(SPAN), 1: write("z", int(at == (0, 0)), 3, 0)}
        nodes[2] = write("y", 1 + at[0], 2, 1)
        nodes[3] = write(f"x{n}", 0, 1, 2 * (at in ((0, 0), (0, 9), (1, 6))))
        bodies[at] = ir.Body(3, nodes, {})
    whole = together(grid, bodies)
    for at, body in bodies.items():
        assert same(specialise(whole, thread_builtins(grid, *at)), specialise(body, {})), at
