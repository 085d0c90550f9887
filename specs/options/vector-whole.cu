// vector.cu where a vector access is given to be one access: who sees the flag sees the data, but not where they are sent in
// two accesses.
constexpr int SENDS = 0;    // 0: a vector, 1: the flag and then the data, 2: the data and then the flag

__device__ __align__(8) unsigned line[2];
__device__ unsigned out;

__device__ void send(unsigned data, unsigned flag) {
    if constexpr (SENDS == 0)
        asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" :: "l"(line), "r"(data), "r"(flag) : "memory");
    if constexpr (SENDS == 1) asm volatile("st.volatile.global.u32 [%0 + 4], %1;" :: "l"(line), "r"(flag) : "memory");
    if constexpr (SENDS != 0) asm volatile("st.volatile.global.u32 [%0], %1;" :: "l"(line), "r"(data) : "memory");
    if constexpr (SENDS == 2) asm volatile("st.volatile.global.u32 [%0 + 4], %1;" :: "l"(line), "r"(flag) : "memory");
}

__device__ unsigned receive(unsigned expected) {
    unsigned data, flag;
    do asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];" : "=r"(data), "=r"(flag) : "l"(line) : "memory");
    while (flag != expected);
    return data;
}

__global__ void k() {
    if (blockIdx.x == 0) send(7, 1);
    else out = receive(1);
}

//@ launch k<<<2, 1>>>();
//@ vary SENDS in {0, 1, 2};
//@ given vector = whole;
//@ expect race_free under ptx;
//@ expect required out == 7 when SENDS == 0 under ptx;
//@ expect allowed out == 0 when SENDS != 0 under ptx;
//@ expect forbidden out == 1 under ptx;
