"""Verdicts about litmus files, with the real engine."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides, plan

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("kept_machines")]

CheckText = Callable[..., dict[str, str]]


@pytest.fixture
def verdicts_of(tmp_path: Path) -> CheckText:
    """The verdicts about a litmus file given as text, by kind."""

    def checked(text: str, model: str | None = None) -> dict[str, str]:
        path = tmp_path / "test.litmus"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        (outcome,) = check([path], Settings(overrides=Overrides(model=model)))
        return kinds(outcome)

    return checked


def kinds(outcome: Outcome) -> dict[str, str]:
    assert outcome.failure is None, outcome.failure
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    return {c.expectation.kind: c.verdict for report in outcome.reports for c in report.checks}


STORE_LOAD = """\
    C store-load
    {}
    P0 (atomic_int* x) { atomic_store(x, 1); }
    P1 (atomic_int* x) { int r = atomic_load(x); }
    """


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("clause", "verdict"),
    [
        ("exists (1:r=1)", "holds"),
        ("exists (1:r=2)", "violated"),
        ("~exists (1:r=2)", "holds"),
        ("~exists (1:r=1)", "violated"),
        ("forall (1:r=0 \\/ 1:r=1)", "holds"),
        ("forall (1:r=1)", "violated"),
        ("filter (1:r=1) forall (x=1)", "holds"),
        ("filter (x=1) forall (1:r=1)", "violated"),
        ("filter (1:r=2) forall (x=1)", "unknown"),
        ("filter (1:r=1) exists (x=1)", "holds"),
        ("filter (1:r=1) exists (1:r=0)", "violated"),
        ("filter (1:r=1) ~exists (1:r=0)", "holds"),
        ("exists 0==0", "holds"),
    ],
)
def test_quantifiers(clause: str, verdict: str, verdicts_of: CheckText) -> None:
    assert verdicts_of(STORE_LOAD + "    " + clause) == {"condition": verdict, "race_free": "holds"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["cuda", "rc11", "ptx", "hrf0", "hrf-indirect", "sc-drf"])
def test_a_program_without_events(model: str, verdicts_of: CheckText) -> None:
    """Its registers have final values all the same."""
    text = "C t\n{}\nP0 (void) { int r = 1; }\n"
    assert verdicts_of(text + "exists (0:r=1)", model)["condition"] == "holds"
    assert verdicts_of(text + "exists (0:r=2)", model)["condition"] == "violated"
    assert verdicts_of(text + "forall (0:r=1)", model)["condition"] == "holds"


def test_a_condition_ignores_races(verdicts_of: CheckText) -> None:
    text = "C t\n{}\nP0 (int* x) { *x = 1; }\nP1 (volatile int* x) { int r = *x; }\nexists (1:r=1)"
    assert verdicts_of(text) == {"condition": "holds", "race_free": "violated"}


def test_a_plain_access_to_an_atomic_is_plain(verdicts_of: CheckText) -> None:
    text = "C t\n{}\nP0 (atomic_int* x) { *x = 1; }\nP1 (atomic_int* x) { int r = atomic_load(x); }\nexists (1:r=1)"
    assert verdicts_of(text)["race_free"] == "violated"


DEADLOCK = """\
    PTX deadlock
    {}
    P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
    st.weak x, 1   | st.weak x, 2   ;
    bar.cta.sync 0 | bar.cta.sync 1 ;
    bar.cta.sync 1 | bar.cta.sync 0 ;
    st.weak y, 1   | st.weak y, 2   ;
    """


def test_barriers_in_opposite_orders_deadlock(verdicts_of: CheckText) -> None:
    """No execution completes; what happens before the barriers happens all the same, what comes after does not."""
    assert verdicts_of(DEADLOCK + "    exists (x=1)") == {"condition": "violated", "race_free": "violated"}
    assert verdicts_of(DEADLOCK + "    ~exists (x=1)")["condition"] == "holds"
    assert verdicts_of(DEADLOCK + "    forall (x=1)")["condition"] == "unknown"
    after_only = DEADLOCK.replace("st.weak x, 2", "            ")
    assert verdicts_of(after_only + "    ~exists true") == {"condition": "holds", "race_free": "holds"}


def barrier(first: str, second: str, third: str = "", clause: str = "exists (1:r0=0)") -> str:
    """A store before a barrier, a load after one."""
    return f"""\
        PTX barrier
        {{ P0:r5 = 1; }}
        P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;
        st.weak x, 1   | {second}       | {third}        ;
        {first}        | ld.weak r0, x  |                ;
        {clause}
        """


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        (barrier("bar.cta.sync 0", "bar.cta.sync 0"), False),
        (barrier("bar.cta.sync 0", "bar.cta.sync 1"), True),
        (barrier("bar.cta.sync 0, 1", "bar.cta.sync 0, 2"), True),
        (barrier("bar.cta.sync 0, r5", "bar.cta.sync 0, 1"), False),
        (barrier("bar.cta.sync r5, 0", "bar.cta.sync 1"), False),
        (barrier("bar.cta.arrive 0", "bar.cta.sync 0"), False),
        (barrier("bar.cta.sync 0", "bar.cta.arrive 0"), True),
        (barrier("bar.cta.arrive 0, 0, 2", "bar.cta.sync 0, 0, 2"), False),
    ],
)
def test_which_barriers_join(text: str, stale: bool, verdicts_of: CheckText) -> None:
    assert verdicts_of(text, "ptx") == {"condition": "holds" if stale else "violated"}


def test_a_barrier_with_a_count_waits_for_so_many(verdicts_of: CheckText) -> None:
    """With two arrivals of three nobody goes on: `exists true` asks for an execution that completes."""
    assert verdicts_of(barrier("bar.cta.sync 0, 0, 3", "bar.cta.sync 0, 0, 3", clause="exists true"), "ptx") == {
        "condition": "violated"
    }
    third = "bar.cta.arrive 0, 0, 3"
    text = barrier("bar.cta.sync 0, 0, 3", "bar.cta.sync 0, 0, 3", third, "exists (1:r0=1)")
    assert verdicts_of(text, "ptx") == {"condition": "holds"}


def test_phases_of_a_barrier(verdicts_of: CheckText) -> None:
    """The second arrival at a name is of its second phase."""
    text = """\
        PTX phases
        {}
        P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
        bar.cta.sync 0 | bar.cta.sync 0 ;
        st.weak x, 1   | ld.weak r0, x  ;
        bar.cta.sync 0 | bar.cta.sync 0 ;
                       | ld.weak r1, x  ;
        exists (1:r0=0 /\\ 1:r1=%s)
        """
    assert verdicts_of(text % "1", "ptx") == {"condition": "holds"}
    assert verdicts_of(text % "0", "ptx") == {"condition": "violated"}


@pytest.mark.parametrize(("cluster", "stale"), [("cluster 0", False), ("cluster 1", True)])
def test_cluster_scope(cluster: str, stale: bool, verdicts_of: CheckText) -> None:
    text = f"""\
        PTX cluster
        {{}}
        P0@cta 0,cluster 0,gpu 0 | P1@cta 1,{cluster},gpu 0  ;
        st.weak x, 1             | ld.acquire.cluster r0, f  ;
        st.release.cluster f, 1  | ld.weak r1, x             ;
        exists (1:r0=1 /\\ 1:r1=0)
        """
    assert verdicts_of(text, "ptx") == {"condition": "holds" if stale else "violated"}


def test_what_ptx_operations_store(verdicts_of: CheckText) -> None:
    text = """\
        PTX operations
        { a = 3; b = 0; c = 5; d = 6; e = 6; f = -2; }
        P0@cta 0,gpu 0 ;
        atom.relaxed.gpu.inc r0, a, 3 ;
        atom.relaxed.gpu.dec r1, b, 4 ;
        atom.relaxed.gpu.cas r2, c, 5, 9 ;
        atom.relaxed.gpu.and r3, d, 3 ;
        red.relaxed.gpu.xor e, 3 ;
        atom.relaxed.gpu.min r4, f, 1 ;
        mul r5, r0, r2 ;
        sub r5, r5, 1 ;
        forall (a=0 /\\ b=4 /\\ c=9 /\\ d=2 /\\ e=5 /\\ f=-2 /\\ 0:r5=14 /\\ 0:r4=-2)
        """
    assert verdicts_of(text, "ptx") == {"condition": "holds"}


def test_pointers_and_indices(verdicts_of: CheckText) -> None:
    text = """\
        C pointers
        { int a[2] = {5, 6}; int* p = &x; int y = 3; int* q = &y; }
        P0 (int** p, int* a, int* x, int** q) {
          int* s = *p;
          *s = 1;
          int i = *x;
          int v = a[i];
          int* t = a + i;
          *t = 9;
          int w = **q;
        }
        forall (x=1 /\\ 0:v=6 /\\ a[1]=9 /\\ a[0]=5 /\\ 0:w=3 /\\ 0:s=&x)
        """
    assert verdicts_of(text, "rc11") == {"condition": "holds", "race_free": "holds", "assertion": "holds"}


def test_differences_of_pointers_and_sums_count_elements(verdicts_of: CheckText) -> None:
    text = """\
        C differences
        { int a[3] = {0, 0, 0}; }
        P0 (int* a) {
          int* p = &a[2];
          int r = p - a;
          int* q = &a[0];
          q = &a[1];
          int s = a - q;
          int t = (1 + a == q);
          *(1 + q) = 7;
        }
        forall (0:r=2 /\\ 0:s=-1 /\\ 0:t=1 /\\ a[2]=7)
        """
    assert verdicts_of(text, "rc11")["condition"] == "holds"


def test_a_side_that_is_not_chosen_has_no_effect(verdicts_of: CheckText) -> None:
    text = """\
        C sides
        { x = 0; y = 1; }
        P0 (int* x, int* y) {
          int a = 0;
          int b = *x ? (a = 1, 2) : 3;
          int c = *x && (a++, 1);
          int d = *y || (a += 10, 1);
          int e = *y ? (a -= 100, 5) : (a *= 2, 6);
        }
        forall (0:a=-100 /\\ 0:b=3 /\\ 0:c=0 /\\ 0:d=1 /\\ 0:e=5)
        """
    assert verdicts_of(text, "rc11")["condition"] == "holds"


def test_only_literals_that_are_not_decimal_become_unsigned(verdicts_of: CheckText) -> None:
    """C11 6.4.4.1/5: 3000000000 is a long, 0xB2D05E00, the same number, an unsigned int."""
    text = """\
        C literals
        { }
        P0 () { int a = 3000000000 > -1; int b = 0xB2D05E00 > -1; int c = 3000000000u > -1; int d = 2147483648 > -1; }
        forall (0:a=1 /\\ 0:b=0 /\\ 0:c=0 /\\ 0:d=1)
        """
    assert verdicts_of(text, "rc11")["condition"] == "holds"


def test_what_compare_exchange_expects_is_behind_a_pointer(verdicts_of: CheckText) -> None:
    text = """\
        C expected
        { x = 1; int* p = &x; }
        P0 (int** p) {
          int* x = *p;
          int e = 4;
          int won = atomic_compare_exchange_strong(x, &e, 7);
          int f = 1;
          int* expected;
          expected = &f;
          int again = atomic_compare_exchange_strong(x, expected, 8);
        }
        forall (0:again=1 /\\ 0:f=1 /\\ x=8 /\\ 0:e=1 /\\ 0:won=0)
        """
    assert verdicts_of(text, "rc11") == {"condition": "holds", "race_free": "holds", "assertion": "holds"}


def test_an_index_outside_is_undefined_if_an_execution_has_it(tmp_path: Path) -> None:
    """The values alone would allow element 2 in both programs."""
    text = (
        "C t\n{ int a[2] = {0, 0}; }\nP0 (atomic_int* x, int* a) {\n  int i = atomic_load(x);\n  int v = a[i];\n%s}\n"
        "P1 (atomic_int* x) { int r = atomic_load(x); if (r == 1) atomic_store(x, 2); }\nexists (0:v=1)\n"
    )
    inside, outside = tmp_path / "inside.litmus", tmp_path / "outside.litmus"
    inside.write_text(text % "", encoding="utf-8")
    outside.write_text(text % "  atomic_store(x, 1);\n" + "// \n", encoding="utf-8")
    outside.write_text(outside.read_text().replace("P1 (atomic_int* x) {", "P1 (atomic_int* x) { atomic_store(x, 1);"))
    first, second = check([inside, outside], Settings())
    assert kinds(first) == {"condition": "violated", "race_free": "holds", "assertion": "holds"}
    assert kinds(second)["assertion"] == "violated"
    assert second.exit_code == 1


OPENCL = """\
    OPENCL barrier
    {}
    P0@wg 0,dev 0 (global int* x) { *x = 1; FIRST: barrier(CLK_GLOBAL_MEM_FENCE); }
    P1@wg 0,dev 0 (global int* x) { SECOND: barrier(CLK_GLOBAL_MEM_FENCE); int r = *x; }
    exists (1:r=0)
    """


def test_labels_of_barriers(verdicts_of: CheckText) -> None:
    same = verdicts_of(OPENCL.replace("SECOND", "FIRST"))
    assert same == {"condition": "violated", "race_free": "holds"}
    assert verdicts_of(OPENCL) == {"condition": "holds", "race_free": "violated"}


def test_expectations_of_a_litmus_file(verdicts_of: CheckText) -> None:
    text = STORE_LOAD + "    exists (1:r=1)\n    //@ expect forbidden P1.r == 2; race_free under rc11;\n"
    text = text.replace("; race_free", ";\n    //@ expect race_free")
    assert verdicts_of(text) == {"forbidden": "holds", "race_free": "holds"}
    assert verdicts_of(STORE_LOAD + "    exists (1:r=1)\n    //@ expect condition under ptx;\n") == {
        "condition": "holds"
    }


def test_race_freedom_is_asked_where_the_model_has_races(tmp_path: Path) -> None:
    path = tmp_path / "t.litmus"
    path.write_text(textwrap.dedent(STORE_LOAD) + "exists (1:r=1)", encoding="utf-8")
    asked = {m: [c.kind for c in plan(path, "t", Overrides(model=m)).runs[0].checks] for m in ("cuda", "rc11", "ptx")}
    assert asked == {"cuda": ["condition", "race_free"], "rc11": ["condition", "race_free"], "ptx": ["condition"]}
    (run,) = plan(path, "t", Overrides(progress="cuda")).runs
    assert [c.kind for c in run.checks] == ["condition", "race_free", "terminates"]
