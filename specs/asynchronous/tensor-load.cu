// A box of a tensor is there when the phase is over in which its bytes are expected: all of them, and as many as the box has.
#include <cstdint>
#include <cuda.h>
constexpr bool WAITS = true;
constexpr int BYTES = 32;

__device__ alignas(16) int in[4][4];
__device__ int out[2];

__device__ unsigned at(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void k(const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(128) int tile[2][4];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(at(&bar)), "r"(BYTES) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                     :: "r"(at(tile)), "l"(&map), "r"(at(&bar)), "r"(0), "r"(2) : "memory");
    }
    unsigned over = !WAITS;
    while (!over)
        asm volatile("{\n.reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     "selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(over) : "r"(at(&bar)) : "memory");
    out[threadIdx.x] = tile[1][threadIdx.x];
}

int main() {
    void* tensor;
    cudaGetSymbolAddress(&tensor, in);
    CUtensorMap map;
    cuuint64_t extents[] = {4, 4}, strides[] = {16};
    cuuint32_t box[] = {4, 2}, steps[] = {1, 1};
    cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, tensor, extents, strides, box, steps,
                           CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    k<<<1, 2>>>(map);
    cudaDeviceSynchronize();
}

//@ vary WAITS in {true, false};
//@ vary BYTES in {32, 16};
//@ expect race_free when WAITS;
//@ expect race on tile when !WAITS;
//@ expect terminates when WAITS && BYTES == 32;
//@ expect may_hang when WAITS && BYTES == 16;
