// Prefix sums of six lanes in each of two warps: broken, both have one storage.
#include <cub/warp/warp_scan.cuh>
const int BROKEN = 0;

__device__ int out[16];
__global__ void k() {
    using Scan = cub::WarpScan<int, 6>;
    __shared__ typename Scan::TempStorage storage[2];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum;
    if (lane >= 6) return;
    Scan(storage[BROKEN ? 0 : warp]).InclusiveSum(1, sum);
    out[warp * 8 + lane] = sum;
}
//@ vary BROKEN in {0, 1};
//@ launch k<<<1, 64>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required out[5] == 6 when BROKEN == 0;
