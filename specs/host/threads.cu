// Host threads: what a thread did before it was created, and what it did before it is joined, is ordered.  What two of
// them do at the same time is not, unless they synchronise.
#include <atomic>
#include <thread>

constexpr bool JOIN_FIRST = true;
constexpr std::memory_order PUBLISH = std::memory_order_release;

std::atomic<int> ready{0};

int main() {
    int data = 0, seen = 0;
    std::thread writer([&] {
        data = 1;
        ready.store(1, PUBLISH);
    });
    std::thread reader(
        [&data](int* out) {
            while (ready.load(std::memory_order_acquire) == 0) std::this_thread::yield();
            *out = data;
        },
        &seen);
    if (JOIN_FIRST) reader.join();
    int result = seen;
    if (!JOIN_FIRST) reader.join();
    writer.join();
}

//@ vary JOIN_FIRST in {true, false};
//@ vary PUBLISH in {release, relaxed};
//@ expect race_free when JOIN_FIRST && PUBLISH == release;
//@ expect forbidden main.result == 0 when JOIN_FIRST && PUBLISH == release;
//@ expect race on main.data when PUBLISH == relaxed;
//@ expect race on main.seen when !JOIN_FIRST;
//@ expect terminates;
