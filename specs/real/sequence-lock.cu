// A sequence lock: a writer makes the sequence odd, writes two words, and makes it even; a reader takes a copy and looks whether
// the sequence was even and has not changed.  The words are relaxed accesses, and fences order them with the sequence.
constexpr bool FENCES = true;

__device__ unsigned sequence;
__device__ int word[2];

__device__ int load(int* at) {
    int seen;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(at) : "memory");
    return seen;
}
__device__ void store(int* at, int value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
__device__ void fence() {
    if (FENCES) asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

__global__ void snapshot() {
    int* counter = (int*)&sequence;
    if (blockIdx.x == 0) {
        store(counter, 1);
        fence();
        store(&word[0], 5);
        store(&word[1], 5);
        fence();
        store(counter, 2);
    } else {
        int before = load(counter);
        fence();
        int first = load(&word[0]), second = load(&word[1]);
        fence();
        int after = load(counter);
        bool torn = before == after && before % 2 == 0 && first != second;
    }
}

int main() {
    snapshot<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary FENCES in {true, false};
//@ expect race_free;
//@ expect forbidden snapshot[1][0].torn == 1 when FENCES under cuda, ptx;
//@ expect allowed snapshot[1][0].torn == 1 when !FENCES under cuda, ptx;
