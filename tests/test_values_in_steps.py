"""Steps of a hang have the values that they find and store, at the elements they access; who could help a waiter is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import scopec

LOCKS = """\
__device__ int lock[2], sum[4];
__global__ void k(int n) {
    int me = blockIdx.x;
    while (atomicCAS(&lock[me & 1], 0, 1) != 0) {}
    if (sum[me] >= n) return;
    sum[me * 2 % 4] = sum[me] + n;
    atomicExch(&lock[me & 1], 0);
}
//@ launch k<<<4, 1>>>(1);
//@ expect terminates under fair;
"""


def shown(text: str, write: Callable[..., Path], *options: str) -> str:
    done = scopec("check", write(text, "hang.cu"), *options, COLUMNS="120")
    return " ".join(done.stdout.split())


@pytest.mark.parametrize("engine", ["embedded", pytest.param("tlc", marks=pytest.mark.jvm)])
def test_each_step_has_the_element_and_the_value(engine: str, write: Callable[..., Path]) -> None:
    said = shown(LOCKS, write, "--engine", engine, "--hangs", "sc")
    assert "compares and exchanges lock" in said
    assert "finds 0 [lock[" in said
    assert "reads sum[2] = 1" in said
    assert "writes sum[2] = 1" in said
    assert "blockIdx" not in said.partition("-- from here on nothing changes --")[0].rpartition("main")[2]
    assert (
        "lock[0] never changes: it is 1 since k[2][0] wrote it at line 4, and k[2][0] has ended, after line 5" in said
    )


FLAG = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k() {
    if (blockIdx.x == 0) GIVE
    else while (flag.load() == 0) {}
}
//@ launch k<<<3, 1>>>();
//@ expect terminates;
"""


def test_who_could_help_is_named(write: Callable[..., Path]) -> None:
    said = shown(FLAG.replace("GIVE", "flag.store(1);"), write, "--engine", "embedded")
    assert "flag never changes: it is 0 from the beginning; k[0][0] could write it at line 3" in said
    # A thread that waits for the same is no help.
    said = shown(FLAG.replace("GIVE", "return;"), write, "--engine", "embedded")
    assert "it is 0 from the beginning; no other thread that is left could write it" in said


CROSSED = """\
__device__ int a, b;
__global__ void k() {
    int *mine = blockIdx.x ? &b : &a, *other = blockIdx.x ? &a : &b;
    while (atomicCAS(mine, 0, 1) != 0) {}
    while (atomicCAS(other, 0, 1) != 0) {}
    atomicExch(other, 0);
    atomicExch(mine, 0);
}
//@ launch k<<<2, 1>>>();
//@ expect terminates under fair;
"""


def test_each_of_two_waits_for_the_other(write: Callable[..., Path]) -> None:
    said = shown(CROSSED, write, "--engine", "embedded")
    for me, other, name in (("k[0][0]", "k[1][0]", "b"), ("k[1][0]", "k[0][0]", "a")):
        assert (
            f"{name} never changes: it is 1 since {other} wrote it at line 4, and {other} is at line 5; {other} could"
            in said
        )
        assert f"why: {me} compares and exchanges {name} " in said


def test_elements_of_each_block_are_told_apart(write: Callable[..., Path]) -> None:
    text = """\
__global__ void k() {
    __shared__ int turn[2];
    turn[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 1) atomicExch(&turn[1], blockIdx.x + 3);
    else while (atomicAdd(&turn[1], 0) != 3) {}
}
//@ launch k<<<2, 2>>>();
//@ expect terminates under fair;
"""
    said = shown(text, write, "--engine", "embedded")
    assert (
        "turn[1] never changes: it is 4 since k[1][0] wrote it" in said
        or "it is 4 since k[1][1] wrote it at line 5" in said
    )
