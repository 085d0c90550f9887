"""From syntax trees to the Program form, in its printable form."""

from __future__ import annotations

import pytest

from scopec.program.ir import Dim
from scopec.program.show import show_program
from scopec.program.types import LONG_LONG
from tests.conftest import problem_of, program_of

ATOMICS = """
#include <cuda/atomic>
__device__ int x, f;
__device__ cuda::atomic<int, cuda::thread_scope_device> c{5};
__managed__ cuda::std::atomic<unsigned char> u;
__global__ void k(cuda::atomic_ref<int, cuda::thread_scope_block> a, int* p, int n) {
    int old = a.load(cuda::memory_order_relaxed);
    a.store(old + n, cuda::std::memory_order_release);
    old = c.exchange(3, std::memory_order_acq_rel);
    int e = 0;
    bool won = c.compare_exchange_strong(e, 7, cuda::memory_order_release);
    bool weak = c.compare_exchange_weak(e, 8, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
    c.fetch_add(1); c.fetch_sub(2); c.fetch_and(3); c.fetch_or(4); c.fetch_xor(5); c.fetch_min(6); c.fetch_max(7);
    c++; --c; c += 2; c = 9; int d = c;
    u.fetch_add(250);
    *p = d;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    __threadfence_block(); __threadfence(); __threadfence_system();
    cuda::atomic_thread_fence(cuda::memory_order_relaxed, cuda::thread_scope_block);
}
//@ launch k<<<1, 1>>>(x, &f, 2);
"""

CONTROL = """
__device__ int x, a[3] = {1, 2};
__device__ int twice(int v) { if (v > 100) return v; v *= 2; return v; }
__global__ void k() {
    __shared__ int s[2];
    volatile int w = 1;
    int i, sum = 0;
    for (i = 0; i < 3; i++) { if (i == 1) continue; if (sum > 5) break; sum += a[i]; }
    do { sum--; } while (sum > 0 && x != 3);
    int y = threadIdx.x == 0 ? x : sum;
    if (x == 1 || y == 2) x = 1; else if (w) x = 2;
    s[threadIdx.x] = twice(sum) + blockDim.x;
    __syncthreads();
    printf("%d", y);
    assert(s[0] == 1);
    while (true) {}
}
//@ launch k<<<1, 2>>>();
"""

