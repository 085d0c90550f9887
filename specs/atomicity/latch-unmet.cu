// A member of a latch is to races what an atomic operation of its scope is: at system scope, in memory that host and
// device share, it is atomic where a clause of the document says so: here none does.
#include <cuda/latch>

__managed__ cuda::latch<cuda::thread_scope_system> done(2);

__global__ void first() { done.count_down(); }

int main() {
    first<<<1, 1>>>();
    done.count_down();
    cudaDeviceSynchronize();
}

//@ given concurrentManagedAccess = 0;
//@ expect race on done under cuda-v1, cuda-v2, cuda-v3;
