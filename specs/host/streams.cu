// Kernels on one stream run one after the other; on two streams nothing orders them, unless an event does.
constexpr int STREAMS = 1;
constexpr bool EVENT = false;

__device__ int data = 0;

__global__ void write() { data = 1; }

__global__ void read() { int seen = data; }

int main() {
    cudaStream_t first, second;
    cudaEvent_t written;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&written);
    write<<<1, 1, 0, first>>>();
    if (EVENT) {
        cudaEventRecord(written, first);
        cudaStreamWaitEvent(second, written, 0);
    }
    if (STREAMS == 1)
        read<<<1, 1, 0, first>>>();
    else
        read<<<1, 1, 0, second>>>();
    cudaDeviceSynchronize();
}

//@ options races = ignore;
//@ vary STREAMS in {1, 2};
//@ vary EVENT in {false, true};
//@ expect race_free when STREAMS == 1 || EVENT;
//@ expect required read[0][0].seen == 1 when STREAMS == 1 || EVENT;
//@ expect race on data when STREAMS == 2 && !EVENT;
//@ expect allowed read[0][0].seen == 0 when STREAMS == 2 && !EVENT;
//@ expect terminates;
