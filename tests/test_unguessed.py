"""Kernels for which no launch is guessed are asked about all launches."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.source import Span
from scopec.session import guessing, unguessed
from scopec.session.check import Outcome, Settings, check
from scopec.session.plan import Overrides

KERNEL = """__global__ void k(int* out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[{index}] = i;
}}
"""
#: A texture is refused where a launch is followed.
TEXTURE = """#include <cuda_runtime.h>
__global__ void k(cudaTextureObject_t image, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(image, i);
}
__global__ void plain(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }
"""


@pytest.fixture
def none_found(monkeypatch: pytest.MonkeyPatch) -> Callable[[Code], None]:
    """No launch of any kernel is guessed, for a reason."""

    def found(code: Code) -> None:
        def best(_source: object, kernel: guessing.Kernel, *_others: object) -> NoReturn:
            raise InputError(Diagnostic(code, f"no launch of `{kernel.name}` was found", kernel.span))

        monkeypatch.setattr(guessing, "best", best)

    return found


def checked(path: Path, **overrides: bool) -> Outcome:
    (outcome,) = check([path], Settings(Overrides(**overrides), engine="embedded", timeout=30.0))
    return outcome


def verdicts(outcome: Outcome) -> dict[str, str]:
    return {check.expectation.text: check.verdict for report in outcome.reports for check in report.checks}


def test_a_proof_takes_the_place_of_a_launch(write: Callable[[str], Path], none_found: Callable[[Code], None]) -> None:
    none_found(Code.TOO_LARGE)
    outcome = checked(write(KERNEL.format(index="i")))
    assert verdicts(outcome) == {"race_free for every launch of k": "holds"}
    (told,) = outcome.diagnostics
    assert told.severity == "warning"
    assert told.message == "no launch of `k` was found: asked about all launches instead"
    assert outcome.exit_code == 0


def test_a_race_at_some_launch_is_told(write: Callable[[str], Path], none_found: Callable[[Code], None]) -> None:
    """It may be one that nobody makes."""
    none_found(Code.TOO_LARGE)
    outcome = checked(write(KERNEL.format(index="i / 2")))
    assert verdicts(outcome) == {"race_free for every launch of k": "unknown"}
    (report,) = outcome.reports
    assert re.match(r"at k<<<.*a data race on `out\[\d\]`.*the file does not say", report.checks[0].reason)
    assert outcome.exit_code == 4


def test_what_is_not_decided_stays_an_error(
    write: Callable[[str], Path], none_found: Callable[[Code], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a floating-point index; where z3 is missing; and where nobody wants guesses."""
    none_found(Code.TOO_LARGE)
    path = write(KERNEL.format(index="(int)sqrtf(i)"))
    assert (verdicts(checked(path)), checked(path).exit_code) == ({}, 2)
    path = write(KERNEL.format(index="i"))
    assert checked(path, guess=False).exit_code == 2
    monkeypatch.setattr(unguessed, "of_sizes", lambda: None)
    assert (verdicts(checked(path)), checked(path).exit_code) == ({}, 2)


@pytest.mark.parametrize("code", [Code.NOT_LAUNCHED, Code.UNKNOWN_NAME])
def test_what_no_question_mends_is_not_asked(
    code: Code, write: Callable[[str], Path], none_found: Callable[[Code], None]
) -> None:
    """Something that is undefined under each launch, an error of C++."""
    none_found(code)
    outcome = checked(write(KERNEL.format(index="i")))
    assert (verdicts(outcome), outcome.exit_code) == ({}, 2)


def test_kernels_with_launches_are_asked_about_these(write: Callable[[str], Path]) -> None:
    """Of a kernel that reads a texture, and of another one."""
    outcome = checked(write(TEXTURE))
    assert verdicts(outcome) == {
        "race_free": "holds", "terminates": "holds", "race_free for every launch of k": "holds",
    }  # fmt: skip
    (told,) = outcome.diagnostics
    assert (told.code, told.severity) == (Code.UNMODELLED_CALL, "warning")
    assert "//@ launch" not in (told.help or Code.UNMODELLED_CALL.way_out)


def test_an_answer_about_an_overload_is_none_about_another(write: Callable[[str], Path]) -> None:
    raced = (
        "__global__ void k(cudaTextureObject_t image, int* out) { out[threadIdx.x / 2] = tex1Dfetch<int>(image, 0); }"
    )
    plain = "__global__ void k(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }"
    outcome = checked(write(f"#include <cuda_runtime.h>\n{raced}\n{plain}\n"))
    assert "error" in {one.severity for one in outcome.diagnostics}
    assert "asked about all launches instead" not in " ".join(one.message for one in outcome.diagnostics)
    assert "race_free for every launch of k" not in verdicts(outcome)


def test_no_more_kernels_are_asked_about_than_the_limit_has_time_for() -> None:
    said = Diagnostic(Code.TOO_LARGE, "no launch was found", Span("k.cu", 1, 1, 1, 2))
    asked: list[tuple[list[str], float]] = []
    kernels = [(f"k{n}", (said,)) for n in range(30)]
    for limit in (45.0, 2.0, None):
        unguessed.instead(kernels, limit, lambda names, seconds: asked.append((sorted(names), seconds)) or [])  # type: ignore[func-returns-value]
    assert [len(names) * seconds for names, seconds in asked] == [45.0, 5.0, 600.0]
