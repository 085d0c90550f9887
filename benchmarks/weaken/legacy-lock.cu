// A lock of atomicCAS and atomicExch, with the fences of the system around what it guards.
__device__ int mutex = 0, balance = 0;

__global__ void pay() {
    while (atomicCAS_system(&mutex, 0, 1) != 0);
    __threadfence_system();
    balance += 5;
    __threadfence_system();
    atomicExch_system(&mutex, 0);
}

//@ launch pay<<<2, 1>>>();
//@ expect race_free;
//@ expect required balance == 10;
