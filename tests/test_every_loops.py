"""All launches of kernels with barriers in loops: what is proved, and what comes close to it and has a race."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.all_launches import is_proved, race_free, races, uniform, verdicts

_KERNEL = """__global__ void k(const int* a, int* b, int n, int m) {
  __shared__ int s[2][64];
  int t = threadIdx.x, o = (t + 1) % blockDim.x, r = 0;
  BODY
  b[blockIdx.x * blockDim.x + t] = r;
}"""
_WORDS = {
    "WRITE": "s[0][t] = 1;",
    "READ": "r = s[0][o];",
    "SYNC": "__syncthreads();",
    "TURNS": "for (int j = 0; j < n; ++j)",
}
_CONDITION = "blockDim.x <= 64 && n < 1000 && m < 1000"

#: Each beside what is a small change away and has a race.
PROVED = {
    "two barriers a turn": "TURNS { WRITE SYNC READ SYNC }",
    "two turns of one thread": "TURNS { WRITE SYNC READ SYNC s[0][t] = 2; }",
    "a barrier after the loop": "TURNS { SYNC READ } SYNC WRITE",
    "a turn at least": "int j = 0; WRITE do { SYNC ++j; } while (j < n); READ",
    "a break before the second barrier": "TURNS { WRITE SYNC READ if (j == 1) break; SYNC }",
    "a break, and a barrier after it": "TURNS { WRITE SYNC if (j == m) break; READ SYNC } SYNC s[0][o] = 3;",
    "an inner loop of turns": "if (m > 0) TURNS { WRITE for (int i = 0; i < m; ++i) SYNC READ for (int i = 0; i < m; ++i) SYNC }",
    "a turn of the inner loop at least": "TURNS { WRITE for (int i = 0; i <= j; ++i) SYNC READ SYNC }",
    "two loops": "TURNS { SYNC WRITE } for (int j = 0; j < m; ++j) { SYNC READ }",
    "a loop after a loop": "TURNS { WRITE SYNC } for (int j = 0; j < m; ++j) READ",
    "two buffers by the counter": "TURNS { s[j % 2][t] = j; SYNC r = s[j % 2][o]; }",
    "a barrier in each branch": "TURNS { WRITE if (j % 2) { SYNC } else { SYNC } READ SYNC }",
    "not in the last turn": "TURNS { WRITE SYNC READ if (j < n - 1) SYNC }",
    "only in the first turn": "TURNS { if (j == 0) WRITE SYNC READ }",
    "where a number of the array says so": "TURNS { if (a[j]) WRITE SYNC if (a[j]) READ SYNC }",
    "strides of blocks": "for (int i = blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) { if (i + t < n) WRITE SYNC if (i + o < n) READ SYNC }",
    "a loop of the thread between the barriers": "TURNS { WRITE SYNC for (int i = t; i < (int)blockDim.x; ++i) r = s[0][i]; SYNC }",
    "an exit of all": "for (int j = 0;; ++j) { WRITE SYNC READ SYNC if (j == n) break; }",
    "by goto": "int j = 0; again: WRITE SYNC READ SYNC if (++j < n) goto again;",
    "unrolled": "for (int j = 0; j < 4; ++j) { WRITE SYNC READ SYNC }",
}  # fmt: skip

RACED = {
    "one barrier a turn": "TURNS { WRITE SYNC READ }",
    "the second barrier in some turns": "TURNS { WRITE SYNC READ if (j % 2 == 0) SYNC }",
    "continue before the second barrier": "TURNS { WRITE SYNC READ if (j == 1) continue; SYNC }",
    "a break before a barrier, and a write": "TURNS { WRITE SYNC READ if (j == 1) break; SYNC } WRITE",
    "the last turn and what follows": "TURNS { SYNC READ } WRITE",
    "what precedes and the first turn": "WRITE TURNS { READ SYNC }",
    "what precedes and the second turn": "WRITE TURNS { if (j == 1) READ if (j == 2) SYNC }",
    "no turn at all": "WRITE TURNS { SYNC } READ",
    "no barrier in the first turn": "TURNS { WRITE if (j > 0) SYNC READ SYNC }",
    "no turn of the inner loop": "TURNS { WRITE for (int i = 0; i < m; ++i) SYNC READ for (int i = 0; i < m; ++i) SYNC }",
    "no turn of the inner loop at first": "TURNS { WRITE for (int i = 0; i < j; ++i) SYNC READ SYNC }",
    "a break of the inner loop": "TURNS { WRITE for (int i = 0; i < m; ++i) { if (i == 1) break; if (i > 0) SYNC } READ SYNC }",
    "the tail of a turn and the head of the next": "TURNS { WRITE SYNC READ SYNC s[0][o] = 2; }",
    "a barrier of one loop alone": "TURNS { SYNC WRITE } for (int j = 0; j < m; ++j) { READ SYNC }",
    "two buffers, each for two turns": "TURNS { s[j / 2 % 2][t] = j; SYNC r = s[j / 2 % 2][o]; }",
    "two buffers, the other one is read": "TURNS { s[j % 2][t] = j; SYNC r = s[(j + 1) % 2][o]; }",
    "two buffers, barriers in odd turns": "TURNS { s[j % 2][t] = j; if (j % 2) SYNC r = s[j % 2][o]; }",
    "the last turn without its barrier": "TURNS { WRITE SYNC READ if (j < n - 1) SYNC } WRITE",
    "the last turn but one without its barrier": "TURNS { WRITE SYNC READ if (j != n - 2) SYNC }",
    "two turns later, without a barrier": "TURNS { if (j % 4 == 0) WRITE if (j % 4 == 2) READ if (j % 4 == 3) SYNC }",
    "one for all": "TURNS { if (t == 0) s[0][0] = j; SYNC r = s[0][0]; }",
    "blocks are not parted": "TURNS { b[t] = j; SYNC }",
    "only in the second turn": "TURNS { if (j == 1) WRITE SYNC READ }",
    "the end of an inner loop": "TURNS { for (int i = 0; i < m; ++i) { SYNC READ } WRITE }",
}  # fmt: skip

#: What must not be proved, though no launch may be found that shows a race.
NOT_PROVED = {
    "turns by the thread": "for (int j = t; j < n; j += blockDim.x) { WRITE SYNC READ SYNC }",
    "steps by the thread": "for (int j = 0; j < n; j += 1 + (t == 0)) { WRITE SYNC READ SYNC }",
    "a break by the thread": "TURNS { WRITE SYNC READ SYNC if (j == t) break; }",
    "a return by the thread": "TURNS { if (j > t) return; WRITE SYNC READ SYNC }",
    "an exit a turn later": "for (int j = 0;; ++j) { WRITE SYNC READ SYNC if (j == n + (t == 0)) break; }",
    "barriers of two branches": "TURNS { if (t % 2) { WRITE SYNC } else { SYNC READ } }",
    "lanes": "TURNS { WRITE __syncwarp(); READ __syncwarp(); }",
    "turns of the inner loop by the thread": "TURNS { WRITE for (int i = 0; i < t; ++i) SYNC READ SYNC }",
    "barriers of some threads": "TURNS { WRITE if (t < 2) SYNC READ SYNC }",
    "other turns, where not all come to the barrier": "TURNS { if (t == 0) SYNC s[0][(t + j) % blockDim.x] = 1; }",
    "a number of the block, another one in each turn": "int c = 0; TURNS { s[0][t + c] = 1; c = a[c]; if (j > 5) SYNC }",
    "as long as the memory says": "while (s[0][0] < n) { WRITE SYNC READ SYNC }",
}  # fmt: skip


def _text(body: str) -> str:
    for word, meaning in _WORDS.items():
        body = body.replace(word, meaning)
    return f"{_KERNEL.replace('BODY', body)}\n"


def _verdicts(folder: Path, body: str) -> dict[str, str]:
    return verdicts(folder, _text(body), _CONDITION)


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_barriers_in_loops_part_what_they_part(tmp_path, name):
    assert _verdicts(tmp_path, PROVED[name]) == {"race_free": "holds", "uniform": "holds"}


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(1)
def test_what_no_barrier_parts_is_shown_by_a_launch(tmp_path, name):
    assert race_free(tmp_path, _text(RACED[name]), _CONDITION) == "violated"


@pytest.mark.parametrize("name", NOT_PROVED)
@pytest.mark.sampled(4)
def test_barriers_that_not_all_come_to_part_nothing(tmp_path, name):
    assert not is_proved(tmp_path, _text(NOT_PROVED[name]), _CONDITION)


def test_a_thread_that_ends_in_a_loop_comes_to_no_barrier(tmp_path):
    ends = "__device__ void require(bool holds) { if (!holds) __trap(); }"
    text = f"{ends}\n{_text('TURNS require(a[j] != t); SYNC WRITE')}"
    assert uniform(tmp_path, text, _CONDITION) == "unknown"


def test_a_barrier_in_turns_of_the_thread_is_divergent(tmp_path):
    assert uniform(tmp_path, _text(NOT_PROVED["turns by the thread"]), _CONDITION) == "violated"


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_no_small_launch_of_what_is_proved_has_a_race(tmp_path, name):
    """The concrete engine, with some numbers of turns."""
    for launch, n, m in (("1, 2", 0, 1), ("1, 2", 1, 2), ("1, 3", 2, 1), ("2, 2", 3, 0), ("1, 2", 4, 1)):
        objects = "//@ object __device__ int a[64] = {1, 0, 1};\n//@ object __device__ int b[64];\n"
        assert races(tmp_path, _text(PROVED[name]), f"{objects}//@ launch k<<<{launch}>>>(a, b, {n}, {m});") == "holds"
