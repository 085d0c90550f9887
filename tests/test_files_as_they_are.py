"""Programs written for nvcc, as they are: kernels in headers, textures, random numbers, numbers made of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from scopec.session.asking import Asking
from scopec.session.plan import Overrides, plan
from tests.command import scopec

KERNEL = """\
#pragma once
__global__ void scale(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
template <int N> __global__ void sum(const int* a, int* s) {
    __shared__ int part[N];
    part[threadIdx.x] = a[threadIdx.x];
    atomicAdd(s, part[threadIdx.x]);
}
__global__ void other(int* a) { a[0] = threadIdx.x; }
"""


def asked(path: Path, *more: str | Path) -> CompletedProcess[str]:
    return scopec("check", path, "--engine", "embedded", *more)


def test_kernels_of_a_header_are_those_that_the_file_names(write: Callable[..., Path]) -> None:
    write(KERNEL, "kernels.cuh")
    host = "void run(int* a) { scale<<<4096, 256>>>(a, 7); sum<8><<<1, 8>>>(a, a); }\n"
    done = asked(write(f'#include <regex>\n#include "kernels.cuh"\nstd::regex words;\n{host}', "run.cu"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[kernel = scale, guessed launch]" in done.stdout
    assert "//@ launch sum<8><<<1, 2>>>(a, s);" in done.stdout
    assert "other" not in done.stdout


def test_kernels_of_a_header_are_all_where_the_file_names_none(write: Callable[..., Path]) -> None:
    write(KERNEL, "kernels.cuh")
    done = asked(write('#include "kernels.cuh"\n', "all.cu"))
    assert done.returncode == 1
    assert "//@ launch sum<2><<<1, 2>>>(a, s);" in done.stdout
    assert "kernels.cuh:11" not in done.stderr
    assert "violated for the guessed launch  race_free: a data race on `a[0]`" in done.stdout
    assert "__global__ void other(int* a) { a[0] = threadIdx.x; }" in done.stdout


@pytest.mark.parametrize(
    ("body", "launch"),
    [
        ("a[threadIdx.x] = 1;", "<<<1, 2>>>"),
        ("a[threadIdx.y] = 1;", "<<<1, dim3(1, 2)>>>"),
        ("a[2 * blockIdx.y + threadIdx.x] = 1;", "<<<dim3(1, 2), 2>>>"),
        ("a[place()] = 1;", "<<<1, dim3(2, 2)>>>"),
        ("a[COLUMN] = 1;", "<<<1, dim3(1, 1, 2)>>>"),
        ("if (threadIdx.x < 9) { a[threadIdx.x] = 1; }", "<<<1, 2>>>"),
    ],
)
def test_a_launch_has_threads_along_the_axes_that_the_kernel_looks_at(
    body: str, launch: str, write: Callable[..., Path]
) -> None:
    """Not those that another kernel of the file does: threads that do not know who they are would race."""
    text = f"""\
#define COLUMN threadIdx.z
__device__ int place() {{ return threadIdx.x + blockDim.x * threadIdx.y; }}
__global__ void k(int* a) {{ {body} }}
__global__ void cube(int* a) {{ if (threadIdx.z < 9) {{ a[0]; }} a[threadIdx.x + 2 * threadIdx.y + 4 * threadIdx.z] = 1; }}
"""
    done = asked(write(text, "axes.cu"))
    assert f"//@ launch k{launch}(a);" in done.stdout
    assert done.returncode == 0, done.stdout


def test_a_main_that_wants_arguments_is_not_taken_for_one_without_launches(write: Callable[..., Path]) -> None:
    """It would hold whatever the kernel does."""
    text = """\
__global__ void k(int* a) { a[0] = threadIdx.x; }
int main(int argc, char** argv) {
    if (argc != 2) return 1;
    k<<<1, 2>>>(nullptr);
}
"""
    done = asked(write(text, "arguments.cu"))
    assert done.returncode == 1, done.stdout
    assert "without arguments of the command line `main` launches no kernel" in done.stderr


@pytest.mark.parametrize(
    ("kernel", "verdict"),
    [
        ("while (flag[0] == 0);", "unknown for the guessed launch  terminates: the kernel waits for `flag`"),
        ("long long t = clock64(); while (!*flag) { if (clock64() - t > 9) break; }", "the kernel waits for `flag`"),
        (
            "if (threadIdx.x == 0) while (flag[0] == 0); else flag[1] = 1;",
            "violated for the guessed launch  terminates",
        ),
        ("while (atomicCAS((int*)flag, 0, 1) != 0);", "violated for the guessed launch  terminates"),
        ("int s = 0; for (int i = 0; i < flag[0]; i++) s += flag[i];", "holds for the guessed launch  terminates"),
    ],
)
def test_a_kernel_that_waits_for_others_is_not_said_to_hang(
    kernel: str, verdict: str, write: Callable[..., Path]
) -> None:
    done = asked(write(f"__global__ void k(volatile int* flag) {{ {kernel} }}\n", "waits.cu"))
    assert verdict in done.stdout, done.stdout


def test_a_launch_that_is_written_down_is_said_to_hang(write: Callable[..., Path]) -> None:
    text = "__global__ void k(volatile int* flag) { while (flag[0] == 0); }\n"
    done = asked(write(f"{text}//@ object __device__ int flag[1];\n//@ launch k<<<1, 1>>>(flag);\n", "written.cu"))
    assert "violated  terminates" in done.stdout


def test_a_guessed_launch_gets_a_share_of_the_time_limit(write: Callable[..., Path]) -> None:
    kernel = "__global__ void k{}(int* a) {{ a[threadIdx.x] = 1; }}\n"
    path = write("".join(map(kernel.format, range(3))), "shared.cu")
    runs = plan(path, "shared.cu", Overrides()).runs
    assert [run.share for run in runs] == [1 / 45] * 3
    end = Asking(timeout=90).deadline(used=30, share=runs[0].share)
    assert 1 < (end.left() or 0) <= 2
    assert end.late == "no answer within a guessed launch's time of 2 s"
    assert Asking(timeout=None).deadline(share=runs[0].share).at is None


def test_a_kernel_that_is_declared_alone_is_told(write: Callable[..., Path]) -> None:
    write("__global__ void k(int* a);\n", "k.h")
    done = asked(write('#include "k.h"\nvoid run(int* a) { k<<<1, 2>>>(a); }\n', "run.cu"))
    assert done.returncode == 2
    assert "k.h:1:1: error: no kernel is defined here, or in what is included" in done.stderr


def test_a_header_with_kernels_is_never_left_out(write: Callable[..., Path]) -> None:
    write("#include <cub/cub.cuh>\n__global__ void k(cub::thing* a) { a->use(); }\n", "k.cuh")
    done = asked(write('#include "k.cuh"\n__global__ void other(int* a) { a[threadIdx.x] = 1; }\n', "run.cu"))
    assert done.returncode == 2
    assert "scopec has no header `cub/cub.cuh`" in done.stderr


def test_templates_get_the_arguments_that_the_file_launches_them_with(write: Callable[..., Path]) -> None:
    text = """\
struct Max { static __device__ int of(int a, int b) { return a > b ? a : b; } };
template <class Operation, int N> __launch_bounds__(N) __global__ void k(int* a) {
    a[threadIdx.x] = Operation::of(a[threadIdx.x], N);
}
void run(int* a) { k<Max, 8><<<1, 8>>>(a); }
"""
    done = asked(write(text, "templates.cu"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "//@ launch k<Max, 8><<<1, 2>>>(a);" in done.stdout


# ---------------------------------------------------------------- numbers made of floating-point numbers

ROUNDED = """\
__global__ void k(const float* in, unsigned char* out, int* sum) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned char)(255 * in[i]);
    {barrier}
    if (out[i ^ 1] > 3) atomicAdd(sum, (int)in[i]);
}}
"""


@pytest.mark.parametrize(("barrier", "status"), [("__syncthreads();", 0), ("", 1)])
def test_integers_made_of_floating_point_numbers_are_stored(
    barrier: str, status: int, write: Callable[..., Path]
) -> None:
    done = asked(write(ROUNDED.format(barrier=barrier), "rounded.cu"))
    assert done.returncode == status, done.stdout + done.stderr


def test_both_ways_are_taken_at_a_number_that_is_not_modelled(write: Callable[..., Path]) -> None:
    """Also where an integer was stored before: its value is that of no integer that is known."""
    text = """\
