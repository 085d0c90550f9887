"""Advice on hangs: a lock that a return keeps, a flag that is reset, a barrier in a condition; each works when followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_advice import checks, followed

LOCK = """\
__device__ int lock, sum;
__global__ void k(int n) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    if (sum >= n)
        return;
    sum = sum + 1;
    __threadfence();
    atomicExch(&lock, 0);
}
//@ launch k<<<3, 1>>>(1);
//@ expect terminates;
"""
FLAG = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k() {
    if (threadIdx.x == 0) {
        flag.store(1);
        flag.store(0);
    } else {
        while (flag.load() == 0) {}
    }
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
"""
BARRIER = """\
__device__ int flag;
__global__ void k() {
    if (threadIdx.x == 0) {
        __syncthreads();
        atomicExch(&flag, 1);
    } else {
        while (atomicAdd(&flag, 0) == 0) {}
    }
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
"""


@pytest.mark.parametrize(
    ("text", "advice", "part"),
    [
        (LOCK, "`atomicExch(&lock, 0)` before the return at line 6", "{ atomicExch(&lock, 0); return; }"),
        (FLAG, "without `flag.store(0)` at line 5", "flag.store(1);\n    } else"),
        (BARRIER, "`__syncthreads()` after the block that begins at line 3", "    }\n    __syncthreads();\n}"),
    ],
)
def test_what_a_thread_has_left_behind(text: str, advice: str, part: str, tmp_path: Path) -> None:
    (hang,) = checks(tmp_path, text)
    assert (hang.advice or "").startswith(f"{advice}; checked: ")
    after = followed(text, hang)
    assert part in after
    assert checks(tmp_path, after)[0].verdict == "holds"


def test_nothing_is_suggested_that_does_not_help(tmp_path: Path) -> None:
    """Where the thread that has the lock waits for ever itself, no return keeps it; a flag that is set again is no end."""
    text = LOCK.replace("        return;", "        while (true) atomicAdd(&sum, 0);")
    (hang,) = checks(tmp_path, text)
    assert (hang.verdict, hang.advice) == ("violated", None)
    text = FLAG.replace("while (flag.load() == 0)", "while (flag.load() != 7)")
    (hang,) = checks(tmp_path, text)
    assert (hang.verdict, hang.advice) == ("violated", None)


def test_what_holds_still_holds(tmp_path: Path) -> None:
    """The flag's last value is expected: taking the reset out would break that."""
    text = FLAG + "//@ expect required flag == 0;\n"
    hang, required = checks(tmp_path, text)
    assert (hang.verdict, hang.advice, required.verdict) == ("violated", None, "holds")
