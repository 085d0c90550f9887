// What begins and ends threads is in the order of every scope: the host reads what the kernel wrote after it has waited.
#include <cuda/atomic>

__managed__ int x = 0;

__global__ void write() {
    x += 1;
}

int main() {
    x = 1;
    write<<<1, 1>>>();
    cudaDeviceSynchronize();
    int r = x;
    x = 3;
}

//@ expect required main.r == 2 under hrf0, sc-drf;
//@ expect race_free under hrf0, hrf-direct, hrf-indirect, sc-drf;
//@ expect required main.r == 2 under hrf0-hw;
//@ expect required x == 3 under hrf0-hw;
