"""The benchmark over tests of other verifiers: what it reads of a test, and its table."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.verifiers.__main__ import asked, of_gpuverify, sized, table


@pytest.mark.parametrize(
    ("flags", "condition"),
    [
        ("//--blockDim=64 --gridDim=[2,3]", "blockDim 64 1 1 gridDim 2 3 1"),
        ("--gridDim=2", "gridDim 2 1 1"),
        ("--blockDim=2048", "blockDim 1024 1 1"),
        ("--no-inline", ""),
    ],
)
def test_sizes_become_a_condition(flags: str, condition: str) -> None:
    words = sized(flags).replace(" == ", " ").replace(" && ", " ").replace(".x", "").split()
    assert [word for word in words if not word.endswith((".y", ".z"))] == condition.split()


def test_a_kernel_is_asked_with_its_preconditions_that_are_about_the_launch(tmp_path: Path) -> None:
    (folder := tmp_path / "suite" / "one").mkdir(parents=True)
    text = """//xfail:NOT_ALL_VERIFIED
//--blockDim=64 --gridDim=1
//possible write-write race on a
__device__ int own(int x) { return x; }
__global__ void k(int* a, int n, int (*f)(int)) {
  __requires(n == (4 + n / 2)); __requires(__distinct_int(n)); __requires(f == own);
  a[n] = 1;
}
"""
    (folder / "kernel.cu").write_text(text)
    (one,) = of_gpuverify(tmp_path / "suite")
    assert (one.name, one.recorded, one.kind) == ("one", "fails: race", "")
    said = asked(one, one.condition, tmp_path).read_text().splitlines()[-1]
    assert said == f"//@ every k where {one.condition} && (n == (4 + n / 2));"


def test_the_table_gives_a_reason_where_answers_differ_and_no_race_is_proved_away() -> None:
    for row in table().values():
        recorded, answer = row["recorded"], row["at its size"]
        agrees = {
            "pass": answer == "holds",
            "fails: race": answer == "race",
            "fails: not said": answer in ("race", "divergent"),
            "fails: not read": answer == "not read",
        }
        assert agrees.get(recorded, False) == (not row["reason"]), row
        assert answer != "holds" or recorded not in ("fails: race", "fails: not said"), row
