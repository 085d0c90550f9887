// Names that differ in the source though their letters are the same: no two may become one on the way to an answer.
#include <cuda/atomic>

struct Pair {
    int first, second;
};

__device__ Pair a;
__device__ int a_first, a_, _a, v[2], v_1;
__device__ cuda::atomic<int, cuda::thread_scope_device> one{1}, done, done_;

__global__ void mp() {
    int tmp1 = one, tmp_1 = 2 * one, b_first = 3 * one, b__first = 4 * one;
    Pair b{5 * one, 6};
    if (one == 1)
        done = 10000 * tmp1 + 1000 * tmp_1 + 100 * b_first + 10 * b__first + b.first;
}

__global__ void mp2() {
    a.first = one, a_first = 2 * one, a_ = 3 * one, _a = 4 * one, v[1] = 5 * one, v_1 = 6 * one;
    while (done != 12345);
    done_ = 100000 * a.first + 10000 * a_first + 1000 * a_ + 100 * _a + 10 * v[1] + v_1;
    while (done_ != 123456);
}

//@ launch mp<<<1, 1>>>();
//@ launch mp<<<1, 1>>>();
//@ launch mp2<<<1, 1>>>();
//@ expect race_free;
//@ expect required done == 12345 && done_ == 123456;
//@ expect required a.first == 1 && a_first == 2 && a_ == 3 && _a == 4 && v[1] == 5 && v_1 == 6;
//@ expect terminates;
