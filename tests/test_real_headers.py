"""Programs read over NVIDIA's headers: the verdicts of scopec's own headers, and what these lack.

Of the programs of specs/ that include CUDA's library a sample is read; `python -m benchmarks.headers.specs` reads all.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import scopec
from scopec.base.diagnostics import EngineError
from scopec.frontends.clang import overlays
from scopec.frontends.clang.library_headers import known
from tests.conftest import REPOSITORY
from tests.real_headers import answers, needs_headers, outcome, toolkit

SPECS = REPOSITORY / "specs"

MESSAGE = """#include <cuda/atomic>
__device__ int data, out; __device__ cuda::atomic<int, cuda::thread_scope_{scope}> flag;
__global__ void k() {{
    if (blockIdx.x == 0) {{ data = 1; flag.store(1, cuda::memory_order_{order}); }}
    else {{ while (flag.load(cuda::memory_order_acquire) == 0); out = data; }}
}}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates; expect required out == 1;
"""
LEGACY = """
__device__ int data, flag, out;
__global__ void k() {{
    if (blockIdx.x == 0) {{ data = 1; {0}; atomicExch{1}(&flag, 1); }}
    else {{ while (atomicAdd{1}(&flag, 0) == 0); {0}; out = data; }}
}}
//@ launch cooperative k<<<2, 1>>>(); expect race_free;
"""
FENCE = """#include <cuda/atomic>
__device__ int data, out, flag;
__global__ void k() {{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(flag);
    if (threadIdx.x == 0) {{
        data = 1; cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_{0});
        f.store(1, cuda::memory_order_relaxed);
    }} else {{
        while (f.load(cuda::memory_order_relaxed) == 0);
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_{0});
        out = data;
    }}
}}
//@ launch k<<<1, 2>>>(); expect race_free;
"""
BARRIER = """#include <cuda/barrier>
__device__ int data[2], out[2];
__global__ void k() {{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, {});
    __syncthreads();
    data[threadIdx.x] = 1;
    bar.arrive_and_wait();
    out[threadIdx.x] = data[1 - threadIdx.x];
}}
//@ launch k<<<1, 2>>>(); expect race_free; expect terminates;
"""
DEVICE_BARRIER = """#include <cuda/barrier>
__device__ int data[2], out[2];
__device__ cuda::barrier<cuda::thread_scope_device> bar(2);
__global__ void k() {
    data[blockIdx.x] = 1;
    bar.arrive_and_wait();
    out[blockIdx.x] = data[1 - blockIdx.x];
}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates; expect required out[0] == 1;
"""
GROUPS = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int data[2], out[2];
__global__ void k() {{ data[blockIdx.x] = 1; {}.sync(); out[blockIdx.x] = data[1 - blockIdx.x]; }}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates;
"""
WAITS = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k() {{
    if (blockIdx.x == 0) {{ flag.store(1); {} }}
    else flag.wait(0);
}}
//@ launch cooperative k<<<2, 1>>>(); expect terminates;
"""
SEMAPHORE = """#include <cuda/semaphore>
__device__ int data;
__device__ cuda::{}_semaphore<cuda::thread_scope_{}{}> open_(1);
__global__ void k() {{ open_.acquire(); data++; {} }}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates; expect required data == 2;
"""
TRIES = """#include <cuda/semaphore>
__device__ int data, missed;
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> open_(1);
__global__ void k() {
    if (open_.try_acquire()) { data++; open_.release(); } else atomicAdd(&missed, 1);
}
//@ launch k<<<2, 1>>>(); expect race_free; expect allowed missed == 1; expect required data == 2;
"""
LATCH = """#include <cuda/latch>
__device__ int data[2], out[2];
__device__ cuda::latch<cuda::thread_scope_{}> both({});
__global__ void k() {{
    data[blockIdx.x] = 1; both.arrive_and_wait();
    out[blockIdx.x] = data[1 - blockIdx.x];
}}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates; expect required out[0] == 1;
"""
VARIED = """#include <cuda/atomic>
//@ vary ORDER in {release, relaxed}; vary S in {device, block, sys};
const cuda::memory_order ORDER = cuda::memory_order_release;
const cuda::thread_scope S = cuda::thread_scope_device;
__device__ int data, out, flag;
__global__ void k() {
    cuda::atomic_ref<int, S> f(flag);
    if (blockIdx.x == 0) { data = 1; f.store(1, ORDER); }
    else { while (f.load(cuda::memory_order_acquire) == 0); out = data; }
}
//@ launch cooperative k<<<2, 1>>>();
//@ expect race_free when ORDER == release && S != block; expect race when ORDER != release || S == block;
"""
HOST = """
__global__ void k(int* x) {{ *x = 1; }}
int main() {{
    int *x, y = 0; cudaStream_t s;
    cudaMalloc(&x, sizeof *x); cudaStreamCreate(&s);
    k<<<1, 1, 0, s>>>(x);
    {}
    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);
    printf("%d", y);
    cudaDeviceSynchronize();
}}
//@ expect race_free; expect terminates;
"""


@needs_headers
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "text",
    [
        MESSAGE.format(scope="device", order="release"),
        MESSAGE.format(scope="device", order="relaxed"),
        MESSAGE.format(scope="block", order="release"),
        MESSAGE.format(scope="thread", order="release").replace("<<<2, 1>>>", "<<<1, 2>>>").replace("block", "thread"),
        FENCE.format("device"),
        FENCE.format("thread"),
        # An atomic function is relaxed and of the device; seq_cst and of the system would hide what the second and third do.
        LEGACY.format("__threadfence()", ""),
        LEGACY.format("", ""),
        LEGACY.format("__threadfence()", "_block"),
        LEGACY.format("__threadfence_block()", ""),
        BARRIER.format(2),
        BARRIER.format(1),
        DEVICE_BARRIER,
        DEVICE_BARRIER.replace("thread_scope_device", "thread_scope_block"),
        GROUPS.format("cg::this_grid()"),
        GROUPS.format("cg::this_thread_block()"),
        WAITS.format("flag.notify_all();"),
        WAITS.format(""),
        SEMAPHORE.format("counting", "device", ", 2", "open_.release();"),
        SEMAPHORE.format("counting", "device", "", ""),
        SEMAPHORE.format("counting", "block", ", 2", "open_.release();"),
        SEMAPHORE.format("binary", "device", "", "open_.release();"),
        SEMAPHORE.format("binary", "block", "", "open_.release();"),
        TRIES,
        LATCH.format("device", 2),
        LATCH.format("device", 3),
        LATCH.format("block", 2),
        VARIED,
        HOST.format("cudaStreamSynchronize(s);"),
        HOST.format(""),
    ],
)
def test_both_headers_give_the_same(text: str, tmp_path: Path) -> None:
    own = answers(text, "shims", tmp_path)
    assert "error" not in own
    assert answers(text, "real", tmp_path) == own


@needs_headers
@pytest.mark.parametrize("argument", ["x", "threadIdx.x == 0 ? x++ : 0"])
@pytest.mark.sampled(0)
def test_a_kernel_prints(argument: str, tmp_path: Path) -> None:
    text = f"""#include <cstdio>
    __device__ int x;
    __global__ void k() {{ printf("%u", {argument}); if (threadIdx.x == 1) printf("%d %d", x, 1); }}
    //@ launch k<<<1, 2>>>(); expect race_free; expect terminates;
    """
    own = answers(text, "shims", tmp_path)
    assert own["race_free"] == ("violated" if "++" in argument else "holds")
    assert answers(text, "real", tmp_path) == own


@needs_headers
@pytest.mark.sampled(0)
def test_the_reading_without_macros_takes_what_the_first_one_takes(tmp_path: Path) -> None:
    """That is asked for where operands are in no order; CUTLASS specialises traits of the C++ library."""
    text = """#include <type_traits>
    struct Bits {};
    template <> struct std::is_reference<Bits> : std::false_type {};
    __device__ int data, out;
    __device__ int next() { return data++; }
    __global__ void k() { out = next() - next(); }
    //@ launch k<<<1, 1>>>(); expect allowed out == -1; expect allowed out == 1;
    """
    assert set(answers(text, "real", tmp_path).values()) == {"holds"}


@needs_headers
@pytest.mark.sampled(0)
def test_a_library_over_them_is_read(tmp_path: Path) -> None:
    text = """#include <cub/cub.cuh>
    __device__ int out;
    __global__ void k() {{
        using Reduce = cub::BlockReduce<int, 32>;
        __shared__ typename Reduce::TempStorage storage;
        for (int i = 0; i < {}; i++) {{
            int sum = Reduce(storage).Sum(1);
            if (threadIdx.x == 0) out = sum;
        }}
    }}
    //@ launch k<<<1, 32>>>(); expect race_free; expect required out == 32;
    """
    once = answers(text.format(1), "real", tmp_path)
    assert once == {"race_free": "holds", "required out == 32": "holds"}
    assert "error" in answers(text.format(1), "shims", tmp_path)


#: What the ways out of missing headers name `--headers real` for.
HOSTED = """
#include <complex>
#include <condition_variable>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <filesystem>
#include <future>
#include <map>
#include <mdspan>
#include <netinet/in.h>
#include <print>
#include <pthread.h>
#include <regex>
#include <shared_mutex>
#include <sys/mman.h>
#include <thrust/device_vector.h>
#include <unordered_map>
__global__ void k() {}
//@ launch k<<<1, 1>>>(); expect race_free;
"""
#: Functions that CUDA's headers declare for its own compiler, and a static object that is constant.
OF_NVCC = """#include <cuda/stream_ref>
struct stream { stream(cuda::stream_ref s) : s(s) {} cuda::stream_ref s; };
static const stream legacy{cudaStreamLegacy};
__device__ float2 x;
__global__ void k() { x = __ffma2_rn(x, __fmul2_rz(x, x), __fadd2_ru(x, x)); }
int least, most;
int main() {
    least = min(3, 2u) + min(4ll, 5ll);
    most = max(1u, 2) + max(3ul, 4l);
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
//@ expect race_free; expect terminates; expect required least == 6 && most == 6;
"""


@needs_headers
@pytest.mark.parametrize("text", [HOSTED, OF_NVCC])
@pytest.mark.sampled(0)
def test_headers_of_the_host_and_functions_of_nvccs_are_read(text: str, tmp_path: Path) -> None:
    assert set(answers(text, "real", tmp_path).values()) == {"holds"}


@pytest.mark.parametrize("header", ["regex", "pthread.h", "cub/cub.cuh", "cute/tensor.hpp", "cuda_fp8.h"])
def test_a_way_out_to_the_real_headers_is_named_where_they_are_not_read(header: str) -> None:
    own, others = known(header, real=False), known(header, real=True)
    assert own is not None
    assert others is not None
    assert own[1] == f"`--headers real` reads it (pip install 'scopec[headers]'); {others[1]}"


STORAGE = """#include <cub/block/block_exchange.cuh>
__device__ int out[16];
__global__ void k() {{
    using Exchange = cub::BlockExchange<int, 8, 2>;
    __shared__ typename Exchange::TempStorage storage;
    int mine[2] = {{int(2 * threadIdx.x), int(2 * threadIdx.x + 1)}};
    Exchange(storage).BlockedToStriped(mine);
    {}
    Exchange(storage).BlockedToStriped(mine);
    out[threadIdx.x] = mine[0];
}}
//@ launch k<<<1, 8>>>(); expect race_free;
"""


@needs_headers
@pytest.mark.slow
@pytest.mark.sampled(0)
def test_storage_of_cub_is_declared_as_the_numbers_that_it_keeps(tmp_path: Path) -> None:
    """CUB declares it as words of 16 bytes, say, of which an access to a number of 4 bytes is no whole one."""
    assert answers(STORAGE.format("__syncthreads();"), "real", tmp_path) == {"race_free": "holds"}
    assert answers(STORAGE.format(""), "real", tmp_path) == {"race_free": "violated"}


LACKING = """#include <cuda/cmath>
__device__ int out;
__global__ void k() { if (threadIdx.x == 0) out = cuda::ceil_div(5, 2); }
//@ launch k<<<1, 32>>>(); expect race_free;
"""


@needs_headers
@pytest.mark.sampled(0)
def test_what_scopecs_own_headers_lack_is_read_over_the_others(tmp_path: Path) -> None:
    """A file that they read is read over them."""
    (tmp_path / "cub.cu").write_text(LACKING)
    (tmp_path / "plain.cu").write_text(
        "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>(); expect race_free;\n"
    )
    (tmp_path / "wrong.cu").write_text(
        "#include <cuda/cmath>\n__global__ void k() { no_such_thing(); }\n//@ launch k<<<1, 1>>>(); expect race_free;\n"
    )
    found = {name: outcome(tmp_path / f"{name}.cu", "auto") for name in ("cub", "plain", "wrong")}
    assert [dict(r.run.program.read_with) != {} for name in ("cub", "plain") for r in found[name].reports] == [
        True,
        False,
    ]
    assert all(c.verdict == "holds" for name in ("cub", "plain") for r in found[name].reports for c in r.checks)
    assert any("'cuda/cmath' file not found" in d.message for d in found["wrong"].diagnostics)


#: Builtin functions of clang's of which it makes an atomicrmw that is seq_cst and of the system.
ATOMICS = {
    f"__nvvm_atom_{scope}{name}_gen_{type_}"
    for scope in ("", "cta_", "sys_")
    for name, types in {
        "add": "i ll f d", "xchg": "i ll", "and": "i ll", "or": "i ll", "xor": "i ll", "min": "i ui ll ull",
        "max": "i ui ll ull", "inc": "ui", "dec": "ui", "cas": "us i ll",
    }.items()
    for type_ in types.split()
}  # fmt: skip


def test_every_builtin_of_the_vendored_headers_that_is_atomic_has_a_meaning() -> None:
    rows = dict(re.findall(r"#define (__nvvm_atom_\w+)\(\.\.\.\) (\w+)", (SHIMS / "nvvm.h").read_text()))
    used = {
        name
        for header in (REPOSITORY / "scopec" / "real" / "clang22").glob("*.h")
        for name in re.findall(r"\b__nvvm_atom_\w+", header.read_text())
    }
    assert used <= rows.keys()
    assert rows.keys() == ATOMICS


SHIMS = REPOSITORY / "scopec" / "shims" / "scopec"
SCOPED = """
__device__ int data, flag;
__global__ void k() {{
    if (blockIdx.x == 0) {{ data = 1; __scoped_atomic_store_n(&flag, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_{0}); }}
    else if (__scoped_atomic_load_n(&flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_{0})) data = 2;
}}
//@ launch k<<<2, 1>>>(); expect race_free;
"""


@pytest.mark.parametrize(
    ("scope", "verdict"), [("DEVICE", "holds"), ("SYSTEM", "holds"), ("WRKGRP", "violated"), ("SINGLE", "violated")]
)
@pytest.mark.sampled(3)
def test_an_atomic_function_of_clang_has_its_scope(scope: str, verdict: str, tmp_path: Path) -> None:
    assert answers(SCOPED.format(scope), "shims", tmp_path) == {"race_free": verdict}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("__nvvm_shfl_down_f32(1.f, 1, 31)", "llvm.nvvm.shfl.down.f32"),
        ("__nvvm_ldu_f(x)", "llvm.nvvm.ldu.global.f.f32.p0"),
        ("__scoped_atomic_fetch_nand(&i, 1, 0, 0)", "poisoned"),
    ],
)
@pytest.mark.sampled(2)
def test_a_builtin_without_a_meaning_is_refused(call: str, said: str, tmp_path: Path) -> None:
    text = f"__device__ float y; __device__ int i;\n__global__ void k(float* x) {{ y = {call}; }}\n//@ object float x; launch k<<<1, 1>>>(&x); expect race_free;\n"  # fmt: skip
    assert said in answers(text, "shims", tmp_path)["error"]


@needs_headers
@pytest.mark.parametrize("name", sorted(overlays._OVERLAYS))
@pytest.mark.sampled(2)
def test_a_header_that_is_not_as_it_is_known_is_refused(name: str, tmp_path: Path) -> None:
    """Each part of the pattern has to be there, once."""
    cccl = tmp_path / "cccl"
    for other in overlays._OVERLAYS:
        (cccl / other).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(toolkit().cccl / other, cccl / other)
    overlays.overlaid(cccl)
    text = (cccl / name).read_text()
    for change in overlays._OVERLAYS[name][1]:
        found = next(change.begin.finditer(text))
        for wrong in (text.replace(found[0], found[0].replace("__f", "__g").replace("barrier", "b").replace("scope_enum", "scope").replace("_Tp", "_T").replace("_Sco", "_S").replace("Uninit", "Init")), text + found[0] + "{}"):  # fmt: skip
            (cccl / name).write_text(wrong)
            with pytest.raises(EngineError, match="is not as scopec knows it"):
                overlays.overlaid(cccl)


@needs_headers
@pytest.mark.sampled(0)
def test_reports_say_what_was_read() -> None:
    found = scopec.check(text="__global__ void k() {}\n//@ launch k<<<1, 1>>>(); expect terminates;\n", headers="real", engine="embedded")  # fmt: skip
    assert "note: read with NVIDIA's headers" in found.text()
    assert '"read_with": {' in found.json()
    own = scopec.check(text="__global__ void k() {}\n//@ launch k<<<1, 1>>>(); expect terminates;\n", headers="shims", engine="embedded")  # fmt: skip
    assert "NVIDIA" not in own.text()
    assert "read_with" not in own.json()


def sample() -> list[Path]:
    """Some programs of specs/ that include CUDA's C++ library."""
    return [path for path in sorted(SPECS.rglob("*.cu")) if "#include <cuda/" in path.read_text()][::40]


@needs_headers
@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("path", sample(), ids=lambda path: str(path.relative_to(SPECS)))
def test_specifications_have_the_same_verdicts(path: Path) -> None:
    own, theirs = outcome(path, "shims"), outcome(path, "real")
    assert theirs.failure is None
    assert [str(d) for d in theirs.diagnostics if d.severity == "error"] == []
    pairs = zip([c for r in own.reports for c in r.checks], [c for r in theirs.reports for c in r.checks], strict=True)
    for one, other in pairs:  # loops of the library's, as those of a barrier, may be beyond the bound
        assert other.expectation.text == one.expectation.text
        assert other.verdict in (one.verdict, "unknown")


def test_what_is_laid_over_cccl_needs_no_macro_of_one_version() -> None:
    bodies = [change.body for _, changes in overlays._OVERLAYS.values() for change in changes]
    assert not [body for body in bodies if "_CCCL" in body]
