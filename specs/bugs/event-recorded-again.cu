// AcademySoftwareFoundation/openvdb#2287, rapidsai/rmm#2490: one event stands for all uses of a buffer, and each use records it
// anew in its own stream.  A record replaces the one before: who waits for the event waits for the last use alone.  The stream
// has to wait for the event before it records it again.
constexpr bool CHAINED = true;

__device__ int buffer[2], sum;

__global__ void use(int part) { buffer[part] = 1; }
__global__ void reuse() { sum = buffer[0] + buffer[1]; }

int main() {
    cudaStream_t streams[3];
    for (auto& stream : streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaEvent_t used;
    cudaEventCreate(&used);
    for (int part = 0; part < 2; ++part) {
        use<<<1, 1, 0, streams[part]>>>(part);
        if (CHAINED) cudaStreamWaitEvent(streams[part], used, 0);
        cudaEventRecord(used, streams[part]);
    }
    cudaStreamWaitEvent(streams[2], used, 0);
    reuse<<<1, 1, 0, streams[2]>>>();
    cudaDeviceSynchronize();
}

//@ vary CHAINED in {true, false};
//@ expect race_free when CHAINED;
//@ expect required sum == 2 when CHAINED;
//@ expect race on buffer[0] when !CHAINED;
