// A box that threads have written is stored behind a proxy fence of each of them; its place is used again when the thread that
// stores it has waited for the group, for others behind a barrier.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
constexpr bool FENCES = true, WAITS = true;

__device__ alignas(16) int out[4][4];

__global__ void k(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[2][4];
    for (int turn = 0; turn < 2; ++turn) {
        for (int n = threadIdx.x; n < 8; n += 2) tile[n / 4][n % 4] = n;
        if (FENCES) ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (threadIdx.x == 0) {
            const int at[] = {0, 2 * turn};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
            ptx::cp_async_bulk_commit_group();
            if (WAITS) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
    }
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

int main() {
    void* tensor;
    cudaGetSymbolAddress(&tensor, out);
    CUtensorMap map;
    cuuint64_t extents[] = {4, 4}, strides[] = {16};
    cuuint32_t box[] = {4, 2}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    k<<<1, 2>>>(map);
    cudaDeviceSynchronize();
}

//@ vary FENCES in {true, false};
//@ vary WAITS in {true, false};
//@ expect race_free when FENCES && WAITS;
//@ expect race on tile when !FENCES || !WAITS;
