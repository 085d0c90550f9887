"""The forms of a program: how they are printed, and that the passes run that are said to make them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import CodeType, FrameType

import pytest

from scopec.session.forms import FORMS
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.conftest import REPOSITORY
from tests.specifications import SPECS
from tests.test_cli import scopec

DOCUMENT = (REPOSITORY / "docs" / "forms.md").read_text(encoding="utf-8")
#: Two variants; a loop that waits, a barrier with a vote, a query, assertions.
PROGRAM = """\
constexpr int N = 1;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__device__ int data[2] = {7};
__global__ void k() {
    if (threadIdx.x == 0) {
        flag.fetch_add(N, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0);
        data[1] = N;
    }
    int count = __syncthreads_count(threadIdx.x == 0);
    assert(count == 1);
}
int main() {
    k<<<1, 2>>>();
    if (cudaStreamQuery(0) == cudaSuccess) cudaDeviceSynchronize();
}
//@ vary N in {1, 2};
//@ expect race_free;
//@ expect terminates;
//@ expect progresses;
"""


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_printed(form: str, write: Callable[..., Path], golden: Callable[[str, str], None]) -> None:
    done = scopec("compile", write(PROGRAM, "flag.cu"), "--show", form)
    assert done.returncode == 0, done.stderr
    golden(f"form-{form}.txt", done.stdout)


def test_forms_that_are_alike_are_printed_once(write: Callable[..., Path]) -> None:
    text = (
        "__global__ void k() {}\n//@ launch k<<<1, 1>>>();\n//@ expect terminates under fair;\n//@ expect race_free;\n"
    )
    path = write(text, "none.cu")
    for form, number in (("program", 1), ("events", 1), ("steps", 2)):
        assert scopec("compile", path, "--show", form).stdout.count(f": {form}\n") == number


def test_a_request_to_stop_has_a_word(write: Callable[..., Path]) -> None:
    text = """\
#include <thread>
int main() {
    std::jthread worker([](std::stop_token stop) { while (!stop.stop_requested()) std::this_thread::yield(); });
    worker.request_stop();
}
"""
    assert "main_L4: requests worker.stop (acq_rel, system)" in scopec("compile", write(text), "--show", "steps").stdout


@pytest.mark.parametrize("more", [(), ("--show", "steps", "-o", "out"), ("--check",), ("--show", "steps", "--check")])
def test_either_files_or_a_form(more: tuple[str, ...], write: Callable[..., Path]) -> None:
    refused = scopec("compile", write(PROGRAM), *more)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "give -o and a folder for the files, or --show and a form to print" in refused.stderr


def test_the_document_shows_what_is_printed(write: Callable[..., Path]) -> None:
    text, shown = (
        re.search(rf"^```{word}\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL) for word in ("cuda", "text")
    )
    assert text
    assert shown
    assert scopec("compile", write(text[1], "mp.cu"), "--show", "steps").stdout == shown[1]


def test_the_document_lists_the_passes() -> None:
    rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in DOCUMENT.splitlines() if line[:2] == "| "]
    told = [["form", "pass", "what it does"]]
    for name, form in FORMS.items():
        told.append([name, "", form.is_a])
        told += [[name, f"`{function.removeprefix('scopec.')}`", does] for function, does in form.passes.items()]
    assert rows == told


#: Files whose forms need every pass.
FILES = (
    "litmus-files/c-operands.litmus", "litmus-files/ptx-quorum.litmus", "host/exit.cu", "programs/histogram.cu", "hrf/fences.cu",
    "cuda-execution-model/api-2.cu", "ptx/seq-cst.cu",
)  # fmt: skip


def test_each_pass_runs_and_in_this_order() -> None:
    """Where a form is made, the passes that run begin in the order of the list; some file needs each."""
    seen: set[str] = set()
    for file in FILES:
        runs: list[Run] = []
        made = [("program", called(lambda: runs.extend(plan(SPECS / file, file, Overrides()).runs)))]  # noqa: B023
        for run in runs[:4]:
            made += [(name, called(lambda: FORMS[name].text(run))) for name in ("events", "steps")]  # noqa: B023
            if run.hardware_checks:
                made.append(("steps", called(lambda: run.hardware_system)))  # noqa: B023
        for name, functions in made:
            own = list(FORMS[name].passes)
            found = [function for function in functions if function in own]
            assert found == [function for function in own if function in found], file
            seen.update(found)
    assert seen == {function for form in FORMS.values() for function in form.passes}


def called(act: Callable[[], object]) -> list[str]:
    """The passes that are called, in the order of their first calls."""
    passes = {code(function): function for form in FORMS.values() for function in form.passes}
    found: dict[str, None] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code in passes:
            found.setdefault(passes[frame.f_code])

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return list(found)


def code(function: str) -> CodeType:
    module, _, name = function.partition(":")
    found: CodeType = getattr(import_module(module), name).__code__
    return found
