// HRF0 paper, figure 4, the local loop: acquire and release of the group, written as operations on a flag of the group.
// Section 3.2: the program "still would have been correct if the local synchronization performed conservatively with
// respect to the global scope"; a scope too small for the group is not enough.
#include <cuda/atomic>

constexpr cuda::thread_scope LOCAL = cuda::thread_scope_block;

__device__ int grid[2];
__device__ int ready = 0;

__global__ void local_step() {
    cuda::atomic_ref<int, LOCAL> group(ready);
    int neighbour = 2;
    if (threadIdx.x == 0) {
        grid[0] = 1;
        group.store(1, cuda::memory_order_release);
    } else {
        if (group.load(cuda::memory_order_acquire) == 1) neighbour = grid[0];
    }
}

//@ launch local_step<<<1, 2>>>();
//@ options races = ignore;
//@ vary LOCAL in {block, device, thread};
//@ expect race_free when LOCAL != thread;
//@ expect forbidden local_step[0][1].neighbour == 0 when LOCAL != thread;
//@ expect race when LOCAL == thread;
//@ expect race_free when LOCAL != thread under hrf0;
//@ expect race when LOCAL == thread under hrf0;
//@ expect forbidden local_step[0][1].neighbour == 0 when LOCAL != thread under hrf0-hw;
//@ expect allowed local_step[0][1].neighbour == 0 when LOCAL == thread under hrf0-hw;
