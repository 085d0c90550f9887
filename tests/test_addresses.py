"""Addresses that a program computes with, and pointers to no object (ISO C++ [expr.reinterpret.cast]).

Each object gets one of the addresses that a machine might give it, and the verdict says so; a pointer that is stored,
compared for equality or moved needs none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import scopec

Write = Callable[..., Path]

HEAD = """#include <cassert>
#include <cstdint>
#include <cuda/atomic>
struct Node { Node* next; int v; };
__device__ int x, y, seen;
__device__ Node a, b;
"""

#: What a program does, what it expects, and the objects whose addresses it computes with.
PROGRAMS = {
    "a hash": (
        """__device__ unsigned locks[8];
        __global__ void k(int* p) {
            unsigned at = (size_t(p) >> 2) % 8;
            while (atomicCAS(&locks[at], 0u, 1u) != 0u);
            __threadfence(); *p += 1; __threadfence();
            atomicExch(&locks[at], 0u); }
        //@ launch k<<<2, 1>>>(&x);""",
        "required x == 2", {"x"},
    ),
    "locks in the order of their addresses": (
        """__device__ unsigned l[2];
        __device__ void lock(unsigned* p) { while (atomicCAS(p, 0u, 1u) != 0u); __threadfence(); }
        __device__ void unlock(unsigned* p) { __threadfence(); atomicExch(p, 0u); }
        __device__ unsigned l0, l1;
        __global__ void k() {
            unsigned *p = blockIdx.x ? &l0 : &l1, *q = blockIdx.x ? &l1 : &l0;
            unsigned *first = p < q ? p : q, *second = p < q ? q : p;
            lock(first); lock(second); x += 1; unlock(second); unlock(first); }
        //@ launch k<<<2, 1>>>();
        //@ expect terminates;""",
        "required x == 2", {"l0", "l1"},
    ),
    "rounded up": (
        """extern __shared__ char raw[];
        __global__ void k() {
            int* p = reinterpret_cast<int*>((reinterpret_cast<uintptr_t>(raw) + 127) & ~uintptr_t(127));
            p[threadIdx.x] = threadIdx.x + 1; __syncthreads();
            if (threadIdx.x == 0) x = p[1]; }
        //@ launch k<<<1, 2, 256>>>();""",
        "required x == 2", {"k.raw"},
    ),
    "kept as numbers": (
        """__device__ int64_t table[2];
        __global__ void put() { table[0] = (int64_t)&x; table[1] = reinterpret_cast<int64_t>(&y); }
        __global__ void k() { int* p = (int*)table[blockIdx.x]; *p = 1 + blockIdx.x; }
        //@ launch put<<<1, 1>>>();
        //@ launch k<<<2, 1>>>();""",
        "required x == 1 && y == 2", {"x", "y"},
    ),
    "kept as a number from the start": (
        """__device__ uintptr_t where = (uintptr_t)&y;
        __global__ void k() { *(int*)where = 3; }
        //@ launch k<<<1, 1>>>();""",
        "required y == 3", {"y"},
    ),
    "a table of constants": (
        """__device__ const int table[4] = {3, 1, 4, 1};
        __global__ void k() { uintptr_t p = ((uintptr_t)table / 4 + 2) * 4; x = *(const int*)p; }
        //@ launch k<<<1, 1>>>();""",
        "required x == 4", {"table"},
    ),
    "marked in the low bits": (
        """__device__ cuda::atomic<uintptr_t, cuda::thread_scope_device> head{0};
        __global__ void k() {
            if (blockIdx.x == 0) { a.v = 5; head.store((uintptr_t)&a | 1, cuda::memory_order_release); return; }
            uintptr_t h = head.load(cuda::memory_order_acquire);
            if (h & 1) seen = ((Node*)(h & ~uintptr_t(1)))->v; }
        //@ launch k<<<2, 1>>>();""",
        "required seen == 0 || seen == 5", {"a"},
    ),
    "exchanged by lanes as a number": (
        """__global__ void k() {
            unsigned long long p = 0;
            if (threadIdx.x == 0) p = (unsigned long long)&x;
            p = __shfl_sync(3, p, 0);
            atomicAdd((int*)p, 1); }
        //@ launch k<<<1, 2>>>();""",
        "required x == 2", {"x"},
    ),
    "marked, and kept as a pointer": (
        """__device__ cuda::atomic<Node*, cuda::thread_scope_device> head, marked;
        __global__ void k(int n) {
            head.store(n ? &a : &b);
            Node* p = head.load();
            marked.store((Node*)((uintptr_t)p | 1));
            Node* q = marked.load();
            assert(q != p && q != nullptr && ((uintptr_t)q & 1) && (Node*)((uintptr_t)q & ~uintptr_t(1)) == p);
            if (q == (Node*)((uintptr_t)&a + 1)) x = 1; }
        //@ launch k<<<1, 1>>>(1);""",
        "required x == 1", {"a"},
    ),
    "deleted by a mark, as in a list of Harris": (
        """__device__ cuda::atomic<Node*, cuda::thread_scope_device> after;
        __global__ void k() {
            if (blockIdx.x == 0) {
                Node* next = after.load();
                while (!after.compare_exchange_weak(next, (Node*)((uintptr_t)next | 1)));
            } else {
                Node* next = after.load();
                if ((uintptr_t)next & 1) { next = (Node*)((uintptr_t)next & ~uintptr_t(1)); x = 1; }
                seen = next->v;
            } }
        int main() { a.v = 5; after.store(&a); k<<<2, 1>>>(); cudaDeviceSynchronize(); }""",
        "required seen == 5", {"a"},
    ),
    "numbers that nobody has, as pointers": (
        """__device__ int n = 7;
        __device__ Node* slot;
        __global__ void k() {
            slot = n ? &a : &b;
            size_t near = (size_t)*(Node* volatile*)&slot, some = (size_t)*(volatile int*)&n * 1000;
            slot = (Node*)(near + some);
            Node* p = *(Node* volatile*)&slot;
            assert(p != nullptr && p != &a && (size_t)p - near == 7000);
            slot = (Node*)((size_t)p - some); p = *(Node* volatile*)&slot;
            if (p == &a) x = 1; }
        //@ launch k<<<1, 1>>>();""",
        "required x == 1", {"a", "b"},
    ),
    "a mark where a pointer may be": (
        """__device__ Node* head = nullptr;
        __device__ Node* slots[2];
        __global__ void k() {
            Node* gone = (Node*)1; Node* mine = blockIdx.x ? &a : &b;
            Node* old = (Node*)atomicExch((unsigned long long*)&head, (unsigned long long)mine);
            mine->next = old == nullptr ? gone : old;
            assert(mine->next != nullptr);
            if (mine->next != gone) assert(mine->next == (blockIdx.x ? &b : &a));
            slots[blockIdx.x] = gone; assert(slots[blockIdx.x] != &a && slots[blockIdx.x] == (Node*)1); }
        //@ launch k<<<2, 1>>>();""",
        "race_free", set(),
    ),
    "a mark from the start": (
        """__device__ Node* head = (Node*)2;
        __global__ void k() { Node* p = &a; head = p; p = &b; head = p; head = (Node*)2;
            assert(head != &a && head != &b && head != nullptr && head == (Node*)2); x = 1; }
        //@ launch k<<<1, 1>>>();""",
        "required x == 1", set(),
    ),
    "filled with bytes": (
        """__device__ Node* slots[2];
        __global__ void k() {
            Node* empty = (Node*)-1;
            if (slots[blockIdx.x] == empty) slots[blockIdx.x] = blockIdx.x ? &a : &b;
            assert(slots[blockIdx.x] == (blockIdx.x ? &a : &b)); }
        int main() { void* p; cudaGetSymbolAddress(&p, slots); cudaMemset(p, 0xff, sizeof slots); k<<<2, 1>>>(); cudaDeviceSynchronize(); }""",
        "race_free", set(),
    ),
}  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_addresses(name: str, write: Write, tmp_path: Path) -> None:
    text, expected, placed = PROGRAMS[name]
    path = write(f"{HEAD}{text}\n//@ expect {expected};\n", "t.cu")
    done = scopec("check", "--confirm", "never", "--format", "json", path)
    assert done.returncode == 0, done.stderr + done.stdout
    (program,) = json.loads(done.stdout)["programs"]
    for check in program["checks"]:
        assert check["verdict"] == "holds", check
        assert set(check["addresses"]) == placed


