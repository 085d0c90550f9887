"""Several devices: one whose number is known at run time alone, copies between them, default streams of threads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.frontends.clang.flags import Flags
from tests.conftest import Asks, check_text, verdicts
from tests.real_headers import answers, needs_headers

KERNELS = """
#include <cstdlib>
#include <thread>
__global__ void write(int* d) { *d = 1; }
__global__ void add(int* d) { *d += 1; }
__managed__ int asked;
"""
LOOK = "cudaDeviceSynchronize(); int seen = *d;"
CHOSEN = [
    "cudaSetDevice(atoi(text)); write<<<1, 1>>>(d);" + LOOK,
    'const char* rank = getenv("LOCAL_RANK"); int n, at = rank ? atoi(rank) : 0; cudaGetDeviceCount(&n); cudaSetDevice(at % n);'
    "write<<<1, 1>>>(d);" + LOOK,
    "int old; cudaGetDevice(&old); cudaSetDevice(atoi(text)); write<<<1, 1>>>(d);" + LOOK + "cudaSetDevice(old);",
    "cudaSetDevice(asked); write<<<1, 1>>>(d);" + LOOK,
]
APART = [
    "write<<<1, 1>>>(d); cudaSetDevice(atoi(text));" + LOOK,
    "cudaSetDevice(atoi(text)); write<<<1, 1>>>(d); cudaSetDevice(1);" + LOOK,
    "cudaSetDevice(atoi(text)); write<<<1, 1>>>(d); cudaSetDevice(atoi(text));" + LOOK,
    "int at = atoi(text); cudaSetDevice(at); write<<<1, 1>>>(d); if (asked) at = atoi(text + 1); cudaSetDevice(at);"
    + LOOK,
    "int at = asked; cudaSetDevice(at); write<<<1, 1>>>(d); asked = 1; at = asked; cudaSetDevice(at);" + LOOK,
    "int* own; cudaMalloc(&own, 4); cudaSetDevice(atoi(text)); write<<<1, 1>>>(own); cudaDeviceSynchronize();",
    "cudaStream_t s; cudaStreamCreate(&s); cudaSetDevice(atoi(text)); write<<<1, 1, 0, s>>>(d);" + LOOK,
    "cudaStream_t s; cudaSetDevice(atoi(text)); cudaStreamCreate(&s); std::thread t([=] { write<<<1, 1, 0, s>>>(d); });"
    "t.join();" + LOOK,
    "int n; cudaGetDeviceCount(&n); for (int i = 0; i < n; i++) { cudaSetDevice(i); write<<<1, 1>>>(d); }",
]


def text(main: str) -> str:
    start = 'const char* text = getenv("DEVICE"); int* d; cudaMallocManaged(&d, 4);'
    return f"{KERNELS}int main() {{ {start} {main} }}\n//@ expect race_free;\n"


@pytest.mark.parametrize("main", CHOSEN)
@pytest.mark.sampled(1)
def test_one_device_is_as_another(ask: Asks, main: str) -> None:
    """What is waited for is there, and what is not waited for is not."""
    assert verdicts([ask(text(main))])["race_free"] == ["holds"]
    assert verdicts([ask(text(main.replace("cudaDeviceSynchronize();", "")))])["race_free"] == ["violated"]


@pytest.mark.parametrize("main", APART)
@pytest.mark.sampled(3)
def test_what_may_be_another_device_is_refused(tmp_path: Path, main: str) -> None:
    outcome = check_text(tmp_path, text(main), engine="embedded")
    assert outcome.exit_code == 2
    assert "a device whose number is known at run time alone" in outcome.diagnostics[0].message
    assert outcome.diagnostics[0].span.line > 1


PEERS = """
int *from, *to; cudaMalloc(&from, 4); cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
cudaSetDevice(1); cudaMalloc(&to, 4); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking); cudaSetDevice(0);
"""
BEHIND = "cudaSetDevice(1); add<<<1, 1, 0, t>>>(to);"


@pytest.mark.parametrize(
    ("main", "expected"),
    [
        # "serialized with respect all pending and future asynchronous work in to […] srcDevice, and dstDevice"
        ("write<<<1, 1, 0, s>>>(from); cudaMemcpyPeer(to, 1, from, 0, 4);" + BEHIND, "holds"),
        ("write<<<1, 1, 0, s>>>(from); cudaMemcpyPeerAsync(to, 1, from, 0, 4, s);" + BEHIND, "violated"),
        ("write<<<1, 1, 0, s>>>(from); cudaMemcpyPeer(to, 1, from, 0, 4); cudaSetDevice(1); cudaStream_t u;"
         "cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking); add<<<1, 1, 0, u>>>(to);", "holds"),
        ("cudaMemcpyPeer(to, 1, from, 0, 4); add<<<1, 1, 0, s>>>(from);", "holds"),
        ("cudaSetDevice(1); add<<<1, 1, 0, t>>>(to); cudaSetDevice(0); cudaMemcpyPeer(to, 1, from, 0, 4);", "holds"),
        # The current device too, and no others.
        ("cudaSetDevice(2); cudaStream_t u; cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking); write<<<1, 1, 0, u>>>(from);"
         "cudaMemcpyPeer(to, 1, from, 0, 4);", "holds"),
        ("cudaSetDevice(2); cudaStream_t u; cudaStreamCreateWithFlags(&u, cudaStreamNonBlocking); write<<<1, 1, 0, u>>>(from);"
         "cudaSetDevice(0); cudaMemcpyPeer(to, 1, from, 0, 4);", "violated"),
        # The host does not wait.
        ("write<<<1, 1>>>(d); cudaMemcpyPeer(to, 1, from, 0, 4); int seen = *d;", "violated"),
        ("write<<<1, 1>>>(d); cudaMemcpyPeer(to, 1, from, 0, 4);" + LOOK, "holds"),
    ],
)  # fmt: skip
@pytest.mark.sampled(4)
def test_a_copy_that_devices_wait_for(ask: Asks, main: str, expected: str) -> None:
    assert verdicts([ask(text(PEERS + main))])["race_free"] == [expected]


THREADS = "std::thread t([=] { write<<<1, 1>>>(d); }); t.join(); write<<<1, 1>>>(d);"


@pytest.mark.parametrize("macro", ["CUDA_API_PER_THREAD_DEFAULT_STREAM", "__CUDA_API_PER_THREAD_DEFAULT_STREAM"])
@pytest.mark.sampled(1)
def test_each_thread_has_a_default_stream(ask: Asks, macro: str) -> None:
    """ "Each host thread has its own per-thread default stream", which the other's work is not in."""
    flags = Flags(macros=(f"-D{macro}",))
    assert verdicts([ask(text(THREADS))])["race_free"] == ["holds"]
    assert verdicts([ask(text(THREADS), flags=flags)])["race_free"] == ["violated"]
    legacy = THREADS.replace("<<<1, 1>>>", "<<<1, 1, 0, cudaStreamLegacy>>>")
    assert verdicts([ask(text(legacy), flags=flags)])["race_free"] == ["holds"]
    copies = "std::thread t([=] { cudaMemsetAsync(d, 0, 4); }); t.join(); cudaMemsetAsync(d, 0, 4, 0);"
    assert verdicts([ask(text(copies), flags=flags)])["race_free"] == ["violated"]


