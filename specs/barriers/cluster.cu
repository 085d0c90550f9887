// The barrier of a cluster joins its blocks, and not those of the next cluster.
#include <cooperative_groups.h>

constexpr int OTHER = 1;

__device__ int data[4];

__global__ void __cluster_dims__(2) blocks() {
    data[blockIdx.x] = 1;
    cooperative_groups::this_cluster().sync();
    int other = data[blockIdx.x ^ OTHER];
}

//@ launch blocks<<<4, 1>>>();
//@ options races = ignore;
//@ vary OTHER in {1, 2};
//@ expect race_free when OTHER == 1;
//@ expect required blocks[0][0].other == 1 && blocks[3][0].other == 1 when OTHER == 1;
//@ expect race on data when OTHER == 2;
//@ expect allowed blocks[0][0].other == 0 when OTHER == 2;
//@ expect terminates;
