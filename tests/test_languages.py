"""Which reader a `.cu` file gets, and what people are shown of an expression that clang gives one place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.clang.extents import expression_at
from scopec.frontends.language import beyond
from scopec.frontends.scoped.lower.moving import moving
from scopec.frontends.scoped.lower.unordered import unordered
from scopec.frontends.scoped.syntax import cuda
from scopec.report.text import summary_line
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan

BY_LANGUAGE = Overrides()

SCOPED = """#include <cuda/atomic>
#pragma once
#
struct Pair { int x, y[2]; };
struct Pair;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
[[maybe_unused]] __device__ Pair pair = {1, {2, 3}};
struct Pair make();  // template <class T> operator [&] { }
__global__ void k(int n) { int a[2]; a[0] = a[n - a[1]]; flag.fetch_add(a[0]); auto [x, y] = pair; }
const char* text = "template [&] {";
"""


def test_the_scoped_language_is_known_by_its_text() -> None:
    assert beyond(Source("p.cu", SCOPED)) is None


@pytest.mark.parametrize(
    ("text", "what", "column"),
    [
        ("template <class T> T f(T t) { return t; }", "a template", 1),
        ("int n; # define N 1", None, 0),
        ("\t# define N 1", "a line for the preprocessor", 2),
        ('#include "own.h"', "a line for the preprocessor", 1),
        ("struct S { int get() { return 1; } };", "a class with more than data", 1),
        ("struct S { int x; S(int v) : x(v) {} };", "a class with more than data", 1),
        ("struct A {}; struct B : A {};", "a class with more than data", 14),
        ("class S { int x; };", "a class with more than data", 1),
        ("union U { int x; float y; };", "a class with more than data", 1),
        ("struct S { static int x; };", "a class with more than data", 1),
        ("struct S { int x = std::size_t{1}; };", None, 0),
        ("struct S { int x : 3; };", "a class with more than data", 1),
        ("enum Colour { red };", "an enumeration", 1),
        ("namespace own { }", "a namespace of its own", 1),
        ("namespace cg = cooperative_groups;", None, 0),
        ("using namespace cuda;", "a namespace of its own", 1),
        ("using cuda::atomic;", "a namespace of its own", 1),
        ("using flag = cuda::atomic<int>;", None, 0),
        ("void f() { for (auto& t : threads) { } }", "a loop over a range", 12),
        ("void f() { for (std::size_t i = 0; i < 3; i++) { } }", None, 0),
        ("__device__ float x;", "a floating-point number", 12),
        ("using R = int&;", "another name for a reference", 1),
        ("int main() { g = ::g; }", "a name of the global namespace", 18),
        ("int main() { std::thread t; }", None, 0),
        ("int x = 0x7fffffff + 0777 + 0b11;", None, 0),
        ("long x = 0x8000'0000;", "a literal that may be unsigned", 10),
        ("long x = 037777777777;", "a literal that may be unsigned", 10),
        ("int x = 'a'; const char* s = \"'\";", "a character", 9),
        ("const char* s = \"'\"; int x = 1'000;", None, 0),
        ("int main() { int a = sizeof nullptr; }", "the size of a null pointer", 22),
        ("int main() { unsigned(g); }", "a declaration with parentheses", 12),
        ("int x; // goes on \\ \nint y;", "a comment that may go on", 19),
        ("struct alignas(8) S { int x; };", "an alignment", 8),
        ("static_assert(sizeof(int) == 4);", "a static assertion", 1),
        ("bool operator==(S a, S b) { return true; }", "an operator of its own", 6),
        ("int main() { auto f = [] { }; }", "a lambda expression", 23),
        ("int main() { std::thread t([&] { }); }", "a lambda expression", 28),
        ("auto f() { return [=] { return 1; }; }", "a lambda expression", 19),
        ("#include <cuda/atomic>\n#include <stdint.h>", None, 0),
        ("#include <cub/cub.cuh>", "a header that scopec does not have", 11),
        ("int main() { a [0] = 1; (b)[1] = 2; f()[2]; g[0][1]; }", None, 0),
    ],
)
def test_cplusplus_is_known_by_its_text(text: str, what: str | None, column: int) -> None:
    found = beyond(Source("p.cu", text))
    assert (found is None) == (what is None), found
    if found is not None:
        assert (found[1], found[0].line, found[0].column) == (what, 1, column)


METHOD = """#include <cuda/atomic>
struct Counter {
    cuda::atomic<int> n;
    __device__ void count() { n.fetch_add(1); }
};
__device__ Counter counter;
__global__ void k() { counter.count(); }
//@ launch k<<<1, 2>>>();
//@ expect required counter.n == 2;
"""


def test_cplusplus_needs_a_clang(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a clang what may mean something else in the scoped language is refused."""
    path = write(METHOD)
    assert plan(path, "p.cu", BY_LANGUAGE).runs
    monkeypatch.setattr("scopec.frontends.clang.compiler.find", lambda: None)
    with pytest.raises(InputError, match=r"p\.cu:2:1: .*a class with more than data is C\+\+") as raised:
        plan(path, "p.cu", BY_LANGUAGE)
    assert "scopec[cxx]" in (raised.value.diagnostics[0].help or "")


