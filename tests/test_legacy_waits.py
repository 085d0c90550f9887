"""Waits for events that are actions of the legacy stream, as an H200 showed them (docs/gpus/h200.md): both questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.frontends.clang.compilation_cache import compilations
from scopec.frontends.clang.compiler import compiled
from scopec.frontends.clang.flags import Flags
from tests.conftest import check_text

#: What comes between a kernel in the blocking stream `s` and one in the blocking stream `t`, and whether it orders them.
BETWEEN = {
    "nothing": ("", False),
    "a kernel of the legacy stream": ("idle<<<1, 1>>>();", True),
    "a record of the legacy stream": ("cudaEventRecord(e, 0);", True),
    "its wait for an event that nobody recorded": ("cudaStreamWaitEvent(0, e);", False),
    "its wait for its own event": ("cudaStreamWaitEvent(0, own);", False),
    "its wait for an event of another stream": ("cudaStreamWaitEvent(0, others);", True),
    "a wait of a blocking stream for that event": ("cudaStreamWaitEvent(u, others);", False),
}
TEXT = """\
#include <cuda/atomic>
__device__ int x;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void first() { FIRST }
__global__ void second() { SECOND }
__global__ void idle() {}
int main() {
    cudaStream_t s, t, u, n;
    cudaStreamCreate(&s); cudaStreamCreate(&t); cudaStreamCreate(&u);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaEvent_t e, own, others;
    cudaEventCreate(&e); cudaEventCreate(&own); cudaEventCreate(&others);
    cudaEventRecord(own, 0);
    cudaEventRecord(others, n);
    first<<<1, 1, 0, s>>>();
    BETWEEN
    second<<<1, 1, 0, t>>>();
    cudaDeviceSynchronize();
}
"""


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.sampled(2)
def test_which_waits_order_two_blocking_streams(between: str, tmp_path: Path) -> None:
    call, orders = BETWEEN[between]
    text = TEXT.replace("FIRST", "x = 1;").replace("SECOND", "x = 2;").replace("BETWEEN", call)
    outcome = check_text(tmp_path, f"{text}//@ expect race_free;\n", engine="embedded")
    assert outcome.reports[0].checks[0].verdict == ("holds" if orders else "violated")


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.sampled(2)
def test_which_waits_let_a_kernel_wait_for_an_earlier_one(between: str, tmp_path: Path) -> None:
    """Nothing promises that kernels of two streams run side by side."""
    call, orders = BETWEEN[between]
    text = TEXT.replace("FIRST", "flag.store(1);").replace("SECOND", "while (!flag.load());").replace("BETWEEN", call)
    outcome = check_text(tmp_path, f"{text}//@ expect terminates;\n", engine="embedded")
    assert outcome.reports[0].checks[0].verdict == ("holds" if orders else "violated")


@pytest.mark.parametrize("wait", ["cudaStreamSynchronize(s)", "while (cudaStreamQuery(s) != cudaSuccess)"])
@pytest.mark.parametrize(
    ("behind", "verdict"),
    [("", "violated"), ("cudaStreamWaitEvent(s, others);", "violated"), ("cudaEventRecord(e, s);", "holds")],
)
@pytest.mark.sampled(3)
def test_who_waits_for_a_blocking_stream_waits_for_what_it_got(
    behind: str, verdict: str, wait: str, tmp_path: Path
) -> None:
    text = TEXT.replace("FIRST", "x = 1;").replace("SECOND", "x = 2;").replace("0, s>>>", "0, 0>>>")
    text = text.replace("0, t>>>", "0, n>>>").replace("BETWEEN", f"{behind} {wait};")
    outcome = check_text(tmp_path, f"{text}//@ expect race_free;\n", engine="embedded")
    assert outcome.reports[0].checks[0].verdict == verdict


def test_the_cache_of_clangs_output_has_the_text_that_is_read_in_place_of_a_header(tmp_path: Path) -> None:
    header = tmp_path / "at.h"
    header.write_text("static int at() { return 1; }\n")
    text, entries = '#include "at.h"\nint main() { return at(); }\n', compilations()
    for number in (2, 3, 2):
        flags = Flags(instead=((header, f"static int at() {{ return {number}; }}\n"),))
        assert f"ret i32 {number}" in compiled(text, "p.cu", tmp_path, flags, entries).host
