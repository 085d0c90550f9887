// A vote does without lanes that have exited: it does not wait for them, and there is no bit for them.
constexpr int EXITS = 0x3;

__global__ void leave() {
    unsigned there = 0;
    if (EXITS >> threadIdx.x & 1) return;
    there = __ballot_sync(0xf, 1);
    while (there == 0xf);
}

//@ launch leave<<<1, 4>>>();
//@ vary EXITS in {0, 0x3, 0xc};
//@ expect required leave[0][3].there == 0xc when EXITS == 0x3;
//@ expect required leave[0][0].there == 0x3 when EXITS == 0xc;
//@ expect terminates when EXITS != 0;
//@ expect may_hang when EXITS == 0;
