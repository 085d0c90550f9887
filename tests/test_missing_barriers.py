"""Advice where a barrier, an attribute or a call that synchronises is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from scopec.advice.barriers import with_barrier
from scopec.advice.edits import Attribute, Edit, edited
from scopec.explain.fixes import Replacement
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides
from tests.test_advice import checks, followed

SUM = """\
__global__ void sum(const int* in, int* out) {
    __shared__ int part[4];
    int t = threadIdx.x;
    part[t] = in[t];
    for (int n = 2; n > 0; n /= 2) {
        if (t < n) {
            part[t] += part[t + n];
        }
        __syncthreads();
    }
    if (t == 0) *out = part[0];
}
//@ object __device__ int in[4] = {1, 2, 3, 4};
//@ object __device__ int out = 0;
//@ launch sum<<<1, 4>>>(in, &out);
//@ expect race_free;
//@ expect required out == 10;
"""
BARRIER = "    __syncthreads();\n"
HISTOGRAM = """\
__global__ void histogram(int* out) {
    __shared__ int bins[2];
    if (threadIdx.x < 2) bins[threadIdx.x] = 0;
    atomicAdd(&bins[threadIdx.x & 1], 1);
    __syncthreads();
    if (threadIdx.x < 2) out[threadIdx.x] = bins[threadIdx.x];
}
//@ object __device__ int out[2];
//@ launch histogram<<<1, 4>>>(out);
//@ expect race_free;
"""
MANAGED = """\
#include <cassert>
__global__ void set(int* out) { *out = 1; }
int main() {
    int* p;
    cudaMallocManaged(&p, sizeof(int));
    set<<<1, 1>>>(p);
    assert(*p == 1);
}
//@ expect race_free;
"""


def test_a_barrier_that_is_missing(tmp_path: Path) -> None:
    """Not inside the `if`, where only some threads come."""
    for text in (
        SUM.replace("    for", BARRIER + "    for"),
        HISTOGRAM.replace("    atomicAdd", BARRIER + "    atomicAdd"),
    ):
        assert {c.verdict for c in checks(tmp_path, text)} == {"holds"}
        for line in (n for n, line in enumerate(text.splitlines(True)) if line.endswith(BARRIER)):
            lines = text.splitlines(True)
            del lines[line]
            race, *_ = checks(tmp_path, "".join(lines))
            assert (race.advice or "").startswith("__syncthreads() before line ")
            assert {c.verdict for c in checks(tmp_path, followed("".join(lines), race))} == {"holds"}


TWO_BUFFERS = """\
__global__ void k(int* out) {
    __shared__ int tile[2][4];
    int t = threadIdx.x, sum = 0;
    tile[0][t] = t;
    __syncthreads();
    for (int turn = 0; turn < 3; ++turn) {
        if (turn < 2) tile[(turn + 1) % 2][t] = tile[turn % 2][t] + 1;
        sum += tile[turn % 2][(t + 1) % 4];
    }
    out[t] = sum;
}
//@ object __device__ int out[4];
//@ launch k<<<1, 4>>>(out);
//@ expect race_free;
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [(TWO_BUFFERS, 9), (HISTOGRAM.replace(BARRIER, "").replace("    atomicAdd", BARRIER + "    atomicAdd"), 6)],
)
@pytest.mark.sampled(1)
def test_the_likeliest_place_is_tried_first(
    text: str, line: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a loop's body where an access races with one of an earlier turn; before other orders of what is atomic, if
    no read of it is between the accesses."""
    tried: list[object] = []

    def with_barrier_noted(run: Run, added: Replacement, overrides: Overrides) -> Run | None:
        tried.append(added.span.line)
        return with_barrier(run, added, overrides)

    def edited_noted(run: Run, edits: Iterable[Edit]) -> Run:
        tried.append(edits)
        return edited(run, edits)

    monkeypatch.setattr("scopec.advice.search.with_barrier", with_barrier_noted)
    monkeypatch.setattr("scopec.advice.search.edited", edited_noted)
    race, *_ = checks(tmp_path, text)
    assert (race.advice or "").startswith(f"__syncthreads() before line {line};")
    assert tried == [line]


@pytest.mark.sampled(0)
def test_attributes_of_the_machine_are_tried_where_they_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are about atomic operations of the system's scope."""
    tried: set[str] = set()

    def attribute(name: str) -> Attribute:
        tried.add(name)
        return Attribute(name)

    monkeypatch.setattr("scopec.advice.search.Attribute", attribute)
    text = HISTOGRAM.replace("<<<1, 4>>>", "<<<2, 4>>>")  # no barrier helps blocks that write one `out`
    checks(tmp_path, text)
    assert not tried
    checks(tmp_path, text.replace("atomicAdd", "atomicAdd_system"))
    assert "hostNativeAtomicSupported" in tried


def test_no_barrier_where_threads_of_a_block_would_miss_it(tmp_path: Path) -> None:
    """The first thread waits in a loop of its own for the second: a barrier in there would be for one of them."""
    text = (
        "__global__ void k() {\n"
        "    __shared__ int x;\n"
        "    for (int i = 0; i < 2 - threadIdx.x; i++) {\n"
        "        x = i;\n"
        "    }\n"
        "}\n//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n"
    )
    (race,) = checks(tmp_path, text)
    assert (race.verdict, race.advice) == ("violated", None)


def test_a_host_that_reads_before_the_kernel_ends(tmp_path: Path) -> None:
    race, _ = checks(tmp_path, MANAGED)
    assert (race.advice or "").startswith("cudaDeviceSynchronize() after the launch of set, at line 6")
    assert {c.verdict for c in checks(tmp_path, followed(MANAGED, race))} == {"holds"}


def test_what_carries_data_is_not_made_atomic(tmp_path: Path) -> None:
    """The race would be gone, and the program as wrong as before."""
    text = (
        "__device__ int data = 0;\n"
        "__global__ void k(int* out) { if (blockIdx.x == 0) data = 1; else *out = data; }\n"
        "//@ object __device__ int out;\n//@ launch k<<<2, 1>>>(&out);\n//@ expect race_free;\n"
    )
    (race,) = checks(tmp_path, text)
    assert (race.verdict, race.advice) == ("violated", None)


def test_a_barrier_before_the_flag_that_one_thread_sets_for_its_block(tmp_path: Path) -> None:
    """The other thread's store is not before it; the threads that race are of different blocks."""
    text = """\
#include <cuda/atomic>
__device__ int buffer[2];
__device__ cuda::atomic<int, cuda::thread_scope_device> ready{0};
__global__ void k(int* out) {
    if (blockIdx.x == 0) {
        buffer[threadIdx.x] = threadIdx.x + 1;
        if (threadIdx.x == 0) ready.store(1, cuda::memory_order_release);
    } else {
        if (threadIdx.x == 0) while (ready.load(cuda::memory_order_acquire) == 0);
        __syncthreads();
        out[threadIdx.x] = buffer[threadIdx.x];
    }
}
//@ object __device__ int out[2];
//@ launch k<<<2, 2>>>(out);
//@ expect race_free;
//@ expect required out[1] == 2;
"""
    race, _ = checks(tmp_path, text)
    assert race.advice == "__syncthreads() before line 7; checked: `race_free` and `required out[1] == 2` hold then"
    assert {c.verdict for c in checks(tmp_path, followed(text, race))} == {"holds"}


def test_a_brace_in_a_string_is_none(tmp_path: Path) -> None:
    """Where blocks begin and end, literals do not say."""
    text = SUM.replace("    part[t] = in[t];", '    const char* open = "{ if (";\n    part[t] = in[t];')
    race, *_ = checks(tmp_path, text)
    assert (race.advice or "").startswith("__syncthreads() before line 6")
