"""Random work in streams on a GPU: in which orders its kernels run, beside those that the model allows.

::

    python -m benchmarks.gpu.orders DIR            # write the programs there
    scopec run DIR --emit harness                  # then, where there are nvcc and a GPU: make -C harness
    scopec run DIR --results harness/results.jsonl

Each kernel takes a ticket from a counter and writes it down, so that a final state says in which order they ran.  No
program races: what is seen and does not follow from the order of streams is forbidden.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

_KERNELS, _PROGRAMS = 5, 40
_STREAMS = ("0", "s", "t", "n")
_HEAD = """\
#include <cuda/atomic>
#include <cuda_runtime.h>

__device__ int counter, order[{kernels}];
__global__ void k(int n) {{
    cuda::atomic_ref<int, cuda::thread_scope_device> next(counter);
    order[n] = next.fetch_add(1, cuda::memory_order_relaxed);
}}

int main() {{
    cudaStream_t s, t, n;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
    cudaEvent_t e, f;
    cudaEventCreate(&e);
    cudaEventCreate(&f);
"""
_GRAPH = """\
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(e, s);
    cudaEventRecord(f, s);
    cudaStreamWaitEvent(t, e, 0);
    cudaStreamWaitEvent(n, e, 0);
{calls}
    cudaEventRecord(e, t);
    cudaStreamWaitEvent(s, e, 0);
    cudaEventRecord(f, n);
    cudaStreamWaitEvent(s, f, 0);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
"""


def programs() -> Iterator[tuple[str, str]]:
    """The name of each file, and its text; always the same."""
    for number in range(_PROGRAMS):
        for kind, made in (("streams", _streams), ("graph", _graph)):
            name = f"{kind}-{number}"
            yield f"{name}.cu", _text(made(Random(name)))


def _text(body: Sequence[str]) -> str:
    lines = "".join(line if line.endswith("\n") else f"    {line}\n" for line in body)
    return f"{_HEAD.format(kernels=_KERNELS)}{lines}    cudaDeviceSynchronize();\n}}\n\n//@ expect race_free;\n"


def _streams(chance: Random) -> list[str]:
    """Kernels in streams of all kinds, with calls between them that order some."""
    body = []
    for kernel in range(_KERNELS):
        body += [_ordering(chance, _STREAMS, waits=True) for _ in range(chance.randint(0, 2))]
        body.append(_launch(kernel, chance.choice(_STREAMS)))
    return body


def _graph(chance: Random) -> list[str]:
    """Kernels that are captured, and one before and behind the launch of the graph, in some stream."""
    captured = []
    for kernel in range(1, _KERNELS - 1):
        captured += [_ordering(chance, _STREAMS[1:], waits=False) for _ in range(chance.randint(0, 2))]
        captured.append(_launch(kernel, chance.choice(_STREAMS[1:])))
    calls = "\n".join(f"    {call}" for call in captured)
    return [
        _GRAPH.format(calls=calls),
        _launch(0, chance.choice(_STREAMS)),
        f"cudaGraphLaunch(ready, {chance.choice(_STREAMS[1:])});",
        _launch(_KERNELS - 1, chance.choice(_STREAMS)),
    ]


def _launch(kernel: int, stream: str) -> str:
    return f"k<<<1, 1, 0, {stream}>>>({kernel});"


def _ordering(chance: Random, streams: Sequence[str], *, waits: bool) -> str:
    """A call that orders kernels, or would if something else were done before."""
    stream, event = chance.choice(streams), chance.choice("ef") if waits else "f"
    record, wait = f"cudaEventRecord({event}, {stream});", f"cudaStreamWaitEvent({stream}, {event}, 0);"
    choices = [record, record, record, wait, wait, wait]
    if waits:
        choices += [f"cudaStreamSynchronize({stream});", f"cudaEventSynchronize({event});"]
    return chance.choice(choices)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in programs():
        (folder / name).write_text(text, encoding="utf-8")
