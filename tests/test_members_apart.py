"""Members that would be called the same are two objects: of two bases, and what a library calls by reserved names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.frontends.clang.llvm.leaves import Leaf, Member, members_apart
from scopec.program.types import INT, UINT
from scopec.session.check import Settings, check
from scopec.session.plan import Overrides

Write = Callable[..., Path]

TWO = """
{}
__device__ int out[2];
__global__ void k() {{
    if (threadIdx.x == 0) {{ {} }} else {{ {} }}
    __syncthreads();
    if (threadIdx.x == 0) {{ out[0] = {}; out[1] = {}; }}
}}
//@ launch k<<<1, 2>>>();
"""
BASES = "struct A {{ int x{0}; }}; struct B {{ int x{0}; }}; struct C : A, B {{ }}; __device__ C c;"
HIDES = "struct A { int x; }; struct C : A { int x; }; __device__ C c;"
ALIKE = "template <int N> struct T { int x; }; struct C : T<0>, T<1> { }; __device__ C c;"
TWICE = "struct A { int x; }; struct L : A { }; struct R : A { }; struct C : L, R { }; __device__ C c;"


def verdicts(path: Path) -> list[str]:
    (found,) = check([path], Settings(Overrides(reader="clang"), engine="embedded"))
    assert [str(d) for d in found.diagnostics if d.severity == "error"] == []
    return [c.verdict for report in found.reports for c in report.checks]


@pytest.mark.parametrize(
    ("classes", "one", "other"),
    [
        (BASES.format(""), "c.A::x", "c.B::x"),
        (BASES.format(" : 4, y : 3"), "c.A::x", "c.B::x"),
        (HIDES, "c.A::x", "c.x"),
        (ALIKE, "static_cast<T<0>&>(c).x", "static_cast<T<1>&>(c).x"),
        (TWICE, "c.L::x", "c.R::x"),
    ],
)
def test_members_of_bases_with_one_name_are_two(classes: str, one: str, other: str, write: Write) -> None:
    text = TWO.format(classes, f"{one} = 1;", f"{other} = 2;", one, other)
    asked = "//@ expect race_free; expect required out[0] == 1 && out[1] == 2;\n"
    assert verdicts(write(text + asked)) == ["holds", "holds"]
    same = TWO.format(classes, f"{one} = 1;", f"{one} = 2;", one, other)
    assert verdicts(write(same + "//@ expect race_free;\n")) == ["violated"]


def test_they_are_two_local_variables(write: Write) -> None:
    text = f"""{BASES.replace("{{", "{").replace("}}", "}").replace("{0}", "").replace("__device__ C c;", "")}
    __device__ int in, out;
    __global__ void k() {{ C c; c.A::x = in; c.B::x = in + 1; out = c.A::x * 10 + c.B::x; }}
    //@ launch k<<<1, 1>>>(); expect required out == 1;
    """
    assert verdicts(write(text)) == ["holds"]


@pytest.mark.parametrize(("name", "verdict"), [("c.A.x", "holds"), ("c.B.x", "violated")])
def test_a_race_is_on_the_one_that_is_named(name: str, verdict: str, write: Write) -> None:
    text = TWO.format(BASES.format(""), "c.A::x = 1;", "c.A::x = 2;", "0", "0")
    assert verdicts(write(f"{text}//@ expect race on {name};\n")) == [verdict]


def test_reserved_names_of_a_library_are_two(write: Write) -> None:
    """A `std::optional` has a value, and says whether it has one."""
    text = """#include <cuda/std/optional>
    __device__ cuda::std::optional<int> o;
    __device__ int out;
    __global__ void k() { o = 5; out = o.has_value() ? *o : -1; }
    //@ launch k<<<1, 1>>>(); expect required out == 5;
    """
    assert verdicts(write(text)) == ["holds"]


def test_a_name_that_is_left_out_comes_back_where_two_are_alike() -> None:
    def of(*places: tuple[str, int]) -> tuple[Leaf, ...]:
        return tuple(Leaf(path, at, INT) for path, at in places)

    def paths(*members: Member) -> list[str]:
        return [leaf.path for leaf in members_apart(members, ".o")]

    assert paths(Member(of((".o.x", 0)), "A"), Member(of((".o.y", 4)), "B")) == [".o.x", ".o.y"]
    assert paths(Member(of((".o.x", 0)), "A"), Member(of((".o.x", 4)), "B")) == [".o.A.x", ".o.B.x"]
    assert paths(Member(of((".o.x", 0)), "A"), Member(of((".o.x", 4)), "A")) == [".o.A0.x", ".o.A1.x"]
    assert paths(Member(of((".o", 0)), "__a"), Member(of((".o", 4)), "__b")) == [".o", ".o.__b"]
    assert paths(Member(of((".o[]", 0)), "__a"), Member(of((".o", 8)), "__b")) == [".o[]", ".o.__b"]
    assert paths(Member(of((".o.x", 4))), Member(of((".o.x", 0)), "__a")) == [".o.x", ".o.__a.x"]
    assert paths(Member(of((".o.x", 0)), "A"), Member(of((".o.x", 4)))) == [".o.A.x", ".o.x"]
    # What a union has at one place is one number or another; no two of them are in memory.
    assert paths(Member(of((".o", 0)), "__a"), Member((Leaf(".o", 0, UINT),), "__b")) == [".o", ".o"]
