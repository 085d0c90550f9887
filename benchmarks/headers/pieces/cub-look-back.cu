// A tile's sum by decoupled look-back: broken, other data goes with it.  PTX promises no order of the parts of a vector.
#include <cub/agent/single_pass_scan_operators.cuh>
const int BROKEN = 0;

using State = cub::ScanTileState<int>;
__device__ uint2 space[64];
__device__ int beside, out;
__global__ void clear() { State state; state.Init(2, space, sizeof space); state.InitializeStatus(2); }
__global__ void k() {
    State state;
    state.Init(2, space, sizeof space);
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) { beside = 1; state.SetInclusive(0, 7); }
    } else {
        typename State::StatusWord status;
        int value;
        state.WaitForValid(0, status, value);
        if (threadIdx.x == 0) out = BROKEN == 0 ? value : beside;
    }
}
//@ vary BROKEN in {0, 1};
//@ launch clear<<<1, 32>>>(); launch cooperative k<<<2, 32>>>();
//@ expect race_free when BROKEN == 0; expect race when BROKEN == 1;
