// PTX: what a launch and its completion order is in causality order: the host reads what the kernel wrote.
__managed__ int x = 0;

__global__ void write() {
    x += 1;
}

int main() {
    x = 1;
    write<<<1, 1>>>();
    cudaDeviceSynchronize();
    int r = x;
}

//@ expect required main.r == 2 under ptx;
