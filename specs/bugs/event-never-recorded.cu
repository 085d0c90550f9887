// cms-patatrack/pixeltrack-standalone#202: the first stream that needs a table starts to fill it, and the others wait for its event.
// Nobody records the event: "If cudaEventRecord has not been called on event, this call acts as if the record has already completed".
#include <cuda_runtime.h>
constexpr int RECORDED = 1;

__device__ int table, first, second;

__global__ void fill() { table = 1; }
__global__ void use(int* result) { *result = table; }

int main() {
    cudaStream_t own, other;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEvent_t filled;
    cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
    int *one, *two;
    cudaGetSymbolAddress((void**)&one, first);
    cudaGetSymbolAddress((void**)&two, second);
    fill<<<1, 1, 0, own>>>();
    if (RECORDED) cudaEventRecord(filled, own);
    use<<<1, 1, 0, own>>>(one);
    cudaStreamWaitEvent(other, filled, 0);
    use<<<1, 1, 0, other>>>(two);
    cudaDeviceSynchronize();
}

//@ vary RECORDED in {0, 1};
//@ options races = ignore;
//@ expect race_free when RECORDED == 1;
//@ expect required second == 1 when RECORDED == 1;
//@ expect race on table when RECORDED == 0;
//@ expect allowed second == 0 when RECORDED == 0;
