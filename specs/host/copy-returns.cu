// What the host may do with its memory when a copy has returned (CUDA runtime API, "API synchronization behavior").
// cudaMemcpy has staged its source, or is complete; of cudaMemcpyAsync only "transfers from any host memory to any host
// memory" are "fully synchronous with respect to the host", one of pageable memory to or from a device "might be".
constexpr int TO_DEVICE = 0, FROM_DEVICE = 1, ON_HOST = 2;
constexpr int COPY = TO_DEVICE;
constexpr bool ASYNC = false;

__device__ int on_device = 1;

int main() {
    int first = 1, second = 0;
    int* device;
    cudaGetSymbolAddress((void**)&device, on_device);
    if (COPY == TO_DEVICE && !ASYNC) cudaMemcpy(device, &first, sizeof(int), cudaMemcpyHostToDevice);
    if (COPY == TO_DEVICE && ASYNC) cudaMemcpyAsync(device, &first, sizeof(int), cudaMemcpyHostToDevice);
    if (COPY == FROM_DEVICE && !ASYNC) cudaMemcpy(&second, device, sizeof(int), cudaMemcpyDeviceToHost);
    if (COPY == FROM_DEVICE && ASYNC) cudaMemcpyAsync(&second, device, sizeof(int), cudaMemcpyDeviceToHost);
    if (COPY == ON_HOST && !ASYNC) cudaMemcpy(&second, &first, sizeof(int), cudaMemcpyHostToHost);
    if (COPY == ON_HOST && ASYNC) cudaMemcpyAsync(&second, &first, sizeof(int), cudaMemcpyHostToHost);
    int seen = second;
    first = 2;
    cudaDeviceSynchronize();
}

//@ vary COPY in {0, 1, 2};
//@ vary ASYNC in {false, true};
//@ expect race_free when !ASYNC || COPY == ON_HOST;
//@ expect race on main.first when ASYNC && COPY == TO_DEVICE;
//@ expect race on main.second when ASYNC && COPY == FROM_DEVICE;
//@ expect required on_device == 1 when !ASYNC && COPY == TO_DEVICE;
//@ expect required main.seen == 1 when (!ASYNC && COPY == FROM_DEVICE) || COPY == ON_HOST;
//@ expect terminates;
