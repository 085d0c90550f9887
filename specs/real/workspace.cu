// Two ranks find their buffers and flags by a table of pointers in memory, as the kernels of collective operations get them.
// A table that is filled in the order of another stream may be followed before it is there.
constexpr bool WAITS = true;

__device__ int parts[2], flags[2], sum;

struct Comm {
    int* parts;
    int* flag[2];
    int* sum;
    __device__ Comm(void** workspace)
        : parts((int*)workspace[0]), flag{(int*)workspace[1], (int*)workspace[2]}, sum((int*)workspace[3]) {}
};

__global__ void exchange(int rank, void** workspace) {
    Comm comm(workspace);
    comm.parts[rank] = rank + 5;
    asm volatile("st.release.sys.global.u32 [%1], %0;" ::"r"(1), "l"(comm.flag[1 - rank]));
    int seen;
    do {
        asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(comm.flag[rank]));
    } while (seen == 0);
    if (rank == 0) *comm.sum = comm.parts[0] + comm.parts[1];
}

int main() {
    void *addresses[4], **workspace;
    cudaGetSymbolAddress(&addresses[0], parts);
    cudaGetSymbolAddress(&addresses[1], flags);
    cudaGetSymbolAddress(&addresses[3], sum);
    addresses[2] = (int*)addresses[1] + 1;
    cudaMalloc(&workspace, sizeof addresses);
    cudaMemcpy(workspace, addresses, sizeof addresses, cudaMemcpyHostToDevice);
    if (WAITS) cudaDeviceSynchronize();
    cudaStream_t streams[2];
    for (int rank = 0; rank < 2; ++rank) {
        cudaStreamCreateWithFlags(&streams[rank], cudaStreamNonBlocking);
        exchange<<<1, 1, 0, streams[rank]>>>(rank, workspace);
    }
    cudaDeviceSynchronize();
}

//@ vary WAITS in {true, false};
//@ expect race_free when WAITS;
//@ expect required sum == 11 when WAITS;
//@ expect race on workspace when !WAITS;
