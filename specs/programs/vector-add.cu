// The program that CUDA's books begin with, on a stream of its own that nothing orders with the copies.  The copy back has
// to wait for the kernel, and the kernel for the copies before: one from pageable memory may return before it has arrived.
// The guard keeps the threads that the last block has too many away from the data.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        cudaError_t status = (call);                                                       \
        if (status != cudaSuccess) {                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(EXIT_FAILURE);                                                            \
        }                                                                                  \
    } while (0)

constexpr bool ARRIVED = true, ORDERED = true;
constexpr int N = 3;

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    float a[N] = {1, 2, 3}, b[N] = {4, 5, 6}, c[N];
    float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;
    const size_t size = N * sizeof(float);
    CHECK(cudaMalloc(&device_a, size));
    CHECK(cudaMalloc(&device_b, size));
    CHECK(cudaMalloc((void**)&device_c, size));
    CHECK(cudaMemcpy(device_a, a, size, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b, size, cudaMemcpyHostToDevice));
    const int threads = 2, blocks = (N + threads - 1) / threads;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (ARRIVED) CHECK(cudaDeviceSynchronize());
    add<<<blocks, threads, 0, stream>>>(device_a, device_b, device_c, N);
    CHECK(cudaGetLastError());
    if (ORDERED) CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(c, device_c, size, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(stream));
    printf("%f\n", c[0]);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    return EXIT_SUCCESS;
}

//@ vary ARRIVED in {true, false};
//@ vary ORDERED in {true, false};
//@ expect race_free when ARRIVED && ORDERED;
//@ expect race on device_b when !ARRIVED;
//@ expect race on device_c when !ORDERED;
//@ expect terminates when ORDERED;
// Nothing waits for the kernel: no call ensures that it makes progress when main has returned.
//@ expect may_hang when !ORDERED;
