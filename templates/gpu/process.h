// What the programs of a harness have in common: their options, and a process that can be ended.
#pragma once
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#ifndef BUILT
#define BUILT ""
#endif

constexpr int FAILED_KERNEL = 4;  // the status of a process that ends so

struct Options {
    unsigned rounds, seed, turns, seconds = 60;

    void read(int count, char** words) {
        for (int n = 1; n + 1 < count; n += 2) {
            const unsigned value = unsigned(std::strtoul(words[n + 1], nullptr, 10));
            if (!std::strcmp(words[n], "--rounds")) rounds = value;
            else if (!std::strcmp(words[n], "--seed")) seed = value;
            else if (!std::strcmp(words[n], "--turns")) turns = value;
            else if (!std::strcmp(words[n], "--seconds")) seconds = value;
        }
    }
};

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(error));
    _exit(3);
}

// The line of results that says where they are from.
static void say_where(const Options& options) {
    int device = 0, driver = 0, runtime = 0;
    cudaDeviceProp about{};
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&about, device));
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    std::printf("{\"scopec\": 1, \"gpu\": \"%s\", \"compute\": \"%d.%d\", \"driver\": %d, \"runtime\": %d, \"built\": \"" BUILT "\", \"rounds\": %u, "
                "\"seed\": %u, \"turns\": %u}\n",
                about.name, about.major, about.minor, driver, runtime, options.rounds, options.seed, options.turns);
}

static void say_failed(const char* name, const char* key, const char* why) {
    std::printf("{\"test\": \"%s\", \"key\": \"%s\", \"failed\": \"%s\"}\n", name, key, why);
    std::fflush(stdout);
}

// Runs tests in another process, which has the GPU, so that one that hangs can be ended: `work(n, done)` runs those from
// `n` on, and writes a byte to `done` for each that is finished.  `failed(n, why)` says that one is not.
template <class Work, class Failed>
int watched(size_t tests, unsigned seconds, Work work, Failed failed) {
    for (size_t next = 0; next < tests;) {
        int ends[2];
        if (pipe(ends)) return 3;
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(ends[0]);
            work(next, ends[1]);
            _exit(0);
        }
        close(ends[1]);
        pollfd watched{ends[0], POLLIN, 0};
        char byte;
        bool hangs = false;
        for (;;) {
            if (poll(&watched, 1, int(seconds) * 1000) == 0) {
                hangs = true;
                kill(child, SIGKILL);
                break;
            }
            if (read(ends[0], &byte, 1) != 1) break;
            next++;
        }
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == FAILED_KERNEL)) continue;
        if (!hangs && WIFEXITED(status) && WEXITSTATUS(status) == 3 && next == 0) return 3;
        if (next < tests) failed(next, hangs ? "it hangs" : "the process ended");
        next++;
    }
    return 0;
}
