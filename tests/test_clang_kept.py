"""Answers of clang that are kept: found again, and never where anything differs that they depend on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scopec.base.cache import Cache
from scopec.cli import commands
from scopec.frontends.clang import command, compilation_cache, precompiled
from scopec.frontends.clang.compiler import Flags, Refused, compiled, expanded
from scopec.frontends.clang.running import Run
from tests.test_clang_compiler import named_clang

TEXT = "__device__ int a;\nint main() { return 0; }\n"


@pytest.fixture
def entries(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "entries", 1 << 22, b"s")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that ran; with what is precompiled the same has other numbers."""
    started: list[list[str]] = []
    start = Run.start

    def noted(self: Run, command: list[str], *rest: Any) -> None:
        started.append(command)
        start(self, command, *rest)

    monkeypatch.setattr(Run, "start", noted)
    monkeypatch.setattr(precompiled, "_FEW", 1000)
    return started


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program's folder, beside one of headers."""
    for name in ("p", "include", "first"):
        (tmp_path / name).mkdir()
    return tmp_path / "p"


Ran = Callable[..., bool]


@pytest.fixture
def ran(entries: Cache, runs: list[list[str]], folder: Path) -> Ran:
    """Whether clang runs to compile a text; what is found where it does not is what clang makes."""

    def ran(text: str = TEXT, name: str = "p.cu", at: Path = folder, **flags: object) -> bool:
        of = Flags(**flags)  # type: ignore[arg-type]
        runs.clear()
        found = compiled(text, name, at, of, entries, (folder.parent,))
        again = bool(runs)
        assert again or found == compiled(text, name, at, of, quotable=(folder.parent,))
        return again

    return ran


def test_what_was_compiled_is_found(ran: Ran) -> None:
    assert ran()
    assert not ran()


def test_what_was_expanded_is_found(entries: Cache, runs: list[list[str]], folder: Path) -> None:
    first = [expanded(TEXT, "p.cu", folder, side, entries=entries) for side in ("device", "host")]
    runs.clear()
    assert [expanded(TEXT, "p.cu", folder, side, entries=entries) for side in ("device", "host")] == first
    assert runs == []
    assert first[0] != first[1]
    expanded(TEXT + " ", "p.cu", folder, "host", entries=entries)
    assert runs


def test_whatever_is_told_makes_a_difference(ran: Ran, folder: Path) -> None:
    assert ran()
    for changed in (
        {"text": TEXT + " "},
        {"name": "q.cu"},
        {"at": folder.parent},
        {"std": "c++17"},
        {"macros": ("-DA",)},
        {"forced": (command.shims() / "cuda" / "atomic",)},
        {"folders": (folder.parent / "include",)},
    ):
        assert ran(**changed), changed
        assert not ran(**changed), changed
    assert not ran()


def test_a_header_that_changes(ran: Ran, folder: Path) -> None:
    (folder / "a.h").write_text('#include "sub/b.h"\n')
    (folder / "sub").mkdir()
    (folder / "sub" / "b.h").write_text("const int b = 1;\n")
    text = '#include "a.h"\n' + TEXT.replace("0", "b")
    assert ran(text)
    assert not ran(text)
    (folder / "sub" / "b.h").write_text("const int b = 2;\n")
    assert ran(text)
    assert not ran(text)
    (folder / "sub" / "b.h").unlink()
    with pytest.raises(Refused):
        ran(text)


@pytest.mark.parametrize("include", ['"n.h"', "<n.h>"])
@pytest.mark.sampled(1)
def test_a_header_that_would_be_found_first(include: str, ran: Ran, folder: Path) -> None:
    first, last = folder.parent / "first", folder.parent / "include"
    (last / "n.h").write_text("const int n = 1;\n")
    text = f"#include {include}\n" + TEXT.replace("0", "n")
    assert ran(text, folders=(first, last))
    assert not ran(text, folders=(first, last))
    (first / "n.h").write_text("const int n = 2;\n")
    assert ran(text, folders=(first, last))
    assert not ran(text, folders=(first, last))


def test_a_header_that_is_skipped_may_be_another_one(ran: Ran, folder: Path) -> None:
    """The second is not read, being the first by another name or way; one day it is."""
    (folder / "a.h").write_text("#pragma once\nconst int a_ = 1;\n")
    (folder / "b.h").symlink_to(folder / "a.h")
    (folder / "sub").mkdir()
    (folder / "sub" / "c.h").write_text('#include "a.h"\n')
    text = '#include "a.h"\n#include "b.h"\n#include "sub/c.h"\n' + TEXT.replace("0", "a_")
    flags = {"folders": (folder,)}
    assert ran(text, **flags)
    assert not ran(text, **flags)
    (folder / "sub" / "a.h").write_text("const int other = 1;\n")
    assert ran(text, **flags)
    assert not ran(text, **flags)
    (folder / "b.h").unlink()
    (folder / "b.h").write_text((folder / "a.h").read_text())
    with pytest.raises(Refused, match="redefinition"):
        ran(text, **flags)


