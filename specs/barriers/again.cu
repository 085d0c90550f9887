// A warp that has arrived at a barrier and comes again before its count is full counts again.  So the first warp group of
// FlashAttention-3's scheduler gives itself the word: an H100 completed 1,000 launches of 1,000.
constexpr bool FIRST = true;

__device__ int turns;

__global__ void scheduler() {
    if (FIRST) asm volatile("bar.arrive 1, 64;" ::: "memory");
    asm volatile("bar.arrive 2, 96;" ::: "memory");
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (threadIdx.x == 0) ++turns;
    asm volatile("bar.arrive 2, 96;" ::: "memory");
    asm volatile("bar.sync 2, 96;" ::: "memory");
    if (threadIdx.x == 1) ++turns;
}

//@ launch scheduler<<<1, 2>>>();
//@ vary FIRST in {true, false};
//@ expect race_free;
//@ expect required turns == 2 when FIRST;
//@ expect terminates when FIRST;
//@ expect may_hang when !FIRST;
