// Two streams take turns at one pinned buffer: the copy of the next input waits for an event that says that the kernel has read the
// last one.  Without the wait the copy overtakes the kernel.
constexpr bool WAITS = true;

__device__ int input, sum;

__global__ void consume() { sum += input; }

int main() {
    cudaStream_t copies, kernels;
    cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
    cudaEvent_t copied, consumed;
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&consumed, cudaEventDisableTiming);
    int* pinned;
    cudaMallocHost(&pinned, 2 * sizeof(int));
    pinned[0] = 1, pinned[1] = 2;
    for (int batch = 0; batch < 2; ++batch) {
        if (WAITS && batch > 0) cudaStreamWaitEvent(copies, consumed, 0);
        cudaMemcpyToSymbolAsync(input, &pinned[batch], sizeof(int), 0, cudaMemcpyHostToDevice, copies);
        cudaEventRecord(copied, copies);
        cudaStreamWaitEvent(kernels, copied, 0);
        consume<<<1, 1, 0, kernels>>>();
        cudaEventRecord(consumed, kernels);
    }
    cudaDeviceSynchronize();
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect required sum == 3 when WAITS;
//@ expect race on input when !WAITS;
