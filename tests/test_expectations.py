"""Directives against a Program: variants, conditions, formulas, settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError, UsageError
from scopec.base.options import bound
from scopec.base.source import Source
from scopec.explain.reasons import final_sentence
from scopec.explain.verdict import UNDEFINED
from scopec.frontends.directives import expectations, settings_of, variants
from scopec.frontends.scoped.lower.program import constants, lower
from scopec.frontends.scoped.syntax.cuda import read
from scopec.memory.execution import Execution
from scopec.program.observe import FinalMemory, FinalRegister, Location
from scopec.program.values import show
from scopec.session.check import Report, Settings, check
from scopec.session.plan import Overrides, Plan, plan
from tests.conftest import check_text, plan_of, verdicts

pytestmark = pytest.mark.usefixtures("kept_machines")

HEAD = """
constexpr cuda::thread_scope S = cuda::thread_scope_device;
constexpr cuda::memory_order O = cuda::memory_order_relaxed;
constexpr int N = 3;
__device__ int x, a[2];
__device__ cuda::atomic<int, S> f;
__global__ void k() { int r = 1; volatile int w; if (threadIdx.x == 0) { r = f.load(O); { int q = 1; } { int q = 2; } x = N; } }
int main() { k<<<2, 2>>>(); k<<<1, 1>>>(); int h = f.load(); }
"""


def asked(directives: str) -> list[tuple[dict[str, str], list[str]]]:
    """For each variant its constants and the texts of the expectations that apply."""
    source = Source("a.cu", HEAD + directives)
    file = read(source)
    found = []
    for choice in variants(file, constants(file)):
        program = lower(file, source, "a", choice)
        found.append((dict(program.variant), [e.text for e, _ in expectations(file, program, source)]))
    return found


def formula(text: str) -> tuple[str, dict[str, object]]:
    source = Source("a.cu", HEAD + f"//@ expect allowed {text};")
    file = read(source)
    program = lower(file, source, "a")
    ((expectation, _),) = expectations(file, program, source)
    assert expectation.formula is not None
    return show(expectation.formula.value), dict(expectation.formula.observed)


def test_variants_are_the_product_in_order() -> None:
    found = asked("//@ vary S in {block, sys}; vary N in {1, 2};")
    assert [v for v, _ in found] == [
        {"S": "block", "N": "1"}, {"S": "block", "N": "2"}, {"S": "system", "N": "1"}, {"S": "system", "N": "2"},
    ]  # fmt: skip


def test_when() -> None:
    found = asked(
        """
        //@ vary S in {block, device}; vary O in {relaxed, cuda::memory_order_seq_cst};
        //@ expect race_free when S == device;
        //@ expect race when S != cuda::thread_scope_device && O == relaxed;
        //@ expect terminates when N == 3 && !(N > 4);
        //@ expect may_hang when N - 3;
        """
    )
    assert [texts for _, texts in found] == [
        ["race", "terminates"], ["terminates"], ["race_free", "terminates"], ["race_free", "terminates"],
    ]  # fmt: skip


def test_formulas_name_locals_and_globals() -> None:
    shown, observed = formula("k[1][0].r == 1 && (x != N || a[1] < -1) && !k#2[0][0].r && main.h")
    assert shown == "k[1][0].r == 1 && (x != 3 || a[1] < -1) && k#2[0][0].r == 0 && main.h != 0".replace(
        "k#2[0][0].r == 0", "!bool(k#2[0][0].r)"
    ).replace("main.h != 0", "bool(main.h)")
    assert observed == {
        "k[1][0].r": FinalRegister("k[1][0]", "r"),
        "x": FinalMemory(Location("x")),
        "a[1]": FinalMemory(Location("a", 1)),
        "k#2[0][0].r": FinalRegister("k#2[0][0]", "r"),
        "main.h": FinalRegister("main", "h"),
    }


def test_a_shared_object_is_named_by_a_thread_of_its_block(tmp_path: Path) -> None:
    def planned(name: str) -> Plan:
        path = tmp_path / "shared.cu"
        kernel = "__global__ void k() { __shared__ int s; s = 1; }"
        path.write_text(f"{kernel}\n//@ launch k<<<2, 1>>>();\n//@ expect required {name} == 1;")
        return plan_of(path)

    with pytest.raises(InputError) as bad:
        planned("k.s")
    assert bad.value.diagnostics[0].message == "each block has a `k.s` of its own"
    assert bad.value.diagnostics[0].help == "name a thread: k[0][0].s"
    assert planned("k[1][0].s").runs


def test_a_thread_that_does_nothing_has_constants() -> None:
    """k[1][1] only sets r: its value is known."""
    source = Source("a.cu", HEAD + "//@ expect allowed k[1][1].r == 1 && x == 0;")
    file = read(source)
    ((expectation, _),) = expectations(file, lower(file, source, "a"), source)
    assert expectation.formula is not None
    assert show(expectation.formula.value) == "x == 0"


@pytest.mark.parametrize(
    ("directive", "code", "message"),
    [
        ("expect allowed k[2][0].r == 0;", "SCP023", "`k` has blocks 0 to 1"),
        ("expect allowed k[0][9].r == 0;", "SCP023", "`k` has threads 0 to 1"),
        ("expect allowed q[0][0].r == 0;", "SCP023", "no launch is called `q`"),
        ("expect allowed k#3[0][0].r == 0;", "SCP023", "no launch is called `k#3`"),
        ("expect allowed k[0][0].s == 0;", "SCP023", "k has no local `s`"),
        ("expect allowed k[0][0].q == 0;", "SCP023", "`q` is declared more than once in k"),
        ("expect allowed r == 0;", "SCP023", "there is no global `r`"),
        ("expect allowed y == 0;", "SCP023", "there is no global `y`"),
        ("expect allowed a == 0;", "SCP023", "`a` is an array: name one element"),
        ("expect allowed a[2] == 0;", "SCP023", "`a` has elements 0 to 1"),
        ("expect allowed 1 == 1;", "SCP023", "this condition does not depend on the program"),
        ("expect allowed f.load() == 1;", "SCP023", "this cannot be observed at the end of the program"),
        ("expect race on y;", "SCP023", "there is no global `y`"),
        ("expect race when S < device;", "SCP023", "a number is wanted here"),
        ("expect race when T == device;", "SCP023", "`T` is not a constant of this file"),
        ("vary x in {1};", "SCP021", "`x` is not a constexpr of this file"),
        ("vary N in {1}; vary N in {2};", "SCP021", "`N` is varied twice"),
        ("vary S in {relaxed};", "SCP010", "`relaxed` is not declared"),
        ("vary N in {x};", "SCP010", "`x` is not declared"),
        ("options thinair = on;", "SCP022", "`thinair` is not an option"),
        ("options thin_air = maybe;", "SCP022", "`maybe` is not a value of thin_air"),
        ("options thin_air = on;", "SCP022", "`on` is not a value of thin_air"),
        ("given concurrentManaged = 1;", "SCP022", "`concurrentManaged` is not an attribute"),
        ("bound unroll = 0;", "SCP022", "`0` is not a value of unroll"),
        ("bound depth = 1;", "SCP022", "`depth` is not a bound"),
        ("expect race_free under cuda-v9;", "SCP010", "there is no memory model `cuda-v9`"),
    ],
)  # fmt: skip
@pytest.mark.sampled(12)
def test_bad_directives(directive: str, code: str, message: str, write) -> None:  # type: ignore[no-untyped-def]
    path = write(HEAD + f"//@ {directive}")
    with pytest.raises(InputError) as raised:
        plan(path, "a.cu", Overrides())
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code.id, diagnostic.message) == (code, message)
    assert diagnostic.span.line == HEAD.count("\n") + 1


def test_settings_start_from_the_defaults() -> None:
    source = Source("a.cu", "//@ given hostNativeAtomicSupported = 1; bound unroll = 5; options races = ignore;")
    settings = settings_of(read(source))
    assert settings.given["hostNativeAtomicSupported"] == "1"
    assert settings.given["concurrentManagedAccess"] == "1"
    assert settings.bound == {"unroll": 5}
    assert settings.options["races"] == "ignore"
    assert settings.options["thin_air"] == "dependencies"


def test_the_command_line_wins_over_the_file(write) -> None:  # type: ignore[no-untyped-def]
    path = write("__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ bound unroll = 5;")
    planned = plan(path, "a.cu", Overrides("cuda-v1", {"p2pNativeAtomicSupported": "1"}, 7, ignore_races=True))
    (run,) = planned.runs
    assert run.model.name == "cuda-v1"
    assert run.settings.bound["unroll"] == 7
    assert run.settings.given["p2pNativeAtomicSupported"] == "1"
    assert run.settings.options["races"] == "ignore"
    with pytest.raises(UsageError):
        bound("unroll", "many", None)


def test_a_file_without_expectations_is_asked_what_anyone_would_ask(write) -> None:  # type: ignore[no-untyped-def]
    path = write("__device__ int x; __global__ void k() { x = 1; assert(x == 1); }\n//@ launch k<<<1, 1>>>();")
    (run,) = plan(path, "a.cu", Overrides()).runs
    assert [c.text for c in run.checks] == ["race_free", "terminates", "assert(x == 1)"]


def test_assertions_are_void_where_a_race_is_expected(write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        "__device__ int x; __global__ void k() { x = 1; assert(x == 1); }\n//@ launch k<<<1, 2>>>(); expect race;"
    )
    (run,) = plan(path, "a.cu", Overrides()).runs
    assert [c.text for c in run.checks] == ["race"]
    assert [c.text for c in run.void] == ["assert(x == 1)"]


def test_under_asks_other_models(write) -> None:  # type: ignore[no-untyped-def]
    path = write(
        "__device__ int x; __global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n"
        "//@ expect race_free under cuda-v1, cuda-v2; expect terminates;"
    )
    planned = plan(path, "a.cu", Overrides())
    assert [(r.model.name, [c.text for c in r.checks]) for r in planned.runs] == [
        ("cuda-v1", ["race_free"]), ("cuda-v2", ["race_free"]), ("cuda-v3", ["terminates"]),
    ]  # fmt: skip


def test_a_variant_that_nothing_is_expected_of_gets_a_warning(write) -> None:  # type: ignore[no-untyped-def]
    path = write(HEAD + "//@ vary N in {1, 2}; expect race_free when N == 1;")
    planned = plan(path, "a.cu", Overrides())
    (warning,) = planned.warnings
    assert (warning.code.id, warning.severity) == ("SCP041", "warning")


@pytest.mark.jvm
def test_a_comparison_is_false_where_a_local_has_no_value(tmp_path: Path) -> None:
    text = """
    #include <cuda/atomic>
    __device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
    __global__ void k() { if (threadIdx.x == 0) f.store(1); else if (f.load() == 1) { int r = 5; } }
    //@ launch k<<<1, 2>>>();
    //@ expect allowed k[0][1].r == 5;
    //@ expect required k[0][1].r == 5;
    //@ expect required k[0][1].r != 4;
    //@ expect forbidden k[0][1].r != 5;
    //@ expect forbidden !(k[0][1].r == 5);
    """
    outcome = check_text(tmp_path, text)
    assert list(verdicts([outcome]).values()) == [["holds"], ["violated"], ["violated"], ["holds"], ["holds"]]
    traces = [c.trace for r in outcome.reports for c in r.checks if c.verdict == "violated"]
    formulas = [c.expectation.formula for r in outcome.reports for c in r.checks if c.verdict == "violated"]
    for trace, formula in zip(traces, formulas, strict=True):
        assert isinstance(trace, Execution)
        assert formula is not None
        assert final_sentence(trace, formula) == "k[0][1].r has no value in this execution"


def asked_under(model: str, write: Callable[..., Path], asked: str) -> Report:
    (outcome,) = check([write(f"{RACY}{asked}")], Settings(Overrides(model=model), engine="embedded"))
    (report,) = outcome.reports
    return report


def test_a_model_without_races_leaves_them_undecided(write: Callable[..., Path], tmp_path: Path) -> None:
    """It is the command line that names the model: the file's question stands, and has no answer."""
    model = tmp_path / "coherent.cat"
    model.write_text("acyclic (po & loc) | rf | co | fr as coherence\n")
    asked = "//@ expect race_free;\n//@ expect race on x;\n//@ expect allowed x == 1;\n"
    report = asked_under(str(model), write, asked)
    assert [c.verdict for c in report.checks] == ["unknown", "unknown", "holds"]
    assert report.checks[0].reason == f"the model {model} does not define races: ask under one that does"
    (run,) = plan_of(write(RACY), model=str(model)).runs
    assert [c.kind for c in run.checks] == ["terminates"]


