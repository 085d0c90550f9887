// PTX: the accesses of a vector's elements are in no order, whatever order each has, while two accesses one after the other
// are; what comes before and behind a vector access is ordered with each element.
constexpr int READS = 0;    // 0: a vector, 1: the first element and then the second, 2: the second and then the first
constexpr int WRITES = 0;

__device__ int x;
__device__ __align__(8) int a[2];

__global__ void k() {
    int first = 2, second = 2, r = 2;
    if (blockIdx.x == 0) {
        x = 1;
        if constexpr (WRITES == 0) {
            asm volatile("st.release.gpu.global.v2.s32 [%0], {%1, %1};" :: "l"(a), "r"(1) : "memory");
        } else {
            asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(a + (WRITES == 2)) : "memory");
            asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(a + (WRITES == 1)) : "memory");
        }
    } else {
        if constexpr (READS == 0)
            asm volatile("ld.acquire.gpu.global.v2.s32 {%0, %1}, [%2];" : "=r"(first), "=r"(second) : "l"(a) : "memory");
        if constexpr (READS == 1)
            asm volatile("ld.acquire.gpu.global.s32 %0, [%2]; ld.acquire.gpu.global.s32 %1, [%2 + 4];"
                         : "=r"(first), "=r"(second) : "l"(a) : "memory");
        if constexpr (READS == 2)
            asm volatile("ld.acquire.gpu.global.s32 %1, [%2 + 4]; ld.acquire.gpu.global.s32 %0, [%2];"
                         : "=r"(first), "=r"(second) : "l"(a) : "memory");
        if (first == 1 || second == 1) r = x;
    }
}

//@ launch k<<<2, 1>>>();
//@ vary READS in {0, 1, 2};
//@ vary WRITES in {0, 1, 2};
//@ expect race_free;
//@ expect forbidden k[1][0].r == 0 under cuda, ptx;
//@ expect forbidden k[1][0].first == 1 && k[1][0].second == 0 when READS == 1 && WRITES == 2 under cuda, ptx;
//@ expect allowed k[1][0].first == 1 && k[1][0].second == 0 when READS != 1 || WRITES != 2 under cuda, ptx;
//@ expect forbidden k[1][0].first == 0 && k[1][0].second == 1 when READS == 2 && WRITES == 1 under cuda, ptx;
//@ expect allowed k[1][0].first == 0 && k[1][0].second == 1 when READS != 2 || WRITES != 1 under cuda, ptx;
