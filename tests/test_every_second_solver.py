"""All launches: the questions that z3 refutes for a proof, put to cvc5, which has to refute them too."""

from __future__ import annotations

import pytest

from scopec.session.check import Settings, check
from tests.second_solver import answer

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
#: Bodies of kernels with a proof, each with its condition.
KERNELS = {
    "a guard": ("", f"{_I} if (i < n) a[i] = 1;"),
    "a stride": ("", f"{_I} for (; i < n; i += gridDim.x * blockDim.x) a[i] = 1;"),
    "digits": ("n > 0", f"{_I} a[i / n * n + i % n] = 1;"),
    "a tile": ("blockDim.x == 16 && blockDim.y == 16 && gridDim.y == 1",
               "__shared__ int t[16][16]; t[threadIdx.y][threadIdx.x] = n; __syncthreads(); a[blockIdx.x * 256 + threadIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];"),
    "halving": ("gridDim.x == 1",
                "__shared__ int s[1024]; int t = threadIdx.x; s[t] = n; __syncthreads(); for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (t == 0) a[0] = s[0];"),
    "two buffers": ("gridDim.x == 1",
                    "__shared__ int s[2][1024]; int t = threadIdx.x, c = 0; for (int j = 0; j < n; ++j) { s[c][t] = j; __syncthreads(); a[t] += s[c][(t + 1) % blockDim.x]; c = 1 - c; }"),
    "tickets": ("gridDim.x == 1", "__shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads(); int i = atomicAdd(&c, 1); a[blockIdx.x * blockDim.x + i] = i;"),
    "partners": ("gridDim.x == 1", "extern __shared__ int s[]; int x = threadIdx.x ^ 1; s[x] = n; a[x] = s[x];"),
    "a turn left out": ("gridDim.x == 1",
                        "__shared__ int s[1024]; int t = threadIdx.x; for (int j = 0; j < n; ++j) { s[t] = a[t]; if (j == 3) continue; __syncthreads(); a[t] = s[(t + 1) % blockDim.x]; __syncthreads(); }"),
    "unsigned numbers below 0": ("", "unsigned i = blockIdx.x * blockDim.x + threadIdx.x - unsigned(n); if (i < 100u) a[i] = 1;"),
}  # fmt: skip


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sampled(1)
def test_a_second_solver_refutes_what_z3_refutes(tmp_path, name):
    condition, body = KERNELS[name]
    (file := tmp_path / "k.cu").write_text(
        f"__global__ void k(int* a, int n) {{ {body} }}\n"
        f"//@ every k{' where ' + condition if condition else ''};\n//@ expect race_free;\n"
    )
    (outcome,) = check([file], Settings(engine="embedded", keep=tmp_path / "kept"))
    (found,) = [c.verdict for r in outcome.reports for c in r.checks]
    assert found == "holds"
    kept = [one.read_text() for one in sorted((tmp_path / "kept").glob("*.smt2"))]
    proofs = [text for text in kept if text.startswith("; unsat")]
    answers = [answer(text, 10) for text in proofs]
    assert proofs
    assert set(answers) == {"unsat"}


def test_the_second_solver_finds_what_z3_finds(tmp_path):
    """So that a question that it cannot read, or reads as false, is none that it refutes."""
    (file := tmp_path / "k.cu").write_text(
        "__global__ void k(int* a, int n) { a[threadIdx.x % 7] = n; }\n//@ every k;\n"
    )
    check([file], Settings(engine="embedded", keep=tmp_path / "kept"))
    kept = [one.read_text() for one in sorted((tmp_path / "kept").glob("*.smt2"))]
    assert "sat" in {answer(text, 10) for text in kept if text.startswith("; sat")}
