// Example: Execution.Model.Device.1
// Allowed outcome: No thread makes progress because device threads don't support host.threads.2.
__global__ void ex1() {
    while(true) cuda::std::this_thread::yield();
}
//@ launch ex1<<<1, 1>>>();
//@ expect may_hang;
//@ expect may_stall;
