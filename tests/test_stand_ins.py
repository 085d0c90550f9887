"""Registers that stand for what a step finds, and variables of the program with such names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.test_warps import answers


def test_a_variable_is_not_taken_for_what_an_operation_finds(write: Callable[..., Path]) -> None:
    text = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> y{3}, z{0}, w{0};
__device__ void f() { int old = z.fetch_add(1); while (w.load() != 0) old++; while (y.load() == old); }
__global__ void k() { f(); }
//@ launch k<<<1, 1>>>();
//@ expect terminates;
"""
    assert answers(write(text)) == ["holds"]
    assert answers(write(text.replace("y{3}", "y{0}"))) == ["violated"]
