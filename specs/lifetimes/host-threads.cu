// The storage of an object that is made with new lasts until delete ([basic.stc.dynamic]): the thread that deletes it has to
// know that no other accesses it any more, by a join or by what that other thread releases last.
#include <cuda/atomic>
#include <thread>

constexpr int NOTHING = 0, JOIN = 1, FLAG = 2, RELAXED_FLAG = 3;
constexpr int WAIT = JOIN;

int main() {
    int* data = new int(1);
    cuda::atomic<int, cuda::thread_scope_system> done(0);
    std::thread worker([&done, data] {
        *data = 2;
        done.store(1, WAIT == RELAXED_FLAG ? cuda::memory_order_relaxed : cuda::memory_order_release);
    });
    if (WAIT == JOIN) worker.join();
    if (WAIT == FLAG || WAIT == RELAXED_FLAG)
        while (done.load(cuda::memory_order_acquire) == 0);
    delete data;
    if (WAIT != JOIN) worker.join();
}

//@ vary WAIT in {0, 1, 2, 3};
//@ expect race_free when WAIT == JOIN || WAIT == FLAG;
//@ expect race when WAIT == NOTHING || WAIT == RELAXED_FLAG;
