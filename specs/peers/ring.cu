// Two devices in a ring: in each step each one makes a number of the halo that it got, and sends its number on to the
// other's halo.  A halo is read by a kernel of its own device and written by a copy of the other's: the kernel waits for the copy,
// and the next copy for the kernel.  Without the second event a halo is overwritten while it is read.
#include <cuda_runtime.h>
constexpr int EVENTS = 2;  // 0: none, 1: a kernel waits for the copy, 2: the next copy waits for the kernel too
constexpr int DEVICES = 2, STEPS = 1;

__global__ void step(int* own, const int* halo) { *own = *halo + 1; }

int main() {
    int *own[DEVICES], *halo[DEVICES];
    cudaStream_t stream[DEVICES];
    cudaEvent_t sent[DEVICES], read[DEVICES];
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaMalloc(&own[d], sizeof(int));
        cudaMalloc(&halo[d], sizeof(int));
        cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking);
        cudaMemsetAsync(halo[d], 0, sizeof(int), stream[d]);
        cudaEventCreateWithFlags(&sent[d], cudaEventDisableTiming);
        cudaEventCreateWithFlags(&read[d], cudaEventDisableTiming);
        cudaStreamSynchronize(stream[d]);
    }
    for (int s = 0; s < STEPS; s++) {
        for (int d = 0; d < DEVICES; d++) {
            cudaSetDevice(d);
            step<<<1, 1, 0, stream[d]>>>(own[d], halo[d]);
            cudaEventRecord(read[d], stream[d]);
        }
        for (int d = 0; d < DEVICES; d++) {
            int next = (d + 1) % DEVICES;
            cudaSetDevice(d);
            if (EVENTS > 1) cudaStreamWaitEvent(stream[d], read[next], 0);
            cudaMemcpyPeerAsync(halo[next], next, own[d], d, sizeof(int), stream[d]);
            cudaEventRecord(sent[d], stream[d]);
        }
        for (int d = 0; d < DEVICES; d++) {
            int next = (d + 1) % DEVICES;
            cudaSetDevice(next);
            if (EVENTS > 0) cudaStreamWaitEvent(stream[next], sent[d], 0);
        }
    }
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        step<<<1, 1, 0, stream[d]>>>(own[d], halo[d]);
    }
    for (int d = 0; d < DEVICES; d++) {
        cudaSetDevice(d);
        cudaStreamSynchronize(stream[d]);
    }
}

//@ vary EVENTS in {0, 1, 2};
//@ expect race_free when EVENTS == 2;
//@ expect race when EVENTS != 2;
