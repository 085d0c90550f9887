"""All launches: ``^``, ``&`` and ``|`` of two numbers of which none is a constant."""

from __future__ import annotations

import itertools

import pytest
import z3

from scopec.engines.z3 import bits
from scopec.program.anythread import mul, symbol
from tests.all_launches import is_proved, race_free, races
from tests.samples import EVERY

_SORT = """__global__ void k(int* a, int n) { extern __shared__ int s[]; int t = threadIdx.x; s[t] = a[t]; __syncthreads();
  for (int size = 2; size <= blockDim.x; size *= 2) for (int j = size / 2; j > 0; j /= 2) {
    int x = t ^ j; if (GUARD) { bool up = (t & size) == 0; int one = s[t], other = s[x];
      if (up == (one > other)) { s[t] = other; s[x] = one; } } __syncthreads(); }
  a[blockIdx.x * blockDim.x + t] = s[t]; }"""
_MERGE = """__global__ void k(int* a, int n) { extern __shared__ int s[]; int t = threadIdx.x;
  for (int stride = FROM; stride > 0; stride >>= 1) { int at = 2 * t - (t & MASK); __syncthreads();
    if (s[at] > s[at + stride]) { int kept = s[at]; s[at] = s[at + stride]; s[at + stride] = kept; } } }"""
_PARTNER = "__global__ void k(int* a, int n) { extern __shared__ int s[]; int t = threadIdx.x; STATEMENT }"

PROVED = {
    "a bitonic sort": _SORT.replace("GUARD", "x > t"),
    "a bitonic sort, downwards": _SORT.replace("GUARD", "t > x"),
    "a bitonic merge": _MERGE.replace("FROM", "512").replace("MASK", "(stride - 1)"),
    "a place of each partner": _PARTNER.replace("STATEMENT", "s[t ^ n] = t;"),
    "its own and the partner's": _PARTNER.replace("STATEMENT", "int x = n ^ t; if (x < t) { s[x] = t; s[t] = x; }"),
    "all bits, where nothing is left": _PARTNER.replace("STATEMENT", "int d = 4 >> n; if (d == 0) s[t & (d - 1)] = t;"),
    "bits of one, and of both": _PARTNER.replace("STATEMENT", "s[(t | n) + (t & n)] = t;"),
}
RACED = {
    "the partner is read": _PARTNER.replace("STATEMENT", "s[t] = s[t ^ n];"),
}
NOT_PROVED = {
    "both partners exchange": _SORT.replace("GUARD", "true"),
    "a merge by the bit of the stride": _MERGE.replace("FROM", "2").replace("MASK", "stride"),
    "a merge by strides of any number": _MERGE.replace("FROM", "n").replace("MASK", "(stride - 1)"),
    "a merge by thirds": _MERGE.replace("FROM", "64").replace("MASK", "(stride - 1)").replace(">>= 1", "/= 3"),
    "some bits": _PARTNER.replace("STATEMENT", "s[t & n] = t;"),
    "more bits": _PARTNER.replace("STATEMENT", "s[t | n] = t;"),
    "a partner by the thread": _PARTNER.replace("STATEMENT", "s[t ^ (t / 2)] = t; s[t] = 1;"),
    "partners by two numbers": _PARTNER.replace("STATEMENT", "s[t ^ (t % 2 ? n : 1)] = t;"),
}
#: Numbers of which all are tried.
SMALL = range(-3, 10 if EVERY else 6)
_CONDITION = "gridDim.x == 1 && n >= 0 && n < 512"


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(4)
def test_partners_are_each_others(tmp_path, name):
    assert race_free(tmp_path, PROVED[name], _CONDITION) == "holds"


@pytest.mark.parametrize("name", RACED)
def test_the_wrong_sibling_is_shown_by_a_launch(tmp_path, name):
    assert race_free(tmp_path, RACED[name], _CONDITION) == "violated"


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_bits_do_not_tell_is_not_proved(tmp_path, name):
    assert not is_proved(tmp_path, NOT_PROVED[name], _CONDITION)


@pytest.mark.parametrize("name", ["a bitonic sort", "its own and the partner's"])
@pytest.mark.sampled(1)
def test_no_small_launch_of_what_is_proved_has_a_race(tmp_path, name):
    for threads, n in ((2, 1), (4, 2), (3, 3)):
        launch = f"//@ object __device__ int a[64];\n//@ launch k<<<1, {threads}, 256>>>(a, {n});"
        assert races(tmp_path, PROVED[name], launch) == "holds"


def _of(op: str, left: int, right: int) -> bits.Bits:
    value = left ^ right if op == "xor" else left & right
    return bits.Bits(op, *map(z3.IntVal, (left, right, value)))


@pytest.mark.parametrize("op", ["xor", "mask"])
@pytest.mark.sampled(1)
def test_what_is_stated_holds_of_all_small_numbers(op):
    for left, right in itertools.product((*SMALL, 31, 32, 1023), repeat=2):
        for fact in bits.facts([_of(op, left, right)], exact=True):
            assert z3.is_true(z3.simplify(fact)), (left, right, fact)


def test_what_is_stated_of_two_holds_of_all_small_numbers():
    for numbers in itertools.product(range(-2, 4 if EVERY else 3), repeat=4):
        for fact in bits.facts([_of("xor", *numbers[:2]), _of("xor", *numbers[2:])], exact=False):
            assert z3.is_true(z3.simplify(fact)), (numbers, fact)


def test_a_product_is_the_same_in_each_call() -> None:
    """Its factors are in the order in which they were made, not in that of their addresses."""
    made = [symbol(f"product {n}", "launch") for n in range(40)]
    for first, then in itertools.pairwise(made):
        assert mul(then, first) is mul(first, then)
        assert mul(then, first).args == (first, then)
