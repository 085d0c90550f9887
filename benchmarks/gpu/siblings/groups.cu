// cp.async: a copy is complete for the thread that waits for its group, and for no other before they meet.
constexpr int LEFT = 0;       // groups that may be left when the wait returns; -1: no wait
constexpr bool OWN = false;   // reads what it has copied itself, or what its neighbour has
constexpr bool MEETS = true;

__device__ int in[2] = {1, 1}, out[2];

__global__ void k() {
    if (threadIdx.x % 32 != 0) return;
    __shared__ int tile[2];
    const int t = threadIdx.x / 32;
    tile[t] = 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"((unsigned)__cvta_generic_to_shared(&tile[t])), "l"(&in[t]) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (LEFT == 0) asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (LEFT == 1) asm volatile("cp.async.wait_group 1;" ::: "memory");
    if (MEETS) __syncthreads();
    out[t] = tile[OWN ? t : 1 - t];
}

//@ launch k<<<1, 64>>>();
//@ vary LEFT in {0, 1, -1};
//@ vary OWN in {true, false};
//@ vary MEETS in {true, false};
//@ expect race_free when LEFT == 0 && (OWN || MEETS);
//@ expect race when LEFT != 0 || (!OWN && !MEETS);
//@ expect required out[0] == 1 && out[1] == 1 when LEFT == 0 && (OWN || MEETS);
