// The same before C++ had atomics: volatile words, and a fence of the whole system on both sides of a flag of the device.
__device__ volatile int data = 0, flag = 0;

__global__ void talk() {
    int heard = 42;
    if (blockIdx.x == 0) {
        atomicExch((int*)&data, 42);
        __threadfence_system();
        atomicExch((int*)&flag, 1);
    } else if (atomicAdd((int*)&flag, 0) == 1) {
        __threadfence_system();
        heard = atomicAdd((int*)&data, 0);
    }
}

//@ launch talk<<<2, 1>>>();
//@ expect race_free;
//@ expect required talk[1][0].heard == 42;
