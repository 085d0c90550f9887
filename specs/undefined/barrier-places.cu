// All lanes of a warp come to one `__syncthreads()`: "In conditionally executed code, an aligned barrier instruction should only be
// used if it is known that all threads in the warp evaluate the condition identically, otherwise behavior is undefined" (PTX ISA,
// "bar").  Two branches of one warp are two instructions; warps may take different ones.
constexpr int FIRST = 32;

__device__ int left, right, seen[2];

__global__ void swap(int first) {
    if (threadIdx.x < first) {
        if (threadIdx.x == 0) left = 1;
        __syncthreads();
        if (threadIdx.x == 0) seen[0] = right;
    } else {
        if (threadIdx.x == first) right = 1;
        __syncthreads();
        if (threadIdx.x == first) seen[1] = left;
    }
}

//@ launch swap<<<1, 33>>>(FIRST);
//@ vary FIRST in {32, 16};
//@ expect undefined when FIRST == 16;
//@ expect race_free when FIRST == 32;
//@ expect required seen[0] == 1 && seen[1] == 1 when FIRST == 32;
