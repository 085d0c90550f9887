"""All launches that meet `unique(p)`, the elements of an array differ, or `pow2(n)`."""

from __future__ import annotations

import itertools
import random

import pytest

from scopec.session.check import Settings, check
from tests.all_launches import is_proved, race_free, races, uniform

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def _kernel(body: str, parameters: str = "int* a, const int* p, const int* q, int n") -> str:
    return f"__global__ void k({parameters}) {{ {_I} {body} }}"


PROVED = {
    "a scatter": ("if (i < n) a[p[i]] = i;", "unique(p)"),
    "an exchange by it": ("if (i < n) a[p[i]] = a[p[i]] + 1;", "unique(p) && n < 9"),
    "two to a place": ("if (i < n) { a[2 * p[i]] = i; a[2 * p[i] + 1] = i; }", "unique(p)"),
    "a turn of a loop": ("for (int j = i; j < n; j += gridDim.x * blockDim.x) a[p[j]] = j;", "unique(p)"),
    "by two arrays": ("if (i < n) a[q[p[i]]] = i;", "unique(p) && unique(q)"),
}

NOT_PROVED = {
    "a scatter": ("if (i < n) a[p[i]] = i;", "n > 0"),
    "by another array": ("if (i < n) a[q[i]] = i;", "unique(p)"),
    "two threads by one element": ("if (i < n) a[p[i / 2]] = i;", "unique(p)"),
    "half of it": ("if (i < n) a[p[i] / 2] = i;", "unique(p)"),
    "by one of two": ("if (i < n) a[q[p[i]]] = i;", "unique(p)"),
    "a neighbour": ("if (i < n) a[p[i]] = a[p[i + 1]];", "unique(p)"),
    "not so": ("if (i < n) a[p[i]] = i;", "!unique(p)"),
    "numbers of another size": ("if (i < n) a[((const short*)p)[i]] = i;", "unique(p)"),
    "what the kernel writes": ("((int*)p)[i] = 0; __syncthreads(); a[p[i]] = i;", "unique(p)"),
}


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_what_elements_that_differ_keep_apart_is_proved(tmp_path, name):
    body, where = PROVED[name]
    assert is_proved(tmp_path, _kernel(body), where)


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_they_do_not_keep_apart_is_not_proved(tmp_path, name):
    body, where = NOT_PROVED[name]
    assert not is_proved(tmp_path, _kernel(body), where)


def test_a_launch_that_does_not_meet_it_shows_nothing(tmp_path):
    assert race_free(tmp_path, _kernel("if (i < n) a[p[i / 2]] = i;"), "unique(p)") == "unknown"
    assert uniform(tmp_path, _kernel("if (p[i] == 1) return; __syncthreads();"), "unique(p)") == "unknown"


def test_a_power_of_two(tmp_path):
    text = _kernel("if (i < n && (n & (n - 1))) a[0] = 1; a[i + 1] = 2;")
    assert (is_proved(tmp_path, text, "pow2(n)"), is_proved(tmp_path, text, "n > 0")) == (True, False)


def test_a_parameter_of_that_name_is_meant(tmp_path):
    text = _kernel("if (i < unique) a[i] = 1;", "int* a, int unique")
    assert is_proved(tmp_path, text, "unique > 0")


@pytest.mark.parametrize("said", ["unique(p + 1)", "unique(f)", "unique(p, 1)"])
@pytest.mark.sampled(1)
def test_of_what_is_no_array_of_integers_it_is_not_asked(tmp_path, said):
    (file := tmp_path / "k.cu").write_text(
        f"{_kernel('a[i] = 1;', 'int* a, const int* p, const float* f')}\n//@ every k where {said};\n"
    )
    (outcome,) = check([file], Settings())
    assert not [c for r in outcome.reports for c in r.checks if c.verdict == "holds"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(1)
def test_no_contents_that_differ_race_of_what_is_proved_by_chance(tmp_path, seed):
    pick = random.Random(seed)
    index = pick.choice(("p[i]", "p[i] + 1", "3 - p[i]", "2 * p[i]", "p[i + 1]", "p[3 - i]"))
    other = pick.choice(("", f"if (i == {pick.choice((0, 3))}) a[7] = 1; "))
    text = _kernel(f"{other}a[{index}] = i;", "int* a, const int* p")
    if not is_proved(tmp_path, text, "unique(p) && gridDim.x == 1 && blockDim.x <= 3"):
        return
    for values in itertools.islice(itertools.permutations(range(5)), seed, 60, 9):
        fill = " ".join(f"p[{n}] = {value};" for n, value in enumerate(values))
        made = "int *a, *p; cudaMallocManaged(&a, 64); cudaMallocManaged(&p, 64);"
        main = f"int main() {{ {made} {fill} k<<<1, 3>>>(a, p); cudaDeviceSynchronize(); }}"
        assert races(tmp_path, text, main) == "holds", (text, main)
