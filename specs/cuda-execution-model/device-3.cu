// Example: Execution.Model.Device.3
// Allowed outcome: No thread makes progress because device threads don't support host.threads.5
// for objects with automatic storage duration (see exception in device.threads.4).
__global__ void ex3() {
    cuda::atomic<bool, cuda::thread_scope_thread> True = true;
    while(True.load());
}
//@ launch ex3<<<1, 1>>>();
//@ expect may_hang;
//@ expect may_stall;
