"""Programs of libcu++'s asynchronous functions, as its documentation spells them, right and with one thing less."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.memory.answers import undefined_at
from scopec.memory.execution import Execution
from scopec.report import json
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

_HEAD = """
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ alignas(16) int data[4];
"""

#: A load by one thread, an addition by each, and a store of all: the library's copy may be a bulk copy, and owes no fence.
_ADDS = """
__global__ void k() {
    alignas(16) __shared__ int tile[4];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    if (threadIdx.x == 0) cuda::memcpy_async(tile, data, cuda::aligned_size_t<16>(sizeof(tile)), bar);
    barrier::arrival_token token = bar.arrive();
    WAIT
    tile[threadIdx.x] += 1;
    FENCE
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data, tile, sizeof(tile));
        ptx::cp_async_bulk_commit_group();
        DONE
    }
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""

#: Two stages that all threads fill and read.
_STAGES = """
__device__ int out[4];
__global__ void k() {
    __shared__ int tile[4];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    for (int n = 0; n < 2; n++) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile + 2 * n, data + 2 * n, 2 * sizeof(int), pipe);
        COMMIT
    }
    for (int n = 0; n < 2; n++) {
        WAIT
        out[2 * n + threadIdx.x] = tile[2 * n + 1 - threadIdx.x];
        pipe.consumer_release();
    }
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""

_PARTS = {
    _ADDS: {
        "WAIT": "bar.wait(std::move(token));",
        "FENCE": "ptx::fence_proxy_async(ptx::space_shared);",
        "DONE": "ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());",
    },
    _STAGES: {"COMMIT": "pipe.producer_commit();", "WAIT": "pipe.consumer_wait();"},
}
CASES = [
    (text, without)
    for text, parts in _PARTS.items()
    for without in ("", *parts)
    if without != "COMMIT"  # who waits for a stage that nobody commits waits for ever
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "without"), CASES)
def test_each_part_is_needed(text: str, without: str, tmp_path: Path) -> None:
    for part, written in _PARTS[text].items():
        text = text.replace(part, "" if part == without else written)
    path = tmp_path / "library.cu"
    path.write_text(_HEAD + text.replace("race_free;", "race_free under cuda, ptx;"))
    (outcome,) = check([path], Settings(engine="embedded"))
    assert not [d for d in outcome.diagnostics if d.severity == "error"], outcome.diagnostics
    found = [c.verdict for r in outcome.reports for c in r.checks if c.expectation.kind == "race_free"]
    assert found == ["violated" if without else "holds"] * 2


_TWICE = """
__global__ void k() {
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive(&bar);
    LOOKS
    ptx::mbarrier_arrive(&bar);
}
//@ launch k<<<1, 1>>>();
//@ expect undefined;
"""


@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.sampled(1)
def test_an_arrival_is_undefined_before_somebody_has_found_the_last_phase_over(looks: bool, tmp_path: Path) -> None:
    path = tmp_path / "twice.cu"
    path.write_text(
        _HEAD + _TWICE.replace("LOOKS", "while (!ptx::mbarrier_test_wait_parity(&bar, 0)) {}" if looks else "")
    )
    (outcome,) = check([path], Settings(engine="embedded"))
    (report,) = outcome.reports
    (found,) = (c for c in report.checks if c.expectation.kind == "undefined")
    assert found.verdict == ("violated" if looks else "holds")
    if not looks:
        assert isinstance(found.trace, Execution)
        assert "a wait has found the phase before over" in undefined_at(found.trace)


@pytest.mark.sampled(0)
def test_a_verdict_says_on_which_reading_it_rests(tmp_path: Path) -> None:
    text = _ADDS.replace("expect race_free", "expect race_free;\n//@ expect terminates")
    for part, written in _PARTS[_ADDS].items():
        text = text.replace(part, written)
    path = tmp_path / "library.cu"
    path.write_text(_HEAD + text)
    (outcome,) = check([path], Settings(engine="embedded"))
    (report,) = outcome.reports
    found = {c.expectation.kind: json.check(c)["rests_on"] for c in report.checks if not c.expectation.implicit}
    assert found["race_free"] == ["which accesses a `fence.proxy.async` covers"]
    assert found["terminates"] == ["that a copy which is issued is complete at last"]
    race_free = next(c for c in report.checks if c.expectation.kind == "race_free")
    assert race_free.about == "by a reading: which accesses a `fence.proxy.async` covers"


@pytest.mark.parametrize("model", ["cuda", "ptx"])
@pytest.mark.sampled(1)
def test_a_fence_without_a_copy_does_nothing(model: str, tmp_path: Path) -> None:
    path = tmp_path / "fence.cu"
    path.write_text(
        _HEAD + "__global__ void k() { data[0] = 1; ptx::fence_proxy_async(); }\n//@ launch k<<<1, 1>>>();\n"
    )
    path.write_text(path.read_text() + "//@ expect race_free;\n")
    (outcome,) = check([path], Settings(engine="embedded", overrides=Overrides(model=model)))
    (report,) = outcome.reports
    assert [c.verdict for c in report.checks if c.expectation.kind == "race_free"] == ["holds"]
