// A flag as communication libraries spell it, for two devices, where both sides are on one: fences and accesses of the system.
__device__ volatile int flag = 0;
__device__ volatile int data = 0;

__global__ void send() {
    int heard = 42;
    if (blockIdx.x == 0) {
        asm volatile("st.relaxed.sys.global.s32 [%0], 42;" ::"l"(&data) : "memory");
        asm volatile("membar.sys;" ::: "memory");
        asm volatile("st.relaxed.sys.global.s32 [%0], 1;" ::"l"(&flag) : "memory");
    } else {
        int seen;
        asm volatile("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(seen) : "l"(&flag) : "memory");
        asm volatile("membar.sys;" ::: "memory");
        if (seen == 1) asm volatile("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(heard) : "l"(&data) : "memory");
    }
}

//@ launch send<<<2, 1>>>();
//@ expect race_free;
//@ expect required send[1][0].heard == 42;
