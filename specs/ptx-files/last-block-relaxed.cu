// last-block-nvcc.ptx, where tickets are taken without order.

//@ kernels "last-block-nvcc.ptx";
//@ object struct Params { int* parts; int* sum; unsigned* tickets; int blocks; };
//@ object __device__ int parts[2], sum;
//@ object __device__ unsigned tickets;
//@ launch reduce_relaxed<<<2, 1>>>(Params{parts, &sum, &tickets, 2});
//@ expect race on parts under cuda, ptx;
//@ expect allowed sum == 1 under ptx;
//@ expect terminates;
