// __syncwarp orders the lanes that its mask names, and no others.
constexpr bool TOGETHER = true;

__device__ int data[2];

__global__ void lanes() {
    data[threadIdx.x] = 1;
    if (TOGETHER)
        __syncwarp(0x3);
    else if (threadIdx.x == 0)
        __syncwarp(0x1);
    else
        __syncwarp(0x2);
    int other = data[1 - threadIdx.x];
}

//@ launch lanes<<<1, 2>>>();
//@ options races = ignore;
//@ vary TOGETHER in {true, false};
//@ expect race_free when TOGETHER;
//@ expect required lanes[0][0].other == 1 && lanes[0][1].other == 1 when TOGETHER;
//@ expect race on data when !TOGETHER;
//@ expect allowed lanes[0][0].other == 0 when !TOGETHER;
//@ expect terminates;
