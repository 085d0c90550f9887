// A semaphore as a lock: each block that takes it has started, so it is owed the steps to give it back.  With none to
// take, or one that is not given back, the other waits for ever.
#include <cuda/semaphore>

constexpr int FREE = 1;
constexpr bool GIVES_BACK = true;

__device__ cuda::counting_semaphore<cuda::thread_scope_device, 1> free_(FREE);

__global__ void work() {
    free_.acquire();
    if (GIVES_BACK) free_.release();
}

//@ launch work<<<2, 1>>>();
//@ vary FREE in {1, 0};
//@ vary GIVES_BACK in {true, false};
//@ expect race_free;
//@ expect terminates when FREE == 1 && GIVES_BACK;
//@ expect may_hang when FREE == 0 || !GIVES_BACK;
