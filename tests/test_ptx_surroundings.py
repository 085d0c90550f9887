"""Files of PTX and their surroundings: names of results, places, the C++ text around them, compilers that write them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.ptx.names import plain
from scopec.program import ir
from scopec.program.program import Program
from scopec.session.changes import included
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.test_ptx_files import HEAD, READ, SCALARS, SPECS, Write, answers, finals, kernel, program, refused

# ---------------------------------------------------------------- names of results

WRITES = """
.reg .b64 %rd<2>; .reg .b32 %r<1>;
ld.param.u64 %rd0, [_Z1kPiiP1P_param_0]; ld.param.u32 %r0, [_Z1kPiiP1P_param_1]; ld.param.u64 %rd1, [_Z1kPiiP1P_param_2];
st.global.u32 [%rd0+4], %r0; st.global.u32 [%rd1+8], %r0;
"""
NAMED = kernel(WRITES, ", ".join(f".param .{t} _Z1kPiiP1P_param_{n}" for n, t in enumerate(("u64", "u32", "u64"))))
NAMED = (
    NAMED.replace(".entry k(", ".entry _Z1kPiiP1P(")
    + """
//@ object __device__ int out[4];
//@ object struct P { int a; int b; int c[2]; };
//@ object __device__ P pairs[2];
//@ launch k<<<1, 1>>>(out + 1, 7, pairs + 1);
"""
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("truth", "verdict"),
    [
        ("k_param_0[4] == 7", "holds"),
        ("_Z1kPiiP1P_param_0[4] == 7", "holds"),
        ("out[2] == k_param_0[2 * 2]", "holds"),
        ("k_param_0 == 0 && *k_param_0 == 0 && k_param_0[-4] == 0 && k_param_0[8] == 0", "holds"),
        ("k_param_0[0] == 7", "violated"),
        ("k_param_2[8] == 7 && k_param_2[4] == 0 && k_param_2[12] == 0", "holds"),
        ("k_param_2[-8] == 7", "violated"),
    ],
)
def test_results_by_parameter_and_offset(truth: str, verdict: str, write: Write) -> None:
    assert answers(write(NAMED + f"//@ expect required {truth};\n", "t.ptx")) == [(f"required {truth}", verdict)]


def test_what_a_state_is_printed_as_can_be_asked(write: Write) -> None:
    assert finals(write(NAMED + "//@ expect race_free;\n", "t.ptx"), "out[2]", "pairs[1].c[0]") == {(7, 7)}
    asked = "required out[2] == 7 && pairs[1].c[0] == 7"
    assert answers(write(NAMED + f"//@ expect {asked};\n", "t.ptx")) == [(asked, "holds")]


def test_a_race_by_parameter_and_offset(write: Write) -> None:
    text = (
        NAMED.replace("<<<1, 1>>>", "<<<2, 1>>>")
        + "//@ expect race on k_param_0[4];\n//@ expect race on k_param_0[0];\n"
    )
    assert [verdict for _, verdict in answers(write(text, "t.ptx"))] == ["holds", "violated"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("k_param_0[2]", "nothing begins 2 bytes from where `k_param_0` points"),
        ("k_param_0[16]", "nothing begins 16 bytes from where"),
        ("k_param_1", "`k_param_1` is no pointer to one object"),
        ("k_param_2.a", "`k_param_2[OFFSET]` has no members"),
        ("k_param_3", "there is no global `k_param_3`"),
    ],
)
def test_what_no_parameter_names(name: str, said: str, write: Write) -> None:
    (outcome,) = check([write(NAMED + f"//@ expect required {name} == 1;\n", "t.ptx")], Settings(engine="embedded"))
    (wrong,) = [d for d in outcome.diagnostics if d.severity == "error"]
    assert said in wrong.message
    assert wrong.help


def test_a_parameter_of_several_launches(write: Write) -> None:
    again = "//@ launch k<<<1, 1>>>({}, 7, pairs + 1);\n//@ expect required k_param_0[4] == 7;\n"
    assert [verdict for _, verdict in answers(write(NAMED + again.format("out + 1"), "t.ptx"))] == ["holds"]
    (outcome,) = check([write(NAMED + again.format("out"), "t.ptx")], Settings(engine="embedded"))
    assert "is no pointer to one object" in outcome.diagnostics[0].message


# ---------------------------------------------------------------- places

PLACES = """
.loc 1 3 5
st.global.u32 [x], 1;
.loc 2 9 1, function_name $L__info0, inlined_at 1 4 5
st.global.u32 [x], 2;
.loc 1 0 5
st.global.u32 [x], 3;
"""
FILES = '.file 1 "/elsewhere/source.cu"\n.file 2 "/elsewhere/library.h"\n'


def lines(program_: Program) -> set[tuple[str, int]]:
    (grid,) = program_.grids.values()
    steps = [n for n in grid.body.nodes.values() if isinstance(n, ir.Do) and isinstance(n.operation, ir.Store)]
    return {(Path(step.span.file).name, step.span.line) for step in steps}


def test_places_are_those_of_the_source_beside_the_file(write: Write) -> None:
    text = kernel(PLACES, "", ".global .align 4 .u32 x;") + FILES + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    path = write(text, "t.ptx")
    assert {file for file, _ in lines(program(path))} == {"t.ptx"}
    assert len(lines(program(path))) == 3
    (path.parent / "source.cu").write_text("// one\n\n    first();\n    second();\n")
    assert lines(program(path)) == {("source.cu", 3), ("source.cu", 4)}


# ---------------------------------------------------------------- a C++ text around it

SIDE = """
//@ kernels "t.ptx";
//@ object __device__ int out[3];
//@ launch k<<<1, 1>>>(out, 1, 2, 3);
//@ expect race_free;
"""
HOST = """
//@ kernels "t.ptx";
extern "C" __global__ void k(int* to, int a, short b, signed char c) {}
int main() {
    int* out;
    cudaMalloc(&out, 3 * sizeof(int));
    k<<<1, 1>>>(out, 1, 2, 3);
    cudaDeviceSynchronize();
}
//@ expect race_free;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", [SIDE, HOST, f"// launches k\n/* the kernel k */\n{SIDE}"])
def test_a_program_names_the_file_that_has_its_kernels(text: str, write: Write) -> None:
    ptx = write(kernel(READ, SCALARS), "t.ptx")
    path = write(text)
    assert finals(path, "out[0]", "out[1]", "out[2]") == {(1, 2, 3)}
    assert included(path) == {ptx.resolve()}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('//@ kernels "none.ptx";\n//@ launch k<<<1, 1>>>();', "1: cannot read the file"),
        ('//@ kernels "empty.ptx";\n//@ launch k<<<1, 1>>>();', "1: the file has no kernel"),
        ('//@ kernels "t.ptx"; kernels "t.ptx";\n//@ launch k<<<1, 1>>>();', "1: a file has one file of PTX"),
        (
            "//@ kernels t.ptx;\n//@ launch k<<<1, 1>>>();",
            "1: unexpected `t`, expected the name of a file in quotation marks",
        ),
        (
            '//@ kernels "t.ptx";\n__global__ void k(int*) {}\n//@ launch k<<<1, 1>>>(0);',
            "no kernel that compilers call `k`",
        ),
    ],
)
def test_what_is_wrong_with_the_name_of_a_file(text: str, said: str, write: Write) -> None:
    write(kernel(READ, SCALARS), "t.ptx")
    write(HEAD, "empty.ptx")
    assert said in refused(write(text + "\n//@ expect race_free;\n"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (kernel("ld.global.u32 %r0, [x]"), "7: expected `;` before `ret`"),
        (kernel("mov.u32 %r0, 1;"), "there is no register `%r0`"),
        (kernel("tcgen05.mma.ws;"), "`tcgen05.mma.ws` is"),
        (kernel("call.uni f, ();"), "a call of `f` is"),
        (kernel(".reg .b32 a; mov.u32 a, %envreg3;"), "the special register `%envreg3` is"),
        (kernel("", "", ".global .texref t;"), "memory that is `.global .texref`"),
        (kernel("") + '//@ kernels "t.ptx";\n', "a file of PTX has its kernels itself"),
    ],
)
def test_what_is_not_read(text: str, said: str, write: Write) -> None:
    assert said in refused(write(text + "//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n", "t.ptx"))


