"""Values that one thread gives another, where they are known at run time alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan

ARGUMENTS = """
#include <atomic>
#include <thread>
std::atomic<int> f{0};
int x;
struct S { int a; short b; };
void g(int n, S s) { int m = n + s.a; int q = s.b; x = m; }
int main() {
    std::thread other([] { f.store(3, std::memory_order_relaxed); });
    int n = f.load(std::memory_order_relaxed);
    S s{f.load(std::memory_order_relaxed), short(n)};
    std::thread t(g, n, s);
    s.a = 17;
    t.join();
    int r = x;
    other.join();
}
//@ expect race_free;
//@ expect terminates;
//@ expect allowed t.m == 3 && t.q == 0;
//@ expect allowed t.m == 0 && t.q == 0;
//@ expect required t.m == 0 && t.q == 0 || t.m == 3 && t.q == 0 || t.m == 6 && t.q == 3;
//@ expect required main.r == t.m;
"""

CAPTURED = """
#include <atomic>
#include <thread>
std::atomic<int> f{0};
int x[2];
int main() {
    std::thread other([] { f.store(3, std::memory_order_relaxed); });
    std::thread t[2];
    for (int i = 0; i < 2; i++) {
        int n = f.load(std::memory_order_relaxed);
        t[i] = std::thread([i, n] { x[i] = n; });
    }
    for (int i = 0; i < 2; i++) t[i].join();
    int r = x[0], q = x[1];
    other.join();
}
//@ expect race_free;
//@ expect terminates;
//@ expect allowed main.r == 0 && main.q == 3;
//@ expect forbidden main.r == 3 && main.q == 0;
"""

STRUCTURE = """
struct In { short a; };
struct P { int* out; int n; In in; };
__managed__ int x, out;
__global__ void w() { x = 2; }
__global__ void k(P p, bool b, unsigned char c, long long l) {
    int r = p.n;
    if (threadIdx.x == 0) *p.out = p.n + p.in.a + b + c + (int)l;
}
int main() {
    w<<<1, 1>>>();
    cudaDeviceSynchronize();
    int n = x;
    P p{&out, n, {0}};
    p.in.a = short(n);
    k<<<1, 2>>>(p, n > 1, n, -n);
    cudaDeviceSynchronize();
    p.n = 5;
    k<<<1, 1>>>(p, n > 3, n, 1ll << n);
    cudaDeviceSynchronize();
    int r = out;
}
//@ expect race_free;
//@ expect terminates;
//@ expect required k[0][1].r == 2 && k[0][1].p.n == 2 && k[0][1].p.in.a == 2;
//@ expect required k#2[0][0].r == 5 && main.r == 13;
"""

#: `GIVEN` are the pointers to the arguments: of local variables, or of memory that threads share.
API = """
struct P { int x; long y; };
__managed__ int out, a, b;
__managed__ P p;
__global__ void k(int n, int m, P p) { out = n + 10 * m + 100 * p.x + 1000 * (int)p.y; }
__global__ void fill() { a = 3; b = 4; p.x = 5; p.y = 6; }
int main() {
    fill<<<1, 1>>>();
    cudaDeviceSynchronize();
    int n = a;
    int m = b;
    P q = p;
    void* arguments[] = {GIVEN};
    cudaLaunchKernel((void*)k, dim3(1), dim3(1), arguments, 0, 0);
    cudaDeviceSynchronize();
    int r = out;
}
//@ expect race_free;
//@ expect terminates;
//@ expect required main.r == 6543;
"""

POINTERS = """
__managed__ int x, y;
__managed__ int* where = &x;
__global__ void change() { where = &y; }
__global__ void k(int* p) { *p = 7; }
void f(void* data) { *(int*)data += 1; }
int main() {
    change<<<1, 1>>>();
    cudaDeviceSynchronize();
    int* p = where;
    k<<<1, 1>>>(p);
    cudaLaunchHostFunc(0, f, p);
    cudaDeviceSynchronize();
}
//@ expect race_free;
//@ expect terminates;
//@ expect required x == 0 && y == 8;
"""

ELEMENT = """
#include <cuda/atomic>
__managed__ int a[4];
__managed__ cuda::atomic<int, cuda::thread_scope_system> i{1};
__global__ void k(int* p) { *p = 7; }
__global__ void w() { i.store(2, cuda::memory_order_relaxed); }
int main() {
    w<<<1, 1>>>();
    int n = i.load(cuda::memory_order_relaxed);
    k<<<1, 1>>>(&a[n]);
    cudaDeviceSynchronize();
    int s = a[1], t = a[2];
}
//@ expect race_free;
//@ expect terminates;
//@ expect allowed main.s == 7;
//@ expect required main.s + main.t == 7;
"""

RACE = """
__managed__ int x;
__global__ void w() { x = 1; }
__global__ void k(int n) { int m = n; }
int main() {
    w<<<1, 1>>>();
    int n = x;
    k<<<1, 1>>>(n);
    cudaDeviceSynchronize();
}
//@ expect race on x;
"""

HANG = """
#include <cuda/atomic>
__managed__ cuda::atomic<int, cuda::thread_scope_system> x{0};
__global__ void w() { x.store(1); }
__global__ void k(int n) { while (n == 0); }
int main() {
    w<<<1, 1>>>();
    int n = x.load();
    k<<<1, 1>>>(n);
    cudaDeviceSynchronize();
}
//@ expect race_free;
//@ expect may_hang;
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ARGUMENTS, id="arguments"),
        pytest.param(CAPTURED, id="captured"),
        pytest.param(STRUCTURE, id="structure"),
        pytest.param(API.replace("GIVEN", "&n, &m, &q"), id="api"),
        pytest.param(API.replace("GIVEN", "&a, &b, &p"), id="api-of-memory"),
        pytest.param(POINTERS, id="pointers"),
        pytest.param(ELEMENT, id="element"),
        pytest.param(RACE, id="race"),
        pytest.param(HANG, id="hang"),
    ],
)
def test_what_is_known_at_run_time_alone_is_passed(text: str, write: Callable[..., Path]) -> None:
    (outcome,) = check([write(text)], Settings(overrides=Overrides(reader="clang"), engine="embedded"))
    found = [(c.expectation.text, c.verdict) for r in outcome.reports for c in r.checks if not c.expectation.implicit]
    assert found == [(line[11:-1], "holds") for line in text.splitlines() if line.startswith("//@")]


