// Example: Execution.Model.Device.2
// Allowed outcome: No thread makes progress because device threads don't support host.threads.4
// for objects with automatic storage duration (see exception in device.threads.3).
__global__ void ex2() {
    volatile bool True = true;
    while(True);
}
//@ launch ex2<<<1, 1>>>();
//@ expect may_hang;
//@ expect may_stall;
