// openxla/xla#46093: a fill is given to a stream, and the pinned memory is freed when the function returns.  The synchronisation is
// in a loop over what there is to check, and there may be nothing.
#include <cuda.h>
constexpr int CHECKED = 1;

int main() {
    CUstream stream;
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    int* mismatches;
    cuMemHostAlloc((void**)&mismatches, sizeof(int), 0);
    cuMemsetD32Async((CUdeviceptr)mismatches, 0, 1, stream);
    for (int buffer = 0; buffer < CHECKED; buffer++) cuStreamSynchronize(stream);
    cuMemFreeHost(mismatches);
}

//@ vary CHECKED in {0, 1};
//@ expect race_free when CHECKED == 1;
//@ expect race when CHECKED == 0;
