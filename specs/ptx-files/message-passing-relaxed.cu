// message-passing-nvcc.ptx, where the flag is read without acquire.

//@ kernels "message-passing-nvcc.ptx";
//@ launch pass_relaxed<<<2, 1>>>();
//@ expect race on data under cuda, ptx;
//@ expect allowed result == 0 under ptx;
