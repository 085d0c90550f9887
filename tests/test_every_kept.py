"""All launches: the questions that are put to z3, as files that a solver reads."""

from __future__ import annotations

import pytest
import z3

from scopec.session.check import Settings, check

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
KERNELS = {
    "proved": (f"{_I} if (i < n) a[i / 8 * 8 + i % 8] = 1;", "holds", "unsat"),
    "by unknown numbers": (f"{_I} if (n > 0) a[i / n * n + i % n] = 1;", "holds", "unsat"),
    "raced": ("int i = threadIdx.x; if (i < n) a[i] = 1;", "violated", "sat"),
    "bits": (
        "extern __shared__ int s[]; int x = threadIdx.x ^ 1; s[x] = n; a[blockIdx.x * blockDim.x + x] = 1;",
        "unknown",
        "unsat",
    ),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sampled(1)
def test_each_kept_question_has_the_answer_that_it_says(tmp_path, name):
    body, verdict, answer = KERNELS[name]
    (file := tmp_path / "k.cu").write_text(f"__global__ void k(int* a, int n) {{ {body} }}\n")
    (outcome,) = check([file], Settings(engine="embedded", every=True, keep=tmp_path / "kept"))
    found = next(c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "race_free")
    assert found == verdict or verdict == "unknown"
    kept = sorted((tmp_path / "kept").glob("k.k.*.smt2"))
    said = [file.read_text().partition(":")[0].removeprefix("; ") for file in kept]
    assert answer in said
    for one, expected in zip(kept, said, strict=True):
        solver = z3.Solver()
        solver.set("timeout", 20_000)
        solver.from_file(str(one))
        assert str(solver.check()) == expected, one.read_text()


def test_nothing_is_kept_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (file := tmp_path / "k.cu").write_text(f"__global__ void k(int* a) {{ {_I} a[i] = 1; }}\n")
    check([file], Settings(engine="embedded", every=True))
    assert list(tmp_path.rglob("*.smt2")) == []
