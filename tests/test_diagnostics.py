"""Each diagnostic of the catalogue: a program that provokes it, and what is said then, golden, read for clarity."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.files import quoted
from scopec.base.source import Source
from scopec.engines.tla.engine import module as tla_module
from scopec.report.text import diagnostic_lines
from scopec.session.check import Settings, check
from scopec.session.inquiry.questions import progress_problem, remarks
from scopec.session.plan import Overrides, plan

KERNEL = "__device__ int x = 0;\n__global__ void k(int n) {\n    STATEMENT\n}\n"
LAUNCH = "//@ launch k<<<1, 2>>>(1);\n"


def inside(statement: str) -> str:
    return KERNEL.replace("STATEMENT", statement) + LAUNCH


#: A program for each code (as `p.cu`, unless it is a litmus test).
PROVOKED: dict[Code, str | bytes] = {
    Code.NOTHING_TO_CHECK: "// nothing yet\n",
    Code.NOT_UTF8: b"int caf\xe9;\n" + inside("x = 1;").encode(),
    Code.UNTERMINATED: inside('printf("done);'),
    Code.SYNTAX: inside("x = 3\n    n = 4;"),
    Code.UNKNOWN_NAME: inside("xx = 1;"),
    Code.UNKNOWN_TYPE: inside("x = 1;").replace("__global__", "__global"),
    Code.OUTSIDE_SUBSET: inside('asm("membar.vc;");'),
    Code.UNMODELLED_CALL: "__device__ void tex2D(int, int);\n" + inside("tex2D(1, 2);"),
    Code.BAD_ARGUMENTS: inside("cuda::atomic_thread_fence();"),
    Code.TYPE_ERROR: inside("n.load();"),
    Code.DUPLICATE: inside("int r = 1, r = 2;"),
    Code.NOT_CONSTANT: inside("x = 1;").replace("<<<1, 2>>>", "<<<1, x>>>"),
    Code.UNINITIALISED: inside("int r; if (r) x = 1;"),
    Code.BAD_LITERAL: inside("x = 99999999999999999999;"),
    Code.BAD_DIRECTIVE: inside("x = 1;") + "//@ expect race_fre;\n",
    Code.BAD_VARY: inside("x = 1;") + "//@ vary S in {1, 2};\n",
    Code.BAD_OPTION: inside("x = 1;") + "//@ options thin_air = maybe;\n",
    Code.BAD_EXPECTATION: inside("int r = x;") + "//@ expect allowed k[0][5].r == 1;\n",
    Code.NO_THREADS: inside("x = 1;").replace("<<<1, 2>>>", "<<<0, 2>>>"),
    Code.NOT_LAUNCHED: KERNEL.replace("STATEMENT", "x = 1;").replace("int n", "int (*f)(int)"),
    Code.BAD_LAUNCH: inside("x = 1;").replace("(1)", "()"),
    Code.NO_HOST: KERNEL.replace("STATEMENT", "x = 1;")
    + "int main() {\n    k<<<1, 1>>>(1);\n    while (x == 0);\n}\n//@ expect terminates under obe;\n",
    Code.UNSEQUENCED: "C p\n{}\nP0 (atomic_int* x) {\n  int r = 0;\n  atomic_store(x + r, r++);\n}\nexists (x=1)\n",
    Code.TOO_LARGE: inside("x = 1;").replace("<<<1, 2>>>", "<<<1024, 1024>>>"),
    Code.VALUE_RANGE: inside("x = 1LL << 40; while (x == 0);").replace("int x", "long long x")
    + "//@ expect terminates;\n",
    Code.IGNORED: inside("x = 1;")
    + "constexpr int N = 1;\n//@ vary N in {1, 2};\n//@ expect race;\n//@ expect race_free when N == 3;\n",
    Code.DIVERGENT_BARRIER: inside("if (threadIdx.x == 0) __syncthreads();"),
    Code.MAYBE_UNSET: inside("int r; if (x == 1) r = 2; x = r;"),
    Code.NOT_MAPPED: "int h;\n__global__ void k(int* p) { *p = 1; }\n"
    "int main() {\n    k<<<1, 1>>>(&h);\n    cudaDeviceSynchronize();\n}\n",
    Code.HOST_LEFT_OUT: "#include <of_a_library.h>\n" + KERNEL.replace("STATEMENT", "x = 1;"),
    Code.NO_HEADER: "#include <cublas_v2.h>\nint main() {}\n",
    Code.BY_VALUE: """#include <cuda.h>
