"""``scopec outcomes`` says which final state breaks which expectation of the file, in text and on its page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.report import html
from scopec.session.check import Settings
from scopec.session.final_states import listings
from tests.command import scopec

TEXT = """\
__device__ cuda::atomic<int, cuda::thread_scope_device> x{0}, y{0};
__global__ void k() {
    int r = 0;
    if (blockIdx.x == 0) { x.store(1, cuda::memory_order_relaxed); r = y.load(cuda::memory_order_relaxed); }
    else { y.store(1, cuda::memory_order_relaxed); r = x.load(cuda::memory_order_relaxed); }
}
//@ launch k<<<2, 1>>>();
//@ expect forbidden k[0][0].r == 0 && k[1][0].r == 0;
//@ expect required k[1][0].r == 1;
//@ expect allowed k[0][0].r == 1;
//@ expect required x == 7 under ptx;
"""
FORBIDDEN, REQUIRED = "forbidden k[0][0].r == 0 && k[1][0].r == 0", "required k[1][0].r == 1"


def test_which_state_breaks_which_expectation(write: Callable[..., Path]) -> None:
    path = write(TEXT, "states.cu")
    found, _ = listings(path, Settings(engine="embedded"), 100)
    (listing,) = found
    ends = {
        (s.values["k[0][0].r"], s.values["k[1][0].r"]): [e.text for e in listing.broken_by(s)] for s in listing.states
    }
    assert ends == {(0, 0): [FORBIDDEN, REQUIRED], (0, 1): [], (1, 0): [REQUIRED], (1, 1): []}
    rows = html.outcomes(found).partition("<tbody>")[2].partition("</tbody>")[0].split("<tr>")[1:]
    assert [row.count("<code>") - 1 for row in rows] == [2, 0, 1, 0]
    said = scopec("outcomes", path, "--engine", "embedded").stdout
    assert said.count(f"breaks `{REQUIRED}`") == 2


@pytest.mark.parametrize(
    ("clause", "broken"), [("exists (x = 0)", [0, 0]), ("~exists (x = 1)", [0, 1]), ("forall (x = 1)", [1, 0])]
)
def test_a_final_clause_is_an_expectation_too(clause: str, broken: list[int], write: Callable[..., Path]) -> None:
    text = f"C two\n{{ x = 0; }}\nP0 (atomic_int* x) {{\n  atomic_store(x, 1);\n}}\nP1 (atomic_int* x) {{\n  atomic_store(x, 0);\n}}\n{clause}\n"
    found, _ = listings(write(text, "two.litmus"), Settings(engine="embedded"), 100)
    assert [len(found[0].broken_by(state)) for state in found[0].states] == broken
