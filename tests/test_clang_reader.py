"""Programs read by way of clang: what specs/ says of them holds, and what C++ says of constructs that scopec's own reader
does not know, or once got wrong."""

import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.clang.llvm.stubs import is_stub, kernel_of
from scopec.session.check import Settings, check
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from tests.agreement import agreed, differences
from tests.conftest import REPOSITORY
from tests.specifications import some
from tests.test_clang_compiler import REFUSED

SPECS = REPOSITORY / "specs"
BY_CLANG = Overrides(reader="clang", cache=True)

LAUNCHES = """__device__ int x;
__global__ void k() {{ if (threadIdx.x == 0) x = 1; }}
__global__ void __cluster_dims__(2, 1, 1) pairs() {{}}
int main() {{
    {}
    cudaDeviceSynchronize();
}}
//@ expect terminates;
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "path",
    some([p for p in sorted(SPECS.rglob("*.cu")) if str(p.relative_to(SPECS)) not in REFUSED], 27),
    ids=lambda p: str(p.relative_to(SPECS)),
)
def test_expectations_of_the_specifications_hold(path: Path) -> None:
    """Every expectation holds; program and questions are those that scopec reads by itself, if they are in its language.

    What is checked without being written differs: an index that is known needs no check.
    """
    (outcome,) = check([path], Settings(overrides=BY_CLANG, engine="embedded", timeout=120))
    assert outcome.failure is None
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    own, theirs = scoped_runs(path), [report.run for report in outcome.reports]
    if own:
        assert questions(theirs) == questions(own)
        for one, other in zip(own, theirs, strict=True):
            assert differences(agreed(one.graph), agreed(other.graph)) == []
    found = [
        (c.expectation.text, c.verdict, c.reason)
        for report in outcome.reports
        for c in report.checks
        if c.verdict != "holds"
    ]
    assert found == []


def scoped_runs(path: Path) -> tuple[Run, ...]:
    """The runs of a file in the scoped language; none of one that is not."""
    try:
        return plan(path, str(path), Overrides(reader="scoped")).runs
    except InputError:
        return ()


@pytest.mark.sampled(0)
def test_so_many_specifications_are_in_the_scoped_language() -> None:
    """All that the test above compares, and those that are not C++."""
    own = {str(p.relative_to(SPECS)) for p in SPECS.rglob("*.cu") if scoped_runs(p)}
    assert len(own) == 200
    assert own >= set(REFUSED)


def questions(runs: Iterable[Run]) -> list[tuple[dict[str, str], str, str, list[str]]]:
    """What is asked: by variant, memory model and progress model."""
    return [
        (dict(r.program.variant), r.model.name, r.progress.name, [c.text for c in r.checks if not c.implicit])
        for r in runs
    ]


WHOLE = """
#include <cassert>
int counter = 0;
struct Log {
    int v;
    Log(int v) : v(v) { counter += v; }
    ~Log() { counter += 100; }
    virtual int f() const { return v; }
};
struct More : Log {
    More() : Log(7) {}
    int f() const override { return 2 * v; }
};
Log made_before_main(3);
template <class T> T twice(T x) { return x + x; }
__device__ int out;
struct Counted {
    int a;
    __device__ Counted(int a) : a(a) { out += 1; }
    __device__ ~Counted() { out += 10; }
    __device__ Counted(const Counted& other) : a(other.a + 1) { out += 100; }
};
__device__ int use(Counted by_value) { return by_value.a; }
__global__ void k() {
    Counted one(1);
    out += 1000 * use(one);
}
int main() {
    { Log temporary(5); }
    More more;
    const Log& base = more;
    assert(base.f() == 14);
    assert(counter == 115);
    int n = twice<int>(4);
    auto add = [n](int x) { return n + x; };
    assert(add(2) == 10);
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
//@ expect required out == 2121;
//@ expect required counter == 315;
"""


def test_classes_templates_and_static_objects_are_those_of_cpp(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(WHOLE)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict) for c in report.checks if c.verdict != "holds"] == []
    assert len(report.checks) >= 5


PLACES = """
#include <thread>
struct Pair { int x, y; };
template <class T> int count() { static int n = 0; return ++n; }
__device__ int* where;
__global__ void k(int n) {
    int mine = n;
    where = &mine;
    *where = mine + 1;
}
int main() {
    Pair one = {};
    one.y = 4;
    Pair other = one;
    count<int>();
    count<int>();
    int first = count<char>();
    int result = 0;
    std::thread a([&] { result = 5; });
    a.join();
    k<<<1, 1>>>(3);
    cudaDeviceSynchronize();
    int seen = result;
}
//@ expect required main.one.x == 0 && main.one.y == 4 && main.other.x == 0 && main.other.y == 4;
//@ expect required main.first == 1 && main.seen == 5;
//@ expect required k[0][0].mine == 4;
//@ expect race_free;
"""


def test_variables_have_their_values_wherever_they_are(write: Callable[..., Path]) -> None:
    """In registers, written as a whole or in parts; in memory that others know of; one static variable an instance."""
    (outcome,) = check([write(PLACES)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict) for c in report.checks if c.verdict != "holds"] == []
    assert len(report.checks) >= 4


ROTATED = """
constexpr int TIMES = 3;
__device__ int in[3] = {1, 2, 3}, times = 5, out[5];
__global__ void k() {
    int a = in[0], b = in[1], c = in[2];
    for (int i = 0; i < TIMES; ++i) {
        int t = a;
        a = b;
        b = c;
        c = t + 10;
    }
    out[0] = a, out[1] = b, out[2] = c;
    int first = in[0], second = in[1];
    for (int i = 0, n = times; i < n; ++i) {
        int old = second++;
        second = first + old;
        first = old;
    }
    out[3] = first, out[4] = second;
}
//@ launch k<<<1, 1>>>();
//@ bound unroll = 6;
//@ vary TIMES in {0, 3, 5};
//@ expect required out[0] == 1 && out[1] == 2 && out[2] == 3 when TIMES == 0;
//@ expect required out[0] == 11 && out[1] == 12 && out[2] == 13 when TIMES == 3;
//@ expect required out[0] == 13 && out[1] == 21 && out[2] == 22 when TIMES == 5;
//@ expect required out[3] == 13 && out[4] == 21;
"""


EXCHANGED = """
#include <cuda/atomic>
__device__ int a = 1, b = 2;
__device__ cuda::atomic<int*, cuda::thread_scope_device> where{&b};
__device__ int out[2];
__global__ void k() {
    int* p = &a;
    for (int i = 0; i < 2; ++i) p = where.exchange(p);
    out[0] = *p;
    out[1] = *where.load();
}
//@ launch k<<<1, 1>>>();
//@ expect required out[0] == 1 && out[1] == 2;
"""


def test_a_pointer_is_exchanged_for_one_that_the_same_call_returned(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(EXCHANGED)], Settings(overrides=BY_CLANG, engine="embedded"))
    found = [(c.expectation.text, c.verdict) for r in outcome.reports for c in r.checks]
    assert [f for f in found if f[1] != "holds"] == []
    assert found


def test_attributes_of_a_launch_are_as_many_as_it_says(write: Callable[..., Path]) -> None:
    text = """cudaLaunchAttribute a[1];
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = 1;
    cudaLaunchConfig_t config = {{0}};
    config.gridDim = 1;
    config.blockDim = 1;
    config.attrs = a;
    config.numAttrs = {};
    cudaLaunchKernelEx(&config, k);"""
    for count in (0, 1):
        (run,) = plan(write(LAUNCHES.format(text.format(count))), "p.cu", BY_CLANG).runs
        assert run.program.grids["k"].cooperative == bool(count)


def test_a_launch_is_one_grid(write: Callable[..., Path]) -> None:
    """What was decided before leaves two states behind, in which a launch would be two grids."""
    text = """#include <atomic>
std::atomic<int> from{1};
__global__ void k() {}
int main() {
    int* known = nullptr;
    int one = 1;
    if (from.load()) known = &one;
    k<<<1, 1>>>();
    if (known) from = *known;
}
"""
    with pytest.raises(InputError, match=r"p\.cu:8:.*in several states"):
        plan(write(text), "p.cu", replace(BY_CLANG, guess=False))


@pytest.mark.sampled(0)
def test_values_outlive_the_registers_that_they_are_read_from(write: Callable[..., Path]) -> None:
    (outcome,) = check([write(ROTATED)], Settings(overrides=BY_CLANG, engine="embedded"))
    found = [(c.expectation.text, c.verdict, c.reason) for r in outcome.reports for c in r.checks]
    assert [f for f in found if f[1] != "holds"] == []
    assert len(found) >= 6


OBJECTS = """
struct Counted {
    int x;
    __device__ Counted(int v) : x(v) {}
    __device__ Counted(const Counted& other) : x(other.x) {}
    __device__ ~Counted();
    __device__ int twice(int v) { return 2 * v + x; }
};
__device__ int gone, result;
__device__ Counted::~Counted() { gone = 10 * gone + x; }
__device__ void changed(Counted one) { one.x += 4; }
__global__ void k() {
    Counted one(1);
    changed(one);
    int (Counted::*member)(int) = &Counted::twice;
    result = (one.*member)(3);
    goto end;
    result = 0;
end:;
}
struct Base { int x = 1; virtual int f() { return x; } };
struct Derived : Base { int y[2] = {3, 4}; int f() override { return x + y[1]; } };
int made;
int main() {
    Base* object = new Derived;
    made = object->f();
    k<<<1, 1>>>();
    cudaDeviceSynchronize();
}
//@ expect required gone == 51 && result == 7 && made == 5;
"""


def test_objects_of_classes_are_those_of_cpp(write: Callable[..., Path]) -> None:
    """A parameter is the object that the caller destroys, on devices too; `new` makes one of its type; labels; members."""
    (outcome,) = check([write(OBJECTS)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict) for c in report.checks if c.verdict != "holds"] == []
    assert report.checks


def test_another_name_of_a_function_is_the_function(write: Callable[..., Path]) -> None:
    text = """
__device__ int gone;
extern "C" __device__ void f() { gone = 3; }
extern "C" __device__ void g() __attribute__((alias("f")));
__global__ void k() { g(); }
//@ launch k<<<1, 1>>>();
//@ expect required gone == 3;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks] == ["holds"]


def checked(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "--no-cache", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_barrier_that_not_every_thread_reaches_is_known_by_its_place(write: Callable[..., Path]) -> None:
    text = """__device__ int out[2];
__global__ void k() {
    if (threadIdx.x == 0) __syncthreads();
    out[threadIdx.x] = 1;
    __syncthreads();
}
//@ launch k<<<1, 2>>>();
//@ expect terminates;
"""
    warnings = plan(write(text), "p.cu", BY_CLANG).warnings
    assert [(d.code.id, d.span.line) for d in warnings] == [("SCP042", 3)]


def test_a_quoted_include_decides_a_branch(write: Callable[..., Path]) -> None:
    write('#pragma once\n#include "other.h"\n__device__ int helper(int v) { return OTHER + v; }\n', "lib/choice.h")
    write("#define CHOICE 3\n#define OTHER 40\n", "lib/other.h")
    text = """#include "lib/choice.h"
__device__ int x;
__global__ void k() {
#if CHOICE == 3
    x = helper(1);
#else
    x = 2;
#endif
}
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ expect required x == 41;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [c.verdict for c in report.checks] == ["holds"]


@pytest.mark.parametrize(
    ("stub", "kernel"),
    [
        ("_Z17__device_stub__k1Pi", "_Z2k1Pi"),
        ("_ZN1n16__device_stub__kEv", "_ZN1n1kEv"),
        ("_Z16__device_stub__kIiEvT_", "_Z1kIiEvT_"),
        ("__device_stub__k", "k"),
    ],
)
def test_the_name_of_a_launch_stub_says_which_kernel(stub: str, kernel: str) -> None:
    assert is_stub(stub)
    assert kernel_of(stub) == kernel == kernel_of(kernel)
    assert not is_stub(kernel)
