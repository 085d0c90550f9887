"""Programs of one thread end as a C++ compiler's do: the language is read as C++ means it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scopec.session.check import Outcome, Settings, check
from tests.cxx_cases import CASES, PRELUDE
from tests.random_cxx import Generator
from tests.samples import programs

#: How many cases are one program.
AT_ONCE = 24
PROGRAMS = programs(6, 40)

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")


def not_holding(outcome: Outcome) -> list[tuple[str, str, str | None]]:
    assert [d for d in outcome.diagnostics if d.severity == "error"] == []
    assert outcome.failure is None
    found = [(c.expectation.text, c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert found
    return [f for f in found if f[1] != "holds"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", range(0, len(CASES), AT_ONCE))
def test_value(first: int, tmp_path: Path) -> None:
    """Each has the value at every end, and some end is there."""
    cases = list(CASES.items())[first : first + AT_ONCE]
    path = tmp_path / "case.cu"
    functions = "".join(
        f"__device__ int out_{n}; D void f_{n}() {{ {body} out_{n} = r; }}\n" for n, (_, (body, _)) in enumerate(cases)
    )
    calls = " ".join(f"f_{n}();" for n in range(len(cases)))
    ends = [f"out_{n} == {value}" for n, (_, (_, value)) in enumerate(cases)]
    path.write_text(
        f"#define D __device__\n{PRELUDE}{functions}__global__ void k() {{ {calls} }}\n"
        f"//@ launch k<<<1, 1>>>();\n//@ bound unroll = 12;\n//@ expect allowed {' && '.join(ends)};\n"
        + "".join(f"//@ expect required {end};\n" for end in ends)
    )
    (outcome,) = check([path], Settings(engine="embedded"))
    assert not_holding(outcome) == []


@pytest.mark.nvcc
@needs_compiler
def test_a_compiler_agrees(tmp_path: Path) -> None:
    functions = "".join(f"int f{n}() {{ {body} return r; }}\n" for n, (body, _) in enumerate(CASES.values()))
    prints = "".join(f'std::printf("%d\\n", f{n}());' for n in range(len(CASES)))
    text = f"#include <cstdint>\n#define D\n{PRELUDE}{functions}int main() {{ {prints} }}\n"
    assert compiled(text, tmp_path)() == [str(value) for _, value in CASES.values()]


@pytest.mark.nvcc
@needs_compiler
def test_random_programs(tmp_path: Path) -> None:
    """Programs with undefined behaviour, which the compiler's sanitizer tells, are left out."""
    bodies = {seed: Generator(seed).body() for seed in range(PROGRAMS)}
    functions = "".join(
        f'void f{seed}() {{ {body} std::printf("%lld %lld %lld %lld\\n", r0, r1, r2, r3); }}\n'
        for seed, body in bodies.items()
    )
    calls = "".join(f"case {seed}: f{seed}(); break;\n" for seed in bodies)
    text = f"#include <cstdlib>\n{functions}int main(int, char** a) {{ switch (std::atoi(a[1])) {{ {calls} }} }}\n"
    run = compiled(text, tmp_path, "-fsanitize=undefined", "-fno-sanitize-recover=undefined")
    paths = []
    for seed, body in bodies.items():
        ends = run(str(seed))
        if ends is not None:
            paths.append(tmp_path / f"seed{seed}.cu")
            paths[-1].write_text(
                f"__global__ void k() {{ {body} }}\n//@ launch k<<<1, 1>>>();\n//@ bound unroll = 6;\n//@ expect required "
                + " && ".join(f"k[0][0].r{i} == {value}" for i, value in enumerate(ends))
                + ";\n"
            )
    assert len(paths) > PROGRAMS // 2
    wrong = {o.file: found for o in check(paths, Settings(engine="embedded")) if (found := not_holding(o))}
    assert wrong == {}


def compiled(text: str, folder: Path, *options: str):  # type: ignore[no-untyped-def]
    """A compiled program: called with its arguments it gives the words that it prints, None where it is stopped."""
    (folder / "all.cpp").write_text(f"#include <cstdio>\n{text}")
    subprocess.run(["g++", "-std=c++17", "-w", *options, "all.cpp", "-o", "all"], cwd=folder, check=True)

    def run(*arguments: str) -> list[str] | None:
        done = subprocess.run([folder / "all", *arguments], capture_output=True, text=True, check=False)
        return done.stdout.split() if done.returncode == 0 else None

    return run
