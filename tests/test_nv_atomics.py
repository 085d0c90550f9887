"""The atomic functions of CUDA's compiler, `__nv_atomic_…`, over scopec's own headers and over NVIDIA's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.real_headers import answers, needs_headers
from tests.samples import EVERY, spread

HEADERS = ["shims", pytest.param("real", marks=needs_headers)]

MESSAGE = """
__device__ int data, flag, out;
__global__ void k() {{
    if ({index} == 0) {{ data = 1; {store} }}
    else {{ while ({load} == 0); out = data; }}
}}
//@ launch cooperative k<<<{launch}>>>(); expect race_free;
"""
STORE = "__nv_atomic_store_n(&flag, 1, __NV_ATOMIC_{}, __NV_THREAD_SCOPE_{});"
LOAD = "__nv_atomic_load_n(&flag, __NV_ATOMIC_{}, __NV_THREAD_SCOPE_{})"
FENCE = "__nv_atomic_thread_fence(__NV_ATOMIC_{}, __NV_THREAD_SCOPE_{});"
BLOCKS = {"index": "blockIdx.x", "launch": "2, 1"}
THREADS = {"index": "threadIdx.x", "launch": "1, 2"}


#: A store, a load, where both are, and the verdict.
CASES = [
    (STORE.format("RELEASE", "DEVICE"), LOAD.format("ACQUIRE", "DEVICE"), BLOCKS, "holds"),
    (STORE.format("SEQ_CST", "SYSTEM"), LOAD.format("CONSUME", "SYSTEM"), BLOCKS, "holds"),
    (STORE.format("RELAXED", "DEVICE"), LOAD.format("ACQUIRE", "DEVICE"), BLOCKS, "violated"),
    (STORE.format("RELEASE", "DEVICE"), LOAD.format("RELAXED", "DEVICE"), BLOCKS, "violated"),
    (STORE.format("RELEASE", "BLOCK"), LOAD.format("ACQUIRE", "BLOCK"), BLOCKS, "violated"),
    (STORE.format("RELEASE", "CLUSTER"), LOAD.format("ACQUIRE", "CLUSTER"), BLOCKS, "violated"),
    (STORE.format("RELEASE", "BLOCK"), LOAD.format("ACQUIRE", "BLOCK"), THREADS, "holds"),
    (STORE.format("RELEASE", "THREAD"), LOAD.format("ACQUIRE", "THREAD"), THREADS, "violated"),
    (
        "__nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELEASE);",
        "__nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE)",
        BLOCKS,
        "holds",
    ),
    (
        FENCE.format("RELEASE", "DEVICE") + STORE.format("RELAXED", "DEVICE"),
        LOAD.format("ACQUIRE", "DEVICE"),
        BLOCKS,
        "holds",
    ),
    (
        FENCE.format("RELEASE", "BLOCK") + STORE.format("RELAXED", "DEVICE"),
        LOAD.format("ACQUIRE", "DEVICE"),
        BLOCKS,
        "violated",
    ),
    (
        FENCE.format("RELAXED", "DEVICE") + STORE.format("RELAXED", "DEVICE"),
        LOAD.format("ACQUIRE", "DEVICE"),
        BLOCKS,
        "violated",
    ),
    (
        "__nv_atomic_add(&flag, 1, __NV_ATOMIC_RELEASE);",
        "__nv_atomic_fetch_add(&flag, 0, __NV_ATOMIC_ACQUIRE)",
        BLOCKS,
        "holds",
    ),
    (
        "__nv_atomic_or(&flag, 1, __NV_ATOMIC_RELAXED);",
        "__nv_atomic_fetch_or(&flag, 0, __NV_ATOMIC_ACQUIRE)",
        BLOCKS,
        "violated",
    ),
]


@pytest.mark.parametrize(
    ("store", "load", "where", "verdict", "headers"),
    [(*case, "shims") for case in CASES]
    + [pytest.param(*case, "real", marks=needs_headers) for case in (CASES if EVERY else spread(CASES, 2))],
)
@pytest.mark.sampled(3)
def test_an_order_and_a_scope_are_those_that_are_named(
    store: str, load: str, where: dict[str, str], verdict: str, headers: str, tmp_path: Path
) -> None:
    assert answers(MESSAGE.format(store=store, load=load, **where), headers, tmp_path) == {"race_free": verdict}


#: Functions that leave their result where a pointer says; of a class too.
POINTERS = """
struct alignas(8) pair {{ int key, value; }};
__device__ pair slot; __device__ int data, out;
__global__ void k() {{
    if (blockIdx.x == 0) {{
        data = 1;
        pair mine = {{1, 2}}, found;
        {write}
    }} else {{
        pair seen, other = {{5, 5}};
        do __nv_atomic_load(&slot, &seen, __NV_ATOMIC_{order}, __NV_THREAD_SCOPE_DEVICE); while (seen.key == 0);
        out = data + seen.value;
        __nv_atomic_compare_exchange(&slot, &other, &seen, true, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED);
        out = other.value;
    }}
}}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates; expect required out == 2 && slot.value == 2;
"""


@pytest.mark.parametrize("headers", HEADERS)
@pytest.mark.parametrize(
    ("write", "order", "verdict"),
    [
        ("__nv_atomic_store(&slot, &mine, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);", "ACQUIRE", "holds"),
        ("__nv_atomic_store(&slot, &mine, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);", "ACQUIRE", "violated"),
        ("__nv_atomic_exchange(&slot, &mine, &found, __NV_ATOMIC_RELEASE);", "ACQUIRE", "holds"),
        ("__nv_atomic_exchange(&slot, &mine, &found, __NV_ATOMIC_RELEASE);", "RELAXED", "violated"),
        (
            "__nv_atomic_exchange(&slot, &mine, &found, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);",
            "ACQUIRE",
            "violated",
        ),
    ],
)
@pytest.mark.sampled(1)
def test_functions_of_pointers(write: str, order: str, verdict: str, headers: str, tmp_path: Path) -> None:
    found = answers(POINTERS.format(write=write, order=order), headers, tmp_path)
    assert found["race_free"] == verdict
    if verdict == "holds":
        assert set(found.values()) == {"holds"}


@pytest.mark.parametrize("headers", HEADERS)
@pytest.mark.sampled(1)
def test_the_parameter_weak_is_ignored(headers: str, tmp_path: Path) -> None:
    """As the guide says; a weak one of C++ may fail without a reason."""
    text = """
    __device__ int lock, won;
    __global__ void k() {
        int open = 0;
        if (__nv_atomic_compare_exchange_n(&lock, &open, 1, true, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELAXED)) won = 1;
    }
    //@ launch k<<<2, 1>>>(); expect race_free; expect required won == 1;
    """
    assert set(answers(text, headers, tmp_path).values()) == {"holds"}


def test_they_are_of_kernels(tmp_path: Path) -> None:
    text = "int x;\nint main() { __nv_atomic_store_n(&x, 1, __NV_ATOMIC_RELAXED); }\n//@ expect race_free;\n"
    assert "in kernels only" in answers(text, "shims", tmp_path)["error"]