#: What is wrong, beside a right one above.
WRONG = {
    "two locks for one object": (
        """__device__ unsigned locks[8];
        __global__ void k(int* p) {
            unsigned at = (size_t(p) >> 2) % 8 ^ blockIdx.x;
            while (atomicCAS(&locks[at], 0u, 1u) != 0u);
            __threadfence(); *p += 1; __threadfence();
            atomicExch(&locks[at], 0u); }
        //@ launch k<<<2, 1>>>(&x);""",
        "race_free",
    ),
    "not rounded back": (
        """__device__ uintptr_t head;
        __global__ void put() { head = (uintptr_t)&a | 1; }
        __global__ void k() { x = *(int*)head; }
        //@ launch put<<<1, 1>>>();
        //@ launch k<<<1, 1>>>();""",
        "race_free",
    ),
    "a mark that was put on a pointer is followed": (
        """__device__ cuda::atomic<Node*, cuda::thread_scope_device> head;
        __global__ void k(int n) {
            head.store(n ? &a : &b); head.store((Node*)((uintptr_t)head.load() | 1)); x = head.load()->v; }
        //@ launch k<<<1, 1>>>(1);""",
        "race_free",
    ),
    "a mark is followed": (
        """__device__ Node* head;
        __global__ void k() { Node* p = &a; head = p; head = (Node*)1; x = head->v; }
        //@ launch k<<<1, 1>>>();""",
        "race_free",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_addresses(name: str, write: Write) -> None:
    text, expected = WRONG[name]
    done = scopec("check", "--confirm", "never", write(f"{HEAD}{text}\n//@ expect {expected};\n", "t.cu"))
    assert done.returncode == 1, done.stderr + done.stdout


def test_a_verdict_says_that_addresses_were_chosen(write: Write) -> None:
    text, expected, _ = PROGRAMS["a hash"]
    done = scopec("check", "--confirm", "never", write(f"{HEAD}{text}\n//@ expect {expected};\n", "t.cu"))
    assert "  holds     required x == 2  (for one choice of the addresses of `x`)\n" in done.stdout


def test_a_number_that_no_address_was_is_refused(write: Write) -> None:
    text = "__device__ unsigned long at;\n__global__ void k() { x = *(int*)at; }\n//@ launch k<<<1, 1>>>();\n"
    done = scopec("check", "--confirm", "never", write(f"{HEAD}{text}//@ expect race_free;\n", "t.cu"))
    assert done.returncode == 2
    assert "a pointer that is made of a number is outside the modelled subset" in done.stderr