@pytest.mark.parametrize("option", [["--default-stream", "per-thread"], ["-default-stream=per-thread"],
                                    ["-fgpu-default-stream=per-thread"]])  # fmt: skip
@pytest.mark.sampled(2)
def test_a_compilation_database_says_so_too(write: Callable[..., Path], ask: Asks, option: list[str]) -> None:
    file = write(text(THREADS))
    entry = {"directory": str(file.parent), "file": file.name, "arguments": ["nvcc", *option, file.name]}
    (file.parent / "compile_commands.json").write_text(json.dumps([entry]))
    found = verdicts([ask(text(THREADS), flags=Flags(database=file.parent))])
    assert found["race_free"] == ["violated"]


def test_a_thread_has_a_default_stream_for_each_device(ask: Asks) -> None:
    """The stream of a context is not that of another."""
    main = "write<<<1, 1, 0, cudaStreamPerThread>>>(d); cudaSetDevice(1); write<<<1, 1, 0, cudaStreamPerThread>>>(d);"
    assert verdicts([ask(text(main))])["race_free"] == ["violated"]
    assert verdicts([ask(text(main.replace("cudaSetDevice(1);", "")))])["race_free"] == ["holds"]


CONTEXTS = """
#include <cuda.h>
int main() {{
    CUcontext one, other; cuInit(0); cuDevicePrimaryCtxRetain(&one, 0); cuDevicePrimaryCtxRetain(&other, 1); cuCtxSetCurrent(one);
    {} CUdevice now; cuCtxGetDevice(&now); int seen = now;
}}
//@ expect required main.seen == {};
"""


@pytest.mark.parametrize(
    ("calls", "device"),
    [
        ("cuCtxPushCurrent(other);", 1),
        ("cuCtxPushCurrent(other); cuCtxPopCurrent(nullptr);", 0),
        ("cuCtxPushCurrent(other); cuCtxPushCurrent(one); cuCtxPopCurrent(nullptr);", 1),
        ("cuCtxPushCurrent(other); CUcontext old; cuCtxPopCurrent(&old); cuCtxSetCurrent(old);", 1),
    ],
)
@pytest.mark.sampled(2)
def test_contexts_are_pushed(ask: Asks, calls: str, device: int) -> None:
    assert verdicts([ask(CONTEXTS.format(calls, device))]) == {f"required main.seen == {device}": ["holds"]}


@needs_headers
@pytest.mark.sampled(0)
def test_over_real_headers(tmp_path: Path) -> None:
    main = PEERS + "write<<<1, 1, 0, s>>>(from); cudaMemcpyPeer(to, 1, from, 0, 4);" + BEHIND
    start = 'const char* text = getenv("DEVICE");'
    program = text(main).replace("#include <thread>\n", "").replace(start, "")
    assert answers(program, "real", tmp_path) == {"race_free": "holds"}
    chosen = text(CHOSEN[-1]).replace("#include <thread>\n", "").replace(start, "")
    assert answers(chosen, "real", tmp_path) == {"race_free": "holds"}
