// A shuffle gives a lane another one's value and orders no memory: what lies behind a pointer, or beside a flag, that is
// passed so needs a __syncwarp ("The __shfl_sync() intrinsics do not imply a memory barrier", CUDA C++ programming guide).
constexpr bool SYNCHRONISED = true;

__device__ int data;

__global__ void pass() {
    int seen = 0;
    if (threadIdx.x == 0) {
        data = 42;
        seen = 1;
    }
    if (SYNCHRONISED) __syncwarp();
    seen = __shfl_sync(0xffffffff, seen, 0);
    int r = 0;
    if (threadIdx.x == 1 && seen == 1) r = data;
}

//@ launch pass<<<1, 2>>>();
//@ options races = ignore;
//@ vary SYNCHRONISED in {true, false};
//@ expect required pass[0][1].seen == 1;
//@ expect race_free when SYNCHRONISED;
//@ expect required pass[0][1].r == 42 when SYNCHRONISED;
//@ expect race on data when !SYNCHRONISED;
//@ expect allowed pass[0][1].r == 0 when !SYNCHRONISED;
//@ expect terminates;
