"""Objects to which nobody gives a content, where a branch or an index depends on it: verdicts say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.report.json import document
from scopec.report.text import outcome_lines
from scopec.session.check import Outcome, Settings, check
from tests.conftest import check_text

TEXT = """#include <cuda/atomic>
DECLARED
__device__ int out[4];
__global__ void k(int* p) { BODY }
int main() {
    int* p;
    cudaMalloc(&p, 16);
    MAIN
    k<<<1, 2>>>(p);
    cudaDeviceSynchronize();
}
//@ expect race_free;
"""


def about(folder: Path, declared: str, body: str, main: str = "") -> tuple[str, ...]:
    text = TEXT.replace("DECLARED", declared).replace("BODY", body).replace("MAIN", main)
    outcome = check_text(folder, text, engine="embedded")
    assert outcome.failure is None
    assert outcome.reports, outcome.diagnostics
    (content,) = {c.content for r in outcome.reports for c in r.checks}
    return content


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("declared", "body", "names"),
    [
        ("__device__ int data[4];", "if (data[threadIdx.x] > 3) out[0] = 1;", ("data",)),
        ("__device__ int data[4];", "out[data[threadIdx.x] & 3 ? 1 : threadIdx.x] = 1;", ("data",)),
        (
            "__device__ int data[4], more;",
            "int d = data[0] + more; for (int i = 0; i < d; i++) out[0] = 1;",
            ("data", "more"),
        ),
        ("__managed__ int data;", "int i = threadIdx.x + data; if (i < 4) out[i] = 1;", ("data",)),
        ("struct P { int x, y; }; __device__ P data[2];", "if (data[threadIdx.x].y) out[0] = 1;", ("data",)),
        ("__device__ int data;", "if (p[0] == 0) out[threadIdx.x] = data;", ("p",)),
    ],
)
def test_a_way_depends_on_a_content(declared: str, body: str, names: tuple[str, ...], tmp_path: Path) -> None:
    assert about(tmp_path, declared, body) == names


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("declared", "body", "main"),
    [
        ("__device__ int data[4] = {0};", "if (data[threadIdx.x] > 3) out[0] = 1;", ""),  # its line says it
        ("__device__ int data{};", "if (data > 3) out[0] = 1;", ""),
        ("__device__ int data[4];", "out[threadIdx.x] = data[threadIdx.x];", ""),  # no way depends on it
        ("__managed__ int data;", "if (data > 3) out[0] = 1;", "data = 4;"),  # the host gives it
        ("__device__ int data;", "if (data > 3) out[0] = 1;", "int d = 1; cudaMemcpyToSymbol(data, &d, 4);"),
        ("__device__ cuda::atomic<int, cuda::thread_scope_device> f;", "if (f.fetch_add(1)) out[0] = 1;", ""),
        ("", "if (p[0]) out[0] = 1;", "cudaMemset(p, 0, 16);"),
    ],
)
def test_a_content_that_is_given(declared: str, body: str, main: str, tmp_path: Path) -> None:
    assert about(tmp_path, declared, body, main) == ()


def test_reports_say_it(tmp_path: Path) -> None:
    text = TEXT.replace("DECLARED", "__device__ int data;").replace("MAIN", "")
    outcome = check_text(tmp_path, text.replace("BODY", "if (data) out[0] = 1;"), engine="embedded")
    lines = list(outcome_lines(outcome, verbose=False, quiet=False, width=120))
    assert "  holds     race_free  (for this content of `data`)" in lines
    (found, *_) = document([outcome], {}, 0.0)["programs"][0]["checks"]
    assert found["content"] == ["data"]


def test_a_litmus_file_gives_its_contents(write: Callable[..., Path]) -> None:
    text = "C zero\n{ }\nP0 (atomic_int* x) { int r = atomic_load(x); int s = 0; if (r) s = 1; }\nexists (0:s == 1)\n"
    outcome: Outcome
    (outcome,) = check([write(text, "zero.litmus")], Settings(engine="embedded"))
    assert {c.content for r in outcome.reports for c in r.checks} == {()}
