// One atomic operation for all lanes that count something: the first of those that are there adds their number, tells the
// others where their places begin, and each takes that of its rank among them.  Without the rank all take the first.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
constexpr bool RANKED = true;

__device__ int count;
__device__ int kept[3];

__device__ int place(int* counter) {
    auto those = cg::coalesced_threads();
    int first;
    if (those.thread_rank() == 0) first = atomicAdd(counter, those.size());
    return those.shfl(first, 0) + (RANKED ? those.thread_rank() : 0);
}

__global__ void filter() {
    if (threadIdx.x != 1) kept[place(&count)] = threadIdx.x + 1;
}

int main() {
    filter<<<1, 3>>>();
    return cudaDeviceSynchronize();
}

//@ vary RANKED in {true, false};
//@ expect required count == 2 && kept[0] + kept[1] == 4 && kept[2] == 0 when RANKED;
//@ expect allowed kept[0] == 3 when RANKED;
//@ expect race_free when RANKED;
//@ expect race on kept when !RANKED;
//@ expect terminates;
