"""The reader that a `.cu` file gets, and what people are shown of an expression that clang gives one place."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.base.source import Source
from scopec.frontends.clang.extents import expression_at
from scopec.frontends.clang.flags import Flags
from scopec.report.text import summary_line
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides, plan
from tests.conftest import problem_of, program_of

BY_LANGUAGE = Overrides()

# ---------------------------------------------------------------- what the scoped language has not


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> T f(T t) { return t; }",
        "int n;\n# define N 1",
        '#include "own.h"',
        "#include <cub/cub.cuh>",
        "#pragma pack(1)",
        "struct S { int x; };",
        "class S { int x; };",
        "union U { int x; };",
        "enum Colour { red };",
        "namespace own { }",
        "using namespace cuda;",
        "using flag = cuda::atomic<int>;",
        "typedef int number;",
        "static_assert(sizeof(int) == 4);",
        "bool operator==(S a, S b) { return true; }",
        "__device__ int f() { return 1; }",
        "__global__ int k() { return 1; }",
        "__global__ void k();",
        "__global__ void k(int& x) { }",
        "__global__ void k(int n = 1) { }",
        "__device__ float x;",
        "__device__ int* x;",
        "__device__ int x[2][2];",
        "__device__ cuda::atomic<int*> x;",
        "__device__ cuda::barrier<cuda::thread_scope_block> x;",
        "extern int x;",
        "static int x;",
        "__constant__ int x;",
        "__shared__ int x;",
        "int main(int argc, char** argv) { }",
        "int x; // goes on \\ \nint y;",
    ],
)
def test_items_beyond_the_scoped_language(text: str) -> None:
    assert problem_of(text + "\nint main() { }")[0] in ("SCP005", "SCP011", "SCP012")


STATEMENT = """#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> f{{0}}, a[2];
__device__ int x, y, b[2];
__device__ volatile int v;
__global__ void k(int* p) {{
    int i = 0, j = threadIdx.x;
    {}
}}
//@ launch k<<<1, 2>>>(b);
"""


@pytest.mark.parametrize(
    "statement",
    [
        "int* q = p;", "int& e = x;", "auto e = x;", "for (auto& e : b) { }", "switch (i) { }", "if (int e = x) { }",
        "x = 'a';", "x = 1.5;", "x = 0x80000000;", "x = 020000000000;", "x = ::y;", "x = int(y);", "x = static_cast<int>(y);",
        "x = i++;", "x = y = 1;", "x = (y, 1);", "x;", "i + 1;", "unsigned(i);", "sizeof i;", "auto g = [] { };", "new int;",
        'asm("");', "try { } catch (...) { }", "goto end;", "static int s;", "std::thread t;", "dim3 d;",
        "f = 1;", "f++;", "f += 1;", "x = f;", "f.wait(0);", "atomicAdd(&x, 1);", "p++;", "x = *(p + 1);", "x = p == &b[0];",
        'printf("x");', "cuda::atomic_ref<int> r(i);", "cudaSetDevice(1);", "k<<<1, 1>>>(p);",
    ],
)  # fmt: skip
def test_statements_beyond_the_scoped_language(statement: str) -> None:
    text = STATEMENT.format(statement)
    assert problem_of(text)[:2][0] in ("SCP005", "SCP010", "SCP011", "SCP012", "SCP013", "SCP015"), problem_of(text)
    assert problem_of(text)[1] == 7


@pytest.mark.parametrize(
    ("statement", "matters"),
    [
        ("i = f.load() + f.load();", True),
        ("i = v + v;", True),
        ("i = x + f.load();", True),
        ("i = f.exchange(1) * 10 + p[1];", True),
        ("i = x + y;", False),
        ("i = f.load() + j;", False),
        ("i = f.load() == 1 && f.load() == 2;", False),
        ("i = j ? f.load() : v;", False),
        ("i = (j && f.load()) + x;", True),
        ("p[f.load()] = a[0].load();", False),  # an assignment's right side is first ([expr.ass]/1)
        ("x += f.load();", False),
        ("i = f.compare_exchange_strong(j, 1) + j;", True),
        ("i = f.compare_exchange_strong(j, 1) || j == 1;", False),
        ("a[f.compare_exchange_strong(j, 1)].store(1);", True),
        ("f.exchange(a[0].compare_exchange_strong(j, 1));", True),
        ("bool won = !f.compare_exchange_strong(j, 1);", False),
        ("a[j].store(a[1].load());", False),
    ],
)
def test_operands_whose_order_may_matter_are_no_part_of_it(statement: str, matters: bool) -> None:
    if matters:
        assert problem_of(STATEMENT.format(statement))[0] == "SCP012"
    else:
        assert program_of(STATEMENT.format(statement), reader="scoped").grids


@pytest.mark.parametrize(
    ("statement", "moves"),
    [
        ("cuda::atomic_ref<int> r(b[j]);", True),
        ("cuda::atomic_ref<int> r(b[f.load()]);", True),
        ("cuda::atomic_ref<int>(b[j]).store(1);", False),
        ("cuda::atomic_ref<int> r(b[threadIdx.x]);", False),
        ("cuda::atomic_ref<int> r(p[1]);", False),
    ],
)
def test_an_address_is_kept_of_one_element_alone(statement: str, moves: bool) -> None:
    if moves:
        assert problem_of(STATEMENT.format(statement))[0] == "SCP012"
    else:
        assert program_of(STATEMENT.format(statement), reader="scoped").grids


# ---------------------------------------------------------------- who reads


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
    path = write(METHOD)
    assert plan(path, "p.cu", BY_LANGUAGE).runs
    with pytest.raises(InputError, match="SCP012") as raised:
        plan(path, "p.cu", Overrides(reader="scoped"))
    assert "leave out `--reader scoped`" in (raised.value.diagnostics[0].help or "")
    monkeypatch.setattr("scopec.frontends.clang.command.find", lambda: None)
    with pytest.raises(InputError, match=r"p\.cu:2:1: .*`struct` is outside the scoped language") as raised:
        plan(path, "p.cu", BY_LANGUAGE)
    assert "scopec[cxx]" in (raised.value.diagnostics[0].help or "")


#: The document's own way to write: nothing is included, and an object of the host is used in a kernel.
LOOSE = """cuda::atomic<int, cuda::thread_scope_system> flag = 0;
__global__ void k() { flag.store(1); }
int main() { k<<<1, 1>>>(); cudaDeviceSynchronize(); }
//@ given pageableMemoryAccess = 1;
//@ expect required flag == 1;
"""


@pytest.mark.sampled(0)
def test_what_clang_does_not_take_may_be_in_the_scoped_language(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="reference to __host__ variable"):
        plan(write(LOOSE), "p.cu", Overrides(reader="clang"))
    assert verdicts(write(LOOSE)) == ["holds"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("use", "headers"),
    [
        ("std::mutex m; m.lock(); m.unlock();", "auto"),
        ("std::thread t([] { }); t.join();", "shims"),
        ("assert(x == 0);", "shims"),
    ],
)
def test_headers_of_the_library_that_are_not_included_come_along(
    write: Callable[..., Path], use: str, headers: str
) -> None:
    """As those of a toolkit bring each other; what is nobody's is an error as before, the first one.

    One text is tried over NVIDIA's headers too, where these are: that takes as long as all the rest.
    """
    text = "#include <cuda/atomic>\n__managed__ int x;\nint main() { %s }\n//@ expect race_free;\n"
    assert set(verdicts(write(text % use))) == {"holds"}
    with pytest.raises(InputError, match=r"p\.cu:3:\d+: error: use of undeclared identifier 'nobody' \[SCP010\]"):
        plan(write(text % (use + " nobody();")), "p.cu", Overrides(flags=Flags(headers=headers)))


@pytest.mark.parametrize("reader", ["scoped", "clang"])
def test_a_variable_is_declared_before_its_initial_value(write: Callable[..., Path], reader: str) -> None:
    text = "__device__ int x, y;\n__global__ void k() { int x = x; y = x; }\n//@ launch k<<<1, 1>>>();\n"
    with pytest.raises(InputError, match="`x` is read before it has a value"):
        assert plan(write(text), "p.cu", Overrides(reader=reader)).runs[0].graph


def test_the_summary_says_what_was_read_without_a_clang(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n"
    (with_clang,) = check([write(text)], Settings(engine="embedded"))
    monkeypatch.setattr("scopec.frontends.clang.command.find", lambda: None)
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
@pytest.mark.sampled(1)
def test_errors_of_clang_have_the_code_of_their_kind(write: Callable[..., Path], statement: str, code: str) -> None:
    text = "struct S { };\n__device__ int x;\n__device__ int f(int);\n__global__ void k() {\n" + statement + "\n}\n"
    with pytest.raises(InputError) as raised:
        plan(write(text + "//@ launch k<<<1, 1>>>();\n"), "p.cu", Overrides(reader="clang"))
    assert raised.value.diagnostics[0].code.id == code, raised.value


@pytest.mark.sampled(0)
def test_errors_of_what_is_in_neither_language_are_clangs(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError) as raised:
        plan(write(LOOSE.replace("k() {", "k() { int* p = &nothing;")), "p.cu", BY_LANGUAGE)
    assert {d.code.id for d in raised.value.diagnostics} & {"SCP006", "SCP010"}
    with pytest.raises(InputError, match=r"p\.cu:2:23: error: `nothing` is not declared \[SCP010\]"):
        plan(write(LOOSE.replace("k() {", "k() { nothing = 1;")), "p.cu", BY_LANGUAGE)


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
