"""The arithmetic of random C++ ends as the PTX does that clang makes of it, optimised or not.

``SCOPEC_RANDOM_PROGRAMS`` sets how many programs are tried (CONTRIBUTING.md names the command for the full sweep).
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError
from scopec.frontends.clang import command
from scopec.session.plan import Overrides, plan
from tests.random_cxx import Generator
from tests.samples import programs
from tests.sequential import ends

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = programs(2, 15)
_OPTIONS = ("-fwrapv", "-w", "-S", "-o", "p.ptx")
#: The declarations that a body begins with.
_STARTS = re.compile(r"([a-z ]+) (\w+ = [^;]*;)")


def program(seed: int) -> str:
    """A kernel that reads what it computes with, so that no compiler knows it."""
    generator = Generator(seed)
    given = "".join(f"__device__ {type_} in_{rest}" for type_, rest in _STARTS.findall(generator.start))
    body = _STARTS.sub(r"\1 \2", re.sub(r"(\w+) = -?\d+;", r"\1 = in_\1;", generator.start))
    body += generator.body().removeprefix(generator.start)
    return (
        f"{given}\n__device__ long out[4];\n"
        f"__global__ void k() {{ {body} out[0] = r0; out[1] = r1; out[2] = r2; out[3] = r3; }}\n"
        "int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n//@ expect terminates;\n"
    )


def values(path: Path) -> tuple[int | None, ...]:
    return ends(plan(path, str(path), Overrides(reader="clang")).runs[0].program)["out"]


def of_ptx(path: Path, level: str, text: str) -> tuple[int | None, ...]:
    """What a program ends with whose kernel clang compiled to PTX."""
    headers = ("-I", str(command.shims()), "-include", str(command.shims() / "scopec_cuda.h"))
    compiling = [*command.compiling(command.found(), "device", "c++20"), *headers, *_OPTIONS, level]
    subprocess.run(
        compiling, cwd=path.parent, env=command.environment(), input=text, text=True, check=True, capture_output=True
    )
    path.write_text(f'//@ kernels "p.ptx";\n{text}')
    return values(path)


def test_random_programs_end_as_their_ptx(tmp_path: Path) -> None:
    """Programs with undefined behaviour, which checks of the program tell, are left out; few are refused."""
    path, tried, refused, wrong = tmp_path / "p.cu", 0, [], {}
    for seed in range(PROGRAMS):
        path.write_text(program(seed))
        try:
            wanted = values(path)
        except (AssertionError, InputError):
            continue
        for level in ("-O0", "-O2"):
            tried += 1
            try:
                if (found := of_ptx(path, level, program(seed))) != wanted:
                    wrong[seed, level] = found, wanted
            except InputError as error:
                refused.append(str(error.diagnostics[0]))
    assert wrong == {}
    assert tried > PROGRAMS
    assert len(refused) <= tried // 20, refused
