// Example: Execution.Model.Device.4
// Allowed outcome: No thread makes progress because device threads don't support host.thread.6.
__global__ void ex4() {
    while(true) { /* empty */ }
}
//@ launch ex4<<<1, 1>>>();
//@ expect may_hang;
//@ expect may_stall;
