"""Which accesses come after ``cudaHostRegister`` and before ``cudaHostUnregister`` in every execution."""

from __future__ import annotations

import pytest

from scopec.memory.events import Kind
from scopec.memory.graph import build
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
