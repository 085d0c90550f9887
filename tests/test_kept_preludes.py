"""Precompiled headers of NVIDIA, which are kept: a program is read as without them, and never as they were."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scopec.base.diagnostics import InputError
from scopec.frontends.clang import compiler, kept_preludes, read_files
from scopec.frontends.clang.compilation_cache import compilations
from scopec.frontends.clang.compiler import compiled
from scopec.frontends.clang.flags import Flags
from scopec.frontends.clang.libraries import own

LIBRARY = replace(own(), versions=(("headers", "another library's"),))
PROGRAM = "#include <cuda/atomic>\n#include <theirs/value.h>\n__global__ void k(int* x) {{ *x = VALUE; }}  // {}\n"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, where what was just written counts as old; scopec's headers stand for NVIDIA's."""
    monkeypatch.setattr(compiler, "library_of", lambda _: LIBRARY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(read_files, "_COARSE_NANOSECONDS", 0)
    return tmp_path / "cache" / "scopec" / "precompiled"


class Reader:
    """Reads programs of which no two have the same text, in a folder of theirs, with the headers of others."""

    def __init__(self, folder: Path, *macros: str) -> None:
        self.own, self.first, self.others = (folder / name for name in ("own", "first", "others"))
        for one in (self.own, self.first, self.others / "theirs"):
            one.mkdir(parents=True)
        self.header = self.others / "theirs" / "value.h"
        self.header.write_text("enum { VALUE = 1 };\n")
        self.macros, self.count = macros, 0

    def stored(self, text: str = PROGRAM) -> str:
        """What the kernel stores."""
        self.count += 1
        flags = Flags((self.first, self.others), self.macros, headers="real")
        time.sleep(0.02)  # a file system's clock
        code = compiled(text.format(self.count), "p.cu", self.own, flags, compilations()).device
        return code.partition("store i32 ")[2].partition(",")[0]


@pytest.mark.sampled(0)
def test_what_others_have_is_precompiled_when_it_is_wanted_again(tmp_path: Path, kept: Path) -> None:
    reader = Reader(tmp_path)
    assert reader.stored() == "1"
    assert not kept.exists()
    assert reader.stored() == "1"
    files = set(kept.iterdir())
    assert len(files) == 2
    assert all(file.suffix == ".pch" for file in files)
    assert reader.stored() == "1"
    assert set(kept.iterdir()) == files


def test_a_changed_header_is_read(tmp_path: Path, kept: Path) -> None:
    reader = Reader(tmp_path)
    assert [reader.stored() for _ in range(3)] == ["1", "1", "1"]
    assert kept.exists()
    time_ = reader.header.stat().st_mtime_ns
    reader.header.write_text("enum { VALUE = 2 };\n")
    os.utime(reader.header, ns=(time_, time_))  # clang looks at that
    assert [reader.stored() for _ in range(3)] == ["2", "2", "2"]


def test_a_new_header_before_it_is_read(tmp_path: Path, kept: Path) -> None:
    reader = Reader(tmp_path)
    assert [reader.stored() for _ in range(3)] == ["1", "1", "1"]
    (reader.first / "theirs").mkdir()
    (reader.first / "theirs" / "value.h").write_text("enum { VALUE = 3 };\n")
    assert reader.stored() == "3"


def test_a_file_that_is_edited_is_not_used(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(tmp_path)
    assert [reader.stored() for _ in range(2)] == ["1", "1"]
    reader.header.write_text("enum { VALUE = 2 };\n")
    assert [reader.stored() for _ in range(2)] == ["2", "2"]
    old, new = (
        sorted(kept.iterdir(), key=lambda file: (file.name.split(".")[2], file.name))[at:][:2] for at in (0, -2)
    )
    asked: list[list[str]] = []
    run = compiler._run
    monkeypatch.setattr(compiler, "_run", lambda commands, *rest: asked.extend(commands) or run(commands, *rest))
    assert reader.stored() == "2"
    assert any(str(new[0]) in command for command in asked)
    for one, other in zip(old, new, strict=True):
        other.write_bytes(one.read_bytes())
    asked.clear()
    assert reader.stored() == "2"
    assert not any(str(file) in command for command in asked for file in new)


def test_macros_are_of_the_key(tmp_path: Path, kept: Path) -> None:
    one, other = Reader(tmp_path / "a"), Reader(tmp_path / "b", "-DVALUE=7")
    other.header.write_text("")
    assert [(one.stored(), other.stored()) for _ in range(3)] == [("1", "7")] * 3
    assert len(list(kept.iterdir())) == 4


def test_what_is_no_header_is_found(tmp_path: Path, kept: Path) -> None:
    """What is precompiled of may be shown in no report, either."""
    reader = Reader(tmp_path)
    (tmp_path / "secret").write_text("int secret;\n")
    reader.header.write_text('enum { VALUE = 1 };\n#include "../../secret"\n')
    for _ in range(3):
        with pytest.raises(InputError, match="no header"):
            reader.stored()
    assert kept.exists()


def test_an_error_is_the_same(tmp_path: Path, kept: Path) -> None:
    reader, said = Reader(tmp_path), []
    for _ in range(3):
        with pytest.raises(InputError) as refused:
            reader.stored(PROGRAM + "void f() {{ cuda::atomic_ref<int> y; }}\n")
        said.append([(d.message, d.span.line, d.span.column) for d in refused.value.diagnostics])
    assert any(kept.iterdir())
    assert said == [said[0]] * 3


def test_those_used_longest_ago_go_first(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_preludes, "_MOST_BYTES", 1)
    one, other = Reader(tmp_path / "a"), Reader(tmp_path / "b")
    assert [one.stored() for _ in range(2)] == ["1", "1"]
    old = set(kept.iterdir())
    assert [other.stored() for _ in range(2)] == ["1", "1"]
    assert old.isdisjoint(kept.iterdir())


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("// a\n#include <cuda/atomic>\n#include <theirs/value.h>\nint x;\n", ("<cuda/atomic>", "<theirs/value.h>")),
        ('#include "theirs/value.h"\n', ("<theirs/value.h>",)),
        ('#include "mine.h"\n#include <cuda/atomic>\n', ()),
        ("#include <cuda/atomic>\n#include <ours.h>\n", ("<cuda/atomic>",)),
        ("#define N 1\n#include <cuda/atomic>\n", ()),
        ("#include <../others/theirs/value.h>\n", ()),
        ('#include "/etc/passwd"\n', ()),
    ],
)
def test_the_headers_with_which_a_text_begins(text: str, headers: tuple[str, ...], tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    (reader.own / "mine.h").write_text("")
    (tmp_path / "ours.h").write_text("")
    folders = [reader.first, reader.others, tmp_path]
    found = kept_preludes.prelude(text, reader.own, folders, LIBRARY)
    assert found.headers == headers
    assert found.text.count("\n") == text.count("\n")
    assert found.text.count("#include") == text.count("#include") - len(headers)


class Answers:
    """Counts how often clang is asked for the code of a program."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count, run = 0, compiler._run

        def counted(*given: Any) -> Any:
            self.count += 1
            return run(*given)

        monkeypatch.setattr(compiler, "_run", counted)


@pytest.mark.parametrize("include", ["<theirs/value.h>", '"theirs/value.h"'])
@pytest.mark.sampled(1)
def test_code_over_others_headers_is_kept(
    include: str, tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "library_of", lambda _: replace(LIBRARY, identity=("another",)))
    reader, text = Reader(tmp_path), f"#include {include}\n__global__ void k(int* x) {{ *x = VALUE; }}\n"
    answers = Answers(monkeypatch)

    def stored() -> tuple[str, int]:
        answers.count = 0
        return reader.stored(text.replace("{", "{{").replace("}", "}}")), answers.count

    assert [stored(), stored()] == [("1", 1), ("1", 0)]
    reader.header.write_text("enum { VALUE = 2 };\n")
    assert [stored(), stored()] == [("2", 1), ("2", 0)]
    (reader.first / "theirs").mkdir()
    (reader.first / "theirs" / "value.h").write_text("enum { VALUE = 3 };\n")
    assert [stored(), stored()] == [("3", 1), ("3", 0)]
    (reader.own / "theirs").mkdir()
    (reader.own / "theirs" / "value.h").write_text("enum { VALUE = 4 };\n")
    assert stored()[0] == ("4" if '"' in include else "3")


@pytest.mark.parametrize(
    "header",
    [
        '#include "../../beside.h"\n',
        '#if __has_include("../../not-there.h")\n#endif\nenum { VALUE = 1 };\n',
        '#if __has_include("/not-there.h")\n#endif\nenum { VALUE = 1 };\n',
        "const char* at = __TIME__;\nenum { VALUE = 1 };\n",
    ],
)
@pytest.mark.sampled(1)
def test_code_that_may_depend_on_more_is_not_kept(
    header: str, tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "library_of", lambda _: replace(LIBRARY, identity=("another",)))
    reader, answers = Reader(tmp_path), Answers(monkeypatch)
    (tmp_path / "beside.h").write_text("enum { VALUE = 1 };\n")
    reader.header.write_text(header)
    for _ in range(2):
        answers.count = 0
        assert reader.stored("#include <theirs/value.h>\n__global__ void k(int* x) {{ *x = VALUE; }}\n") == "1"
        assert answers.count == 1
