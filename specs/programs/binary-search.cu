// Neighbours that two lists have in common, found by bisection: how the search goes on depends on what it reads, and
// it returns from the middle of its loop.  One thread counts alone; in binary-search-of-two.cu two add to one counter.
__device__ int list[3] = {0, 1, 2}, common;

__device__ bool contains(int target, int left, int right) {
    while (left <= right) {
        int middle = (left + right) / 2;
        if (list[middle] == target) return true;
        if (list[middle] < target) left = middle + 1;
        else right = middle - 1;
    }
    return false;
}

__global__ void count(int first) {
    int found = 0;
    for (int i = list[first]; i < list[2] && list[i] < 2; i += 2) {
        int begin = list[0], end = list[2];
        if (contains(list[i], begin, end)) found++;
    }
    if (found > 0) common += found;
}

//@ launch count<<<1, 1>>>(1);
//@ bound unroll = 2;
//@ expect race_free;
//@ expect allowed common == 1;
//@ expect forbidden common != 1;
