// Some warps of a block vote at a barrier of their own (PTX's bar.red): the last turn is the one in which all are done.
// THREADS is how many the barrier is for; here a thread stands for a warp, and two of three come.
//@ vary THREADS in {2, 3};
//@ vary WITH_BARRIER in {true, false};

constexpr int THREADS = 2;
constexpr bool WITH_BARRIER = true;
__device__ int data[2], turns, sum;
__global__ void work() {
    if (threadIdx.x == 2) return;
    int left = threadIdx.x + 1, done = 0, turn = 0;
    data[threadIdx.x] = left;
    while (done < 2 && turn < 2) {
        --left;
        ++turn;
        if (WITH_BARRIER)
            asm volatile("{ .reg .pred p; setp.eq.s32 p, %1, 0; bar.red.popc.u32 %0, 1, %2, p; }"
                         : "=r"(done) : "r"(left), "r"(THREADS) : "memory");
        else
            done = 2;
        if (left == 0 && done == 1) left = 1;  // once more: it is done again in the next turn
    }
    if (done != 2) for (;;);
    if (threadIdx.x == 0) {
        turns = turn;
        sum = data[0] + data[1];
    }
}
//@ launch work<<<1, 3>>>();
//@ expect race_free when WITH_BARRIER under cuda, ptx;
//@ expect race on data when !WITH_BARRIER under cuda, ptx;
//@ expect required turns == 2 && sum == 3 when WITH_BARRIER && THREADS == 2 under cuda, ptx;
//@ expect terminates when THREADS == 2 || !WITH_BARRIER;
//@ expect may_hang when THREADS == 3 && WITH_BARRIER;
