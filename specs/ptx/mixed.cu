// PTX and CUDA C++ in one program: store buffering between seq_cst atomics and accesses with a fence in inline PTX.
#include <cuda/atomic>

constexpr bool SC = true;   // fence.sc, or fence.acq_rel

__device__ int x, y;

__global__ void sb() {
    int r = 2;
    if (blockIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(x), other(y);
        mine.store(1);
        r = other.load();
    } else {
        asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" :: "l"(&y) : "memory");
        if constexpr (SC) asm volatile("fence.sc.gpu;" ::: "memory");
        else asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(&x) : "memory");
    }
}

//@ launch sb<<<2, 1>>>();
//@ vary SC in {true, false};
//@ expect race_free;
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when SC under cuda, ptx;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when !SC under cuda, ptx;
