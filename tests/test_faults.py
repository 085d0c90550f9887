"""Operations that have no meaning for some operands: one check with a place, whatever reads, asks and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from scopec.progress.schedule import Ending, Kind, Schedule
from scopec.session.check import Outcome, Settings, check
from scopec.session.final_states import listings
from scopec.session.plan import Overrides, plan
from tests.conftest import check_text

pytestmark = pytest.mark.usefixtures("kept_machines")

CHECK = "indices, pointers and arithmetic are valid"


def checked(
    folder: Path, text: str, engine: str = "embedded", name: str = "test.litmus", **overrides: object
) -> Outcome:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    (outcome,) = check([path], Settings(engine=engine, cache=False, overrides=Overrides(**overrides)))  # type: ignore[arg-type]
    return outcome


def verdicts(outcome: Outcome) -> dict[str, tuple[str, str | None]]:
    assert outcome.failure is None, outcome.failure
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    return {c.expectation.text: (c.verdict, c.reason) for r in outcome.reports for c in r.checks}


#: Statements of a thread that reads ``x``, which is 0, 1 or 2 (``a`` has two elements), and what is wrong with them.
C = [
    ("r1 = 6 / r0;", "`6 / r0` divides by zero"),
    ("r1 = 6 % r0;", "`6 % r0` divides by zero"),
    ("r1 = 6; r1 /= r0;", "`r1 /= r0` divides by zero"),
    ("if (r0) r1 = 6 / r0;", None),
    ("if (r0 > 0) r1 = 6 % r0;", None),
    ("if (r0 == 0) r1 = 6 / r0;", "`6 / r0` divides by zero"),
    ("r1 = r0 != 0 && 6 / r0 > 2;", None),
    ("r1 = r0 == 0 || 6 / r0 > 2;", None),
    ("r1 = r0 != 0 || 6 / r0 > 2;", "`6 / r0` divides by zero"),
    ("r1 = r0 ? 6 / r0 : 0;", None),
    ("r1 = r0 ? 0 : 6 / r0;", "`6 / r0` divides by zero"),
    ("r1 = 6 / (r0 + 1);", None),
    ("r1 = 6 / (r0 - 1) / (r0 - 2);", "`6 / (r0 - 1)` divides by zero"),
    ("6 / r0;", "`6 / r0` divides by zero"),
    ("r1 = 0 * (6 / r0);", "`6 / r0` divides by zero"),
    ("r1 = 1 / 0;", "`1 / 0` divides by zero"),
    ("if (r0 == 3) r1 = 1 / 0;", None),
    ("r1 = 0x80000000 / (0u - r0 - 1u);", None),
    ("r1 = (-0x7fffffff - 1) / (r0 - 2);", "`(-0x7fffffff - 1) / (r0 - 2)` divides by zero"),
    ("r1 = (-0x7fffffff - 1) / (r0 - 3);", "`(-0x7fffffff - 1) / (r0 - 3)` has a quotient that does not fit int"),
    ("r1 = (-0x7fffffff - 1) % (r0 - 3);", "`(-0x7fffffff - 1) % (r0 - 3)` has a quotient that does not fit int"),
    ("r1 = (-0x7fffffff) / (r0 - 3);", None),
    ("r1 = 1 << r0 * 16;", "`1 << r0 * 16` shifts by less than 0 or more than 31"),
    ("r1 = 1l << r0 * 16;", None),
    ("r1 = 1 >> r0 - 1;", "`1 >> r0 - 1` shifts by less than 0 or more than 31"),
    ("if (r0 >= 1) r1 = 1 >> r0 - 1;", None),
    ("r1 = 5; r1 >>= 33;", "`r1 >>= 33` shifts by less than 0 or more than 31"),
    ("int r2 = *y; r1 = (r0 + 1) / r2; a[0] = (r0 + r1) / r2;", "`(r0 + 1) / r2` divides by zero"),
    ("int n = r0; if (n) { n = 6 / n; if (n > 3) *y = 7 / (n - 6); }", "`7 / (n - 6)` divides by zero"),
    ("int n = r0; if (n) { n = 6 / n; if (n < 4) *y = 7 / (n - 6); }", None),
    ("r1 = a[r0];", "`a[r0]` accesses no element of `a`, which has elements 0 to 1"),
    ("r1 = a[2];", "`a[2]` accesses no element of `a`, which has elements 0 to 1"),
    ("if (r0 < 2) r1 = a[r0];", None),
    ("r1 = *(x + 1);", "`*(x + 1)` accesses no element of `x`, which has one element"),
]  # fmt: skip
LITMUS = """\
C faults
{{ int a[2]; }}
P0 (atomic_int* x, int* y, int* a) {{ int r0 = atomic_load(x); int r1 = 0; {} }}
P1 (atomic_int* x) {{ atomic_store(x, 1); atomic_store(x, 2); }}
exists (true)
"""


@pytest.mark.parametrize(("statement", "wrong"), C)
@pytest.mark.sampled(27)
def test_c(statement: str, wrong: str | None, tmp_path: Path) -> None:
    found = verdicts(checked(tmp_path, LITMUS.format(statement)))
    assert found.get(CHECK, ("holds", None)) == ("holds", None) if wrong is None else ("violated", f"line 3: {wrong}")


@pytest.mark.parametrize(
    ("statement", "verdict"),
    [
        ("int* p = atomic_load(q); int r = *p;", ("violated", "line 3: `p` points to no object")),
        ("int* p = atomic_load(q); int r = 0; if (p) r = *p;", ("holds", None)),
    ],
)
def test_null_pointers(statement: str, verdict: tuple[str, str | None], tmp_path: Path) -> None:
    text = f"C t\n{{ y; q = y; }}\nP0 (int** q) {{ {statement} }}\nP1 (int** q) {{ atomic_store(q, NULL); }}\nexists (true)\n"
    assert verdicts(checked(tmp_path, text)).get(CHECK, ("holds", None)) == verdict


@pytest.mark.sampled(0)
@pytest.mark.jvm
def test_both_engines_agree(tmp_path: Path) -> None:
    """About memory, and about progress; a disagreement is a failure."""
    wrong = {}
    for number, (statement, said) in enumerate(C):
        path = tmp_path / f"c{number}.litmus"
        path.write_text(LITMUS.format(statement))
        wrong[str(path)] = said
    for number, (operation, said) in enumerate(OPERATIONS):
        path = tmp_path / f"k{number}.cu"
        path.write_text(WAITS.replace("OPERATION", operation))
        wrong[str(path)] = said
    outcomes = check([Path(name) for name in wrong], Settings(engine="both", cache=False))
    for outcome in outcomes:
        found = verdicts(outcome)
        said = wrong[outcome.file]
        assert found.get(CHECK, ("holds", None))[0] == ("holds" if said is None else "violated"), outcome.file
        if "terminates" in found:
            assert found["terminates"][0] == ("holds" if said is None else "violated"), outcome.file


def test_the_place_is_that_of_the_operation(tmp_path: Path) -> None:
    from scopec.explain.reasons import explanation

    text = LITMUS.format("\n r1 = r0\n   / (6 / (r0 - 1));")
    (report,) = checked(tmp_path, text).reports
    (found,) = (c for c in report.checks if c.expectation.implicit)
    mark = explanation(found).marks[0]
    assert (mark.span.line, mark.span.column, mark.note) == (5, 7, "undefined in P0")


DIVIDES = """\
C divides
{ x = 1; }
P0 (atomic_int* x, atomic_int* y) { int r0 = atomic_load(x); int r1 = 6 / r0; atomic_store(y, 1); }
P1 (atomic_int* x, atomic_int* y) { atomic_store(x, 0); int r0 = atomic_load(y); }
"""


@pytest.mark.parametrize(
    ("clause", "verdict"),
    [
        ("exists (0:r1=6)", "holds"),
        ("exists (0:r0=0)", "violated"),  # no execution completes that way
        ("~exists (0:r0=0)", "holds"),
        ("forall (1:r0=0 \\/ 1:r0=1)", "holds"),
    ],
)
def test_a_final_clause_is_about_executions_that_do_nothing_undefined(
    clause: str, verdict: str, tmp_path: Path
) -> None:
    found = verdicts(checked(tmp_path, DIVIDES + clause))
    assert found[clause][0] == verdict
    assert found[CHECK] == ("violated", "line 3: `6 / r0` divides by zero")


def test_a_final_clause_where_every_execution_does(tmp_path: Path) -> None:
    found = verdicts(checked(tmp_path, LITMUS.format("r1 = 1 / 0;").replace("exists (true)", "forall (true)")))
    assert found["forall (true)"] == ("unknown", "no execution completes: line 3: `1 / 0` divides by zero")


def test_what_waits_for_the_thread_does_not_hide_it(tmp_path: Path) -> None:
    """The execution never completes, since P1 waits for what P0 would store after the division."""
    text = DIVIDES.replace("int r0 = atomic_load(y);", "while (atomic_load(y) == 0);")
    assert verdicts(checked(tmp_path, text + "exists (true)"))[CHECK] == (
        "violated",
        "line 3: `6 / r0` divides by zero",
    )


def test_a_race_before_it_is_found_and_one_after_it_is_not(tmp_path: Path) -> None:
    text = "C t\n{{}}\nP0 (int* x) {{ {} }}\nP1 (int* x) {{ *x = 2; }}\nexists (true)"
    assert verdicts(checked(tmp_path, text.format("*x = 1; int r = 1 / 0;")))["race_free"][0] == "violated"
    assert verdicts(checked(tmp_path, text.format("int r = 1 / 0; *x = 1;")))["race_free"][0] == "holds"


def test_expectations_of_a_program_that_does_something_undefined(tmp_path: Path) -> None:
    reason = "line 3: `6 / r0` divides by zero"
    asked = "//@ expect allowed P0.r1 == 6;\n//@ expect forbidden P0.r1 == 5;\n//@ expect race_free;\n"
    assert verdicts(checked(tmp_path, DIVIDES + asked)) == {
        "allowed P0.r1 == 6": ("violated", f"undefined behaviour, {reason}"),
        "forbidden P0.r1 == 5": ("violated", f"undefined behaviour, {reason}"),
        "race_free": ("holds", None),
        CHECK: ("violated", reason),
    }


def test_final_states_leave_it_out_and_say_so(tmp_path: Path) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(DIVIDES)
    (found,), _ = listings(path, Settings(engine="embedded"), 100)
    assert {s.values["0:r0"] for s in found.states} == {1}
    remark = "line 3: `6 / r0` divides by zero: the program is undefined, and executions that do this are not listed"
    assert found.remarks == (remark,)


def test_arithmetic_of_a_condition_that_has_no_result(tmp_path: Path) -> None:
    """A comparison is false where its arithmetic has no result, negated or not."""
    text = (
        "__device__ int x, y;\n__global__ void k() { if (threadIdx.x) x = 1; else y = 1; }\n//@ launch k<<<1, 2>>>();\n"
    )
    asked = (
        "allowed y / (x - 1) == 1",
        "allowed !(y / (x - 1) == 1)",
        "allowed y / x == 1",
        "forbidden 1 << x - 2 == 1",
    )
    found = verdicts(check_text(tmp_path, text + "".join(f"//@ expect {a};\n" for a in asked), engine="embedded"))
    assert [found[a][0] for a in asked] == ["violated", "violated", "holds", "holds"]
    (bad,) = check_text(tmp_path, text + "//@ expect race_free when 1 / 0 == 1;").diagnostics
    assert (bad.code, bad.message) == (Code.BAD_EXPECTATION, "division by zero")


# ---------------------------------------------------------------- progress


WAITS = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{1}, f{0};
__device__ int a[2] = {1, 1};
__global__ void k() {
    if (threadIdx.x == 1) { x.store(0); f.store(1); }
    else { int d = x.load(); int r = 0; OPERATION while (f.load() < r); }
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
//@ expect progresses;
"""
OPERATIONS = [
    ("r = 1 / d;", "`1 / d` divides by zero"),
    ("if (d != 0) r = 1 / d;", None),
    ("r = a[d + 1];", "`a[d + 1]` accesses no element of `a`, which has elements 0 to 1"),
    ("r = a[d];", None),
    ("int* q = nullptr; if (d) q = &a[0]; r = *q;", "`*q` points to no object"),
    ("int* q = nullptr; if (d) q = &a[0]; if (q) r = *q;", None),
    ("r = 1 >> d - 1;", None),
]  # fmt: skip
#: TLA+ shifts by constants alone (SCP031).
SHIFTS = OPERATIONS.pop()


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("operation", "wrong"), OPERATIONS)
def test_progress(operation: str, wrong: str | None, tmp_path: Path) -> None:
    """A schedule ends where what comes next is undefined: from there on nothing is promised."""
    (report,) = checked(tmp_path, WAITS.replace("OPERATION", operation), name="test.cu").reports
    found = {c.expectation.kind: c for c in report.checks}
    for kind in ("terminates", "progresses"):
        schedule = found[kind].trace
        if wrong is None:
            assert (found[kind].verdict, found[kind].warnings) == ("holds", ())
        else:
            assert (found[kind].verdict, found[kind].reason) == (
                "violated",
                "undefined behaviour, which promises nothing",
            )
            assert isinstance(schedule, Schedule)
            assert (schedule.ending, schedule.kind) == (Ending.UNDEFINED, Kind.UNDEFINED)
            assert [(b.thread, b.span.line, b.why) for b in schedule.behind] == [
                ("k[0][0]", 5, f"{wrong}, and the program promises nothing")
            ]


