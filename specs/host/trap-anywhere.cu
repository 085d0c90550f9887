// The other threads of a grid that is aborted may have got anywhere, in program order; what they did before is done, and who
// has waited for the grid sees it.
#include <cuda/atomic>

constexpr bool TRAP = true;

__managed__ int first = 0, second = 0;

__global__ void k() {
    if (threadIdx.x == 0) {
        if (TRAP) __trap();
    } else {
        first = 1;
        second = 1;
    }
}

int main() {
    k<<<1, 2>>>();
    cudaDeviceSynchronize();
    int a = first, b = second;
}

//@ vary TRAP in {true, false};
//@ expect race_free;
//@ expect forbidden main.a == 0 && main.b == 1;
//@ expect allowed main.a == 1 && main.b == 0 when TRAP;
//@ expect allowed main.a == 0 && main.b == 0 when TRAP;
//@ expect allowed main.a == 1 && main.b == 1;
//@ expect required main.a == 1 && main.b == 1 when !TRAP;
//@ expect terminates;