#: The document's own way to write: nothing is included, and an object of the host is used in a kernel.
LOOSE = """cuda::atomic<int, cuda::thread_scope_system> flag = 0;
__global__ void k() { flag.store(1); }
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ given pageableMemoryAccess = 1;
//@ expect required flag == 1;
"""


def test_what_clang_does_not_take_may_be_in_the_scoped_language(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="reference to __host__ variable"):
        plan(write(LOOSE), "p.cu", Overrides(reader="clang"))
    assert verdicts(write(LOOSE)) == ["holds"]


@pytest.mark.parametrize(
    "use", ["std::mutex m; m.lock(); m.unlock();", "std::thread t([] { }); t.join();", "assert(x == 0);"]
)
def test_headers_of_the_library_that_are_not_included_come_along(write: Callable[..., Path], use: str) -> None:
    """As those of a toolkit bring each other; what is nobody's is an error as before, the first one."""
    text = "#include <cuda/atomic>\n__managed__ int x;\nint main() { %s }\n//@ expect race_free;\n"
    assert set(verdicts(write(text % use))) == {"holds"}
    with pytest.raises(InputError, match=r"p\.cu:3:\d+: error: use of undeclared identifier 'nobody' \[SCP010\]"):
        plan(write(text % (use + " nobody();")), "p.cu", BY_LANGUAGE)


def test_the_summary_says_what_was_read_without_a_clang(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    (with_clang,) = check([write(text)], Settings(engine="embedded"))
    monkeypatch.setattr("scopec.frontends.clang.compiler.find", lambda: None)
    (without,) = check([write(text)], Settings(engine="embedded"))
    assert "clang" not in summary_line([with_clang], 1.0)
    assert ", 1 read without a clang (pip install 'scopec[cxx]')" in summary_line([without], 1.0)


def test_a_program_that_includes_something_is_cplusplus(write: Callable[..., Path]) -> None:
    """`std::thread` without its header: clang's error is final."""
    with pytest.raises(InputError, match="reference to __host__ variable"):
        plan(write("#include <cuda/atomic>\n" + LOOSE), "p.cu", BY_LANGUAGE)


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("x = no_such_name;", "SCP010"),
        ("no_such_type y;", "SCP011"),
        ("x = 1", "SCP005"),
        ("x = f(1, 2);", "SCP014"),
        ("int y; int y;", "SCP016"),
        ("x = S{};", "SCP015"),
        ("int a[x];", "SCP006"),
        ("/* x = 1;", "SCP004"),
        ("switch (1) { case x: ; }", "SCP017"),
    ],
)
def test_errors_of_clang_have_the_code_of_their_kind(write: Callable[..., Path], statement: str, code: str) -> None:
    text = "struct S { };\n__device__ int x;\n__device__ int f(int);\n__global__ void k() {\n" + statement + "\n}\n"
    with pytest.raises(InputError) as raised:
        plan(write(text + "//@ launch k<<<1, 1>>>();\n"), "p.cu", Overrides(reader="clang"))
    assert raised.value.diagnostics[0].code.id == code, raised.value


# ---------------------------------------------------------------- operands in no order

AROUND = """#include <cuda/atomic>
struct S { int x, y; };
__device__ cuda::atomic<int> f{0}, g{0};
__device__ int x, y;
__device__ volatile int v;
__device__ int two(int a, int b) { return a * 2 + b; }
__device__ int inc(int& a) { return a++; }
__device__ int at(int* a) { return (*a)++; }
__device__ int size(int a) { return x = x * 2 + a; }
namespace c = cuda;
__device__ c::atomic<int> l, h[4];
__device__ int m[2][2];
__global__ void k(int* p, int n) { int r = 0; S s{1, 2}; auto& e = f; int& q = r; r = WRITTEN; }
"""


