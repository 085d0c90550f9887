// __activemask() is no barrier, and says of no lane that it will stay: lanes that come to it may be there at once or one
// after the other.  A ballot names the lanes that have to come, and waits for them.
constexpr bool VOTE = true;

__device__ unsigned seen[2];

__global__ void look() {
    unsigned there = VOTE ? __ballot_sync(0x3, true) : __activemask();
    seen[threadIdx.x] = there;
}

int main() {
    look<<<1, 2>>>();
    return cudaDeviceSynchronize();
}

//@ vary VOTE in {true, false};
//@ expect required seen[0] == 3 && seen[1] == 3 when VOTE;
//@ expect allowed seen[0] == 3 && seen[1] == 3;
//@ expect allowed seen[0] == 1 && seen[1] == 2 when !VOTE;
//@ expect forbidden seen[0] == 3 && seen[1] == 2;
//@ expect forbidden seen[0] == 1 && seen[1] == 3;
//@ expect terminates;
