"""Races between streams, and with the host, in words; and what is tried against them: an event, or a wait."""

from __future__ import annotations

import pytest

from scopec.explain.reasons import explanation
from tests.conftest import Asks

TEXT = """#include <cuda_runtime.h>
__global__ void make(int* buf) {{ *buf = 2; }}
__global__ void use(const int* buf, int* out) {{ *out = *buf; }}
int main() {{
    int *buf, *out, *host;
    cudaMalloc(&buf, 4); cudaMalloc(&out, 4); cudaMallocHost(&host, 4);
    cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t e; cudaEventCreate(&e);
{calls}
    cudaDeviceSynchronize();
}}
//@ expect race_free;
"""
COPY = "cudaMemcpyAsync(buf, host, 4, cudaMemcpyHostToDevice, s);"
BACK = "cudaMemcpyAsync(host, buf, 4, cudaMemcpyDeviceToHost, s);"
MAKE, USE = "make<<<1, 1, 0, s>>>(buf);", "use<<<1, 1, 0, t>>>(buf, out);"
USE_FIRST, MAKE_LATER = USE.replace("t>", "s>"), MAKE.replace("s>", "t>")
RECORD, WAIT = "cudaEventRecord(e, s);", "cudaStreamWaitEvent(t, e, 0);"


def source(*calls: str) -> str:
    return TEXT.format(calls="\n".join(f"    {call}" for call in calls))


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ((COPY, USE), "the kernel use at line 10 in stream t may read `buf` before the copy at line 9 in stream s has written "
                      "it: no event, no synchronisation"),
        ((COPY, MAKE_LATER), "the kernel make at line 10 in stream t may write `buf` before the copy at line 9 in stream s has "
                             "written it: no event, no synchronisation"),
        ((USE_FIRST, MAKE_LATER), "the kernel make at line 10 in stream t may overwrite `buf` before the kernel use at line 9 in "
                                  "stream s has read it: no event, no synchronisation"),
        ((MAKE, WAIT, USE, RECORD), "event e is recorded at line 12, behind the wait for it at line 10, which waits for nothing"),
        ((RECORD, MAKE, WAIT, USE), "event e is recorded at line 9, before that work is given to its stream"),
        ((MAKE, WAIT, USE), "event e, for which stream t waits at line 10, is never recorded"),
        ((MAKE.replace(", 0, s", ""), USE), "before the kernel make at line 9 in the legacy stream has written it"),
        ((BACK, "int seen = *host;"), "main may read `host` at line 10 before the copy at line 9 in stream s has written it: no "
                                      "call before that waits for it"),
        ((COPY, "*host = 3;"), "main may overwrite `host` at line 10 before the copy at line 9 in stream s has read it"),
        ((BACK, "cudaStreamSynchronize(t);", "int seen = *host;"), "before the copy at line 9 in stream s has written it"),
    ],
)  # fmt: skip
@pytest.mark.sampled(3)
def test_which_work_comes_too_early(ask: Asks, calls: tuple[str, ...], said: str) -> None:
    (report,) = ask(source(*calls)).reports
    (check,) = report.checks
    assert check.verdict == "violated"
    assert said in " ".join(explanation(check).sentences)


@pytest.mark.parametrize(
    ("calls", "said", "added"),
    [
        ((COPY, USE), "an event that is recorded after the copy, at line 9, and cudaStreamWaitEvent of t for it before the "
                      "launch of use, at line 10",
         ["cudaEvent_t done; cudaEventCreate(&done); cudaEventRecord(done, s);", "cudaStreamWaitEvent(t, done, 0);"]),
        ((MAKE, "int done = 0;", USE), "an event that is recorded", ["cudaEventRecord(done_, s);", "cudaStreamWaitEvent(t, done_, 0);"]),
        ((MAKE.replace(", 0, s", ""), USE), "an event that is recorded", ["cudaEventRecord(done, 0);"]),
        ((BACK, "int seen = *host;"), "cudaStreamSynchronize(s) after the copy, at line 9", ["cudaStreamSynchronize(s);"]),
        ((BACK.replace(", s)", ")"), "int seen = *host;"), "cudaDeviceSynchronize() after the copy, at line 9", ["cudaDeviceSynchronize();"]),
    ],
)  # fmt: skip
@pytest.mark.sampled(4)
def test_what_is_tried(ask: Asks, calls: tuple[str, ...], said: str, added: list[str]) -> None:
    """What orders no more than is needed comes first, and it holds of the changed text."""
    (report,) = ask(source(*calls), advise=True).reports
    (check,) = report.checks
    assert check.advice is not None
    assert check.advice.startswith(said)
    assert all(any(one in r.text for r in check.fix) for one in added)


