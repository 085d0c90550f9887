// The host reads what a copy brings back: behind a synchronisation with the copy's stream, or with another one.
#include <cuda_runtime.h>
constexpr bool SAME = true;

__global__ void produce(int* data) { *data = 1; }

int main() {
    int *data, *back;
    cudaMalloc(&data, sizeof(int));
    cudaMallocHost(&back, sizeof(int));
    *back = 0;
    cudaStream_t stream, other;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);

    produce<<<1, 1, 0, stream>>>(data);
    cudaMemcpyAsync(back, data, sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(SAME ? stream : other);
    int seen = *back;
    cudaDeviceSynchronize();
}

//@ vary SAME in {true, false};
//@ expect race_free when SAME;
//@ expect race on back when !SAME;
//@ expect required main.seen == 1 when SAME;
