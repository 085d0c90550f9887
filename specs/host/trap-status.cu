// After a kernel has been aborted "any further CUDA work will return the same error" (CUDA runtime API,
// cudaErrorLaunchFailure): a program that looks at what its calls return does not take the kernel's result for good.
#include <cstdlib>
#include <cuda_runtime.h>

constexpr bool CHECKS = true;

__global__ void compute(int* result, int input) {
    if (*result != 0 || input < 0) __trap();
    *result = 1;
}

int main() {
    int* result;
    cudaMallocManaged(&result, sizeof(int));
    *result = 0;
    compute<<<1, 1>>>(result, 1);
    compute<<<1, 1>>>(result, 1);
    cudaError_t status = cudaDeviceSynchronize();
    if (CHECKS && status != cudaSuccess) exit(1);
    int seen = *result;
    *result = 2;
}

//@ vary CHECKS in {true, false};
//@ expect race_free;
//@ expect required main.status == 719;
//@ expect forbidden main.seen == 1 when CHECKS;
//@ expect required main.seen == 1 when !CHECKS;
//@ expect required result == 1 when CHECKS;
//@ expect required result == 2 when !CHECKS;
//@ expect terminates;
