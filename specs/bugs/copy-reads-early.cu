// NVIDIA/cccl#3814: cudaMemcpyAsync from pageable memory behind a host function that fills it.  "If pageable memory must first be
// staged to pinned memory, the driver may synchronize with the stream": it need not, and an H200 reads the buffer during the call.
#include <cuda_runtime.h>
constexpr int PINNED = 1;

int buffer[1];
void fill(void* memory) { *(int*)memory = 1; }

int main() {
    int *device, *pinned;
    cudaMalloc(&device, sizeof(int));
    cudaMallocHost(&pinned, sizeof(int));
    *pinned = 0;
    int* source = PINNED ? pinned : buffer;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, fill, source);
    cudaMemcpyAsync(device, source, sizeof(int), cudaMemcpyHostToDevice, stream);
    int seen = 0;
    cudaStreamSynchronize(stream);
    cudaMemcpy(&seen, device, sizeof(int), cudaMemcpyDeviceToHost);
}

//@ vary PINNED in {0, 1};
//@ options races = ignore;
//@ expect race_free when PINNED == 1;
//@ expect required main.seen == 1 when PINNED == 1;
//@ expect race on buffer when PINNED == 0;
//@ expect allowed main.seen == 0 when PINNED == 0;
//@ expect terminates;
