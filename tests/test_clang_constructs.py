"""C++ by way of clang: constructs of the language, each by what a program of it does."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from tests.test_clang_reader import BY_CLANG

#: Programs of constructs that are easily read wrong, with all that C++ says of them.
CONSTRUCTS = {
    "temporaries, members, elements and parameters are destroyed": """
__device__ int plain, members, elements, parameters, copies;
struct T {
    int v, *log;
    __device__ T(int v, int* log) : v(v), log(log) { *log = *log * 10 + v; }
    __device__ ~T() { *log = *log * 10 + v + 4; }
    __device__ T(const T& o) : v(o.v + 1), log(o.log) { copies += 1; }
    __device__ T(T&& o) : v(o.v + 2), log(o.log) { o.v = 0; copies += 10; }
};
struct M { T a, b; __device__ M(int* log) : a(1, log), b(2, log) {} };
__device__ int value(T t) { return t.v; }
__device__ T make(int* log) { return T(3, log); }
__global__ void k() {
    int log = 0;
    T(1, &log); log = log * 10 + 9;
    plain = log; log = 0;
    { M m(&log); }
    members = log; log = 0;
    { T e[2] = {{1, &log}, {2, &log}}; }
    elements = log; log = 0;
    { T t(1, &log); log += 80 * value(t); log += value(make(&log)); T moved = static_cast<T&&>(t); }
    parameters = log;
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect required plain == 159 && members == 1265 && elements == 1265;
//@ expect required copies == 11 && parameters == 16166774;
""",
    "literals have their types": """
#include <type_traits>
int g[15], n, q;
long big;
int main() {
    g[0] = -1 < 0xFFFFFFFF; g[1] = sizeof 2147483648; g[2] = sizeof 'a'; g[3] = -1 < 4294967295;
    g[4] = 0b1011; g[5] = 1'000'000; g[6] = sizeof 1u; g[7] = sizeof 1l; g[8] = sizeof 1ll; g[9] = -1 > 0u;
    g[10] = std::is_same_v<decltype(0xFFFFFFFF), unsigned>; g[11] = std::is_same_v<decltype(4294967295), long>;
    g[12] = 017; g[13] = -1 > 0ul; g[14] = std::is_same_v<decltype(1ull), unsigned long long>;
    big = 2147483648;
#if -1 > 0u
    n = 1;
#endif
#if 'a' == 97 && 0b11 == 3 && 1'0 == 10
    q = 5;
#endif
}
//@ expect required g[0] == 0 && g[1] == 8 && g[2] == 1 && g[3] == 1 && g[4] == 11 && g[5] == 1000000;
//@ expect required g[6] == 4 && g[7] == 8 && g[8] == 8 && g[9] == 1 && g[10] == 1 && g[11] == 1 && g[12] == 15;
//@ expect required g[13] == 1 && g[14] == 1 && big == 2147483648 && n == 1 && q == 5;
""",
    "names, default arguments and static variables of instances": """
#include <thread>
int x = 1;
namespace a { int x = 2; int f() { int x = 4; { int x = 8; (void)x; } return ::x + 10 * a::x + 100 * x; } }
int later(int p = ::x + a::x, int q = 7) { return 10 * p + q; }
template <class T> int next() { static int calls = 0; return ++calls; }
int fa, d0, d1, d2, s1, s2, r, q;
int main() {
    fa = a::f(); d0 = later(); x = 5; d1 = later(); d2 = later(1);
    next<int>(); next<int>(); s1 = next<int>(); s2 = next<long>();
    { int x = 1; std::thread t([&] { x += 1; }); t.join(); r = x; }
    { long x = 1L << 40; std::thread t([&] { x += 1; }); t.join(); q = x >> 40; }
}
//@ expect required fa == 421 && d0 == 37 && d1 == 77 && d2 == 17 && s1 == 3 && s2 == 1 && r == 2 && q == 1;
""",
    "what threads of the host capture": """
#include <thread>
int out[3], seen;
struct S {
    int v = 0, w = 0;
    void go() { std::thread t([this] { v = 7; }); w = 3; t.join(); seen = v + w; }
};
S s;
int main() {
    int local = 1, *p = &local, &r = local;
    std::thread a([&] { local = 2; }); a.join();
    std::thread b([p] { *p += 3; }); b.join();
    std::thread c([&r] { r *= 10; }); c.join();
    s.go();
    for (int i = 0; i < 3; i++) { std::thread t([i] { out[i] = i + 10; }); t.join(); }
    out[0] += local;
}
//@ expect required out[0] == 60 && out[1] == 11 && out[2] == 12 && seen == 10;
//@ expect race_free;
""",
    "races on what threads of the host capture": """
#include <thread>
struct S { int v = 0; void go() { std::thread t([this] { v = 7; }); v = 3; t.join(); } };
int main() {
    S s;
    s.go();
    int l = 0, *p = &l;
    std::thread t([p] { *p = 1; });
    l = 2;
    t.join();
}
//@ expect race on s;
//@ expect race on l;
""",
    "unions and bit-fields of one thread": """
union Word { unsigned word; unsigned char bytes[4]; };
union Same { int i; unsigned u; };
struct Bits { unsigned a : 3, b : 5, c : 8; int d : 4; unsigned e : 12; };
__device__ int r[10];
__global__ void k() {
    Word w; w.word = 0x04030201; r[0] = w.bytes[1]; w.bytes[3] = 9; r[1] = w.word == 0x09030201;
    Same s; s.u = 0xFFFFFFFB; r[2] = s.i;
    Bits l{}; l.a = 9; l.b = 31; l.c = 0x1ff; l.d = 9; l.e = 0xabc;
    r[3] = l.a; r[4] = l.b; r[5] = l.c; r[6] = l.d; r[7] = l.e;
    l.b = 2; r[8] = l.a * 100 + l.b; r[9] = sizeof l;
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect required r[0] == 2 && r[1] == 1 && r[2] == -5 && r[3] == 1 && r[4] == 31 && r[5] == 255 && r[6] == -7;
//@ expect required r[7] == 2748 && r[8] == 102 && r[9] == 4;
""",
    "bytes of constant tables": """
int r;
constexpr unsigned char bytes[4] = {1, 2, 3, 4};
const int words[2] = {0x01020304, 5};
int main() {
    r = *reinterpret_cast<const int*>(&bytes[0]) == 0x04030201;
    r += 10 * reinterpret_cast<const unsigned char*>(words)[1];
}
//@ expect required r == 31;
""",
    "launches without brackets": """
#include <cooperative_groups.h>
__device__ int r[6], none;
__global__ void k(int* p, int n) { p[threadIdx.x] = n + threadIdx.x; }
__global__ void empty() { none = 3; }
__global__ void together(int n) { cooperative_groups::this_grid().sync(); r[3 + blockIdx.x] = n; }
int main() {
    int *p, n = 5;
    cudaGetSymbolAddress((void**)&p, r);
    void* arguments[] = {&p, &n};
    cudaLaunchKernel((void*)k, dim3(1), dim3(2), arguments, 0, 0);
    void* nothing[] = {nullptr};
    cudaLaunchKernel((const void*)empty, dim3(1), dim3(1), nothing, 0, nullptr);
    n = 8;
    void* other[] = {&n};
    cudaLaunchCooperativeKernel((void*)together, dim3(2), dim3(1), other);
    n = 9;
    cudaDeviceSynchronize();
}
//@ expect required r[0] == 5 && r[1] == 6 && r[3] == 8 && r[4] == 8 && none == 3;
""",
    "parameters of kernels": """
struct Params { int n; int* out; struct { int lo, hi; } range; };
template <class T> struct Box {
    T v;
    __host__ __device__ Box(T v) : v(v) {}
    __device__ T get() const { return v; }
};
template <int N, class T> __global__ void fill(Params p, T t, bool first, char c, int2 pair, float) {
    for (int i = p.range.lo; i < p.range.hi; i++) p.out[i] = N * i + t.get();
    if (first) p.out[0] = p.n + c + pair.y;
}
__device__ int r[4];
int main() {
    Params p;
    cudaGetSymbolAddress((void**)&p.out, r);
    p.n = 3;
    p.range = {1, 4};
    fill<10><<<1, 1>>>(p, Box<int>(2), true, 'a', make_int2(1, 200), 1.5f);
    p.n = 0;
    cudaDeviceSynchronize();
}
//@ expect required r[0] == 300 && r[1] == 12 && r[2] == 22 && r[3] == 32;
""",
    "accesses that cover several elements": """
#include <utility>
__device__ unsigned g[4];
__device__ unsigned char c[8];
__device__ int r[10], buffer[8];
__device__ float f[2];
__device__ int4 v;
std::pair<int, int> p{1, 2};
int both;
__global__ void k(int i) {
    *reinterpret_cast<unsigned long*>(&g[2]) = 0x0000000500000006ul; r[0] = g[2]; r[1] = g[3];
    r[2] = *reinterpret_cast<int*>(g + 3); r[3] = reinterpret_cast<unsigned long*>(g)[i] == 0x0000000500000006ul;
    reinterpret_cast<int*>(c)[1] = 0x04030281; r[4] = c[4]; r[5] = reinterpret_cast<short*>(c)[i + 1];
    *reinterpret_cast<long*>(f) = *reinterpret_cast<long*>(g);
    __shared__ int4 s[2];
    s[1] = make_int4(1, 2, 3, 4); int4 l = s[1]; l.y += 10; v = l;
    int2 t = {l.x, l.w};
    r[6] = t.x; r[7] = t.y; r[8] = v.y; r[9] = sizeof(int4) + alignof(int4);
    reinterpret_cast<int4*>(buffer)[1] = make_int4(5, 6, 7, 8);
}
int main() { both = p.first * 10 + p.second; k<<<1, 1>>>(1); cudaDeviceSynchronize(); }
//@ expect required r[0] == 6 && r[1] == 5 && r[2] == 5 && r[3] == 1 && r[4] == 129 && r[5] == 641;
//@ expect required r[6] == 1 && r[7] == 4 && r[8] == 12 && r[9] == 32 && v.y == 12 && v.z == 3;
//@ expect required buffer[3] == 0 && buffer[4] == 5 && buffer[7] == 8 && both == 12;
""",
    "characters, which have no sign": """
#include <cuda/atomic>
__device__ cuda::atomic<char32_t, cuda::thread_scope_device> wide{0xffffffffu};
__device__ cuda::atomic<char16_t, cuda::thread_scope_device> half{7};
__device__ char8_t narrow;
__device__ int larger;
__global__ void k() {
    wide.fetch_max(1);
    half.fetch_add(60000);
    cuda::atomic_ref<char8_t>(narrow).store(0xfe);
    larger = half.load() > 60000;
}
//@ launch k<<<1, 1>>>();
//@ expect required wide == 0xffffffff && half == 60007 && narrow == 0xfe && larger == 1;
""",
    "shared memory of the launch": """
__device__ int r[5];
extern __shared__ char bytes[];
template <class T> __device__ T* memory() { extern __shared__ T mine[]; return mine; }
__global__ void k() {
    int* s = reinterpret_cast<int*>(bytes);
    s[threadIdx.x] = 100000 + threadIdx.x;
    __syncthreads();
    r[threadIdx.x] = s[1 - threadIdx.x];
}
__global__ void sum(int n) {
    memory<int>()[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    if (threadIdx.x == 0) for (int i = 0; i < n; i++) r[2] += memory<int>()[i];
}
int main() {
    k<<<1, 2, 8>>>();
    cudaDeviceSynchronize();
    sum<<<1, 3, 3 * sizeof(int)>>>(3);
    cudaDeviceSynchronize();
}
//@ expect required r[0] == 100001 && r[1] == 100000 && r[2] == 6;
""",
    "pointers to functions and tables of pointers": """
typedef int (*F)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ F table[2] = {twice, thrice};
__constant__ F fixed[2] = {thrice, twice};
__device__ int a = 5, b = 6, r[8];
__device__ int* const pointers[2] = {&b, &a};
__constant__ int* others[2] = {&a, &b};
struct Node { int v[3]; Node* next; };
__device__ Node n0, n1;
__device__ int apply(F f, int x) { return f(x); }
__global__ void k(int i) {
    F f = i ? twice : thrice;
    r[0] = f(5); r[1] = table[i](7); r[2] = fixed[i](7); r[3] = *pointers[i]; r[4] = *others[i];
    n0.next = &n1; n0.next->v[2] = 4; r[5] = n1.v[i + 1];
    r[6] = apply([](int q) { return q + 1; }, 1); r[7] = apply(thrice, 4);
}
int main() { k<<<1, 1>>>(1); cudaDeviceSynchronize(); }
//@ expect required r[0] == 10 && r[1] == 21 && r[2] == 14 && r[3] == 5 && r[4] == 6 && r[5] == 4 && r[6] == 2;
//@ expect required r[7] == 12;
""",
    "streams that a loop creates differ": """
__device__ int x;
__global__ void w() { x = 1; }
int main() {
    cudaStream_t s[2];
    for (int i = 0; i < 2; i++) cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    for (int i = 0; i < 2; i++) w<<<1, 1, 0, s[i]>>>();
    cudaDeviceSynchronize();
}
//@ expect race on x;
""",
    "a launch before a loop of the host is one": """
__device__ int x;
int y;
__global__ void k(int v) { int a = v; x = a; }
int main() {
    k<<<1, 1>>>(1);
    cudaDeviceSynchronize();
    for (int i = 0; i < 20; i++) { if (y == 7) break; y = i; }
    k<<<1, 1>>>(2);
    cudaDeviceSynchronize();
}
//@ expect required k[0][0].a == 1 && x == 2;
//@ bound unroll = 25;
""",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_constructs_are_those_of_cpp(write: Callable[..., Path], construct: str) -> None:
    (outcome,) = check([write(CONSTRUCTS[construct])], Settings(overrides=BY_CLANG, engine="embedded"))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict, c.reason) for c in report.checks if c.verdict != "holds"] == []
    assert report.checks
