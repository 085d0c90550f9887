"""Code that clang reads and scopec does not model: refused where it stands, and not guessed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.test_clang_reader import BY_CLANG, LAUNCHES, SPECS


def test_programs_that_are_no_cpp_are_refused_with_all_that_clang_says() -> None:
    path = SPECS / "cuda-execution-model" / "api-2.cu"
    with pytest.raises(InputError) as raised:
        plan(path, path.name, BY_CLANG)
    assert len(raised.value.diagnostics) > 1
    assert {d.code.id for d in raised.value.diagnostics} == {"SCP006", "SCP014"}


ATOMIC = "#include <cuda/atomic>\n__device__ cuda::atomic<int> a;\n__global__ void k() {{ {}; }}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "struct S { int a : 4, b : 4; }; __device__ S s; __device__ float f; __global__ void k() { s.a = f * 2; }",
            "made of a floating-point number",
        ),
        (
            "__device__ int x[2]; __global__ void k() { __builtin_memset(x, 0, 6); }",
            "6 bytes that are not whole numbers",
        ),
        (
            "__device__ int x[2]; __global__ void k() { __builtin_memset(x, 0, 12); }",
            "12 bytes that are not all in `x`",
        ),
        (
            "__device__ int x[2], y[4]; __global__ void k() { __builtin_memcpy(y, x, 16); }",
            "16 bytes that are not all in `x`",
        ),
        (ATOMIC.format("a.load(cuda::memory_order_release)"), "a load cannot have the order release"),
        (ATOMIC.format("a.store(1, cuda::memory_order_acquire)"), "a store cannot have the order acquire"),
        (ATOMIC.format("a.wait(1, cuda::memory_order_acq_rel)"), "a wait cannot have the order acq_rel"),
        (
            ATOMIC.format(
                "int n = 0; a.compare_exchange_weak(n, 1, cuda::memory_order_acq_rel, cuda::memory_order_acq_rel)"
            ),
            "a failed compare_exchange cannot have the order acq_rel",
        ),
    ],
)
@pytest.mark.sampled(5)
def test_what_has_no_meaning_in_the_model_is_refused_not_guessed(
    text: str, what: str, write: Callable[..., Path]
) -> None:
    with pytest.raises(InputError) as raised:
        plan(write(f"{text}\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"), "p.cu", BY_CLANG)
    assert what in str(raised.value.diagnostics[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("reader", ["scoped", "clang"])
@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("x = mapped, align = two", "`two` is not an alignment"),
        ("x = mapped, width = 2", "`width` cannot be set here"),
        ("x = paper", "`paper` is not a kind of memory"),
        ("y = mapped", "there is no object `y`"),
    ],
)
def test_what_cannot_be_said_of_storage(reader: str, said: str, what: str, write: Callable[..., Path]) -> None:
    text = f"__device__ int x;\nint main() {{ x = 1; }}\n//@ storage {said};\n//@ expect race_free;\n"
    with pytest.raises(InputError) as raised:
        plan(write(text), "p.cu", Overrides(reader=reader))
    assert str(raised.value.diagnostics[0]).startswith("p.cu:3:")
    assert what in str(raised.value.diagnostics[0])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("launch", "what"),
    [
        ("k<<<1, 1025>>>();", "a block of 1025 threads"),
        ("k<<<1000, 1000>>>();", "a launch of 1000000 threads"),
        ("pairs<<<3, 1>>>();", "a grid of 3x1x1 blocks cannot be divided into clusters of 2x1x1"),
        (
            "cudaStream_t s; cudaSetDevice(1); cudaStreamCreate(&s); cudaSetDevice(0); k<<<1, 1, 0, s>>>();",
            "stream `s` belongs to device 1, device 0 is current",
        ),
    ],
)
def test_what_a_launch_has_to_fit(launch: str, what: str, write: Callable[..., Path]) -> None:
    with pytest.raises(InputError) as raised:
        plan(write(LAUNCHES.format(launch)), "p.cu", BY_CLANG)
    assert what in str(raised.value.diagnostics[0])


DEVICE = "\nint main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n//@ expect race_free;\n"


HOST = "\n//@ expect race_free;\n"


@pytest.mark.parametrize(
    ("text", "said", "word", "line", "column"),
    [
        ('int n;\n  #include "absent.h"\nint main() {}' + HOST, "'absent.h' file not found", '"', 2, 12),
        ("int main() {\n\t/* ü€ */ no_such_name + 1; }" + HOST, "undeclared identifier", "no_such_name", 2, 11),
        ("void f(int v) {\n\t/* ü */ if (v) throw 3; }\nint main() { f(1); }" + HOST, "exception", "throw", 2, 17),
        ("__device__ int f(int n) { return f(n + 1) + 1; }\n__global__ void k() { f(2); }" + DEVICE,
         "for ever", "f(n + 1)", 1, 34),
        ('__global__ void k() {\n\t/* ü */ asm volatile("mbarrier.check_layout 0;"); }' + DEVICE, "`mbarrier.check_layout`",
         'asm volatile("mbarrier.check_layout 0;")', 2, 10),
        ("__global__ void k() {\n  /* ü */\t__shfl_sync(2, 1, 0); }" + DEVICE, "lane 0 is not in the mask 0x2", "__shfl_sync(2, 1, 0)", 2, 11),
        ("__global__ void child() {}\n__global__ void k() { child<<<1, 1>>>(); }" + DEVICE,
         "a launch from a kernel", "<", 2, 28),
        ("__global__ void k(cudaGraphicsResource* r) {}" + DEVICE, "cudaGraphicsResource", "cudaGraphicsResource", 1, 19),
        ("struct B { unsigned a : 20, b : 20; };\n__device__ B u;\n__global__ void k() { u.b = 1; }" + DEVICE,
         "`u.a`, a bit-field", "__device__", 2, 1),
        ("__device__ int r;\n__global__ void k() { int g, *p = &g; r = (unsigned long)p % 7; }" + DEVICE,
         "an address as a number", "(unsigned long)p % 7", 2, 43),
        ('__device__ int x;\n__global__ void k() { /* ü */\tatomicAdd(&x, "a"); }' + DEVICE,
         "no matching function", "atomicAdd", 2, 31),
    ],
)  # fmt: skip
@pytest.mark.sampled(9)
def test_what_is_not_modelled_is_refused_where_it_stands(
    write: Callable[..., Path], text: str, said: str, word: str, line: int, column: int
) -> None:
    path = write(text)
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded"))
    found = next(d for d in outcome.diagnostics if d.severity == "error")
    assert said in found.message
    assert (found.span.file, found.span.line, found.span.column) == (str(path), line, column)
    assert text.splitlines()[line - 1][column - 1 : found.span.end_column - 1] == word
