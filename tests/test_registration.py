"""Accesses that come after ``cudaHostRegister`` and before ``cudaHostUnregister`` in every execution."""

from __future__ import annotations

import pytest

from scopec.base.diagnostics import InputError
from scopec.memory.events.events import Kind
from scopec.memory.graph import build
from scopec.program import ir
from tests.conftest import program_of

TEXT = """
int x = 0;
#include <atomic>
#include <thread>
std::atomic<int> go{0};
__global__ void k(int* p) { *p = 1; }
int main() {
    cudaStream_t s;
    cudaStreamCreate(&s);
    %s
}
"""
ON, OFF, LAUNCH = "cudaHostRegister(&x, sizeof(x), 0);", "cudaHostUnregister(&x);", "k<<<1, 1, 0, s>>>(&x);"


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("host", "threads"),
    [
        (f"{ON} {LAUNCH}", {"k"}),
        (f"{LAUNCH} {ON}", set()),
        (f"x = 1; {ON} x = 2; {OFF} x = 3;", {"main:2"}),
        (f"{ON} {LAUNCH} cudaStreamSynchronize(s); {OFF}", {"k"}),
        (f"{ON} {LAUNCH} {OFF}", set()),
        (f"{ON} {LAUNCH} if (cudaStreamQuery(s) == cudaSuccess) {OFF}", set()),  # what a query reported is not looked at
        (f"{ON} {OFF} {LAUNCH}", set()),
        (f"{ON} {OFF} {ON} {LAUNCH}", {"k"}),
        (f"if (go.load()) {ON} {LAUNCH}", set()),
        (f"if (go.load()) {{ {ON} {LAUNCH} }}", {"k"}),
        (f"{ON} std::thread t([] {{ x = 1; }}); t.join(); {OFF}", {"t:1"}),
        (f"{ON} std::thread t([] {{ x = 1; }}); {OFF} t.join();", set()),
        (f"std::thread t([] {{ {ON} }}); t.join(); {LAUNCH}", {"k"}),
        (f"std::thread t([] {{ {ON} }}); {LAUNCH} t.join();", set()),
    ],
)  # fmt: skip
def test_where_memory_is_mapped(host: str, threads: set[str]) -> None:
    graph = build(program_of(TEXT % host), 1)
    writes = [e for e in graph.events if e.kind is Kind.WRITE and e.id in graph.mapped]
    found = {f"{e.thread}:{e.value.value}" if e.thread in ("main", "t") else "k" for e in writes}  # type: ignore[union-attr]
    assert found == threads


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (f"{ON} {ON}", "`x` is registered already"),
        (f"{OFF}", "`x` is not registered"),
        (f"{ON} {OFF} {ON} {LAUNCH}", None),
        (f"if (go.load()) {ON} {OFF}", None),
    ],
)
@pytest.mark.sampled(3)
def test_what_is_registered_twice_or_not_at_all(host: str, said: str | None) -> None:
    if said is None:
        program_of(TEXT % host)
        return
    with pytest.raises(InputError, match=said) as raised:
        program_of(TEXT % host)
    assert raised.value.diagnostics[0].code.id == "SCP014"


def test_calls_of_the_api_that_order_nothing_are_calls() -> None:
    """Each may take until a device thread makes progress ([execution model], "API calls")."""
    text = """
#include <cuda_runtime.h>
__device__ int x;
__global__ void k() { x = 1; }
int main() {
    cudaSetDevice(0);
    cudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEvent_t e; cudaEventCreate(&e);
    int* p; cudaMalloc(&p, 4); cudaFree(p);
    k<<<1, 1, 0, s>>>();
}
"""
    main = program_of(text).threads[0]
    calls = [n.operation for _, n in sorted(main.body.nodes.items()) if isinstance(n, ir.Do)]
    assert [c.function for c in calls if isinstance(c, ir.ApiCall)] == [
        "cudaSetDevice", "cudaStreamCreate", "cudaStreamCreate", "cudaEventCreate", "cudaMalloc", "cudaFree",
    ]  # fmt: skip