def test_a_race_of_ptx_takes_the_meaning_of_no_outcome(write: Callable[..., Path]) -> None:
    """ "these axioms are sufficient to describe the behavior of a PTX program with only uniform-size data-races"."""
    asked = "//@ expect race_free;\n//@ expect race on x;\n//@ expect allowed x == 1;\n//@ expect forbidden x == 2;\n"
    assert [c.verdict for c in asked_under("ptx", write, asked).checks] == ["violated", "holds", "holds", "holds"]
    assert [c.reason for c in asked_under("cuda", write, asked).checks][2:] == [UNDEFINED, UNDEFINED]
    (run,) = plan_of(write(RACY), model="ptx").runs
    assert [c.kind for c in run.checks] == ["race_free", "terminates"]


def test_assertions_of_a_racy_program_are_asked_under_ptx(write: Callable[..., Path]) -> None:
    path = write(f"{RACY.replace('}', ' assert(x < 2); }')}//@ expect race under cuda, ptx;\n")
    assert [(run.model.name, [c.kind for c in run.checks], len(run.void)) for run in plan_of(path).runs] == [
        ("cuda-v3", ["race"], 1),
        ("ptx", ["race", "assertion"], 0),
    ]


def test_a_progress_verdict_of_a_program_that_races_under_ptx(write: Callable[..., Path]) -> None:
    """It is none about undefined behaviour, and nobody looks for the race."""
    warned = {m: bool(asked_under(m, write, "//@ expect terminates;\n").checks[0].warnings) for m in ("cuda", "ptx")}
    assert warned == {"cuda": True, "ptx": False}


RACY = """
__device__ int x = 0;
__global__ void k() { x = threadIdx.x; }
//@ launch k<<<1, 2>>>();
"""