def test_what_is_not_modelled_may_be_where_nobody_comes(write: Write) -> None:
    body = "bra DONE;\nmultimem.red.relaxed.sys.global.add.u32 [0], 1;\nDONE:"
    path = write(kernel(body) + "//@ launch k<<<1, 1>>>();\n//@ expect terminates;\n", "t.ptx")
    assert answers(path) == [("terminates", "holds")]


def test_a_kernel_that_nobody_launches(write: Write) -> None:
    path = write(HEAD + ".entry _Z4passv() { ret; }", "t.ptx")
    with pytest.raises(InputError, match="the kernel `pass` is never launched"):
        plan(path, path.name, Overrides(guess=False))


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("kernel", "kernel"), ("_Z6reduce6Params", "reduce"), ("_ZN3lib4pushEPi", "push"), ("_Z1fILi3EEvv", "f"),
        ("_ZN8__main__4lastB2v2B9aE5ArrayIi", "last"), ("_Zn", "_Zn"),
    ],
)  # fmt: skip
def test_plain_names(mangled: str, name: str) -> None:
    assert plain(mangled) == name


# ---------------------------------------------------------------- compilers

NVCC = shutil.which("nvcc")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("source", sorted(p.stem.removesuffix("-nvcc") for p in SPECS.glob("*-nvcc.ptx")))
@pytest.mark.parametrize("options", [("-lineinfo",), ("-G",)])
@pytest.mark.nvcc
@pytest.mark.skipif(NVCC is None, reason="NVIDIA's compiler is not on PATH")
def test_what_nvcc_makes_of_a_program_answers_as_the_program(
    source: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    """The PTX of a source, optimised and not, with the expectations of the specifications: those beside it too."""
    for path in SPECS.glob(f"{source}*.cu"):
        shutil.copy(path, tmp_path)
    directives = [line for line in (SPECS / f"{source}-nvcc.ptx").read_text().splitlines() if line.startswith("//@")]
    ptx = tmp_path / f"{source}-nvcc.ptx"
    assert NVCC is not None
    command = [NVCC, "-ptx", *options, "-arch=sm_90", "-std=c++17", f"{source}.cu", "-o", ptx.name]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    ptx.write_text(ptx.read_text() + "\n" + "\n".join(directives) + "\n")
    assert answers(ptx) == answers(tmp_path / f"{source}.cu")
    for sibling in sorted(set(tmp_path.glob("*.cu")) - {tmp_path / f"{source}.cu"}):
        assert {verdict for _, verdict in answers(sibling)} == {"holds"}


#: What makes PTX without a GPU, and how to find out that it is there: not by name, since numba-cuda replaces a part of
#: Numba where it is installed, and not where it is but found.
MAKERS = {
    "numba": "import numba.cuda; assert 'numba_cuda' in numba.cuda.__file__",
    "triton": "import triton",
}


def needs(maker: str) -> None:
    """Skip where a package is not: .ci/tools installs those that some test skips without."""
    if subprocess.run([sys.executable, "-c", MAKERS[maker]], check=False, capture_output=True).returncode:
        pytest.skip(f"{maker} is not installed (specs/ptx-files/{maker}_kernels.py)")


@pytest.mark.parametrize("maker", MAKERS)
def test_what_others_make_of_kernels_answers_as_the_specifications(maker: str, tmp_path: Path) -> None:
    needs(maker)
    shutil.copy(SPECS / f"{maker}_kernels.py", tmp_path)
    subprocess.run(
        [sys.executable, f"{maker}_kernels.py"], cwd=tmp_path, check=True, capture_output=True,
        env={**os.environ, "TRITON_CACHE_DIR": str(tmp_path / "cache")},
    )  # fmt: skip
    found = sorted(tmp_path.glob("*.ptx"))
    assert {path.name for path in found} == {path.name for path in SPECS.glob(f"*-{maker}.ptx")}
    for path in found:
        directives = [line for line in (SPECS / path.name).read_text().splitlines() if line.startswith("//@")]
        path.write_text(path.read_text() + "\n".join(directives) + "\n")
        assert {verdict for _, verdict in answers(path)} == {"holds"}
