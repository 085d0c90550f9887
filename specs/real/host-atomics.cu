// Host and device pass a message and take turns at a lock with the builtin functions of GCC and clang, and of CUDA's own
// compiler.  A lock that is taken by a relaxed exchange protects nothing.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

constexpr bool RELAXED = false;

#define CHECK(CALL)                                                                 \
    do {                                                                            \
        const cudaError_t error = (CALL);                                           \
        if (error != cudaSuccess) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(EXIT_FAILURE);                                                     \
        }                                                                           \
    } while (0)

__managed__ int lock, visits, message, sent;

__host__ __device__ void enter() {
    if (RELAXED)
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_RELAXED)) {}
    else
        while (__sync_lock_test_and_set(&lock, 1)) {}
}
__host__ __device__ void leave() { __sync_lock_release(&lock); }

__global__ void visitor() {
    enter();
    ++visits;
    leave();
    while (__nv_atomic_load_n(&sent, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM) == 0) {}
    atomicAdd_system(&visits, message);
}

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "none";
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    if (!properties.concurrentManagedAccess) throw std::runtime_error(name);
    const auto start = std::chrono::steady_clock::now();
    visitor<<<1, 1>>>();
    CHECK(cudaPeekAtLastError());
    enter();
    ++visits;
    leave();
    message = 40;
    int none = 0;
    __atomic_compare_exchange_n(&sent, &none, 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    printf("%s: %f ms, %d\n", name.c_str(), took.count(), visits);
}

//@ vary RELAXED in {false, true};
//@ expect race_free when !RELAXED;
//@ expect required visits == 42 when !RELAXED;
//@ expect race on visits when RELAXED;
