"""Operands that C leaves in no order: no program order between them, and every order where values depend on it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.litmus.lower.program import lower
from scopec.frontends.litmus.syntax.reader import read
from scopec.memory.events.events import EventGraph, Kind, unsequenced
from scopec.memory.graph import build
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.oracles.evaluations import Sum, text, values
from tests.random_expressions import random_expression
from tests.samples import EVERY, programs

pytestmark = pytest.mark.usefixtures("kept_machines")

CHECK = "indices, pointers and arithmetic are valid"
HEAD = "C order\n{ int a[2]; int* p = &x; }\nP0 (atomic_int* x, atomic_int* y, atomic_int* z, int* a, int** p) {"


def graph_of(body: str, head: str = HEAD) -> EventGraph:
    source = Source("t.litmus", head.replace("int* p = &x", "p = x") + body + "}\nexists (true)\n")
    return build(lower(read(source), source, "t").program, 2)


def in_no_order(body: str) -> set[str]:
    """The pairs of accesses that nothing orders, each as ``Rx Wy``."""
    events = [e for e in graph_of(body).events if e.thread]
    names = {e.id: f"{e.kind.value}{e.location.object}" for e in events if e.location is not None}
    return {f"{names[a.id]} {names[b.id]}" for a, b in combinations(events, 2) if unsequenced(a, b)}


@pytest.mark.parametrize(
    ("statement", "pairs"),
    [
        # Operands of operators (C11 6.5/3).
        ("int r = atomic_load(x) + atomic_load(y);", {"Rx Ry"}),
        ("int r = *x + *y;", {"Rx Ry"}),
        ("int r = atomic_load(x) << atomic_load(y);", {"Rx Ry"}),  # sequenced in C++ alone
        ("int r = atomic_load(x) == atomic_load(y);", {"Rx Ry"}),
        ("int r = -atomic_load(x) - !atomic_load(y);", {"Rx Ry"}),
        ("int r = (atomic_load(x) + atomic_load(y)) * atomic_load(z);", {"Rx Ry", "Rx Rz", "Ry Rz"}),
        ("int r = atomic_load(x) + 1;", set()),
        ("int r = atomic_load(x) + a[1];", {"Rx Ra"}),
        ("int r = (*x)++ + *y;", {"Rx Ry", "Wx Ry"}),
        ("int r = atomic_exchange(x, 1) & atomic_fetch_add(y, 1);", {"Rx Ry", "Rx Wy", "Wx Ry", "Wx Wy"}),
        ("int r = atomic_load(x); int s = atomic_load(y);", set()),
        ("int r = atomic_load(x), s = atomic_load(y);", set()),
        ("if (atomic_load(x)) *y = 1;", set()),
        ("while (atomic_load(x) + atomic_load(y) < 2);", {"Rx Ry"}),
        # Those with a sequence point after the first operand.
        ("int r = atomic_load(x) && atomic_load(y);", set()),
        ("int r = atomic_load(x) || atomic_load(y);", set()),
        ("int r = atomic_load(x) ? atomic_load(y) : atomic_load(z);", set()),
        ("int r = (atomic_load(x), atomic_load(y));", set()),
        ("atomic_load(x), *y = 1;", set()),
        ("int r = (atomic_load(x) && atomic_load(y)) + atomic_load(z);", {"Rx Rz", "Ry Rz"}),
        # Assignments: the store after both sides (6.5.16/3).
        ("*y = *x;", set()),
        ("*z = *x + *y;", {"Rx Ry"}),
        ("**p = *y;", {"Rp Ry"}),
        ("a[atomic_load(x)] = atomic_load(y);", {"Rx Ry"}),
        ("*y += *x;", {"Ry Rx"}),
        ("int r = a[*x] + **p;", {"Rx Rp", "Rx Rx", "Ra Rp", "Ra Rx", "Rx Ry", "Rx Rz", "Ra Ry", "Ra Rz", "Rx Ra", "Ra Ra"}),
        # Arguments, and the call after them (6.5.2.2/10).
        ("atomic_store(z, atomic_load(x) + atomic_load(y));", {"Rx Ry"}),
        ("atomic_store(z, atomic_load(x));", set()),
        ("atomic_store(*p, atomic_load(y));", {"Rp Ry"}),
        ("atomic_fetch_add(x, *y);", set()),
        ("atomic_compare_exchange_strong(x, y, *z);", set()),
        ("atomic_compare_exchange_strong(x, *p, *z);", {"Rp Rz"}),
        ("int r = atomic_compare_exchange_strong(x, a, 1) + *z;", {"Ra Rz", "Rx Rz", "Wx Rz", "Wa Rz"}),
    ],
)  # fmt: skip
def test_which_events_have_no_order(statement: str, pairs: set[str]) -> None:
    assert in_no_order(statement) == pairs


def test_fences_and_what_comes_after() -> None:
    graph = graph_of("int r = (atomic_thread_fence(memory_order_seq_cst), atomic_load(x)) + atomic_load(y); *z = 1;")
    fence, x, y, z = (e for e in graph.events if e.thread)
    assert (fence.kind, z.kind) == (Kind.FENCE, Kind.WRITE)
    assert [unsequenced(a, b) for a, b in combinations((fence, x, y, z), 2)] == [
        False, True, False, True, False, False,
    ]  # fmt: skip


def test_each_turn_of_a_loop_is_an_evaluation_of_its_own() -> None:
    graph = graph_of("for (int i = 0; i < 2; i++) { int r = atomic_load(x) + atomic_load(y); }")
    x1, y1, x2, y2 = (e for e in graph.events if e.thread)
    assert [unsequenced(a, b) for a, b in combinations((x1, y1, x2, y2), 2)] == [True, False, False, False, False, True]


def test_a_branch_or_a_fault_of_one_operand_says_nothing_about_another() -> None:
    graph = graph_of("int r = (atomic_load(x) && atomic_load(y)) + atomic_load(z);")
    ((*_, z),) = [[e for e in graph.events if e.thread]]
    assert graph.control[z.id] == frozenset()
    graph = graph_of(
        "int r = 6 / atomic_load(x) + atomic_exchange(y, 1); *z = 1;\n} P1 (atomic_int* x) { atomic_store(x, 1);"
    )
    of_y, of_z = ([e.guard.always for e in graph.events if e.thread == "P0" and e.location.object == n] for n in "yz")  # type: ignore[union-attr]
    assert (of_y, of_z) == ([True, True], [False])


# ---------------------------------------------------------------- verdicts


def verdict(folder: Path, program: str, engine: str = "embedded", **overrides: str) -> dict[str, str]:
    path = folder / "test.litmus"
    path.write_text(program)
    (outcome,) = check([path], Settings(engine=engine, cache=False, overrides=Overrides(**overrides)))  # type: ignore[arg-type]
    assert outcome.failure is None, outcome.failure
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    return {c.expectation.text: c.verdict for r in outcome.reports for c in r.checks}


#: P1 writes x before y; P0 reads both.  What it computes if it has seen y alone.
PASSES = """\
C t
{}
P0 (atomic_int* x, atomic_int* y) { int r = EXPRESSION; }
P1 (atomic_int* x, atomic_int* y) { atomic_store(x, 1); atomic_store(y, 1); }
exists (0:r=2)
"""
ORDERS = [
    ("2 * atomic_load(y) + atomic_load(x)", "holds"),
    ("atomic_load(x) + 2 * atomic_load(y)", "holds"),
    ("(2 * atomic_load(y)) | atomic_load(x)", "holds"),
    ("atomic_load(y) && !atomic_load(x) ? 2 : 0", "violated"),
    ("!atomic_load(x) && atomic_load(y) ? 2 : 0", "holds"),
    ("atomic_load(y) ? 2 - atomic_load(x) : 0", "violated"),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("expression", "wanted"), ORDERS)
@pytest.mark.parametrize("model", ["cuda", "rc11", "sc-drf"])
def test_message_passing_to_operands(expression: str, wanted: str, model: str, tmp_path: Path) -> None:
    program = PASSES.replace("EXPRESSION", expression)
    assert verdict(tmp_path, program, model=model)["exists (0:r=2)"] == wanted


@pytest.mark.jvm
def test_alloy_leaves_the_same_events_in_no_order(tmp_path: Path) -> None:
    paths = []
    for number, (expression, _) in enumerate(ORDERS):
        paths.append(tmp_path / f"{number}.litmus")
        paths[-1].write_text(PASSES.replace("EXPRESSION", expression))
    found = check(paths, Settings(engine="both", cache=False))
    kinds = [[c.verdict for r in o.reports for c in r.checks if c.expectation.kind == "condition"] for o in found]
    assert kinds == [[wanted] for _, wanted in ORDERS]
    assert all(o.failure is None for o in found)


OWN = "C t\n{{ x = 0; e = 5; }}\nP0 (atomic_int* x, atomic_int* e) {{ {} }}\nexists ({})\n"


@pytest.mark.parametrize(
    ("statement", "possible", "impossible"),
    [
        ("int r = 2 * atomic_exchange(x, 1) + atomic_load(x);", ("0:r=0", "0:r=1"), ("0:r=2", "0:r=3")),
        ("int r = atomic_fetch_add(x, 1) - atomic_fetch_add(x, 1);", ("0:r=1", "0:r=-1"), ("0:r=0",)),
        ("int r = (*x = 1) + atomic_load(x);", ("0:r=1", "0:r=2"), ("0:r=0",)),
        ("int r = atomic_compare_exchange_strong(x, e, 1) + 2 * atomic_load(e);", ("0:r=10", "0:r=0"), ("0:r=1",)),
        ("int r = (atomic_exchange(x, 1), 0) + atomic_load(x);", ("0:r=0", "0:r=1"), ()),
        ("int r = (atomic_exchange(x, 1), atomic_load(x));", ("0:r=1",), ("0:r=0",)),
    ],
)
def test_both_orders_for_values(
    statement: str, possible: tuple[str, ...], impossible: tuple[str, ...], tmp_path: Path
) -> None:
    for state, wanted in [*((s, "holds") for s in possible), *((s, "violated") for s in impossible)]:
        found = verdict(tmp_path, OWN.format(statement, state))
        assert found == {f"exists ({state})": wanted, "race_free": "holds"}


# ---------------------------------------------------------------- what is undefined (C11 6.5/2)


@pytest.mark.parametrize(
    ("statement", "undefined"),
    [
        ("int r = *x + (*x = 1);", True),
        ("int r = (*x = 1) + (*x = 1);", True),
        ("int r = *x + (*x)++;", True),
        ("int r = *x + *x;", False),
        ("int r = *y + (*x = 1);", False),
        ("int r = atomic_load(x) + (*x = 1);", False),  # what a function does comes before or after
        ("int r = *x + atomic_exchange(x, 1);", False),
        ("int r = atomic_compare_exchange_strong(y, x, 1) + *x;", False),
        ("int r = *x && (*x = 1);", False),
        ("int r = (*x = 1, *x);", False),
        ("*x = *x + 1;", False),
        ("*x += *x;", False),
        ("int r = (*y && (*x = 1)) + *x;", False),  # y is 0
        ("int r = (!*y && (*x = 1)) + *x;", True),
        ("int r = **p + (*x = 1);", True),
        ("int r = **p + (*y = 1);", False),
        ("int r = a[*y] + (a[0] = 1);", True),
        ("int r = a[*y] + (a[1] = 1);", False),
    ],
)
def test_an_object_in_memory_that_operands_change_and_use(statement: str, undefined: bool, tmp_path: Path) -> None:
    program = HEAD.replace("int* p = &x", "p = x") + statement + "}\nexists (true)\n"
    assert verdict(tmp_path, program).get(CHECK, "holds") == ("violated" if undefined else "holds")


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("r = r + (r = 1);", "r"),
        ("r = s++ + s;", "s"),
        ("r = r++;", "r"),
        ("r = (r = 1);", "r"),
        ("r += r++;", "r"),
        ("r = atomic_compare_exchange_strong(x, &s, 1) + s;", "s"),
        ("r = (atomic_compare_exchange_strong(x, &s, 1), 1) + (s = 2);", "s"),
        ("a[s] = s++;", "s"),
        ("atomic_store(x + s, s = 0);", "s"),
        ("*x = (*x = 1);", "*x"),
        ("*x = (*x)++;", "*x"),
        ("**p = (*y = 1);", "*p"),
    ],
)
def test_a_register_that_operands_change_and_use_is_an_error(statement: str, name: str) -> None:
    with pytest.raises(InputError) as raised:
        graph_of(f"int r = 0, s = 0; {statement}")
    (found,) = raised.value.diagnostics
    assert (found.code.id, found.message) == (
        "SCP028",
        f"`{name}` is changed in one part of this expression and used in another, and C does not order them",
    )


@pytest.mark.parametrize(
    "statement",
    [
        "r = r + 1;",
        "r = s + s;",
        "r = s++ && s;",
        "r = s++ ? s : -s;",
        "r = (s++, s);",
        "r = (r = 1, 2);",
        "r = atomic_compare_exchange_strong(x, &r, 1);",
        "r = atomic_compare_exchange_strong(x, &s, 1) && s;",
        "r = (s = 1) + 2;",
        "*x = (*y = 1);",
        "*x = (*x = 1, 2);",
        "a[0] = (a[1] = 1);",
        "*x = atomic_exchange(x, *x = 1);",
    ],
)
def test_a_register_that_is_used_in_order_is_none(statement: str) -> None:
    graph_of(f"int r = 0, s = 0; {statement}")


def test_a_barrier_beside_other_operands_is_an_error() -> None:
    head = "OPENCL t\n{}\nP0@wg 0,dev 0 (global atomic_int* x) {"
    fine = "int r = (barrier(CLK_GLOBAL_MEM_FENCE), 1);"
    graph_of(fine, head)
    with pytest.raises(InputError) as raised:
        graph_of(fine.replace("1)", "1) + atomic_load(x)"), head)
    assert raised.value.diagnostics[0].message.startswith("a barrier beside other operands")


# ---------------------------------------------------------------- progress


WAITS = """\
C t
{}
P0 (atomic_int* x, atomic_int* y) { int r = EXPRESSION; if (r == VALUE) while (atomic_load(y) == 0); }
exists (true)
"""
WAYS = [
    ("2 * atomic_exchange(x, 1) + atomic_load(x)", {0, 1}),
    ("atomic_load(x) + 2 * atomic_exchange(x, 1)", {0, 1}),
    ("(atomic_exchange(x, 1), atomic_load(x))", {1}),
    ("atomic_exchange(x, 1) || atomic_load(x)", {1}),
    ("(atomic_fetch_add(x, 1) + 4 * atomic_fetch_add(x, 1)) - 8 * (1 - atomic_load(x))", {-7, -4, 1, 4, 9, 12}),
]  # fmt: skip


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_progress_takes_every_order(engine: str, tmp_path: Path) -> None:
    """A thread waits for ever after one value alone, so each value that is possible is a way to hang."""
    wanted: dict[str, bool] = {}
    for number, (program, possible) in enumerate(WAYS):
        for value in range(-8, 14):
            if (engine == "both" or not EVERY) and value not in (*possible, 0, 2):
                continue
            path = tmp_path / f"{number}v{value}.litmus"
            path.write_text(WAITS.replace("EXPRESSION", program).replace("VALUE", str(value)))
            wanted[str(path)] = value in possible
    outcomes = check(
        [Path(p) for p in wanted], Settings(engine=engine, cache=False, overrides=Overrides(progress="fair"))
    )  # type: ignore[arg-type]
    found = {}
    for outcome in outcomes:
        assert outcome.failure is None, outcome.failure
        found[outcome.file] = any(
            c.expectation.kind == "terminates" and c.verdict == "violated" for r in outcome.reports for c in r.checks
        )
    assert found == wanted


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(programs(2, 10)))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    """Against small steps: each value that the expression of P0 may have is one after which it may wait for ever."""
    chance = Random(seed)
    depth = 2 if EVERY else 1
    threads = (Sum((random_expression(chance, depth), random_expression(chance, 1))), random_expression(chance, 1))
    possible = values(threads, (("x", 0), ("y", 0)))
    some = sorted({*possible, *(chance.randint(-1, 20) for _ in range(3))})
    paths = [tmp_path / f"{value}.litmus" for value in some]
    for value, path in zip(some, paths, strict=True):
        path.write_text(
            "C t\n{}\nP0 (atomic_int* x, atomic_int* y, atomic_int* z) {\n"
            f"  int r = {text(threads[0])}; if (r == {value}) while (atomic_load(z) == 0);\n}}\n"
            f"P1 (atomic_int* x, atomic_int* y) {{ int r = {text(threads[1])}; }}\nexists (true)\n//@ expect terminates;\n"
        )
    found = check(paths, Settings(engine="embedded", overrides=Overrides(progress="fair")))
    hangs = {value for value, o in zip(some, found, strict=True) if o.reports[0].checks[0].verdict == "violated"}
    assert hangs == possible, text(threads[0])


def test_no_order_is_promised(tmp_path: Path) -> None:
    """An implementation that always evaluates the second operand first never ends this loop."""
    loop = "C t\n{}\nP0 (atomic_int* x) { while (EXPRESSION == 0) atomic_store(x, 0); }\nexists (true)\n"
    either = loop.replace("EXPRESSION", "atomic_load(x) + 0 * atomic_exchange(x, 1)")
    assert verdict(tmp_path, either, progress="fair")["terminates"] == "violated"
    ordered = loop.replace("EXPRESSION", "(atomic_exchange(x, 1), atomic_load(x))")
    assert verdict(tmp_path, ordered, progress="fair")["terminates"] == "holds"


def test_a_function_is_not_interrupted(tmp_path: Path) -> None:
    """A failed compare-exchange whose expected value is in memory reads that, and writes it: the exchange is not between."""
    program = """\
C t
{ x = 1; e = 2; }
P0 (atomic_int* x, atomic_int* e) {
  int r = atomic_compare_exchange_strong(x, e, 7) + 0 * atomic_exchange(e, 1);
  if (EXPRESSION) while (atomic_load(x) != 100);
}
exists (true)
"""
    possible = {
        "r == 0 && *e == 1": True,
        "r == 1 && *e == 1": True,
        "r == 0 && *e == 2": False,
        "r == 1 && *e == 2": False,
    }
    for expression, hangs in possible.items():
        found = verdict(tmp_path, program.replace("EXPRESSION", expression), progress="fair")["terminates"]
        assert found == ("violated" if hangs else "holds"), expression


@pytest.mark.jvm
def test_the_example_hardware_takes_every_order(tmp_path: Path) -> None:
    program = OWN.format("int r = 2 * atomic_exchange(x, 1) + atomic_load(x);", "true")
    asked = "".join(
        f"//@ expect {kind} P0.r == {value} under hrf0-hw;\n"
        for kind, value in (("allowed", 0), ("allowed", 1), ("forbidden", 2))
    )
    assert set(verdict(tmp_path, program + asked, "auto").values()) == {"holds"}
