// cp.async: a copy is complete for the thread that waits for its group, and for no other before they meet.
constexpr int LEFT = 0;        // groups that may be left when the wait returns
constexpr bool OWN = true;     // reads what it has copied itself, or what its neighbour has
constexpr bool MEETS = true;

__device__ int in[4], out[2];

__device__ void copy(int* to, const int* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

__global__ void k() {
    __shared__ int tile[4];
    const int t = threadIdx.x;
    copy(&tile[t], &in[t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    copy(&tile[2 + t], &in[2 + t]);
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" :: "n"(LEFT) : "memory");
    if (MEETS) __syncthreads();
    out[t] = tile[OWN ? 2 + t : 3 - t];
}

//@ launch k<<<1, 2>>>();
//@ vary LEFT in {0, 1};
//@ vary OWN in {true, false};
//@ vary MEETS in {true, false};
//@ expect race_free when LEFT == 0 && (OWN || MEETS);
//@ expect race when LEFT == 1 || (!OWN && !MEETS);
//@ expect race_free when LEFT == 0 && (OWN || MEETS) under ptx;
//@ expect race when LEFT == 1 || (!OWN && !MEETS) under ptx;
