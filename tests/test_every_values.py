"""All launches: structures by value, addresses as numbers, and conditions that a proof does not need."""

from __future__ import annotations

import pytest

from tests.all_launches import is_proved, race_free, races

_T = "int t = threadIdx.x;"
_P = "struct P { int x, y; };"


def _kernel(body: str, before: str = "") -> str:
    return f"{before}__global__ void k(int* a, int n) {{ {_T} {body} }}"


_MADE = f"{_P}__device__ P made(int x, int y) {{ return P{{x, y}}; }}"
_MOVED = f"{_P}__device__ P moved(P p) {{ return P{{p.x + p.y, p.y}}; }}"
_ROWS = "struct Q { int v[2]; };__device__ Q rows(int x, int y) { return Q{{x, y}}; }"

_CALLED = """
__device__ int own(int x) { return x; }
__device__ int twice(int x) { return 2 * x; }
__device__ int half(int x) { return x / 2; }
__device__ void put(int* at, int x) { *at = x; }
__device__ void nothing(int*, int) {}
__device__ void other(void (*f)(int*, int), int* at, int x) { f(at, x); }
"""

#: A kernel that no launch makes race, and beside it one that races at a launch.
PAIRS = {
    "a structure that a function returns": (
        _kernel("P p = made(t, 2 * t + 1); a[p.x + p.y] = 1;", _MADE),
        _kernel("P p = made(t, 1 - t); a[p.x + p.y] = 1;", _MADE)),
    "one of two structures": (
        _kernel("P p; if (t > 1) p = made(t - 1, 2); else p = made(t, 0); a[2 * t + p.y / 2] = 1;", _MADE),
        _kernel("P p; if (t > 1) p = made(t - 1, 2); else p = made(t, 0); a[p.x] = 1;", _MADE)),
    "a structure that turns change": (
        _kernel("P p{t, int(blockDim.x)}; for (int i = 0; i < n; ++i) { a[p.x] = 1; p = moved(p); }", _MOVED),
        _kernel("P p{t, 1}; for (int i = 0; i < n; ++i) { a[p.x] = 1; p = moved(p); }", _MOVED)),
    "the difference of two addresses": (
        _kernel("int* p = a + t; a[p - a] = 1;"),
        _kernel("int* p = a + t; a[(p - a) / 2] = 1;")),
    "an address in shared memory less where that begins": (
        _kernel("__shared__ int s[1024]; int* p = s + t; s[p - s] = 1;"),
        _kernel("__shared__ int s[1024]; int* p = s + t; s[(p - s) / 2] = 1;")),
    "one member of a structure that a function returns": (
        _kernel("P p = made(t, 0); a[p.x] = 1;", _MADE),
        _kernel("P p = made(0, t); a[p.x] = 1;", _MADE)),
    "one element of an array in a structure that a function returns": (
        _kernel("Q q = rows(t, 0); a[q.v[0]] = 1;", _ROWS),
        _kernel("Q q = rows(0, t); a[q.v[0]] = 1;", _ROWS)),
    "one of two addresses as a number": (
        _kernel("int* p = n > 3 ? a + 2 * t : a + t; a[((size_t)p - (size_t)a) / 4] = 1;"),
        _kernel("int* p = n > 1 ? a + t / 2 : a + t; a[((size_t)p - (size_t)a) / 4] = 1;")),
    "the other one": (
        _kernel("int* p = n > 3 ? a + t : a + 2 * t; a[((size_t)p - (size_t)a) / 4] = 1;"),
        _kernel("int* p = n > 3 ? a + t : a + t / 2; a[((size_t)p - (size_t)a) / 4] = 1;")),
    "two addresses made of numbers": (
        _kernel("*(int*)((size_t)a + 8 * t + 4) = 1; *(int*)((size_t)a + 8 * t) = 2;"),
        _kernel("*(int*)((size_t)a + 8 * t + 8) = 1; *(int*)((size_t)a + 8 * t) = 2;")),
    "an address of shared memory made of a number": (
        _kernel("__shared__ int s[1024]; *(int*)((size_t)s + 4 * t) = 1; *(int*)((size_t)a + 4 * (t + 1)) = 2;"),
        _kernel("__shared__ int s[1024]; *(int*)((size_t)s + 4 * t) = 1; *(int*)((size_t)s + 4 * (t + 1)) = 2;")),
    "a product of an int with a large constant": (
        _kernel("a[t * 70000 + n] = 1;"),
        _kernel("a[t / 2 * 70000 % 16] = 1;")),
    "a call through a pointer to one of two functions": (
        _kernel("auto f = n > 3 ? own : twice; a[f(t)] = 1;", _CALLED),
        _kernel("auto f = n > 3 ? own : half; a[f(t)] = 1;", _CALLED)),
    "a call through a pointer that another function has, and what it writes": (
        _kernel("int x = t; other(n > 3 ? put : nothing, &x, 2 * t); if (n <= 3 || x > t) a[x] = 1;", _CALLED),
        _kernel("int x = t; other(n > 1 ? put : nothing, &x, t / 2); a[x] = 1;", _CALLED)),
    "an address made of a number": (
        _kernel("*(int*)((size_t)a + 4 * t) = 1;"),
        _kernel("*(int*)((size_t)a + 4 * (t / 2)) = 1;")),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.sampled(2)
def test_a_value_is_followed(tmp_path, name):
    right, wrong = PAIRS[name]
    assert race_free(tmp_path, right, "gridDim.x == 1") == "holds"
    assert not is_proved(tmp_path, wrong, "gridDim.x == 1")
    assert races(tmp_path, wrong, "//@ object __device__ int a[16];\n//@ launch k<<<1, 4>>>(a, 2);") == "violated"


#: Kernels that race where addresses have some numbers, of which nothing is known; each with which launches.
ANYWHERE = {
    "an array that begins at an odd place": (_kernel("a[t + 1] = 1; if ((size_t)a % 16 == 4) a[0] = 1;"), "gridDim.x == 1"),
    "a variable of each thread": (_kernel("int x = n; a[t + 1] = x; if ((size_t)&x / 16 % 1024 == t) a[0] = 1;"), "gridDim.x == 1"),
    "shared memory of each block": (_kernel("__shared__ int s[2]; s[t % 2] = 1; if (t == 0 && (size_t)s / 1024 == blockIdx.x) a[0] = 1;"), "blockDim.x <= 2"),
    "two addresses in a sum": (_kernel("__shared__ int s[2]; *(int*)((size_t)a + (size_t)s + 4 * t) = 1;"), "gridDim.x == 1"),
    "twice an address": (_kernel("*(int*)(2 * (size_t)a + 4 * t) = 1;"), "gridDim.x == 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", ANYWHERE)
def test_of_an_address_as_a_number_nothing_is_known(tmp_path, name):
    text, where = ANYWHERE[name]
    assert not is_proved(tmp_path, text, where)


def test_one_structure_that_is_known_by_halves(tmp_path):
    """What is written as a structure is read as its members, and as other numbers not at all."""
    text = _kernel("P p = made(t, t); long long both = *(long long*)&p; a[both] = 1;", _MADE)
    assert not is_proved(tmp_path, text, "gridDim.x == 1")


_VOLUME = """
__global__ void k(long n, const int* col, int width, int height, int depth, int kernel, int pad, int stride, int wide, int high, int deep, int dilation, int* volume) {
    for (long i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int sum = 0, w = i % width + pad, h = i / width % height + pad, d = i / width / height % depth + pad;
        int extent = (kernel - 1) * dilation + 1;
        int w0 = w < extent ? 0 : (w - extent) / stride + 1, w1 = min(w / stride + 1, wide);
        int h0 = h < extent ? 0 : (h - extent) / stride + 1, h1 = min(h / stride + 1, high);
        int d0 = d < extent ? 0 : (d - extent) / stride + 1, d1 = min(d / stride + 1, deep);
        for (int z = d0; z < d1; ++z)
            for (int y = h0; y < h1; ++y)
                for (int x = w0; x < w1; ++x) {
                    long p = w - x * stride, q = h - y * stride, r = d - z * stride;
                    if (p % dilation == 0 && q % dilation == 0 && r % dilation == 0)
                        sum += col[((((r / dilation) * kernel + q / dilation) * kernel + p / dilation) * high + y) * wide + x];
                }
        volume[INDEX] = sum;
    }
}
"""


def test_what_a_proof_does_not_need_is_left_out_of_its_question(tmp_path):
    """The quotients and products by which a volume is read say nothing of where it is written."""
    assert race_free(tmp_path, _VOLUME.replace("INDEX", "i")) == "holds"


@pytest.mark.sampled(0)
def test_what_is_left_out_proves_nothing_of_another_index(tmp_path):
    assert not is_proved(tmp_path, _VOLUME.replace("INDEX", "i / 2"))


_STRANGE = "__global__ void k(int* a, int (*f)(int), int rows[][4]) { int t = threadIdx.x; rows[t / STEP][1] = 1; if (f) a[t] = 1; }"


def test_a_condition_may_be_of_a_kernel_with_addresses_of_functions_and_of_rows(tmp_path):
    where = "gridDim.x == 1 && f != nullptr && rows != nullptr"
    assert race_free(tmp_path, _STRANGE.replace("STEP", "1"), where) == "holds"
    assert not is_proved(tmp_path, _STRANGE.replace("STEP", "2"), where)
