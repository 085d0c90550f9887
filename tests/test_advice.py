"""Suggestions: each kind is found where it helps, is the least of its kind, and helps when it is followed in the source."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.advice import advised
from scopec.base.source import Source
from scopec.explain.fixes import diff, replaced
from scopec.explain.verdict import Check
from scopec.session.check import Settings, check
from tests.command import scopec
from tests.violations import VIOLATIONS


def checks(tmp_path: Path, text: str, *, advise: bool = True) -> list[Check]:
    path = tmp_path / "p.cu"
    path.write_text(text, encoding="utf-8")
    (outcome,) = check([path], Settings(engine="embedded", advise=advised if advise else None))
    assert outcome.failure is None, outcome.failure
    assert not [d for d in outcome.diagnostics if d.severity == "error"]
    return list(outcome.reports[0].checks)


def followed(text: str, found: Check) -> str:
    """The program as a check's fix has it; the fix is not empty."""
    assert found.fix
    return replaced(Source("p.cu", text), [replace(r, span=replace(r.span, file="p.cu")) for r in found.fix])


HANDOVER = """\
__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_SCOPE> flag{0};
__global__ void mp() {
    int r = 1;
    if (blockIdx.x == 0) {
        x = 1;
        flag.store(1, cuda::memory_order_RELEASE);
    } else if (flag.load(cuda::memory_order_ACQUIRE) == 1) {
        r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
//@ expect required mp[1][0].r == 1;
"""


def handover(scope: str, release: str, acquire: str) -> str:
    return HANDOVER.replace("SCOPE", scope).replace("RELEASE", release).replace("ACQUIRE", acquire)


LAST_BLOCK = """\
__device__ unsigned count = 0;
__device__ int part = 0;
__global__ void mp() {
    int r = 1;
    if (blockIdx.x == 0) part = 1;
    __threadfence();
    if (atomicInc(&count, 2) == 1) r = part;
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
//@ expect required mp[1][0].r == 1;
"""


WIDER = "thread_scope_device for the atomic operations on `flag` (lines 7 and 8)"
BOTH = "`race_free` and `required mp[1][0].r == 1` hold then"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        (handover("block", "release", "acquire"), WIDER),
        (handover("block", "relaxed", "acquire"), f"both {WIDER} and memory_order_release at line 7"),
        (
            handover("device", "relaxed", "relaxed"),
            "both memory_order_release at line 7 and memory_order_acquire at line 8",
        ),
        (handover("system", "release", "relaxed"), "memory_order_acquire at line 8"),
        (LAST_BLOCK, "__threadfence() after line 7"),
    ],
)
def test_scopes_and_orders_no_more_than_needed(text: str, suggestion: str, tmp_path: Path) -> None:
    race, outcome = checks(tmp_path, text)
    assert (race.verdict, race.advice) == ("violated", f"{suggestion}; checked: {BOTH}")
    assert outcome.advice is None  # what is said about the race is enough
    mended = followed(text, race)
    if text == LAST_BLOCK:  # what comes after the operation is on its line
        assert mended == text.replace("r = part;", "{ __threadfence(); r = part; }")
    assert [c.verdict for c in checks(tmp_path, mended)] == ["holds", "holds"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "suggestion", "old", "new"),
    [
        (
            "race-plain",
            "one atomic read-modify-write at thread_scope_block where `n` is read and then written (line 2); checked: "
            "`race_free` and `required n == 2` hold then",
            "n = n + 1;",
            "cuda::atomic_ref<int, cuda::thread_scope_block>(n).fetch_add(1, cuda::memory_order_relaxed);",
        ),
        (
            "race-system",
            "a machine with concurrentManagedAccess = 1; checked: it holds then",
            "concurrentManagedAccess = 0",
            "concurrentManagedAccess = 1",
        ),
        (
            "outcome",
            "memory_order_seq_cst at lines 4 and 5; checked: `forbidden sb[0][0].r == 0 && sb[1][0].r == 0` and "
            "`required sb[0][0].r == 1 || sb[1][0].r == 1` hold then",
            "memory_order_",
            "memory_order_seq_cst, cuda::memory_order_",
        ),
    ],
)
def test_other_changes(name: str, suggestion: str, old: str, new: str, tmp_path: Path) -> None:
    text = VIOLATIONS[name]
    assert checks(tmp_path, text)[0].advice == suggestion
    changed = text.replace(old, new)
    if name == "outcome":
        changed = text.replace("memory_order_release", "memory_order_seq_cst").replace(
            "memory_order_acquire", "memory_order_seq_cst"
        )
    assert checks(tmp_path, changed)[0].verdict == "holds"