@pytest.mark.parametrize(
    ("written", "matters"),
    [
        ("f.load() + g.load()", True),
        ("f + g", True),
        ("v + v", True),
        ("x + f.load()", True),
        ("*p + f.load()", True),
        ("p[0] + p[f.load()]", True),
        ("two(f.fetch_add(1), f.fetch_add(1))", True),
        ("two(two(1, f), g)", True),
        ("inc(r) + r", True),
        ("inc(s.x) + s.x", True),
        ("at(&s.x) + s.x", True),
        ("r++ + r", True),
        ("s.x++ + s.x", True),
        ("(x = 1) + x", True),
        ("x + y", False),
        ("f.load() + n", False),
        ("min(x, n) + y", False),
        ("f.load() == 1 && g.load() == 2", False),
        ("(f.load(), g.load())", False),
        ("f ? g : v", False),
        ("p[f.load()] = g.load()", True),
        ("*p = f.load()", False),
        ("p[n] = f.load()", False),
        ("p[n++] = n", True),
        ("p[inc(r)] += x", True),
        ("x << int(x = 2)", True),
        ("m[n][n++]", True),
        ("h[n].store(n = 3)", True),
        ("h[n].exchange(r)", False),
        ("size(1) * 10 + size(5)", True),
        ("e * 10 + e", True),
        ("*&f + *&g", True),
        ("cuda::atomic_ref<int>(x) * 10 + cuda::atomic_ref<int>(y)", True),
        ("*(volatile int*)&x * 10 + y", True),
        ("l * 10 + l", True),
        ("inc(q) * 10 + r", True),
        ("atomicCAS(&x, 0, f.load())", False),
        ("p[threadIdx.x + blockIdx.x * blockDim.x]", False),
    ],
)
def test_operands_whose_order_may_matter(written: str, matters: bool) -> None:
    found = unordered(cuda.read(Source("p.cu", AROUND.replace("WRITTEN", written))))
    assert (found is not None) == matters, found


BINDING = """#include <cuda/atomic>
#include <thread>
struct N { int v; N* next; };
__device__ int r[4], i;
__device__ N n[2];
__device__ cuda::atomic<int> a[2];
__device__ int put(int* p, int& q) { q = 3; return *p = 9; }
__device__ int plain(int v) { return v; }
__device__ void atomic_put(int* other) { *other = 1; }
__global__ void k(int* p) { int j = threadIdx.x; int* q = p; N t; WRITTEN }
void work(const int& v) {}
int main() { int h = 1; k<<<1, 2>>>(r); MAIN }
"""


@pytest.mark.parametrize(
    ("written", "moves"),
    [
        ("int& e = r[j];", True),
        ("const int& e = r[j];", True),
        ("auto& e = r[j];", True),
        ("int* e = &r[j];", True),
        ("q = p + j;", True),
        ("q = &r[j];", True),
        ("t.next = &n[j];", True),
        ("N* e = n + j;", True),
        ("cuda::atomic<int>& e = a[j];", True),
        ("cuda::atomic_ref<int> e(r[j]);", True),
        ("put(&r[j], j);", True),
        ("put(r, r[j]);", True),
        ("put(r + j, j);", True),
        ("r[j] = 1; j = r[j + 1];", False),
        ("plain(r[j]);", False),
        ("atomicAdd(&r[j], 1);", False),
        ("cuda::atomic_ref<int>(r[j]).store(1);", False),
        ("int& e = r[threadIdx.x + 1];", False),
        ("int* e = p + 2;", False),
        ("a[j].store(j);", False),
        ("int other = threadIdx.x; q = p + other;", True),
        ("atomic_put(&r[j]);", True),
    ],
)
def test_what_keeps_an_address_whose_index_may_change(written: str, moves: bool) -> None:
    text = BINDING.replace("WRITTEN", written).replace("MAIN", "")
    assert (moving(cuda.read(Source("p.cu", text))) is not None) == moves


@pytest.mark.parametrize(
    ("written", "moves"),
    [
        ("k<<<1, 1>>>(&r[h]);", True),
        ("k<<<1, 1>>>(r + h);", True),
        ("std::thread t(work, h);", True),
        ("std::thread t(work, std::ref(h));", False),
        ("k<<<1, 1>>>(&r[1]);", False),
    ],
)
def test_what_another_thread_would_look_up(written: str, moves: bool) -> None:
    text = BINDING.replace("WRITTEN", "").replace("MAIN", written)
    assert (moving(cuda.read(Source("p.cu", text))) is not None) == moves


