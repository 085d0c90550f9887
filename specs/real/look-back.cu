// Decoupled look-back: a block publishes the sum of its own part, and adds those of the blocks before it as they come.  Status
// words are written and read relaxed; fences on both sides make the values count that lie beside them.
constexpr bool WRITER_FENCES = true;
constexpr bool READER_FENCES = true;

__device__ int status[2], value[2], prefix[2];

__device__ void fence() { asm volatile("fence.acq_rel.gpu;" ::: "memory"); }

__device__ void publish(int block, int sum) {
    value[block] = sum;
    if (WRITER_FENCES) fence();
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(status + block), "r"(1) : "memory");
}

__device__ int sum_of(int block) {
    int ready;
    asm volatile("{\n"
                 "  .reg .pred waiting;\n"
                 "again:\n"
                 "  ld.relaxed.gpu.global.s32 %0, [%1];\n"
                 "  setp.eq.s32 waiting, %0, 0;\n"
                 "  @waiting bra again;\n"
                 "}\n"
                 : "=r"(ready)
                 : "l"(status + block)
                 : "memory");
    if (READER_FENCES) fence();
    return value[block];
}

__global__ void scan() {
    int block = blockIdx.x, own = 2 * block + 1;
    publish(block, own);
    int before = 0;
    while (block-- > 0) before += sum_of(block);
    prefix[blockIdx.x] = before;
}

int main() {
    scan<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary WRITER_FENCES in {true, false};
//@ vary READER_FENCES in {true, false};
//@ options races = ignore;
//@ expect race_free when WRITER_FENCES && READER_FENCES;
//@ expect race on value when !WRITER_FENCES || !READER_FENCES;
//@ expect required prefix[0] == 0 && prefix[1] == 1 when WRITER_FENCES && READER_FENCES under cuda, ptx;
//@ expect forbidden prefix[1] == 0 when WRITER_FENCES && READER_FENCES under cuda, ptx;
//@ expect allowed prefix[1] == 0 when !WRITER_FENCES under cuda, ptx;
//@ expect allowed prefix[1] == 0 when WRITER_FENCES && !READER_FENCES under ptx;
// The second block may be there first, and wait for one that nothing starts.
//@ expect may_hang when WRITER_FENCES && READER_FENCES;
