"""Host code in the user's headers is left out where it stands, and what libraries for the host would include is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.source import Source
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.headers import headers
from scopec.frontends.clang.kernels import Found, kernels
from scopec.frontends.clang.library_headers import instead_of, may_define
from tests.command import scopec

COMMON = """\
#pragma once
#include <cublas_v2.h>
#include <boost/thing.hpp>
static cublasHandle_t handle;
inline void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw status;
}
inline boost::thing host();
__device__ int doubled(int x) { return 2 * x; }
#if defined(WITH_DOUBLES)
typedef double real;
#else
typedef float real;
#endif
"""
KERNEL = """\
#define WITH_DOUBLES
#include "common.h"
__global__ void k(int* a, real* r, half* h) { a[threadIdx.x] = doubled(threadIdx.x); }
void run(int* a) { check(cublasCreate(&handle)); k<<<1, 8>>>(a, nullptr, nullptr); }
"""
Write = Callable[..., Path]


def found(path: Path) -> Found:
    source = Source(str(path), path.read_text())
    return kernels(source, path.parent, Flags(), None, headers(source, path.parent, Flags()))


def test_what_clang_objects_to_in_a_header_is_left_out_there(write: Write) -> None:
    common = write(
        COMMON.replace("#include <boost/thing.hpp>\n", "").replace("inline boost::thing host();\n", ""), "common.h"
    )
    kept = found(write(KERNEL, "run.cu"))
    ((file, text),) = kept.source.instead
    assert file == common
    here, there = common.read_text().splitlines(), text.splitlines()
    assert len(here) == len(there)
    changed = [one for one, other in zip(here, there, strict=True) if one != other]
    assert changed == ["#include <cublas_v2.h>", *here[2:6]]
    assert [one.type for one in kept.kernels[0].parameters] == ["int", "real", "half"]


@pytest.mark.parametrize("option", [(), ("--every",)])
def test_a_kernel_that_uses_a_header_with_host_code_is_asked(option: tuple[str, ...], write: Write) -> None:
    write(COMMON.replace("#if defined(WITH_DOUBLES)", "#if 1"), "common.h")
    path = write(KERNEL.replace("a[threadIdx.x] =", "a[threadIdx.x / 2] ="), "run.cu")
    done = scopec("check", path, "--engine", "embedded", "--no-cache", *option)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "scopec has no header `cublas_v2.h`" in done.stderr
    assert "race_free" in done.stdout
    assert "run.cu:3" in done.stdout or "3 | __global__ void k" in done.stdout


def test_a_place_in_such_a_header_is_shown_as_it_is_there(write: Write) -> None:
    write("#include <nccl.h>\nextern ncclComm_t all;\n__device__ void put(int* a) { *a = 1; }\n", "put.h")
    path = write('#include "put.h"\n__global__ void k(int* a) { put(a); }\n', "run.cu")
    done = scopec("check", path, "--engine", "embedded")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 | __device__ void put(int* a) { *a = 1; }" in done.stdout


def test_a_header_that_changes_is_read_again(write: Write) -> None:
    """The cache of clang's output knows the text that was read in place of a header."""
    begin = "#include <nccl.h>\nextern ncclComm_t all;\n"
    path = write('#include "at.h"\n__global__ void k(int* a) { a[at()] = 1; }\n', "run.cu")
    statuses = []
    for at in ("threadIdx.x", "0", "threadIdx.x"):
        write(f"{begin}__device__ int at() {{ return {at}; }}\n", "at.h")
        statuses.append(scopec("check", path, "--engine", "embedded").returncode)
    assert statuses == [0, 1, 0]


@pytest.mark.parametrize(
    ("header", "condition", "asks"),
    [
        ("cublas_v2.h", "CUBLAS_VER_MAJOR > 12", True),
        ("cublas_v2.h", "defined(FAST)", False),
        ("cublas_v2.h", "CUDA_R_16F == 2", False),
        ("nvml.h", "__has_include(<nvml.h>)", False),
        ("boost/thing.hpp", "defined(FAST)", True),
        ("boost/thing.hpp", "defined(_FAST)", False),
    ],
)
@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.sampled(2)
def test_a_library_that_is_left_out_answers_no_condition(
    header: str, condition: str, asks: bool, beside: bool, write: Write
) -> None:
    """A library's header answers conditions in all texts; one that is not known, in its own."""
    conditional = f"#if {condition}\n#define AT 0\n#else\n#define AT threadIdx.x\n#endif\n"
    write(f"#include <{header}>\nextern thing_t thing;\n{'' if beside else conditional}", "lib.h")
    path = write(
        f'#include "lib.h"\n{conditional if beside else ""}__global__ void k(int* a) {{ a[AT] = 1; }}\n', "run.cu"
    )
    done = scopec("check", path, "--engine", "embedded")
    asks = asks and (header == "cublas_v2.h" or not beside)
    assert done.returncode == (2 if asks else 0), done.stdout + done.stderr


