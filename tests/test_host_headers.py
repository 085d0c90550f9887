"""Headers of C and C++ that host code includes: they are there, and what is not modelled is told where it is reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import scopec

HEADERS = (
    "algorithm", "cctype", "cerrno", "chrono", "cstdio", "cstdlib", "cstring", "ctime", "ctype.h", "errno.h", "fstream",
    "getopt.h", "iostream", "malloc.h", "random", "sstream", "stdio.h", "stdlib.h", "string", "string.h", "strings.h",
    "sys/resource.h", "sys/stat.h", "sys/time.h", "sys/types.h", "sys/utsname.h", "time.h", "typeinfo", "unistd.h",
)  # fmt: skip
TEXT = (
    "".join(f"#include <{name}>\n" for name in HEADERS) + "__global__ void k(int* a) {{ a[threadIdx.x] = 1; }}\n{main}"
)


def test_a_main_may_time_and_tell_and_compare(write: Callable[..., Path]) -> None:
    main = """\
int main(int argc, char** argv) {{
    timeval begin, end;
    gettimeofday(&begin, nullptr);
    int* host = (int*)memalign(64, 2 * sizeof(int));
    if (strcasecmp("a", "b") == 0) perror("a");
    if (isdigit(7)) srand48(1);
    float* more = new (std::nothrow) float[2];
    if (more == nullptr || (argc > 1 && rindex(argv[0], '/') != nullptr)) return 1;
    delete[] more;
    std::string name = std::string("a") + "b";
    if (name.find("c") == std::string::npos || name.substr(1) == "b") std::cout << name.c_str() << std::endl;
    int* a;
    cudaMalloc(&a, 2 * sizeof(int));
    k<<<1, 2>>>(a);
    cudaMemcpy(host, a, 2 * sizeof(int), cudaMemcpyDeviceToHost);
    if (memcmp(host, host, 8) != 0) fputs("differs", stderr);
    std::ofstream("out") << host[0];
    gettimeofday(&end, nullptr);
    cudaFree(a);
    free(host);
}}
""".replace("{{", "{").replace("}}", "}")
    done = scopec("check", write(TEXT.format(main=main), "all.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "guessed" not in done.stdout


@pytest.mark.sampled(2)
@pytest.mark.parametrize("call", ['fopen("x", "r")', 'sscanf("1", "%d", &argc)', 'getopt(argc, argv, "a")'])
def test_what_is_declared_alone_is_told_where_it_is_reached(call: str, write: Callable[..., Path]) -> None:
    path = write(TEXT.format(main=f"int main(int argc, char** argv) {{ {call}; }}\n"), "one.cu")
    done = scopec("check", path, "--engine", "embedded", "--no-guess")
    assert done.returncode == 2
    assert f"scopec does not model `{call.partition('(')[0]}`" in done.stderr


def test_limits_of_numbers_need_no_header_of_their_own(write: Callable[..., Path]) -> None:
    """The headers of a toolkit include each other."""
    text = """\
#include <algorithm>
#include <cmath>
__global__ void k(float* least, int n) {
    float d = std::numeric_limits<float>::max();
    for (int i = 0; i < n; i++) d = std::min(d, least[n + i]);
    if (std::numeric_limits<const double>::has_infinity && d < std::numeric_limits<float>::infinity())
        least[threadIdx.x] = d;
    static_assert(std::numeric_limits<double>::lowest() < std::numeric_limits<float>::lowest());
    static_assert(std::numeric_limits<int>::digits10 == 9 && std::numeric_limits<float>::digits == 24);
}
"""
    done = scopec("check", write(text, "limits.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "made",
    [
        "cudaStream_t* s = (cudaStream_t*)malloc(2 * sizeof(cudaStream_t));",
        "cudaStream_t* s; s = static_cast<cudaStream_t*>(malloc(2 * sizeof *s));",
        "cudaStream_t* s = new cudaStream_t[2];",
    ],
)
def test_handles_in_memory_of_the_heap_are_known(made: str, write: Callable[..., Path]) -> None:
    """Two streams race; that they are two is known."""
    text = f"""\