int main() {
    CUstream s, t; cuStreamCreate(&s, 1); cuStreamCreate(&t, 1);
    CUdeviceptr value; cuMemAlloc(&value, 4); cuMemsetD32(value, 0, 1); cuCtxSynchronize();
    cuStreamWaitValue32(s, value, 1, 0); cuStreamWriteValue32(t, value, 1, 0); cuCtxSynchronize();
}
//@ expect race_free;
""",
    Code.ANY_INDEX: "__device__ int x[4];\n__global__ void k(float f) { atomicAdd(&x[(int)f], 1); }\n"
    "//@ launch k<<<1, 2>>>(1.0f);\n",
}


def diagnostics(text: str | bytes, path: Path) -> list[Diagnostic]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        planned = plan(path, path.name, Overrides())
        for run in planned.runs:
            assert run.problem is not None
            for property_ in run.properties:
                tla_module(progress_problem(run, property_))
    except InputError as bad:
        return list(bad.diagnostics)
    return [*planned.warnings, *(quoted(remark, run.source) for run in planned.runs for remark in remarks(run))]


def shown(found: Diagnostic, text: str | bytes) -> str:
    source = Source(found.span.file, text if isinstance(text, str) else text.decode(errors="replace"))
    return "\n".join(diagnostic_lines(quoted(found, source), 80)) + "\n"


def test_golden(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    """What is said about each, in the order of the catalogue: where, what, and a way out."""
    said = []
    for code, text in PROVOKED.items():
        litmus = isinstance(text, str) and text.startswith("C ")
        found = diagnostics(text, tmp_path / ("p.litmus" if litmus else "p.cu"))
        assert [d.code for d in found] == [code], (code, found)
        said.append(shown(found[0], text))
    golden("diagnostics.txt", "\n".join(said))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        plan(tmp_path / "none.cu", "none.cu", Overrides())
    (found,) = caught.value.diagnostics
    assert str(found) == "none.cu:1:1: error: cannot read the file: No such file or directory [SCP002]"


@pytest.mark.jvm
@pytest.mark.sampled(0)
def test_a_progress_verdict_of_a_racy_program(tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text(inside("x = 1;") + "//@ expect terminates;\n")
    (outcome,) = check([tmp_path / "p.cu"], Settings())
    assert [(d.code, d.severity) for d in outcome.diagnostics] == [(Code.RACY_PROGRESS, "warning")]


def test_every_code_is_provoked() -> None:
    elsewhere = {
        Code.UNREADABLE,
        Code.RACY_PROGRESS,
        Code.NOT_KEPT,
        Code.DEAD_END,
        Code.CPLUSPLUS,
        Code.WATCHDOG,
        Code.COMES_AGAIN,
        Code.FLAGS,
        Code.BAD_SETTING,
        Code.PYTHON_KERNEL,
        Code.NOT_NAMED,
        Code.SOUGHT,
    }
    assert set(Code) - set(PROVOKED) == elsewhere, (
        "two above, the others in test_rough_handling, test_vacuity, test_clang_compiler, test_watchdogs, test_block_barriers, test_clang_command, test_settings, test_python_kernels, test_kernels_of_headers, test_sought"
    )
    assert list(PROVOKED) == [code for code in Code if code in PROVOKED]
