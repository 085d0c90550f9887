"""All launches: numbers and addresses that turns change, read after their loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.all_launches import is_proved, race_free, races, verdicts

_I = "int t = threadIdx.x, D = blockDim.x, s = gridDim.x * D, i = blockIdx.x * D + t;"

#: What has no race, and a twin that has one.
LAST: dict[str, tuple[str, str]] = {
    "the rest of a loop by four": (
        "for (; t + 4 * D < n; t += 4 * D) a[blockIdx.x * n + t] = 1; if (t < n) a[blockIdx.x * n + t] = 3;",
        "for (; t + 4 * D < n; t += 4 * D) a[blockIdx.x * n + t] = 1; if (t < n) a[blockIdx.x * n + t / 2] = 3;",
    ),
    "a loop that goes on where another one ended": (
        "for (; i < n / 2; i += s) a[i] = 1; for (; i < n; i += s) a[i] = 3;",
        "for (; i < n / 2; i += s) a[i] = 1; for (; i < n; i += D) a[i] = 3;",
    ),
    "a step that is left over": (
        "for (; i + s < n; i += 2 * s) a[i] = 1; if (i < n) a[i] = 3;",
        "for (; i + s < n; i += 2 * s) a[i] = 1; if (i < n) a[i / 2] = 3;",
    ),
    "an address": (
        "int* p = a + i; while (p < a + n) { *p = 1; p += s; } *p = 2;",
        "int* p = a + t; while (p < a + n) { *p = 1; p += s; } *p = 2;",
    ),
    "where a break left": (
        "int j; for (j = 0; j < n; ++j) if (b[i * n + j] > 0) break; if (n >= 0) a[i * (n + 1) + j] = 1;",
        "int j; for (j = 0; j < n; ++j) if (b[i * n + j] > 0) break; if (n >= 0) a[i * n + j] = 1;",
    ),
    "of a loop in a loop": (
        "int r = 0, c = 0; do { int j = 0; while (2 * j < r) ++j; c = j + r; } while (++r < n); if (n > 0) a[i * 2 * n + c] = 1;",
        "int r = 0, c = 0; do { int j = 0; while (2 * j < r) ++j; c = j + r; } while (++r < n); if (n > 0) a[i / 2 * 2 * n + c] = 1;",
    ),
    "a variable that has no value before": (
        "int j, r = 0; do { j = i * 4 + r % 4; ++r; } while (r < n); a[j] = 1;",
        "int j, r = 0; do { j = i / 2 * 4 + r % 4; ++r; } while (r < n); a[j] = 1;",
    ),
    "what each turn sets to one value": (
        "int j = 0, r = 0; do { if (b[r] > 3) a[i] = r; j = i; } while (++r < n); a[j] = 1;",
        "int j = 0, r = 0; do { if (b[r] > 3) a[i] = r; j = i / 2; } while (++r < n); a[j] = 1;",
    ),
    "what a turn sets where it ends": (
        "int j; for (int r = 0;; ++r) { if (b[r + i] == 3 || r >= n) { j = i; break; } } a[j] = 1;",
        "int j; for (int r = 0;; ++r) { if (b[r + i] == 3 || r >= n) { j = r; break; } } a[j] = 1;",
    ),
    "what a turn with a barrier sets": (
        "V int j, r = 0; do { __syncthreads(); j = D - 1 - t; v[j] = r; __syncthreads(); } while (++r < n); a[i] = v[j];",
        "V int j, r = 0; do { __syncthreads(); j = D - 1 - t; v[j] = r; } while (++r < n); a[i] = v[t];",
    ),
    "in a loop": (
        "for (int r = 0; r < n; ++r) { int j; for (j = i; j < n; j += s) a[j] = r; a[j] = r; }",
        "for (int r = 0; r < n; ++r) { int j; for (j = i; j < n; j += D) a[j] = r; a[j] = r; }",
    ),
    "the last step of a tree": (
        "__shared__ int v[64]; v[t] = 1; __syncthreads(); int d; for (d = D / 2; d > 1; d /= 2) { if (t < d) v[t] += v[t + d]; "
        "__syncthreads(); } if (t < d) v[t] += v[t + d]; __syncthreads(); a[i] = v[0];",
        "__shared__ int v[64]; v[t] = 1; __syncthreads(); int d; for (d = D / 2; d > 2; d /= 2) { if (t < d) v[t] += v[t + d]; "
        "__syncthreads(); } if (t < d) v[t] += v[t + d - 1]; __syncthreads(); a[i] = v[0];",
    ),
    "what a turn with barriers read last": (
        "int c = 0; for (int j = 0; j < n; ++j) { c = j + b[j]; __syncthreads(); } if (t == c) a[blockIdx.x] = 1;",
        "int c = 0; for (int j = 0; j < n; ++j) { c = j + b[j]; __syncthreads(); } if (t >= c) a[blockIdx.x] = 1;",
    ),
    "a vote that ends a loop": (
        "V while (__syncthreads_or(v[t] > n)) v[t] /= 2; a[i] = v[(t + 1) % D];",
        "V __syncthreads(); do v[t] /= 2; while (__syncthreads_or(v[(t + 1) % D] > n)); a[i] = v[t];",
    ),
    "a barrier that begins each turn": (
        "V for (int j = 0;; ++j) { __syncthreads(); if (j >= n) break; v[t] = j; } a[i] = v[(t + 1) % D];",
        "V for (int j = 0; j < n; ++j) { __syncthreads(); v[t] = j; } a[i] = v[(t + 1) % D];",
    ),
    "a loop of barriers that begins each turn": (
        "V for (int r = 0;; ++r) { for (int j = 0; j < 2 + n * n; ++j) __syncthreads(); if (r >= n) break; v[t] = r; } a[i] = v[(t + 1) % D];",
        "V for (int r = 0;; ++r) { for (int j = 0; j < n - 2 * r; ++j) __syncthreads(); if (r >= n) break; v[t] = r; } a[i] = v[(t + 1) % D];",
    ),
}  # fmt: skip
#: The number of the last turn is not that of any turn of another thread.
RACED = {
    "any turn and the last": "for (; t < n; t += D) a[t + 1] = 1; a[t] = 1;",
    "the loop ends where each thread ends it": "int j; for (j = 0; j < t; ++j) ; a[j / 2] = 1;",
    "two ends of one loop": "int j; for (j = 0; j < n; ++j) { a[2 * j + 1 + n * 0] = 1; __syncthreads(); } a[2 * j - 1] = 1;",
    "what a turn read last, and another before": "__shared__ int v[8], w[64]; if (t < 8) v[t] = b[t]; w[t] = 0; __syncthreads(); int x = 0; "
    "for (int j = 0;; ++j) { int c = v[j & 7]; x = c + j; if (j >= n) break; __syncthreads(); if (t == 0) w[x] = 1; } if (t == 1) w[x] = 2;",
    "what a loop ended with in the last turn of another, not in the first": "__shared__ int w[64]; if (t == 0) w[1] = 7; int r = 0, c = 0; "
    "do { if (r == 5) __syncthreads(); int j = 0; while (j < r) ++j; c = j + r; } while (++r < n); if (t == 1 && n > 1) w[c - n + 1] = 1; a[i] = n;",
    "turns as many as a clock says": "int j; for (j = 0; clock() & 1; ++j) ; a[i + j] = 1;",
    "a barrier that begins a turn which may be the last": "V int j = 0; do { __syncthreads(); v[t] = j; } while (++j < n); "
    "a[i] = v[(t + 1) % D];",
    "a barrier in turns that are read": "V __shared__ int w[8]; if (t < 8) w[t] = b[t]; __syncthreads(); "
    "for (int j = 0;; ++j) { if (j >= n) break; if (w[j & 7] > 0) { __syncthreads(); if (j + 1 < n) v[t] = j; } } a[i] = v[(t + 1) % D];",
    "threads that leave by two ways": "int j; for (j = 0; j < n; ++j) if (j == t) break; a[j] = 1;",
}  # fmt: skip


def _text(body: str) -> str:
    body = body.replace("V ", "__shared__ int v[64]; v[t] = 9; ")
    return f"__global__ void k(int* a, const int* b, int n) {{ {_I} {body} }}"


@pytest.mark.parametrize("name", LAST)
@pytest.mark.sampled(1)
def test_the_value_of_the_last_turn_is_known(tmp_path: Path, name: str) -> None:
    body, twin = LAST[name]
    assert set(verdicts(tmp_path, _text(body), "n < 1000").values()) == {"holds"}
    assert race_free(tmp_path, _text(twin), "n < 1000") == "violated"


@pytest.mark.parametrize("name", RACED)
def test_and_of_no_other(tmp_path: Path, name: str) -> None:
    assert not is_proved(tmp_path, _text(RACED[name]), "n < 1000")


@pytest.mark.parametrize("name", [name for name in LAST if "vote" not in name])
@pytest.mark.sampled(1)
def test_no_small_launch_of_what_is_proved_has_a_race(tmp_path: Path, name: str) -> None:
    """The concrete engine, with some sizes of blocks."""
    for launch, n in (("1, 2", 3), ("1, 3", 8), ("2, 2", 5)):
        objects = "//@ object __device__ int a[64];\n//@ object __device__ int b[64];\n"
        assert races(tmp_path, _text(LAST[name][0]), f"{objects}//@ launch k<<<{launch}>>>(a, b, {n});") == "holds"
