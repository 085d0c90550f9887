"""Races between volatile accesses: the verdict says what CUDA C++ makes of them, and what PTX does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.explain.reasons import explanation
from scopec.report.text import outcome_lines
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides

HANDOVER = """\
__device__ volatile int flag;
__device__ int data;
__global__ void handover() {
    int r = 2;
    if (blockIdx.x == 0) {
        data = 1; BETWEEN
        flag = 1;
    } else if (flag == 1) {
        BETWEEN
        r = data;
    }
}
//@ launch handover<<<2, 1>>>();
//@ expect race_free;
//@ expect forbidden handover[1][0].r == 0;
//@ expect allowed handover[1][0].r == 1;
"""
BOTH = "volatile of C++ is a plain access; nvcc makes ld.volatile of it, which is relaxed.sys: "


@pytest.fixture
def checked(write: Callable[..., Path]) -> Callable[..., Outcome]:
    def check_(text: str, model: str | None = None) -> Outcome:
        (outcome,) = check([write(text)], Settings(Overrides(model=model), engine="embedded"))
        assert outcome.diagnostics == ()
        return outcome

    return check_


def told(outcome: Outcome) -> list[str]:
    (report,) = outcome.reports
    return [explanation(c).sentences[-1].removeprefix(BOTH) for c in report.checks]


def test_both_languages_are_told(checked: Callable[..., Outcome]) -> None:
    fenced = checked(HANDOVER.replace("BETWEEN", "__threadfence();"))
    assert all(c.verdict == "violated" for c in fenced.reports[0].checks)
    assert told(fenced) == ["under `ptx` the program is race free", "under `ptx` it holds", "under `ptx` it holds"]
    bare = checked(HANDOVER.replace("BETWEEN", ""))
    assert told(bare) == [
        "under `ptx` the program has a data race on `data`",
        "under `ptx` it is violated too: an execution ends this way",
        "under `ptx` it holds",
    ]


def test_what_is_told_is_the_verdict_under_ptx(checked: Callable[..., Outcome]) -> None:
    for between in ("", "__threadfence();"):
        text = HANDOVER.replace("BETWEEN", between)
        (asked,) = checked(text, "ptx").reports
        said = told(checked(text))
        for check_, sentence in zip(asked.checks, said, strict=True):
            holds = sentence.endswith(("holds", "is race free"))
            assert (check_.verdict == "holds") == holds


def test_an_expected_race_tells_both(checked: Callable[..., Outcome]) -> None:
    text = HANDOVER.replace("BETWEEN", "").partition("//@ expect")[0]
    assert told(checked(f"{text}//@ expect race on flag;\n")) == ["under `ptx` the program has a data race on `data`"]
    (report,) = checked(f"{text}//@ expect race on data;\n").reports
    assert report.checks[0].elsewhere is None


def test_races_of_other_accesses_and_other_models_do_not_mention_it(checked: Callable[..., Outcome]) -> None:
    text = HANDOVER.replace("BETWEEN", "")
    for outcome in (checked(text.replace("volatile ", "")), checked(text, "hrf0"), checked(text, "ptx")):
        assert [c.elsewhere for r in outcome.reports for c in r.checks] == [None, None, None]


def test_the_text_tells_it_with_each_verdict(checked: Callable[..., Outcome]) -> None:
    outcome = checked(HANDOVER.replace("BETWEEN", "__threadfence();"))
    lines = list(outcome_lines(outcome, verbose=False, quiet=False, width=200))
    assert f"      why: {BOTH}under `ptx` the program is race free" in lines
    second = lines.index("  violated  forbidden handover[1][0].r == 0: undefined behaviour")
    assert lines[second + 1] == "      under `ptx` it holds"


def test_a_late_answer_says_how_to_ask(checked: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scopec.session.inquiry.volatile._SECONDS", 0.0)
    assert set(told(checked(HANDOVER.replace("BETWEEN", "")))) == {"`--model ptx` asks what holds there"}


# ---------------------------------------------------------------- who writes the instruction means it

STORE, LOAD = "*(volatile int*)&flag = 1;", "r = *(volatile int*)&flag;"
PTX_STORE = 'asm volatile("st.volatile.global.s32 [%0], 1;" :: "l"(&flag) : "memory");'
PTX_LOAD = 'asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(r) : "l"(&flag) : "memory");'
INLINE = """
__device__ int flag, data;
__global__ void handover() {
    int r = 0;
    if (blockIdx.x == 0) {
        data = 1; FENCE
        STORE
    } else {
        LOAD
        if (r == 1) { FENCE r = data; }
    }
}
//@ launch handover<<<2, 1>>>();
//@ expect race_free;
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("model", ["cuda", "cuda-v1", "cuda-v2", "ptx"])
@pytest.mark.parametrize(("fence", "verdict"), [("__threadfence();", "holds"), ("", "violated")])
def test_a_volatile_access_of_ptx_is_relaxed(
    model: str, fence: str, verdict: str, checked: Callable[..., Outcome]
) -> None:
    text = INLINE.replace("STORE", PTX_STORE).replace("LOAD", PTX_LOAD).replace("FENCE", fence)
    (report,) = checked(text, model).reports
    assert [c.verdict for c in report.checks] == [verdict]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("store", "load"), [(STORE, LOAD), (PTX_STORE, LOAD), (STORE, PTX_LOAD)])
def test_one_of_cplusplus_is_plain(store: str, load: str, checked: Callable[..., Outcome]) -> None:
    """Beside one of PTX, too; the text says what the compiler makes of it."""
    text = INLINE.replace("STORE", store).replace("LOAD", load).replace("FENCE", "__threadfence();")
    (report,) = checked(text).reports
    assert [c.verdict for c in report.checks] == ["violated"]
    assert told(checked(text)) == ["under `ptx` the program is race free"]


STALLS = """
__device__ int flag;
__global__ void k() { int r; do { ACCESS } while (r == 0); }
//@ launch k<<<1, 1>>>();
//@ expect progresses;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("access", "verdict"),
    [
        ('asm volatile("ld.global.s32 %0, [%1];" : "=r"(r) : "l"(&flag));', "holds"),
        ('asm("ld.global.s32 %0, [%1];" : "=r"(r) : "l"(&flag));', "violated"),
        ('asm volatile("mov.s32 %0, 0;" : "=r"(r));', "violated"),  # no access
        ('r = 0; asm volatile("st.global.s32 [%0], 0;" :: "l"(&flag));', "holds"),
        ('r = 0; asm volatile("st.relaxed.gpu.global.s32 [%0], 0;" :: "l"(&flag));', "holds"),
        ("r = flag;", "violated"),
    ],
)
def test_an_access_in_volatile_assembly_is_a_side_effect(
    access: str, verdict: str, checked: Callable[..., Outcome]
) -> None:
    (report,) = checked(STALLS.replace("ACCESS", access)).reports
    assert [c.verdict for c in report.checks] == [verdict]