#include <cstdlib>
__global__ void k(int* a, int v) {{ a[threadIdx.x] = v; }}
int main() {{
    {made}
    int* d;
    cudaMalloc(&d, 2 * sizeof(int));
    for (int i = 0; i < 2; i++) cudaStreamCreate(&s[i]);
    for (int i = 0; i < 2; i++) k<<<1, 2, 0, s[SAME]>>>(d, i);
    cudaDeviceSynchronize();
}}
"""
    for same, status in (("i", 1), ("0", 0)):
        path = write(text.replace("SAME", same), "handles.cu")
        done = scopec("check", path, "--engine", "embedded", "--no-guess")
        assert done.returncode == status, done.stdout + done.stderr


def test_a_program_has_errors_of_its_own_and_makes_numbers(write: Callable[..., Path]) -> None:
    text = """\
#include <algorithm>
#include <cassert>
#include <exception>
#include <vector>
struct Failure : std::exception {
    const char* what() const noexcept override { return "failure"; }
};
__global__ void k(float* a) { a[threadIdx.x] = 1; }
int main() {
    std::vector<float> h(4);
    int next = 0;
    std::generate(h.begin(), h.end(), [&] { return next++; });
    float* d;
    if (cudaMalloc(&d, 4 * sizeof(float)) != cudaSuccess) throw Failure();
    k<<<1, 4>>>(d);
    cudaMemcpy(h.data(), d, 4 * sizeof(float), cudaMemcpyDeviceToHost);
    float most = 0;
    for (int i = 0; i < 4; i++) most = std::max(most, h[i]);
    std::vector<int> n(4);
    std::generate_n(n.begin(), 4, [&] { return next--; });
    bool some = std::any_of(n.begin(), n.end(), [](int x) { return x < 2; }) && std::equal(n.begin(), n.end(), n.begin());
    assert(some && std::count(n.begin(), n.end(), 3) == 1 && *std::find(n.begin(), n.end(), 2) == 2);
    return most > 2;
}
"""
    done = scopec("check", write(text, "errors.cu"), "--engine", "embedded", "--no-guess")
    assert done.returncode == 0, done.stdout + done.stderr


def test_which_floating_point_number_is_greater_is_not_known(write: Callable[..., Path]) -> None:
    """Both are read, and what is chosen may be either."""
    text = """\
#include <algorithm>
__device__ float x;
__device__ int y;
__global__ void k() {
    if (threadIdx.x) x = 1;
    else (void)std::max(x, 2.0f);
    if (std::max(1.0f, 2.0f) < 3.0f) y = threadIdx.x;
}
static_assert(std::max(1.0f, 2.0f) == 2.0f && std::min(1.0, 2.0) == 1.0);
//@ launch k<<<1, 2>>>();
//@ expect race on x;
//@ expect race on y;
"""
    done = scopec("check", write(text, "greater.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_special_register_has_one_sign_or_two(write: Callable[..., Path]) -> None:
    text = """\
__global__ void k(unsigned* a) {
    unsigned lane, other;
    asm volatile("mov.u32 %0, %laneid;" : "=r"(lane)); asm("mov.u32 %0,%%laneid;" : "=r"(other));
    a[lane] = other; a[other] = lane;
}
//@ object __device__ unsigned a[2];
//@ launch k<<<1, 2>>>(a);
//@ expect required a[0] == 0 && a[1] == 1;
"""
    done = scopec("check", write(text, "signs.cu"), "--engine", "embedded")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_main_in_a_header_is_followed_or_told(write: Callable[..., Path]) -> None:
    main = "int main(int argc, char** argv) { int* d; cudaMalloc(&d, 8); k<<<1, 2>>>(d); cudaDeviceSynchronize(); }\n"
    write(f"__global__ void k(int* a) {{ a[threadIdx.x] = 1; }}\n{main}", "run.h")
    path = write('#include "run.h"\n', "run.cu")
    assert scopec("check", path, "--engine", "embedded").returncode == 0
    write("__global__ void k(int* a) { a[threadIdx.x] = 1; }\nint main(int argc, char** argv) { return 0; }\n", "run.h")
    done = scopec("check", path)
    assert (done.returncode, "run.h:2:1: error: the launches of this `main`, in a header," in done.stderr) == (2, True)
