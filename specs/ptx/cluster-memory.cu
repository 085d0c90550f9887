// PTX: a message to another block of the cluster, through its shared memory: the flag's order and scope, and the barriers
// around it, make it arrive, and the memory be there.
constexpr int ORDER = 2;   // of the flag: 0 relaxed, 1 at the scope of the block alone, 2 release and acquire in the cluster
constexpr bool LAST = true;

__device__ int out;

__device__ unsigned there(const void* here, unsigned rank) {
    unsigned place = (unsigned)__cvta_generic_to_shared(here), found;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(found) : "r"(place), "r"(rank));
    return found;
}

__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2, 1, 1) pass() {
    __shared__ int data;
    __shared__ unsigned flag;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    flag = 0;
    meet();
    if (rank == 0) {
        asm volatile("st.shared::cluster.u32 [%0], 42;" :: "r"(there(&data, 1)) : "memory");
        unsigned its = there(&flag, 1);
        if constexpr (ORDER == 0) asm volatile("st.relaxed.cluster.shared::cluster.u32 [%0], 1;" :: "r"(its) : "memory");
        if constexpr (ORDER == 1) asm volatile("st.release.cta.shared::cluster.u32 [%0], 1;" :: "r"(its) : "memory");
        if constexpr (ORDER == 2) asm volatile("st.release.cluster.shared::cluster.u32 [%0], 1;" :: "r"(its) : "memory");
    } else {
        unsigned r;
        asm volatile("ld.acquire.cluster.shared::cta.u32 %0, [%1];"
                     : "=r"(r) : "r"((unsigned)__cvta_generic_to_shared(&flag)) : "memory");
        if (r == 1) out = data;
    }
    if (LAST) meet();
}

//@ launch pass<<<2, 1>>>();
//@ vary ORDER in {0, 1, 2};
//@ vary LAST in {true, false};
//@ expect race_free when ORDER == 2 && LAST under cuda, ptx;
//@ expect forbidden out == 0 && pass[1][0].r == 1 when ORDER == 2 && LAST under cuda, ptx;
//@ expect allowed out == 42 && pass[1][0].r == 1 when ORDER == 2 && LAST under cuda, ptx;
//@ expect race on data when ORDER < 2 under cuda, ptx;
//@ expect race when ORDER == 2 && !LAST under cuda, ptx;
//@ expect allowed out == 0 && pass[1][0].r == 1 when ORDER < 2 && LAST under ptx;