def test_a_shift_in_the_progress_question(tmp_path: Path) -> None:
    text = WAITS.replace("OPERATION", "if (d > 0) { " + SHIFTS[0] + " }")
    assert verdicts(checked(tmp_path, text, name="test.cu"))["terminates"] == ("holds", None)
    text = WAITS.replace("OPERATION", SHIFTS[0])
    assert verdicts(checked(tmp_path, text, name="test.cu"))["terminates"][0] == "violated"


@pytest.mark.parametrize("engine", ["embedded", pytest.param("both", marks=pytest.mark.jvm)])
def test_progress_under_other_models(engine: str, tmp_path: Path) -> None:
    found = verdicts(checked(tmp_path, DIVIDES + "exists (true)", engine, progress="fair"))
    assert found["terminates"] == ("violated", "undefined behaviour, which promises nothing")
    guarded = DIVIDES.replace("int r1 = 6 / r0;", "int r1 = 0; if (r0) r1 = 6 / r0;")
    assert verdicts(checked(tmp_path, guarded + "exists (true)", engine, progress="fair"))["terminates"] == (
        "holds",
        None,
    )


def test_a_progress_verdict_carries_a_warning_where_the_memory_question_finds_it(tmp_path: Path) -> None:
    """Under sequential consistency the division is never by zero, under CUDA it is."""
    text = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{1}, f{0};
