// Groups of bulk copies: with .read a wait says that the sources have been read, without it that the copies are done; it is for the
// thread that has issued them alone.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr int THEN = 0;        // 0: the source is written again, 1: the result is read, 2: the other stage is written
constexpr bool READ = true;    // the wait is for the reads
constexpr int LEFT = 0;        // groups that may be left
constexpr int WAITS = 0;       // the thread that waits, beside or before the other comes
constexpr int USES = 0;        // the thread that goes on

__device__ alignas(16) int out[8];
__device__ int seen;

__global__ void k() {
    alignas(16) __shared__ int tile[8];
    if (threadIdx.x == 0) {
        tile[0] = tile[4] = 1;
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, 16);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 4, tile + 4, 16);
        ptx::cp_async_bulk_commit_group();
    }
    if (threadIdx.x == WAITS) {
        if (READ) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<LEFT>());
        else ptx::cp_async_bulk_wait_group(ptx::n32_t<LEFT>());
    }
    __syncthreads();
    if (threadIdx.x == USES) {
        if (THEN == 0) tile[0] = 2;
        if (THEN == 1) seen = out[0];
        if (THEN == 2) tile[4] = 2;
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

//@ launch k<<<1, 2>>>();
//@ vary THEN in {0, 1, 2};
//@ vary READ in {true, false};
//@ vary LEFT in {0, 1};
//@ vary WAITS in {0, 1};
//@ vary USES in {0, 1};
//@ expect race_free when WAITS == 0 && (THEN != 1 || !READ) && (THEN != 2 || LEFT == 0);
//@ expect race when WAITS == 1 || (THEN == 1 && READ) || (THEN == 2 && LEFT == 1);
