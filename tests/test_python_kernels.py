"""Kernels in Python: of Numba, Triton, CuPy and PyTorch, each right one beside a wrong one, with lines of Python."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import scopec
from scopec import Array, Launch
from scopec.memory.execution import Execution
from tests.test_ptx_surroundings import MAKERS

HERE = Path(__file__).parent / "fixtures" / "python"
HISTOGRAM = (2, 2, {"data": Array("int32", 4, [0, 1, 1, 0]), "bins": Array("int32", 2)})
SUM = (1, 4, [Array("int32", 4, [1, 2, 3, 4]), Array("int32", 1)])
MESSAGE = (2, 1, [Array("int32", 1), Array("int32", 1), Array("int32", 1)])
#: By the beginning of a kernel's name its launch, what is expected, and the object on which its sibling races.
OF_THREADS: dict[str, tuple[Any, list[str], str]] = {
    "histogram": (HISTOGRAM, ["required bins[0] == 2"], "bins"),
    "block_sum": (SUM, ["required out[0] == 10"], ""),
    "message": (MESSAGE, ["required out[0] == 42", "may_hang"], "data"),
}
#: A kernel, its wrong sibling, and the lines of Python on which that races.
NUMBA = [
    ("histogram", "histogram_plain", "bins[data[i]] += 1"),
    ("block_sum", "block_sum_unsynced", "part[i] += part[i + 2]"),
    ("message", "message_of_a_block", "data[0] = 42"),
]
CUPY = [
    ("histogram", "histogram_plain", "bins[data[i]] += 1"),
    ("block_sum", "block_sum_unsynced", "part[i] += part[i + 2]"),
    ("message", "message_of_a_block", "*data = 42"),
]
TORCH = [(right.upper(), wrong.upper(), text) for right, wrong, text in CUPY]
TRITON = [
    ("total", "total_plain", "tl.store(out, tl.load(out) + part)"),
    ("locked", "locked_hasty", "tl.store(count, old + 1)"),
    ("last_program", "last_program_relaxed", "tl.store(parts + program, program + 1)"),
]
#: Blocks of two threads where lanes wait, so that what is asked stays small.
OF_PROGRAMS: dict[str, tuple[Any, list[str], str]] = {
    "total": (
        Launch(2, args={"x": Array("int32", 64, range(64)), "out": Array("int32", 1), "n": 60, "BLOCK": 32}), [], "out",
    ),
    "locked": (Launch(2, 2, [Array("int32", 1), Array("int32", 1)]), ["required count[0] == 2"], "count"),
    "last_program": (
        Launch(2, args=[Array("int32", 2), Array("int32", 1), Array("int32", 1)]), ["required out[0] == 3"], "parts",
    ),
}  # fmt: skip


def module(name: str) -> ModuleType:
    return importlib.import_module(f"tests.fixtures.python.{name}")


def needs(maker: str) -> None:
    """Skip where a package is not: .ci/tools installs those that some test skips without."""
    if subprocess.run([sys.executable, "-c", MAKERS[maker]], check=False, capture_output=True).returncode:
        pytest.skip(f"{maker} is not installed (specs/ptx-files/{maker}_kernels.py)")


def check(kernel: Any, launch: Any, expect: list[str], **asked: Any) -> scopec.Results:
    return scopec.check_kernel(kernel, launch, expect=expect, engine="embedded", cache=False, **asked)


def holds(results: scopec.Results) -> None:
    assert results.ok, results.text()
    assert len(results.verdicts) > 1


def races(results: scopec.Results, file: str, object_: str, line: str) -> None:
    """The race, between accesses to an object, is told with a line of the Python source."""
    first = next(v for v in results.violated if v.kind == "race_free")
    assert object_ in str(first.message)
    assert isinstance(first.trace, Execution)
    pair = first.trace.racing_pair(None)
    assert pair is not None
    places = {(Path(one.span.file).name, one.span.line) for one in pair}
    lines = (HERE / file).read_text().splitlines()
    assert {name for name, _ in places} == {file}
    assert any(line in lines[number - 1] for _, number in places), results.text()


@pytest.mark.parametrize(("right", "wrong", "line"), NUMBA)
def test_numba(right: str, wrong: str, line: str) -> None:
    needs("numba")
    kernels, (launch, expect, object_) = module("numba_kernels"), OF_THREADS[right]
    results = check(getattr(kernels, right), launch, expect)
    holds(results)
    (program,) = json.loads(results.json())["programs"]
    assert program["model"] == "ptx"
    assert program["compiled_by"].startswith("Numba 0.")
    assert program["compiled_by"].endswith(" for sm_90")
    assert f"note: as compiled by {program['compiled_by']}" in results.text()
    races(check(getattr(kernels, wrong), launch, expect), "numba_kernels.py", object_, line)


@pytest.mark.parametrize(("right", "wrong", "line"), TRITON)
def test_triton(right: str, wrong: str, line: str) -> None:
    needs("triton")
    kernels, (launch, expect, object_) = module("triton_kernels"), OF_PROGRAMS[right]
    results = check(getattr(kernels, right), launch, expect, options={"num_warps": 1})
    holds(results)
    (program,) = json.loads(results.json())["programs"]
    assert program["model"] == "ptx"
    assert program["compiled_by"].startswith("Triton 3.")
    few = "asked of blocks of the first 2 of the 32 threads that Triton launches"
    assert (few in program["compiled_by"]) == (launch.block == 2)
    wrong_one = check(getattr(kernels, wrong), launch, expect, options={"num_warps": 1})
    races(wrong_one, "triton_kernels.py", object_, line)


@pytest.mark.parametrize(("right", "wrong", "line"), CUPY)
def test_cupy(right: str, wrong: str, line: str) -> None:
    kernels, ((grid, block, args), expect, object_) = module("cupy_kernels"), OF_THREADS[right]
    launch = (grid, block, {**args, "n": 4} if right == "histogram" else args)
    holds(check(getattr(kernels, right), launch, expect))
    races(check(getattr(kernels, wrong), launch, expect), "cupy_kernels.py", object_, line)


@pytest.mark.parametrize(("right", "wrong", "line"), TORCH)
def test_sources_of_pytorch(right: str, wrong: str, line: str) -> None:
    sources, ((grid, block, args), expect, object_) = module("torch_sources"), OF_THREADS[right.lower()]
    launch = (grid, block, {**args, "n": 4} if right == "HISTOGRAM" else args)
    holds(check(getattr(sources, right), launch, expect, name=right.lower()))
    races(check(getattr(sources, wrong), launch, expect), "torch_sources.py", object_, line)


def test_a_source_that_is_in_no_file() -> None:
    text = "__global__ void k(int* x) { *x = 1; }"
    (bad,) = check([text + "//" + str(id(text))], (2, 1, [Array("int32", 1)]), []).violated
    assert (bad.file, bad.kind) == ("program.cu", "race_free")


def test_memory_is_named_after_parameters_and_one_array_is_one_piece_of_memory() -> None:
    text = "__global__ void k(int* here, int* there) { if (blockIdx.x) *here = 1; else *there = 2; }"
    one = Array("int32", 1)
    assert check([text, ""], (2, 1, [Array("int32", 1), Array("int32", 1)]), []).ok
    (bad,) = check([text, ""], (2, 1, [one, one]), []).violated
    assert "`here[0]`" in str(bad.message)
