// lock-nvcc.ptx without its fences.

//@ kernels "lock-nvcc.ptx";
//@ object __device__ int lock, total;
//@ launch add_unfenced<<<2, 1>>>(&lock, &total);
//@ expect race on total under cuda, ptx;
//@ expect allowed total == 1 under ptx;
//@ expect terminates;
