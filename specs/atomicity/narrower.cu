// "it specifies a scope other than thread_scope_system": atomic without any clause, here on managed memory that the host
// and the devices may not access concurrently.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__managed__ int n = 0;

__global__ void count() {
    cuda::atomic_ref<int, S>(n).fetch_add(1, cuda::memory_order_relaxed);
}

//@ launch count<<<2, 1>>>();
//@ given concurrentManagedAccess = 0;
//@ vary S in {device, system};
//@ expect race_free when S == device under cuda-v1, cuda-v2, cuda-v3;
//@ expect required n == 2 when S == device under cuda-v1, cuda-v2, cuda-v3;
//@ expect race on n when S == system under cuda-v1, cuda-v2, cuda-v3;
