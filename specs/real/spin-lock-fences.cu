// A lock as many CUDA programs have it: atomicCAS to take it, atomicExch to give it back, which order nothing; fences do.
constexpr bool AFTER = true, BEFORE = true;

__device__ int mutex, balance;

class Guard {
    int* mutex;

  public:
    __device__ explicit Guard(int* mutex) : mutex(mutex) {
        while (atomicCAS(mutex, 0, 1) != 0) __nanosleep(20);
        if (AFTER) __threadfence();
    }
    __device__ ~Guard() {
        if (BEFORE) __threadfence();
        atomicExch(mutex, 0);
    }
};

__global__ void deposit() {
    Guard guard(&mutex);
    balance += 10;
}

int main() {
    deposit<<<2, 1>>>();
    return cudaDeviceSynchronize();
}

//@ vary AFTER in {true, false};
//@ vary BEFORE in {true, false};
//@ options races = ignore;
//@ expect race_free when AFTER && BEFORE;
//@ expect required balance == 20 when AFTER && BEFORE under cuda, ptx;
//@ expect terminates when AFTER && BEFORE;
//@ expect race on balance when !AFTER || !BEFORE;
//@ expect allowed balance == 10 when !BEFORE under ptx;
