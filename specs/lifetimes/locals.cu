// A local variable is no more when its block ends ([basic.stc.auto]): what was given its address, a kernel or a thread, must
// have done with it by then.  Of main too: "leaving the main function (destroying any objects with automatic storage
// duration)" ([basic.start.main]/5).
#include <cuda_runtime.h>
#include <thread>

constexpr int INSIDE = 0, OUTSIDE = 1, IN_MAIN = 2, THREAD_INSIDE = 3, THREAD_OUTSIDE = 4;
constexpr int WAIT = INSIDE;

__global__ void fill(int* data) { *data = 1; }

void launch() {
    int data = 0;
    fill<<<1, 1>>>(&data);
    if (WAIT == INSIDE) cudaDeviceSynchronize();
}

int main() {
    if (WAIT == INSIDE || WAIT == OUTSIDE) launch();
    if (WAIT == THREAD_INSIDE || WAIT == THREAD_OUTSIDE) {
        int data = 0;
        std::thread worker([&data] { data = 1; });
        if (WAIT == THREAD_INSIDE) worker.join();
        else worker.detach();
    }
    int own = 0;
    if (WAIT == IN_MAIN) fill<<<1, 1>>>(&own);
    else cudaDeviceSynchronize();
}

//@ given pageableMemoryAccess = 1;
//@ vary WAIT in {0, 1, 2, 3, 4};
//@ expect race_free when WAIT == INSIDE || WAIT == THREAD_INSIDE;
//@ expect race when WAIT == OUTSIDE || WAIT == IN_MAIN || WAIT == THREAD_OUTSIDE;
