"""Everything that orders threads is needed: without it, or weakened, the verdict on some spec changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from scopec.engines.embedded.memory.sat import solve
from scopec.memory.questions import Problem
from scopec.program import ir, values
from scopec.program.ir import Use
from scopec.session.inquiry.run import Run
from tests.test_mutations import run_of

#: What the reason of an order between threads begins with, or has in it, and the spec that notices its absence.
EDGES: dict[str, tuple[str, dict[str, str]]] = {
    "__syncthreads of": ("barriers/syncthreads.cu", {"BARRIERS": "2"}),
    "__syncthreads_count of": ("barriers/votes.cu", {}),
    "__syncwarp of": ("barriers/syncwarp.cu", {"TOGETHER": "true"}),
    "tile<4>.sync() of": ("barriers/tiles.cu", {"LANES": "4"}),
    "this_grid().sync() of": ("barriers/grid.cu", {"SYNC": "true"}),
    "this_cluster().sync() of": ("barriers/cluster.cu", {"OTHER": "1"}),
    "creation of": ("host/threads.cu", {"JOIN_FIRST": "true", "PUBLISH": "release"}),
    "end of": ("host/stop.cu", {}),
    "launch of": ("programs/vector-add.cu", {"ARRIVED": "true", "ORDERED": "true"}),
    "completion of": ("barriers/grid.cu", {"SYNC": "true"}),
    "in stream order": ("host/streams.cu", {"STREAMS": "2", "EVENT": "true"}),
}


def changed(run: Run, problem: Problem) -> bool:
    """Whether some question of a run is answered otherwise than its spec expects."""
    expected = {q.name: q.expected for q in run.problem.questions if q.expected is not None}
    before, after = solve(run.problem), solve(problem)
    assert before is not None
    assert after is not None
    assert all((before[q] is not None) == wanted for q, wanted in expected.items())
    return any((after[q] is not None) != wanted for q, wanted in expected.items() if q in after)


@pytest.mark.parametrize("why", EDGES)
def test_every_order_between_threads_is_needed(why: str) -> None:
    spec, variant = EDGES[why]
    run = run_of(spec, **variant)
    kept = tuple(s for s in run.graph.asw if why not in f"{s.why} ")
    assert kept != run.graph.asw, f"no order is because of `{why}`"
    base = replace(run.problem.base, graph=replace(run.graph, asw=kept))
    assert changed(run, replace(run.problem, base=base))


def rewritten(run: Run, change: Callable[[ir.Object | None, ir.Operation], ir.Operation]) -> Run:
    """A run of the program with its operations replaced; ``change`` is given the object that one accesses, if any."""
    program = run.program

    def of_body(body: ir.Body) -> ir.Body:
        nodes = dict(body.nodes)
        for number, node in body.nodes.items():
            if isinstance(node, ir.Do):
                place = getattr(node.operation, "place", None)
                object_ = program.objects[place.object] if isinstance(place, ir.Place) else None
                nodes[number] = replace(node, operation=change(object_, node.operation))
        return replace(body, nodes=nodes)

    grids = {name: replace(grid, body=of_body(grid.body)) for name, grid in program.grids.items()}
    host = replace(program.host, body=of_body(program.host.body))
    others = tuple(replace(thread, body=of_body(thread.body)) for thread in program.others)
    return replace(run, program=replace(program, grids=grids, host=host, others=others))


def weaker(use: Use, kind: type[ir.Operation]) -> Callable[..., ir.Operation]:
    """Operations of a kind on synchronisation objects made relaxed."""

    def change(object_: ir.Object | None, operation: ir.Operation) -> ir.Operation:
        if object_ is None or object_.use is not use or not isinstance(operation, kind):
            return operation
        return replace(operation, mode=replace(operation.mode, order=ir.Order.RELAXED))

    return change


def unconditional(use: Use) -> Callable[..., ir.Operation]:
    """Waits on synchronisation objects that wait for nothing."""

    def change(object_: ir.Object | None, operation: ir.Operation) -> ir.Operation:
        if object_ is None or object_.use is not use or not isinstance(operation, ir.Await | ir.BarrierWait):
            return operation
        return replace(operation, condition=values.TRUE)

    return change


def of_block_scope(object_: ir.Object | None, operation: ir.Operation) -> ir.Operation:
    """Members of barriers at another scope than the object's."""
    if (
        object_ is None
        or object_.use is not Use.BARRIER
        or not isinstance(operation, ir.BarrierArrive | ir.BarrierWait)
    ):
        return operation
    return replace(operation, mode=replace(operation.mode, scope=ir.Scope.BLOCK))


def of_system_scope(object_: ir.Object | None, operation: ir.Operation) -> ir.Operation:
    """The same at the widest scope."""
    narrow = of_block_scope(object_, operation)
    if narrow is operation or not isinstance(narrow, ir.BarrierArrive | ir.BarrierWait):
        return operation
    return replace(narrow, mode=replace(narrow.mode, scope=ir.Scope.SYSTEM))


def without_votes(_object: ir.Object | None, operation: ir.Operation) -> ir.Operation:
    """Votes in which every thread says no."""
    if not isinstance(operation, ir.SyncThreads) or operation.vote is None:
        return operation
    return ir.SyncThreads(replace(operation.vote, predicate=values.FALSE))


_ARRIVE_WAIT = ("barriers/arrive-wait.cu", {"WAIT": "true", "ORDERED": "true"})
_LATCH = ("barriers/latch.cu", {"COUNT": "2"})
_SEMAPHORE = ("barriers/semaphore.cu", {"FREE": "1"})
#: What is done to the operations of a program, and the spec that notices.
OPERATIONS: dict[str, tuple[Callable[..., ir.Operation], tuple[str, dict[str, str]]]] = {
    "an arrival is a release": (weaker(Use.BARRIER, ir.BarrierArrive), _ARRIVE_WAIT),
    "a wait is an acquire": (weaker(Use.BARRIER, ir.BarrierWait), _ARRIVE_WAIT),
    "a wait waits for its phase": (unconditional(Use.BARRIER), _ARRIVE_WAIT),
    "a barrier reaches as far as its scope": (of_block_scope, ("barriers/scope.cu", {"S": "device"})),
    "a barrier reaches no further": (of_system_scope, ("barriers/scope.cu", {"S": "block"})),
    "counting down is a release": (weaker(Use.LATCH, ir.Rmw), _LATCH),
    "waiting for a latch is an acquire": (weaker(Use.LATCH, ir.Await), _LATCH),
    "a latch is waited for": (unconditional(Use.LATCH), _LATCH),
    "giving back is a release": (weaker(Use.SEMAPHORE, ir.Rmw), _SEMAPHORE),
    "taking is an acquire": (weaker(Use.SEMAPHORE, ir.Await), _SEMAPHORE),
    "a semaphore is waited for": (unconditional(Use.SEMAPHORE), _SEMAPHORE),
    "asking to stop is a release": (weaker(Use.STOP, ir.Rmw), ("host/stop.cu", {})),
    "noticing is an acquire": (weaker(Use.STOP, ir.Load), ("host/stop.cu", {})),
    "votes count": (without_votes, ("barriers/votes.cu", {})),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_half_of_a_synchronisation_is_needed(name: str) -> None:
    change, (spec, variant) = OPERATIONS[name]
    run = run_of(spec, **variant)
    other = rewritten(run, change)
    assert other.program != run.program, "nothing was changed"
    assert changed(run, other.problem)