HOST = """
cuda::atomic<int, cuda::thread_scope_system> flag = 0;
constexpr int N = 1 + 1;
__global__ void k(int v) { flag.store(v); }
__host__ void start(cudaStream_t s) { k<<<N, dim3(1, 2), 0, s>>>(N); }
int main() {
    cudaHostRegister(&flag, sizeof(flag));
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    start(s0);
    k<<<1, 1, 0, s1>>>(3);
    if (cudaStreamQuery(s0) == cudaErrorNotReady) k<<<1, 1>>>(4);
    cudaSetDevice(1);
    k<<<1, 1>>>(5);
    return (int)cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("name", ["atomics", "control", "host"])
def test_printed_form(name: str, golden) -> None:  # type: ignore[no-untyped-def]
    text = {"atomics": ATOMICS, "control": CONTROL, "host": HOST}[name]
    golden(f"program-{name}.txt", show_program(program_of(text, name)))


def test_threads_that_do_nothing_are_left_out() -> None:
    program = program_of(
        "__device__ int x; __global__ void k() { int r = 0; if (threadIdx.x == 7 && blockIdx.x == 1) x = 1; }"
        "//@ launch k<<<2, 256>>>();"
    )
    assert [t.name for t in program.threads] == ["main", "k[1][7]"]


def test_builtins_fold_in_three_dimensions() -> None:
    program = program_of(
        "__device__ int x; __global__ void k() { if (threadIdx.y == 1 && threadIdx.x == 2 && gridDim.z == 2) x = 1; }"
        "//@ launch k<<<dim3(1, 1, 2), dim3(3, 2)>>>();"
    )
    assert [t.name for t in program.threads] == ["main", "k[0][5]", "k[1][5]"]


def test_types() -> None:
    program = program_of(
        "__device__ unsigned long long int a; __device__ signed b; __device__ long long c; __device__ uint8_t d; int main() {}"
    )
    sizes = {name: (o.type.name, o.size, o.type.signed) for name, o in program.objects.items()}
    assert sizes["a"] == ("unsigned long long", 8, False)
    assert sizes["b"] == ("int", 4, True)
    assert sizes["c"] == (LONG_LONG.name, 8, True)
    assert sizes["d"] == ("unsigned char", 1, False)


KERNEL = "__device__ int x; __device__ cuda::atomic<int, cuda::thread_scope_device> a; __global__ void k() {{ {} }}\n//@ launch k<<<1, 1>>>();"


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("y = 1;", "SCP010", "`y` is not declared"),
        ("int r; int r;", "SCP016", "`r` is declared already in this block"),
        ("a.load(cuda::memory_order_release);", "SCP014", "a load cannot have the order release"),
        ("a.store(1, cuda::memory_order_acquire);", "SCP014", "a store cannot have the order acquire"),
        ("a.frobnicate();", "SCP013", "scopec does not model an atomic's `frobnicate`"),
        ("a.wait(0);", "SCP013", "`wait` of an atomic is outside the subset that this version models"),
        ("frobnicate();", "SCP013", "scopec does not model `frobnicate`"),
        ("cudaDeviceSynchronize();", "SCP015", "`cudaDeviceSynchronize` is a function of the host"),
        ("k<<<1, 1>>>();", "SCP012", "launches from device code are outside the modelled subset"),
        ("cuda::barrier<cuda::thread_scope_block> b;", "SCP012", "`cuda::barrier` is outside the modelled subset"),
        ("x = 1 / 0;", "SCP015", "division by zero"),
        ("const int c = 1; c = 2;", "SCP015", "a value cannot be assigned to"),
        ("x();", "SCP013", "scopec does not model `x`"),
        ("x.load();", "SCP015", "a variable has no member functions"),
        ("break;", "SCP005", "`break` outside a loop"),
        ("int p = &x;", "SCP015", "a number is wanted here, not a pointer"),
        ("int* p = 0;", "SCP015", "the address of an object of the pointer's type is wanted here"),
        ("cuda::atomic_ref<long, cuda::thread_scope_block> r(x);", "SCP015", "an atomic_ref<long> cannot refer to an object of type int"),
        ("cuda::atomic_ref<int, cuda::thread_scope_bloc> r(x);", "SCP010", "`cuda::thread_scope_bloc` is not a thread scope"),
        ("x[1] = 2;", "SCP015", "a variable has no elements"),
        ("float y;", "SCP012", "floating-point numbers are outside the modelled subset"),
        ("cudaEvent_t e;", "SCP015", "events belong to the host"),
        ("static int s;", "SCP012", "a local variable of this storage is outside the modelled subset"),
        ("int e = 0; a.compare_exchange_strong(e, 1, cuda::memory_order_relaxed, cuda::memory_order_release);", "SCP014", "a failed compare_exchange cannot have the order release"),
        ("a.compare_exchange_strong(x, 1);", "SCP012", "the expected value must be a local variable, passed by reference"),
        ("k();", "SCP026", "a kernel is launched, not called: k<<<…>>>(…)"),
        ("__syncthreads(1);", "SCP014", "0 arguments wanted here, 1 given"),
    ],
)  # fmt: skip
def test_outside_the_subset(body: str, code: str, message: str) -> None:
    found = problem_of(KERNEL.format(body))
    assert (found[0], found[3]) == (code, message)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "SCP001", "the file has neither a kernel nor a main"),
        ("__device__ int x;", "SCP001", "the file has neither a kernel nor a main"),
        ("__global__ void k() {}", "SCP025", "the kernel `k` is never launched"),
        ("__global__ void k() {}\n//@ launch k<<<0, 1>>>();", "SCP024", "a launch with an extent of 0"),
        ("__global__ void k() {}\n//@ launch q<<<1, 1>>>();", "SCP010", "`q` is not declared"),
        ("__global__ void k(int n) {}\n//@ launch k<<<1, 1>>>();", "SCP026", "`k` has 1 parameters, 0 arguments given"),
        ("__global__ void k() {}\nint main() {}\n//@ launch k<<<1, 1>>>();", "SCP020", "`//@ launch` is for files without a main"),
        ("__global__ void k() {}\n//@ launch k<<<100000, 100>>>();", "SCP030", "a launch of 10000000 threads"),
        ("__device__ int f() { return f(); } __global__ void k() { f(); }\n//@ launch k<<<1, 1>>>();", "SCP012", "`f` is recursive: recursion is outside the subset"),
        ("__global__ void k() {} int main() { while (true) k<<<1, 1>>>(); }", "SCP012", "a launch inside a loop is outside the modelled subset"),
        ("__global__ void k() {} int main() { cudaStream_t s; k<<<1, 1, 0, s>>>(); }", "SCP018", "stream `s` is used before it is created"),
        ("__global__ int k() {}\n//@ launch k<<<1, 1>>>();", "SCP015", "a kernel returns void"),
        ("int x; int x; int main() {}", "SCP016", "`x` is declared already, at line 1"),
        ("__device__ int x; int main() { cudaHostRegister(&x, 4); }", "SCP015", "cudaHostRegister takes host memory, `x` is device memory"),
        ("int x; int main() { cudaHostRegister(&x, 2); }", "SCP012", "2 of the 4 bytes of `x` are registered"),
        ("__global__ void __cluster_dims__(2) k() {}\n//@ launch k<<<3, 1>>>();", "SCP026", "a grid of 3x1x1 blocks cannot be divided into clusters of 2x1x1"),
        ("alignas(8) int x; int main() {}", "SCP012", "an alignment specifier is outside the modelled subset"),
        ("template <int N> __device__ int f() { return N; } int main() {}", "SCP012", "the template `f` is outside the modelled subset"),
        ("__constant__ int x; int main() {}", "SCP012", "`__constant__` at file scope is outside the modelled subset"),
        ("int main() { cudaMalloc(0, 4); }", "SCP013", "scopec does not model `cudaMalloc`"),
        ("int main() { cudaDeviceSynchronise(); }", "SCP013", "scopec does not model `cudaDeviceSynchronise`"),
        ("int main() { int x = threadIdx.x; }", "SCP015", "`threadIdx` has a meaning in kernels only"),
        ("int main() { int r; if (cudaStreamQuery(0)) cudaSetDevice(1); }", "SCP012", "cudaSetDevice under a condition or in a loop is outside the modelled subset"),
    ],
)  # fmt: skip
def test_programs_that_cannot_be(text: str, code: str, message: str) -> None:
    found = problem_of(text)
    assert (found[0], found[3]) == (code, message)


def test_a_cluster_is_never_taken_for_separate_blocks() -> None:
    """Blocks of one cluster are owed progress together: a lowering that drops it answers another question."""
    program = program_of(
        "__device__ int x; __global__ void __cluster_dims__(2, 1, 1) k() { x = 1; }\n//@ launch k<<<4, 1>>>();"
    )
    assert program.grids["k"].cluster == Dim(2)
    assert [t.cluster for t in program.threads if t.grid] == ["k.c0", "k.c0", "k.c1", "k.c1"]
