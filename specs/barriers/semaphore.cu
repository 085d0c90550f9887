// A semaphore lets as many threads in as its counter says: with one it is a lock.
#include <cuda/semaphore>

constexpr int FREE = 1;

__device__ int counter = 0;
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 2> free_(FREE);

__global__ void enter() {
    free_.acquire();
    counter = counter + 1;
    free_.release();
}

//@ launch enter<<<2, 1>>>();
//@ options races = ignore;
//@ vary FREE in {1, 2};
//@ expect race_free when FREE == 1;
//@ expect required counter == 2 when FREE == 1;
//@ expect race on counter when FREE == 2;
//@ expect allowed counter == 1 when FREE == 2;
//@ expect terminates;
