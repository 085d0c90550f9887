"""Constant tables that are indexed at run time, tables of pointers, and arguments of launches that are made in a loop."""

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

INDEXED = """
#include <cuda/atomic>
{declared}
__device__ cuda::atomic<int, cuda::thread_scope_device> i{{1}};
__global__ void k() {{
    {local}
    if (blockIdx.x == 0) i.store(2, cuda::memory_order_relaxed);
    else {{ int r = t[i.load(cuda::memory_order_relaxed)]; int s = t[3]; }}
}}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates;
//@ expect allowed k[1][0].r == 11;
//@ expect allowed k[1][0].r == 12;
//@ expect required (k[1][0].r == 11 || k[1][0].r == 12) && k[1][0].s == 13;
"""
TABLE = "int t[4] = {10, 11, 12, 13};"

CLASSES = """
#include <cuda/atomic>
struct E { short a; long b; };
static constexpr E t[2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
__device__ cuda::atomic<int, cuda::thread_scope_device> i{0};
__global__ void k() {
    if (blockIdx.x == 0) i.store(1, cuda::memory_order_relaxed);
    else {
        int j = i.load(cuda::memory_order_relaxed);
        int r = t[j][1].a;
        long s = t[1][j].b;
        const E& e = t[j][j];
        int q = e.a, c = "ab"[j];
    }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates;
//@ expect allowed k[1][0].r == 3 && k[1][0].s == 6 && k[1][0].q == 1 && k[1][0].c == 97;
//@ expect allowed k[1][0].r == 7 && k[1][0].s == 8 && k[1][0].q == 7 && k[1][0].c == 98;
//@ expect forbidden k[1][0].r == 3 && k[1][0].s == 8;
"""

BOTH_SIDES = """
#include <atomic>
constexpr int t[4] = {10, 11, 12, 13};
std::atomic<int> i{1};
__device__ int out;
__global__ void k(int n) { out = t[n]; }
int main() {
    int n = i.load();
    int r = t[n];
    k<<<1, 1>>>(n);
    cudaDeviceSynchronize();
    int q = t[2];
}
//@ expect race_free;
//@ expect terminates;
//@ expect required main.r == 11 && out == 11 && main.q == 12;
"""

WRITTEN = """
#include <cuda/atomic>
__constant__ int t[2];
__constant__ struct { int a, b; } c;
__device__ cuda::atomic<int, cuda::thread_scope_device> i{0};
__global__ void k() {
    if (blockIdx.x == 0) i.store(1, cuda::memory_order_relaxed);
    else { int r = t[i.load(cuda::memory_order_relaxed)]; int s = t[1], q = c.b; }
}
int main() {
    int h[2] = {4, 5}, d[2] = {7, 8};
    cudaMemcpyToSymbol(t, h, sizeof h);
    cudaMemcpyToSymbol(c, d, sizeof d);
    k<<<2, 1>>>();
    cudaDeviceSynchronize();
}
//@ expect race_free;
//@ expect terminates;
//@ expect allowed k[1][0].r == 4;
//@ expect allowed k[1][0].r == 5;
//@ expect required k[1][0].s == 5 && k[1][0].q == 8;
"""

POINTERS = """
#include <cuda/atomic>
__device__ int x, y;
__device__ int* const t[2] = {&x, &y};
__device__ cuda::atomic<int, cuda::thread_scope_device> i{0};
__global__ void k() {
    if (blockIdx.x == 0) i.store(1, cuda::memory_order_relaxed);
    else { int j = i.load(cuda::memory_order_relaxed); *t[j] = 5; }
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect terminates;
//@ expect allowed x == 5 && y == 0;
//@ expect allowed y == 5 && x == 0;
//@ expect forbidden x == y;
"""

FUNCTIONS = """
#include <cuda/atomic>
__device__ int out;
__device__ void f() { out = 1; }
__device__ void g() { out = 2; }
__device__ void (*const t[2])() = {f, g};
__device__ cuda::atomic<int, cuda::thread_scope_device> i{0};
__global__ void k() {
    if (blockIdx.x == 0) i.store(1, cuda::memory_order_relaxed);
    else t[i.load(cuda::memory_order_relaxed)]();
}
//@ launch k<<<2, 1>>>();
//@ expect race_free;
//@ expect allowed out == 1;
//@ expect allowed out == 2;
//@ expect required out == 1 || out == 2;
"""

