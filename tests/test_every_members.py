"""All launches: structures in arrays and as parameters, and the pointers in these."""

from __future__ import annotations

import pytest

from tests.all_launches import races, verdicts

_I = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
_TYPES = """struct Node { int x; int y; Node* next; };
struct View { int* data; int n; };
struct Rows { int* data; int width; __device__ int& at(int r, int c) { return data[r * width + c]; } };
struct Outer { View* inner; };
__device__ void set(View w, int i) { if (i < w.n) w.data[i] = 1; }
__constant__ View of_all; __device__ int* global;
"""


def _kernel(parameters: str, body: str) -> str:
    return f"{_TYPES}__global__ void k({parameters}) {{ {_I} {body} }}"


PROVED = {
    "a member of an element": ("Node* p, int n", "if (i < n) p[i].x = p[i].y;"),
    "another member of a neighbour": ("Node* p, int n", "if (i < n) p[i].x = p[i + 1].y;"),
    "a link as data": ("Node* p, Node* q, int n", "if (i < n && p[i].next != nullptr) q[i].next = p[i].next;"),
    "a link that is made": ("Node* p, int n", "if (i < n) p[i].next = p + i + 1;"),
    "a whole element": ("Node* p, Node* q, int n", "if (i < n) { Node own = p[i]; own.x++; q[i] = own; }"),
    "a pointer in a parameter": ("View v", "if (i < v.n) v.data[i] = 1;"),
    "pointers in two parameters": ("View v, View w", "if (i < v.n) v.data[i] = w.data[i + 1];"),
    "by a function of the structure": ("Rows a", "if (i < a.width) a.at(blockIdx.y, i) = 1;"),
    "a pointer behind a parameter": ("View* v", "if (i < v->n) v->data[i] = 1;"),
    "behind two": ("Outer o", "o.inner->data[i] = 1;"),
    "a copy of a structure": ("const View* v", "View own = *v; if (i < own.n) own.data[i] = 1;"),
    "a structure that is handed on": ("const View* v", "set(*v, i);"),
    "a constant structure": ("int n", "if (i < of_all.n) of_all.data[i] = 1;"),
    "a pointer that is a variable": ("int n", "if (i < n) global[i] = 1;"),
    "two rows": ("int** p", "p[0][i] = p[1][i + 1];"),
    "a pointer beside a number that is written": ("View* v", "if (i < 9) v->data[i] = 1; if (i == 0) v->n = 9;"),
    "a queue": ("View* v, int m", "if (i < m) { int at = atomicAdd(&v->n, 1); v->data[at] = i; }"),
    "a number beside one that is written": ("Node* p, int* a", "if (i == 0) p->y = 1; if (i == p->x) a[0] = i;"),
}

RACED = {
    "one member of two elements": ("Node* p, int n", "if (i < n) p[i].x = p[i + 1].x;"),
    "an element of two threads": ("Node* p, int n", "if (i < n) p[i / 2].x = 1;"),
    "a neighbour as a whole": ("Node* p, int n", "if (i < n) { Node own = p[i]; p[i + 1] = own; }"),
    "a pointer in a parameter, twice": ("View v", "if (i < v.n) v.data[i / 2] = 1;"),
    "a number that is written": ("View* v, int* a", "if (i == v->n) a[0] = i; if (i == 0) v->n = 1;"),
    "one column too many": ("Rows a", "if (i <= a.width) a.at(blockIdx.y, i) = 1;"),
}

#: What is written, or is not the same in all launches, is not followed; nor is a race shown where no launch is written.
NOT_PROVED = {
    "the next node": ("Node* p, int n", "if (i < n) p[i].next->x = 1;"),
    "a pointer that is written": ("View* v, int* a", "if (i == 0) v->data = a + 1; __syncthreads(); v->data[i] = 1; a[i] = 2;"),
    "a part of a pointer that is written": ("View* v", "if (i == 0) ((short*)v)[3] = 1; v->data[i] = 1;"),
    "a queue, two to a place": ("View* v, int m", "if (i < m) { int at = atomicAdd(&v->n, 1); v->data[at / 2] = i; }"),
    "a member at an index": ("Node* p, int m", "if (i == 0) p[m].next = p + 1; __syncthreads(); p->next[i].x = 1; p[i].x = 2;"),
    "a variable that is written": ("int* a", "if (i == 0) global = a + 1; __syncthreads(); global[i] = 1; a[i] = 2;"),
    "a pointer by an index": ("View* v", "v[blockIdx.x].data[threadIdx.x] = 1;"),
    "a copy of what is written": ("View* v, int* a", "if (i == 0) v->data = a + 1; __syncthreads(); View own = *v; own.data[i] = 1; a[i] = 2;"),
    "a volatile pointer": ("int* volatile* p", "p[0][i] = 1;"),
    "one row": ("int** p", "p[0][i] = p[0][i + 1];"),
    "a copy, and its origin": ("const View* v", "View own = *v; own.data[i] = 1; v->data[i + 1] = 2;"),
    "a structure and another in it": ("Outer o, int* a", "View own = *o.inner; own.data[i] = 1; o.inner->data[i + 1] = 2;"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.sampled(1)
def test_what_members_no_launch_races_is_proved(tmp_path, name):
    assert verdicts(tmp_path, _kernel(*PROVED[name]))["race_free"] == "holds"


@pytest.mark.parametrize("name", RACED)
@pytest.mark.sampled(3)
def test_a_race_on_a_member_is_shown_by_a_launch(tmp_path, name):
    assert verdicts(tmp_path, _kernel(*RACED[name]))["race_free"] == "violated"


@pytest.mark.parametrize("name", NOT_PROVED)
@pytest.mark.sampled(6)
def test_pointers_that_may_be_any_are_not_followed(tmp_path, name):
    assert verdicts(tmp_path, _kernel(*NOT_PROVED[name]), "gridDim.x == 1")["race_free"] == "unknown"


@pytest.mark.parametrize("shape", ["1, 2", "2, 3", "3, 2", "3, 8"])
@pytest.mark.parametrize(("name", "given"), [
    ("a member of an element", "o, 7"), ("another member of a neighbour", "o, 7"), ("a link that is made", "o, 7"),
    ("a pointer in a parameter", "View{d, 9}"), ("pointers in two parameters", "View{d, 9}, View{e, 9}"),
    ("a pointer behind a parameter", "v"), ("a copy of a structure", "v"), ("two rows", "p"),
])  # fmt: skip
@pytest.mark.sampled(1)
def test_no_launch_of_what_is_proved_has_a_race(tmp_path, name, given, shape):
    """The concrete engine, at small sizes."""
    objects = "object __device__ Node o[64];", "object __device__ int d[64], e[64];"
    objects = *objects, "object __device__ View v[1] = {{d, 9}};", "object __device__ int* p[2] = {d, e};"
    one = "\n".join(f"//@ {said}" for said in (*objects, f"launch k<<<{shape}>>>({given});"))
    assert races(tmp_path, _kernel(*PROVED[name]), one) == "holds"
