// pytorch/pytorch#128455: blocks leave partial results, and the last one, which a ticket tells so, adds them up.  Each fenced what
// it wrote before it took its ticket; the last one read the results of the others without a fence after its ticket.
constexpr bool FENCE = true;

__device__ int partial[2], sum;
__device__ unsigned tickets;

__global__ void reduce() {
    partial[blockIdx.x] = blockIdx.x + 1;
    __threadfence();
    if (atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1) {
        if (FENCE) __threadfence();
        sum = partial[0] + partial[1];
    }
}

int main() {
    reduce<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary FENCE in {true, false};
//@ options races = ignore;
//@ expect race_free when FENCE;
//@ expect required sum == 3 when FENCE under cuda, ptx;
//@ expect terminates;
//@ expect race on partial when !FENCE;
//@ expect allowed sum != 3 when !FENCE under ptx;