def test_a_plain_flag_becomes_an_atomic_one(tmp_path: Path) -> None:
    text = (
        "__device__ int x = 0, flag = 0;\n"
        "__global__ void mp() {\n"
        "    if (blockIdx.x == 0) { x = 42; flag = 1; }\n"
        "    else if (flag == 1) { int r = x; }\n"
        "}\n//@ launch mp<<<2, 1>>>();\n//@ expect race_free;\n"
    )
    (race,) = checks(tmp_path, text)
    assert race.advice == (
        "an atomic `flag` at thread_scope_device, release stores and acquire loads (lines 3 and 4); checked: it holds then"
    )


def test_fences(tmp_path: Path) -> None:
    text = """\
__device__ int x = 0;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void mp() {
    if (blockIdx.x == 0) {
        x = 1;
        __threadfence_block();
        flag.store(1, cuda::memory_order_relaxed);
    } else if (flag.load(cuda::memory_order_relaxed) == 1) {
        __threadfence();
        int r = x;
    }
}
//@ launch mp<<<2, 1>>>();
//@ expect race_free;
"""
    found = checks(tmp_path, text)[0]
    assert found.advice == "thread_scope_device for the fence at line 6; checked: it holds then"
    assert list(diff(found.fix, Source(found.fix[0].span.file, text), context=0))[2:] == [
        "@@ -6 +6 @@",
        "-        __threadfence_block();",
        "+        __threadfence();",
    ]
    assert checks(tmp_path, followed(text, found))[0].verdict == "holds"


def test_sarif_has_the_changes_at_all_places(tmp_path: Path) -> None:
    """In one fix: each alone would mend nothing.  Whoever applies it has what holds."""
    text = handover("device", "relaxed", "relaxed")
    file = tmp_path / "p.cu"
    file.write_text(text)
    done = scopec("check", file, "--engine", "embedded", "--format", "sarif")
    (race,) = (r for r in json.loads(done.stdout)["runs"][0]["results"] if r["ruleId"] == "data-race")
    (fix,) = race["fixes"]
    assert "both memory_order_release at line 7 and memory_order_acquire at line 8" in fix["description"]["text"]
    (change,) = fix["artifactChanges"]
    assert [one["deletedRegion"]["startLine"] for one in change["replacements"]] == [7, 8]
    lines = text.split("\n")
    for one in change["replacements"]:
        region = one["deletedRegion"]
        assert region["startLine"] == region["endLine"]
        line = lines[region["startLine"] - 1]
        before, after = line[: region["startColumn"] - 1], line[region["endColumn"] - 1 :]
        lines[region["startLine"] - 1] = before + one["insertedContent"]["text"] + after
    file.write_text("\n".join(lines))
    assert scopec("check", file, "--engine", "embedded").returncode == 0
    file.write_text("\n".join([*lines[:7], *text.split("\n")[7:]]))
    assert scopec("check", file, "--engine", "embedded").returncode == 1


LOCK = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> taken{0};
__device__ int total = 0;
__global__ void add() {
    TAKE
    total += 1;
    taken.store(0, cuda::memory_order_RELEASE);
}
//@ launch add<<<2, 1>>>();
//@ expect race_free;
"""


@pytest.mark.parametrize(
    ("take", "release", "advice", "changed"),
    [
        (
            "while (taken.exchange(1, cuda::memory_order_relaxed));",
            "release",
            "memory_order_acquire at line 4",
            {"exchange(1, cuda::memory_order_acquire)"},
        ),
        (
            "for (int free = 0; !taken.compare_exchange_weak(free, 1, cuda::memory_order_relaxed, "
            "cuda::memory_order_relaxed);) free = 0;",
            "relaxed",
            "both memory_order_acquire at line 4 and memory_order_release at line 6",
            {"1, cuda::memory_order_acquire, cuda::memory_order_relaxed)", "store(0, cuda::memory_order_release)"},
        ),
    ],
    ids=["exchange", "compare-exchange"],
)
@pytest.mark.sampled(1)
def test_an_update_gets_the_half_that_is_needed(
    take: str, release: str, advice: str, changed: set[str], tmp_path: Path
) -> None:
    text = LOCK.replace("TAKE", take).replace("RELEASE", release)
    (found,) = checks(tmp_path, text)
    assert found.advice == f"{advice}; checked: it holds then"
    after = followed(text, found)
    assert all(part in after and part not in text for part in changed)
    assert checks(tmp_path, after)[0].verdict == "holds"


def test_no_fix_where_no_one_place_says_what_is_to_change(tmp_path: Path) -> None:
    """The line of a macro's use does not say its order."""
    lock = LOCK.replace("TAKE", "while (TRY);").replace("RELEASE", "release")
    text = lock.replace(
        "__device__ int total", "#define TRY taken.exchange(1, cuda::memory_order_relaxed)\n__device__ int total"
    )
    (found,) = checks(tmp_path, text)
    assert found.advice is not None
    assert not found.fix


