"""Kernels as nvcc compiles them: what is given to it, what is refused, and verdicts that say so."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import scopec
from scopec.base.diagnostics import EngineError, InputError, ScopecError
from scopec.base.source import Source
from scopec.frontends.clang import through
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.llvm.reader import Module
from scopec.frontends.ptx.syntax import read_module

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="NVIDIA's compiler is not on PATH")

PROGRAM = """#include <cuda/atomic>
__device__ int data, out;
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__global__ void k() {{
    if (blockIdx.x == 0) {{ data = 1; flag.store(1, cuda::memory_order_{}); }}
    else {{ while (flag.load(cuda::memory_order_acquire) == 0); out = data; }}
}}
//@ launch cooperative k<<<2, 1>>>(); expect race_free; expect terminates;
"""


def fake(folder: Path) -> Path:
    """An nvcc that writes down how it is called, and fails."""
    program = folder / "nvcc"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && { echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0; }\n'
        f'printf "%s\\n" "$@" > {folder}/words; env > {folder}/env; cat program.cu > {folder}/text\n'
        'echo "program.cu(3): error: this is no program" >&2; exit 1\n'
    )
    program.chmod(0o755)
    return program


def test_what_nvcc_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the environment no flags of its own; the text with its places; the flags of a build."""
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", "-DX")
    flags = Flags((tmp_path,), ("-DN=2",), "c++17", through="nvcc", nvcc=str(fake(tmp_path)))
    with pytest.raises(InputError, match="this is no program"):
        through._compiled("int x;\n", Source("p.cu", "int x;\n"), tmp_path, flags)
    words = (tmp_path / "words").read_text().split("\n")
    assert words[:11] == [
        "-ptx", "-w", "-arch=sm_90a", "--extended-lambda", "--expt-relaxed-constexpr", "-Xcicc", "-O0", "-lineinfo",
        "-std=c++17", "-I", str(tmp_path),
    ]  # fmt: skip
    assert "-DN=2" in words
    assert f'#line 1 "{tmp_path}/p.cu"\nint x;\n' in (tmp_path / "text").read_text()
    assert "NVCC_PREPEND_FLAGS" not in (tmp_path / "env").read_text()


@pytest.mark.parametrize(
    "macro", ["-DX=$(touch made)", "-DX=`touch made`", "-DX=1;touch made", '-DX="', "-DX=a b", "-DX=\\"]
)
def test_no_word_reaches_a_shell(macro: str, tmp_path: Path) -> None:
    flags = Flags(macros=(macro,), through="nvcc", nvcc=str(fake(tmp_path)))
    with pytest.raises(InputError, match="is not given to nvcc"):
        through._compiled("", Source("p.cu", ""), tmp_path, flags)
    folder = tmp_path / "a$(touch made)"
    folder.mkdir()
    with pytest.raises(InputError, match="is not given to nvcc"):
        through._compiled("", Source("p.cu", ""), folder, Flags(through="nvcc", nvcc=flags.nvcc))
    assert not (tmp_path / "words").exists()


def test_of_a_database_only_what_is_known_is_taken(tmp_path: Path) -> None:
    entry = {
        "directory": str(tmp_path),
        "file": "p.cu",
        "command": "nvcc -DN=1 -Xcompiler -fplugin=x.so -ccbin evil p.cu",
    }
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    flags = Flags(database=tmp_path, through="nvcc", nvcc=str(fake(tmp_path)))
    of = flags.of(tmp_path / "p.cu", Source("p.cu", "").span(0, 0))
    with pytest.raises(InputError):
        through._compiled("", Source("p.cu", ""), tmp_path, of)
    words = (tmp_path / "words").read_text().split("\n")
    assert "-DN=1" in words
    assert not {"-ccbin", "evil", "-fplugin=x.so"} & set(words)


def test_without_nvcc_that_is_told() -> None:
    with pytest.raises(EngineError, match="`no-such-nvcc` is no program: name NVIDIA's compiler with --nvcc"):
        through.nvcc_of(Flags(through="nvcc", nvcc="no-such-nvcc"))


