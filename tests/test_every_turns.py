"""All launches: numbers that turns of loops halve, double, exchange or read; trees, scans, buffers, flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.all_launches import is_proved, race_free, races, uniform, verdicts

_HEAD = (
    "__global__ void k(const int* a, int* b, int n) { extern __shared__ int s[]; int t = threadIdx.x, D = blockDim.x; "
)
_WORDS = {
    "SYNC": "__syncthreads();",
    "BEGIN": "s[t] = a[t]; __syncthreads();",
    "END": "if (t == 0) b[blockIdx.x] = s[0];",
    "HALVING": "for (int d = D / 2; d > 0; d >>= 1)",
    "DOUBLING": "for (int d = 1; d < D; d *= 2)",
    "ADD": "s[t] += s[t + d];",
    "TURNS": "for (int j = 0; j < n; ++j)",
    "OTHER": "s[1 + (t + 1) % D]",
}

PROVED = {
    "a tree": "BEGIN HALVING { if (t < d) ADD SYNC } END",
    "a tree of quotients": "BEGIN for (int d = D / 2; d > 0; d /= 2) { if (t < d) ADD SYNC } END",
    "a tree of unsigned numbers": "BEGIN for (unsigned d = blockDim.x / 2; d; d >>= 1) { if (t < d) ADD SYNC } END",
    "a tree, the barrier first": "s[t] = a[t]; HALVING { SYNC if (t < d) ADD } END",
    "a tree of widths": "BEGIN for (int w = D; w > 1;) { int d = (w + 1) / 2; if (t + d < w) ADD SYNC w = d; } END",
    "a tree upwards": "BEGIN DOUBLING { if (t % (2 * d) == 0 && t + d < D) ADD SYNC } END",
    "a tree by shifts": "BEGIN for (int j = 0; (1 << j) < D; ++j) { int d = 1 << j; if (t % (2 * d) == 0 && t + d < D) ADD SYNC } END",
    "a tree of products": "BEGIN DOUBLING { int i = 2 * d * t; if (i + d < D) s[i] += s[i + d]; SYNC } END",
    "a tree for each row": "for (int i = blockIdx.x; i < n; i += gridDim.x) { s[t] = a[i]; SYNC HALVING { if (t < d) ADD SYNC } if (t == 0) b[i] = s[0]; }",
    "a scan": "BEGIN DOUBLING { int v = 0; if (t >= d) v = s[t - d]; SYNC s[t] += v; SYNC } END",
    "a scan with two buffers": "int p = 0, q = 1; BEGIN DOUBLING { p = 1 - p; q = 1 - p; s[p * D + t] = s[q * D + t] + (t >= d ? s[q * D + t - d] : 0); SYNC } b[blockIdx.x * D + t] = s[p * D + t];",
    "two buffers that a bit tells": "int p = 0; TURNS { s[p * D + t] = j; SYNC int v = s[p * D + (t + 1) % D]; p ^= 1; }",
    "three buffers": "int p = 0; TURNS { s[p * D + t] = j; SYNC int v = s[p * D + (t + 1) % D]; p = (p + 1) % 3; }",
    "the buffer after the loop": "int p = 0; TURNS { s[p * D + t] = j; SYNC p ^= 1; } b[blockIdx.x * D + t] = s[p * D + t];",
    "a number for all": "if (t == 0) s[0] = n; SYNC for (int j = 0; j < s[0]; ++j) { s[1 + t] = j; SYNC int v = OTHER; SYNC }",
    "as long as a flag is set": "if (t == 0) s[0] = 1; SYNC while (s[0]) { SYNC if (t == 0) s[0] = a[n]; SYNC s[1 + t] = 1; SYNC int v = OTHER; SYNC }",
    "as long as one votes for it": "while (__syncthreads_or(a[t])) { s[1 + t] = 1; SYNC int v = OTHER; SYNC }",
}  # fmt: skip

RACED = {
    "a tree with a barrier after the loop": "BEGIN HALVING { if (t < d) ADD } SYNC END",
    "a tree with one thread too many": "BEGIN HALVING { if (t <= d) ADD SYNC } END",
    "a tree with no barrier before": "s[t] = a[t]; HALVING { if (t < d) ADD SYNC } END",
    "a tree of odd widths": "BEGIN for (int w = D; w > 1;) { int d = w / 2; if (t + d < w) ADD SYNC w = d; } END",
    "a tree upwards, of too many": "BEGIN DOUBLING { if (t % d == 0 && t + d < D) ADD SYNC } END",
    "a tree of products, of too many": "BEGIN DOUBLING { int i = d * t; if (i + d < D) s[i] += s[i + d]; SYNC } END",
    "a tree for each row, all read": "for (int i = blockIdx.x; i < n; i += gridDim.x) { s[t] = a[i]; SYNC HALVING { if (t < d) ADD SYNC } int v = s[0]; }",
    "a scan with one barrier": "BEGIN DOUBLING { int v = 0; if (t >= d) v = s[t - d]; SYNC s[t] += v; } END",
    "a scan with one buffer": "int p = 0, q = 1; BEGIN DOUBLING { p = 1 - p; q = p; s[p * D + t] = s[q * D + t] + (t >= d ? s[q * D + t - d] : 0); SYNC } END",
    "two buffers, exchanged in some turns": "int p = 0; TURNS { s[p * D + t] = j; SYNC int v = s[p * D + (t + 1) % D]; if (j != 1) p ^= 1; }",
    "three buffers, two in use": "int p = 0; TURNS { s[p / 2 * D + t] = j; SYNC int v = s[p / 2 * D + (t + 1) % D]; p = (p + 1) % 3; }",
    "a flag, set while others read it": "if (t == 0) s[0] = 1; SYNC while (s[0]) { if (t == 0) s[0] = a[n]; SYNC }",
}  # fmt: skip

#: What must not be proved, though no launch may be found that shows a race.
NOT_PROVED = {
    "buffers by the thread": "int p = t % 2; TURNS { s[p * D + t] = j; SYNC int v = s[p * D + (t + 1) % D]; p ^= 1; }",
    "a number by the thread": "TURNS { s[1 + t] = j; SYNC int v = OTHER; if (s[t] == 7) SYNC }",
    "as long as a number of the thread says": "s[2 * t] = a[t]; SYNC while (s[2 * t] < n) { s[2 * t + 1] = 1; SYNC int v = s[2 * ((t + 1) % D) + 1]; SYNC s[2 * t] += 1; }",
    "places by the thread": "int p = t % 2; TURNS { s[p + t] = j; SYNC p ^= 1; }",
    "places by the thread later": "int p = 0; TURNS { s[p + t] = j; SYNC p = p * p + t % 2; }",
    "what a thread finds on its way out": "int p = 0; TURNS { SYNC p = t == 0; if (j == 2) break; p = 0; } s[p + t] = 1;",
    "two ways out of a turn": "int p = 0; TURNS { SYNC p = 1; if (j == 2 && t == 0) break; p = 0; if (j == 2) break; } s[p + t] = 1;",
    "what was found on the way out": "int f = 0; TURNS { f = 1; if (a[j] == 5) break; f = 0; } b[blockIdx.x * D + t + 1] = 1; if (f) b[0] = 1;",
    "what was found on the way out of barriers": "int f = 0; TURNS { SYNC f = 1; if (a[j] == 5) break; f = 0; } b[blockIdx.x * D + t + 1] = 1; if (f) b[0] = 1;",
    "two ways to halve a negative number": "int e = n; for (int d = n; d < -1; d >>= 1) { SYNC if (d != e) s[0] = 1; s[1 + t] = 1; e /= 2; }",
    "a vote in place of a barrier": "while (__syncthreads_or(a[t])) { s[1 + t] = 1; int v = OTHER; }",
}  # fmt: skip


def _text(body: str) -> str:
    for word, meaning in _WORDS.items():
        body = body.replace(word, meaning)
    return f"{_HEAD}{body} }}\n"


def _verdicts(folder: Path, body: str) -> dict[str, str]:
    return verdicts(folder, _text(body), "n < 1000")


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_what_turns_do_with_numbers_is_followed(tmp_path, name):
    assert _verdicts(tmp_path, PROVED[name]) == {"race_free": "holds", "uniform": "holds"}


@pytest.mark.parametrize("name", RACED)
def test_the_wrong_sibling_is_shown_by_a_launch(tmp_path, name):
    assert race_free(tmp_path, _text(RACED[name]), "n < 1000") == "violated"


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_is_not_known_is_not_proved(tmp_path, name):
    assert not is_proved(tmp_path, _text(NOT_PROVED[name]), "n < 1000")


@pytest.mark.sampled(0)
def test_barriers_that_racing_memory_decides_over_are_not_called_uniform(tmp_path):
    assert uniform(tmp_path, _text(RACED["a flag, set while others read it"]), "n < 1000") == "unknown"


@pytest.mark.parametrize("name", [name for name in PROVED if "flag" not in name])
@pytest.mark.sampled(1)
def test_no_small_launch_of_what_is_proved_has_a_race(tmp_path, name):
    """The concrete engine, with some sizes of blocks."""
    for launch, n in (("1, 2", 2), ("1, 3", 1), ("1, 4", 1), ("2, 2", 3)):
        objects = "//@ object __device__ int a[64];\n//@ object __device__ int b[64];\n"
        assert races(tmp_path, _text(PROVED[name]), f"{objects}//@ launch k<<<{launch}, 256>>>(a, b, {n});") == "holds"
