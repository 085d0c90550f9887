"""Programs of one thread end as a C++ compiler's do: the language is read as C++ means it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scopec.check import Settings, check
from tests.cxx_cases import CASES, PRELUDE


@pytest.mark.parametrize("name", list(CASES))
def test_value(name: str, tmp_path: Path) -> None:
    body, value = CASES[name]
    path = tmp_path / "case.cu"
    path.write_text(
        f"#define D __device__\n{PRELUDE}__device__ int out;\n__global__ void k() {{ {body} out = r; }}\n"
        f"//@ launch k<<<1, 1>>>();\n//@ bound unroll = 12;\n//@ expect required k[0][0].r == {value};\n"
        f"//@ expect required out == {value};\n"
    )
    (outcome,) = check([path], Settings(engine="embedded", advise=False))
    assert outcome.diagnostics == ()
    found = [(c.expectation.text, c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert len(found) >= 2
    assert [f for f in found if f[1] != "holds"] == []


@pytest.mark.nvcc
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
def test_a_compiler_agrees(tmp_path: Path) -> None:
    functions = "".join(f"int f{n}() {{ {body} return r; }}\n" for n, (body, _) in enumerate(CASES.values()))
    prints = "".join(f'std::printf("%d\\n", f{n}());' for n in range(len(CASES)))
    (tmp_path / "all.cpp").write_text(
        f"#include <cstdint>\n#include <cstdio>\n#define D\n{PRELUDE}{functions}int main() {{ {prints} }}\n"
    )
    subprocess.run(["g++", "-std=c++17", "-w", "all.cpp", "-o", "all"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "all"], capture_output=True, text=True, check=True).stdout.split()
    assert printed == [str(value) for _, value in CASES.values()]
