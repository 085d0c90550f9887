// A latch opens when its counter is 0, for good.  One that opens too early orders nothing that comes later.
#include <cuda/latch>
#include <thread>

constexpr int COUNT = 2;

cuda::latch<cuda::thread_scope_system> done(COUNT);
int data[2] = {0, 0};

int main() {
    int sum = 0;
    std::thread reader([&sum] {
        done.wait();
        sum = data[0] + data[1];
    });
    std::thread first([] {
        data[0] = 1;
        done.count_down();
    });
    std::thread second([] {
        data[1] = 1;
        if (COUNT == 2) done.count_down();
    });
    reader.join();
    first.join();
    second.join();
}

//@ options races = ignore;
//@ vary COUNT in {2, 1};
//@ expect race_free when COUNT == 2;
//@ expect required main.sum == 2 when COUNT == 2;
//@ expect race on data when COUNT == 1;
//@ expect allowed main.sum == 1 when COUNT == 1;
//@ expect terminates;