def test_what_one_thread_is_given_is_one_thing(write: Callable[..., Path]) -> None:
    """What was decided before leaves two states behind, in which the new thread would begin differently."""
    text = """#include <atomic>
#include <thread>
std::atomic<int> from{1};
int one, two;
int main() {
    int* known = &one;
    if (from.load()) known = &two;
    std::thread t([known] { *known = 1; });
    t.join();
}
"""
    with pytest.raises(InputError, match=r"p\.cu:8:.*in several states"):
        plan(write(text), "p.cu", Overrides(reader="clang"))


@pytest.mark.parametrize(("order", "verdict"), [(1, "holds"), (-1, "violated")])
def test_an_argument_without_a_number_is_no_value_that_is_missing(
    order: int, verdict: str, write: Callable[..., Path]
) -> None:
    """As the 0 of `(a <=> b) > 0`: clang stores `undef` for it."""
    text = f"""struct Zero {{ consteval Zero(int) {{}} }};
    struct Order {{ signed char v; friend bool operator>(Order a, Zero) {{ return a.v > 0; }} }};
    int out;
    int main() {{ Order o{{{order}}}; if (o > 0) out = 1; }}
    //@ expect required out == 1; expect terminates;
    """
    (outcome,) = check([write(text)], Settings(overrides=Overrides(reader="clang"), engine="embedded"))
    assert [c.verdict for r in outcome.reports for c in r.checks] == [verdict, "holds"]
