"""Programs of a cluster of two blocks, where one sends data to the other's shared memory, right and with a mistake each."""

from __future__ import annotations

_HEAD = """
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
__device__ alignas(16) int in[4] = {7, 7, 7, 7};
__device__ int out, other;
__global__ __cluster_dims__(2, 1, 1) void k() {
    __shared__ uint64_t bar;
    __shared__ alignas(16) int data[4], source[4];
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    for (int n = 0; n < 4; n++) data[n] = 0, source[n] = 7;
    FENCE
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    if (rank == 0 || MULTICAST)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, BYTES);
    cluster.sync();
    int* to = cluster.map_shared_rank(data, 0);
    uint64_t* there = cluster.map_shared_rank(&bar, 0);
    if (rank == 1) { SEND }
    if (rank == 0 || MULTICAST) {
        WAIT
        if (rank) other = data[LAST]; else out = data[LAST];
    }
    cluster.sync();
    END
}
//@ launch k<<<2, 1>>>();
"""
FENCED, WAITS = (
    "ptx::fence_proxy_async();",
    ("while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0));"),
)
#: By what is sent: the code, how many bytes, the last element that gets them, and whether that is through the async proxy.
SENT = {
    "store": ("ptx::st_async(to, 7, there);", 4, 0, False),
    "store of two": ("int two[2] = {6, 7}; ptx::st_async(to, two, there);", 8, 1, False),
    "store in PTX": (
        'asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];"'
        ' :: "r"(at(to)), "r"(7), "r"(at(there)) : "memory");', 16, 3, False,
    ),
    "reduction": ("ptx::red_async(ptx::op_max, to, 7, there);", 4, 0, False),
    "copy": ("ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, to, source, 16, there);", 16, 3, True),
    "load": ("ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, in, 16, there);", 16, 3, True),
    "sum": (
        "ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add, to, source, 16, there);", 16, 3, True,
    ),
    "multicast": ("ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, data, in, 16, &bar, 3);", 16, 3, True),
}  # fmt: skip


def text_of(sent: str, *, fence: bool = True, wait: str = WAITS, end: str = "") -> str:
    """A program that sends something, and what is expected of it where nothing is left out."""
    send, size, last, proxy = SENT[sent]
    parts = {
        "FENCE": FENCED if fence and proxy else "",
        "SEND": send,
        "WAIT": wait,
        "BYTES": str(size),
        "LAST": str(last),
        "END": end,
        "MULTICAST": str(sent == "multicast").lower(),
    }
    text = _HEAD
    for name, part in parts.items():
        text = text.replace(name, part)
    return text