__device__ int chosen = 1, x;
__global__ void k(float f) {
    if (threadIdx.x == 0) chosen = (int)f;
    __syncthreads();
    if (chosen == 2) x = threadIdx.x;
}
//@ launch k<<<1, 2>>>(1.0f);
//@ expect race_free;
"""
    done = asked(write(text, "ways.cu"))
    assert "violated  race_free: a data race on `x`" in done.stdout


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            "atomicCAS(&n, 0, 1);",
            "an operation that compares `n` in one step, where a floating-point number was stored",
        ),
        ("__syncwarp(n);", "a value that is not modelled, such as a floating-point number, decides something here"),
    ],
)
def test_what_needs_the_value_is_refused(use: str, message: str, write: Callable[..., Path]) -> None:
    text = f"__device__ int n;\n__global__ void k(int* a, float f) {{ n = (int)f; {use} }}\n"
    done = asked(write(text, "use.cu"))
    assert done.returncode == 2
    assert message in done.stderr


def test_an_expectation_about_a_value_that_is_not_modelled_is_refused(write: Callable[..., Path]) -> None:
    text = "__device__ int n;\n__global__ void k(float f) { n = (int)f; }\n"
    done = asked(write(f"{text}//@ launch k<<<1, 1>>>(1.0f);\n//@ expect required n == 0;\n", "value.cu"))
    assert done.returncode == 2
    assert "whose values are not modelled" in done.stderr


def test_a_copy_takes_such_numbers_along(write: Callable[..., Path]) -> None:
    text = """\
