"""Small programs of copies, mbarriers and proxies, each with one thing that decides whether it is free of races."""

from __future__ import annotations

_HEAD = """#include <cuda/atomic>
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;
__device__ alignas(16) int in[8], out[8];
__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void wait(uint64_t* bar, unsigned parity) { while (!ptx::mbarrier_test_wait_parity(bar, parity)) {} }
__device__ void relaxed(uint64_t* bar, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cta, bar, parity)) {}
}
__device__ void load(int* to, const int* from, uint64_t* bar) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, 16);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, 16, bar);
}
__device__ void store(int* to, const int* from) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, 16);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
__device__ void remote(uint64_t* bar) {
    unsigned there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(at(bar)));
    asm volatile("mbarrier.arrive.release.cta.shared::cluster.b64 _, [%0];" :: "r"(there) : "memory");
}
__device__ void meet(bool releases) {
    if (releases) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    else asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
"""


def _block(threads: int, body: str, count: int = 1) -> str:
    """One block; ``tile`` and ``bar`` are in its shared memory, ``bar`` of so many arrivals, and ``t`` is the thread."""
    own = "    __shared__ alignas(16) int tile[8];\n    __shared__ uint64_t bar;\n    const int t = threadIdx.x;\n"
    start = f"    if (t == 0) ptx::mbarrier_init(&bar, {count});\n    __syncthreads();\n"
    return f"{_HEAD}__global__ void k() {{\n{own}{start}{body}}}\n//@ launch k<<<1, {threads}>>>();\n//@ expect race_free;\n"


def _cluster(body: str) -> str:
    """Two blocks of one thread in a cluster, that of the rank ``r``, with what a block of one has."""
    head = _HEAD + "__global__ void __cluster_dims__(2, 1, 1) k() {\n"
    own = "    __shared__ alignas(16) int tile[8];\n    __shared__ uint64_t bar;\n    auto all = cg::this_cluster();\n"
    rank = "    const unsigned r = all.block_rank();\n"
    return f"{head}{own}{rank}{body}}}\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"


def _overwritten(what: str) -> str:
    """An element is written behind the arrival, and read where the load is complete."""
    early = "ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 16);"
    load = "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 16, &bar);"
    return _block(
        2,
        f"""    if (t == 0) {{ {early} {what} = 1; {_FENCE} {load} }}
    else {{ wait(&bar, 0); data = {what}; }}
""",
    )


def _handed(behind: str, before: str = "") -> str:
    """Global data for a bulk load of another block, with a fence behind the acquire, or before the release."""
    return f"""{_HEAD}__global__ void k() {{
    __shared__ alignas(16) int tile[4];
    __shared__ uint64_t bar;
    if (blockIdx.x == 0) {{ in[0] = 7; {before} flag.store(1, cuda::memory_order_release); }}
    else {{
        ptx::mbarrier_init(&bar, 1);
        while (!flag.load(cuda::memory_order_acquire)) {{}}
        {behind}
        load(tile, in, &bar);
        wait(&bar, 0);
    }}
}}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
"""


_FENCE, _SHARED = "ptx::fence_proxy_async();", "ptx::fence_proxy_async(ptx::space_shared);"
_GLOBAL = "ptx::fence_proxy_async(ptx::space_global);"


def _stored(behind: str, issuer: str = "") -> str:
    """Both threads write, and one stores it by a bulk copy."""
    return _block(
        2,
        f"    tile[t] = t; {behind} __syncthreads();\n    if (t == 0) {{ {issuer} store(out, tile); }}\n",
    )


def _reloaded(fence: str) -> str:
    """Thread 1 reads what thread 0 then loads over."""
    return _block(
        2,
        f"""    if (t == 0) load(tile, in, &bar);
    wait(&bar, 0);
    if (t == 1) data = tile[0];
    __syncthreads();
    if (t == 0) {{ {fence} load(tile, in + 4, &bar); wait(&bar, 1); }}
""",
    ).replace("//@ launch", "//@ options thin_air = off;\n//@ launch")


def _remote_init(fence: str, *, plain: bool = False) -> str:
    """Block 0 makes an mbarrier, at which block 1 arrives behind a relaxed barrier of the cluster."""
    made, used = (
        ("data = 1;", "out[0] = data, ptx::mbarrier_init(&bar, 1);")
        if plain
        else ("ptx::mbarrier_init(&bar, 1);", "remote(&bar);")
    )
    return _cluster(f"    if (r == 0) {made}\n    {fence}\n    meet(false);\n    if (r == 1) {used}\n    meet(true);\n")


def _by_two_blocks(fence: str) -> str:
    """Both blocks store to one place by bulk copies, one after the other."""
    return _cluster(
        f"""    tile[0] = 1; {_FENCE}
    if (r == 0) store(out, tile);
    meet(true);
    if (r == 1) {{ {fence} store(out, tile); }}
    meet(true);
"""
    )


