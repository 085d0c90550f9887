"""All launches: an index taken apart by ``/`` and ``%`` with unknown numbers, and put together from digits."""

from __future__ import annotations

import itertools
import random

import pytest
import z3

from scopec.engines.z3.terms import Translation, stated
from scopec.frontends.clang.anythread import numbers
from scopec.frontends.clang.anythread.values import Names
from scopec.program import anythread as terms
from scopec.program.anythread import Term, add, const, linear, mul, symbol
from scopec.sizes.polynomials import grouped
from scopec.sizes.questions import Question, Relation
from tests.all_launches import races, verdicts

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_XYZ = "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;"
_T = "int t = threadIdx.y * blockDim.x + threadIdx.x;"


def _kernel(body: str) -> str:
    return f"__global__ void k(int* o, int n, int h, int m) {{ {body} }}"


#: Bodies with the condition, and what turns each into one that races: off by one, mostly.
DIGITS = {
    "row and column": ("", f"{_I} if (i < m) {{ int r = i / n, c = i % n; o[r * n + c] = 1; }}", ("r * n", "r * (n - 1)")),
    "turned round": ("n > 0 && h > 0", f"{_I} if (i < n * h) {{ int r = i / n, c = i % n; o[c * h + r] = 1; }}", ("i < n * h", "i <= n * h")),
    "rows with a gap": ("n > 0 && h >= n", f"{_I} if (i < m) o[i / n * h + i % n] = 1;", ("h >= n", "h >= n - 1")),
    "planes in one sum": ("", f"{_XYZ} if (x < n && y < h && z < m) o[z * h * n + y * n + x] = 1;", ("y < h", "y <= h")),
    "three digits": ("n > 0 && h > 0", f"{_I} if (i < m) {{ int z = i / (h * n), y = i / n % h, x = i % n; o[(z * h + y) * n + x] = 1; }}", ("% h", "% (h + 1)")),
    "three digits, by rests": ("n > 0 && h > 0", f"{_I} if (i < m) {{ int z = i / (h * n), q = i % (h * n); o[z * h * n + q / n * n + q % n] = 1; }}", ("z * h * n", "z * h * (n - 1)")),
    "three digits, mixed": ("n > 0 && h > 0", f"{_I} if (i < m) {{ int y = i % (h * n) / n, x = i % n; o[i / (h * n) * (h * n) + y * n + x] = 1; }}", ("i / (h * n) *", "i / (h * n + n) *")),
    "digits of a block": ("n > 0", "int b = blockIdx.x / n, c = blockIdx.x % n; for (int j = threadIdx.x; j < h; j += blockDim.x) o[(b * n + c) * h + j] = 1;", ("j < h", "j <= h")),
    "digits of a thread": ("gridDim.x == 1 && gridDim.y == 1", f"{_T} o[t % blockDim.x * blockDim.y + t / blockDim.x] = 1;", ("* blockDim.y", "* (blockDim.y - 1)")),
    "digits of a stride": ("n > 0", f"{_I} for (; i < m; i += gridDim.x * blockDim.x) o[i / n * n + i % n] = 1;", ("* n", "* (n - 1)")),
    "rows of tiles": ("n > 0 && blockDim.x == 8", "int t = threadIdx.x, r = t / 4, c = t % 4; __shared__ int s[2][4]; s[r][c] = t; __syncthreads(); o[(blockIdx.x * 2 + r) * 4 + c] = s[r][c];", ("* 2", "* 1")),
    "tiles of unknown width": ("n > 0", f"{_I} if (i < m) {{ int q = i / (4 * n), y = i / n % 4; o[(q * 4 + y) * n + i % n] = 1; }}", ("q * 4", "q * 3")),
}  # fmt: skip


@pytest.mark.parametrize("name", DIGITS)
@pytest.mark.sampled(1)
def test_digits_put_together_are_the_number(tmp_path, name):
    condition, body, _ = DIGITS[name]
    assert verdicts(tmp_path, _kernel(body), condition)["race_free"] == "holds"


@pytest.mark.parametrize("name", DIGITS)
@pytest.mark.sampled(1)
def test_digits_off_by_one_are_shown_by_a_launch(tmp_path, name):
    condition, body, (good, bad) = DIGITS[name]
    assert good in condition + body
    condition, body = condition.replace(good, bad), body.replace(good, bad)
    assert verdicts(tmp_path, _kernel(body), condition)["race_free"] == "violated"


#: Numbers below 0 are rounded to 0, so that two of them meet.
BELOW = {
    "an index below 0": f"{_I} o[(i - 1) / 2 * 2] = 1; if (i > 2) o[i * 64] = 1;",
    "a rest below 0": "int i = threadIdx.x; i -= 2; if (i % 2 == -1) o[0] = 1; if (i % 2 == 1) o[0] = 2;",
    "a divisor below 0": "int i = threadIdx.x; if (n < 0) o[i / n + 8] = 1;",
}