#include <cstdlib>
__global__ void k(float* a, int* x) { a[threadIdx.x] += 1; }
int main() {
    float* h = (float*)malloc(2 * sizeof(float));
    float* a;
    cudaMalloc(&a, 2 * sizeof(float));
    k<<<1, 2>>>(a, nullptr);
    cudaMemcpy(h, a, 2 * sizeof(float), cudaMemcpyDeviceToHost);
    if (((int*)h)[0] != 0) k<<<1, 2>>>(nullptr, nullptr);
}
"""
    done = asked(write(text, "copy.cu"), "--no-guess")
    assert "indices, pointers and arithmetic are valid" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1


# ---------------------------------------------------------------- libraries


@pytest.mark.sampled(0)
def test_textures_are_refused_by_name_and_other_kernels_are_asked(write: Callable[..., Path]) -> None:
    text = """\
#include <cuda.h>
__global__ void copy(float* out, cudaTextureObject_t from) { out[threadIdx.x] = tex2D<float>(from, threadIdx.x, 0); }
__global__ void fill(cudaSurfaceObject_t to) { surf2Dwrite(1.0f, to, 4 * threadIdx.x, 0); }
__global__ void plain(int* out, CUtexObject) { out[threadIdx.x] = 1; }
int main() {
    cudaChannelFormatDesc form = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &form, 16, 16);
}
"""
    done = asked(write(text, "textures.cu"))
    assert done.returncode == 2
    assert "scopec does not model textures (`tex2D`)" in done.stderr
    assert "scopec does not model surfaces (`surf2Dwrite`)" in done.stderr
    assert "guessed: scopec does not model textures, surfaces and arrays (`cudaMallocArray`)" in done.stderr
    assert "[kernel = plain, guessed launch]" in done.stdout


@pytest.mark.parametrize(("state", "status"), [("s[threadIdx.x]", 0), ("s[0]", 1)])
def test_random_numbers_are_drawn_from_a_state(state: str, status: int, write: Callable[..., Path]) -> None:
    text = f"""\
#include <curand_kernel.h>
#include <math_constants.h>
__global__ void k(curandState* s, float* out) {{
    curand_init(7, threadIdx.x, 0, &{state});
    out[threadIdx.x] = curand_uniform(&{state}) * CUDART_PI_F + curand_normal4(&{state}).w;
}}
"""
    assert asked(write(text, "random.cu")).returncode == status


def test_functions_of_halves_and_of_pairs(write: Callable[..., Path]) -> None:
    text = """\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k(half2* a, const half2* b, unsigned short* c, __nv_bfloat162* d) {
    int i = threadIdx.x;
    a[i] = a[i] + b[i] * h2exp(b[i]);
    c[i] = __half_as_ushort(__low2half(a[i]));
    if (__hbgt2(a[i], b[i]) || __hlt(b[i].x, b[i].y)) d[i] += __hmax2(d[i], d[i]);
}
__device__ unsigned long long __globaltimer() { return 1; }
__global__ void timed(unsigned long long* a) { a[threadIdx.x] = __globaltimer(); }
"""
    done = asked(write(text, "halves.cu"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("also", "status"), [("c[threadIdx.x + 1] = 1.0f;", 0), ("b->y = 1.0f;", 1)])
def test_pairs_of_halves_are_added_to_one_by_one(also: str, status: int, write: Callable[..., Path]) -> None:
    pair = "__half2" if status == 0 else "__nv_bfloat162"
    text = f"""\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void k({pair}* b, __half* c) {{
    atomicAdd(b, {pair}{{1, 2}});
    atomicAdd_block(c, __half(1));
    if (threadIdx.x) {also}
}}
"""
    done = asked(write(text, "pairs.cu"))
    assert done.returncode == status, done.stdout + done.stderr
    assert ("a data race on `b[0].y`" in done.stdout) is (status == 1)


def test_a_launch_from_a_kernel_is_told_as_such(write: Callable[..., Path]) -> None:
    text = "__global__ void child() {}\n__global__ void k(int* a) { child<<<1, 1>>>(); a[0] = 1; }\n"
    done = asked(write(text, "nested.cu"))
    assert done.returncode == 2
    assert "nested.cu:2:34: error: a launch from a kernel is outside the modelled subset [SCP012]" in done.stderr


@pytest.mark.parametrize(
    ("header", "what"),
    [("thrust/sort.h", "Thrust"), ("mma.h", "wmma"), ("regex", "of the C++ library"), ("mpi.h", "in parallel")],
)
def test_a_header_of_a_library_is_told_by_its_name(header: str, what: str, write: Callable[..., Path]) -> None:
    done = asked(
        write(f"#include <{header}>\n__global__ void k(missing* a) {{ a->use(); }}\n", "header.cu"),
        "--headers",
        "shims",
    )
    assert done.returncode == 2
    assert f"header.cu:1:10: error: scopec has no header `{header}`: " in done.stderr
    assert what in done.stderr
    assert "name the header's folder" not in done.stderr
    assert ("`--headers real` reads it" in done.stderr) is (header in ("thrust/sort.h", "regex"))


def test_conditions_around_host_code_that_is_left_out_stay(write: Callable[..., Path]) -> None:
    text = """\
