// Example: Execution.Model.Stream.1
// Outcome: terminates.
// Rationale: same as Execution.Model.Stream.0, but this example has a stream dependency
// between first and second, which requires CUDA to run the grids in order.
cuda::atomic<int, cuda::thread_scope_system> flag = 0;
__global__ void first() { flag.store(1, cuda::memory_order_relaxed); }
__global__ void second() { while(flag.load(cuda::memory_order_relaxed) == 0) {} }
int main() {
    cudaHostRegister(&flag, sizeof(flag));
    cudaStream_t s0;
    cudaStreamCreate(&s0);
    first<<<1,1,0,s0>>>();
    second<<<1,1,0,s0>>>();
    return cudaDeviceSynchronize();
}
//@ expect terminates;
