"""`expect undefined`: some execution does what has no meaning, other than to race."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scopec.report.json import document
from scopec.report.junit import text as junit
from scopec.report.text import outcome_lines
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides
from tests.conftest import check_text

KERNEL = """#include <cuda/atomic>
__device__ int x, a[2];
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
__global__ void k(int n) { BODY }
//@ launch k<<<2, 1>>>(0);
//@ expect undefined;
"""
#: What is undefined, and the same as it is meant.
FAULTS = {
    "an index": ("a[blockIdx.x + 1] = 1;", "a[blockIdx.x] = 1;"),
    "an index that was read": ("a[f.fetch_add(1) + 1] = 1;", "a[f.fetch_add(1)] = 1;"),
    "a division": ("if (f.fetch_add(1) == 1) f.store(1 / n);", "if (f.fetch_add(1) == 2) f.store(1 / n);"),
    "a shift": ("f.store(1 << (f.load() + 32));", "f.store(1 << (f.load() + 3));"),
    "a null pointer": ("int* p = n ? &x : nullptr; if (blockIdx.x) *p = 1;", "int* p = n ? nullptr : &x; if (blockIdx.x) *p = 1;"),
}  # fmt: skip


def verdicts(outcome: Outcome) -> dict[str, str]:
    assert outcome.failure is None
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    return {c.expectation.text: c.verdict for r in outcome.reports for c in r.checks}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_undefined(name: str, tmp_path: Path) -> None:
    wrong, right = FAULTS[name]
    outcome = check_text(tmp_path, KERNEL.replace("BODY", wrong), engine="embedded")
    assert verdicts(outcome) == {"undefined": "holds"}  # that operations are valid is not asked then
    (report,) = outcome.reports
    assert report.checks[0].trace is not None
    assert any("  (line 4: " in line for line in outcome_lines(outcome, verbose=False, quiet=False, width=200))
    outcome = check_text(tmp_path, KERNEL.replace("BODY", right), engine="embedded")
    assert verdicts(outcome) == {"undefined": "violated"}
    assert outcome.reports[0].checks[0].reason == "no execution does what is undefined"


def test_a_race_is_not_meant(tmp_path: Path) -> None:
    outcome = check_text(tmp_path, KERNEL.replace("BODY", "x = blockIdx.x;"), engine="embedded")
    assert verdicts(outcome) == {"undefined": "violated"}
    assert outcome.reports[0].checks[0].reason == "no execution does what is undefined, other than to race"
    both = KERNEL.replace("BODY", "x = blockIdx.x; a[blockIdx.x + 1] = 1;") + "//@ expect race;\n"
    assert verdicts(check_text(tmp_path, both, engine="embedded")) == {"undefined": "holds", "race": "holds"}


def test_other_verdicts_say_that_the_program_is_undefined(tmp_path: Path) -> None:
    text = KERNEL.replace("BODY", "assert(n == 0); if (f.fetch_add(1)) f.store(1 / n);")
    more = "//@ expect required f == 2;\n//@ expect allowed f == 2;\n//@ expect race_free;\n//@ expect terminates;\n"
    outcome = check_text(
        tmp_path, text.replace("<cuda/atomic>", "<cuda/atomic>\n#include <cassert>") + more, engine="embedded"
    )
    found = verdicts(outcome)
    assert [found[t] for t in ("undefined", "required f == 2", "allowed f == 2", "race_free")] == [
        "holds", "violated", "violated", "holds",
    ]  # fmt: skip
    (report,) = outcome.reports
    reasons = {c.expectation.text: c.reason or "" for c in report.checks}
    assert reasons["required f == 2"].startswith("undefined behaviour, line 5: ")
    assert [e.text for e in report.run.void] == ["assert(n == 0)"]
    (terminates,) = (c for c in report.checks if c.expectation.kind == "terminates")
    assert terminates.warnings or (terminates.reason or "").startswith("undefined behaviour, ")
    assert any(
        "this variant expects undefined behaviour" in x
        for x in outcome_lines(outcome, verbose=False, quiet=False, width=200)
    )


def test_what_is_beyond_the_bound_is_not_known(tmp_path: Path) -> None:
    body = "while (f.fetch_add(1) < 50); a[f.load() < 200 ? 0 : 2] = 1;"
    assert verdicts(check_text(tmp_path, KERNEL.replace("BODY", body), engine="embedded"))["undefined"] == "unknown"


@pytest.mark.parametrize("model", ["ptx", "hrf0", "rc11"])
def test_under_other_models(model: str, tmp_path: Path) -> None:
    path = tmp_path / "program.cu"
    path.write_text(KERNEL.replace("BODY", FAULTS["a division"][0]), encoding="utf-8")
    (outcome,) = check([path], Settings(Overrides(model=model), engine="embedded"))
    assert verdicts(outcome) == {"undefined": "holds"}


LITMUS = """C division
{ }
P0 (atomic_int* x) { int r = 0; LOOKS r = 1 / atomic_load(x); }
P1 (atomic_int* x) { atomic_store(x, 1); }
exists (0:r == 1)
//@ expect undefined;
"""


@pytest.mark.parametrize(("looks", "verdict"), [("", "holds"), ("int s = atomic_load(x); if (s)", "violated")])
def test_in_a_litmus_file(looks: str, verdict: str, write: Callable[..., Path]) -> None:
    (outcome,) = check([write(LITMUS.replace("LOOKS", looks), "division.litmus")], Settings(engine="embedded"))
    assert verdicts(outcome) == {"undefined": verdict}


def test_reports_know_it(tmp_path: Path) -> None:
    outcome = check_text(tmp_path, KERNEL.replace("BODY", FAULTS["an index"][0]), engine="embedded")
    (found,) = json.loads(json.dumps(document([outcome], {}, 0.0)))["programs"][0]["checks"]
    assert (found["kind"], found["verdict"]) == ("undefined", "holds")
    assert found["why"]
    assert 'name="undefined"' in junit([outcome], datetime.now(UTC))