def test_a_name_of_a_quoted_header_of_the_library(ran: Ran, folder: Path) -> None:
    text = '#include "cuda/atomic"\n' + TEXT
    assert ran(text)
    assert not ran(text)
    (folder / "cuda").mkdir()
    (folder / "cuda" / "atomic").write_text("int mine;\n")
    assert ran(text)


def test_whether_there_is_a_header(ran: Ran, folder: Path) -> None:
    text = '#if __has_include("n.h")\nint there;\n#endif\n' + TEXT
    assert ran(text)
    assert not ran(text)
    (folder / "n.h").write_text("")
    assert ran(text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text",
    [
        '#define N "n.h"\n#include N\n',
        '#/**/include "n.h"\n',
        '%:include "n.h"\n',
        '#inc\\\nlude "n.h" // __DATE__\n',
        "static_assert(sizeof(__TIME__));\n",
        "#define J(a, b) a##b\nstatic_assert(sizeof(J(__TI, ME__)));\n",
        "#ifdef __has_include\n#endif\n",
    ],
)
def test_what_may_look_further_is_not_kept(text: str, ran: Ran, folder: Path) -> None:
    (folder / "n.h").write_text("")
    assert ran(text + TEXT)
    assert ran(text + TEXT)


def test_a_header_that_may_look_further(ran: Ran, folder: Path) -> None:
    (folder / "n.h").write_text('inline const char* when = "" __DATE__;\n')
    assert ran('#include "n.h"\n' + TEXT)
    assert ran('#include "n.h"\n' + TEXT)
    assert ran(TEXT, macros=("-DA=__TIME__",))
    assert ran(TEXT, macros=("-DA=__TIME__",))


def test_a_header_that_is_called_as_one_of_clangs_own(ran: Ran, folder: Path) -> None:
    flags = {"folders": (folder.parent / "include",)}
    assert ran(**flags)
    (folder.parent / "include" / "__stddef_size_t.h").write_text("typedef __SIZE_TYPE__ size_t;\n")
    assert ran(**flags)
    assert ran(**flags)


def test_a_header_that_changes_meanwhile(entries: Cache, folder: Path) -> None:
    (folder / "n.h").write_text("int n;\n")

    def make() -> list[str]:
        (folder / "n.h").write_text("int m;\n")
        return ["made"]

    arguments = ('#include "n.h"\n', folder, (), command.shims())
    assert compilation_cache.remembered(entries, make, ("what",), command.found(), *arguments) == ["made"]
    assert not entries.folder.exists()


def test_another_clang(ran: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran()
    script = named_clang(tmp_path, monkeypatch)
    assert ran()
    assert ran()  # what it runs is not known
    monkeypatch.setattr(compilation_cache, "_PROGRAMS", (b"#!/b",))
    assert ran()
    assert not ran()
    os.utime(script, (1, 1))
    assert ran()
    assert not ran()


def test_other_shims(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran()
    files = compilation_cache._shims(command.shims())
    monkeypatch.setattr(compilation_cache, "_shims", lambda _: (*files[:2], "another digest"))
    assert ran()


def test_a_damaged_entry_is_made_again(ran: Ran, entries: Cache) -> None:
    assert ran()
    (entry,) = entries.folder.iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    assert ran()
    assert not ran()


def test_what_clang_refuses_is_not_kept(entries: Cache, folder: Path) -> None:
    with pytest.raises(Refused):
        compiled("int main() { return no; }\n", "p.cu", folder, entries=entries)
    assert not entries.folder.exists()


def test_no_cache(folder: Path, runs: list[list[str]], entries: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCOPEC_NO_CACHE")
    monkeypatch.setattr(compilation_cache, "compilations", lambda: replace(entries))
    (folder / "p.cu").write_text("__device__ int a;\n__global__ void k() { a = 1; }\n//@ launch k<<<1, 1>>>();\n")
    for asked in (("compile", "--show", "program"), ("check", "--engine", "embedded"), ("outcomes", "-q")):
        for options, expected in (((), False), (("--no-cache",), True)):
            CliRunner().invoke(commands, [*asked, str(folder / "p.cu")])
            runs.clear()
            result = CliRunner().invoke(commands, [*asked, *options, str(folder / "p.cu")])
            assert result.exit_code == 0, result.output
            assert bool(runs) == expected, (asked, options)


WRITER = f"""
import sys
from pathlib import Path
from scopec.base.cache import Cache
from scopec.frontends.clang.compiler import compiled
folder = Path(sys.argv[1])
entries = Cache(folder / "entries", 1 << 20, b"s")
for turn in range(5):
    for other in range(3):
        text = {TEXT!r}.replace("0", str(other))
        assert compiled(text, "p.cu", folder, entries=entries).host.count(f"ret i32 {{other}}") == 1
"""


@pytest.mark.sampled(0)
def test_processes_share_one(folder: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(folder)]
    for process in [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]:
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 0, complaint
    assert len(list((folder / "entries").iterdir())) == 3