ROWS = """
__managed__ int a[2], b[2];
__managed__ int* rows[2];
struct P { int* rows[2]; int n; };
__global__ void k(P p) { for (int i = 0; i < p.n; i++) p.rows[i][threadIdx.x] = i + 1; }
__global__ void l(int** rows) { rows[1][threadIdx.x] += 10; }
int main() {
    P p{{a, b}, 2};
    k<<<1, 2>>>(p);
    rows[0] = a;
    rows[1] = b;
    l<<<1, 2>>>(rows);
    cudaDeviceSynchronize();
    int r = a[1], q = b[1];
}
//@ expect race_free;
//@ expect terminates;
//@ expect required main.r == 1 && main.q == 12;
"""

ARGUMENTS = """
struct P { int* out; int n[2]; };
__managed__ int out, more[2];
__global__ void k(P p, int a, int b, int c) { *p.out = a + 10 * b + 100 * c + 1000 * p.n[1]; }
__global__ void l(int a) { more[0] = a; }
__global__ void m(int a) { more[1] = a; }
int main() {
    P p{&out, {8, 4}};
    int numbers[3];
    void* args[4] = {&p};
    for (int i = 0; i < 3; i++) {
        numbers[i] = i + 1;
        args[i + 1] = &numbers[i];
    }
    cudaLaunchCooperativeKernel((void*)k, dim3(1), dim3(1), args, 0, 0);
    void (*const kernels[2])(int) = {l, m};
    for (int i = 0; i < 2; i++) {
        int n = i + 5;
        void* one[] = {&n};
        cudaLaunchKernel((const void*)kernels[i], 1, 1, one, 0, nullptr);
    }
    cudaDeviceSynchronize();
    int r = out, s = more[0], t = more[1];
}
//@ expect race_free;
//@ expect terminates;
//@ expect required main.r == 4321 && main.s == 5 && main.t == 6;
"""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("text", "scoped"),
    [
        *(pytest.param(INDEXED.format(declared=f"{how} {TABLE}", local=""), how == "__device__ const", id=how) for how in (
            "__constant__", "__constant__ const", "__device__ const", "static constexpr", "const",
        )),
        *(pytest.param(INDEXED.format(declared="", local=f"{how} {TABLE}"), False, id=f"local-{how}") for how in (
            "const", "constexpr", "static constexpr",
        )),
        pytest.param(CLASSES.replace(', c = "ab"[j]', ", c = 97 + j"), False, id="classes"),
        pytest.param(CLASSES, False, id="text"),
        pytest.param(BOTH_SIDES, False, id="both-sides"),
        pytest.param(WRITTEN, False, id="written"),
        pytest.param(POINTERS, False, id="pointers"),
        pytest.param(FUNCTIONS, False, id="functions"),
        pytest.param(ROWS, False, id="rows"),
        pytest.param(ARGUMENTS, False, id="arguments"),
    ],
)  # fmt: skip
def test_tables(text: str, scoped: bool, write: Callable[..., Path]) -> None:
    """The same from both readers, where the scoped one reads it; no access by way of clang is to memory of the host."""
    for reader in ("clang", "scoped") if scoped else ("clang",):
        (outcome,) = check([write(text)], Settings(overrides=Overrides(reader=reader), engine="embedded"))
        found = [
            (c.expectation.text, c.verdict) for r in outcome.reports for c in r.checks if not c.expectation.implicit
        ]
        assert found == [(line[11:-1], "holds") for line in text.splitlines() if line.startswith("//@ e")], reader
        assert reader == "scoped" or outcome.diagnostics == ()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("declared", ["static constexpr", "__constant__", "__device__", "__device__ int before,"])
@pytest.mark.parametrize("index", ["i", "i - 1"])
def test_an_index_that_is_known_and_out_of_the_table(declared: str, index: str, write: Callable[..., Path]) -> None:
    text = f"""__device__ int out;
{declared} {"" if "," in declared else "int"} t[4] = {{10, 11, 12, 13}};
__global__ void k(int n) {{ int r = 0; for (int i = 0; i < n; i++) r += t[{index}]; out = r; }}
int main() {{ k<<<1, 1>>>(5); cudaDeviceSynchronize(); }}
//@ expect race_free;
"""
    for reader in ("scoped", "clang") if declared.startswith("__device__") else ("clang",):
        (outcome,) = check([write(text)], Settings(overrides=Overrides(reader=reader), engine="embedded"))
        (reason,) = [c.reason for r in outcome.reports for c in r.checks if c.verdict == "violated"]
        assert reason is not None
        assert reason.startswith("line 3: ")
        assert "no element of" in reason


