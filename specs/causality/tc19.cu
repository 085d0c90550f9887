// Causality test case 19: as the seventeenth, with the first part in a thread of its own, which is joined.  Java: allowed; forbidden here for
// the same reason.
#include <atomic>
#include <thread>

constexpr auto relaxed = std::memory_order_relaxed;

std::atomic<int> x{0}, y{0};

int main() {
    std::thread t3([] {
        int r3 = x.load(relaxed);
        if (r3 != 42) x.store(42, relaxed);
    });
    std::thread t2([] {
        int r2 = y.load(relaxed);
        x.store(r2, relaxed);
    });
    t3.join();
    int r1 = x.load(relaxed);
    y.store(r1, relaxed);
    t2.join();
}

//@ expect race_free;
//@ expect forbidden main.r1 == 42 && t2.r2 == 42 && t3.r3 == 42;
//@ expect allowed main.r1 == 42 && t2.r2 == 42 && t3.r3 == 0;
