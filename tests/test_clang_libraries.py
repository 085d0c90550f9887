"""Libraries beside CUDA's and C++'s own concurrency: headers, builtin functions of compilers, host calls that order nothing."""

from pathlib import Path

import pytest

from scopec.session.check import Settings, check


def verdicts(text: str, folder: Path) -> list[str]:
    """What is said of a program: its errors, else its checks that do not hold."""
    path = folder / "p.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded"))
    errors = [f"{d.code.id} {d.message}" for d in outcome.diagnostics if d.severity == "error"]
    return errors or [
        f"{c.expectation.text}: {c.verdict}"
        for report in outcome.reports
        for c in report.checks
        if c.verdict != "holds"
    ]


def host(body: str, *expectations: str, before: str = "") -> str:
    """A program whose main has a body."""
    return f"{before}\nint main() {{ {body} }}\n" + "".join(f"//@ expect {e};\n" for e in expectations)


# ---------------------------------------------------------------- builtin functions of compilers


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("operation", "result", "after"),
    [
        ("__sync_fetch_and_add(&n, 3)", 5, 8),
        ("__sync_add_and_fetch(&n, 3)", 8, 8),
        ("__sync_sub_and_fetch(&n, 3)", 2, 2),
        ("__sync_fetch_and_or(&n, 2)", 5, 7),
        ("__sync_and_and_fetch(&n, 6)", 4, 4),
        ("__sync_fetch_and_xor(&n, 1)", 5, 4),
        ("__sync_val_compare_and_swap(&n, 5, 9)", 5, 9),
        ("__sync_val_compare_and_swap(&n, 6, 9)", 5, 5),
        ("__sync_bool_compare_and_swap(&n, 5, 9)", 1, 9),
        ("__sync_lock_test_and_set(&n, 1)", 5, 1),
        ("__atomic_load_n(&n, __ATOMIC_SEQ_CST)", 5, 5),
        ("__atomic_exchange_n(&n, 4, __ATOMIC_ACQ_REL)", 5, 4),
        ("__atomic_fetch_max(&n, 7, __ATOMIC_RELAXED)", 5, 7),
        ("__atomic_fetch_min((unsigned*)&n, -1, __ATOMIC_RELAXED)", 5, 5),
        ("__atomic_compare_exchange_n(&n, &e, 9, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)", 0, 5),
        ("(__atomic_store_n(&n, 6, __ATOMIC_RELEASE), __sync_synchronize(), e)", 1, 6),
        ("(__sync_lock_release(&n), __atomic_signal_fence(__ATOMIC_SEQ_CST), e)", 1, 0),
    ],
)
def test_builtin_functions_compute(operation: str, result: int, after: int, tmp_path: Path) -> None:
    body = f"int e = 1; int r = {operation};"
    text = host(body, f"required main.r == {result} && n == {after}", before="int n = 5;")
    assert verdicts(text, tmp_path) == []


@pytest.mark.parametrize(("order", "found"), [("__ATOMIC_RELEASE", []), ("__ATOMIC_RELAXED", ["race_free: violated"])])
def test_builtin_functions_have_their_order(order: str, found: list[str], tmp_path: Path) -> None:
    text = f"""#include <thread>
int ready, data;
int main() {{
    std::thread t([] {{ data = 1; __atomic_store_n(&ready, 1, {order}); }});
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) data = 2;
    t.join();
}}
//@ expect race_free;
"""
    assert verdicts(text, tmp_path) == found


def test_builtin_functions_without_a_meaning_are_named(tmp_path: Path) -> None:
    assert verdicts(host("__sync_fetch_and_nand(&n, 3);", before="int n;"), tmp_path) == [
        "SCP012 the instruction `atomicrmw nand` is outside the modelled subset"
    ]


def test_functions_of_cudas_compiler(tmp_path: Path) -> None:
    text = """
__device__ int x, y;
__global__ void k() {
    if (blockIdx.x == 0) {
        x = 1;
        __nv_atomic_store_n(&y, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    } else if (__nv_atomic_load_n(&y, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)) {
        int e = 1;
        bool done = __nv_atomic_compare_exchange_n(&y, &e, 4, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
        x += done + __nv_atomic_fetch_max(&y, 7, __NV_ATOMIC_RELAXED);
    }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed x == 6 && y == 7;
//@ expect required x == 6 || x == 1;
"""
    assert verdicts(text, tmp_path) == []


# ---------------------------------------------------------------- headers


def test_numbers_of_16_bits_are_accesses_without_values(tmp_path: Path) -> None:
    text = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