@pytest.mark.parametrize("name", BELOW)
@pytest.mark.sampled(1)
def test_what_is_rounded_to_zero_meets_there(tmp_path, name):
    assert verdicts(tmp_path, _kernel(BELOW[name]), "gridDim.x == 1")["race_free"] != "holds"


_LAUNCHES = [(name, shape, n) for name in DIGITS for shape in ("1, 4", "2, 3", "3, 2", "3, 8") for n in (1, 2, 3)
             if "blockDim" not in DIGITS[name][0] and "gridDim" not in DIGITS[name][0]]  # fmt: skip


@pytest.mark.parametrize(("name", "shape", "n"), _LAUNCHES)
@pytest.mark.sampled(3)
def test_no_launch_of_digits_has_a_race(tmp_path, name, shape, n):
    """The concrete engine, at small sizes that the condition admits."""
    one = f"//@ object __device__ int o[256];\n//@ launch k<<<{shape}>>>(o, {n}, {n + 1}, 11);"
    assert races(tmp_path, _kernel(DIGITS[name][1]), one) == "holds"


# ------------------------------------------------------------------ the forms

_A, _B, _C, _D = (symbol(name, "thread") for name in "abcd")
_SYMBOLS = (_A, _B, _C, _D, symbol("n", "launch"), symbol("h", "launch"))


def _at(term: Term, by: dict[Term, int]) -> int:
    found = terms.substituted(term, {one: const(value) for one, value in by.items()})
    assert found.op == "const", found
    return found.value


@pytest.mark.parametrize("opcode", ["sdiv", "srem"])
def test_signed_quotients_are_those_of_cxx(opcode):
    made = numbers.arithmetic(opcode, _A, _B, 32, Names())
    for left, right in itertools.product(range(-7, 8), range(-4, 5)):
        if right:
            quotient = abs(left) // abs(right) * (1 if left * right >= 0 else -1)
            expected = quotient if opcode == "sdiv" else left - quotient * right
            assert _at(made, {_A: left, _B: right}) == expected, (left, right)


def _random(of: random.Random, depth: int) -> Term:
    if not depth or of.random() < 0.2:
        return of.choice([*_SYMBOLS, const(of.randint(-3, 3))])
    return of.choice([add, mul])(_random(of, depth - 1), _random(of, depth - 1))


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.sampled(40)
def test_a_sum_with_its_factors_taken_out_is_the_same_number(seed):
    of = random.Random(seed)
    term = _random(of, 5)
    factors, constant = linear(term)
    by = {one: of.randint(-4, 4) for one in _SYMBOLS}
    assert _at(grouped(factors), by) + constant == _at(term, by)


def test_sums_that_are_written_otherwise_have_one_form():
    n, h = symbol("n", "launch"), symbol("h", "launch")
    sums = [
        add(add(mul(mul(_A, h), n), mul(_B, n)), _C), add(mul(add(mul(_A, h), _B), n), _C),
        add(add(mul(_A, mul(h, n)), mul(_B, n)), _C),
    ]  # fmt: skip
    assert len({grouped(linear(one)[0]) for one in sums}) == 1


@pytest.mark.parametrize("seed", range(16))
def test_the_laws_of_products_and_quotients_hold_of_all_numbers(seed):
    """With a number for each symbol, and what products and quotients are then, no law is broken."""
    of = random.Random(seed)
    a, b, n, h = _A, _B, symbol("n", "launch"), symbol("h", "launch")
    whole = mul(n, h)
    used = [
        mul(a, n), mul(b, n), mul(a, h), terms.div(a, n), terms.mod(a, h), terms.div(a, whole), terms.div(b, whole),
        terms.div(terms.div(a, n), h), terms.div(terms.mod(a, whole), h), terms.mod(terms.mod(a, whole), h), terms.div(a, terms.negative(n)), terms.div(a, mul(const(4), n)), mul(terms.div(b, n), n),
    ]  # fmt: skip
    sum_ = terms.total(dict.fromkeys(used, 1))
    question = Question(True, (), (Relation("apart by", sum_, sum_, ((-1 << 40, 1 << 40),)),))
    translation = Translation(True, frozenset(), exact=False)
    said = stated(translation, question, exact=False)
    solver = z3.Solver()
    solver.add(*said.assertions)
    for made in said.symbols.values():
        solver.add(made == of.randint(-9, 9))
    for leaf in translation.leaves(translation.of(sum_, 1)[1] | translation.of(sum_, 2)[1]):
        if leaf.factors is not None:
            left, right = leaf.factors
            solver.add(leaf.made == left * right)
    assert solver.check() == z3.sat
