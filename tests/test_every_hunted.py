"""All launches: kernels that race at some launch, by tricks of indices, pointers and turns; none may be proved."""

from __future__ import annotations

import pytest

from scopec.session.check import Settings, check
from tests.all_launches import is_proved, race_free, races

_T = "int t = threadIdx.x;"


def _kernel(parameters: str, body: str) -> str:
    return f"__global__ void k({parameters}) {{ {_T} {body} }}"


#: Kernels of one block that race, each with a launch that shows it, where one can be written.
RACED = {
    "a local variable that a pointer comes to in a later turn":
        (_kernel("int* a, int n", "int own[2] = {0, 0}, y = t; int *p = &own[0], *q = &own[1]; for (int j = 0; j < n; ++j) { *p = 0; p = q; q = &y; } a[y] = 1;"),
         "//@ object __device__ int a[8];\n//@ launch k<<<1, 2>>>(a, 3);"),
    "numbers of each thread, read by addresses that turns exchange":
        (_kernel("int* a, int* b, int* o, int n", "int *p = a + t, *q = b + t; int x = 0; for (int j = 0; j < n; ++j) { if (x == t) o[0] = 1; x = *p; int* r = p; p = q; q = r; __syncthreads(); }"),
         "//@ object __device__ int a[2] = {0, 1};\n//@ object __device__ int b[2] = {0, 1};\n//@ object __device__ int o[2];\n//@ launch k<<<1, 2>>>(a, b, o, 2);"),
    "an unsigned difference that goes round, read with a sign":
        (_kernel("int* a, int* b, unsigned v", "b[t] = 1; if (v > 5000 && (int)(threadIdx.x - v) > 0) a[0] = t;"),
         "//@ object __device__ int a[2];\n//@ object __device__ int b[2];\n//@ launch k<<<1, 2>>>(a, b, 4294967295u);"),
    "unsigned differences that go round twice":
        (_kernel("int* a, int* b, unsigned v", "b[t] = 1; unsigned i = threadIdx.x - v - v - v; if (v > 5000 && i > 5 && i < 10) a[0] = t;"),
         "//@ object __device__ int a[2];\n//@ object __device__ int b[8];\n//@ launch k<<<1, 8>>>(a, b, 4294967295u);"),
    "a difference of 64 bits that is made shorter":
        (_kernel("int* a, int* b, unsigned v", "b[t] = 1; long i = (long)t - v; if (v > 5000 && (int)i > 0) a[0] = t;"),
         "//@ object __device__ int a[2];\n//@ object __device__ int b[2];\n//@ launch k<<<1, 2>>>(a, b, 4294967295u);"),
    "a bit-field that is too short":
        ("union U { int raw; struct { int a : 20; int b : 12; } f; };" + _kernel("int* a, int n", "U u; u.raw = n * t; if (n > 0) a[u.f.a] = 1;"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a, 1048576);"),
    "bits that a shift loses":
        (_kernel("int* a, unsigned n", "if (n > 0) a[(threadIdx.x * n << 4) >> 4] = 1;"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a, 268435456);"),
    "a factor of 2^32 in a number that is made shorter":
        (_kernel("int* a", "long i = t; i = i * 4096 * 4096 * 256; a[(int)i] = 1;"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a);"),
    "factors that together pass the limits":
        (_kernel("int* a", "unsigned i = t * 32768u * 32768u * 4u; a[i] = 1;"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a);"),
    "atomic operations of two sizes":
        (_kernel("unsigned long long* a", "if (t % 2) atomicAdd((unsigned*)a, 1u); else atomicAdd(a, 1ull);"), None),
    "two sizes at another place":
        (_kernel("unsigned* a", "if (t % 2) atomicAdd(a + 1, 1u); else atomicAdd((unsigned long long*)a, 1ull);"), None),
    "an array of another type in the same shared memory":
        ("extern __shared__ int m[];" + _kernel("int n", "float* b = (float*)(m + n); if (t <= n) m[t] = 1; b[t] = 2.f;"), None),
    "halving of a block whose size is no power of two":
        ("" + _kernel("int* o", "__shared__ int s[1024]; s[t] = t; __syncthreads(); for (int d = blockDim.x / 2; d > 0; d /= 2) { if (t <= d) s[t] += s[t + d]; __syncthreads(); } o[t] = s[0];"),
         "//@ object __device__ int o[2];\n//@ launch k<<<1, 2>>>(o);"),
    "rows that are one too short":
        (_kernel("int* o", "__shared__ int s[64]; for (int j = 0; j < 2; ++j) s[(t / 4 + 2 * j) * 3 + t % 4] = t; o[t] = s[t];"),
         "//@ object __device__ int o[8];\n//@ launch k<<<1, 8>>>(o);"),
    "bits under a mask of the launch":
        (_kernel("int* o, int n", "o[(t & n) + (t & ~n) / 2] = 1;"), "//@ object __device__ int o[8];\n//@ launch k<<<1, 4>>>(o, 2);"),
    "a turn that leaves before the second barrier":
        (_kernel("int* a, int n, int m", "__shared__ int s[1024]; for (int i = 0; i < n; ++i) { s[t] = i; if (i == m) break; __syncthreads(); a[t] = s[(t + 1) % blockDim.x]; __syncthreads(); } a[t] = s[(t + 1) % blockDim.x];"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a, 1, 0);"),
    "barriers of a loop that may have no turn":
        (_kernel("int* a, int n, int m", "__shared__ int s[1024]; for (int i = 0; i < n; ++i) { s[t] = i; for (int j = i; j < m; ++j) __syncthreads(); a[t] = s[(t + 1) % blockDim.x]; __syncthreads(); }"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a, 1, 0);"),
    "two buffers that one turn does not exchange":
        (_kernel("int* a, int n", "__shared__ int s[2][1024]; int c = 0; for (int i = 0; i < n; ++i) { s[c][t] = i; __syncthreads(); a[t] += s[c][(t + 1) % blockDim.x]; if (i != 1) c ^= 1; }"),
         "//@ object __device__ int a[2];\n//@ launch k<<<1, 2>>>(a, 3);"),
    "a counter that is set to 0 between two rounds":
        (_kernel("int* o, int n", "__shared__ int c; if (t == 0) c = 0; __syncthreads(); o[atomicAdd(&c, 1)] = t; if (t == n) atomicExch(&c, 0);"), None),
    "a stride to the other side":
        (_kernel("int* o, unsigned n", "for (unsigned i = threadIdx.x; i < n; i -= 2) o[i] = 1;"), "//@ object __device__ int o[3];\n//@ launch k<<<1, 3>>>(o, 3);"),
    "an address that each turn moves by too little":
        (_kernel("int* a, int n", "int* p = a + t; for (int j = 0; j < n; ++j) { *p = 1; p += blockDim.x - 1; }"),
         "//@ object __device__ int a[4];\n//@ launch k<<<1, 2>>>(a, 2);"),
    "an address that some turns move":
        (_kernel("int* a, int n", "int* p = a + t; for (int j = 0; j < n; ++j) { *p = 1; if (j != 1) p += blockDim.x; else p -= 1; }"),
         "//@ object __device__ int a[8];\n//@ launch k<<<1, 2>>>(a, 3);"),
    "an address that a turn takes back":
        (_kernel("int* a, int n", "int* p = a + t; for (int j = 0; j < n; ++j) { *p = 1; p += blockDim.x; if (j == 2) p = a; }"),
         "//@ object __device__ int a[8];\n//@ launch k<<<1, 2>>>(a, 4);"),
    "one of two arrays, by a number":
        (_kernel("int* a, int* b, int c", "int *p = c ? a : b, *q = c > 1 ? a : b; p[t] = 1; q[t + 1] = 2;"),
         "//@ object __device__ int a[3];\n//@ object __device__ int b[3];\n//@ launch k<<<1, 2>>>(a, b, 2);"),
    "wider numbers in one array":
        (_kernel("short* a", "a[t] = 1; *(int*)(a + (t & ~1)) = 2;"), None),
    "a case that falls through":
        (_kernel("int* o", "int i; switch (t % 4) { case 0: i = 0; break; case 1: i = 1; case 2: i = 2; break; default: i = 3; } o[t / 4 * 4 + i] = 1;"),
         "//@ object __device__ int o[4];\n//@ launch k<<<1, 4>>>(o);"),
}  # fmt: skip


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(13)
def test_what_races_at_some_launch_is_not_proved(tmp_path, name):
    assert not is_proved(tmp_path, RACED[name][0], "gridDim.x == 1")


@pytest.mark.parametrize("name", [name for name, (_, launch) in RACED.items() if launch])
@pytest.mark.sampled(2)
def test_and_races_at_that_launch(tmp_path, name):
    text, launch = RACED[name]
    assert races(tmp_path, text, launch) == "violated"


#: The same a small change away, with a proof.
PROVED = {
    "addresses that turns exchange":
        _kernel("int* a, int* b, int n", "int *p = a + t, *q = b + t; for (int j = 0; j < n; ++j) { *p = *q; int* r = p; p = q; q = r; __syncthreads(); }"),
    "an address that each turn moves":
        _kernel("int* a, const int* b, int n", "int* p = a + t; for (const int* q = b; q < b + n; q += 1) { *p = *q; p += blockDim.x; }"),
    "an unsigned product in each row":
        _kernel("int* a, int m, int n", "int i = blockIdx.y * (m * blockDim.y) + threadIdx.y * m; for (int p = 0; p < m; ++p) if (t < n) a[(i + p) * n + t] = 1;"),
    "an unsigned difference that goes round":
        _kernel("int* a, unsigned v", "unsigned i = threadIdx.x - v; if (i < 8u) a[i] = t;"),
    "a shift that loses nothing":
        _kernel("int* a", "unsigned x = threadIdx.x << 12; a[x >> 12] = 1;"),
    "a bit-field that is long enough":
        "union U { int raw; struct { int a : 20; int b : 12; } f; };" + _kernel("int* a", "U u; u.raw = t; a[u.f.a] = 1;"),
    "atomic operations of one size":
        _kernel("unsigned long long* a", "if (t % 2) atomicAdd((unsigned*)a, 1u); else atomicAdd((unsigned*)a + 1, 1u);"),
    "a turn that leaves out both barriers":
        _kernel("int* a, int n, int m", "__shared__ int s[1024]; for (int i = 0; i < n; ++i) { s[t] = a[t]; if (i == m) continue; __syncthreads(); a[t] = s[(t + 1) % blockDim.x]; __syncthreads(); }"),
    "three buffers and one barrier":
        _kernel("int* a, int n", "__shared__ int s[3][1024]; int c = 0; for (int i = 0; i < n; ++i) { s[c][t] = i; __syncthreads(); a[t] += s[(c + 2) % 3][(t + 1) % blockDim.x]; c = (c + 1) % 3; }"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(4)
def test_what_never_races_is_proved(tmp_path, name):
    assert race_free(tmp_path, PROVED[name], "gridDim.x == 1") == "holds"


def test_a_block_has_no_more_threads_than_the_kernel_says(tmp_path):
    text = "__global__ void __launch_bounds__({}) k(int* a) {{ a[threadIdx.x % 32 + 32 * blockIdx.x] = 1; }}"
    assert race_free(tmp_path, text.format("8 * 4, 2")) == "holds"
    assert race_free(tmp_path, text.format("33")) == "violated"


def test_a_product_that_goes_round_is_an_assumption_that_is_not_so(tmp_path):
    """``(t - 2u) * v`` is below what a register holds, and above 0 there."""
    (file := tmp_path / "k.cu").write_text(
        "__global__ void k(int* a, int* b, unsigned v) { b[threadIdx.x] = 1; unsigned i = (threadIdx.x - 2u) * v; "
        "if (v > 1u << 31 && threadIdx.x < 2 && (int)i > 0) a[0] = 1; }\n//@ every k where gridDim.x == 1;\n//@ expect race_free;\n"
    )
    (outcome,) = check([file], Settings(engine="embedded"))
    (found,) = [c for r in outcome.reports for c in r.checks]
    assert "a number passes -2147483648" in (found.reason or ""), found.reason
