"""Generated TLA+: golden files, values, and what the steps are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Span
from scopec.engines.tla.emit import emit
from scopec.engines.tla.engine import PROGRESS
from scopec.engines.tla.values import Printer, tla_name
from scopec.program import ir, types, values
from scopec.program.types import INT, UINT, IntType
from scopec.program.values import Const, Reg
from scopec.progress.build import build
from scopec.progress.reductions import NOTHING, Reductions
from scopec.progress.show import show_machine
from scopec.progress.steps import leaves
from scopec.session.inquiry.questions import header, progress_problem
from scopec.session.plan import Overrides, plan
from tests.conftest import program_of
from tests.test_alloy_emit import PROGRAMS

U8, S8 = IntType("unsigned char", 8, signed=False), IntType("signed char", 8, signed=True)
A, B = Reg("a", INT), Reg("b", INT)


@pytest.mark.parametrize("name", ["message-passing", "counters", "host"])
@pytest.mark.sampled(1)
def test_golden(name: str, golden) -> None:  # type: ignore[no-untyped-def]
    (run,) = plan(PROGRAMS / f"{name}.cu", f"{name}.cu", Overrides()).runs
    for property_ in run.properties:
        for file, text in PROGRESS.extending(progress_problem(run, property_)).items():
            golden(file, text)


def test_golden_without_reductions(golden) -> None:  # type: ignore[no-untyped-def]
    """Every step and every object, and the laws in the module."""
    (run,) = plan(PROGRAMS / "host.cu", "host.cu", Overrides()).runs
    module = emit(build(run.program, reductions=NOTHING), "host__whole", header(run, "progress"), "Termination")
    golden("host__whole.tla", module.tla)


def printer() -> Printer:
    return Printer(lambda leaf: leaf.name, Span("a.cu", 1, 1, 1, 1))


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (values.binary("+", A, Const(1, INT)), "a + 1"),
        (values.binary("*", values.binary("+", A, B), B), "(a + b) * b"),
        (values.binary("-", A, values.binary("-", B, A)), "a - (b - a)"),
        (values.binary("==", A, B), "IF a = b THEN 1 ELSE 0"),
        (values.choose(values.binary("<", A, B), A, B), "IF a < b THEN a ELSE b"),
        (values.convert(values.binary("+", A, Const(10, INT)), U8), "(a + 10) % 256"),
        (values.convert(A, S8), "(((a) + 128) % 256) - 128"),
        (values.binary("+", values.convert(A, U8), B), "((a) % 256) + b"),
        (values.binary("==", values.convert(A, U8), B), "IF (a) % 256 = b THEN 1 ELSE 0"),
        (values.binary("-", Reg("a", UINT), Reg("b", UINT)), "Minus(a, b)"),
        (values.convert(A, UINT), "Unsigned(a)"),
        (values.binary("/", A, B), "Quotient(a, b)"),
        (values.binary("%", A, B), "Remainder(a, b)"),
        (values.binary("&", A, B), "BitAnd(a, b)"),
        (values.binary("|", A, B), "a + b - BitAnd(a, b)"),
        (values.binary("<<", A, Const(3, INT)), "a * 8"),
        (values.unary("-", A), "-a"),
    ],
)
def test_values(value: values.Value, wanted: str) -> None:
    assert printer().value(value) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (
            values.binary("&&", values.binary("<=", A, B), values.unary("!", values.convert(A, types.BOOL))),
            "a <= b /\\ ~(a # 0)",
        ),
        (
            values.binary(
                "||",
                values.convert(A, types.BOOL),
                values.binary("&&", values.convert(B, types.BOOL), Reg("c", types.BOOL)),
            ),
            "a # 0 \\/ (b # 0 /\\ c # 0)",
        ),
        (
            values.binary(
                "||",
                values.binary("&&", values.convert(A, types.BOOL), values.convert(B, types.BOOL)),
                Reg("c", types.BOOL),
            ),
            "(a # 0 /\\ b # 0) \\/ c # 0",
        ),
        (values.unary("!", Reg("c", types.BOOL)), "c = 0"),
        (values.TRUE, "TRUE"),
    ],
)
def test_conditions(value: values.Value, wanted: str) -> None:
    assert printer().condition(value) == wanted


def test_values_that_tlc_cannot_hold_are_refused() -> None:
    with pytest.raises(InputError, match="needs more than TLC's 32 bits"):
        printer().value(Const(1 << 31, types.LONG))


def test_reserved_words() -> None:
    assert [tla_name(n) for n in ("IF", "WF_x", "x", "_", "then")] == ["IF_", "WF_x_", "x", "x_", "then"]


# ---------------------------------------------------------------- steps

HEAD = "__device__ int x; __device__ cuda::atomic<int, cuda::thread_scope_device> f;\n"


def steps_of(kernel: str, *, split: bool = False, threads: int = 1) -> dict[str, tuple[str, ...]]:
    """For each label of the kernel the labels that its step leads to."""
    text = HEAD + "__global__ void k() { " + kernel + " }\n//@ launch k<<<1, " + str(threads) + ">>>();"
    system = build(program_of(text), reductions=Reductions(polls=not split, objects=False))
    return {
        label: tuple(dict.fromkeys(e.label for e in leaves(s.tree))) for label, s in system.machines["k"].steps.items()
    }


def silent_of(kernel: str) -> set[str]:
    text = HEAD + "__global__ void k() { " + kernel + " }\n//@ launch k<<<1, 1>>>();"
    return set(build(program_of(text)).silent_cycles)


def shown(kernel: str, *, split: bool = False, reader: str = "scoped") -> str:
    """The steps of the kernel."""
    text = HEAD + "__global__ void k() { " + kernel + " }\n//@ launch k<<<1, 1>>>();"
    system = build(program_of(text, reader=reader), reductions=Reductions(polls=not split, objects=False))
    return "\n".join(line.removeprefix("  ") for line in show_machine(system.machines["k"], system))


def test_local_arithmetic_is_part_of_the_step_before() -> None:
    expected = """\
