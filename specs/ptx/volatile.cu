// PTX: a volatile access is "equivalent to a relaxed memory operation with system-scope" (ISA, "volatile Operation"), so a
// volatile flag between fences hands data over, as code that is older than atomics has it.  In CUDA C++ it is a race.
constexpr bool FENCES = true;

__device__ volatile int flag;
__device__ int data;

__global__ void handover() {
    int r = 2;
    if (blockIdx.x == 0) {
        data = 1;
        if (FENCES) __threadfence();
        flag = 1;
    } else {
        if (flag == 1) {
            if (FENCES) __threadfence();
            r = data;
        }
    }
}

//@ launch handover<<<2, 1>>>();
//@ vary FENCES in {true, false};
//@ expect race on flag;
//@ expect race_free when FENCES under ptx;
//@ expect race on data when !FENCES under ptx;
//@ expect forbidden handover[1][0].r == 0 when FENCES under ptx;
//@ expect allowed handover[1][0].r == 0 when !FENCES under ptx;
