"""All launches of kernels that number things by atomic additions: no two threads get one number."""

from __future__ import annotations

import pytest

from tests import all_launches

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_STACK = "__global__ void k(int* a) {{ __shared__ int n; {reset} __syncthreads(); {more} int p = atomicAdd(&n, 1); if (p >= 0 && p < 2048) a[blockIdx.x * 2048 + p] = 1; }}"
#: Enough for a proof; a launch that shows a race is not looked for.
_SECONDS = 3.0
_ZERO = "if (threadIdx.x == 0) n = 0;"

#: Kernels of which no launch has a race, with the condition.
PROVED = {
    "a place for each thread": ("", "__global__ void k(int* a, int* n) { a[atomicAdd(n, 1)] = 1; }"),
    "of those that want one": ("", f"__global__ void k(int* a, const int* b, int* n) {{ {_I} if (b[i] > 0) {{ int p = atomicAdd(n, 1); a[p] = i; }} }}"),
    "two places each": ("", "__global__ void k(int* a, int* n) { int p = atomicAdd(n, 2); a[p] = 1; a[p + 1] = 2; }"),
    "from the top": ("", "__global__ void k(int* a, int* n) { int p = atomicSub(n, 1); a[p] = 1; }"),
    "from the top, as a sum": ("", "__global__ void k(int* a, int* n) { int p = atomicAdd(n, -1); a[p - 1] = 1; }"),
    "at two places": ("", f"__global__ void k(int* a, int* n) {{ {_I} int p = i % 2 ? atomicAdd(n, 1) : atomicAdd(n, 3) + 2; a[p] = 1; }}"),
    "work that is handed out": ("", "__global__ void k(int* a, int* n, int m) { for (;;) { int p = atomicAdd(n, 1); if (p >= m) break; a[p] = p; } }"),
    "work that is handed out, a number ahead": ("", "__global__ void k(int* a, int* n, int m) { for (int p = atomicAdd(n, 1); p < m; p = atomicAdd(n, 1)) a[p] = p; }"),
    "work that is handed out by fours": ("", "__global__ void k(int* a, int* n, int m) { int p = atomicAdd(n, 4); while (p < m) { for (int j = 0; j < 4; ++j) a[p + j] = p; p = atomicAdd(n, 4); } }"),
    "a number for each row": ("", f"__global__ void k(int* a, const int* row, int* n) {{ {_I} int r = row[i]; int p = atomicAdd(&n[r], 1); if (r >= 0 && p >= 0 && p < 64) a[r * 64 + p] = i; }}"),
    "of its block, begun behind a barrier": ("", _STACK.format(reset=_ZERO, more="")),
    "by cuda::atomic_ref": ("", "#include <cuda/atomic>\n__global__ void k(int* a, int* n) { cuda::atomic_ref<int, cuda::thread_scope_device> r(*n); a[r.fetch_add(1, cuda::memory_order_relaxed)] = 1; }"),
    "of block scope, one block": ("gridDim.x == 1", "__global__ void k(int* a, int* n) { a[atomicAdd_block(n, 1)] = 1; }"),
}  # fmt: skip

