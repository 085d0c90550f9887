// One thread ends the turns of all by a word in shared memory, with a barrier on either side of its write.  The barrier
// before the write is passed where the others have arrived or have exited; who exits has read the word before.
constexpr bool BEFORE = true;
constexpr bool BEHIND = true;

__global__ void turns(const int* more) {
    __shared__ int again;
    if (threadIdx.x == 0) again = 1;
    __syncthreads();
    while (again) {
        if (BEFORE) __syncthreads();
        if (threadIdx.x == 0) again = *more;
        if (BEHIND) __syncthreads();
    }
}

//@ object __device__ int more;
//@ launch turns<<<1, 2>>>(&more);
//@ vary BEFORE in {true, false};
//@ vary BEHIND in {true, false};
//@ expect race_free when BEFORE && BEHIND;
//@ expect race on turns.again when !BEFORE || !BEHIND;
//@ expect terminates when BEFORE && BEHIND;
