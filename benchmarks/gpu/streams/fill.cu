// An asynchronous fill in the kernel's stream, or in one that the kernel waits for nowhere.
#include <cuda_runtime.h>
constexpr bool SAME = true;

__global__ void add(int* data) { data[threadIdx.x] += 1; }

int main() {
    int* data;
    cudaMalloc(&data, 2 * sizeof(int));
    cudaMemset(data, 0x11, 2 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);

    cudaMemsetAsync(data, 0, 2 * sizeof(int), SAME ? stream : other);
    add<<<1, 2, 0, stream>>>(data);
    cudaDeviceSynchronize();
    int seen[2];
    cudaMemcpy(seen, data, 2 * sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary SAME in {true, false};
//@ expect race_free when SAME;
//@ expect race on data when !SAME;
//@ expect required main.seen[0] == 1 && main.seen[1] == 1 when SAME;
