"""Generated Alloy: golden files, names, and cat expressions in Alloy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.engines.alloy.emit import emit
from scopec.engines.alloy.relational import Names, Printer
from scopec.engines.alloy.text import WIDTH, fitted
from scopec.engines.alloy.values import Values, atom, value_of
from scopec.engines.tla.engine import module as tla_module
from scopec.memory.domains.domains import Domains
from scopec.program import types, values
from scopec.program.values import Const, Reg
from scopec.session.inquiry.questions import progress_problem
from scopec.session.plan import Overrides, plan
from tests.conftest import REPOSITORY, plan_of
from tests.test_cat import model_of

PROGRAMS = REPOSITORY / "tests" / "fixtures" / "programs"


@pytest.mark.parametrize("name", ["message-passing", "counters"])
@pytest.mark.sampled(1)
def test_golden(name: str, golden) -> None:  # type: ignore[no-untyped-def]
    (run,) = plan(PROGRAMS / f"{name}.cu", f"{name}.cu", Overrides()).runs
    golden(f"{run.name}.als", emit(run.problem))


@pytest.mark.parametrize(
    ("cat", "alloy"),
    [
        ("po | rf ; co", "po + rf.co"),
        ("(po | rf) ; co", "(po + rf).co"),
        ("po ; (rf ; co)", "po.(rf.co)"),
        ("po & rf | co", "po & rf + co"),
        ("po \\ (rf \\ co)", "po - (rf - co)"),
        ("[W] ; po ; [R]", "W <: po :> R"),
        ("[W & RLX]", "(W & RLX) <: id"),
        ("po+", "^po"),
        ("(po ; rf)*", "id + ^(po.rf)"),
        ("po?", "id + po"),
        ("po? ; rf", "(id + po).rf"),
        ("(rf^-1 ; co) \\ id", "~rf.co - id"),
        ("W * R", "W->R"),
        ("po \\ (IW * _)", "po - IW->Exec"),
        ("po & _", "po & Exec->Exec"),
        ("~po", "Exec->Exec - po"),
        ("[~W]", "(Exec - W) <: id"),
        ("[domain (po ; rf)]", "(po.rf).Exec <: id".replace("(po.rf)", "po.rf")),
        ("[range po]", "Exec.po <: id"),
        ("int & ext", "int_ & ext"),
        ("0 | po", "none->none + po"),
    ],
)
def test_cat_expressions(cat: str, alloy: str) -> None:
    """`id`, never Alloy's `iden` or `*`: they range over values and unexecuted events too."""
    model = model_of(f"let x = {cat}")
    (definition,) = model.definitions
    text = Printer(model, Names((), ()).of).show(definition.expr)
    assert text == alloy
    assert "iden" not in text
    assert "*" not in text


def test_checks() -> None:
    model = model_of("empty po & rf as e\nirreflexive po ; rf as i\nacyclic po | rf as a\n~empty W as n")
    printer = Printer(model, Names((), ()).of)
    assert [printer.axiom(a) for a in model.axioms] == [
        "no po & rf", "no id & po.rf", "no id & ^(po + rf)", "not (no W)",
    ]  # fmt: skip


def test_flags_are_raised_or_report_pairs() -> None:
    model = model_of("flag ~empty po \\ rf as p\nflag acyclic co as c\nundefined_unless empty W as u")
    printer = Printer(model, Names((), ()).of)
    assert [printer.flag(f) for f in model.flags] == ["some po - rf", "no id & ^co", "some W"]
    assert [printer.race(r, "at_x->at_x") for r in model.races] == ["some (po - rf) & at_x->at_x"]


def test_each_name_has_an_alloy_name_of_its_own() -> None:
    names = Names(["mp_L7_W"], ["rf"])
    kept = {name: names.of(name) for name in ("rf", "rs-rf", "rs_rf", "rs.rf", "set", "int", "Exec", "next", "mp_L7_W")}
    assert kept == {
        "rf": "rf", "rs-rf": "rs_rf", "rs_rf": "rs_rf_", "rs.rf": "rs_rf__", "set": "set_", "int": "int_",
        "Exec": "Exec_", "next": "next_", "mp_L7_W": "mp_L7_W_",
    }  # fmt: skip
    assert [names.of(n) for n in ("c_L1", "path_2", "f_a_plus_1", "n1", "v0", "w_x", "init", "Last")] == [
        "cat_c_L1", "cat_path_2", "cat_f_a_plus_1", "cat_n1", "cat_v0", "cat_w_x", "cat_init", "Last_",
    ]  # fmt: skip
    assert names.new("rs_rf", "_axiom") == "rs_rf_axiom"
    assert [value_of(atom(v)) for v in (0, 42, -7)] == [0, 42, -7]


