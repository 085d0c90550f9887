// __syncthreads_count, _and and _or are barriers that also tell how many threads said yes, whether all did, or one.
__device__ int input[3] = {1, 0, 1};
__device__ int data[3];

__global__ void votes() {
    data[threadIdx.x] = 1;
    int count = __syncthreads_count(input[threadIdx.x]);
    int next = data[(threadIdx.x + 1) % 3];
    int all = __syncthreads_and(input[threadIdx.x] >= 0);
    int every = __syncthreads_and(input[threadIdx.x]);
    int some = __syncthreads_or(input[threadIdx.x]);
    int none = __syncthreads_or(input[threadIdx.x] > 1);
}

//@ launch votes<<<1, 3>>>();
//@ expect race_free;
//@ expect required votes[0][0].count == 2 && votes[0][1].count == 2 && votes[0][2].next == 1;
//@ expect required votes[0][0].all == 1 && votes[0][0].every == 0 && votes[0][1].some == 1 && votes[0][1].none == 0;
//@ expect terminates;
