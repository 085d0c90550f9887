"""Kernels in Python: of Numba, Triton, CuPy and PyTorch, each right one beside a wrong one, with lines of Python."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

import scopec
from scopec import Array, Launch
from scopec.kernels.ptx_text import relative
from scopec.memory.execution import Execution
from scopec.report import junit, sarif
from tests.conftest import REPOSITORY
from tests.test_ptx_surroundings import needs

NOW = datetime(2026, 1, 1, tzinfo=UTC)
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
#: A kernel, its wrong sibling, and what stands on the lines of Python on which that races.
NUMBA = [
    ("histogram", "histogram_plain", "bins[data[i]] += 1"),
    ("block_sum", "block_sum_unsynced", "part[i] += part[i + 2]|part[0] + part[1]"),
    ("message", "message_of_a_block", "data[0] = 42|out[0] = data[0]"),
]
CUPY = [
    ("histogram", "histogram_plain", "bins[data[i]] += 1"),
    ("block_sum", "block_sum_unsynced", "part[i] += part[i + 2]|part[0] + part[1]"),
    ("message", "message_of_a_block", "*data = 42|*out = *data"),
]
TORCH = [(right.upper(), wrong.upper(), text) for right, wrong, text in CUPY]
TRITON = [
    ("total", "total_plain", "tl.store(out, tl.load(out) + part)"),
    ("locked", "locked_hasty", "tl.store(count, old + 1)|old = tl.load(count)"),
    ("last_program", "last_program_relaxed", "tl.store(parts + program, program + 1)|tl.load(parts)"),
    ("waiting", "waiting_volatile", "tl.store(data, 42)|tl.store(out, tl.load(data))"),
    ("exchanged", "exchanged_hasty", "tl.store(count, old + 1)|old = tl.load(count)"),
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
    "waiting": (Launch(2, 2, [Array("int32", 1), Array("int32", 1), Array("int32", 1)]), ["may_hang", "required out[0] == 42 || out[0] == 0"], "data"),
    "exchanged": (Launch(2, 2, [Array("int32", 1), Array("int32", 1)]), ["required count[0] == 2"], "count"),
}  # fmt: skip


def module(name: str) -> ModuleType:
    return importlib.import_module(f"tests.fixtures.python.{name}")


def check(kernel: Any, launch: Any, expect: list[str], **asked: Any) -> scopec.Results:
    return scopec.check_kernel(kernel, launch, expect=expect, engine="embedded", cache=False, **asked)


def holds(results: scopec.Results) -> None:
    assert results.ok, results.text()
    assert len(results.verdicts) > 1


def races(results: scopec.Results, file: str, object_: str, line: str) -> None:
    """The race, between accesses to an object, is told with the lines of the Python source."""
    first = next(v for v in results.violated if v.kind == "race_free")
    assert object_ in str(first.message)
    assert isinstance(first.trace, Execution)
    pair = first.trace.racing_pair(None)
    assert pair is not None
    places = {(Path(one.span.file).name, one.span.line) for one in pair}
    lines = (HERE / file).read_text().splitlines()
    assert {name for name, _ in places} == {file}
    assert all(any(one in lines[number - 1] for one in line.split("|")) for _, number in places), results.text()


@pytest.mark.parametrize(("right", "wrong", "line"), NUMBA)
@pytest.mark.sampled(1)
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
@pytest.mark.sampled(2)
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
@pytest.mark.sampled(2)
def test_cupy(right: str, wrong: str, line: str) -> None:
    kernels, ((grid, block, args), expect, object_) = module("cupy_kernels"), OF_THREADS[right]
    launch = (grid, block, {**args, "n": 4} if right == "histogram" else args)
    holds(check(getattr(kernels, right), launch, expect))
    races(check(getattr(kernels, wrong), launch, expect), "cupy_kernels.py", object_, line)


@pytest.mark.parametrize(("right", "wrong", "line"), TORCH)
@pytest.mark.sampled(1)
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


# ---------------------------------------------------------------- launches

TWO = "__global__ void k(int* here, int* there) { if (blockIdx.x) *here = 1; else *there = 2; }"


class View:
    """An array of a package, as NumPy's interface says where it is."""

    dtype, flags = "int32", None

    def __init__(self, at: int, count: int) -> None:
        self.shape, self.nbytes, self.__array_interface__ = (count,), 4 * count, {"data": (at, False)}

    def reshape(self, _: int) -> View:
        return self

    def tolist(self) -> list[int]:
        return [0] * self.shape[0]


