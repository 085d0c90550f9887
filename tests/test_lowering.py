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
    u.fetch_add(250);
    *p = old; p[0] += 2;
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_block);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    __threadfence_block(); __threadfence(); __threadfence_system();
    cuda::atomic_thread_fence(cuda::memory_order_relaxed, cuda::thread_scope_block);
}
//@ launch k<<<1, 1>>>(x, &f, 2);
"""

STATEMENTS = """
#include <cassert>
namespace cg = cooperative_groups;
__device__ int x, a[3] = {1, 2};
__global__ void k(int v) {
    __shared__ int s[2];
    volatile int w = 1;
    int i, sum = 0, own[2] = {1};
    for (i = 0; i < 3; i++) { if (i == 1) continue; if (sum > 5) break; sum += a[i]; }
    do { sum--; } while (sum > 0 && x != 3);
    int y = threadIdx.x == 0 ? x : sum;
    if (x == 1 || y == 2) x = 1; else if (w) x = 2;
    s[threadIdx.x] = own[0] + sum + blockDim.x;
    if (v > 100) return;
    v *= 2;
    __syncthreads(); __syncwarp(3); cg::tiled_partition<4>(cg::this_thread_block()).sync();
    assert(s[0] == 1);
    while (true) {}
}
//@ launch k<<<1, 2>>>(4);
"""

CONTROL = """
#include <cassert>
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
int main() {
    cudaHostRegister(&flag, sizeof(flag));
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0);
    cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking);
    k<<<N, 2, 0, s0>>>(N);
    k<<<1, 1, 0, s1>>>(3);
    if (cudaStreamQuery(s0) == cudaErrorNotReady) k<<<1, 1>>>(4);
    cudaStreamSynchronize(s0);
    return (int)cudaDeviceSynchronize();
}
"""


CLASSES = """
enum Color { red, green = 4 };
enum class State : unsigned char { idle, busy };
template <typename T, int N = 2> struct Ring {
    static constexpr int size = N;
    using item = T;
    T items[N] = {7};
    cuda::atomic<unsigned, cuda::thread_scope_block> head{0}, tail;
    __device__ constexpr Ring() : tail(N) {}
    __device__ void put(const T& v) { items[tail.load(cuda::memory_order_relaxed) % N] = v; ++count; }
    __device__ T& at(unsigned i) { return items[i]; }
    int count = green;
};
struct Pair { int a = 1; struct Inner { int c, d; } b; };
__device__ Ring<int> rings[2];
__device__ Ring<Ring<int>::item, 1> one;
__device__ Pair pairs[2] = {{2, {3, 4}}, {.b = {5}}};
__device__ State state = State::busy;
template <typename T> __device__ T largest(T a, T b) { return a > b ? a : b; }
__device__ int over(int a) { return a; }
__device__ int over(unsigned a) { return a + 1; }
__global__ void k(Pair pair, Ring<int>& ring) {
    ring.put(pair.b.c);
    Pair mine = pair, other{8};
    mine.b.d += other.a;
    pairs[threadIdx.x] = mine;
    rings[1].at(1) = largest(pairs[1].a, mine.b.d) + Ring<int>::size + over(2u);
    switch (pair.a) {
        case 1: mine.a = 2; break;
        case red + 2: mine.a = 3;
        default: mine.a += largest<int>(1, 2);
    }
    if (state == State::busy) one.count = mine.a;
}
//@ launch k<<<1, 2>>>(Pair{9, {10, 11}}, rings[1]);
"""

POINTERS = """
struct Node { int value; Node* next; };
__device__ Node pool[2], last;
__device__ Node* volatile first = &pool[0];
__device__ cuda::atomic<Node*, cuda::thread_scope_device> head{nullptr};
__device__ int a[4];
__device__ int sum(const int* p, int n) { int s = 0; for (const int* e = p + n; p != e; ++p) s += *p; return s; }
__global__ void k(Node* n, int* p) {
    n->next = head.load(cuda::memory_order_relaxed);
    while (!head.compare_exchange_weak(n->next, n));
    Node* m = first;
    if (m != nullptr && m->next == &last) m->value = sum(p, 2);
    p[2] = *(p + 1);
}
//@ launch k<<<1, 1>>>(&pool[1], a + 1);
"""

THREADS = """
#include <atomic>
#include <functional>
#include <thread>
#include <vector>
std::atomic<int> flag{0};
void work(int n, int& out, const int* p) { flag.wait(0); out = n + *p; }
int main() {
    int x = 1, y = 0, n = flag.load();
    std::thread t(work, n, std::ref(y), &x);
    std::thread u([&x, n] { x = n + 2; });
    {
        std::jthread j([&](std::stop_token st) { while (!st.stop_requested()); x++; });
    }
    std::vector<std::thread> ts;
    for (int i = 0; i < 2; i++) ts.emplace_back([&, i] { flag.fetch_add(i); });
    for (auto& one : ts) one.join();
    u.join(); t.join();
}
"""

MEMORY = """
__device__ int symbol[2];
__global__ void k(const int* in, int* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x]; }
int main() {
    int h[2] = {1, 2}, r, *in, *out;
    cudaStream_t s;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    size_t bytes = 2 * sizeof(int);
    cudaMalloc(&in, bytes);
    cudaMallocManaged((void**)&out, sizeof(h));
    cudaMemcpy(in, h, bytes, cudaMemcpyHostToDevice);
    cudaMemsetAsync(out, 0xff, bytes, s);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(0, e);
    for (int i = 1; i <= 2; ++i) k<<<1, 2>>>(in, out, i);
    cudaMemcpyFromSymbol(&r, symbol, sizeof(int));
    cudaStreamSynchronize(s);
    cudaFree(in);
    return out[1];
}
"""

SYNCHRONISATION = """
namespace cg = cooperative_groups;
__device__ cuda::barrier<cuda::thread_scope_device> bar(2);
__device__ cuda::std::latch done(3);
__device__ cuda::binary_semaphore<cuda::thread_scope_block> s(1);
__global__ void __cluster_dims__(2, 1, 1) k() {
    __shared__ cuda::barrier<cuda::thread_scope_block> local[2];
    if (threadIdx.x == 0) init(&local[1], blockDim.x);
    __syncthreads();
    auto token = bar.arrive();
    bar.wait(std::move(token));
    local[1].arrive_and_drop();
    done.count_down(2); done.arrive_and_wait();
    if (s.try_acquire()) s.release(); else s.acquire();
    cg::this_grid().sync(); cg::this_cluster().sync(); __syncwarp(3);
    cg::tiled_partition<4>(cg::this_thread_block()).sync();
    int n = __syncthreads_count(threadIdx.x == cg::this_cluster().block_rank());
}
int main() {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(2); config.blockDim = 2;
    cudaLaunchAttribute a[2];
    a[0].id = cudaLaunchAttributeMemSyncDomain; a[0].val.memSyncDomain = cudaLaunchMemSyncDomainRemote;
    config.attrs = a; config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k);
    cudaLaunchCooperativeKernel((void*)k, 2, 1, nullptr);
}
"""

FORMS = {
    "atomics": ATOMICS, "statements": STATEMENTS, "control": CONTROL, "host": HOST, "classes": CLASSES, "pointers": POINTERS,
    "threads": THREADS, "memory": MEMORY, "synchronisation": SYNCHRONISATION,
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FORMS)
def test_printed_form(name: str, golden) -> None:  # type: ignore[no-untyped-def]
    reader = "scoped" if name in ("atomics", "statements", "host") else "clang"
    golden(f"program-{name}.txt", show_program(program_of(FORMS[name], name, reader)))


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


@pytest.mark.parametrize("reader", ["scoped", "clang"])
def test_types(reader: str) -> None:
    program = program_of(
        "__device__ unsigned long long int a; __device__ signed b; __device__ long long c; __device__ uint8_t d; "
        "__device__ signed int e; __device__ int signed long f; int main() {}",
        reader=reader,
    )
    sizes = {name: (o.type.name, o.size, o.type.signed) for name, o in program.objects.items()}
    assert sizes["a"] == ("unsigned long long", 8, False)
    assert sizes["b"] == ("int", 4, True)
    assert sizes["c"] == (LONG_LONG.name, 8, True)
    assert sizes["d"] == ("unsigned char", 1, False)
    assert sizes["e"] == ("int", 4, True)
    assert sizes["f"] == ("long", 8, True)


KERNEL = "__device__ int x; __device__ cuda::atomic<int, cuda::thread_scope_device> a; __global__ void k() {{ {} }}\n//@ launch k<<<1, 1>>>();"


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ("y = 1;", "SCP010", "`y` is not declared"),
        ("int r; int r;", "SCP016", "`r` is declared already in this block"),
        ("a.load(cuda::memory_order_release);", "SCP014", "a load cannot have the order release"),
        ("a.store(1, cuda::memory_order_acquire);", "SCP014", "a store cannot have the order acquire"),
        ("a.frobnicate();", "SCP012", "an atomic's `frobnicate` is outside the scoped language"),
        ("frobnicate();", "SCP013", "the scoped language has no function `frobnicate`"),
        ("cudaDeviceSynchronize();", "SCP015", "`cudaDeviceSynchronize` is a function of the host"),
        ("k<<<1, 1>>>();", "SCP012", "a launch from device code is outside the scoped language"),
        ("const int c = 1; c = 2;", "SCP015", "a value cannot be assigned to"),
        ("const int c = x; c = 2;", "SCP015", "a const variable cannot be assigned to"),
        ("x();", "SCP015", "a variable cannot be called"),
        ("x.load();", "SCP015", "a variable has no member functions"),
        ("break;", "SCP005", "`break` outside a loop"),
        ("int p = &x;", "SCP015", "a number is wanted here, not a pointer"),
        ("cuda::atomic_ref<long, cuda::thread_scope_block> r(x);", "SCP015", "an atomic_ref<long, block> cannot refer to an object of type int"),
        ("cuda::atomic_ref<int, cuda::thread_scope_bloc> r(x);", "SCP010", "`cuda::thread_scope_bloc` is not declared"),
        ("cuda::atomic_ref<int, int> r(x);", "SCP015", "a thread scope is wanted here"),
        ("cuda::atomic<bool> b; b.fetch_or(1);", "SCP015", "an atomic<bool> has no fetch_or"),
        ("x[1] = 2;", "SCP015", "a variable has no elements"),
        ("int s[2]; s = 1;", "SCP015", "an array cannot be assigned to"),
        ("*x = 1;", "SCP015", "`*` wants a pointer, not a variable"),
        ("x = threadIdx.w;", "SCP015", "a vector of indices has no member `w`"),
        ("x = a.load;", "SCP015", "`load` is a member function: call it"),
        ("cudaStream_t e;", "SCP015", "streams belong to the host"),
        ("__managed__ int s;", "SCP012", "a local variable of this storage is outside the scoped language"),
        ("__shared__ int s = 1;", "SCP015", "a shared variable cannot have an initial value"),
        ("constexpr int c = x;", "SCP017", "`c` is constexpr: its value must be a constant"),
        ("int s[2] = {1, 2, 3};", "SCP014", "3 initial values for 2 elements"),
        ("int s[0];", "SCP030", "an array of 0 elements"),
        ("int e = 0; a.compare_exchange_strong(e, 1, cuda::memory_order_relaxed, cuda::memory_order_release);", "SCP014", "a failed compare_exchange cannot have the order release"),
        ("a.compare_exchange_strong(1, 1);", "SCP015", "the expected value is passed by reference: a local variable of type int is wanted"),
        ("long e; a.compare_exchange_strong(e, 1);", "SCP015", "the expected value is passed by reference: a local variable of type int is wanted"),
        ("k();", "SCP015", "a kernel cannot be called"),
        ("x = cuda::thread_scope_block;", "SCP015", "a number is wanted here, not an enumerator"),
        ("a.store(1, 2);", "SCP015", "a memory order is wanted here"),
        ("cooperative_groups::tiled_partition<3>(cooperative_groups::this_thread_block()).sync();", "SCP014", "there are no tiles of 3 threads"),
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
        ("__device__ int f() { return f(); } __global__ void k() { f(); }\n//@ launch k<<<1, 1>>>();", "SCP012", "a function that is no kernel is outside the scoped language"),
        ("__global__ void k() {} int main() { while (true) k<<<1, 1>>>(); }", "SCP012", "a launch in a loop is outside the scoped language"),
        ("__global__ void k() {} int main() { cudaStream_t s; k<<<1, 1, 0, s>>>(); }", "SCP018", "stream `s` is used before it is created"),
        ("__global__ void k() {} int main() { cudaStream_t s; cudaStreamCreate(&s); cudaStreamCreate(&s); }", "SCP012", "a stream variable that is created twice (`s`) is outside the scoped language"),
        ("int x; int main() { cudaStream_t s; while (x) cudaStreamCreate(&s); }", "SCP012", "a stream that is created under a condition or in a loop is outside the scoped language"),
        ("int x; int main() { cudaStreamCreate(&x); }", "SCP015", "the address of a cudaStream_t is wanted here"),
        ("int x; int main() { cudaStreamQuery(x); }", "SCP015", "a stream is wanted here, not a variable"),
        ("int main() { cudaStreamCreateWithFlag(0); }", "SCP013", "the scoped language has no function `cudaStreamCreateWithFlag`"),
        ("__global__ void k(int n) {} int x; int main() { k<<<1, 1>>>(x); }", "SCP017", "what a launch passes must be a constant"),
        ("__global__ void k(long* p) {} int x; int main() { k<<<1, 1>>>(&x); }", "SCP015", "an object of type long is wanted here, not int"),
        ("__global__ void k(int* p) {} int x; int main() { k<<<1, 1>>>(x); }", "SCP015", "the address of an object is wanted here, not a variable"),
        ("__global__ void k(int* p) { p[1] = 1; } int x; int main() { k<<<1, 1>>>(&x); }", "SCP012", "an index of a pointer that is not to a whole array is outside the scoped language"),
        ("__global__ void k(int n, int n) {} int main() { k<<<1, 1>>>(1, 2); }", "SCP016", "two parameters are called `n`"),
        ("__global__ void k() {} int main() { k<<<1>>>(); }", "SCP026", "a launch is configured by grid, block, shared memory and stream"),
        ("int main() {} int main() {}", "SCP012", "a second `main`, or one with parameters, is outside the scoped language"),
        ("constexpr cuda::memory_order O = cuda::thread_scope_block; int main() {}", "SCP017", "the value of `O` must be a constant of its type"),
        ("int x = 1; int y = x; int main() {}", "SCP017", "this initial value must be a constant"),
        ("namespace n = boost; int main() {}", "SCP010", "there is no namespace `boost`"),
        ("int x; int x; int main() {}", "SCP016", "`x` is declared already, at line 1"),
        ("__device__ int x; int main() { cudaHostRegister(&x, 4); }", "SCP015", "cudaHostRegister takes host memory, `x` is device memory"),
        ("int x; int main() { cudaHostRegister(&x, 2); }", "SCP012", "to register 2 of the 4 bytes of `x` is outside the scoped language"),
        ("int x; int main() { cudaHostRegister(x, 4); }", "SCP015", "the address of a whole object is wanted here"),
        ("int a[2]; int main() { cudaHostRegister(&a[1], 8); }", "SCP015", "the address of a whole object is wanted here"),
        ("int main() { int x = threadIdx.x; }", "SCP015", "`threadIdx` has a meaning in kernels only"),
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


def test_attributes_mean_nothing() -> None:
    plain = "__device__ int a[2]; __device__ int f(int x) { return a[a[x]]; } __global__ void k() { int r = f(1); if (r == 1) r = 2; }"
    text = plain.replace("__device__ int f(int", "[[nodiscard]] __device__ int f([[maybe_unused]] int").replace(
        "r == 1)", "r == 1) [[likely]]"
    )
    launch = "\n//@ launch k<<<1, 1>>>();"
    assert show_program(program_of(text + launch)) == show_program(program_of(plain + launch))
