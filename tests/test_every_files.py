"""All launches: the questions that ``scopec compile`` writes, which any solver answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import z3

from scopec.base.diagnostics import EngineError
from scopec.session.compile import compile_programs, differences, write
from scopec.session.plan import Overrides
from tests.second_solver import answer

_T = "int t = threadIdx.x;"
_S = f"__shared__ int s[1024]; {_T}"
#: Bodies of kernels, each beside one that some launch makes race or diverge.
KERNELS = {
    "a guard": (f"{_T} if (blockIdx.x == 0 && t < n) a[t] = 1;", f"{_T} if (t < n) a[t] = 1;"),
    "a barrier in turns": (
        f"{_S} for (int j = 0; j < n; ++j) {{ s[t] = j; __syncthreads(); if (blockIdx.x == 0) a[t] = s[(t + 1) % blockDim.x]; __syncthreads(); }}",
        f"{_S} for (int j = 0; j < n; ++j) {{ s[t] = j; __syncthreads(); if (blockIdx.x == 0) a[t] = s[(t + 1) % blockDim.x]; }}"),
    "a barrier for all": (
        f"{_S} s[t] = n; if (n > 2) __syncthreads();", f"{_S} s[t] = n; if (t > 2) __syncthreads();"),
    "lanes": (
        f"extern __shared__ int s[]; {_T} if (blockDim.x <= 32) {{ s[t] = n; __syncwarp(); s[31 - t] += 1; }}",
        f"extern __shared__ int s[]; {_T} if (blockDim.x <= 64) {{ s[t] = n; __syncwarp(); s[63 - t] += 1; }}"),
}  # fmt: skip


def _files(folder: Path, body: str, directive: str = "", target: str = "smt2") -> dict[str, str]:
    (file := folder / "k.cu").write_text(f"__global__ void k(int* a, int n) {{ {body} }}\n{directive}\n")
    made = compile_programs([file], Overrides(), target)
    return {str(place): one.text for place, one in made.items()}


def _by_z3(text: str) -> str:
    solver = z3.Solver()
    solver.set("timeout", 30_000)
    solver.from_string(text)
    return str(solver.check())


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.sampled(1)
def test_solvers_refute_all_questions_of_what_holds_and_not_all_of_the_other(tmp_path, name):
    right, wrong = KERNELS[name]
    made = _files(tmp_path, right)
    assert set(made) == {f"k.k.{number + 1:03}.smt2" for number in range(len(made))}
    assert {_by_z3(text) for text in made.values()} == {"unsat"}
    assert {answer(text, 30) for text in made.values()} == {"unsat"}
    assert "sat" in {_by_z3(text) for text in _files(tmp_path, wrong).values()}


def test_a_question_says_in_words_what_it_asks_and_of_which_lines(tmp_path):
    made = _files(tmp_path, KERNELS["a barrier in turns"][0])
    said = [text.splitlines()[0] for text in made.values()]
    assert any("comes to a barrier" in one for one in said)
    assert (
        "; Two threads of one block meet: the write of line 1 and the read of line 1, in one turn of each loop around both."
        in said
    )
    assert any(re.search(r"the second in a later turn \d+\.$", one) for one in said)
    for text in made.values():
        assert re.search(
            r"; unsat: no launch is as is asked(?s:.*)\(set-logic ALL\)(?s:.*)\n; (?s:.*)\(check-sat\)\n$", text
        )


@pytest.mark.sampled(0)
def test_with_other_specifications_those_of_a_file_that_asks_about_all_launches(tmp_path):
    body, _ = KERNELS["a guard"]
    launch = "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a, 1);\n//@ expect race_free;"
    every = "//@ every k where n > 3;"
    assert {Path(name).suffix for name in _files(tmp_path, body, every, "all")} == {".smt2"}
    assert {Path(name).suffix for name in _files(tmp_path, body, f"{launch}\n{every}", "all")} == {".smt2", ".als"}
    assert {Path(name).suffix for name in _files(tmp_path, body, f"{launch}\n{every}", "alloy")} == {".als"}
    assert {Path(name).suffix for name in _files(tmp_path, body, launch, "all")} == {".als"}
    assert all("(< 3 n)" in text for text in _files(tmp_path, body, every, "all").values())


def test_files_that_are_there_are_compared(tmp_path):
    (file := tmp_path / "k.cu").write_text(f"__global__ void k(int* a, int n) {{ {KERNELS['a guard'][0]} }}\n")
    made = compile_programs([file], Overrides(), "smt2")
    write(made, folder := tmp_path / "out")
    assert differences(made, folder) == []
    (folder / "other.smt2").write_text("(check-sat)\n")
    assert len(differences(made, folder)) == 1


def test_a_kernel_that_is_not_understood_has_none_and_says_why(tmp_path):
    with pytest.raises(EngineError, match=r"the kernel k: line 1: .*tensor_fence"):
        _files(tmp_path, 'asm volatile("tcgen05.fence::before_thread_sync;"); a[threadIdx.x] = n;')