@pytest.mark.parametrize("name", ["assertion", "never-hangs"])
def test_nothing_is_suggested_where_no_such_change_helps(name: str, tmp_path: Path) -> None:
    text = VIOLATIONS[name].replace("//@ expect may_hang;\n", "").replace("//@ expect may_stall;\n", "")
    assert all(c.advice is None for c in checks(tmp_path, text))


def test_nothing_is_suggested_that_breaks_what_holds(tmp_path: Path) -> None:
    """The outcome that is expected to be possible is so only while the orders are weak."""
    text = VIOLATIONS["outcome"].replace("allowed sb[0][0].r == 7", "allowed sb[0][0].r == 0 && sb[1][0].r == 0")
    assert [(c.verdict, c.advice) for c in checks(tmp_path, text)][:2] == [("violated", None), ("holds", None)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["race-relaxed", "stuck", "outcome", "hang-host"])
def test_a_fix_does_what_is_said_of_it(name: str, tmp_path: Path) -> None:
    text = VIOLATIONS[name]
    before = checks(tmp_path, text)
    (number,) = {n for n, c in enumerate(before) if c.fix} if name != "outcome" else {0}
    assert checks(tmp_path, followed(text, before[number]))[number].verdict == "holds"


def test_suggestions_are_made_only_when_asked_for(tmp_path: Path) -> None:
    assert checks(tmp_path, VIOLATIONS["race-scope"], advise=False)[0].advice is None


@pytest.mark.jvm
def test_a_host_that_waits_without_a_call_synchronises(tmp_path: Path) -> None:
    (hang,) = checks(tmp_path, VIOLATIONS["hang-host"])
    assert hang.advice == "cudaDeviceSynchronize() after the launch of producer, at line 4; checked: it holds then"
    text = VIOLATIONS["hang-host"].replace("    while", "    cudaDeviceSynchronize();\n    while")
    assert followed(VIOLATIONS["hang-host"], hang) == text
    assert checks(tmp_path, text)[0].verdict == "holds"


IN_PTX = """\
__device__ int x, y;
__global__ void k() {
    int r = 2, s = 0;
    if (blockIdx.x == 0) {
        STORE_X
        STORE_Y
    } else {
        LOAD_Y
        LOAD_X
    }
}
//@ launch k<<<2, 1>>>();
//@ expect EXPECTED;
"""
MESSAGE = "forbidden k[1][0].s == 1 && k[1][0].r == 0 under ptx"


def in_ptx(store: str, load: str, expected: str) -> str:
    texts = {
        "STORE_X": 'asm volatile("st.global.s32 [%0], 1;" :: "l"(&x) : "memory");',
        "STORE_Y": f'asm volatile("st.{store}.global.s32 [%0], 1;" :: "l"(&y) : "memory");',
        "LOAD_Y": f'asm volatile("ld.{load}.global.s32 %0, [%1];" : "=r"(s) : "l"(&y) : "memory");',
        "LOAD_X": 'asm volatile("ld.global.s32 %0, [%1];" : "=r"(r) : "l"(&x) : "memory");',
        "EXPECTED": expected,
    }
    text = IN_PTX
    for name, instead in texts.items():
        text = text.replace(name, instead)
    return text


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (in_ptx("relaxed.gpu", "relaxed.gpu", MESSAGE), "both `.release` at line 6 and `.acquire` at line 8"),
        (in_ptx("release.cta", "acquire.cta", MESSAGE), "`.gpu` for the atomic operations on `y` (lines 6 and 8)"),
        (
            in_ptx("release.cta", "acquire.cta", MESSAGE).replace(
                "int r = 2", "cuda::atomic_ref<int, cuda::thread_scope_block>(y).load(); int r = 2"
            ),
            "thread_scope_device (`.gpu` in PTX) for the atomic operations on `y` (lines 3, 6 and 8)",
        ),
    ],
)
def test_advice_on_what_is_written_in_ptx(text: str, advice: str, tmp_path: Path) -> None:
    (found,) = checks(tmp_path, text)
    assert found.advice == f"{advice}; checked: it holds then"
    assert checks(tmp_path, followed(text, found))[0].verdict == "holds"


BUFFERS = """\
__device__ int x, y;
__global__ void k() {
    int r = 2;
    int *mine = blockIdx.x ? &x : &y, *other = blockIdx.x ? &y : &x;
    asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" :: "l"(mine) : "memory");
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(other) : "memory");
}
//@ launch k<<<2, 1>>>();
//@ expect forbidden k[0][0].r == 0 && k[1][0].r == 0 under ptx;
"""


def test_no_access_of_ptx_is_seq_cst(tmp_path: Path) -> None:
    """What it is in CUDA C++ is a fence before it."""
    (found,) = checks(tmp_path, BUFFERS)
    assert found.advice == "`fence.sc.gpu` before line 6; checked: it holds then"
    assert checks(tmp_path, followed(BUFFERS, found))[0].verdict == "holds"
