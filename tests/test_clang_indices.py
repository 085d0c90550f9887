"""Indices in programs that clang reads: the array that is named, what is in none, and what the library writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides
from tests.test_clang_reader import BY_CLANG


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("object_", "index", "final"),
    [
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q;", "q.b[n % 4]", "q.b[1]"),
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q;", "q.b[n - 4]", "q.b[1]"),
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q;", "q.b[n + -4]", "q.b[1]"),
        ("struct Q { int a[4]; int b[4]; }; __device__ Q q[2];", "q[n - 4].b[n % 4]", "q[1].b[1]"),
        ("struct P { int x, y; }; struct Q { int a; P p[3]; }; __device__ Q q;", "q.p[n - 4].y", "q.p[1].y"),
        ("__device__ int q[3][2];", "q[n - 3][n - 5]", "q[2][0]"),
    ],
)
def test_an_index_is_in_the_array_that_is_named(
    object_: str, index: str, final: str, write: Callable[..., Path]
) -> None:
    """Also where what is added to a value would reach another array of the same object."""
    text = f"""{object_}
__device__ cuda::atomic<int> from{{5}};
__global__ void k() {{ int n = from.load(); int* to = &{index}; n = from.load() - 5; *to = 7 + n; }}
//@ launch k<<<1, 1>>>();
//@ expect required {final} == 7;
"""
    (outcome,) = check([write(f"#include <cuda/atomic>\n{text}")], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    assert [(c.expectation.text, c.verdict, c.reason) for c in report.checks if c.verdict != "holds"] == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("index", "faults"),
    [("q.b[n - 1]", 1), ("q.b[n - 2]", 0), ("q.b[n - 6]", 1), ("q.a[n - 1]", 1), ("q.a[n - 2]", 0)],
)
def test_an_index_out_of_its_array_is_a_fault_though_it_is_in_the_object(
    index: str, faults: int, write: Callable[..., Path]
) -> None:
    text = f"""#include <cuda/atomic>
struct Q {{ int a[4]; int b[4]; }};
__device__ Q q;
__device__ cuda::atomic<int> from{{1}};
__global__ void k() {{ int n = from.load() + 4; {index} = 7; }}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    (report,) = outcome.reports
    found = [(c.verdict, c.expectation.implicit) for c in report.checks if c.verdict != "holds"]
    assert found == [("violated", True)] * faults


ARRAYS = """#include <cuda/atomic>
struct P {{ int a[2], b[2]; }};
__device__ int x[3], y, n = 2;
__device__ P p;
__device__ cuda::atomic<int> c[2];
constexpr int known[3] = {{1, 2, 3}};
__global__ void k() {{
    int mine[2] = {{0, 0}}, i = {1};
    P q = {{}};
    {0}
}}
//@ launch k<<<1, 1>>>();
//@ expect race_free;
"""


def test_a_variable_that_the_library_writes_has_what_it_wrote(write: Callable[..., Path]) -> None:
    text = """#include <cuda/atomic>
__device__ cuda::atomic<int> a{3};
__global__ void k() {
    int found = 1;
    bool done = a.compare_exchange_strong(found, 5);
}
//@ launch k<<<1, 1>>>();
//@ expect required k[0][0].found == 3 && k[0][0].done == 0;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks] == ["holds"]


def test_classes_of_odd_sizes_are_passed_whole(write: Callable[..., Path]) -> None:
    text = """struct S { char a, b, c, d, e; };
int out;
S made(char v) { return S{v, 2, 3, 4, 5}; }
int use(S s) { S copy = s; return copy.a + copy.e; }
int main() { S s = made(1); out = use(s); }
//@ expect required out == 6;
"""
    (outcome,) = check([write(text)], Settings(overrides=BY_CLANG, engine="embedded"))
    assert [c.verdict for report in outcome.reports for c in report.checks if c.verdict != "holds"] == []
    assert outcome.exit_code == 0


@pytest.mark.sampled(18)
@pytest.mark.parametrize("reader", ["auto", "clang"])
@pytest.mark.parametrize("index", ["2", "n"])
@pytest.mark.parametrize(
    "access",
    ["x[i + 1] = 1;", "y = x[i - 3];", "mine[i] = 1;", "y = mine[i];", "p.a[i] = 1;", "y = p.b[i];", "c[i].store(1);",
     "y = known[i + 1];", "q.a[i] = 1;", "y = q.b[i];", "int* at = x; at[i + 1] = 1;", "int* at = mine; y = at[i];",
     "int* at = mine; at[i] = 1;"],
)  # fmt: skip
def test_what_is_in_no_array_is_not_accessed(reader: str, index: str, access: str, write: Callable[..., Path]) -> None:
    """Whether the index is known or read, in memory that threads share and in memory of one thread."""
    path = write(ARRAYS.format(access, index))
    (outcome,) = check([path], Settings(overrides=Overrides(reader=reader), engine="embedded"))
    (report,) = outcome.reports
    assert [c.expectation.text for c in report.checks if c.verdict != "holds"] == [
        "indices, pointers and arithmetic are valid"
    ]
