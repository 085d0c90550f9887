// vllm-project/vllm#8404: each GPU says by a volatile flag in the memory of the other that its input is there, and reads the
// other's once it sees its own flag.  No fence, no release: mended with release stores and acquire loads (vllm-project/vllm#8558).
constexpr bool ORDERED = true;

__device__ int flag[2], input[2], out[2];

__device__ void raise(int* where) {
    if (ORDERED)
        asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(where), "r"(1) : "memory");
    else
        *(volatile int*)where = 1;
}

__device__ int look(int* where) {
    if (!ORDERED) return *(volatile int*)where;
    int seen;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(where) : "memory");
    return seen;
}

__global__ void all_reduce() {
    int rank = blockIdx.x;
    input[rank] = rank + 1;
    raise(&flag[1 - rank]);
    while (look(&flag[rank]) == 0);
    out[rank] = input[0] + input[1];
}

int main() {
    all_reduce<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary ORDERED in {true, false};
//@ options races = ignore;
//@ expect race_free when ORDERED;
//@ expect required out[0] == 3 && out[1] == 3 when ORDERED under cuda, ptx;
//@ expect race on flag when !ORDERED;
//@ expect race on input when !ORDERED;
//@ expect allowed out[0] == 1 when !ORDERED under ptx;
