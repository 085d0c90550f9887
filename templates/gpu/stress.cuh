// Runs small concurrent programs many times on a GPU, and counts every final state that it sees.
//
// A test is a program: its roles are the program's threads, each in its place (thread block, warp).  An instance of it is a
// set of locations of its own.  A warp of the GPU plays one warp of the program for as many instances as fit in its
// lanes, and then again for others (`plays`): what one thread plays before adds program order alone, so that a state
// seen remains one that the program allows.
#pragma once
#if defined(__CUDA__) && !defined(__NVCC__)  // clang compiles this
#include "clang.cuh"
#endif
#include <stdint.h>
#include <vector>

using word = unsigned long long;
using i8 = int8_t; using i16 = int16_t; using i32 = int32_t; using i64 = int64_t;
using u8 = uint8_t; using u16 = uint16_t; using u32 = uint32_t; using u64 = unsigned long long;

// A register that nobody has given a value; how a thread ended (more: an assertion failed).
constexpr word UNSET = 0x7ff75c0edeadbeefull, FINISHED = 0, UNFINISHED = 1;
constexpr unsigned WARP = 32, MOST_WORDS = 128, MOST_STATES = 4096, LINES = 4096;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define FENCE_ACQUIRE "fence.acq_rel"
#define FENCE_RELEASE "fence.acq_rel"
#else
#define FENCE_ACQUIRE "fence.acquire"
#define FENCE_RELEASE "fence.release"
#endif
// Whether the GPU that this is compiled for has the instructions of asynchronous programs.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define HAS_ASYNCHRONOUS 0
#else
#define HAS_ASYNCHRONOUS 1
#endif

// What varies from launch to launch; distances are in words of 64 bits.  A launch is of the `blocks` from `first` on.
struct Round {
    unsigned first, blocks, groups, plays, instances, seed, delay, loops, load, apart, meet;
    word between_locations, between_instances;
    word *traffic, *mapped;  // `mapped` is memory that host threads use, too
    volatile word* turns;    // which instance each host thread plays
};

// A word between host and device threads: what is written before it is told is seen by who looks at it after that.
__host__ __device__ inline void tell(word* at, word value) {
#ifdef __CUDA_ARCH__
    asm volatile("st.release.sys.u64 [%0], %1;" :: "l"(at), "l"(value) : "memory");
#else
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
#endif
}
__host__ __device__ inline word look(const word* at) {
    word found;
#ifdef __CUDA_ARCH__
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(found) : "l"(at) : "memory");
#else
    found = __atomic_load_n(at, __ATOMIC_ACQUIRE);
#endif
    return found;
}

// What a thread that plays a role knows of its instance.
struct Play {
    word *memory, *results, *block;
    const Round* round;
    unsigned instance, first_lane, slots, turns;
    unsigned* votes;  // of the block: three counts that are 0, each for every third poll

    __device__ word* at(unsigned location) const {
        return memory + location * round->between_locations + instance * round->between_instances;
    }
    __device__ word own(unsigned location) const { return __cvta_generic_to_shared(block + location * slots); }
    __host__ __device__ word* mapped(unsigned location) const {
        return round->mapped + location * round->between_locations + instance * round->between_instances;
    }
    // Waits for what another thread says: that this one begins (1) or never does (2), that it has ended.
    __host__ __device__ bool begins(unsigned location) const {
        word found;
        while ((found = look(mapped(location))) == 0) {}
        return found == 1;
    }
    __host__ __device__ void ends(unsigned location) const { begins(location); }
    __host__ __device__ void never(unsigned location) const {
        if (look(mapped(location)) == 0) tell(mapped(location), 2);
    }
    // The shared memory of another block of the cluster.
    __device__ word of_block(word own, unsigned rank) const {
        unsigned found;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(found) : "r"(unsigned(own)), "r"(rank));
        return found;
    }
    // Where the threads of a grid meet: each arrives, and waits for the others.
    __device__ void arrive(unsigned location) const {
        asm volatile("red.release.gpu.global.add.u64 [%0], 1;" :: "l"(at(location)) : "memory");
    }
    __device__ word arrived(unsigned location) const {
        word found;
        asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(found) : "l"(at(location)) : "memory");
        return found;
    }
    // How many of a block's threads say so: between two barriers, and the next but one count is 0 again.
    __device__ unsigned vote(unsigned poll, bool said) const {
        asm volatile("barrier.cta.sync 0;" ::: "memory");
        votes[(poll + 2) % 3] = 0;
        if (said) atomicAdd(&votes[poll % 3], 1u);
        asm volatile("barrier.cta.sync 0;" ::: "memory");
        return *static_cast<volatile unsigned*>(&votes[poll % 3]);
    }
    __host__ __device__ word& result(unsigned n) const { return results[word(n) * round->instances + instance]; }
    __device__ unsigned lanes(unsigned of_the_instance) const { return of_the_instance << first_lane; }
};