__device__ half a[2];
__device__ __nv_bfloat162 pair;
__global__ void k(half scale) {
    a[WHERE] = __hadd(scale, __float2half(1.5f));
    if (threadIdx.x == 0) pair = __floats2bfloat162_rn(1, 2);
}
//@ launch k<<<1, 2>>>(2);
"""
    assert verdicts(text.replace("WHERE", "threadIdx.x") + "//@ expect race_free;\n", tmp_path) == []
    assert verdicts(text.replace("WHERE", "0") + "//@ expect race on a[0];\n", tmp_path) == []


def test_small_functions_of_the_library(tmp_path: Path) -> None:
    before = "#include <algorithm>\n#include <iterator>\n#include <numeric>\n#include <tuple>\n#include <vector>\n"
    body = """int n[3]; std::iota(std::begin(n), std::end(n), 1);
    std::vector<int> v = {4, 5}; std::fill_n(n, 1, 7);
    auto t = std::make_tuple(1, 2L);
    int r = std::accumulate(n, n + std::size(n), 0) + v[1] + std::get<1>(t) + int(std::distance(n, n + 2));"""
    assert verdicts(host(body, "required main.r == 21", before=before), tmp_path) == []


def test_newer_parts_of_the_library(tmp_path: Path) -> None:
    text = """#include <bit>
#include <concepts>
#include <optional>
#include <cuda/std/span>
#include <nv/target>
template <std::integral T> __host__ __device__ T times(T v) {
    NV_IF_TARGET(NV_IS_DEVICE, (return 2 * v;))
    NV_IF_ELSE_TARGET(NV_IS_HOST, (return 3 * v;), (return 0;))
}
__device__ int a[2];
__device__ std::optional<int> find(cuda::std::span<int> items, int wanted) {
    for (int i = 0; i < items.size(); ++i)
        if (items[i] == wanted) return i;
    return std::nullopt;
}
__global__ void k() {
    if (auto found = find(cuda::std::span(a), 0)) a[*found] = times(7) + std::popcount(5u) + std::countl_zero(1u);
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); int here = times(5); }
//@ expect required a[0] == 47 && a[1] == 0 && main.here == 15;
"""
    assert verdicts(text, tmp_path) == []


def test_code_for_some_architectures(tmp_path: Path) -> None:
    """The statements may be in parentheses, or not."""
    text = """#include <nv/target>
#include <cassert>
__device__ int x[8];
__device__ void put(int at, int v) { x[at] = v; }
__global__ void k() {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, put(0, 1);, put(0, 2);)
    NV_IF_TARGET(NV_PROVIDES_SM_70, put(1, 1); put(2, 1);)
    NV_IF_ELSE_TARGET(NV_PROVIDES_SM_90, (put(3, 1); int a = 1, b = 2; x[7] = a + b;), (put(3, 2);))
    NV_IF_TARGET(NV_IS_HOST, (put(4, 9);), (put(4, 1);))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_100, put(5, 9);, NV_PROVIDES_SM_70, (put(5, 1);), NV_ANY_TARGET, put(5, 3);)
    NV_DISPATCH_TARGET(NV_IS_EXACTLY_SM_90, (put(6, 1);))
}
//@ launch k<<<1, 1>>>();
//@ expect required x[0] == 1 && x[1] == 1 && x[2] == 1 && x[3] == 1 && x[4] == 1 && x[5] == 1 && x[6] == 1 && x[7] == 3;
"""
    assert verdicts(text, tmp_path) == []


def test_comparisons_and_bindings(tmp_path: Path) -> None:
    """What the language takes from <compare> and std::tuple_size, also of classes of one's own."""
    text = """#include <array>
#include <compare>
#include <tuple>
#include <utility>
struct Version { int major, minor; auto operator<=>(const Version&) const = default; };
struct Real { float v; };
struct Pair { int a, b; template <int I> __host__ __device__ int get() const { return I == 0 ? a : b; } };
template <> struct std::tuple_size<Pair> { static constexpr int value = 2; };
template <size_t I> struct std::tuple_element<I, Pair> { using type = int; };
struct Plain { int a, b; };
__device__ int out[9];
__global__ void k() {
    Version v{1, 2}, w{1, 3};
    if (v < w) { auto [a, b] = Pair{3, 4}; out[0] = a * 10 + b; }
    out[1] = (v <=> w) < 0 && (w <=> v) >= 0 && v <= v && v != w && (1 <=> 1) == 0 && (2 <=> 1) == std::strong_ordering::greater;
    auto [c, d] = std::make_tuple(5, 6L); out[2] = c * 10 + int(d);
    std::array<int, 2> e{7, 8}; auto& [f, g] = e; g = 9; out[3] = f * 10 + e[1];
    const auto [h, i] = std::pair(1, 2); out[4] = h * 10 + i;
    const auto [j, l] = Plain{3, 5}; out[5] = j * 10 + l;
    out[6] = std::tuple_size_v<decltype(e)> * 10 + std::get<1>(std::pair(1, 2));
    const std::tuple<int, char> t{1, 2}; auto& [m, n] = t; out[7] = m * 10 + n;
    out[8] = v <=> w <= 0 ? (0 > (v <=> w)) : 7;
}
//@ launch k<<<1, 1>>>();
//@ expect required out[0] == 34 && out[1] == 1 && out[2] == 56 && out[3] == 79 && out[4] == 12 && out[5] == 35 && out[6] == 22 && out[7] == 12 && out[8] == 1;
"""
    assert verdicts(text, tmp_path) == []


