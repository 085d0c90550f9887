"""Races on one object, of all launches: each object beside another one that races, or does not."""

from __future__ import annotations

import pytest

from scopec.session.check import Settings, check

_SHARED = """__global__ void k(int* a, int* b, int n) { __shared__ int t[64]; int i = blockIdx.x * blockDim.x + threadIdx.x;
  t[threadIdx.x / 2] = n; a[i] = t[threadIdx.x]; b[i % 7] = 1; }"""
_GLOBAL = "__device__ int total; __global__ void k(int* a) { int i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = i; total += 1; }"
_DYNAMIC = "extern __shared__ int s[]; __global__ void k(int* a) { s[threadIdx.x] = 1; a[blockIdx.x] = s[0]; }"
_WITHIN = "__global__ void k(int* a) { extern __shared__ int s1a[]; s1a[threadIdx.x] = 1; a[blockIdx.x] = s1a[0]; }"
#: What all threads of a block read, and some write meanwhile, decides where they write in ``t``.
_RESTS = """__global__ void k(int* a) { __shared__ int r, t[128]; int i = threadIdx.x; if (i < 9) r = i;
  int c = r; __syncthreads(); t[(c & 63) + i] = 1; a[i + blockIdx.x * blockDim.x] = t[i]; }"""
#: The same, where nobody reads ``t``.
_RESTS2 = _RESTS.replace("t[i];", "1;")
#: The same, where it decides how often a loop goes round.
_RESTS3 = _RESTS2.replace("int c = r;", "int m = r, c = 0; while (c < m) ++c;").replace("(c & 63)", "c")


def _checks(folder, text: str, said: str):
    (file := folder / "k.cu").write_text(
        f"#include <cuda_runtime.h>\n{text}\n//@ every k where gridDim.x <= 8;\n{said}\n"
    )
    (outcome,) = check([file], Settings(engine="embedded"))
    return outcome, [c for report in outcome.reports for c in report.checks]


@pytest.mark.parametrize(
    ("text", "name", "verdict"),
    [(_SHARED, "t", "holds"), (_SHARED, "a", "violated"), (_SHARED, "b", "holds"), (_GLOBAL, "total", "holds"),
     (_GLOBAL, "a", "violated"), (_DYNAMIC, "s", "holds"), (_WITHIN, "s1a", "holds"), (_RESTS, "r", "holds"), (_RESTS, "a", "violated"), (_RESTS2, "t", "unknown"), (_RESTS3, "t", "unknown")],
)  # fmt: skip
@pytest.mark.sampled(3)
def test_a_race_is_on_the_object_that_is_named(tmp_path, text, name, verdict):
    _, (only,) = _checks(tmp_path, text, f"//@ expect race on {name};")
    assert (only.expectation.kind, only.verdict) == ("race", verdict), only.reason
    assert only.expectation.text == f"race on {name} for some launch of k where gridDim.x <= 8"
    assert verdict != "holds" or f"a data race on `{name}`" in (only.reason or "")


def test_a_name_that_is_none_is_an_error(tmp_path):
    outcome, checks = _checks(tmp_path, _SHARED, "//@ expect race on c;")
    assert ([d.code.id for d in outcome.diagnostics], checks) == (["SCP023"], [])


def test_an_object_of_a_launch_is_no_question_about_all(tmp_path):
    launch = "//@ object __device__ int own[8];\n//@ launch k<<<1, 2>>>(own, own, 1);\n"
    _, checks = _checks(tmp_path, _SHARED, f"{launch}//@ expect race on own;\n//@ expect uniform;")
    assert [c.expectation.text for c in checks if c.every is None] == ["race on own"]
    assert [c.expectation.kind for c in checks if c.every is not None] == ["uniform"]