STAGED = """#include <cuda_runtime.h>
int buf[1];
void fill(void* memory) {{ *(int*)memory = 1; }}
int main() {{
    int *on_device, *pinned, *managed;
    cudaMalloc(&on_device, 4); cudaMallocHost(&pinned, 4); cudaMallocManaged(&managed, 4);
    cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    buf[0] = 2; *pinned = 2; *managed = 2;
    cudaGraph_t graph; cudaGraphExec_t executable;
    {calls}
    cudaDeviceSynchronize();
}}
//@ expect race_free;
"""
FILL, STAGE = "cudaLaunchHostFunc(s, fill, buf);", "cudaMemcpyAsync(on_device, buf, 4, cudaMemcpyHostToDevice, s);"

CAPTURE, LAUNCH = "cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);", "cudaGraphLaunch(executable, s);"
END = f"cudaStreamEndCapture(s, &graph); cudaGraphInstantiate(&executable, graph, 0); {LAUNCH}"


@pytest.mark.parametrize(
    ("calls", "why", "advice"),
    [
        ((FILL, STAGE), "the call of the copy at line 10 may read `buf[0]` before the function fill at line 10 in stream s has "
                        "written it: it may read pageable memory at once, whatever its stream has to do before",
         "cudaStreamSynchronize(s) after the host function"),
        ((STAGE, "buf[0] = 3;"), "main may overwrite `buf[0]` at line 10 before the call of the copy at line 10 has read it: no call "
                                 "before that waits for it", "cudaStreamSynchronize(s) after the copy"),
    ],
)  # fmt: skip
@pytest.mark.sampled(1)
def test_pageable_memory_may_be_read_at_once(ask: Asks, calls: tuple[str, ...], why: str, advice: str) -> None:
    (report,) = ask(STAGED.format(calls=" ".join(calls)), advise=True).reports
    (check,) = report.checks
    assert why in " ".join(explanation(check).sentences)
    assert check.advice is not None
    assert check.advice.startswith(advice)


@pytest.mark.parametrize(
    "calls",
    [
        (FILL, "cudaStreamSynchronize(s);", STAGE),
        (FILL.replace("buf", "pinned"), STAGE.replace("buf", "pinned")),
        (FILL.replace("buf", "managed"), STAGE.replace("buf", "managed")),
        (CAPTURE, FILL.replace("buf", "pinned"), STAGE.replace("buf", "pinned"), END),
        (CAPTURE, STAGE, END, "cudaStreamSynchronize(s);", FILL),
        (STAGE, "cudaStreamSynchronize(s);", FILL),
        (STAGE, FILL),  # the stream does what comes behind the copy when that is complete
    ],
)  # fmt: skip
@pytest.mark.sampled(3)
def test_what_waits_for_the_copy_or_is_waited_for(ask: Asks, calls: tuple[str, ...]) -> None:
    (report,) = ask(STAGED.format(calls=" ".join(calls))).reports
    assert [check.verdict for check in report.checks] == ["holds"]


@pytest.mark.parametrize("calls", [(FILL, STAGE, END), (STAGE, FILL, END, LAUNCH)])
def test_so_it_is_at_each_launch_of_a_graph(ask: Asks, calls: tuple[str, ...]) -> None:
    """The next launch may read while the function of the one before has yet to write."""
    (report,) = ask(STAGED.format(calls=" ".join((CAPTURE, *calls)))).reports
    assert [check.verdict for check in report.checks] == ["violated"]
