// How long a thread sleeps is not modelled; how it computes that is.  And a sleep is not among the things that a host
// thread is assumed to do eventually ([intro.progress.1]: terminate, yield, I/O, volatile accesses, synchronisation and
// atomic operations, a trivial infinite loop): a thread that only sleeps is undefined behaviour, one that only yields is not.
#include <chrono>
#include <thread>

constexpr bool READ_LATE = true, SLEEP = true;

int delay = 10;

int main() {
    std::thread writer([] { delay = 20; });
    if (READ_LATE) writer.join();
    std::this_thread::sleep_for(std::chrono::milliseconds(delay++));
    if (!READ_LATE) writer.join();
    int last = delay;
    while (true) {
        if (SLEEP) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (!SLEEP) std::this_thread::yield();
    }
}

//@ vary READ_LATE in {true, false};
//@ vary SLEEP in {true, false};
//@ expect race_free when READ_LATE;
//@ expect race on delay when !READ_LATE;
//@ expect may_stall when SLEEP;
//@ expect progresses when !SLEEP;