def test_views_of_one_memory_are_one_memory_or_refused() -> None:
    assert check([TWO, ""], (2, 1, [View(64, 2), View(72, 2)]), []).ok
    assert [v.kind for v in check([TWO, ""], (2, 1, [View(64, 2), View(64, 2)]), []).violated] == ["race_free"]
    (bad,) = check([TWO, ""], (2, 1, [View(64, 2), View(68, 2)]), []).diagnostics
    assert (bad.code.id, bad.message) == ("SCP009", "the arrays for `here` and `there` overlap")


REFUSED = [
    (TWO, (2, 1, [Array("int32", 1)]), "SCP026", "the launch gives no argument for `there`"),
    (TWO, (2, 1, [1, 2, 3]), "SCP009", "3 arguments for a kernel with the parameters here, there"),
    (TWO, (2, 1, {"their": 1}), "SCP009", "the argument `their` for a kernel with the parameters here, there"),
    (TWO, (2, 1, [Array("float32", 1)] * 2), "SCP026", "`here` points to `int`, and gets an array of float32"),
    (TWO, (2, 1, [Array("int64", 1)] * 2), "SCP026", "`here` points to `int`, and gets an array of int64"),
    (TWO, (2, 1, [Array("complex64", 1)] * 2), "SCP009", "`complex64` is no type of elements that scopec knows"),
    (TWO, (2, 1, [Array("int32", 0)] * 2), "SCP026", "`here` has 0 elements, and 0 are given"),
    (TWO, (2, 1, ["x", "y"]), "SCP026", "`here` gets 'x', which is neither a number nor an array"),
    (TWO, (0, 1, [Array("int32", 1)] * 2), "SCP009", "`0` is no size of a grid or a block"),
    (TWO, {"gird": 2}, "SCP009", "this is no launch: "),
    (TWO + TWO.replace(" k(", " l("), (2, 1, []), "SCP025", "the source has several kernels"),
    ("int x;", (2, 1, []), "SCP025", "the source has no kernel"),
    (42, None, "SCP009", "an object of type `int` is no kernel that scopec knows"),
    (len, None, "SCP009", "an object of type `builtin_function_or_method` is no kernel"),
]


@pytest.mark.parametrize(("kernel", "launch", "code", "said"), REFUSED)
def test_what_is_refused(kernel: Any, launch: Any, code: str, said: str) -> None:
    results = scopec.check_kernel([kernel, ""] if isinstance(kernel, str) else kernel, launch)
    (bad,) = results.diagnostics
    assert bad.code.id == code
    assert bad.message.startswith(said)
    assert bad.way_out
    assert results.exit_code == 2


@pytest.mark.sampled(0)
def test_what_numba_is_refused() -> None:
    needs("numba")
    kernels = module("numba_kernels")
    nothing = scopec.check_kernel(kernels.histogram).diagnostics
    strided = scopec.check_kernel(kernels.histogram, signature="void(int32[:], int32[:])").diagnostics
    architecture = check(kernels.histogram, HISTOGRAM, [], arch="sm90").diagnostics
    error = check(kernels.histogram, (2, 2, [1, 2]), []).diagnostics
    first = (HERE / "numba_kernels.py").read_text().splitlines().index("@cuda.jit") + 1
    for (bad,), said in (
        (nothing, "this kernel has no signature, and nothing says what its arguments are"),
        (strided, "no strides can be guessed for arrays that may have any"),
        (architecture, "`sm90` is no architecture of a GPU"),
        (error, "Numba does not compile this kernel: "),
    ):
        assert (bad.code.id, Path(bad.span.file).name, bad.span.line) == ("SCP009", "numba_kernels.py", first)
        assert said in bad.message


def test_what_triton_is_refused() -> None:
    needs("triton")
    kernels, launch = module("triton_kernels"), OF_PROGRAMS["total"][0]
    (nothing,) = scopec.check_kernel(kernels.total).diagnostics
    assert "gives no argument for `BLOCK`" in nothing.message
    (none,) = scopec.check_kernel(kernels.locked).diagnostics
    assert none.message == "nothing says what the arguments of this kernel are"
    (threads,) = check(kernels.locked, (2, 64, OF_PROGRAMS["locked"][0].args), [], options={"num_warps": 1}).diagnostics
    assert threads.message == "Triton launches blocks of 32 threads, and not of 64"
    (error,) = check(kernels.total, (2, None, {**launch.args, "BLOCK": 33}), []).diagnostics
    assert error.message.startswith("Triton does not compile this kernel: ")
    assert "power of 2" in error.message


def test_what_triton_makes_of_matrices_is_refused_by_name() -> None:
    needs("triton")
    args = [Array("float16", 256), Array("float16", 256), Array("float32", 256), 16]
    (bad,) = check(module("triton_kernels").product, Launch(1, args=args), [], options={"num_warps": 1}).diagnostics
    line = next(
        n for n, text in enumerate((HERE / "triton_kernels.py").read_text().splitlines(), 1) if "tl.dot(" in text
    )
    assert (bad.code.id, Path(bad.span.file).name, bad.span.line) == ("SCP012", "triton_kernels.py", line)
    assert "outside the modelled subset of PTX" in bad.message
    assert bad.way_out


