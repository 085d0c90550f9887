// Runs small concurrent programs many times on a GPU, and counts every final state that it sees.
//
// A test is a program: its roles are the program's threads, each in its place (thread block, warp).  An instance of it is a
// set of locations of its own.  A warp of the GPU plays one warp of the program for as many instances as fit in its
// lanes, and then again for others (`plays`): what one thread plays before adds program order alone, so that a state
// seen remains one that the program allows.
#pragma once
#include <stdint.h>
#include <vector>

using word = unsigned long long;
using i8 = int8_t; using i16 = int16_t; using i32 = int32_t; using i64 = int64_t;
using u8 = uint8_t; using u16 = uint16_t; using u32 = uint32_t; using u64 = unsigned long long;

// A register that nobody has given a value; how a thread ended (more: an assertion failed).
constexpr word UNSET = 0x7ff75c0edeadbeefull, FINISHED = 0, UNFINISHED = 1, DISCARDED = 2;
constexpr unsigned WARP = 32, MOST_WORDS = 64, MOST_STATES = 4096, LINES = 4096;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define FENCE_ACQUIRE "fence.acq_rel"
#define FENCE_RELEASE "fence.acq_rel"
#else
#define FENCE_ACQUIRE "fence.acquire"
#define FENCE_RELEASE "fence.release"
#endif

// What varies from launch to launch; distances are in words of 64 bits.
struct Round {
    unsigned groups, plays, instances, seed, delay, turns, load, apart, meet;
    word between_locations, between_instances;
    word* traffic;
};

// What a thread that plays a role knows of its instance.
struct Play {
    word *memory, *results, *block;
    const Round* round;
    unsigned instance, first_lane, slots, turns;

    __device__ word* at(unsigned location) const {
        return memory + location * round->between_locations + instance * round->between_instances;
    }
    __device__ word own(unsigned location) const { return __cvta_generic_to_shared(block + location * slots); }
    __device__ word& result(unsigned n) const { return results[word(n) * round->instances + instance]; }
    __device__ unsigned lanes(unsigned of_the_instance) const { return of_the_instance << first_lane; }
};

// The states seen: their hashes, how often, and their words.
struct Seen {
    word keys[MOST_STATES], counts[MOST_STATES], words[MOST_STATES][MOST_WORDS], lost, discarded;
};

struct Test {
    const char *name, *key;
    unsigned blocks, threads, slots, roles, registers, anywhere, shared;
    bool barriers;
    int (*resident)(size_t shared_bytes);
    void (*prepare)(unsigned grid, const Round&, word* memory);
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
        atomicAdd(met, 1u);
        for (unsigned n = 0; n < 10000 && *reinterpret_cast<volatile unsigned*>(met) < expected; n++) {}
    }
    __syncthreads();
}

template <class T>
__global__ void prepare_kernel(const Round round, word* memory) {
    const word all = word(round.instances) * T::ANYWHERE;
    for (word n = word(blockIdx.x) * blockDim.x + threadIdx.x; n < all; n += word(gridDim.x) * blockDim.x) {
        const unsigned location = unsigned(n / round.instances), instance = unsigned(n % round.instances);
        memory[location * round.between_locations + instance * round.between_instances] = T::initial(location);
    }
}

template <class T>
__global__ void play_kernel(const Round round, word* memory, word* results, unsigned* met) {
    constexpr unsigned SLOTS = WARP / T::LANES;
    extern __shared__ word shared[];
    __shared__ unsigned broken;
    if (blockIdx.x >= round.groups * T::BLOCKS) {
        disturb(round);
        return;
    }
    const unsigned block = round.apart ? blockIdx.x / round.groups : blockIdx.x % T::BLOCKS;
    const unsigned position = round.apart ? blockIdx.x % round.groups : blockIdx.x / T::BLOCKS;
    const unsigned group = (position + mixed(round.seed + block) % round.groups) % round.groups;
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    const unsigned chance = mixed(round.seed ^ (block * 37 + warp * 101 + 1));
    const unsigned slot = ((lane / T::LANES) * (chance | 1) + (chance >> 16)) % SLOTS;
    const int role = T::role(block, warp, lane % T::LANES);
    for (unsigned n = threadIdx.x; n < T::SHARED * SLOTS * round.plays; n += blockDim.x)
        shared[n] = T::initial(T::ANYWHERE + n / SLOTS % T::SHARED_AT_LEAST_ONE);
    if (threadIdx.x == 0) broken = 0;
    __syncthreads();
    if (role < 0) return;  // nobody waits for it at a barrier
    Play p{memory, results, nullptr, &round, 0, lane / T::LANES * T::LANES, SLOTS, round.turns};
    const auto play_at = [&](unsigned play) {
        p.instance = (group * round.plays + play) * SLOTS + slot;
        p.block = shared + play * T::SHARED * SLOTS + slot;
    };
    for (unsigned play = 0; play < round.plays; play++) {
        if (round.meet) meet(met + group, (play + 1) * T::BLOCKS);
        if (round.delay) {
            unsigned left = mixed(round.seed + warp * 7 + play * 31 + blockIdx.x * 131) % round.delay;
            while (left--) asm volatile("");
        }
        play_at(play);
        T::play(role, p);
        if (T::BARRIERS && p.result(role) != FINISHED) broken = 1;
    }
    __syncthreads();
    // Where a thread left before a barrier, the others met without it: nothing of that block counts.
    if (T::BARRIERS && broken && p.result(role) == FINISHED) p.result(role) = DISCARDED;
    if (role != T::role(block, 0, 0)) return;
    for (unsigned play = 0; play < round.plays; play++) {
        play_at(play);
        for (unsigned n = 0; n != T::SHARED; n++)
            if (T::block_of(n) == block) p.result(T::ROLES + T::REGISTERS + n) = p.block[n * SLOTS];
    }
}

template <class T>
Test entry(const char* name, const char* key) {
    return {
        name, key, T::BLOCKS, T::WARPS * WARP, WARP / T::LANES, T::ROLES, T::REGISTERS, T::ANYWHERE, T::SHARED, T::BARRIERS,
        [](size_t bytes) {
            int found = 0;
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&found, play_kernel<T>, T::WARPS * WARP, bytes);
            return found;
        },
        [](unsigned grid, const Round& round, word* memory) { prepare_kernel<T><<<grid, 256>>>(round, memory); },
        [](unsigned grid, size_t bytes, const Round& round, word* memory, word* results, unsigned* met) {
            play_kernel<T><<<grid, T::WARPS * WARP, bytes>>>(round, memory, results, met);
        },
    };
}
#endif
