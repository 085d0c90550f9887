"""The control flow that threads share is that of their own graphs.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import random

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.memory import graph
from scopec.memory.unfold.flow import Flow, Flows
from scopec.program import ir
from scopec.program.loops.headers import prepared
from scopec.program.types import INT
from scopec.program.values import TRUE, Builtin, Const, Named, Reg, Value, children
from tests import random_indices, random_loops
from tests.conftest import program_of
from tests.samples import EVERY, programs

COUNT = programs(4, 20)
#: So many in a file of random kernels.
KERNELS = 5 if EVERY else 3
SPAN = Source("x.cu", "x").span(0, 1)


def events(text: str) -> object:
    """All that executing the threads of a program finds, or the error."""
    try:
        found = graph.build(program_of(text), 2)
    except InputError as error:
        return error.diagnostics
    conditions = found.conditions
    named: dict[int, tuple[int, object]] = {}
    executed = [(repr(e), written(e.guard.value(conditions), named)) for e in found.events]
    cuts = [(c.thread, c.position, c.wait, written(c.guard.value(conditions), named)) for c in found.cuts]
    return executed, cuts, [*named.values()], repr((conditions, found.finals, found.control))


def written(value: Value, named: dict[int, tuple[int, object]]) -> object:
    """A value with each named one in it by its place among ``named``, where it is written once.

    At each use of each the guards of a small kernel may have hundreds of millions of nodes.
    """
    match value:
        case Named(number):
            if number not in named:
                inner = written(value.value, named)
                named[number] = len(named), inner
            return named[number][0]
        case Const() | Reg() | Builtin():
            return value
        case _:
            return type(value), getattr(value, "op", ""), value.type, *(written(v, named) for v in children(value))


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.parametrize(
    "make",
    [lambda seed: random_indices.text(seed, KERNELS), lambda seed: random_loops.program(random.Random(seed))],
    ids=["indices", "loops"],
)
@pytest.mark.sampled(1)
def test_events_are_those_of_threads_by_themselves(make, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    text = make(seed)
    shared = events(text)
    monkeypatch.setattr(Flows, "of", lambda _, body, observed: (own := prepared(body, observed), Flow(own, observed)))
    assert shared == events(text)


def a_line(*operations: ir.Operation, first: int = 0) -> ir.Body:
    """A graph of some operations one after the other, of which any is the first."""
    count = len(operations)
    nodes: dict[int, ir.Node] = {
        n: ir.Do(operation, SPAN, count if (n + 1 - first) % count == 0 else (n + 1) % count)
        for n, operation in enumerate(operations)
    }
    return ir.Body(first, nodes | {count: ir.Exit(SPAN)}, {})


A, B, PLACE = Reg("a", INT), Reg("b", INT), ir.Place("x", Const(0, INT))
SET_A, SET_B = ir.Set("a", Const(1, INT)), ir.Set("b", Const(2, INT))
STORE_A, STORE_B = (ir.Store(PLACE, value, ir.Mode()) for value in (A, B))
READ = ir.Load("a", PLACE, ir.Mode())


def a_round(first: int) -> ir.Body:
    """A loop of two nodes, of which one is the first."""
    return ir.Body(first, {0: ir.Branch(A, SPAN, 1, 2), 1: ir.Do(STORE_B, SPAN, 0), 2: ir.Exit(SPAN)}, {})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (a_round(0), a_round(1)),
        (a_line(SET_A, SET_B), a_line(SET_A, SET_B, first=1)),
        (a_line(SET_A, STORE_A), a_line(SET_A, STORE_B)),
        (a_line(SET_A, STORE_A), a_line(SET_B, STORE_A)),
        (a_line(ir.Set("b", A), ir.Set("a", B)), a_line(ir.Set("b", A), ir.Load("a", ir.Place("x", B), ir.Mode()))),
        (
            ir.Body(0, {0: ir.Branch(A, SPAN, 1, 2), 1: ir.Do(STORE_A, SPAN, 3), 2: ir.Do(STORE_B, SPAN, 3), 3: ir.Exit(SPAN)}, {}),
            ir.Body(0, {0: ir.Branch(A, SPAN, 2, 1), 1: ir.Do(STORE_A, SPAN, 2), 2: ir.Do(STORE_B, SPAN, 3), 3: ir.Exit(SPAN)}, {}),
        ),
    ],
)  # fmt: skip
def test_graphs_of_other_forms_share_nothing(one: ir.Body, other: ir.Body) -> None:
    flows = Flows()
    for body in (one, other, one):
        for observed in (frozenset[str](), frozenset("b")):
            found, flow = flows.of(body, observed)
            own = Flow(prepared(body, observed), observed)
            assert found == own.body
            assert list(found.nodes) == list(own.body.nodes)
            assert (flow.order, flow.live, flow.read_later, flow.own) == (own.order, own.live, own.read_later, own.own)


def test_a_loop_gets_its_head_in_each_graph() -> None:
    """The head that a loop begins with needs what the turn before has computed."""

    def waiting(limit: int) -> ir.Body:
        more = ir.Branch(A, SPAN, 2, 3)
        nodes = {0: ir.Do(READ, SPAN, 1), 1: more, 2: ir.Do(READ, SPAN, 4), 3: ir.Exit(SPAN)}
        return ir.Body(0, nodes | {4: ir.Do(ir.Store(PLACE, Const(limit, INT), ir.Mode()), SPAN, 1)}, {})

    flows = Flows()
    bodies = [waiting(limit) for limit in (1, 2, 3)]
    assert prepared(bodies[0]) != bodies[0]
    assert [flows.of(body, frozenset())[0] for body in bodies] == [prepared(body) for body in bodies]


def test_one_control_flow_is_found_for_threads_that_differ_in_constants() -> None:
    flows = Flows()
    bodies = [a_line(ir.Set("a", Const(n, INT)), STORE_A) for n in range(3)]
    assert len({id(flows.of(body, frozenset())[1]) for body in bodies}) == 1
    assert flows.of(a_line(SET_A, ir.Set("a", TRUE)), frozenset())[1] is not flows.of(bodies[0], frozenset())[1]
