// PTX: one thread sees its own weak accesses in program order: everything it does is morally strong with itself.
__device__ int x = 0;

__global__ void own() {
    x = 1;
    int a = x;
    x = 2;
    int b = x;
}

//@ launch own<<<1, 1>>>();
//@ expect required own[0][0].a == 1 && own[0][0].b == 2 && x == 2 under ptx;
//@ expect allowed own[0][0].b == 2 under ptx;
