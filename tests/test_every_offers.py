"""Conditions that are offered where all launches get no proof: each is proved when it is written down."""

from __future__ import annotations

import re

import pytest

from scopec.session.check import Settings, check
from tests import all_launches

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
#: Kernels, and what settles each.
OFFERED = {
    "one of each block, to one place": (
        "__global__ void k(int* a) { if (threadIdx.x == 0) a[0] = 1; }",
        "gridDim.x == 1",
    ),
    "a block of one size": ("__global__ void k(int* a) { a[blockIdx.x * 256 + threadIdx.x] = 1; }", "blockDim.x == 256"),
    "one block": ("__global__ void k(int* a) { a[threadIdx.x] = 1; }", "gridDim.x == 1"),
    "rows that are wide enough": (f"__global__ void k(int* a, int w) {{ {_I} a[blockIdx.y * w + i] = 1; }}", "w >= int(gridDim.x * blockDim.x)"),
    "rows that are there": (f"__global__ void k(int* a, int w, int c) {{ {_I} a[i * w + c] = 1; }}", "w > 0"),
    "a column in its row": (f"__global__ void k(int* a, int w, int c) {{ {_I} for (int j = 0; j < c; ++j) a[i * w + j] = 1; }}", "0 <= c && c < w"),
    "a block of one size in two directions": (
        "__global__ void k(int* a, int w) { a[(blockIdx.y * 16 + threadIdx.y) * w + blockIdx.x * 16 + threadIdx.x] = 1; }",
        None),
}  # fmt: skip
#: Kernels that race wherever two threads come to an access, so that no condition but a vacuous one gets a proof.
NOT_OFFERED = {
    "all to one place": "__global__ void k(int* a) { a[0] = 1; }",
    "all of some": f"__global__ void k(int* a, int n) {{ {_I} if (i < n) a[0] = 1; }}",
}  # fmt: skip


def _reason(folder, text: str) -> str:
    (file := folder / "k.cu").write_text(f"#include <cuda_runtime.h>\n{text}\n")
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    (only,) = [c for report in outcome.reports for c in report.checks if c.expectation.kind == "race_free"]
    assert only.verdict != "holds"
    return only.reason or ""


def _condition(reason: str) -> str:
    found = re.search(r"try: `//@ every k where ([^;]*);`", reason)
    assert found, reason
    return found[1]


@pytest.mark.parametrize("name", OFFERED)
@pytest.mark.sampled(1)
def test_what_is_offered_is_proved_when_it_is_written(tmp_path, name):
    text, condition = OFFERED[name]
    offered = _condition(_reason(tmp_path, text))
    assert condition is None or offered == condition
    assert all_launches.race_free(tmp_path, text, offered) == "holds"


@pytest.mark.parametrize("name", NOT_OFFERED)
@pytest.mark.sampled(1)
def test_a_condition_that_leaves_no_two_threads_is_not_offered(tmp_path, name):
    assert "try:" not in _reason(tmp_path, NOT_OFFERED[name])


@pytest.mark.sampled(0)
def test_barriers_that_all_threads_reach_under_a_condition(tmp_path):
    text = f"__global__ void k(int* a, int n) {{ {_I} if (i >= n) return; a[i] = 1; __syncthreads(); }}"
    (file := tmp_path / "k.cu").write_text(f"#include <cuda_runtime.h>\n{text}\n")
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    (only,) = [c for report in outcome.reports for c in report.checks if c.expectation.kind == "uniform"]
    offered = _condition(only.reason or "")
    assert offered == "n >= int(gridDim.x * blockDim.x)"
    assert all_launches.verdicts(tmp_path, text, offered)["uniform"] == "holds"


def test_a_condition_under_which_nobody_comes_to_the_barrier_is_not_offered(tmp_path):
    text = f"__global__ void k(int* a, int n) {{ {_I} a[i] = 1; if (i >= n) __syncthreads(); }}"
    (file := tmp_path / "k.cu").write_text(f"#include <cuda_runtime.h>\n{text}\n")
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    (only,) = [c for report in outcome.reports for c in report.checks if c.expectation.kind == "uniform"]
    assert "int(gridDim.x * blockDim.x)" not in (only.reason or "")


@pytest.mark.sampled(0)
def test_a_condition_of_the_file_is_kept(tmp_path):
    """The launch that z3 names is too large to be looked at."""
    text = f"__global__ void k(int* a, int n) {{ {_I} a[i + 1] = n; if (blockIdx.x >= 3000) a[0] = n; }}"
    said = "//@ every k where n < 8 || n == 9;\n//@ expect race_free;"
    (file := tmp_path / "k.cu").write_text(f"#include <cuda_runtime.h>\n{text}\n{said}\n")
    (outcome,) = check([file], Settings(engine="embedded"))
    (only,) = [c for report in outcome.reports for c in report.checks]
    assert only.verdict == "unknown"
    assert _condition(only.reason or "") == "(n < 8 || n == 9) && gridDim.x == 1"
