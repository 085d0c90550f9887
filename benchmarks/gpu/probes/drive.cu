// Launches a probe again and again in grids of several sizes, and writes how many launches ended and how many hang:
//
//     nvcc -DDRIVEN -DSTATE=4194304 -DNAME='"later"' -include later.cu -o later drive.cu
//     ./later [--launches N] [--seconds N] [--limit MILLISECONDS] >> progress.jsonl
//
// A launch that has not ended after the limit hangs: its process is ended.  Three of a size are enough.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef THREADS
#define THREADS 1
#endif
#ifndef UNIT
#define UNIT 1
#endif

constexpr int MOST_HANGS = 3, SIZES = 4, HUNG = 7;

struct Shared {
    int resident, driver, runtime;
    char gpu[256];
    long ended[SIZES], hung[SIZES];
};

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: CUDA: %s\n", NAME, cudaGetErrorString(error));
    _exit(3);
}

// The blocks of a size: a unit or two alone, as many as there are places for, one unit more, eight times as many.
static int blocks(const Shared& shared, int size) {
    const int found[SIZES] = {2 * UNIT, shared.resident, shared.resident + UNIT, 8 * shared.resident};
    return found[size];
}

static void ask(Shared& shared) {
    cudaDeviceProp about{};
    int of_one = 0;
    check(cudaGetDeviceProperties(&about, 0));
    check(cudaDriverGetVersion(&shared.driver));
    check(cudaRuntimeGetVersion(&shared.runtime));
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, probe, THREADS, 0));
    std::snprintf(shared.gpu, sizeof shared.gpu, "%s", about.name);
    shared.resident = of_one * about.multiProcessorCount / UNIT * UNIT;
}

static void launch(int size, cudaStream_t one, [[maybe_unused]] cudaStream_t two) {
#ifdef COOPERATIVE
    check(cudaLaunchCooperativeKernel((void*)probe, size, THREADS, nullptr, 0, one));
#else
    probe<<<size, THREADS, 0, one>>>();
#endif
#ifdef TWO_GRIDS
    other<<<1, 1, 0, two>>>();
#endif
    check(cudaGetLastError());
}

static void work(Shared& shared, int size, long launches, double until, double limit) {
    cudaStream_t streams[2];
    void* at;
    check(cudaGetSymbolAddress(&at, state));
    for (cudaStream_t& stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
#if defined(TWO_GRIDS) && !defined(NOT_LOADED)
    cudaFuncAttributes loaded;
    check(cudaFuncGetAttributes(&loaded, other));
#endif
    while (shared.ended[size] + shared.hung[size] < launches && now() < until) {
        check(cudaMemset(at, 0, sizeof state));
        check(cudaDeviceSynchronize());
        launch(blocks(shared, size), streams[0], streams[1]);
        const double begun = now();
        for (const cudaStream_t stream : streams)
            for (cudaError_t found; (found = cudaStreamQuery(stream)) != cudaSuccess;) {
                if (found != cudaErrorNotReady) check(found);
                if (now() - begun < limit) continue;
                shared.hung[size]++;
                _exit(HUNG);
            }
        shared.ended[size]++;
    }
    _exit(0);
}

template <class F>
static int in_a_process(F what) {
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        what();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int count, char** words) {
    long launches = 10000, seconds = 2, limit = 1000;
    for (int n = 1; n + 1 < count; n += 2) {
        const long value = std::strtol(words[n + 1], nullptr, 10);
        if (!std::strcmp(words[n], "--launches")) launches = value;
        else if (!std::strcmp(words[n], "--seconds")) seconds = value;
        else if (!std::strcmp(words[n], "--limit")) limit = value;
    }
    auto& shared = *static_cast<Shared*>(
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    if (const int failed = in_a_process([&] { ask(shared); })) return failed;
    for (int size = 0; size < SIZES; size++) {
#ifdef COOPERATIVE
        if (blocks(shared, size) > shared.resident) continue;  // cudaErrorCooperativeLaunchTooLarge
#endif
        while (shared.hung[size] < MOST_HANGS) {
            const int status = in_a_process(
                [&] { work(shared, size, launches, now() + double(seconds), double(limit) / 1000); });
            if (status != HUNG) {
                if (status) return status;
                break;
            }
        }
        std::printf("{\"probe\": \"%s\", \"gpu\": \"%s\", \"driver\": %d, \"runtime\": %d, \"resident\": %d, "
                    "\"blocks\": %d, \"ended\": %ld, \"hung\": %ld}\n",
                    NAME, shared.gpu, shared.driver, shared.runtime, shared.resident, blocks(shared, size),
                    shared.ended[size], shared.hung[size]);
        std::fflush(stdout);
    }
    return 0;
}
