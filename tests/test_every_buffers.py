"""All launches: addresses that turns of a loop hand on to each other."""

from __future__ import annotations

import pytest

from tests.all_launches import is_proved, race_free, races

_KERNEL = """__global__ void k(int* a, int* b, int* c, int n) {
  int t = threadIdx.x, o = (t + 1) % blockDim.x; int* kept = c; BODY }"""
_WORDS = {
    "SYNC": "__syncthreads();",
    "TURNS": "for (int j = 0; j < n; ++j)",
    "STEP": "b[t] = a[o];",
    "SWAP": "{ int* was = a; a = b; b = was; }",
}
PROVED = {
    "two, where both are read": "TURNS { STEP SYNC c[t] = b[o]; SWAP b[t] = 1; SYNC c[t] = 0; } c[t] = b[o];",
    "the swap undone": "TURNS { STEP SYNC SWAP SWAP SWAP STEP }",
    "two": "TURNS { STEP SYNC SWAP }",
    "two, and what is read last": "TURNS { STEP SYNC SWAP } c[t] = a[o];",
    "two, the swap first": "TURNS { SWAP STEP SYNC }",
    "two, by a variable of the kernel": "TURNS { STEP SYNC kept = a; a = b; b = kept; }",
    "three": "TURNS { STEP SYNC int* was = a; a = b; b = c; c = was; }",
    "which one is last": "TURNS { STEP SYNC SWAP } if (n > 0) { a[t] = 1; c[t] = b[o]; }",
    "which one was written last": "TURNS { SYNC STEP SWAP } if (n > 0) a[t] = 1;",
    "in a loop of the thread": "b[t] = 1; SYNC TURNS { c[t] = a[o]; }",
}
RACED = {
    "what is kept is one of two": "TURNS { if (j == 1) kept[o] = 2; STEP SYNC kept = a; a = b; b = kept; }",
    "two, without a barrier": "TURNS { STEP SWAP }",
    "which one was read last": "TURNS { SYNC STEP SWAP } if (n > 0) b[t] = 1;",
    "three, one of them late": "TURNS { STEP int* was = a; a = b; b = c; c = was; }",
}
NOT_PROVED = {
    "two of the thread": "int x, y, *p = &x, *q = &y; x = y = 0; TURNS { a[t * (1 - x)] = 1; p[0] = 1; int* was = p; p = q; q = was; }",
    "in a loop in a loop": "TURNS { for (int i = 0; i < n; ++i) { STEP SYNC SWAP } STEP SYNC SWAP }",
    "one from the second turn on": "TURNS { STEP SYNC a = b; }",
    "exchanged in some turns": "TURNS { STEP SYNC if (j != 1) SWAP if (j == 1) b[o] = 1; }",
    "exchanged by some threads": "TURNS { STEP SYNC if (t % 2) SWAP }",
    "another one for each thread": "if (t % 2) SWAP TURNS { STEP SYNC SWAP }",
    "what is read last, without a barrier": "TURNS { SYNC STEP SWAP } c[t] = a[o];",
    "which one is last, both read": "TURNS { STEP SYNC SWAP } a[t] = 1; c[t] = a[o];",
}
_CONDITION = "gridDim.x == 1 && n < 1000"


def _text(body: str) -> str:
    for word, meaning in _WORDS.items():
        body = body.replace(word, meaning)
    return f"{_KERNEL.replace('BODY', body)}\n"


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_buffers_that_are_exchanged_are_followed(tmp_path, name):
    assert race_free(tmp_path, _text(PROVED[name]), _CONDITION) == "holds"


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(1)
def test_the_wrong_sibling_is_shown_by_a_launch(tmp_path, name):
    assert race_free(tmp_path, _text(RACED[name]), _CONDITION) == "violated"


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_is_not_told_is_not_proved(tmp_path, name):
    assert not is_proved(tmp_path, _text(NOT_PROVED[name]), _CONDITION)


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_no_small_launch_of_what_is_proved_has_a_race(tmp_path, name):
    objects = "".join(f"//@ object __device__ int {name}[16];\n" for name in "abc")
    for threads, n in ((2, 1), (2, 2), (3, 3)):
        launch = f"{objects}//@ launch k<<<1, {threads}>>>(a, b, c, {n});"
        assert races(tmp_path, _text(PROVED[name]), launch) == "holds"
