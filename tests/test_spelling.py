"""Suggestions as text: at two places, inside lines, behind conditions, as atomic functions, in PTX, several barriers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scopec.advice import advised, statements
from scopec.base.source import Source
from scopec.explain.fixes import replaced
from scopec.session.check import Settings, check
from tests.test_advice import checks, followed

FENCES = """\
__device__ int data, flag, result;
__global__ void handover() {
    if (blockIdx.x == 0) {
        data = 42; atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0) { }
        result = data;
    }
}
//@ launch handover<<<2, 1>>>();
//@ expect race_free;
"""


def test_two_fences_one_of_them_inside_a_line_and_one_behind_a_loop(tmp_path: Path) -> None:
    (race,) = checks(tmp_path, FENCES)
    assert race.advice == "both __threadfence() before line 4 and __threadfence() after line 6; checked: it holds then"
    after = followed(FENCES, race)
    assert "data = 42; __threadfence(); atomicExch(&flag, 1);\n" in after
    assert "{ }\n        __threadfence();\n        result" in after
    assert checks(tmp_path, after)[0].verdict == "holds"


def test_a_text_of_which_it_does_not_hold_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words stand alone then."""
    monkeypatch.setattr("scopec.advice.search.reread", lambda run, *_: run)  # as if nothing had changed
    (race,) = checks(tmp_path, FENCES)
    assert (race.advice or "").startswith("both __threadfence()")
    assert race.fix == ()


SUM = """\
__global__ void k(int *sum, int *v) {{ {} }}
//@ object __device__ int sum[2], v[2] = {{1, 1}};
//@ launch k<<<2, 1>>>(sum, v);
//@ expect race_free;
"""


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("*sum += 1;", "atomicAdd(sum, 1);"),
        ("sum[1]++;", "atomicAdd(&sum[1], 1);"),
        ("--sum[1];", "atomicSub(&sum[1], 1);"),
        ("sum[0] = sum[0] + v[blockIdx.x];", "atomicAdd(&sum[0], v[blockIdx.x]);"),
        ("if (v[0]) sum[0] -= v[0] + 1;", "if (v[0]) atomicSub(&sum[0], v[0] + 1);"),
        ("sum[0] |= v[1];", "atomicOr(&sum[0], v[1]);"),
    ],
)
@pytest.mark.sampled(4)
def test_an_update_is_written_out(written: str, instead: str, tmp_path: Path) -> None:
    text = SUM.format(written)
    (race,) = checks(tmp_path, text)
    assert (race.advice or "").startswith("one atomic read-modify-write at thread_scope_device")
    assert followed(text, race) == SUM.format(instead)
    assert checks(tmp_path, SUM.format(instead))[0].verdict == "holds"


@pytest.mark.parametrize("written", ["v[1] = sum[0] += 1;", "sum[0] = sum[0] * 2;"])
def test_an_update_whose_value_is_used_or_that_no_function_makes_is_not(written: str, tmp_path: Path) -> None:
    (race,) = checks(tmp_path, SUM.format(written))
    assert (race.verdict, race.fix) == ("violated", ())


BARRIERS = """\
__global__ void k(int *out) {
    __shared__ int t[2];
    t[threadIdx.x] = 1;
    int a = t[threadIdx.x ^ 1];
    t[threadIdx.x] = a + 1;
    out[threadIdx.x] = t[threadIdx.x ^ 1];
}
//@ object __device__ int out[2];
//@ launch k<<<1, 2>>>(out);
//@ expect race_free;
"""


@pytest.mark.parametrize("joined", [False, True])
def test_several_barriers_that_are_missing(joined: bool, tmp_path: Path) -> None:
    text = BARRIERS.replace(";\n    ", "; ") if joined else BARRIERS
    (race,) = checks(tmp_path, text)
    where = (
        "`int a = t[threadIdx.x ^ 1]` in line 2 and before `t[threadIdx.x] = a + 1` in line 2 and before "
        "`out[threadIdx.x] = t[threadIdx.x ^ 1]` in line 2"
    )
    assert race.advice == f"__syncthreads() before {where if joined else 'lines 4, 5 and 6'}; checked: it holds then"
    after = followed(text, race)
    assert after.count("__syncthreads();") == 3
    assert checks(tmp_path, after)[0].verdict == "holds"


PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<6>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %ctaid.x;
    setp.eq.s32 %p1, %r1, 0;
    @%p1 bra PUT;
GET:
    atom.global.add.u32 %r2, [%rd2], 0;
    setp.eq.s32 %p2, %r2, 0;
    @%p2 bra GET;
    ld.global.u32 %r3, [%rd1];
    st.global.u32 [%rd3], %r3;
    bra END;
PUT:
    st.global.u32 [%rd1], 42;
    atom.cta.global.exch.b32 %r4, [%rd2], 1;
END:
    ret;
}
//@ object __device__ unsigned data[1], flag[1], out[1];
//@ launch k<<<2, 1>>>(data, flag, out);
//@ expect race_free under ptx;
"""


@pytest.mark.parametrize("narrow", [True, False])
@pytest.mark.sampled(1)
def test_a_file_of_ptx_gets_its_own_words(narrow: bool, tmp_path: Path) -> None:
    text = PTX if narrow else PTX.replace(".cta", "")
    path = tmp_path / "k.ptx"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded", advise=advised))
    race = next(c for c in outcome.reports[0].checks if c.expectation.kind == "race_free")
    assert "`.release` at line 24" in (race.advice or "")
    assert "`.acquire` at line 16" in (race.advice or "")
    assert "thread_scope" not in (race.advice or "").replace("`.gpu` in PTX", "")
    if narrow:  # the scope and the order are two changes of one word
        return
    after = replaced(Source("k.ptx", text), [replace(r, span=replace(r.span, file="k.ptx")) for r in race.fix])
    assert "atom.acquire.gpu.global.add.u32" in after
    assert "atom.release.gpu.global.exch.b32" in after
    path.write_text(after)
    (outcome,) = check([path], Settings(engine="embedded"))
    assert {c.verdict for c in outcome.reports[0].checks} == {"holds"}


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("void f() {\n  a; @b;\n}", "void f() {\n  a; F; @b;\n}", "void f() {\n  a; @b;\n  F;\n}"),
        ("void f() {\n  @b; c;\n}", "void f() {\n  F;\n  @b; c;\n}", "void f() {\n  @b; F; c;\n}"),
        ("void f() { if (x) @b; }", "void f() { if (x) { F; @b; } }", "void f() { if (x) { @b; F; } }"),
        ("void f() { if (@b) c; }", "void f() { F; if (@b) c; }", "void f() { if (@b) { F; c; } }"),
        ("void f() { if (@b) { c; } }", "void f() { F; if (@b) { c; } }", "void f() { if (@b) { F; c; } }"),
        ("void f() { while (@b); c; }", "void f() { F; while (@b); c; }", "void f() { while (@b); F; c; }"),
        ("void f() { while (@b) c; }", "void f() { F; while (@b) c; }", None),
        ("void f() { for (a; @b; ) {} }", "void f() { F; for (a; @b; ) {} }", "void f() { for (a; @b; ) {} F; }"),
        ("void f() { if (x) a; else @b; }", None, None),
        ("void f() { return @b; }", "void f() { F; return @b; }", None),
        (
            'void f() { s = "{;"; /* ; { */ @b; }',
            'void f() { s = "{;"; /* ; { */ F; @b; }',
            'void f() { s = "{;"; /* ; { */ @b; F; }',
        ),
    ],
)
def test_where_a_statement_may_stand(text: str, before: str | None, after: str | None) -> None:
    at, source = text.index("@"), Source("f.cu", text.replace("@", ""))
    for place, wanted in ((statements.before, before), (statements.after, after)):
        found = place(source, at, "F;")
        assert (None if found is None else replaced(source, found)) == (wanted and wanted.replace("@", ""))