// The states seen: their hashes, how often, and their words.
struct Seen {
    word keys[MOST_STATES], counts[MOST_STATES], words[MOST_STATES][MOST_WORDS], lost;
};

struct Test {
    const char *name, *key;
    unsigned blocks, cluster, hosts, threads, slots, roles, registers, anywhere, shared;
    bool barriers, managed, asynchronous;
    word mapped;  // a bit for each location that is in memory that host threads use, too
    std::vector<unsigned> first;  // of each device the first block of the program, and how many there are
    int (*resident)(size_t shared_bytes, int processors);
    void (*prepare)(unsigned grid, const Round&, word* memory);
    void (*play_host)(unsigned host, const Play&);
    void (*play)(unsigned grid, size_t shared_bytes, const Round&, word* memory, word* results, unsigned* met);
};

#ifdef __CUDACC__
__device__ inline unsigned mixed(unsigned a) {
    a ^= a >> 16; a *= 0x7feb352du; a ^= a >> 15; a *= 0x846ca68bu; return a ^ a >> 16;
}

// What other blocks do meanwhile, in some rounds: traffic beside the locations of the test.
__device__ inline void disturb(const Round& round) {
    unsigned at = mixed(round.seed ^ (blockIdx.x * 1024 + threadIdx.x));
    for (unsigned n = 0; n < round.load; n++) {
        at = mixed(at + n);
        volatile word* const line = round.traffic + at % LINES * 16;
        if (at & 1 << 20) *line = at;
        else if (at & 1 << 21) atomicAdd(const_cast<word*>(line), 1ull);
        else (void)*line;
    }
}

// Waits, not for ever, until every block of a group is there: they play at the same time.
__device__ inline void meet(unsigned* met, unsigned expected) {
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd_system(met, 1u);
        for (unsigned n = 0; n < 10000 && *reinterpret_cast<volatile unsigned*>(met) < expected; n++) {}
    }
    __syncthreads();
}

template <class T>
__global__ void prepare_kernel(const Round round, word* memory) {
    const word all = word(round.instances) * T::ANYWHERE;
    for (word n = word(blockIdx.x) * blockDim.x + threadIdx.x; n < all; n += word(gridDim.x) * blockDim.x) {
        const unsigned location = unsigned(n / round.instances), instance = unsigned(n % round.instances);
        word* const start = T::MAPPED >> location & 1 ? round.mapped : memory;
        start[location * round.between_locations + instance * round.between_instances] = T::initial(location);
    }
}

