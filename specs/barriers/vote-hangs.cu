// A vote waits for every lane of its mask that has not exited: one that waits elsewhere for what comes after is a hang.
#include <cuda/atomic>

constexpr bool TOGETHER = true;

__device__ cuda::atomic<int, cuda::thread_scope_device> go;

__global__ void vote() {
    if (!TOGETHER && threadIdx.x == 1)
        while (go.load() == 0);
    int any = __any_sync(0x3, threadIdx.x == 1);
    if (threadIdx.x == 0) go.store(any);
    if (TOGETHER && threadIdx.x == 1)
        while (go.load() == 0);
}

//@ launch vote<<<1, 2>>>();
//@ vary TOGETHER in {true, false};
//@ expect race_free;
//@ expect terminates when TOGETHER;
//@ expect required vote[0][0].any == 1 && vote[0][1].any == 1 when TOGETHER;
//@ expect may_hang when !TOGETHER;
