"""Why a verdict is so, in words: what is not atomic, whose scope leaves out whom, what does not synchronise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.explain.reasons import explanation
from scopec.session.check import Settings, check

HANDOVER = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> f{0};
__device__ int x = 0;
__global__ void k() {
    if (blockIdx.x == 0) {
        x = 42;
        RELEASE
    } else {
        int r = 0;
        ACQUIRE
        if (r) x = 43;
    }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
"""


@pytest.fixture
def why(write: Callable[..., Path]) -> Callable[[str], tuple[str, ...]]:
    def sentences(text: str) -> tuple[str, ...]:
        (outcome,) = check([write(text, "p.cu")], Settings(engine="embedded"))
        (first, *_) = outcome.reports[0].checks
        assert first.verdict == "violated"
        return explanation(first).sentences

    return sentences


def test_a_reset_that_an_update_races_with_loses_it(why: Callable[[str], tuple[str, ...]]) -> None:
    text = """\
__device__ int n;
__global__ void k() {
    if (threadIdx.x == 0) n = 0;
    else atomicAdd(&n, 1);
}
//@ launch k<<<1, 2>>>();
//@ expect race_free;
"""
    (sentence,) = why(text)
    told = "what the read-modify-write at p.cu:4 has stored is lost where the write at p.cu:3 comes after it"
    assert sentence.endswith(f"; {told}")
    (sentence,) = why(text.replace("== 0", "== 1"))  # the thread that updates comes first
    assert sentence.endswith(f"; {told}")
    (sentence,) = why(text.replace("n = 0", "int old = n"))  # a read undoes nothing
    assert "lost" not in sentence


def test_a_volatile_access_is_strong_in_ptx(why: Callable[[str], tuple[str, ...]]) -> None:
    text = """\
__device__ int f;
__device__ volatile int* const p = &f;
__global__ void k() {
    if (threadIdx.x == 0) f = 1;
    else *p = 2;
}
//@ launch k<<<1, 2>>>();
//@ expect race_free under MODEL;
"""
    by = "the write at p.cu:4 is by k[0][0] and the write at p.cu:5 is by k[0][1]"
    unordered = "no synchronisation orders one before the other"
    assert why(text.replace("MODEL", "ptx")) == (f"the write at p.cu:4 is not an atomic operation; {by}; {unordered}",)
    assert why(text.replace("MODEL", "cuda")) == (
        f"neither the write at p.cu:4 nor the write at p.cu:5 is an atomic operation; {unordered}",
    )


def fence(order: str, scope: str) -> str:
    return f"cuda::atomic_thread_fence(cuda::memory_order_{order}, cuda::thread_scope_{scope});"


def store(order: str) -> str:
    return f"f.store(1, cuda::memory_order_{order});"


