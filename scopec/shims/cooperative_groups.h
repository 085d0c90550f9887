#pragma once
#include <scopec_cuda.h>
SCOPEC_SHIM_BEGIN
namespace cooperative_groups {
namespace __v1 {  // where libcu++ declares its names

namespace __scopec_groups {
inline unsigned linear(unsigned x, unsigned y, unsigned z, unsigned width, unsigned height) {
    return (z * height + y) * width + x;
}
inline unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned blocks() { return gridDim.x * gridDim.y * gridDim.z; }
inline unsigned thread() { return linear(threadIdx.x, threadIdx.y, threadIdx.z, blockDim.x, blockDim.y); }
inline unsigned block() { return linear(blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x, gridDim.y); }
}  // namespace __scopec_groups

struct thread_block {
    static void sync() { __scopec_syncthreads(false); }
    static unsigned size() { return __scopec_groups::threads(); }
    static unsigned num_threads() { return size(); }
    static unsigned thread_rank() { return __scopec_groups::thread(); }
    static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static dim3 dim_threads() { return group_dim(); }
};

struct grid_group {
    static void sync() { __scopec_group_sync(3, 0); }
    static bool is_valid() { return __scopec_grid_valid(); }
    static unsigned long long size() { return (unsigned long long)__scopec_groups::blocks() * __scopec_groups::threads(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank() {
        return (unsigned long long)__scopec_groups::block() * __scopec_groups::threads() + __scopec_groups::thread();
    }
    static unsigned long long num_blocks() { return __scopec_groups::blocks(); }
    static unsigned long long block_rank() { return __scopec_groups::block(); }
    static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static dim3 group_dim() { return dim_blocks(); }
};

struct cluster_group {
    struct arrival_token {};
    static void sync() { barrier_arrive(), barrier_wait(); }
    static arrival_token barrier_arrive() { return __scopec_cluster_barrier(false), arrival_token(); }
    static void barrier_wait() { __scopec_cluster_barrier(true); }
    static void barrier_wait(arrival_token&&) { __scopec_cluster_barrier(true); }
    static unsigned num_blocks() { return __scopec_index(13); }
    static unsigned block_rank() { return __scopec_index(12); }
    template <class __T> static __T* map_shared_rank(__T* address, int rank) {
        return static_cast<__T*>(__scopec_map_shared(address, rank));
    }
    static unsigned query_shared_rank(const void* address) { return __scopec_shared_rank(address); }
    static unsigned num_threads() { return num_blocks() * __scopec_groups::threads(); }
    static unsigned size() { return num_threads(); }
    static unsigned thread_rank() { return block_rank() * __scopec_groups::threads() + __scopec_groups::thread(); }
};

// Neighbouring lanes of a warp.
template <unsigned __N, class __Parent = void> struct thread_block_tile {
    static_assert(__N != 0 && (__N & (__N - 1)) == 0 && __N <= 32, "a tile has 1, 2, 4, 8, 16 or 32 threads");
    thread_block_tile() = default;
    template <class __Other> thread_block_tile(const thread_block_tile<__N, __Other>&) {
        static_assert(__is_void(__Parent), "a tile of one group is none of another");
    }
    static void sync() {
        if (__N > 1) __scopec_group_sync(1, __N);
    }
    static constexpr unsigned size() { return __N; }
    static constexpr unsigned num_threads() { return __N; }
    static unsigned thread_rank() { return __scopec_groups::thread() % __N; }
    static unsigned meta_group_rank() { return __scopec_groups::thread() / __N; }
    static unsigned meta_group_size() { return (__scopec_groups::threads() + __N - 1) / __N; }
    static unsigned __scopec_mask() {
        return (__N == 32 ? 0xffffffffu : (1u << (__N & 31)) - 1) << (__scopec_groups::thread() % 32 / __N * __N);
    }
    template <class __T> static __T shfl(__T value, int lane) { return __shfl_sync(__scopec_mask(), value, lane, __N); }
    template <class __T> static __T shfl_up(__T value, int by) { return __shfl_up_sync(__scopec_mask(), value, by, __N); }
    template <class __T> static __T shfl_down(__T value, int by) {
        return __shfl_down_sync(__scopec_mask(), value, by, __N);
    }
    template <class __T> static __T shfl_xor(__T value, int by) {
        return __shfl_xor_sync(__scopec_mask(), value, by, __N);
    }
    static int any(int predicate) { return __any_sync(__scopec_mask(), predicate); }
    static int all(int predicate) { return __all_sync(__scopec_mask(), predicate); }
    static unsigned __scopec_own(unsigned lanes) { return lanes >> (__scopec_groups::thread() % 32 / __N * __N); }
    static unsigned ballot(int predicate) { return __scopec_own(__ballot_sync(__scopec_mask(), predicate)); }
    template <class __T> static unsigned match_any(__T value) {
        return __scopec_own(__match_any_sync(__scopec_mask(), value));
    }
    template <class __T> static unsigned match_all(__T value, int& predicate) {
        return __scopec_own(__match_all_sync(__scopec_mask(), value, &predicate));
    }
};

// Some lanes of a warp, which a mask names.
struct coalesced_group {
    unsigned __scopec_lanes, __scopec_rank, __scopec_groups_;  // of those that a group was divided into, 0 if not known
    explicit coalesced_group(unsigned lanes, unsigned rank = 0, unsigned groups = 1)
        : __scopec_lanes(lanes), __scopec_rank(rank), __scopec_groups_(groups) {}
    static unsigned __scopec_own() { return __scopec_groups::thread() % 32; }
    unsigned __scopec_mask() const { return __scopec_lanes; }
    void sync() const { __syncwarp(__scopec_lanes); }
    unsigned num_threads() const { return __builtin_popcount(__scopec_lanes); }
    unsigned size() const { return num_threads(); }
    unsigned thread_rank() const { return __builtin_popcount(__scopec_lanes & ((1u << __scopec_own()) - 1)); }
    unsigned meta_group_size() const {
        if (!__scopec_groups_) __scopec_unmodelled("how many groups a labelled partition has");
        return __scopec_groups_;
    }
    unsigned meta_group_rank() const {
        if (!__scopec_groups_) __scopec_unmodelled("which group of a labelled partition one is");
        return __scopec_rank;
    }
    template <class __T> __T shfl(__T value, unsigned rank) const {
        return __shfl_sync(__scopec_lanes, value, __scopec_lane_of(__scopec_lanes, rank, 31));
    }
    template <class __T> __T shfl_up(__T value, unsigned by) const {
        return __shfl_sync(__scopec_lanes, value, __scopec_lane_of(__scopec_lanes, thread_rank() - by, __scopec_own()));
    }
    template <class __T> __T shfl_down(__T value, unsigned by) const {
        return __shfl_sync(__scopec_lanes, value, __scopec_lane_of(__scopec_lanes, thread_rank() + by, __scopec_own()));
    }
    int any(int predicate) const { return __any_sync(__scopec_lanes, predicate); }
    int all(int predicate) const { return __all_sync(__scopec_lanes, predicate); }
    unsigned ballot(int predicate) const { return __scopec_ranks(__scopec_lanes, __ballot_sync(__scopec_lanes, predicate)); }
    template <class __T> unsigned match_any(__T value) const {
        return __scopec_ranks(__scopec_lanes, __match_any_sync(__scopec_lanes, value));
    }
    template <class __T> unsigned match_all(__T value, int& predicate) const {
        return __scopec_ranks(__scopec_lanes, __match_all_sync(__scopec_lanes, value, &predicate));
    }
};
inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A group whose kind the program does not name: a block, a tile of a size known at run time, or some lanes of a warp.
struct thread_group {
    unsigned __scopec_size, __scopec_lanes = 0;  // 0, 0: the block
    thread_group(const thread_block&) : __scopec_size(0) {}
    template <unsigned __N, class __P> thread_group(const thread_block_tile<__N, __P>&) : __scopec_size(__N) {}
    thread_group(const coalesced_group& group) : __scopec_size(group.size()), __scopec_lanes(group.__scopec_lanes) {}
    explicit thread_group(unsigned size) : __scopec_size(size) {}
    void sync() const {
        if (__scopec_lanes)
            __syncwarp(__scopec_lanes);
        else if (__scopec_size == 0)
            __scopec_syncthreads(false);
        else if (__scopec_size > 1)
            __scopec_group_sync(1, __scopec_size);
    }
    unsigned size() const { return __scopec_size ? __scopec_size : __scopec_groups::threads(); }
    unsigned num_threads() const { return size(); }
    unsigned thread_rank() const {
        if (__scopec_lanes) return coalesced_group(__scopec_lanes).thread_rank();
        return __scopec_size ? __scopec_groups::thread() % __scopec_size : __scopec_groups::thread();
    }
};

inline thread_block this_thread_block() { return {}; }
inline grid_group this_grid() { return {}; }
inline cluster_group this_cluster() { return {}; }
template <unsigned __N, class __Parent> thread_block_tile<__N, __Parent> tiled_partition(const __Parent&) { return {}; }
// So many of each group, by their ranks.
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned size) {
    const unsigned own = group.thread_rank() / size, ranks = size < 32 ? (1u << size) - 1 : ~0u;
    const unsigned lanes = __scopec_lanes_of(group.__scopec_lanes, ranks << own * size);
    return coalesced_group(lanes, own, (group.size() + size - 1) / size);
}
inline thread_group tiled_partition(const thread_group& group, unsigned size) {
    if (group.__scopec_lanes) return tiled_partition(coalesced_group(group.__scopec_lanes), size);
    return thread_group(size);
}
template <class __Group> void sync(const __Group& group) { group.sync(); }

// The lanes of a group that bring the same: all of them meet to find out.
template <class __Group> coalesced_group __scopec_labelled(const __Group& group, long long label) {
    const unsigned all = group.__scopec_mask();
    return coalesced_group(__scopec_known_mask(__match_any_sync(all, label) & all), 0, 0);
}
template <class __Group> coalesced_group __scopec_divided(const __Group& group, bool predicate) {
    const unsigned all = group.__scopec_mask(), yes = __ballot_sync(all, predicate) & all;
    return coalesced_group(__scopec_known_mask(predicate ? yes : all ^ yes), predicate, 2);
}
template <class __T> coalesced_group labeled_partition(const coalesced_group& group, __T label) {
    return __scopec_labelled(group, label);
}
template <unsigned __N, class __P, class __T>
coalesced_group labeled_partition(const thread_block_tile<__N, __P>& tile, __T label) {
    return __scopec_labelled(tile, label);
}
inline coalesced_group binary_partition(const coalesced_group& group, bool predicate) {
    return __scopec_divided(group, predicate);
}
template <unsigned __N, class __P>
coalesced_group binary_partition(const thread_block_tile<__N, __P>& tile, bool predicate) {
    return __scopec_divided(tile, predicate);
}

template <class __T> struct plus {
    __T operator()(__T a, __T b) const { return a + b; }
};
template <class __T> struct less {
    __T operator()(__T a, __T b) const { return b < a ? b : a; }
};
template <class __T> struct greater {
    __T operator()(__T a, __T b) const { return a < b ? b : a; }
};
template <class __T> struct bit_and {
    __T operator()(__T a, __T b) const { return a & b; }
};
template <class __T> struct bit_or {
    __T operator()(__T a, __T b) const { return a | b; }
};
template <class __T> struct bit_xor {
    __T operator()(__T a, __T b) const { return a ^ b; }
};

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups
SCOPEC_SHIM_END