template <class T>
__global__ void play_kernel(const Round round, word* memory, word* results, unsigned* met) {
    constexpr unsigned SLOTS = WARP / T::LANES;
    alignas(128) extern __shared__ word shared[];
    __shared__ unsigned left, votes[3];
    if (threadIdx.x < 3) votes[threadIdx.x] = 0;
    if (blockIdx.x >= round.groups * round.blocks) {
        disturb(round);
        return;
    }
    const unsigned unit = blockIdx.x / T::CLUSTER, units = round.blocks / T::CLUSTER;
    const unsigned which = round.apart ? unit / round.groups : unit % units;
    const unsigned position = round.apart ? unit % round.groups : unit / units;
    const unsigned block = round.first + which * T::CLUSTER + blockIdx.x % T::CLUSTER;
    const unsigned group = (position + mixed(round.seed + round.first / T::CLUSTER + which) % round.groups) % round.groups;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned chance = mixed(round.seed ^ (block * 37 + warp * 101 + 1));
    const unsigned slot = ((lane / T::LANES) * (chance | 1) + (chance >> 16)) % SLOTS;
    const int role = T::role(block, warp, lane % T::LANES);
    if constexpr (T::ASYNCHRONOUS) {
        for (unsigned n = threadIdx.x; n < T::OF_BLOCK; n += blockDim.x)
            shared[n] = T::initial(T::ANYWHERE + block * T::OF_BLOCK + n);
#if HAS_ASYNCHRONOUS
        asm volatile("fence.proxy.async;" ::: "memory");
#endif
    } else
        for (unsigned n = threadIdx.x; n < T::SHARED * SLOTS * round.plays; n += blockDim.x)
            shared[n] = T::initial(T::ANYWHERE + n / SLOTS % T::SHARED_AT_LEAST_ONE);
    const unsigned playing = __syncthreads_count(role >= 0);
    if (threadIdx.x == 0) left = playing;
    __syncthreads();
    if (role < 0) return;  // nobody waits for it at a barrier
    Play p{memory, results, nullptr, &round, 0, lane / T::LANES * T::LANES, SLOTS, round.loops, votes};
    const auto play_at = [&](unsigned play) {
        p.instance = (group * round.plays + play) * SLOTS + slot;
        p.block = shared + play * T::SHARED * SLOTS + slot;
    };
    for (unsigned play = 0; play < round.plays; play++) {
        if constexpr (T::HOSTS > 0) {
            const word number = word(play) * round.groups + group + 1;  // as host threads count instances
            for (unsigned n = 0; n < 1000 && round.turns[0] < number; n++) {}
        } else if (round.meet) meet(met + group, (play + 1) * T::BLOCKS);
        if (round.delay) {
            unsigned turns = mixed(round.seed + warp * 7 + play * 31 + blockIdx.x * 131) % round.delay;
            while (turns--) asm volatile("");
        }
        play_at(play);
        T::play(role, p);
    }
    const auto keep = [&](unsigned play, unsigned of) {
        p.instance = (group * round.plays + play) * SLOTS + of;
        for (unsigned n = 0; n != T::SHARED; n++)
            if (T::block_of(n) == block)
                p.result(T::ROLES + T::REGISTERS + n) =
                    shared[(play * T::SHARED + (T::ASYNCHRONOUS ? n % (T::OF_BLOCK + !T::OF_BLOCK) : n)) * SLOTS + of];
    };
    if constexpr (T::BARRIERS) {
        // Who has played exits, so that no barrier waits for it: the last one sees to what is in shared memory.
        __threadfence_block();
        if (atomicAdd(&left, ~0u) != 1) return;
        // Copies for which nobody has waited end before the block does, whose memory they may write.
        if constexpr (T::ASYNCHRONOUS)
            for (unsigned n = 0; n < 20; n++) __nanosleep(1000);
        __threadfence_block();
        for (unsigned of = 0; of < SLOTS; of++) keep(0, of);
    } else {
        __syncthreads();
        if (role != T::role(block, 0, 0)) return;
        for (unsigned play = 0; play < round.plays; play++) keep(play, slot);
    }
}

// A launch in clusters.
template <class T>
struct Launch {
    cudaLaunchConfig_t config{};
    cudaLaunchAttribute attribute{};

    Launch(unsigned grid, size_t bytes) {
        config.gridDim = grid;
        config.blockDim = T::WARPS * WARP;
        config.dynamicSmemBytes = bytes;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = T::CLUSTER;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
    }
};

template <class T>
Test entry(const char* name, const char* key, const std::vector<unsigned>& first) {
    return {
        name, key, T::BLOCKS, T::CLUSTER, T::HOSTS, T::WARPS * WARP, WARP / T::LANES, T::ROLES, T::REGISTERS, T::ANYWHERE, T::SHARED, T::BARRIERS, T::MANAGED, T::ASYNCHRONOUS,
        T::MAPPED, first,
        [](size_t bytes, int processors) {
            const void* const kernel = reinterpret_cast<const void*>(play_kernel<T>);
            int found = 0;
            if constexpr (T::CLUSTER > 1) {
                const Launch<T> launch(T::CLUSTER, bytes);
                cudaOccupancyMaxActiveClusters(&found, kernel, &launch.config);
                return found * int(T::CLUSTER);
            }
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, kernel, T::WARPS * WARP, bytes);
            return found * processors;
        },
        [](unsigned grid, const Round& round, word* memory) { prepare_kernel<T><<<grid, 256>>>(round, memory); },
        [](unsigned host, const Play& p) { T::play_host(host, p); },
        [](unsigned grid, size_t bytes, const Round& round, word* memory, word* results, unsigned* met) {
            if constexpr (T::CLUSTER > 1) {
                const Launch<T> launch(grid, bytes);
                void* given[] = {const_cast<Round*>(&round), &memory, &results, &met};
                cudaLaunchKernelExC(&launch.config, reinterpret_cast<const void*>(play_kernel<T>), given);
            } else {
                play_kernel<T><<<grid, T::WARPS * WARP, bytes>>>(round, memory, results, met);
            }
        },
    };
}
#endif
