// The opposite of Execution.Model.Device.2: the volatile object does not have automatic storage duration, so its
// accesses count (device.threads.3).
__device__ volatile bool True = true;

__global__ void ex2() {
    while (True);
}

//@ launch ex2<<<1, 1>>>();
//@ expect may_hang;
//@ expect progresses;
