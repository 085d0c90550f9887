// A kernel on device 0 writes, a copy brings that to device 1, a kernel there reads it.  The copy is work of one stream of one
// device: the other's stream waits for an event behind it.  cudaMemcpyPeer needs none: it is "serialized with respect all pending
// and future asynchronous work in to the current device, srcDevice, and dstDevice" (CUDA runtime API).
#include <cuda_runtime.h>
constexpr int COPY = 1;  // 0: cudaMemcpyPeerAsync and no event, 1: with an event, 2: with one recorded too early, 3: cudaMemcpyPeer

__global__ void write(int* data) { *data = 1; }
__global__ void add(int* data) { *data += 1; }

int main() {
    int *from, *to;
    cudaStream_t first, second;
    cudaEvent_t copied;
    cudaDeviceEnablePeerAccess(1, 0);
    cudaMalloc(&from, sizeof(int));
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaEventCreate(&copied);
    cudaSetDevice(1);
    cudaMalloc(&to, sizeof(int));
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);

    cudaSetDevice(0);
    write<<<1, 1, 0, first>>>(from);
    if (COPY == 2) cudaEventRecord(copied, first);
    if (COPY == 3) {
        cudaMemcpyPeer(to, 1, from, 0, sizeof(int));
    } else {
        cudaMemcpyPeerAsync(to, 1, from, 0, sizeof(int), first);
    }
    if (COPY == 1) cudaEventRecord(copied, first);

    cudaSetDevice(1);
    if (COPY == 1 || COPY == 2) cudaStreamWaitEvent(second, copied, 0);
    add<<<1, 1, 0, second>>>(to);
    cudaStreamSynchronize(second);
    int seen;
    cudaMemcpy(&seen, to, sizeof(int), cudaMemcpyDefault);
    cudaSetDevice(0);
    cudaDeviceSynchronize();
}

//@ vary COPY in {0, 1, 2, 3};
//@ expect race_free when COPY == 1 || COPY == 3;
//@ expect race on to when COPY == 0 || COPY == 2;
//@ expect required main.seen == 2 when COPY == 1 || COPY == 3;
//@ expect terminates;