@pytest.mark.sampled(0)
def test_a_defaulted_comparison_reads_each_member(tmp_path: Path) -> None:
    text = """#include <compare>
constexpr bool RACE = false;
__device__ int v[2], out[4];
struct S { int a, b; auto operator<=>(const S&) const = default; };
__device__ S s{1, 2};
__global__ void k(float f) {
    if (threadIdx.x == 0) {
        out[0] = s < S{1, 3};
        out[1] = (f <=> f) == 0;
        out[2] = (s <=> S{0, 9}) > 0;
    } else if (RACE) s.b = 5;
}
//@ launch k<<<1, 2>>>(1.0f);
//@ vary RACE in {false, true};
//@ expect race_free when !RACE;
//@ expect race on s when RACE;
//@ expect required out[0] == 1 && out[2] == 1 when !RACE;
"""
    assert verdicts(text, tmp_path) == []


def test_chance_is_unknown(tmp_path: Path) -> None:
    body = "std::mt19937 g(std::random_device{}()); std::uniform_int_distribution<int> d(0, 3); if (d(g) == 2) x = 1;"
    text = host(body, "allowed x == 1", "allowed x == 0", before="#include <random>\nint x;")
    assert verdicts(text, tmp_path) == []


def test_texts_are_unknown(tmp_path: Path) -> None:
    before = "#include <sstream>\n#include <string>\n#include <cstring>\nint a;"
    body = """std::ostringstream out; std::string s = "x"; out << s << 1;
    if (s == "x" || s.empty()) a = 1;
    if (const char* level = getenv("LEVEL")) a += atoi(level) < 3 ? 2 : 4;"""
    outcomes = [f"allowed a == {n}" for n in (0, 1, 2, 5)]
    assert verdicts(host(body, *outcomes, before=before), tmp_path) == []


# ---------------------------------------------------------------- calls of the host


def test_calls_that_order_nothing(tmp_path: Path) -> None:
    text = """
__global__ void k(int* a) { *a = 1; }
int main() {
    int blocks, threads, can, least, most, version, seen = 0, *a;
    size_t free, total;
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 16);
    cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 32, 0);
    cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, k);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    cudaDeviceCanAccessPeer(&can, 0, 1);
    if (can && cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
    cudaMemGetInfo(&free, &total);
    cudaFuncAttributes about;
    cudaFuncGetAttributes(&about, k);
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, k, 32, about.sharedSizeBytes, cudaOccupancyDefault);
    cudaOccupancyAvailableDynamicSMemPerBlock(&free, k, blocks, 32);
    cudaDeviceGetLimit(&total, cudaLimitStackSize);
    unsigned flags;
    cudaGetDeviceFlags(&flags);
    cudaCtxResetPersistingL2Cache();
    cudaDeviceGetStreamPriorityRange(&least, &most);
    cudaRuntimeGetVersion(&version);
    cudaStream_t s;
    cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, most);
    cudaStreamGetPriority(s, &least);
    cudaMallocAsync(&a, sizeof(int), s);
    k<<<1, 1, 0, s>>>(a);
    cudaMemcpyPeerAsync(&seen, 0, a, 0, sizeof(int), s);
    cudaFreeAsync(a, s);
    cudaStreamSynchronize(s);
}
//@ expect race_free;
//@ expect required main.seen == 1;
"""
    assert verdicts(text, tmp_path) == []


def test_what_of_cuda_is_not_modelled_is_said_so(tmp_path: Path) -> None:
    text = host("cudaIpcCloseMemHandle(nullptr);")
    assert verdicts(text, tmp_path) == ["SCP013 scopec does not model `cudaIpcCloseMemHandle`"]


def test_scans_over_a_tile(tmp_path: Path) -> None:
    text = """#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__device__ int with[4], without[4];
__global__ void k() {
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    with[threadIdx.x] = cg::inclusive_scan(tile, 4 - int(tile.thread_rank()), cg::greater<int>());
    without[threadIdx.x] = cg::exclusive_scan(tile, int(tile.thread_rank()) + 1);
}
//@ launch k<<<1, 4>>>();
//@ expect race_free;
//@ expect required with[0] == 4 && with[3] == 4;
//@ expect required without[0] == 0 && without[1] == 1 && without[2] == 3 && without[3] == 6;
"""
    assert verdicts(text, tmp_path) == []


@pytest.mark.parametrize("header", ["array", "algorithm"])
def test_headers_bring_what_programs_count_on(tmp_path, header):
    only = "class = std::enable_if_t<std::is_same<T, int>::value>"
    uses = f"template <class T, {only}> __device__ T of(T x) {{ return x; }}"
    more = "int host() { std::array<int, 2> a{}; return *std::begin(a); }" if header == "array" else ""
    text = f"#include <{header}>\n{uses}\n{more}\n__device__ int v;\n__global__ void k() {{ v = of(1); }}\n"
    text += "int main() { k<<<1, 1>>>(); }\n//@ expect race_free;\n"
    (tmp_path / "p.cu").write_text(text)
    (outcome,) = check([tmp_path / "p.cu"], Settings(engine="embedded"))
    assert [d for d in outcome.diagnostics if d.severity == "error"] == []
