// Apex's barrier of blocks, which no block's barrier is before: what thread 0 wrote is handed over, and broken, what thread 1 wrote is not. needs: apex.
#include <ln_utils.cuh>
const int BROKEN = 0;

struct Params { int* barrier; int ctas_per_col; };
__device__ int counts[2], data[2], out[2];
__global__ void k() {
    Params params{counts, 1};
    layer_norm::InterCTASync<2> others(params, 0, blockIdx.x);
    if (threadIdx.x == BROKEN) data[blockIdx.x] = 1;
    others.sync();
    if (threadIdx.x == BROKEN) out[blockIdx.x] = data[1 - blockIdx.x];
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 2>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect terminates;