def test_scopecs_own_headers_are_not_for_it(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="leave `--headers shims` out"):
        through.with_its_headers(Flags(headers="shims", through="nvcc", nvcc=str(fake(tmp_path))))


def test_a_class_of_scopecs_own_is_refused() -> None:
    """To nvcc a barrier lies otherwise in memory."""
    device = Module('!1 = !DIDerivedType(tag: DW_TAG_member, name: "__scopec_state", size: 64)\n')
    with pytest.raises(InputError, match="scopec has its own"):
        through._check_types(device, Source("p.cu", "x"))


def test_a_variable_that_clang_calls_otherwise_is_refused() -> None:
    """The host would have another of its own; but not one that no code names."""
    text = (
        ".version 9.0\n.target sm_90a\n.address_size 64\n.global .align 4 .u32 other;\n.visible .entry k()\n{\n"
        ".reg .b32 %r<2>;\nld.global.u32 %r1, [other];\nret;\n}\n"
    )
    source = Source("p.cu", "x")
    with pytest.raises(InputError, match="nvcc calls a variable `other`"):
        through._check_objects(read_module(Source("p.ptx", text)), Module(""), source)
    through._check_objects(read_module(Source("p.ptx", text.replace("[other]", "[%rd1]"))), Module(""), source)


@pytest.mark.parametrize("text", ["//@ language scoped;\n", "//@ every k;\n__global__ void k() {}\n"])
def test_what_is_not_compiled_is_refused(text: str, tmp_path: Path) -> None:
    """A verdict on the text would be taken for one on what nvcc makes of it."""
    found = scopec.check(text=text + "//@ expect race_free;\n", through="nvcc", nvcc=str(fake(tmp_path)))
    assert any("leave --through out" in (one.failure or "") for one in found.outcomes)


def test_a_way_that_there_is_not() -> None:
    with pytest.raises(ScopecError, match="`through` is one of none, nvcc, nvcc-O3"):
        scopec.check(text="", through="nvcc-O2")


@needs_nvcc
@pytest.mark.nvcc
@pytest.mark.parametrize(
    ("way", "order", "verdict"),
    [("nvcc", "release", "holds"), ("nvcc", "relaxed", "violated"), ("nvcc-O3", "relaxed", "violated")],
)
@pytest.mark.sampled(1)
def test_verdicts_are_about_what_it_makes(way: str, order: str, verdict: str) -> None:
    found = scopec.check(text=PROGRAM.format(order), through=way, engine="embedded", advise=False)
    (one,) = found.outcomes
    (report,) = one.reports
    assert [c.verdict for c in report.checks] == [verdict, "holds"]
    assert report.run.model.name == "ptx"
    assert (report.run.compiled_by or "").startswith("nvcc ")
    assert "as compiled by nvcc" in found.text()
    assert f'"compiled_by": {json.dumps(report.run.compiled_by)}' in found.json()


@needs_nvcc
@pytest.mark.nvcc
def test_a_static_kernel_is_told_by_name() -> None:
    text = "static __global__ void k() {}\n//@ launch k<<<1, 1>>>(); expect race_free;\n"
    (one,) = scopec.check(text=text, through="nvcc", engine="embedded").outcomes
    assert any("nvcc has no kernel that clang calls" in d.message for d in one.diagnostics)


@needs_nvcc
@pytest.mark.nvcc
@pytest.mark.sampled(0)
def test_a_latch_is_not_read_through_it() -> None:
    text = (
        "#include <cuda/latch>\n__device__ cuda::latch<cuda::thread_scope_device> both(2);\n"
        "__global__ void k() { both.arrive_and_wait(); }\n//@ launch k<<<2, 1>>>(); expect race_free;\n"
    )
    (one,) = scopec.check(text=text, through="nvcc", engine="embedded").outcomes
    assert [d.message for d in one.diagnostics if "scopec has its own" in d.message]
