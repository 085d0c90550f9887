"""Branches both of whose ways are the same decide nothing: the progress question leaves them out."""

from __future__ import annotations

import pytest

from scopec.base.source import Source
from scopec.engines.embedded.progress.fair_cycles import solve
from scopec.program import ir
from scopec.program.types import BOOL
from scopec.program.values import Reg
from scopec.progress.build import build
from scopec.progress.idle_branches import without_idle_branches
from scopec.progress.reductions import NOTHING, Reductions
from scopec.session.inquiry.run import Run
from tests.conftest import plan_of

SPAN = Source("graph.cu", "\n").span(0, 0)
MEETING = ir.SyncThreads()
FENCE = ir.Fence(ir.Order.SEQ_CST, ir.Scope.DEVICE)


def _branch(then: int, otherwise: int) -> ir.Branch:
    return ir.Branch(Reg("b", BOOL), SPAN, then, otherwise)


def _do(following: int, operation: ir.Operation = FENCE) -> ir.Do:
    return ir.Do(operation, SPAN, following)


END = ir.Exit(SPAN)


@pytest.mark.parametrize(
    ("nodes", "left"),
    [
        ({0: _branch(1, 1), 1: _do(2), 2: END}, {1: _do(2), 2: END}),
        ({0: _do(1), 1: _branch(2, 3), 2: END, 3: END}, {0: _do(2), 2: END, 3: END}),
        ({0: _branch(1, 2), 1: _branch(2, 2), 2: _do(3), 3: END}, {2: _do(3), 3: END}),
        ({0: _do(1), 1: _branch(2, 0), 2: _branch(0, 0)}, {0: _do(0)}),
        ({0: _branch(1, 2), 1: _do(3), 2: _do(4), 3: END, 4: END}, {1: _do(3), 2: _do(4), 3: END, 4: END}),
        ({0: _branch(1, 2), 1: _do(1), 2: _do(2)}, {1: _do(1), 2: _do(2)}),
        # Ways that are not the same.
        ({0: _branch(1, 2), 1: _do(2), 2: END}, None),
        ({0: _branch(1, 2), 1: _do(3), 2: _do(4), 3: _do(5), 4: END, 5: END}, None),
        # Places at which threads meet.
        ({0: _branch(1, 2), 1: _do(3, MEETING), 2: _do(3, MEETING), 3: END}, None),
        # A thread that goes round for ever.
        ({0: _branch(0, 0)}, None),
        ({0: _branch(1, 1), 1: _branch(0, 0)}, None),
    ],
)
def test_graphs(nodes: dict[int, ir.Node], left: dict[int, ir.Node] | None) -> None:
    body = ir.Body(0, nodes, {})
    found = without_idle_branches(body)
    assert found.nodes == (nodes if left is None else left)
    assert found.entry == (0 if left is None else min(left))


#: A kernel of two blocks, whether it ends, and whether values of `x` decide that.
KERNELS = {
    "unused": ("for (int i = 0; i < 3; i++) atomicCAS(&x, i, i + 1);", True, False),
    "last": ("atomicCAS(&x, 0, 1);", True, False),
    "branched on": ("if (atomicCAS(&x, 0, 1) == 0) y = 1;", True, True),
    "waited for": ("if (atomicCAS(&x, 0, 1) == 0) while (true);", False, True),
    "retried": ("while (atomicCAS(&x, 0, 1) != 0); x = 0;", True, True),
    "for ever": ("while (true) atomicCAS(&x, 0, 1);", False, False),
}


def _run(write, kernel: str, options: str = "") -> Run:  # type: ignore[no-untyped-def]
    text = f"__device__ int x, y;\n__global__ void k() {{ {kernel} }}\n{options}//@ launch k<<<2, 1>>>();\n"
    (run,) = plan_of(write(text + "//@ expect terminates;\n")).runs
    return run


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sampled(4)
def test_an_exchange_whose_success_nobody_asks_for_decides_nothing(name: str, write) -> None:  # type: ignore[no-untyped-def]
    kernel, ends, decides = KERNELS[name]
    run = _run(write, kernel)
    whole = solve(build(run.program, run.progress, NOTHING), "Termination")
    system = build(run.program, run.progress, Reductions())
    less = solve(system, "Termination")
    assert whole.holds is less.holds is ends
    assert less.states < whole.states
    assert ("x" in run.slice.deciding) is decides


@pytest.mark.parametrize(("option", "stay"), [("dependencies", False), ("syntactic", True), ("off", False)])
def test_they_stay_where_a_model_takes_dependencies_from_the_text(option: str, stay: bool, write) -> None:  # type: ignore[no-untyped-def]
    run = _run(write, KERNELS["last"][0], f"//@ options thin_air = {option};\n")
    body = run.slice.bodies["k[0][0]"]
    assert any(isinstance(node, ir.Branch) for node in body.nodes.values()) is stay
