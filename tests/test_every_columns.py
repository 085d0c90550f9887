"""All launches: rows and columns of a matrix, where each thread has several of both."""

from __future__ import annotations

import pytest

from tests.all_launches import is_proved, race_free, races

_T = "int t = blockIdx.x * blockDim.x + threadIdx.x, s = gridDim.x * blockDim.x;"
_OBJECT = "//@ object __device__ float p[64];\n"


def _kernel(body: str) -> str:
    return f"__global__ void k(float* p, int n, int m) {{ {_T} {body} }}"


#: A kernel with a proof, the same a small change away, and a launch that shows its race.
PAIRS = {
    "columns by a stride, rows by turns": (
        _kernel("for (int i = t; i < n; i += s) for (int j = 0; j < m; ++j) p[i + j * n] = 1;"),
        _kernel("for (int i = t; i <= n; i += s) for (int j = 0; j < m; ++j) p[i + j * n] = 1;"),
        "k<<<2, 2>>>(p, 3, 2)"),
    "an address that turns move by a row": (
        _kernel("for (int i = t; i < n; i += s) { float* o = p + i; for (int j = 0; j < m; ++j, o += n) *o = 1; }"),
        _kernel("for (int i = t; i < n; i += s) { float* o = p + i; for (int j = 0; j < m; ++j, o += n - 1) *o = 1; }"),
        "k<<<2, 2>>>(p, 4, 2)"),
    "columns below the length of a row": (
        _kernel("for (int i = t; i < m; i += s) for (int j = 0; j < n; ++j) p[i * n + j] = 1;"),
        _kernel("for (int i = t; i < m; i += s) for (int j = -1; j < n; ++j) p[i * n + j + 1] = 1;"),
        "k<<<2, 2>>>(p, 2, 4)"),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.sampled(1)
def test_two_threads_have_no_column_and_row_in_common(tmp_path, name):
    right, wrong, launch = PAIRS[name]
    assert race_free(tmp_path, right) == "holds"
    assert not is_proved(tmp_path, wrong)
    assert races(tmp_path, wrong, f"{_OBJECT}//@ launch {launch};") == "violated"
