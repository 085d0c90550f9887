// PTX: ld.volatile "has the same memory synchronization semantics as ld.relaxed.sys" (ISA, "ld"), so between fences a flag that
// is accessed so hands data over, under CUDA's model too: who writes the instruction means it.  The volatile of C++ is no atomic
// operation ([intro.races]), although nvcc makes the same instruction of it.
constexpr bool STORE = true, LOAD = true, FENCES = true;

__device__ int flag, data;

__global__ void handover() {
    int r = 2;
    if (blockIdx.x == 0) {
        data = 1;
        if (FENCES) __threadfence();
        if (STORE)
            asm volatile("st.volatile.global.s32 [%0], 1;" ::"l"(&flag) : "memory");
        else
            *(volatile int*)&flag = 1;
    } else {
        int seen;
        if (LOAD)
            asm volatile("ld.volatile.global.s32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
        else
            seen = *(volatile int*)&flag;
        if (seen == 1) {
            if (FENCES) __threadfence();
            r = data;
        }
    }
}

//@ launch handover<<<2, 1>>>();
//@ vary STORE in {true, false};
//@ vary LOAD in {true, false};
//@ vary FENCES in {true, false};
//@ expect race_free when FENCES && STORE && LOAD;
//@ expect race_free when FENCES under ptx;
//@ expect race on flag when !(STORE && LOAD);
//@ expect race on data when !FENCES && STORE && LOAD under cuda, ptx;
//@ expect forbidden handover[1][0].r == 0 when FENCES && STORE && LOAD;
