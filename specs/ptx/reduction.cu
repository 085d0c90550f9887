// PTX: the read of a reduction begins no acquire pattern, that of an atom does: "red.add [M], 1; fence.acquire; is not an acquire
// pattern" (ISA, "Release and Acquire Patterns").  What a reduction writes, and those who observe it, synchronize.
constexpr bool RED = true;

__device__ int x, f, y;

__global__ void k() {
    int r = 2, seen = 0, old = 0;
    if (blockIdx.x == 0) {
        x = 1;
        asm volatile("red.release.gpu.global.add.s32 [%0], 1;" :: "l"(&f) : "memory");
    } else if (blockIdx.x == 1) {
        if constexpr (RED) asm volatile("red.relaxed.gpu.global.add.s32 [%0], 2;" :: "l"(&f) : "memory");
        else asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], 2;" : "=r"(old) : "l"(&f) : "memory");
        asm volatile("fence.acquire.gpu;" ::: "memory");
        r = x;
    } else {
        asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(&f) : "memory");
        r = x;
    }
}

//@ launch k<<<3, 1>>>();
//@ vary RED in {true, false};
//@ options races = ignore;
//@ expect allowed f == 3 && k[1][0].r == 0 && k[2][0].seen == 1 when RED under ptx;
//@ expect forbidden f == 3 && k[1][0].r == 0 && k[2][0].seen == 1 when !RED under ptx;
//@ expect forbidden k[2][0].seen == 3 && k[2][0].r == 0 under ptx;
//@ expect forbidden k[1][0].old == 1 && k[1][0].r == 0 when !RED under ptx;
