"""All launches that the host code makes: the condition is read from it."""

from __future__ import annotations

import pytest

from scopec.frontends.clang.anythread import hosts
from scopec.session.check import Settings, check
from tests.all_launches import proof_alone

_KERNELS = """#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
__global__ void rows(int* a, int n) { a[blockIdx.x * 32 + threadIdx.x] = n; }
__global__ void guarded(int* a, int n) { int i = blockIdx.x * 32 + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void tile(int* o, int w) { __shared__ int t[16][17];
  t[threadIdx.y][threadIdx.x] = 1; __syncthreads(); o[(blockIdx.x * 16 + threadIdx.y) * w + blockIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y]; }
__global__ void block(int* a, int n) { a[threadIdx.x] = n; }
template <typename T> __global__ void typed(T* a, int n) { a[blockIdx.x * 32 + threadIdx.x] = n; }
struct Options { int size; int block; };
static int up(int a, int b) { return (a + b - 1) / b; }
void other(void*);
"""

#: Host code, the kernel, and what of it holds.
PROVED = {
    "a quotient": ("rows", "void f(int* a, int n) { rows<<<(n + 31) / 32, 32>>>(a, n); }"),
    "a function of the file": ("guarded", "void f(int* a, int n) { guarded<<<up(n, 32), 32>>>(a, n); }"),
    "two directions": ("tile", "void f(int* a, int n) { dim3 b(16, 16), g(n / 16, n / 16); tile<<<g, b>>>(a, n); }"),
    "in a loop of the host": ("block", "void f(int* a, int n) { for (int i = 0; i < n; ++i) block<<<1, 64>>>(a, i); }"),
    "in main": ("rows", "int main(int argc, char** argv) { int n = atoi(argv[1]), *a; if (cudaMalloc(&a, n * 4)) { printf(\"no\"); exit(1); } rows<<<n, 32>>>(a, n); cudaDeviceSynchronize(); }"),
    "an assertion": ("block", "void f(int* a, int g) { assert(g == 1); block<<<g, 64>>>(a, g); }"),
    "a condition": ("block", "void f(int* a, int g) { if (g > 1) return; block<<<g, 64>>>(a, g); }"),
    "a member": ("rows", "void f(int* a, int n) { Options o{n, 32}; rows<<<o.size, o.block>>>(a, n); }"),
    "two launches": ("rows", "void f(int* a, int n) { rows<<<n, 32>>>(a, n); rows<<<2 * n, 16>>>(a, n); }"),
    "a counter of the host": ("rows", "#include <atomic>\nstatic std::atomic<int> calls; void f(int* a, int n) { calls.fetch_add(1); rows<<<n, 32>>>(a, n); }"),
    "a template": ("typed<int>", "void f(int* a, int n) { typed<<<n, 32>>>(a, n); }"),
    "what is asked about the kernel": ("rows", "void f(int* a, int n) { int g, b; cudaFuncSetAttribute(rows, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096); cudaOccupancyMaxPotentialBlockSize(&g, &b, rows); rows<<<n, 32>>>(a, n); }"),
    "a number of the launch": ("rows", "void f(int* a, int n) { int b = n > 7 ? 32 : 16; rows<<<n, b>>>(a, n); }"),
}  # fmt: skip

RACED = {
    "one thread too many": ("rows", "void f(int* a, int n) { rows<<<(n + 31) / 32, 33>>>(a, n); }"),
    "one launch of two": ("rows", "void f(int* a, int n) { rows<<<n, 32>>>(a, n); rows<<<n, 64>>>(a, n); }"),
    "a block that any caller chooses": ("rows", "void f(int* a, int n, int b) { rows<<<n, b>>>(a, n); }"),
    "the other case": ("rows", "void f(int* a, int n) { int b = n > 7 ? 32 : 64; rows<<<n, b>>>(a, n); }"),
    "a number that a loop of the host changes": ("rows", "void f(int* a, int n) { int b = 32; for (int i = 0; i < n; ++i) { rows<<<2, b>>>(a, n); b *= 2; } }"),
}  # fmt: skip

