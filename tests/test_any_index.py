"""Indices that are not modelled: any element is taken, and what an execution shows then is not known to happen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scopec.base.diagnostics import Code
from scopec.explain.verdict import UNKNOWN_RACES
from tests.conftest import check_text

if TYPE_CHECKING:
    from pathlib import Path

MAIN = """
int main() {
  int *a, *b;
  cudaMallocManaged(&a, 12); cudaMallocManaged(&b, 8);
  a[0] = 5; a[1] = 6; a[2] = 7; b[0] = 0; b[1] = 0;
  k<<<1, 2>>>(a, b, 0.5f);
  cudaDeviceSynchronize();
}
"""


def asked(tmp_path: Path, body: str, *expected: str, before: str = "") -> list[str]:
    """The verdicts of a kernel of ``a`` (5, 6, 7), ``b`` (0, 0) and ``t``, of which one thing is told."""
    kernel = f"{before}\n__global__ void k(int* a, int* b, float t) {{ int x = threadIdx.x; {body} }}\n"
    text = kernel + MAIN + "".join(f"//@ expect {one};\n" for one in expected)
    outcome = check_text(tmp_path, text, engine="embedded")
    assert [told.code.id for told in outcome.diagnostics if told.code is not Code.RACY_PROGRESS] == ["SCP053"]
    (report,) = outcome.reports
    return [check.verdict for check in report.checks]


@pytest.mark.parametrize("read", ["a[(int)(x * t)]", "a[(int)(x * t) + 1]", "(a + 1)[(int)t]", "a[(x + (int)t) % 3]"])
def test_what_is_read_is_that_of_any_element_and_of_no_other(tmp_path: Path, read: str) -> None:
    expected = ["race_free", "terminates", *(f"forbidden b[1] == {number}" for number in (0, 4, 8))]
    assert asked(tmp_path, f"b[x] = {read};", *expected) == ["holds"] * 5
    for number in (5, 6, 7):
        found = asked(tmp_path, f"b[x] = {read};", f"forbidden b[1] == {number}", f"allowed b[1] == {number}")
        assert found == ["unknown", "unknown"], number


def test_tables_and_local_arrays_are_read_at_any_element(tmp_path: Path) -> None:
    table = "__constant__ const int table[3] = {1, 2, 3};"
    expected = [f"forbidden b[0] == {number}" for number in (0, 1, 2, 3, 4)]
    found = ["holds", "unknown", "unknown", "unknown", "holds"]
    assert asked(tmp_path, "b[x] = table[(int)t];", *expected, before=table) == found
    assert asked(tmp_path, "int own[3] = {1, 2, 3}; b[x] = own[(int)t];", *expected) == found


def test_members_of_any_element(tmp_path: Path) -> None:
    pairs = "struct pair { int x, y; }; __device__ pair p[3] = {{1, 11}, {2, 12}, {3, 13}};"
    expected = [f"forbidden b[0] == {number}" for number in (3, 11, 13)]
    assert asked(tmp_path, "b[x] = p[(int)t].y;", *expected, before=pairs) == ["holds", "unknown", "unknown"]


@pytest.mark.parametrize(
    "body",
    ["b[(int)(x * t)] = 1;", "int y = a[(int)(x * t)]; a[x] = y;", "(b + 1)[(int)t - 1] = x;"],
)
def test_a_race_at_any_element_is_not_known_and_not_denied(tmp_path: Path, body: str) -> None:
    assert asked(tmp_path, body, "race_free", "terminates") == ["unknown", "holds"]
    assert asked(tmp_path, body, "race") == ["unknown"]


def test_nothing_else_is_known_to_be_void_for_such_a_race(tmp_path: Path) -> None:
    text = "__global__ void k(int* a, int* b, float t) { b[(int)t] = 1; }\n" + MAIN
    (report,) = check_text(tmp_path, text, engine="embedded").reports
    assert [check.warnings for check in report.checks] == [(), (UNKNOWN_RACES,)]


def test_atomic_operations_on_any_element_are_no_race(tmp_path: Path) -> None:
    assert asked(tmp_path, "atomicAdd(&b[(int)(x * t)], 1);", "race_free", "terminates") == ["holds", "holds"]
    assert asked(tmp_path, "atomicAdd(&b[(int)(x * t)], 1);", "race") == ["violated"]


def test_a_wait_for_any_element_may_never_end(tmp_path: Path) -> None:
    wait = "while (atomicAdd(&a[(int)t], 0) != 6) {}"
    assert asked(tmp_path, wait, "terminates") == ["unknown"]
    assert asked(tmp_path, wait, "may_hang") == ["unknown"]


def test_integers_of_a_struct_that_are_made_of_floating_point_numbers(tmp_path: Path) -> None:
    image = "__device__ uchar3 image[2];"
    body = "uchar3 p; p.x = 255 * t; p.y = p.z = a[(int)t]; image[{}] = p;"
    assert asked(tmp_path, body.format("x"), "race_free", before=image) == ["holds"]
    assert asked(tmp_path, body.format("x / 2"), "race_free", before=image) == ["unknown"]
