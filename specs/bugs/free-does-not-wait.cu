// kokkos/kokkos#9307: cudaFree is taken to wait for the kernels that use the memory.  It "may perform implicit synchronization", and
// performs none for memory of a pool.
#include <cuda_runtime.h>
constexpr int WAITS = 1;

__global__ void fill(int* data) { *data = 1; }

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int* data;
    cudaMallocAsync(&data, sizeof(int), stream);
    fill<<<1, 1, 0, stream>>>(data);
    if (WAITS) cudaStreamSynchronize(stream);
    cudaFree(data);
    cudaDeviceSynchronize();
}

//@ vary WAITS in {0, 1};
//@ expect race_free when WAITS == 1;
//@ expect race when WAITS == 0;