NOT_PROVED = {
    "what a function may write": ("rows", "void f(int* a, int n) { int b = 32; other(&b); rows<<<n, b>>>(a, n); }"),
    "what a function may write later": ("rows", "void f(int* a, int n) { int b = 32; other(&b); b = 32; other(nullptr); rows<<<n, b>>>(a, n); }"),
    "what a function may write by a pointer": ("rows", "void f(int* a, int n) { int b = 32; int* p[1] = {&b}; other(p); rows<<<n, b>>>(a, n); }"),
    "no launch": ("rows", "void f(int* a, int n) { guarded<<<n, 32>>>(a, n); }"),
    "another way to launch": ("rows", "void f(int* a, int n) { void* p[2] = {&a, &n}; rows<<<n, 32>>>(a, n); cudaLaunchKernel((void*)rows, dim3(n), dim3(64), p, 0, 0); }"),
    "whoever gets the kernel": ("rows", "void run(void (*k)(int*, int), int* a) { k<<<1, 64>>>(a, 1); } void f(int* a, int n) { rows<<<n, 32>>>(a, n); run(rows, a); }"),
    "a kernel in a variable": ("rows", "void f(int* a, int n) { rows<<<n, 32>>>(a, n); auto k = rows; k<<<n, 64>>>(a, n); }"),
    "a table of kernels": ("rows", "static void (*all[])(int*, int) = {rows, block}; void f(int* a, int n) { rows<<<n, 32>>>(a, n); all[n]<<<n, 64>>>(a, n); }"),
    "code that is not read": ("rows", "void f(int* a, int n) { rows<<<n, 32>>>(a, n); undeclared(); }"),
}  # fmt: skip


def _outcome(folder, kernel: str, host: str):
    file = folder / "k.cu"
    file.write_text(f"{_KERNELS}{host}\n//@ every {kernel} as launched;\n//@ expect race_free;\n")
    (outcome,) = check([file], Settings(engine="embedded"))
    assert outcome.failure is None
    return outcome


def _verdict(folder, kernel: str, host: str) -> str:
    checks = [c for report in _outcome(folder, kernel, host).reports for c in report.checks]
    return next(c.verdict for c in checks if "as launched" in c.expectation.text)


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(4)
def test_what_the_host_launches_is_proved(tmp_path, name):
    assert _verdict(tmp_path, *PROVED[name]) == "holds"


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(1)
def test_a_launch_of_the_host_that_races_is_shown(tmp_path, name):
    assert _verdict(tmp_path, *RACED[name]) == "violated"


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_the_host_may_launch_otherwise_is_not_proved(tmp_path, name):
    with proof_alone():
        assert _verdict(tmp_path, *NOT_PROVED[name]) != "holds"


def test_launches_that_nobody_can_make_are_an_error(tmp_path):
    outcome = _outcome(tmp_path, "rows", "void f(int* a) { rows<<<0, 32>>>(a, 1); }")
    assert [d.code.id for d in outcome.diagnostics if d.severity == "error"] == ["SCP020"]


def test_what_is_proved_as_launched_alone_is_offered(tmp_path):
    file = tmp_path / "k.cu"
    rows = next(line for line in _KERNELS.splitlines() if "void rows(" in line)
    file.write_text(f"{rows}\nvoid f(int* a, int n) {{ rows<<<n, 32>>>(a, n); }}\n")
    (outcome,) = check([file], Settings(engine="embedded", every=True))
    checks = [c for report in outcome.reports for c in report.checks if "of rows" in c.expectation.text]
    assert ["//@ every rows as launched;" in (c.reason or "") for c in checks] == [True]


def test_a_function_of_the_host_is_executed_once_for_all_kernels(tmp_path, monkeypatch):
    begun = []
    made = hosts._Function.__init__
    monkeypatch.setattr(hosts._Function, "__init__", lambda one, record: (begun.append(1), made(one, record))[1])
    file = tmp_path / "k.cu"
    both = "void f(int* a, int n) { rows<<<n, 32>>>(a, n); block<<<1, n>>>(a, n); }"
    file.write_text(f"{_KERNELS}{both}\n//@ every rows as launched;\n//@ every block as launched;\n")
    (outcome,) = check([file], Settings(engine="embedded"))
    found = [c for r in outcome.reports for c in r.checks if c.expectation.kind == "race_free"]
    assert ([c.verdict for c in found], begun) == (["holds", "holds"], [1])
