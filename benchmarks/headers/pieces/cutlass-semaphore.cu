// Blocks that take their turns: broken, a block does not wait for its own. needs: cutlass.
#include <cutlass/semaphore.h>
const int BROKEN = 0;

__device__ int lock, sum;
__global__ void k() {
    cutlass::Semaphore turn(&lock, threadIdx.x);
    turn.fetch();
    if (BROKEN == 0) turn.wait(blockIdx.x);
    if (threadIdx.x == 1) sum += blockIdx.x + 1;
    turn.release(blockIdx.x + 1);
}
//@ vary BROKEN in {0, 1};
//@ launch cooperative k<<<2, 2>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1; expect required sum == 3 when BROKEN == 0;
