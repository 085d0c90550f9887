"""All launches: threads that leave a kernel or a loop before a barrier, alone or with their block."""

from __future__ import annotations

import pytest

from tests.all_launches import verdicts

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_TURNS = "for (int j = 0; j < m; ++j) { a[i] = j; __syncthreads(); LEAVE }"
_TILE = """__shared__ int s[16]; int r = blockIdx.x * 16 + threadIdx.x, sum = 0; LEAVE
  for (int t = 0; t < m; t += 16) { s[threadIdx.x] = b[t + threadIdx.x]; __syncthreads();
    for (int q = 0; q < 16; ++q) sum += s[q]; __syncthreads(); } a[r] = sum;"""


def _kernel(body: str) -> str:
    return f"__global__ void k(int* a, const int* b, int n, int m) {{ {_I} {body} }}"


#: What leaves with its block, and what does alone: bodies with barriers behind it.
LEAVING = {
    "before a barrier": ("LEAVE a[i] = 1; __syncthreads(); a[i] = 2;", "if (blockIdx.x >= n) return;", "if (i >= n) return;"),
    "before a loop": (f"LEAVE {_TURNS.replace('LEAVE', '')}", "if (n < 3) return;", "if (i >= n) return;"),
    "a loop": (_TURNS, "if (3 * j > n) break;", "if (3 * j > i) break;"),
    "in a loop": (_TURNS, "if (3 * j > n) return;", "if (j > i) return;"),
    "by a number that is read": (_TURNS, "if (b[blockIdx.x] > j) break;", "if (b[i] > j) break;"),
    "before tiles": (_TILE, "if (blockIdx.x >= n) return;", "if (r >= n) return;"),
    "in a nested loop": ("for (int q = 0; q < n; ++q) { if (q > 2) { LEAVE } a[i] = q; __syncthreads(); }", "if (m > q) break;", "if (i > q) break;"),
}  # fmt: skip


@pytest.mark.parametrize("name", LEAVING)
@pytest.mark.sampled(1)
def test_blocks_that_leave_together_miss_no_barrier(tmp_path, name):
    body, good, _ = LEAVING[name]
    found = verdicts(tmp_path, _kernel(body.replace("LEAVE", good)), "blockDim.x == 16" if "16" in body else "")
    assert found == {"race_free": "holds", "uniform": "holds"}


@pytest.mark.parametrize("name", LEAVING)
@pytest.mark.sampled(4)
def test_threads_that_leave_alone_miss_a_barrier(tmp_path, name):
    body, _, bad = LEAVING[name]
    found = verdicts(tmp_path, _kernel(body.replace("LEAVE", bad)), "blockDim.x == 16" if "16" in body else "")
    assert found["uniform"] == ("unknown" if name == "by a number that is read" else "violated")
    assert name != "before tiles" or found["race_free"] != "holds"


def test_what_those_that_left_have_written_is_no_race(tmp_path):
    body = (
        "__shared__ int s[64]; if (i >= n) return; s[threadIdx.x] = a[i]; __syncthreads(); a[i] = s[63 - threadIdx.x];"
    )
    found = verdicts(tmp_path, _kernel(body))
    assert found == {"race_free": "holds", "uniform": "violated"}


def test_those_that_left_do_not_part_the_others(tmp_path):
    """Of two threads one comes to the barrier, and the other does not: nothing is between their accesses."""
    body = "__shared__ int s[64]; s[threadIdx.x] = i; if (i >= n) return; __syncthreads(); a[i] = s[threadIdx.x + 1];"
    assert verdicts(tmp_path, _kernel(body))["race_free"] != "holds"
