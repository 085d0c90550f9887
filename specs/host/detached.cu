// When main returns the process ends ("calling std::exit", [basic.start.main]/5), and with it every thread that has not been
// joined, wherever it is: it need not end, and what it has not done by then it does not do.
#include <atomic>
#include <thread>

constexpr bool DETACHED = true, WAITS = true, ENDLESS = true;

std::atomic<int> done{0}, last{0};

int main() {
    std::thread worker([] {
        done.store(1, std::memory_order_release);
        last.store(1, std::memory_order_relaxed);
        if (ENDLESS) while (true) std::this_thread::yield();
    });
    if (DETACHED) worker.detach();
    if (WAITS) while (done.load(std::memory_order_acquire) == 0) std::this_thread::yield();
    if (!DETACHED) worker.join();
}

//@ vary DETACHED in {true, false};
//@ vary WAITS in {true, false};
//@ vary ENDLESS in {true, false};
//@ expect race_free;
//@ expect terminates when DETACHED || !ENDLESS;
//@ expect may_hang when !DETACHED && ENDLESS;
//@ expect required done == 1 when DETACHED && WAITS;
//@ expect allowed done == 0 when DETACHED && !WAITS;
//@ expect allowed last == 0 when DETACHED;
//@ expect allowed last == 1 when DETACHED;
//@ expect required done == 1 && last == 1 when !DETACHED && !ENDLESS;
