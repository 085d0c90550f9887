"""Headers that NVIDIA's cuda-samples share: programs that name no folder of them have scopec's, and a copy comes first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import scopec

MAIN = """\
#include <helper_cuda.h>
#include <helper_functions.h>

__global__ void k(int* a, int n) { a[threadIdx.x] = n; }

int main(int argc, char** argv) {
    int device = findCudaDevice(argc, (const char**)argv);
    cudaDeviceProp properties;
    checkCudaErrors(cudaGetDeviceProperties(&properties, device));
    int n = 2;
    if (checkCmdLineFlag(argc, (const char**)argv, "n")) n = getCmdLineArgumentInt(argc, (const char**)argv, "n=");
    StopWatchInterface* timer = NULL;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    int *a, *host = (int*)malloc(2 * sizeof(int)), expected[2] = {2, 2};
    checkCudaErrors(cudaMalloc(&a, 2 * sizeof(int)));
    k<<<1, 2>>>(a, n);
    getLastCudaError("k");
    checkCudaErrors(cudaMemcpyAsync(host, a, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaDeviceSynchronize());
    sdkStopTimer(&timer);
    printf("%f %d\\n", sdkGetTimerValue(&timer), _ConvertSMVer2Cores(properties.major, properties.minor));
    sdkDeleteTimer(&timer);
    exit(compareData(expected, host, 2, 0, 0.0f) ? EXIT_SUCCESS : EXIT_FAILURE);
}
"""
VECTORS = """\
#include <helper_math.h>
__global__ void k(float3* p, int2* w, uint4* u, int n) {
    int i = threadIdx.x;
    float3 a = -p[i], b = make_float3(1.0f);
    float4 q = make_float4(a, 1.0f);
    q *= 2.0f;
    q /= 3.0f;
    p[i] = normalize(lerp(clamp(a, 0.0f, 1.0f), cross(a, b), 0.5f)) + 2.0f * reflect(a, b) / make_float3(q);
    p[i] += floorf(fminf(a, b)) * length(a) - fracf(smoothstep(a, b, a));
    w[i] = max(-make_int2(i, 1), make_int2(n)) - abs(w[i]) * clamp(i, 0, 2);
    w[dot(make_int2(i, 7), make_int2(1, 0))] += make_int2(1);
    u[i] = make_uint4(make_int4(i)) + 1u - min(u[i], u[i]);
}
"""


def _checked(path: Path, *options: str) -> str:
    done = scopec("check", path, "--engine", "embedded", *options)
    return f"{done.returncode} {done.stdout}{done.stderr}"


def test_a_main_of_the_samples_is_followed(write: Callable[..., Path]) -> None:
    assert "sample.cu\n  holds     race_free\n  holds     terminates\n" in _checked(write(MAIN, "sample.cu"))


def test_what_compares_reads(write: Callable[..., Path]) -> None:
    """Results that have not arrived are compared: a race."""
    early = MAIN.replace("    checkCudaErrors(cudaDeviceSynchronize());\n", "")
    early = early.replace(
        "int *a, *host = (int*)malloc(2 * sizeof(int)), ", "int *a, *host; cudaMallocHost(&host, 8); int "
    )
    shown = _checked(write(early, "early.cu"))
    assert "violated  race_free" in shown, shown


@pytest.mark.sampled(0)
def test_an_element_is_computed_from_its_element(write: Callable[..., Path]) -> None:
    """Indices too: `dot` and `clamp` of integers are numbers that are known."""
    shown = _checked(write(VECTORS, "vectors.cu"))
    assert shown.startswith("0 "), shown
    shown = _checked(write(VECTORS.replace("make_int2(1, 0))", "make_int2(0, 0))"), "zero.cu"))
    assert "a data race on `w[0].x`" in shown, shown


@pytest.mark.parametrize("include", ["<helper_cuda.h>", '"helper_cuda.h"'])
def test_a_copy_of_the_users_comes_first(include: str, write: Callable[..., Path]) -> None:
    """Also one that an earlier answer in the cache was without."""
    text = f"#include {include}\n__global__ void k(int* a) {{ a[ELEMENT] = 1; }}\n"
    text = text.replace("{ a", "{\n#ifndef ELEMENT\n#define ELEMENT threadIdx.x\n#endif\n a").replace("; }", ";\n}")
    path = write(text, "copy.cu")
    folder = path.parent / "common"
    folder.mkdir()
    assert _checked(path, "-I", str(folder)).startswith("0 ")
    (folder / "helper_cuda.h").write_text("#define ELEMENT 0\n")
    assert "violated for the guessed launch  race_free" in _checked(path, "-I", str(folder))


def test_files_are_declared_alone(write: Callable[..., Path]) -> None:
    text = '#include <helper_image.h>\nint main() { float* data = nullptr; unsigned w, h; sdkLoadPGM("x", &data, &w, &h); }\n'
    assert "scopec does not model `sdkLoadPGM" in _checked(write(text, "file.cu"), "--no-guess")


def test_register_is_no_error_to_nvcc_and_none_here(write: Callable[..., Path]) -> None:
    text = "__global__ void k(int* a) { register int i = threadIdx.x; a[i] = 1; }\n"
    assert _checked(write(text, "register.cu")).startswith("0 ")
