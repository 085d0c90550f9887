// A lock without and with fences, as lock-nvcc.ptx has it from nvcc.
__global__ void add(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {
        __nanosleep(20);
    }
    __threadfence();
    *total = *total + 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void add_unfenced(int* lock, int* total) {
    while (atomicCAS(lock, 0, 1) != 0) {
        __nanosleep(20);
    }
    *total = *total + 1;
    atomicExch(lock, 0);
}

//@ object __device__ int lock, total;
//@ launch add<<<2, 1>>>(&lock, &total);
//@ expect race_free under cuda, ptx;
//@ expect required total == 2 under cuda, ptx;
//@ expect terminates;