INT, BOOL = types.INT, types.BOOL
A, B = Reg("a", INT), Reg("b", INT)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (values.binary("==", A, Const(1, INT)), "some (a.rv & v1)"),
        (values.binary("!=", A, Const(1, INT)), "some (a.rv & (v0 + v2))"),
        (values.binary("<", A, Const(0, INT)), "no Event"),
        (values.binary("==", A, B), "some (a.rv & b.rv)"),
        (values.binary("<", A, B), "some (a.rv->b.rv & f_a_lt_b)"),
        (values.unary("!", values.convert(A, BOOL)), "not some (a.rv & (v1 + v2))"),
        (
            values.binary(
                "&&",
                values.binary("==", A, Const(1, INT)),
                values.unary("!", values.binary("||", values.convert(A, BOOL), values.convert(B, BOOL))),
            ),
            "some (a.rv & v1) and (not (some (a.rv & (v1 + v2)) or some (b.rv & (v1 + v2))))",
        ),
        (values.TRUE, "some Event"),
    ],
)
def test_conditions(value: values.Value, wanted: str) -> None:
    domain = frozenset({0, 1, 2})
    assert Values(Domains({"a": domain, "b": domain}, True)).condition(value) == wanted


def test_values_are_atoms_and_tables() -> None:
    domain = frozenset({0, 1})
    translator = Values(Domains({"a": domain, "b": domain, "e?weak": domain}, True), {"e?weak": "Choice.weak_e"})
    assert translator.value(Const(7, INT)) == "v7"
    assert translator.value(A) == "a.rv"
    assert translator.value(values.binary("+", A, Const(1, INT))) == "a.rv.f_a_plus_1"
    assert translator.value(values.binary("+", B, Const(1, INT))) == "b.rv.f_a_plus_1"
    assert translator.value(values.binary("+", A, B)) == "b.rv.(a.rv.f_a_plus_b)"
    assert (
        translator.value(values.choose(values.binary("==", A, Const(0, INT)), B, Const(5, INT)))
        == "(some (a.rv & v0) => b.rv else v5)"
    )
    assert translator.value(Reg("e?weak", BOOL)) == "Choice.weak_e"
    assert {t.name: t.rows for t in translator.tables.values()} == {
        "f_a_plus_1": (((0,), 1), ((1,), 2)),
        "f_a_plus_b": (((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 2)),
    }
    assert {0, 1, 2, 5, 7} <= translator.atoms


def test_a_table_has_a_name_of_its_own() -> None:
    """One operation on two domains has two tables, and what is long a number."""
    translator = Values(Domains({"a": frozenset({0, 1}), "b": frozenset({2, 3})}, True))
    one = Const(1, INT)
    long = values.binary("*", values.binary("+", values.binary("*", A, A), one), values.binary("-", A, one))
    for value in (values.binary("+", A, one), values.binary("+", B, one), long, values.binary("%", long, A)):
        translator.value(value)
    assert [t.name for t in translator.tables.values()] == ["f_a_plus_1", "f_a_plus_1_2", "f_1", "f_2"]


NAMED = """
__device__ cuda::atomic<int, cuda::thread_scope_device> x, y;
__global__ void k() {
    if (x.load() == 1 && y.load() == 1) { if (x.load() == 2) y.store(3); y.store(1); }
    if (threadIdx.x == 0 && y.load() == 5)
        x.store(2);
    else
        x.store(1);
    y.store(5);
}
//@ launch k<<<1, 2>>>();
//@ language scoped;
"""


def test_conditions_and_paths_are_named_by_their_places(tmp_path: Path) -> None:
    """With the thread where several come there, and a number where one has several."""
    path = tmp_path / "named.cu"
    path.write_text(NAMED)
    (run,) = plan(path, "named.cu", Overrides()).runs
    lines = emit(run.problem).splitlines()
    names = [line.split()[1] for line in lines if line.startswith(("pred c_", "pred path_"))]
    assert names[:4] == ["c_L4_k_0_0", "c_L4_k_0_0_2", "c_L4_k_0_0_3", "c_L5"]
    assert "pred path_L4_k_0_0 { c_L4_k_0_0_2 and c_L4_k_0_0_3 }" in lines
    at = lines.index("-- line 4: x.load(); y.load(); y.store(3); y.store(1)")
    assert lines[at + 1].startswith("one sig k_0_0_L4_R extends Event {}")
    assert "pred c_L5 { some (k_0_0_L5_R.rv & v5) }   -- line 5: y == 5" in lines


@pytest.mark.sampled(0)
def test_no_line_is_too_long_and_nothing_is_lost() -> None:
    spec = REPOSITORY / "specs" / "algorithms" / "double-buffer.cu"
    for run in plan(spec, spec.name, Overrides()).runs:
        assert max(map(len, emit(run.problem).splitlines())) <= WIDTH
    names = [f"name_{n}" for n in range(60)]
    code = f"  some {{ ({' + '.join(names)}) & ({', '.join(names)}) => {' '.join(names)} else {'.'.join(names)} }}"
    found = fitted(f"{code}   -- {' '.join(names)}")
    assert " ".join(line for line in found.split("\n") if not line.startswith("  --")).split() == code.split()
    told = [line.strip().removeprefix("--") for line in found.split("\n") if line.startswith("  --")]
    assert " ".join(told).split() == names
    assert all(len(line) <= WIDTH for line in found.split("\n") if ".name" not in line)


def test_generated_text_cannot_be_broken_by_the_source(tmp_path: Path) -> None:
    """Comments in the source, file names and assertion texts end up in comments of the specification, nowhere else."""
    path = tmp_path / "a*)b.cu"
    path.write_text(
        "__device__ int x; /* \u00e9 */\n__global__ void k() { x = 1; assert(x == 1 /* *) -- */); }\n//@ launch k<<<1, 1>>>();"
    )
    (run,) = plan(path, str(path), Overrides()).runs
    text = emit(run.problem)
    assert text.isascii()
    assert "*/" not in text.split("*/", 1)[1]
    module = tla_module(progress_problem(run, "Termination")) if run.properties else None
    if module is not None:
        assert module.tla.isascii()


def test_a_disjunction_stands_in_parentheses_beside_implications() -> None:
    """In Alloy ``a or b => c else d`` is ``a or (b => c else d)``."""
    a, b, c = (values.Reg(name, types.BOOL) for name in "abc")
    either = values.binary("||", a, b)
    emitted = Values(Domains({name: frozenset({0, 1}) for name in "abc"}, closed=True))
    assert emitted.value(values.convert(either, types.INT)) == "((some (a.rv & v1) or some (b.rv & v1)) => v1 else v0)"
    number = values.choose(either, values.Const(2, types.INT), values.Const(3, types.INT))
    assert emitted.value(number) == "((some (a.rv & v1) or some (b.rv & v1)) => v2 else v3)"
    nested = values.Choose(c, either, a, types.BOOL)
    assert (
        emitted.condition(nested)
        == "(some (c.rv & v1) => (some (a.rv & v1) or some (b.rv & v1)) else some (a.rv & v1))"
    )


def test_a_choice_has_the_values_that_the_implementation_has(write: Callable[..., Path]) -> None:
    """A weak compare-exchange fails or not, a query says cudaSuccess or cudaErrorNotReady: nothing else."""
    text = (
        "__device__ cuda::atomic<int, cuda::thread_scope_device> f;\n"
        "__global__ void k() { int e = 7; f.compare_exchange_weak(e, 5); }\n"
        "int main() { k<<<1, 1>>>(); if (cudaStreamQuery(0) == cudaSuccess) return 1; }\n//@ expect race_free;\n"
    )
    (run,) = plan_of(write(text)).runs
    emitted = emit(run.problem)
    assert "weak_k_0_0_L2_R : one (v0 + v1)" in emitted
    assert "result_main_L3_C2 : one (v0 + v600)" in emitted
