// vote-loop-nvcc.ptx, where flags are read without acquire.

//@ kernels "vote-loop-nvcc.ptx";
//@ object __device__ int flags[2], data[2], out[2];
//@ launch gather_relaxed<<<2, 2>>>(flags, data, out);
//@ expect race on data under cuda, ptx;
//@ expect allowed out[1] == 0 under ptx;
//@ expect may_hang;
