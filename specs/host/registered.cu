// cudaHostRegister maps host memory "for the device(s)" and cudaHostUnregister "makes it pageable again" (CUDA runtime API),
// each from where it is called.  Where memory is mapped, a load or a store of an aligned int is atomic at system scope (memory
// model, "Atomicity"); where it is not and devices cannot access pageable memory, a device's access has no meaning, of
// which scopec warns, and no atomic operation of system scope on it is atomic.
#include <cuda/atomic>

constexpr int BEFORE = 0, AFTER_LAUNCH = 1, UNREGISTERED_EARLY = 2, UNREGISTERED_LATE = 3, NEVER = 4;
constexpr int REGISTERED = BEFORE;

int flag = 0;

__global__ void set(int* f) {
    cuda::atomic_ref<int, cuda::thread_scope_system>(*f).store(1, cuda::memory_order_relaxed);
}

int main() {
    const bool before = REGISTERED != NEVER && REGISTERED != AFTER_LAUNCH;
    if (before) cudaHostRegister(&flag, sizeof(flag), cudaHostRegisterDefault);
    if (REGISTERED == UNREGISTERED_EARLY) cudaHostUnregister(&flag);
    set<<<1, 1>>>(&flag);
    if (REGISTERED == AFTER_LAUNCH) cudaHostRegister(&flag, sizeof(flag), cudaHostRegisterDefault);
    cuda::atomic_ref<int, cuda::thread_scope_system> own(flag);
    int seen = own.load(cuda::memory_order_relaxed);
    cudaDeviceSynchronize();
    if (REGISTERED == UNREGISTERED_LATE) cudaHostUnregister(&flag);
}

//@ vary REGISTERED in {0, 1, 2, 3, 4};
//@ expect race_free when REGISTERED == BEFORE || REGISTERED == UNREGISTERED_LATE;
//@ expect race on flag when REGISTERED != BEFORE && REGISTERED != UNREGISTERED_LATE;
