// Store buffering with seq_cst operations at block scope across blocks: they do not include each other, so the order of
// seq_cst operations does not join them, and they race.
#include <cuda/atomic>

constexpr cuda::thread_scope S = cuda::thread_scope_device;

__device__ cuda::atomic<int, S> x{0}, y{0};

__global__ void sb() {
    int r;
    if (blockIdx.x == 0) {
        x.store(1);
        r = y.load();
    } else {
        y.store(1);
        r = x.load();
    }
}

//@ launch sb<<<2, 1>>>();
//@ options races = ignore;
//@ vary S in {device, block};
//@ expect forbidden sb[0][0].r == 0 && sb[1][0].r == 0 when S == device;
//@ expect race_free when S == device;
//@ expect allowed sb[0][0].r == 0 && sb[1][0].r == 0 when S == block;
//@ expect race when S == block;