@pytest.mark.sampled(0)
def test_a_guessed_launch_of_each() -> None:
    needs("numba")
    needs("triton")
    of_numba = scopec.check_kernel(
        module("numba_kernels").block_sum, signature="void(int32[::1], int32[::1])", engine="embedded"
    )
    assert "[ptx, guessed launch]" in of_numba.text()
    assert "__device__ int data[" in of_numba.text()
    of_triton = scopec.check_kernel(
        module("triton_kernels").last_program_relaxed, signature=dict.fromkeys(("parts", "tickets", "out"), "*i32"),
        options={"num_warps": 1}, engine="embedded",
    )  # fmt: skip
    assert "a data race on `parts[" in of_triton.text()
    of_cupy = scopec.check_kernel(module("cupy_kernels").histogram_plain, engine="embedded")
    assert "cupy_kernels.py [guessed launch]" in of_cupy.text()


@pytest.mark.sampled(0)
def test_numbers_and_axes_of_numba() -> None:
    """Rows of an array of two axes, and numbers of each type, come where Numba reads them."""
    needs("numba")
    kernel = module("numba_kernels").turned
    args = {"a": Array("int32", (2, 3), range(6)), "out": Array("int32", (3, 2)), "n": 2, "on": True, "f": 2.5}
    text = "required out[0] == 2 && out[1] == 5 && out[2] == 3 && out[5] == 7"
    holds(check(kernel, (1, (3, 2), args), [text]))
    assert [v.kind for v in check(kernel, (1, (3, 2), {**args, "on": False}), [text]).violated] == ["required"]


@pytest.mark.sampled(0)
def test_the_mark_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(
        f"import pytest\nfrom scopec import Array\nSOURCE = {TWO!r}\nONE = Array('int32', 1)\n"
        "@pytest.mark.scopec_kernel(SOURCE, (2, 1, [ONE, ONE]), expect=['race'])\ndef test_right(): ...\n"
        "@pytest.mark.scopec_kernel(SOURCE, (2, 1, [ONE, ONE]))\ndef test_wrong(): ...\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path), "-p", "no:cacheprovider", "-p",
         "no:xdist", "--strict-markers", str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout
    assert "violated  race_free: a data race on `here[0]`" in done.stdout
    assert "test_marked.py:" in done.stdout


@pytest.mark.sampled(0)
def test_the_example_prints_what_the_document_says(tmp_path: Path) -> None:
    needs("numba")
    text = (REPOSITORY / "docs" / "python.md").read_text().partition("## Kernels in Python")[2]
    (tmp_path / "counts.py").write_text(text.partition("```python\n")[2].partition("```\n")[0])
    printed = subprocess.run(
        [sys.executable, "counts.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    said = text.partition("prints\n\n```\n")[2].partition("```\n")[0]

    def same(output: str) -> str:
        return re.sub(r"\(\d.*? s\)|compiled by .*", "", output).strip()

    assert same(printed) == same(said)


def test_every_report_says_what_made_a_text() -> None:
    """JSON is valid with it; it is no part of a text that nothing is said of."""
    text = TWO + "\n//@ object __device__ int x;\n//@ launch k<<<2, 1>>>(&x, &x);\n"
    found = scopec.check(text=text, engine="embedded", compiled_by="Some 1.0 for sm_90")
    schema = json.loads((REPOSITORY / "docs" / "results.schema.json").read_text())
    jsonschema.validate(json.loads(found.json()), schema)
    assert "  note: as compiled by Some 1.0 for sm_90\n" in found.text()
    assert '<property name="compiler of program.cu" value="Some 1.0 for sm_90"' in junit.text(found.outcomes, NOW)
    results = json.loads(sarif.text(found.outcomes, 1))["runs"][0]["results"]
    (result,) = (one for one in results if "properties" in one)
    assert result["properties"]["compiled_by"] == "Some 1.0 for sm_90"
    assert "compiled_by" not in scopec.check(text=text, engine="embedded").json()


def test_a_package_may_have_kept_what_it_made_in_another_folder(tmp_path: Path) -> None:
    there = tmp_path / "library.py"
    there.write_text("")
    text = f'.file 1 "/gone/kernels.py"\n.file 2 "/gone" "kernels.py"\n.file 3 "{there}"\n'
    moved = '.file 1 "here/kernels.py"\n.file 2 "here/kernels.py"\n'
    assert relative(text, "here/kernels.py") == f'{moved}.file 3 "{there}"\n'
    assert relative(text, "elsewhere/library.py").endswith(f'.file 3 "{there}"\n')
