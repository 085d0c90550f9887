// microsoft/onnxruntime#26512: the host reads what cudaMemcpyAsync brings from the device at once, since a copy to pageable memory
// is mostly done when the call returns.  "Mostly" is no promise.
constexpr bool WAITS = true;

__device__ int nonzero;

__global__ void count() { nonzero = 4; }

int main() {
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int total = 0;
    count<<<1, 1, 0, stream>>>();
    cudaMemcpyFromSymbolAsync(&total, nonzero, sizeof(int), 0, cudaMemcpyDeviceToHost, stream);
    if (WAITS) cudaStreamSynchronize(stream);
    int seen = total;
    cudaStreamSynchronize(stream);
}

//@ vary WAITS in {true, false};
//@ options races = ignore;
//@ expect race_free when WAITS;
//@ expect required main.seen == 4 when WAITS;
//@ expect race on main.total when !WAITS;
//@ expect allowed main.seen == 0 when !WAITS;
