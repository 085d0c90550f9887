// HRF0 paper, figures 1 and 4: a stencil with ghost zones.  Threads of a group exchange cells
// after a group barrier, groups exchange ghost zones after a barrier of all threads.  Figure 4 adds a release before
// and an acquire after the barrier of all threads; figure 1 has neither (ORDER = relaxed), and races.  One time step of
// two groups of two threads.
#include <cuda/atomic>

constexpr cuda::memory_order RELEASE = cuda::memory_order_release;
constexpr cuda::memory_order ACQUIRE = cuda::memory_order_acquire;

__device__ int grid[4];
__device__ int arrived = 0;

__global__ void stencil() {
    int me = blockIdx.x * 2 + threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device> barrier(arrived);
    grid[me] = 1;
    __syncthreads();                         // release(Group), barrier(threads in group), acquire(Group)
    int neighbour = grid[me ^ 1];
    barrier.fetch_add(1, RELEASE);           // release(Global)
    while (barrier.load(ACQUIRE) != 4);      // barrier(all threads), acquire(Global)
    int ghost = grid[(me + 2) % 4];
}

//@ launch stencil<<<2, 2>>>();
//@ vary RELEASE in {release, relaxed};
//@ vary ACQUIRE in {acquire, relaxed};
//@ expect race_free when RELEASE == release && ACQUIRE == acquire;
//@ expect required stencil[0][0].ghost == 1 && stencil[1][1].neighbour == 1 when RELEASE == release && ACQUIRE == acquire;
//@ expect race on grid when RELEASE == relaxed || ACQUIRE == relaxed;
//@ expect race_free when RELEASE == release && ACQUIRE == acquire under hrf0, hrf-direct, hrf-indirect;
//@ expect race on grid when RELEASE == relaxed || ACQUIRE == relaxed under hrf0;
