"""All launches: arrays of addresses, `a[blockIdx.x][i]`, of which each is taken to be that of an array of its own."""

from __future__ import annotations

import random

import pytest

from scopec.program.anythread import ZERO, add, const, div, mul, symbol
from scopec.program.pointer_tables import behind, distance, offset_of, tag
from scopec.session.check import Settings, check
from scopec.sizes.assumptions import TABLES
from scopec.sizes.tables import relations
from tests.all_launches import is_proved, races

_T = "int t = threadIdx.x, b = blockIdx.x;"
_TYPES = "struct View { int* data; int n; }; struct Node { int x, y; Node* next; };"


def _kernel(parameters: str, body: str) -> str:
    return f"{_TYPES}\n__global__ void k({parameters}) {{ {_T} {body} }}"


PROVED = {
    "a row of a block": ("int** a, int n", "if (t < n) a[b][t] = 1;"),
    "a row of a thread": ("int** a", "a[b * blockDim.x + t][0] = 1;"),
    "rows of two arrays": ("int** a, int** c, int n", "for (int i = t; i < n; i += blockDim.x) a[b][i] = c[b + 1][i + 1];"),
    "a pointer that moves": ("int** a, int n", "int* p = a[b] + t; for (int i = t; i < n; i += blockDim.x, p += blockDim.x) *p = 1;"),
    "one row and others": ("int** a", "if (b == 0) a[0][t] = 1; else a[b][t] = 2;"),
    "a layer, and later others": ("int*** a, int n", "a[b][0][t] = 1; if (n) a[b][n][t] = 2;"),
    "a layer": ("int*** a", "a[blockIdx.y][b][t] = 1;"),
    "a row in a structure": ("View v, int** a", "if (t < v.n) a[b][t] = v.data[t + 1];"),
    "places in a row in their order": ("int** a, int n", "for (int* p = a[b] + t; p < a[b] + n; p += blockDim.x) *p = 1;"),
    "rows by what is read": ("int** a, const int* w", "int r = w[b]; if (r == b) a[r][t] = 1;"),
}  # fmt: skip

#: Each is what one above is not.
NOT_PROVED = {
    "a row of two blocks": ("int** a, int n", "if (t < n) a[b / 2][t] = 1;"),
    "a row of two threads": ("int** a", "a[(b * blockDim.x + t) / 2][0] = 1;"),
    "the next row": ("int** a, int n", "for (int i = t; i < n; i += blockDim.x) a[b][i] = a[b + 1][i];"),
    "the neighbour in a row": ("int** a", "a[b][t] = a[b][t + 1];"),
    "one row, and each": ("int** a", "a[0][t] = 1; a[b][t] = 2;"),
    "one row by a number, and each": ("int** a, int m", "a[m][t] = 1; a[b][t] = 2;"),
    "a layer of two blocks": ("int*** a", "a[blockIdx.y / 2][b][t] = 1;"),
    "an array that is written": ("int** a, int* c", "if (t == 0) a[b] = c; __syncthreads(); a[b][t] = 1;"),
    "a row by what is read": ("int** a, const int* w", "a[w[b]][t] = 1;"),
    "a pointer by one way": ("int** a, int m", "int* p = m ? a[b] : a[0]; p[t] = 1;"),
    "a pointer that a loop chooses": ("int** a, int n, int* w", "int* p = a[b]; for (int i = 0; i < n; ++i) if (w[i]) p = a[i]; p[t] = 1;"),
    "links": ("Node* p", "p[b * blockDim.x + t].next->x = 1;"),
    "a member of an element": ("View* v", "v[b].data[t] = 1;"),
    "layers of two blocks": ("int*** a, int n", "a[b / 2][0][t] = 1; if (n) a[b][n][t] = 2;"),
    "links behind rows": ("Node** a", "if (t == 0) a[b]->next->x = 1;"),
    "rows in some order": ("int** a, int* c", "if (a[1] < a[0]) c[0] = b + t; a[b][t] = 1;"),
    "rows with numbers in some order": (
        "int** a, int* c", "if ((size_t)a[1] < (size_t)a[0]) c[0] = b + t; a[b][t] = 1;",
    ),
    "rows at some distance": ("int** a, int* c", "if ((a[1] - a[0]) & 1) c[0] = b + t; a[b][t] = 1;"),
    "a difference of two rows": ("int** a", "int* p = a[b]; int* q = a[0]; q[(p - q) / 2] = 1;"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_what_rows_no_launch_races_is_proved(tmp_path, name):
    assert is_proved(tmp_path, _kernel(*PROVED[name]))


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_may_race_on_rows_is_not_proved(tmp_path, name):
    assert not is_proved(tmp_path, _kernel(*NOT_PROVED[name]))


def test_what_is_assumed_of_them_is_said_where_it_is_used(tmp_path):
    (file := tmp_path / "k.cu").write_text(
        f"{_kernel(*PROVED['a row of a block'])}\n__global__ void other(int* a) {{ a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }}\n"
    )
    (outcome,) = check([file], Settings(every=True, engine="embedded"))
    said = {c.every.kernel: TABLES in c.every.assumed for r in outcome.reports for c in r.checks if c.every}
    assert said == {"k": True, "other": False}


def test_offsets_are_taken_apart_where_both_are_made_so():
    object_, place, rest = behind("a"), symbol("p", "thread"), symbol("r", "thread")
    whole = add(offset_of("a", mul(const(8), place)), rest)
    pair = relations(object_, whole, add(offset_of("a", const(8)), const(4)), ((-3, 3),))
    assert [(one.first, one.second, one.ranges) for one in pair] == [
        (rest, const(4), ((-3, 3),)), (mul(const(8), place), const(8), ((0, 0),)),
    ]  # fmt: skip
    twice = add(whole, tag(object_))
    hidden = add(whole, div(distance(object_), const(2)))
    for other in (rest, twice, hidden, add(whole, mul(distance(object_), distance(object_)))):
        assert len(relations(object_, whole, other, ((0, 0),))) == 1
    assert len(relations("a", ZERO, rest, ((0, 0),))) == 1


def _chance(seed: int) -> str:
    pick = random.Random(seed)
    row = pick.choice(("b", "b / 2", "t", "b + t", "0", "b + 1", "1 - b", "b ^ 1"))
    column = pick.choice(("t", "t / 2", "b", "b + t", "2 * t", "3 - t"))
    other = pick.choice(("", f"a[{pick.choice(('b', 't', '0', '2'))}][{pick.choice(('t', 'b', '5'))}] + "))
    return _kernel("int** a", f"a[{row} & 3][{column}] = {other}1;")


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.sampled(1)
def test_no_size_races_of_what_is_proved_of_rows_by_chance(tmp_path, seed):
    text = _chance(seed)
    if not is_proved(tmp_path, text, "gridDim.x <= 2 && blockDim.x <= 3"):
        return
    for blocks, threads in ((1, 2), (2, 1), (2, 2), (2, 3)):
        rows = "for (int j = 0; j < 4; j++) cudaMallocManaged(&a[j], 64);"
        main = f"int main() {{ int** a; cudaMallocManaged(&a, 32); {rows} k<<<{blocks}, {threads}>>>(a); cudaDeviceSynchronize(); }}"
        assert races(tmp_path, text, main) == "holds", (text, main)