def _into_one_block(fence: str) -> str:
    """A block loads its memory, to which the other one copies then."""
    return _cluster(
        f"""    ptx::mbarrier_init(&bar, 1);
    if (r == 0) {{ load(tile, in, &bar); wait(&bar, 0); }}
    meet(true);
    if (r == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, &bar, 16);
    meet(true);
    if (r == 1) {{
        {fence}
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, all.map_shared_rank(tile, 0), tile + 4, 16, all.map_shared_rank(&bar, 0));
    }} else wait(&bar, 1);
    meet(true);
"""
    )


PROGRAMS: dict[str, str] = {
    "message": _block(2, "    if (t == 0) { data = 1; ptx::mbarrier_arrive(&bar); } else { wait(&bar, 0); out[0] = data; }\n"),
    "phase before": _block(
        3,
        """    if (t == 0) { data = 1; ptx::mbarrier_arrive(&bar); }
    if (t == 1) { relaxed(&bar, 0); flag.store(1, cuda::memory_order_release); ptx::mbarrier_arrive(&bar); }
    if (t == 2) { while (!flag.load(cuda::memory_order_acquire)) {} wait(&bar, 1); out[0] = data; }
""",
    ),
    "initialised for others": _remote_init('asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");'),
    "initialised for others, no fence": _remote_init(""),
    "data behind the fence": _remote_init('asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");', plain=True),
    "message and a load": _block(
        2,
        "    if (t == 0) { load(tile, in, &bar); wait(&bar, 0); data = 1; }\n    __syncthreads();\n    if (t == 1) out[0] = data;\n",
    ),
    "bulk load": _block(1, "    load(tile, in, &bar); wait(&bar, 0); data = tile[0];\n"),
    "bulk load, relaxed wait": _block(1, "    load(tile, in, &bar); relaxed(&bar, 0); data = tile[0];\n    wait(&bar, 0);\n"),
    "bulk store": _stored(_FENCE),
    "bulk store, issuer's fence": _stored("", _FENCE),
    "bulk store, fence of global memory": _stored(_GLOBAL),
    "bulk store of a copy": _block(
        2,
        f"""    if (t == 1) {{
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(tile)), "l"(in) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        {_FENCE}
    }}
    __syncthreads();
    if (t == 0) store(out, tile);
""",
    ),
    "bulk load over what its thread wrote": _overwritten("tile[0]"),
    "bulk load beside what its thread wrote": _overwritten("tile[4]"),
    "bulk load over what was read": _reloaded(_FENCE),
    "bulk load over what was read, fence of global memory": _reloaded(_GLOBAL),
    "global data": _handed(_FENCE),
    "global data, writer's fence": _handed("", _FENCE),
    "global data, fence of shared memory": _handed(_SHARED),
    "two loads": _block(1, "    load(tile, in, &bar); wait(&bar, 0); load(tile, in, &bar); wait(&bar, 1);\n"),
    "two blocks": _by_two_blocks(_FENCE),
    "two blocks, no fence": _by_two_blocks(""),
    "into one block": _into_one_block(_FENCE),
    "into one block, no fence": _into_one_block(""),
    "two kernels": f"""{_HEAD}__global__ void first() {{ in[0] = 1; }}
__global__ void k() {{
    __shared__ alignas(16) int tile[4];
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    load(tile, in, &bar); wait(&bar, 0);
}}
int main() {{ first<<<1, 1>>>(); k<<<1, 1>>>(); cudaDeviceSynchronize(); }}
//@ expect race_free;
""",
    "arrivals of block scope from two blocks": _cluster(
        """    if (r == 0) ptx::mbarrier_init(&bar, 2);
    all.sync();
    remote(&bar);
    all.sync();
""",
    ),
    "a reduction and an addition": _block(
        2,
        f"""    if (t == 0) {{
        {_FENCE}
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;" :: "l"(out), "r"(at(tile)) : "memory");
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }} else
        atomicAdd(&out[0], 1);
""",
    ),
    "an arrival in a later phase": _block(1, "    ptx::mbarrier_arrive(&bar); wait(&bar, 0); ptx::mbarrier_arrive(&bar);\n"),
    "an arrival that nobody waited for": _block(1, "    ptx::mbarrier_arrive(&bar); ptx::mbarrier_arrive(&bar);\n"),
    "an arrival that comes before a wait": _block(
        2,
        """    if (t == 0) {
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 2);
        ptx::mbarrier_arrive(&bar);
    }
    __syncthreads();
    if (t == 1) ptx::mbarrier_test_wait_parity(&bar, 0);
""",
        count=2,
    ),
}  # fmt: skip