def test_what_a_device_needs_is_not_left_out_of_a_header(write: Write) -> None:
    write("#include <cufft.h>\n__device__ cufftReal twice(cufftReal x) { return 2 * x; }\n", "twice.h")
    path = write('#include "twice.h"\n__global__ void k(float* a) { a[0] = twice(a[0]); }\n', "run.cu")
    done = scopec("check", path, "--engine", "embedded")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "scopec has no header `cufft.h`" in done.stderr


def test_a_kernel_of_a_header_is_left_out_for_the_others(write: Write) -> None:
    write("__global__ void bad(absent* a) {}\n__global__ void good(int* a) { a[threadIdx.x] = 1; }\n", "two.cuh")
    done = scopec("check", write('#include "two.cuh"\n', "run.cu"), "--engine", "embedded")
    assert done.returncode == 2
    assert "unknown type name 'absent'" in done.stderr
    assert "1 file, 1 program: 2 hold, 0 violated, 0 unknown, 1 with errors" in done.stdout


def test_a_class_with_an_alignment_is_no_function(write: Write) -> None:
    text = """\
#include <regex>
struct __align__(8) Pair { int x, y; };
class alignas((16)) Four { public: int x[4]; };
int host() { return std::regex().mark_count(); }
__global__ void k(Pair* p, Four* f) { p[threadIdx.x].x = f[threadIdx.x].x[0]; }
"""
    kept = found(write(text, "pairs.cu"))
    assert [one.type for one in kept.kernels[0].parameters] == ["Pair", "Four"]
    assert "int host()" not in kept.source.text


@pytest.mark.parametrize(
    ("header", "brought"),
    [("cublasLt.h", "scopec/numbers.h"), ("nccl.h", "scopec/numbers.h"), ("cufftXt.h", "cuComplex.h"), ("omp.h", "")],
)
def test_what_libraries_include_is_read(header: str, brought: str) -> None:
    assert instead_of(header) == brought
    assert not may_define(header, "OTHER")
    assert may_define("other.h", "OTHER")
    assert may_define("cublas_v2.h", "CUBLAS_VERSION")
    assert not may_define("cublas_v2.h", "CUDART_VERSION")  # the runtime's, which is read before any file
    assert may_define("sys/mman.h", "MAP_ANON")
    assert not may_define("sys/mman.h", "MACOSX")
    assert not may_define("sys/mman.h", "WIN32")


def test_complex_numbers_of_cuda(write: Write) -> None:
    text = """\
#include <cuComplex.h>
__global__ void k(cuComplex* a, cuDoubleComplex* b) {
    int i = threadIdx.x;
    a[i] = cuCmulf(cuCaddf(a[i], make_cuComplex(1, 0)), cuConjf(a[i]));
    b[i] = cuCfma(b[i], cuCdiv(b[i], b[i]), cuComplexFloatToDouble(a[i]));
    if (cuCabs(b[i]) > cuCreal(b[i])) a[i].x = cuCimagf(a[i]);
}
//@ object __device__ cuComplex a[2];
//@ object __device__ cuDoubleComplex b[2];
//@ launch k<<<1, 2>>>(a, b);
//@ expect race_free;
"""
    done = scopec("check", write(text, "complex.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_launches_are_asked_of_kernels_in_headers(write: Write) -> None:
    text = """\
__global__ void held(int* a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void raced(int* a, int n) {
    a[(blockIdx.x * blockDim.x + threadIdx.x) % n] = 1;
}
__global__ void divergent(int* a) {
    if (threadIdx.x > 2) __syncthreads();
}
__global__ void open(int* a, int* b) {
    a[b[b[threadIdx.x]]] = b[0];
}
"""
    write(text, "all.cuh")
    done = scopec("check", write('#include "all.cuh"\n', "run.cu"), "--every", "--engine", "embedded")
    said = " ".join(done.stdout.split())
    assert "holds race_free for every launch of held:" in said, done.stderr
    assert "a number passes 4294967295 (all.cuh:2)" in said
    assert "violated race_free for every launch of raced: at raced<<<" in said
    assert "all.cuh:5 |" in said
    assert "the barrier of all.cuh:8 is not reached by all threads of a block" in said
    assert "line 0" not in said


@pytest.mark.sampled(0)
def test_places_are_those_of_the_text_behind_a_longer_include(write: Write) -> None:
    """What is read in place of a library's header is longer than the line that includes it."""
    text = """\
#include <nccl.h>
typedef struct { ncclComm_t all; } Config;
struct Kept { int x; };
Config made(ncclComm_t all) { return {all}; }
__global__ void k(Kept* a, half* h) { a[threadIdx.x].x = 1; }
extern ncclResult_t last;
"""
    kept = found(write(text, "run.cu"))
    lines = kept.source.text.splitlines()
    assert [n for n, line in enumerate(lines, 1) if line.strip()] == [1, 3, 5]
    assert [kernel.name for kernel in kept.kernels] == ["k"]