#: The same with one rule broken each: two threads may get one number.
NOT_PROVED = {
    "two places, one step": ("", "__global__ void k(int* a, int* n) { int p = atomicAdd(n, 1); a[p] = 1; a[p + 1] = 2; }"),
    "nothing is added": ("", "__global__ void k(int* a, int* n) { a[atomicAdd(n, 0)] = 1; }"),
    "what is added is not known": ("", "__global__ void k(int* a, int* n, int m) { a[atomicAdd(n, m)] = 1; }"),
    "down and up": ("", f"__global__ void k(int* a, int* n) {{ {_I} if (i % 2) a[atomicAdd(n, 1)] = 1; else atomicSub(n, 1); }}"),
    "the number before it": ("", "__global__ void k(int* a, int* n) { int p = atomicSub(n, 2); a[p] = 1; a[p - 2] = 1; }"),
    "set back by an exchange": ("", f"__global__ void k(int* a, int* n) {{ {_I} int p = atomicAdd(n, 1); a[p] = 1; if (i == 7) atomicExch(n, 0); }}"),
    "round and round": ("", "__global__ void k(int* a, unsigned* n) { a[atomicInc(n, 5)] = 1; }"),
    "two counters": ("", f"__global__ void k(int* a, int* n, int* m) {{ {_I} int p = i % 2 ? atomicAdd(n, 1) : atomicAdd(m, 1); a[p] = 1; }}"),
    "two elements of one": ("", f"__global__ void k(int* a, int* n) {{ {_I} a[atomicAdd(&n[i % 2], 1)] = 1; }}"),
    "each block its own": ("", _STACK.format(reset="", more="").replace("blockIdx.x * 2048 + ", "")),
    "begun again for a second round":
        ("", _STACK.format(reset=_ZERO, more="int q = atomicAdd(&n, 1); __syncthreads(); if (threadIdx.x == 0) n = 0; __syncthreads(); if (threadIdx.x == 0 && q >= 0 && q < 2048) a[blockIdx.x * 2048 + q] = 2;")),
    "fours, and then threes": ("", "__global__ void k(int* a, int* n, int m) { for (int p = atomicAdd(n, 4); p < m; p = atomicAdd(n, 3)) for (int j = 0; j < 4; ++j) a[p + j] = p; }"),
    "of another counter in later turns": ("", "__global__ void k(int* a, int* n, int* o, int m) { for (int p = atomicAdd(n, 1); p < m; p = atomicAdd(o, 1)) a[p] = p; }"),
    "of another element in later turns": ("", "__global__ void k(int* a, int* n, int m) { int j = 0; for (int p = atomicAdd(&n[j], 1); p < m; p = atomicAdd(&n[j], 1)) { a[p] = p; ++j; } }"),
    "one turn has a number of its own": ("", "__global__ void k(int* a, int* n, int m) { for (int p = atomicAdd(n, 1); p < m; p = p == 7 ? 3 : atomicAdd(n, 1)) a[p] = p; }"),
    "one more than it found": ("", "__global__ void k(int* a, int* n, int m) { for (int p = atomicAdd(n, 1); p < m; p = atomicAdd(n, 1) + 1) a[p] = p; }"),
    "sixteen bits": ("", "#include <cuda/atomic>\n__global__ void k(int* a, unsigned short* n) { cuda::atomic_ref<unsigned short, cuda::thread_scope_device> r(*n); a[r.fetch_add(1)] = 1; }"),
    "half of it": ("", "__global__ void k(int* a, int* n) { a[atomicAdd(n, 1) / 2] = 1; }"),
}  # fmt: skip


#: Kernels that have a race on the counter too, which is not what is asked about here.
RACED = {
    "of block scope, many blocks": "__global__ void k(int* a, int* n) { a[atomicAdd_block(n, 1)] = 1; }",
    "begun again by a late thread": _STACK.format(reset="", more=_ZERO),
}


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(3)
def test_each_thread_has_a_number_of_its_own(tmp_path, name):
    condition, text = PROVED[name]
    assert all_launches.verdicts(tmp_path, text, condition)["race_free"] == "holds"


@pytest.mark.parametrize("name", NOT_PROVED)
@pytest.mark.sampled(1)
def test_a_number_that_two_may_have_proves_nothing(tmp_path, name):
    condition, text = NOT_PROVED[name]
    assert all_launches.verdicts(tmp_path, text, condition, timeout=_SECONDS)["race_free"] in ("unknown", "violated")


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(1)
def test_a_race_on_the_counter_is_not_the_only_one(tmp_path, name):
    """It may be asked about what the numbers are the indices of alone."""
    found = all_launches.verdicts(tmp_path, f"{RACED[name]}\n//@ expect race on a;", timeout=_SECONDS)
    assert found["race"] in ("unknown", "holds")


@pytest.mark.parametrize("name", ["a place for each thread", "two places each", "from the top, as a sum"])
@pytest.mark.sampled(2)
def test_one_launch_has_no_race_either(tmp_path, name):
    """The engine that has all numbers agrees at one size."""
    launch = "//@ object __device__ int a[16];\n//@ object __device__ int n[1];\n//@ launch k<<<2, 2>>>(a + 8, n);"
    assert all_launches.races(tmp_path, PROVED[name][1], launch) == "holds"
