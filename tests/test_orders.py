"""Votes in one expression, which threads may take in different orders: what is violated by that alone says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.explain.reasons import explanation
from scopec.explain.verdict import Check
from tests.conftest import check_text

TEXT = """__device__ int out[2];
__device__ int two(int p) { return __syncthreads_count(p) + 2 * __syncthreads_count(1); }
__global__ void k() { int p = threadIdx.x; BODY }
//@ launch k<<<1, 2>>>();
"""


def checks(folder: Path, body: str, expect: str) -> list[Check]:
    outcome = check_text(folder, TEXT.replace("BODY", body) + expect, engine="embedded")
    assert outcome.failure is None
    return [c for r in outcome.reports for c in r.checks if not c.expectation.implicit]


ENDS = "//@ expect required out[0] == 5 && out[1] == 5;\n"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("out[p] = __syncthreads_count(p) + 2 * __syncthreads_count(1);", 3),
        ("out[p] = two(p);", 2),
    ],
)
@pytest.mark.sampled(1)
def test_different_orders_alone(body: str, line: int, tmp_path: Path) -> None:
    (found,) = checks(tmp_path, body, ENDS)
    assert found.verdict == "violated"
    assert found.orders is not None
    assert f"for the operands at line {line} in different orders, which C++ leaves open" in found.orders
    assert explanation(found).sentences[-1] == found.orders


def test_a_hang_by_different_orders_alone(tmp_path: Path) -> None:
    body = "out[p] = (__any_sync(3, p) != 0) + 2 * (__all_sync(3, p) != 0);"
    (found,) = checks(tmp_path, body, "//@ expect terminates;\n")
    assert found.verdict == "violated"
    assert "in different orders" in (found.orders or "")


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "expect", "verdict"),
    [
        ("int one = __syncthreads_count(p); out[p] = one + 2 * __syncthreads_count(1);", ENDS, "holds"),
        ("out[p] = __syncthreads_count(p) + 2 * __syncthreads_count(1);", ENDS.replace("== 5;", "== 6;"), "violated"),
        ("out[p] = __syncthreads_count(p) + 2 * __syncthreads_count(p) + out[1 - p];", ENDS, "violated"),
    ],
)
def test_what_another_reason_decides_says_nothing_of_orders(
    body: str, expect: str, verdict: str, tmp_path: Path
) -> None:
    (found,) = checks(tmp_path, body, expect)
    assert (found.verdict, found.orders) == (verdict, None)
