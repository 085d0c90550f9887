"""C++ under a model of PTX: each line of the mapping is needed, and is what libcu++ compiles to."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.base.source import Source
from scopec.engines.embedded.memory.sat import solve
from scopec.frontends.ptx.table import ORDERS, SCOPES
from scopec.memory.given import ptx
from scopec.program import ir, types
from scopec.program.ir import Order, Scope
from scopec.program.values import Const
from scopec.session.check import Settings, check
from tests.test_mutations import run_of

INSTRUCTIONS = ptx.instructions
OBJECTS = {name: ir.Object(name, Source("", "").span(0, 0), types.INT, ir.Storage.DEVICE, (0,)) for name in "xyf"}

# ---------------------------------------------------------------- each line is needed


def without_its_fence(kind: type[ir.Operation]) -> Callable[[ir.Operation], list[ir.Operation]]:
    return lambda operation: [one for one in given(operation) if not (isinstance(operation, kind) and is_fence(one))]


def is_fence(operation: ir.Operation) -> bool:
    return isinstance(operation, ir.Fence)


def given(operation: ir.Operation) -> list[ir.Operation]:
    return list(INSTRUCTIONS(operation, OBJECTS))


def relaxed(kind: type[ir.Operation]) -> Callable[[ir.Operation], list[ir.Operation]]:
    """What comes behind the fence is relaxed."""

    def change(operation: ir.Operation) -> list[ir.Operation]:
        found = given(operation)
        if isinstance(operation, kind) and is_fence(found[0]):
            found[1] = replace(found[1], mode=replace(found[1].mode, order=Order.RELAXED))  # type: ignore[call-arg, union-attr]
        return found

    return change


def light(operation: ir.Operation) -> list[ir.Operation]:
    """A fence that acquires and releases is in no order with others."""
    return [replace(one, order=Order.ACQ_REL) if isinstance(one, ir.Fence) else one for one in given(operation)]


def as_it_is(operation: ir.Operation) -> list[ir.Operation]:
    return [operation] if isinstance(operation, ir.CompareExchange) else given(operation)


ALIKE = {"SEND": "seq_cst", "RECEIVE": "seq_cst"}
#: What an operation is instead of the instructions of the mapping, and the program that notices.
CHANGES = {
    "a load begins with a fence": (without_its_fence(ir.Load), "seq-cst", {"STORE": "release", "LOAD": "seq_cst", "BY": "0"}),
    "a store begins with a fence": (without_its_fence(ir.Store), "seq-cst-message", {**ALIKE, "BY": "0"}),
    "an update begins with a fence": (without_its_fence(ir.Rmw), "seq-cst", {"STORE": "release", "LOAD": "seq_cst", "BY": "3"}),
    "a compare-exchange begins with a fence": (without_its_fence(ir.CompareExchange), "seq-cst-message", {**ALIKE, "BY": "2"}),
    "fences are in one order": (light, "iriw", {"STORE": "seq_cst", "LOAD": "seq_cst"}),
    "a load acquires": (relaxed(ir.Load), "seq-cst-message", {**ALIKE, "BY": "0"}),
    "an update acquires": (relaxed(ir.Rmw), "seq-cst-message", {**ALIKE, "BY": "1"}),
    "a wait acquires": (relaxed(ir.Await), "seq-cst-message", {**ALIKE, "BY": "3"}),
    "a failed compare-exchange has the order of success": (as_it_is, "compare-exchange", {"ABOUT": "1", "SUCCESS": "acquire", "EXPECTED": "7"}),
    "a failed compare-exchange writes": (as_it_is, "compare-exchange", {"ABOUT": "2", "SUCCESS": "relaxed", "EXPECTED": "7"}),
    "a compare-exchange fails for a reason": (as_it_is, "compare-exchange", {"ABOUT": "3", "SUCCESS": "relaxed", "EXPECTED": "0"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_line_is_needed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, spec, variant = CHANGES[name]
    assert answered(spec, variant)
    monkeypatch.setattr(ptx, "instructions", lambda operation, _: change(operation))
    assert not answered(spec, variant)


def answered(spec: str, variant: dict[str, str]) -> bool:
    """Whether the answers are those that a program expects."""
    problem = run_of(f"ptx/{spec}.cu", "ptx", **variant).problem
    answers = solve(problem)
    assert answers is not None
    return all((answers[q.name] is not None) == q.expected for q in problem.questions if q.expected is not None)


# ---------------------------------------------------------------- what libcu++ compiles to

ALL = (Order.RELAXED, Order.ACQUIRE, Order.RELEASE, Order.ACQ_REL, Order.SEQ_CST)
#: Operations of C++, the orders that they can have, and what they are in the Program form.
PLACE, ONE = ir.Place("x", Const(0, types.INT)), Const(1, types.INT)
OPERATIONS: dict[str, tuple[tuple[Order, ...], Callable[[ir.Mode], ir.Operation]]] = {
    "r = x.load(ORDER)": (ir.READ_ORDERS, lambda mode: ir.Load("r", PLACE, mode)),
    "x.store(1, ORDER)": (ir.WRITE_ORDERS, lambda mode: ir.Store(PLACE, ONE, mode)),
    "r = x.exchange(1, ORDER)": (ALL, lambda mode: ir.Rmw("r", PLACE, ONE, mode)),
    "r = x.fetch_add(1, ORDER)": (ALL, lambda mode: ir.Rmw("r", PLACE, ONE, mode)),
    "r = x.fetch_max(1, ORDER)": (ALL, lambda mode: ir.Rmw("r", PLACE, ONE, mode)),
    **{
        f"int e = 0; r = x.compare_exchange_{kind}(e, 1, ORDER, cuda::memory_order_{failure.value})": (
            ALL,
            lambda mode, failure=failure, kind=kind: ir.CompareExchange(
                "r", "ok", PLACE, ONE, ONE, mode, failure, kind == "weak"
            ),
        )
        for kind in ("strong", "weak")
        for failure in ir.READ_ORDERS
    },
    "cuda::atomic_thread_fence(ORDER, SCOPE)": (ALL[1:], lambda mode: ir.Fence(mode.order or ALL[0], mode.scope)),
}
CASES = [
    (text, order, scope)
    for text, (orders, _) in OPERATIONS.items()
    for order in orders
    for scope in (Scope.BLOCK, Scope.DEVICE, Scope.SYSTEM)
]
#: What stands for what in the names of PTX.
WORD = {order: word for word, order in ORDERS.items()}
PTX_SCOPE = {scope: word for word, scope in SCOPES.items()}


def said(order: Order, scope: Scope, text: str) -> list[str]:
    """The instructions that scopec takes an operation for."""
    operation = OPERATIONS[text][1](ir.Mode(order, scope))
    return [word for one in given(operation) if (word := instruction(one))]


def instruction(operation: ir.Operation) -> str:
    names = {ir.Load: "ld", ir.Store: "st", ir.Rmw: "atom"}
    match operation:
        case ir.Fence(order, scope):
            return f"fence {WORD[order]} {PTX_SCOPE[scope]}"
        case ir.Load(mode=mode) | ir.Store(mode=mode) | ir.Rmw(mode=mode):
            return f"{names[type(operation)]} {WORD[mode.order]} {PTX_SCOPE[mode.scope]}"
        case _:
            return ""


def compiled(text: str) -> list[str]:
    """The instructions of PTX that access memory in an order."""
    found = []
    for line in re.findall(r"^\s*((?:ld|st|atom|fence)\.[\w.:]+)", text, re.MULTILINE):
        opcode, *words = line.split(".")
        order, scope = ([w for w in words if w in known] for known in (ORDERS, SCOPES))
        if order and scope:
            found.append(f"{opcode} {order[0]} {scope[0]}")
    return found


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")
def test_libcuxx_compiles_to_the_mapping(tmp_path: Path) -> None:
    """But for fences, which it strengthens, as the document of the mapping permits."""
    lines = ["#include <cuda/atomic>"]
    for n, (text, order, scope) in enumerate(CASES):
        body = text.replace("ORDER", f"cuda::memory_order_{order.value}")
        body = body.replace("SCOPE", f"cuda::thread_scope_{scope.name.lower()}")
        lines += [
            f'extern "C" __global__ void k{n}(int* at, int* out) {{',
            f"    cuda::atomic_ref<int, cuda::thread_scope_{scope.name.lower()}> x(*at); int r = 0; {body}; *out = r;",
            "}",
        ]
    source = tmp_path / "a.cu"
    source.write_text("\n".join(lines))
    subprocess.run(["nvcc", "-arch=sm_90", "-ptx", str(source), "-o", str(tmp_path / "a.ptx")], check=True)
    text = (tmp_path / "a.ptx").read_text()
    kernels = dict(re.findall(r"^\.visible \.entry k(\d+)\((.*?)^\}", text, re.MULTILINE | re.DOTALL))
    for n, (text, order, scope) in enumerate(CASES):
        expected = said(order, scope, text)
        if isinstance(OPERATIONS[text][1](ir.Mode(order, scope)), ir.Fence):
            expected = [re.sub("fence (acquire|release)", "fence acq_rel", one) for one in expected]
        assert compiled(kernels[str(n)]) == expected, (text, order, scope)


# ---------------------------------------------------------------- what a failed compare-and-swap writes

FAILS = """#include <cuda/atomic>
__device__ unsigned f;
__global__ void k() {
    unsigned r = 9;
    if (blockIdx.x == 0) r = f;
    else { SWAP }
}
//@ launch k<<<2, 1>>>();
"""
#: A swap that fails, and whether its write races with a read under the CUDA models; under ptx each does.
SWAPS = {
    'asm volatile("atom.cas.b32 %0, [%1], 9, 3;" : "=r"(r) : "l"(&f) : "memory");': True,
    "r = atomicCAS(&f, 9u, 3u);": False,
    "cuda::atomic_ref<unsigned, cuda::thread_scope_device>(f).compare_exchange_strong(r, 3);": False,
}


@pytest.mark.parametrize("swap", SWAPS)
def test_atom_cas_writes_where_it_fails(swap: str, write: Callable[..., Path]) -> None:
    """PTX ISA, "atom": it is a read-modify-write; C++20 [atomics.types.operations]: a failed one is an atomic load."""
    under_cuda = "race on f" if SWAPS[swap] else "race_free"
    text = f"{FAILS.replace('SWAP', swap)}//@ expect {under_cuda} under cuda;\n//@ expect race on f under ptx;\n"
    (outcome,) = check([write(text)], Settings(engine="embedded", cache=False))
    assert [c.verdict for report in outcome.reports for c in report.checks] == ["holds"] * 2
