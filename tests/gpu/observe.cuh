// Runs small concurrent tests many times on a GPU and prints every final state seen, with its count.
//
// A test has roles (its threads), locations and observables. An instance is a set of locations of its own. A thread of the
// GPU plays every role, each of another instance: what its other roles add is program order, so that a state seen remains
// one that the test alone allows. `place[role]` says which roles share a block.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using word = unsigned;

constexpr unsigned BLOCKS = 256, THREADS = 128, INSTANCES = BLOCKS * THREADS;
constexpr unsigned MOST_LOCATIONS = 2, MOST_REGISTERS = 6, BITS = 3;

// What varies from round to round: where roles are played, how far apart locations are, how long threads wait.
struct Round {
    unsigned odd[4], add[4], offset[2], stride, delay, seed;
};

struct Test {
    const char* file;
    const char* observables;
    unsigned roles, registers, place[4];
    void (*launch)(const Test&, const Round&, word* memory, word* registers_);
};

__device__ inline unsigned mixed(unsigned a) {
    a ^= a >> 16; a *= 0x7feb352du; a ^= a >> 15; a *= 0x846ca68bu; return a ^ a >> 16;
}

template <class Play>
__device__ void play_all(const unsigned roles, const uint4 place, const Round round, word* memory, word* registers, Play play) {
    const unsigned places[4] = {place.x, place.y, place.z, place.w};
    const unsigned first = mixed(round.seed ^ (blockIdx.x * 64 + threadIdx.x / 32));
    for (unsigned turn = 0; turn < roles; turn++) {
        const unsigned role = (first + turn) % roles;
        const unsigned block = (blockIdx.x + BLOCKS - places[role] * round.offset[places[role] & 1] % BLOCKS) % BLOCKS;
        const unsigned instance = block * THREADS + (threadIdx.x * round.odd[role] + round.add[role]) % THREADS;
        if (round.delay) {
            unsigned left = mixed(round.seed + threadIdx.x * 7 + turn * 31 + blockIdx.x * 131) % round.delay;
            while (left--) asm volatile("");
        }
        word* const x = memory + instance * round.stride;
        word* const y = memory + (INSTANCES + instance) * round.stride;
        play(role, x, y, registers + instance * MOST_REGISTERS);
    }
}

__global__ void count(const word* memory, const word* registers, unsigned stride, unsigned used, unsigned* counts) {
    const unsigned instance = blockIdx.x * THREADS + threadIdx.x;
    unsigned state = 0;
    for (unsigned n = 0; n < used; n++) state = state << BITS | (registers[instance * MOST_REGISTERS + n] & 7);
    for (unsigned n = 0; n < MOST_LOCATIONS; n++)
        state = state << BITS | (memory[(n * INSTANCES + instance) * stride] & 7);
    atomicAdd(&counts[state], 1u);
}

inline void check(cudaError_t error) {
    if (error != cudaSuccess) { std::fprintf(stderr, "%s\n", cudaGetErrorString(error)); std::exit(1); }
}

inline int observe(const std::vector<Test>& tests, unsigned rounds) {
    word *memory, *registers;
    unsigned* counts;
    const size_t states = size_t(1) << BITS * (MOST_REGISTERS + MOST_LOCATIONS);
    check(cudaMalloc(&memory, sizeof(word) * INSTANCES * MOST_LOCATIONS * 32));
    check(cudaMalloc(&registers, sizeof(word) * INSTANCES * MOST_REGISTERS));
    check(cudaMalloc(&counts, sizeof(unsigned) * states));
    std::printf("file\tobservables\tseen\n");
    std::srand(1);
    for (const Test& test : tests) {
        const size_t used = size_t(1) << BITS * (test.registers + MOST_LOCATIONS);
        check(cudaMemset(counts, 0, sizeof(unsigned) * used));
        for (unsigned n = 0; n < rounds; n++) {
            Round round{};
            for (int role = 0; role < 4; role++) round.odd[role] = std::rand() | 1, round.add[role] = std::rand() % THREADS;
            round.offset[1] = 1 + std::rand() % (BLOCKS - 1);
            round.stride = 1u << std::rand() % 6;
            round.delay = n % 3 ? 1 + std::rand() % 400 : 0;
            round.seed = std::rand();
            check(cudaMemset(memory, 0, sizeof(word) * INSTANCES * MOST_LOCATIONS * round.stride));
            test.launch(test, round, memory, registers);
            count<<<BLOCKS, THREADS>>>(memory, registers, round.stride, test.registers, counts);
        }
        std::vector<unsigned> seen(used);
        check(cudaMemcpy(seen.data(), counts, sizeof(unsigned) * used, cudaMemcpyDeviceToHost));
        std::printf("%s\t%s\t", test.file, test.observables);
        const char* space = "";
        for (size_t state = 0; state < used; state++) {
            if (!seen[state]) continue;
            std::string values;
            for (int n = test.registers + MOST_LOCATIONS - 1; n >= 0; n--)
                values += std::to_string(state >> BITS * n & 7) + (n ? "," : "");
            std::printf("%s%s:%u", space, values.c_str(), seen[state]);
            space = " ";
        }
        std::printf("\n");
    }
    return 0;
}