MOVED = """__managed__ int r[4];
__global__ void k() { int i = threadIdx.x / 2; int& e = r[i]; i = threadIdx.x; e = 1; }
//@ launch k<<<1, 2>>>();
//@ expect race;
//@ options races = ignore;
//@ expect required r[0] == 1 && r[1] == 0;
"""


def test_a_reference_stays_where_it_was_bound(write: Callable[..., Path]) -> None:
    assert verdicts(write(MOVED)) == ["holds", "holds"]


TWO = """#include <cuda/atomic>
__device__ cuda::atomic<int> f{0};
__device__ int o;
__device__ int two(int a, int b) { return a * 2 + b; }
__global__ void k() { o = two(f.fetch_add(1), f.fetch_add(1)); }
//@ launch k<<<1, 1>>>();
//@ expect allowed o == 1;
//@ expect allowed o == 2;
"""


def test_what_cplusplus_leaves_in_no_order_is_clangs(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert verdicts(write(TWO)) == ["holds", "holds"]
    assert verdicts(write(TWO + "//@ language scoped;\n")) == ["holds", "violated"]
    with pytest.raises(InputError, match=r"p\.cu:3:38: .*SCP028"):
        plan(
            write("__device__ int o;\n\n__global__ void k(int n) { o = n++ + n; }\n//@ launch k<<<1, 1>>>(1);\n"),
            "p.cu",
            BY_LANGUAGE,
        )
    monkeypatch.setattr("scopec.frontends.clang.compiler.find", lambda: None)
    with pytest.raises(InputError, match=r"p\.cu:5:27: .*no order.*SCP028"):
        plan(write(TWO), "p.cu", BY_LANGUAGE)


def verdicts(path: Path) -> list[str]:
    (outcome,) = check([path], Settings(overrides=BY_LANGUAGE, engine="embedded"))
    return [c.verdict for report in outcome.reports for c in report.checks]


# ---------------------------------------------------------------- the directive


def test_a_file_may_say_its_language(write: Callable[..., Path]) -> None:
    host = "int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect required x == 1;\n"
    assert verdicts(write("//@ language scoped;\n" + host)) == ["holds"]
    with pytest.raises(InputError, match="reference to __host__ variable"):
        plan(write("//@ language c++;\n" + host), "p.cu", BY_LANGUAGE)
    with pytest.raises(InputError, match=r"expected `scoped` or `c\+\+`"):
        plan(write("//@ language rust;\n" + host), "p.cu", BY_LANGUAGE)


# ---------------------------------------------------------------- places


@pytest.mark.parametrize(
    ("text", "token", "shown"),
    [
        ("f(1); ready.store(1, order); g();", "store", "ready.store(1, order)"),
        ("a[i].b->next.load();", "load", "a[i].b->next.load()"),
        ("(*p).load();", "load", "(*p).load()"),
        ("std::atomic_ref<int>(x).load() == 1", "load", "std::atomic_ref<int>(x).load()"),
        ("cuda::atomic_ref<int, S>(x)", "atomic_ref", "cuda::atomic_ref<int, S>(x)"),
        ("{ x = y + f(z); }", "=", "x = y + f(z)"),
        ("if (a) x = 1;", "=", "x = 1"),
        ("for (int i = 0; i < n; i++) {}", "=", "int i = 0"),
        ("for (int i = 0; i < n; i++) {}", "++", "i++"),
        ("r = a % b + c;", "%", "a % b"),
        ("r = w++ / v-- + 1;", "/", "w++ / v--"),
        ("f(x, *out);", "*", "*out"),
        ("k<<<grid, 32>>>(a, b);", "k", "k<<<grid, 32>>>(a, b)"),
        ("f(1); //@ launch k<<<1, 2>>>(&x);", "k", "k<<<1, 2>>>(&x)"),
        ("std::thread writer([&] { x = 1; });", "writer", "writer([&] { x = 1; })"),
        ("std::jthread t{work};", "t{", "t{work}"),
        ("return data;", "data", "data"),
        ("return data[i][j];", "data", "data[i][j]"),
        ("void f() { g(); }", "}", "}"),
        ('puts("=;"); a < b', "<", "a < b"),
    ],
)
def test_a_place_stands_for_an_expression(text: str, token: str, shown: str) -> None:
    source = Source("p.cu", text)
    span = expression_at(source, text.index(token))
    assert span is not None
    assert source.text_of(span) == shown


def test_a_place_within_a_word_stands_for_nothing() -> None:
    assert expression_at(Source("p.cu", "word"), 2) is None
