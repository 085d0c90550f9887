// Sequential consistency covers read-modify-writes: two increments are two, also under the HRF models.
#include <cuda/atomic>

__device__ int count = 0;

__global__ void add() {
    int old = cuda::atomic_ref<int, cuda::thread_scope_device>(count).fetch_add(1, cuda::memory_order_acq_rel);
}

//@ launch add<<<2, 1>>>();
//@ expect required count == 2 under hrf0, hrf-direct, hrf-indirect, sc-drf;
//@ expect allowed add[0][0].old == 1 under hrf0;
//@ expect race_free under hrf0, hrf-direct, hrf-indirect, sc-drf;
//@ expect required count == 2 under hrf0-hw;
