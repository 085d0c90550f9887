// A jthread is asked to stop, and joined, at the end of its block: asking synchronises with noticing ([stopstate]).
#include <stop_token>
#include <thread>

int done = 0;

int main() {
    int result = 0;
    {
        std::jthread worker([&](std::stop_token stop) {
            while (!stop.stop_requested()) std::this_thread::yield();
            result = done;
        });
        done = 1;
    }
    int seen = result;
}

//@ expect race_free;
//@ expect required main.seen == 1;
//@ expect terminates;