__global__ void k() {
    if (blockIdx.x == 1) { x.store(2, cuda::memory_order_relaxed); f.store(1, cuda::memory_order_relaxed); }
    else { int s = f.load(cuda::memory_order_relaxed); int r = 6 / (x.load(cuda::memory_order_relaxed) - s); }
}
//@ launch k<<<2, 1>>>();
//@ expect terminates;
"""
    (report,) = checked(tmp_path, text, name="test.cu").reports
    (found,) = (c for c in report.checks if c.expectation.kind == "terminates")
    assert found.verdict == "holds"
    assert found.warnings[0].endswith("divides by zero, so it is undefined behaviour and promises nothing")


@pytest.mark.jvm
def test_the_example_hardware_goes_no_further(tmp_path: Path) -> None:
    """A run of the hardware that does something undefined has no end."""
    asked = "//@ expect {} under hrf0-hw;\n"
    for what, verdict in (
        ("allowed P0.r1 == 6", "holds"),
        ("allowed P0.r0 == 0", "violated"),
        ("forbidden P0.r0 == 0", "holds"),
    ):
        found = verdicts(checked(tmp_path, DIVIDES + asked.format(what), "auto"))
        assert found[what][0] == verdict


# ---------------------------------------------------------------- PTX


@pytest.mark.parametrize(
    ("instruction", "value"),
    [
        ("shl r1, 1, 64", 0),
        ("shl r1, 1, r0", 0),
        ("shl r1, 1, 63", -(1 << 63)),
        ("shr r1, 8, r0", 0),
        ("shr r1, -8, r0", -1),
        ("shr r1, -8, 1", -4),
        ("shr r1, -8, -1", -1),
    ],
)
def test_shifts_in_ptx_are_clamped(instruction: str, value: int, tmp_path: Path) -> None:
    text = f"PTX t\n{{ x = 70; }}\nP0@cta 0,gpu 0 ;\nld.weak r0, x ;\n{instruction} ;\nforall (0:r1={value})\n"
    assert verdicts(checked(tmp_path, text, model="ptx"))[f"forall (0:r1={value})"] == ("holds", None)


def test_division_in_ptx(tmp_path: Path) -> None:
    text = "PTX t\n{ x = 2; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nld.weak r0, x | st.weak x, 0 ;\ndiv r1, 6, r0 | ;\nexists (0:r1=3)\n"
    found = verdicts(checked(tmp_path, text, model="ptx"))
    assert found["exists (0:r1=3)"] == ("holds", None)
    assert found[CHECK] == ("violated", "line 5: `div r1, 6, r0` divides by zero")


def test_a_progress_verdict_says_so_where_it_is_not_known_whether_there_is_a_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scopec.engines.embedded.memory.sat.solve", lambda *_: None)
    text = "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 2>>>();\n//@ expect terminates;\n"
    (report,) = checked(tmp_path, text, name="test.cu").reports
    (found,) = (c for c in report.checks if c.expectation.kind == "terminates")
    assert found.verdict == "holds"
    assert found.warnings == (
        "it is not known whether the program has a data race, and so promises nothing: "
        "no answer within the time limit of 300 s",
    )


BEHIND = """\
__global__ void k(unsigned* a, unsigned* b, unsigned offset, unsigned n) {
    unsigned bit;
    asm volatile("bfind.u32 %0, %1;" : "=r"(bit) : "r"(n - 1));
    const unsigned most = 1 << (bit + 1);
    for (unsigned j = 1; j < most; j *= 2) {
        for (unsigned i = 0; i < most; i += blockDim.x) {
            unsigned index = threadIdx.x + i, other = index ^ j;
            if (other > index) {
                unsigned mine = index < n ? a[index + offset] : b[index + offset - n];
                if (mine) a[index + offset] = 0;
            }
        }
        __syncthreads();
    }
}
//@ object __device__ unsigned a[16], b[16];
//@ launch k<<<1, 2>>>(a, b, 16, 16);
"""


def test_an_index_outside_of_an_object_that_nobody_gets_to_is_no_access(tmp_path: Path) -> None:
    """Thread 0 does what is undefined, so nobody gets past the barrier: the checks behind it hold, and are left out."""
    path = tmp_path / "behind.cu"
    path.write_text(BEHIND)
    (run,) = plan(path, str(path), Overrides()).runs
    assert {fault.thread for fault in run.graph.faults} == {"k[0][0]"}
    assert [event for event in run.graph.events if event.thread == "k[0][1]" and event.is_access] == []