begins -> k_L2
k_L2: loads f (seq_cst, device) (counts)
    if %%old * 2 == 4 -> k_L2_2 with r = %%old * 2
    else -> k_L2_3
k_L2_2: writes x = r -> k_L2_3 with stores r, r = 0
k_L2_3: writes x = 1 -> done with stores 1"""
    assert shown("int r = f.load(); r = r * 2; if (r == 4) x = r; x = 1;") == expected


def test_a_poll_is_one_label_unless_its_turns_are_counted() -> None:
    for split, again in ((False, "k_L2"), (True, "k_L2_again")):
        expected = f"""\
begins -> k_L2
k_L2: loads f (seq_cst, device) (counts)
    if %%old == 0 -> {again}
    else -> done"""
        more = "\nk_L2_again: goes round again -> k_L2" if split else ""
        assert shown("while (f.load() == 0);", split=split) == expected + more


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("kernel", "silent"),
    [
        ("while (true);", {"k_L2", "k_L2_again"}),
        ("while (true) f.store(1);", {"k_L2", "k_L2_again"}),
        ("while (x == 0);", {"k_L2", "k_L2_again"}),
        ("while (true) { f.store(1); f.load(); }", set()),
        ("while (true) f.exchange(1);", set()),
        ('while (true) printf("x");', set()),
        ("while (true) __syncthreads();", set()),
        ("while (true) __threadfence();", {"k_L2", "k_L2_again"}),
        ("while (true) { __nanosleep(1); x = 1; }", {"k_L2", "k_L2_again"}),
        ("volatile int v = 1; while (v);", {"k_L2", "k_L2_again"}),
        ("for (int i = 0; i < 3; i++);", set()),
        ("f.store(1); x = 1;", set()),
    ],
)
def test_silent_cycles(kernel: str, silent: set[str]) -> None:
    """[intro.progress.1] as modified for device threads; a step that leads to itself gets a second label."""
    assert silent_of(kernel) == silent


def test_many_decisions_get_steps_of_their_own() -> None:
    kernel = "int r = f.load(); int n = 0; " + "".join(f"if (r == {i}) n += {i}; " for i in range(8)) + "x = n;"
    steps = steps_of(kernel)
    assert len(steps) > 3
    assert all(len(after) <= 2 for after in steps.values())


def test_a_weak_compare_exchange_may_fail() -> None:
    expected = """\
begins -> k_L2 with e = 0
k_L2: compares and exchanges f (seq_cst, device) (counts)
    if %%old == e
        either -> done with stores 1, e = 0
        or -> k_L2 with e = 0
    else -> k_L2 with e = 0"""
    assert shown("int e = 0; while (!f.compare_exchange_weak(e, 1)) e = 0;") == expected


def test_what_the_progress_question_does_not_model() -> None:
    program = program_of(
        HEAD + "__global__ void k() { f = 1; }\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }"
    )
    launch = next(n for n, node in program.host.body.nodes.items() if isinstance(node, ir.Do))
    node = program.host.body.nodes[launch]
    assert isinstance(node, ir.Do)
    round_again = replace(program.host.body, nodes={**program.host.body.nodes, launch: replace(node, next=launch)})
    with pytest.raises(InputError, match="does not model a loop that launches a grid"):
        build(replace(program, host=replace(program.host, body=round_again)))
    inside = replace(program.grids["k"], body=program.host.body)
    with pytest.raises(InputError, match="a kernel cannot make this call"):
        build(replace(program, grids={"k": inside}))
