// RC11 on a program with a kernel: launch and completion synchronize like the creation and the join of a thread.
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

//@ expect required main.r == 2 under rc11;
//@ expect race_free under rc11;
