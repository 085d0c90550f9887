// alpaka-group/alpaka#850, #851: cudaMemcpy and cudaMemset are in the legacy stream, which non-blocking streams do not wait for,
// and which does not wait for them.
constexpr bool SAME_STREAM = true;

__device__ int value;

__global__ void fill() { value = 1; }

int main() {
    int* pinned;
    cudaMallocHost(&pinned, sizeof(int));
    cudaStream_t queue;
    cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking);
    fill<<<1, 1, 0, queue>>>();
    if (SAME_STREAM) {
        cudaMemcpyFromSymbolAsync(pinned, value, sizeof(int), 0, cudaMemcpyDeviceToHost, queue);
        cudaStreamSynchronize(queue);
    } else {
        cudaMemcpyFromSymbol(pinned, value, sizeof(int));
    }
    int seen = *pinned;
}

//@ vary SAME_STREAM in {true, false};
//@ options races = ignore;
//@ expect race_free when SAME_STREAM;
//@ expect required main.seen == 1 when SAME_STREAM;
//@ expect race on value when !SAME_STREAM;
//@ expect allowed main.seen == 0 when !SAME_STREAM;
