"""Concurrent data structures whose values depend on many reads, answered in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.session.check import Settings, check

STACK = """
#include <cuda/atomic>
struct node { int value; node* next; };
constexpr cuda::memory_order POP = cuda::memory_order_acquire;
__device__ node nodes[2];
__device__ cuda::atomic<node*, cuda::thread_scope_device> head{nullptr};
__device__ int got[2];
__device__ node* pop() {
    node* top = head.load(POP);
    while (top != nullptr && !head.compare_exchange_weak(top, top->next, POP, POP)) { }
    return top;
}
__global__ void use() {
    if (blockIdx.x == 2) {
        nodes[0].value = 1;
        nodes[1].value = 2;
        nodes[1].next = &nodes[0];
        head.store(&nodes[1], cuda::memory_order_release);
    } else if (node* mine = pop()) {
        got[blockIdx.x] = mine->value;
    }
}
//@ launch use<<<3, 1>>>();
//@ vary POP in {acquire, relaxed};
//@ expect race_free when POP == acquire;
//@ expect forbidden got[0] == got[1] && got[0] != 0 when POP == acquire;
//@ expect allowed got[0] == 1 && got[1] == 2 when POP == acquire;
//@ expect race when POP == relaxed;
//@ expect terminates;
"""

QUEUE = """
#include <cuda/atomic>
constexpr int N = 1;
constexpr cuda::memory_order POPPED = cuda::memory_order_release;
struct queue {
    cuda::atomic<int, cuda::thread_scope_block> head{0}, tail{0};
    int items[N]{};
    __device__ bool try_push(int v) {
        const int t = tail.load(cuda::memory_order_relaxed);
        if (t - head.load(cuda::memory_order_acquire) == N) return false;
        items[t % N] = v;
        tail.store(t + 1, cuda::memory_order_release);
        return true;
    }
    __device__ bool try_pop(int& v) {
        const int h = head.load(cuda::memory_order_relaxed);
        if (h == tail.load(cuda::memory_order_acquire)) return false;
        v = items[h % N];
        head.store(h + 1, POPPED);
        return true;
    }
};
__device__ queue q;
__device__ int out[2];
__global__ void pass() {
    if (threadIdx.x == 0) {
        for (int i = 1; i <= 2; ++i) while (!q.try_push(i)) { }
    } else {
        for (int i = 0; i < 2; ++i) {
            int v = 0;
            while (!q.try_pop(v)) { }
            out[i] = v;
        }
    }
}
//@ launch pass<<<1, 2>>>();
//@ vary POPPED in {release, relaxed};
//@ expect race_free when POPPED == release;
//@ expect required out[0] == 1 && out[1] == 2 when POPPED == release;
//@ expect race on q when POPPED == relaxed;
//@ expect terminates;
"""


def verdicts(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "structure.cu"
    path.write_text(text)
    (outcome,) = check([path], Settings(engine="embedded"))
    assert outcome.failure is None, outcome.failure
    assert [d for d in outcome.diagnostics if d.severity == "error"] == []
    return [f"{c.expectation.text}: {c.verdict} {c.reason or ''}".strip() for r in outcome.reports for c in r.checks]


def test_a_stack_that_two_blocks_pop_from(tmp_path: Path) -> None:
    found = verdicts(tmp_path, STACK)
    assert len(found) == 7
    assert all(line.endswith(": holds") for line in found), found


@pytest.mark.sampled(0)
def test_a_bounded_queue(tmp_path: Path) -> None:
    found = verdicts(tmp_path, QUEUE)
    assert len(found) == 6
    assert all(line.endswith(": holds") for line in found), found