def load(order: str) -> str:
    return f"r = f.load(cuda::memory_order_{order});"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("release", "acquire", "reason"),
    [
        (store("relaxed"), load("acquire"), "the store at p.cu:6 is not a release"),
        (store("release"), load("relaxed"), "the load at p.cu:9 is not an acquire"),
        (
            store("relaxed"),
            load("relaxed"),
            "the store at p.cu:6 is not a release and the load at p.cu:9 is not an acquire",
        ),
        (
            "f.fetch_add(1, cuda::memory_order_acquire);",
            load("acquire"),
            "the read-modify-write at p.cu:6 is not a release",
        ),
        (
            fence("release", "block") + store("relaxed"),
            load("relaxed") + fence("acquire", "device"),
            "the fence at p.cu:6 is at block scope, which does not include thread k[1][0]",
        ),
        (
            fence("release", "device") + store("relaxed"),
            load("relaxed") + fence("acquire", "block"),
            "the fence at p.cu:9 is at block scope, which does not include thread k[0][0]",
        ),
        (
            fence("release", "device") + store("relaxed"),
            fence("acquire", "device") + load("relaxed"),
            "the load at p.cu:9 is not an acquire",
        ),
    ],
)
def test_a_value_that_was_read_orders_nothing(
    release: str, acquire: str, reason: str, why: Callable[[str], tuple[str, ...]]
) -> None:
    """The accesses of `x` are plain; what would order them is the edge that is missing, and what it lacks."""
    (sentence,) = why(HANDOVER.replace("RELEASE", release).replace("ACQUIRE", acquire))
    assert sentence.startswith("neither the write at p.cu:5 nor the write at p.cu:10 is an atomic operation; nothing ")
    assert sentence.endswith(f"k[1][0] reads at line 9 what k[0][0] wrote at line 6, but {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            """\
__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void k() {
    if (blockIdx.x == 0) {
        __threadfence();
        data = 1;
        flag.store(1, cuda::memory_order_relaxed);
    } else if (flag.load(cuda::memory_order_acquire) == 1) {
        int r = data;
    }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
""",
            "the fence at p.cu:5 is before the write at p.cu:6",
        ),
        (
            """\
__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void k() {
    if (threadIdx.x == 1 && blockIdx.x == 0) data = 1;
    if (threadIdx.x == 0) __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) flag.store(1, cuda::memory_order_relaxed);
    if (threadIdx.x == 0 && blockIdx.x == 1 && flag.load(cuda::memory_order_acquire) == 1) {
        int r = data;
    }
}
//@ launch k<<<2, 2>>>();
//@ expect race_free;
""",
            "the fence at p.cu:5 is before the barrier at p.cu:6, so it orders only the accesses of k[0][0] itself",
        ),
        (
            """\
__device__ int data;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};
__global__ void k() {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data = 1;
        flag.store(1, cuda::memory_order_release);
    }
    __shared__ int seen;
    if (blockIdx.x == 1 && threadIdx.x == 0) seen = flag.load(cuda::memory_order_relaxed);
    __syncthreads();
    if (blockIdx.x == 1 && threadIdx.x == 0) __threadfence();
    if (blockIdx.x == 1 && threadIdx.x == 1 && seen) {
        int r = data;
    }
}
//@ launch k<<<2, 2>>>();
//@ expect race_free;
""",
            "the fence at p.cu:11 is after the barrier at p.cu:10, so it orders only the accesses of k[1][0] itself",
        ),
    ],
    ids=["before the write", "before the barrier", "after the barrier"],
)
def test_a_fence_in_the_wrong_place(text: str, reason: str, why: Callable[[str], tuple[str, ...]]) -> None:
    """It makes the atomic operation a release or an acquire, for other accesses than those that race."""
    (sentence,) = why(text)
    assert sentence.endswith(f", but {reason}")


def test_where_no_value_goes_from_one_thread_to_the_other(why: Callable[[str], tuple[str, ...]]) -> None:
    (sentence,) = why(HANDOVER.replace("RELEASE", "").replace("ACQUIRE", "r = 1;"))
    assert sentence.endswith("is an atomic operation; no synchronisation orders one before the other")


def test_models_without_scopes_or_synchronisation_say_less(why: Callable[[str], tuple[str, ...]]) -> None:
    """RC11 has no scopes: there the narrow fence synchronises, and only a weak order is a reason."""
    weak = HANDOVER.replace("RELEASE", store("relaxed")).replace("ACQUIRE", load("acquire"))
    (sentence,) = why(weak.replace("race_free", "race_free under rc11"))
    assert sentence.endswith("but the store at p.cu:6 is not a release")


def test_what_reads_return_and_what_they_need_not_see(why: Callable[[str], tuple[str, ...]]) -> None:
    text = HANDOVER.replace("__device__ int x = 0", "__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}")
    text = text.replace("x = 42;", "x.store(42, cuda::memory_order_relaxed);").replace(
        "int r = 0;", "int r = 0, s = 0;"
    )
    text = text.replace("if (r) x = 43;", "s = x.load(cuda::memory_order_relaxed);").replace("ACQUIRE", load("acquire"))
    text = text.replace("race_free", "forbidden k[1][0].r == 1 && k[1][0].s == 0")
    assert why(text.replace("RELEASE", store("relaxed"))) == (
        "k[1][0] reads f = 1 at line 9, which k[0][0] wrote at line 6, without synchronising: the store at p.cu:6 is not "
        "a release",
        "k[1][0] reads x = 0 at line 10, its initial value: nothing makes it see what k[0][0] writes at line 5",
        "at the end k[1][0].r = 1, k[1][0].s = 0",
    )


def test_of_many_reads_some_are_told(why: Callable[[str], tuple[str, ...]]) -> None:
    loads = "\n".join(f"    int r{i} = x.load(cuda::memory_order_relaxed);" for i in range(9))
    text = (
        "__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};\n"
        f"__global__ void k() {{\n{loads}\n}}\n"
        "//@ launch k<<<1, 1>>>();\n//@ expect forbidden k[0][0].r0 == 0;\n"
    )
    *told, rest, final = why(text)
    assert told == [f"k[0][0] reads x = 0 at line {i + 3}, its initial value" for i in range(6)]
    assert rest == "3 more reads are not told here"
    assert final == "at the end k[0][0].r0 = 0"


def test_the_threads_of_a_condition_come_first(why: Callable[[str], tuple[str, ...]]) -> None:
    text = (
        "__device__ cuda::atomic<int, cuda::thread_scope_device> x{0};\n"
        "__global__ void k() {\n    x.store(1 + threadIdx.x, cuda::memory_order_relaxed);\n"
        "    int r = x.load(cuda::memory_order_relaxed);\n}\n"
        "//@ launch k<<<1, 8>>>();\n//@ expect forbidden k[0][7].r == 8;\n"
    )
    first, *_, final = why(text)
    assert first.startswith("k[0][7] reads x = 8 at line 4, which it wrote at line 3")
    assert final == "at the end k[0][7].r = 8"


def test_a_failing_assertion_is_marked_with_its_thread(write: Callable[..., Path]) -> None:
    text = (
        "__device__ int x = 0;\n__global__ void k() {\n    int t = threadIdx.x;\n    assert(t != 1);\n}\n"
        "//@ launch k<<<1, 3>>>();\n"
    )
    (outcome,) = check([write(text, "p.cu")], Settings(engine="embedded"))
    found = next(c for c in outcome.reports[0].checks if c.expectation.kind == "assertion")
    (mark,) = explanation(found).marks
    assert (mark.span.line, mark.note) == (4, "fails in k[0][1]")
