"""Precompiled headers: those with which a text begins, and nothing that the text would read otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.clang import precompiled
from scopec.frontends.clang.command import found, shims
from scopec.frontends.clang.libraries import own
from scopec.program.show import show_program
from tests.conftest import program_of

ATOMIC, GROUPS = str(shims() / "cuda" / "atomic"), str(shims() / "cooperative_groups.h")
PROGRAM = """// A lock.
#include <cuda/atomic>
#include <cooperative_groups.h> // of threads
__device__ cuda::atomic<int, cuda::thread_scope_device> lock;
__device__ int x;
__global__ void k() {
    cooperative_groups::this_thread_block().sync();
    while (lock.exchange(1, cuda::memory_order_acquire));
    BODY
    lock.store(0, cuda::memory_order_release);
}
//@ launch k<<<2, 1>>>();
"""


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("#include <cuda/atomic>\nint x;\n#include <cooperative_groups.h>\n", (ATOMIC,)),
        ("// a\n/* b\n */\n\n#include <cuda/atomic>\n# include <cooperative_groups.h>\n", (ATOMIC, GROUPS)),
        (f'#include "{ATOMIC}"\n# 1 "p.cu"\n#include <cooperative_groups.h>\n', (ATOMIC, GROUPS)),
        ("#define N 1\n#include <cuda/atomic>\n", ()),
        ("#if 0\n#include <cuda/atomic>\n#endif\n", ()),
        ("// goes on \\\n#include <cuda/atomic>\n", ()),
        ("#include <cuda/atomic> /* ends\nthere */\n", ()),
        ('#include "cuda/atomic"\n', ()),
        (f'#include "{__file__}"\n', ()),
        ("#include <only_there.h>\n#include <cuda/atomic>\n", ()),
        ("#include <../shims/cuda/atomic>\n", ()),
    ],
)
def test_the_headers_with_which_a_text_begins(text: str, headers: tuple[str, ...]) -> None:
    assert precompiled.preamble(text, found().resources, own()) == headers


def test_a_program_is_the_same_before_and_after_its_headers_are_precompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompiled, "_precompiled", precompiled._Precompiled())
    fresh, made = program_of(PROGRAM.replace("BODY", "x++;"), reader="clang"), precompiled._precompiled._made
    assert not made
    for n in range(precompiled._FEW):
        program_of(PROGRAM.replace("BODY", f"x += {n};"), reader="clang")
    assert show_program(program_of(PROGRAM.replace("BODY", "x++;"), reader="clang")) == show_program(fresh)
    assert any(key[-2:] == (ATOMIC, GROUPS) and file is not None for key, file in made.items())


@pytest.mark.sampled(0)
def test_an_error_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompiled, "_precompiled", precompiled._Precompiled())
    said = []
    for _ in range(precompiled._FEW + 2):
        with pytest.raises(InputError) as refused:
            program_of(PROGRAM.replace("BODY", "cuda::atomic_ref<int> y;"), reader="clang")
        said.append([(d.message, d.span.line, d.span.column) for d in refused.value.diagnostics])
    assert Path(str(precompiled._precompiled._folder)).is_dir()
    assert all(one == said[0] for one in said)
