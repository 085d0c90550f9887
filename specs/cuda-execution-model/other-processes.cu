// "Device is empty" is what Execution.Model.API.1 takes for granted: with device threads of other processes, the thread
// whose progress an API call ensures may always be one of theirs.
__global__ void hello_world() { __syncthreads(); }

int main() {
    hello_world<<<1, 2>>>();
    return (int)cudaDeviceSynchronize();
}

//@ options environment = on;
//@ expect race_free;
//@ expect may_hang;