WORKSPACE = """
__device__ int a, b;
{table}
__global__ void k() {{ if (threadIdx.x == 0) {{ int* p = {read}; *p = 1; }} }}
__global__ void other() {{ {changes} }}
int main() {{ {before} other<<<1, 1>>>(); k<<<1, 1>>>(); cudaDeviceSynchronize(); }}
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("table", "read", "changes", "before", "checked", "found"),
    [
        ("__device__ int* t[2] = {&a, &b};", "t[1]", "", "", False, [1]),
        ("__device__ int* t[2] = {&a, &b};", "t[1]", "t[0] = &b;", "", False, [1]),
        ("__device__ int* t[2] = {&a, &b};", "t[1]", "t[1] = &a;", "", True, [0]),
        ("__device__ int* t[2];", "t[1]", "t[0] = &a; t[1] = &b;", "", True, [1]),
        ("__device__ int* t[2];", "t[0]", "t[1] = &b;", "", True, []),
        ("__managed__ int* t[2];", "t[1]", "t[1] = t[0];",
         "int* p; cudaGetSymbolAddress((void**)&p, b); t[0] = p; t[1] = p + 7;", True, [1]),
        ("__device__ int* t[2];", "t[1]", "",
         "int* p[2]; cudaGetSymbolAddress((void**)&p[0], a); cudaGetSymbolAddress((void**)&p[1], b);"
         "cudaMemcpyToSymbol(t, p, sizeof p);", True, [1]),
        ("__device__ int* t[2] = {&a, &b};", "(int*)atomicExch((unsigned long long*)&t[1], 0ull)", "", "", True, [1]),
    ],
)  # fmt: skip
def test_a_pointer_is_what_the_program_puts_there(
    table: str, read: str, changes: str, before: str, checked: bool, found: list[int], tmp_path: Path
) -> None:
    """``found`` are the objects that can be written through it, ``checked`` is whether it may be none."""
    program = WORKSPACE.format(table=table, read=read, changes=changes, before=before)
    path = tmp_path / "p.cu"
    path.write_text(
        program
        + "".join(
            f"//@ expect {'allowed' if n in found else 'forbidden'} {name} == 1;\n" for n, name in enumerate("ab")
        )
    )
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    checks = [c for report in outcome.reports for c in report.checks]
    asked = [c for c in checks if c.expectation.text.startswith("indices")]
    assert bool(asked) == checked
    if found:
        assert {c.verdict for c in checks} == {"holds"}
    else:
        assert [c.verdict for c in asked] == ["violated"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "expectations"),
    [
        ("int r = ((int*)&v)[n + 1];", ("required k[0][0].r == 12", "race_free")),
        ("((int*)&v)[n] = 5;", ("required v.y == 5 && v.z == 12",)),
        ("(&v.x)[n + 3] = 5;", ("allowed v.x == 10",)),
        ("for (int i = 0; i < 12; ++i) (&v.x)[i % 4] += 1;", ("required v.x == 13 && v.w == 16",)),
    ],
)
def test_an_index_into_numbers_with_names_of_their_own(
    body: str, expectations: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "p.cu"
    text = "__device__ int4 v = {10, 11, 12, 13};\n__device__ int one = 1;\n"
    text += f"__global__ void k() {{ int n = atomicAdd(&one, 0); {body} }}\n//@ launch k<<<1, 1>>>();\n"
    path.write_text(text + "".join(f"//@ expect {e};\n" for e in expectations))
    (outcome,) = check([path], Settings(engine="embedded"))
    assert [str(d) for d in outcome.diagnostics if d.severity == "error"] == []
    verdicts = {c.expectation.text: c.verdict for report in outcome.reports for c in report.checks}
    beyond = "+ 3" in body
    assert set(verdicts.values()) == ({"violated"} if beyond else {"holds"})
