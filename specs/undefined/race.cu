// Two blocks store to one element. A race alone is not what `undefined` looks for: it has an expectation of its own.
constexpr int AT = 0;

__device__ int slots[2];

__global__ void fill(int at) { slots[at] = blockIdx.x; }

//@ launch fill<<<2, 1>>>(AT);
//@ vary AT in {0, 2};
//@ expect race when AT == 0;
//@ expect undefined when AT == 2;
