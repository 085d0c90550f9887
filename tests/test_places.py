"""Assumptions on the blocks of a launch beside CUDA's document, and how many a device has places for: what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import Code
from scopec.base.passes import Passed
from scopec.memory.events.events import EventGraph
from scopec.session.inquiry import graphs
from scopec.session.inquiry.graphs import event_graph
from scopec.session.inquiry.variant import Variant
from tests.conftest import check_text, verdicts

_WAIT = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};
__global__ void waits() {
    if (blockIdx.x == 1) x.store(1);
    while (x.load() == 0);
}
int main() { waits<<<2, 1>>>(); cudaDeviceSynchronize(); }
"""
_COOPERATIVE = """
__global__ void k() { if (threadIdx.x == 0) while (true); }
int main() { cudaLaunchCooperativeKernel(k, 3, 1, nullptr); cudaDeviceSynchronize(); }
//@ given resident_blocks = 2;
//@ expect terminates;
"""
_BOUNDED = """
__global__ void __launch_bounds__(4 * 2, 1) k() { while (threadIdx.x) break; }
//@ launch k<<<1, N>>>();
//@ expect terminates;
"""
_CLUSTER = _COOPERATIVE.replace("void k", "__cluster_dims__(3) void k").replace(
    "cudaLaunchCooperativeKernel(k, 3, 1, nullptr)", "k<<<3, 1>>>()"
)


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (_COOPERATIVE, Code.BAD_LAUNCH, "cudaErrorCooperativeLaunchTooLarge"),
        (_CLUSTER, Code.BAD_LAUNCH, "a cluster of 3 blocks"),
        (_BOUNDED.replace("N", "dim3(3, 3)"), Code.BAD_LAUNCH, "a block of 9 threads, and the kernel's `__launch_bounds__` has 8"),
        (_WAIT + "//@ given resident_blocks = 2;\n//@ expect terminates under lobe;\n", Code.NO_HOST, "no places"),
        (_WAIT + "//@ given resident_blocks = 0;\n//@ expect terminates;\n", Code.BAD_OPTION, "`0` is not a value"),
    ],
)  # fmt: skip
@pytest.mark.sampled(4)
def test_what_cannot_be_launched_or_asked_is_an_error(tmp_path: Path, text: str, code: Code, said: str) -> None:
    (found,) = check_text(tmp_path, text, engine="embedded").diagnostics
    assert found.code is code
    assert said in found.message


def test_a_block_that_is_as_large_as_the_kernel_says(tmp_path: Path) -> None:
    found = check_text(tmp_path, _BOUNDED.replace("N", "dim3(4, 2)"), engine="embedded")
    assert verdicts([found]) == {"terminates": ["holds"]}


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (
            "//@ given resident_blocks = 1;\n//@ expect terminates under cuda-in-order;\n",
            "no other places than those of waits[0]",
        ),
        ("//@ given resident_blocks = 1;\n//@ expect terminates;\n", "(resident_blocks)"),
        ("//@ expect terminates under cuda-in-order;\n", "nothing makes the device start another block"),
    ],
)
def test_why_a_block_has_not_started(tmp_path: Path, asked: str, why: str) -> None:
    (report,) = check_text(tmp_path, _WAIT + asked, engine="embedded").reports
    (check,) = report.checks
    assert check.verdict == "violated"
    assert any(why in behind.why for behind in check.trace.behind)  # type: ignore[union-attr]


def test_clusters_start_in_the_order_of_their_own_indices(tmp_path: Path) -> None:
    """Of two clusters of two by two blocks the second has a block with a lower index than the one it waits for."""
    text = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};
__global__ __cluster_dims__(2, 2) void waits() {
    if (blockIdx.x == 0 && blockIdx.y == 1) x.store(1);
    if (blockIdx.x == 2 && blockIdx.y == 0) while (x.load() == 0);
}
int main() { waits<<<dim3(4, 2), 1>>>(); cudaDeviceSynchronize(); }
//@ expect terminates under cuda-in-order;
"""
    assert verdicts([check_text(tmp_path, text, engine="embedded")]) == {"terminates": ["holds"]}


@pytest.mark.parametrize(
    ("given", "earlier", "said"),
    [
        ("", "", "under `cuda-resident` it holds; under `cuda-in-order` it is violated too"),
        ("", "!", "under `cuda-resident` it holds; under `cuda-in-order` it holds"),
        ("resident_blocks = 1", "!", "under `cuda-resident` it is violated too; under `cuda-in-order` it holds"),
        (
            "resident_blocks = 1",
            "",
            "under `cuda-resident` it is violated too; under `cuda-in-order` it is violated too",
        ),
    ],
)
@pytest.mark.sampled(3)
def test_a_hang_is_told_under_what_is_assumed(tmp_path: Path, given: str, earlier: str, said: str) -> None:
    text = _WAIT.replace("blockIdx.x == 1", f"{earlier}(blockIdx.x == 1)") + (f"//@ given {given};\n" if given else "")
    (report,) = check_text(tmp_path, text + "//@ expect terminates;\n", engine="embedded").reports
    assert [c.assuming for c in report.checks] == [said]


def test_the_event_graph_is_made_once_whatever_is_assumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(run: Variant, log: list[Passed]) -> EventGraph:
        made.append(run.progress.name)
        return event_graph(run, log)

    monkeypatch.setattr(graphs, "event_graph", counted)
    first = "(y[9 * blockIdx.x + threadIdx.x] = 1, threadIdx.x) return;\n    if (blockIdx.x == 0)"
    text = "__device__ int y[18];" + _WAIT.replace("(blockIdx.x == 1)", first).replace("2, 1", "2, 9")
    text += "//@ expect race_free;\n//@ expect terminates;\n"
    (report,) = check_text(tmp_path, text, engine="embedded").reports
    assert [c.assuming for c in report.checks] == [
        None,
        "under `cuda-resident` it holds; under `cuda-in-order` it holds",
    ]
    assert made == ["cuda"]


def test_nothing_is_told_of_what_an_assumption_is_asked_about(tmp_path: Path) -> None:
    text = (
        _WAIT
        + "//@ expect terminates under cuda-in-order, lobe;\n//@ expect may_hang;\n//@ expect may_hang under fair;\n"
    )
    reports = check_text(tmp_path, text, engine="embedded").reports
    assert {c.assuming for report in reports for c in report.checks} == {None}


def test_blocks_that_get_stuck_and_may_never_have_had_places(tmp_path: Path) -> None:
    """The second block sees the flag and not yet the data, and waits for what nobody sends."""
    text = """
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> data{0}, flag{0}, never{0};
__global__ void stale() {
    if (blockIdx.x == 0) {
        data.store(1, cuda::memory_order_relaxed);
        flag.store(1, cuda::memory_order_relaxed);
    } else if (flag.load(cuda::memory_order_relaxed) == 1 && data.load(cuda::memory_order_relaxed) == 0) {
        while (never.load(cuda::memory_order_relaxed) == 0);
    }
}
//@ launch stale<<<2, 1>>>();
//@ expect terminates;
"""
    found = [check_text(tmp_path, f"//@ given resident_blocks = {n};\n{text}", engine="embedded") for n in (1, 2)]
    assert [list(verdicts([one]).values()) for one in found] == [[["unknown"]], [["violated"]]]
