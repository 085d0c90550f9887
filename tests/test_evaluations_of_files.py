"""The syntax tree of a program with large headers: what is asked of one file is found there, and the tree is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.cache import Cache
from scopec.frontends.clang import compiler, read_files
from scopec.frontends.clang.evaluation_order.evaluations import evaluations
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.library_choice import library_of
from tests.real_headers import needs_headers

FIRST = """#pragma once
namespace first {
int f(int, int);
struct S { int a, b; int sum() const { return f(a, b) + f(b, a); } int operator+(const S& o) const { return a - o.b; } };
template <class T> T twice(T x) { return f(x, x) * f(x, 1); }
inline auto made = [](int x) { return f(x, 1) - f(1, x); };
}
"""
SECOND = """#include "first.h"
extern "C" { int g(int x = first::f(1, 2) + first::f(2, 1)); }
namespace second { inline int h(int x) { return first::twice(x) + first::made(x); } }
"""
MAIN = """#include "second.h"
int k(int x) { return g() + second::h(x) * first::twice(x); }
#include "last.inc"
int n(int x) { first::S s{x, k(x)}; return (s + s) + g(x) * s.sum(); }
"""


def test_what_is_left_out_of_a_tree_is_of_other_files(tmp_path: Path) -> None:
    for name, text in {
        "first.h": FIRST,
        "second.h": SECOND,
        "last.inc": "int z(int x) { return k(x) + k(1); }\n",
    }.items():
        (tmp_path / name).write_text(text)
    _, tree = compiler.expanded(MAIN, "main.cu", tmp_path, "host")
    every = evaluations(tree, str(tmp_path), library_of(Flags()).folders)
    files = {one.range.file for one in every}
    assert {Path(file).name for file in files} == {"first.h", "second.h", "last.inc", "main.cu"}
    for chosen in [{file} for file in files] + [files - {file} for file in files]:
        some = evaluations(tree, str(tmp_path), library_of(Flags()).folders, frozenset(chosen))
        assert [one for one in some if one.range.file in chosen] == [one for one in every if one.range.file in chosen]
        assert len(some) < len(every)


@needs_headers
@pytest.mark.slow
def test_a_tree_is_kept_where_folders_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as what was read is as it was."""
    folder, cache = tmp_path / "inc", Cache(tmp_path / "kept", 1 << 30, b"secret")
    folder.mkdir()
    (folder / "own.h").write_text("__device__ int f(int x);\n")
    monkeypatch.setattr(read_files, "_COARSE_NANOSECONDS", -(10**9))  # as if the file had been there for long
    text, flags = (
        "#include <own.h>\n__global__ void k(int* x) { *x = f(1) + f(2); }\n",
        Flags((folder,), headers="real"),
    )
    ran: list[int] = []
    run = compiler._run
    monkeypatch.setattr(compiler, "_run", lambda *given: ran.append(len(given[0])) or run(*given))  # type: ignore[func-returns-value]
    once = compiler.expanded(text, "k.cu", tmp_path, "device", flags, cache)
    assert ran == [1, 2]
    assert compiler.expanded(text, "k.cu", tmp_path, "device", flags, cache) == once
    assert ran == [1, 2]
    (folder / "own.h").write_text("__device__ int f(int x); // another\n__device__ int h;\n")
    assert compiler.expanded(text, "k.cu", tmp_path, "device", flags, cache) != once
    assert ran == [1, 2, 1, 2]
