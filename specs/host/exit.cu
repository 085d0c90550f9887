// `exit` ends the process, whichever thread calls it: threads that wait or go on for ever hold nothing up.  "Objects with
// automatic storage duration are not destroyed" ([support.start.term]/9): no jthread is asked to stop, and none is joined.
#include <atomic>
#include <cstdlib>
#include <stop_token>
#include <thread>

constexpr int IN_MAIN = 0, IN_THREAD = 1, NOWHERE = 2;
constexpr int EXIT = IN_MAIN;

std::atomic<int> stopped{0};

int main() {
    std::jthread worker([](std::stop_token stop) {
        if (EXIT == IN_THREAD) std::exit(0);
        while (!stop.stop_requested()) std::this_thread::yield();
        stopped.store(1);
    });
    if (EXIT == IN_MAIN) exit(0);
    if (EXIT == IN_THREAD) while (true) std::this_thread::yield();
}

//@ vary EXIT in {0, 1, 2};
//@ expect race_free;
//@ expect terminates;
//@ expect required stopped == 0 when EXIT != NOWHERE;
//@ expect required stopped == 1 when EXIT == NOWHERE;
