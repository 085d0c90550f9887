"""All launches: floating-point numbers that decide over barriers and accesses; barriers of both branches."""

from __future__ import annotations

import pytest

from tests.all_launches import is_proved, race_free, uniform, verdicts

_ERROR = "__shared__ float e; if (t == 0) e = 1.f; __syncthreads(); for (int j = 0; j < n && e > f; ++j) { FIRST if (t == 0) e = s[0] * .5f; __syncthreads(); }"


def _text(body: str) -> str:
    return (
        "__global__ void k(float* o, const float* x, float f, int n) { __shared__ float s[64]; "
        f"int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; {body} }}"
    )


#: What decides over a barrier of all threads of a block: the same for these, and of each its own.
DECIDES = {
    "a parameter": ("f > 2.f", "f * t > 2.f"),
    "a number that is read": ("x[blockIdx.x] > 2.f", "x[i] > 2.f"),
    "a function of it": ("sqrtf(x[blockIdx.x] + f) > expf(f)", "sqrtf(x[i] + f) > expf(f)"),
    "an integer made of it": ("(int)ceilf(n / 2.5f) > 3", "(int)ceilf(t / 2.5f) > 3"),
    "a choice": ("(n > 3 ? f : 2.f * f) != 1.f", "(t > 3 ? f : 2.f * f) != 1.f"),
}


@pytest.mark.parametrize("name", DECIDES)
@pytest.mark.sampled(1)
def test_numbers_that_are_the_same_for_a_block_decide_alike(tmp_path, name):
    same, own = (_text(f"if ({condition}) __syncthreads(); o[i] = t;") for condition in DECIDES[name])
    assert uniform(tmp_path, same) == "holds"
    assert uniform(tmp_path, own) == "unknown"


@pytest.mark.sampled(0)
def test_turns_until_an_error_is_small(tmp_path):
    right, wrong = (_text(_ERROR.replace("FIRST", first)) for first in ("__syncthreads();", ""))
    assert verdicts(tmp_path, right) == {"race_free": "holds", "uniform": "holds"}
    assert race_free(tmp_path, wrong) == "violated"


@pytest.mark.parametrize("between", ["__syncthreads();", ""])
@pytest.mark.sampled(1)
def test_what_a_turn_makes_is_that_of_the_turn(tmp_path, between):
    body = "if (f > 2.f) { if (t == 0) s[0] = j; } else { if (t == 1) s[0] = j; }"
    text = _text(f"for (int j = 0; j < n; ++j) {{ f = f * f; {body} {between} }}")
    assert is_proved(tmp_path, text) == bool(between)


def test_what_a_turn_makes_of_a_number_of_the_thread_is_its_own(tmp_path):
    body = "if (f > 2.f) { if (t == 0) s[0] = j; } else { if (t == 1) s[0] = j; } __syncthreads();"
    assert not is_proved(tmp_path, _text(f"for (int j = 0; j < n; ++j) {{ {body} f = f - t; }}"))


BRANCHES = {
    "both branches": ("if (COND) { __syncthreads(); o[i] = 1; } else { __syncthreads(); o[i] = 2; }", "t + n > 2", "n > 2"),
    "a switch": ("switch (COND) { case 0: __syncthreads(); case 1: __syncthreads(); }", "t", "n"),
    "the second of two": ("if (x[i] > f) n = 1; if (n == 1) __syncthreads(); if (COND) __syncthreads();", "t < 5", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", BRANCHES)
def test_a_barrier_that_lanes_leave_out_for_another_is_shown(tmp_path, name):
    body, own, same = BRANCHES[name]
    assert uniform(tmp_path, _text(body.replace("COND", own))) == "violated"
    if same:
        assert uniform(tmp_path, _text(body.replace("COND", same))) == "holds"