#include "absent.h"
#ifdef __CUDACC__
absent::thing thing;
#endif
__global__ void k(int* a) { a[threadIdx.x] = 1; }
"""
    done = asked(write(text, "conditions.cu"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_handle_of_what_the_text_does_not_define_is_none(write: Callable[..., Path]) -> None:
    """There is no object of a class without members; one that is defined gets its objects."""
    text = """\
struct Opaque;
struct Errors { int* count; cudaStream_t stream; Opaque* more; };
struct Node { int value; };
__global__ void k(int* out, Errors errors, Opaque* handle, Node* node) {
    if (handle == nullptr) out[threadIdx.x] = node->value;
}
"""
    path = write(text, "k.cu")
    done = asked(path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "//@ launch k<<<1, 2>>>(out, Errors{errors_count, nullptr, nullptr}, nullptr, node);" in done.stdout
    every = scopec("check", path, "--every", "--engine", "embedded")
    assert every.returncode == 1
    assert "violated  race_free for every launch of k: at k<<<2, 2>>>(…): a data race on `out[0]`" in every.stdout


SPACED = """\
template <int N> __global__ void k(int* a) { a[threadIdx.x / N] = 1; }
int main() {
    int* a;
    cudaMalloc(&a, 64 >> 1);
    k<2> << <1, dim3(4) >> > (a);
    k<1><< < 1 << 0, 8>> >(a);
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("pragma", ["unroll", "unroll 4", "nounroll", "GCC unroll 2", "clang loop unroll(full)"])
def test_what_is_said_of_loops_that_are_left_out_goes_with_them(pragma: str, write: Callable[..., Path]) -> None:
    """Outside of functions clang takes none of these; what is said of a class stays."""
    text = f"""\
#pragma pack(push, 1)
struct Packed {{ char c; int n; }};
#pragma pack(pop)
static_assert(sizeof(Packed) == 5);
__global__ void k(int* a) {{
#pragma {pragma}
    for (int i = 0; i < 4; i++) a[4 * threadIdx.x + i] = sizeof(Packed);
}}
void host(unknown* file) {{
    int sum = 0;
    # pragma {pragma}
    for (int i = 0; i < 4; i++) sum += i;
    write(file, sum);
}}
"""
    done = scopec("check", write(text, "k.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "//@ launch k<<<1, 2>>>(a);" in done.stdout


def test_launches_with_blanks_between_their_signs(write: Callable[..., Path]) -> None:
    """As formatters of C++ write them, and nvcc takes them."""
    done = asked(write(SPACED, "spaced.cu"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "a data race on `a[0]`" in done.stdout
    assert asked(write(SPACED.replace("k<2> ", "k<1>   "), "right.cu")).returncode == 0
    launches = SPACED.replace("int* a;", "std::regex host; int* a;")
    guessed = asked(write(f"#include <regex>\n{launches}", "guessed.cu"))
    assert "//@ launch k<2><<<1, 2>>>(a);" in guessed.stdout
