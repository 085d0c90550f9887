"""Flags of the command line, compilation databases, and no clang."""

import json
import shlex
from pathlib import Path

import pytest

from tests.test_clang_reader import checked

FLAGS = """
#include <settings.h>
#ifndef FORCED
#error "not forced"
#endif
__global__ void k(int* out) { *out = VALUE + FIRST; }
//@ object __device__ int out;
//@ launch k<<<1, 1>>>(&out);
//@ expect required out == 42;
"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "with space").mkdir()
    (tmp_path / "with space" / "settings.h").write_text("#define VALUE 40\n")
    (tmp_path / "forced.h").write_text("#define FORCED\n")
    (tmp_path / "p.cu").write_text(FLAGS)
    return tmp_path


@pytest.mark.sampled(0)
def test_flags_of_the_command_line(build: Path) -> None:
    flags = ("-I", "with space", "-DFIRST=2", "-D", "VALUES", "-U", "VALUES", "--include", "forced.h", "--std", "c++17")
    done = checked("p.cu", "--reader", "clang", *flags, cwd=build)
    assert (done.returncode, done.stderr) == (0, "")
    missing = checked("p.cu", "--reader", "clang", cwd=build)
    assert missing.returncode == 2
    assert "p.cu:2:10: error: 'settings.h' file not found" in missing.stderr
    either = checked("p.cu", "--reader", "auto", *flags, cwd=build)
    assert (either.returncode, either.stderr) == (0, "")
    assert checked("p.cu", *flags, cwd=build).returncode == 0
    alone = checked("p.cu", "--reader", "scoped", *flags, cwd=build)
    assert (alone.returncode, alone.stderr) == (
        2, "scopec: -I, -D, -U, --std, --include, -p, --headers, --cuda-path and --through are for `--reader clang` and `--reader auto`\n"
    )  # fmt: skip


def test_without_a_clang_the_file_is_not_answered(build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCOPEC_CLANG", "/none")
    done = checked("p.cu", "--reader", "clang", cwd=build)
    assert done.returncode == 3
    assert "p.cu: SCOPEC_CLANG names no program: `/none`" in done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "entry",
    [{"command": 1}, {"command": "nvcc 'p.cu"}, {"arguments": 1}, {"arguments": ["-DN=1", 2]}, {"command": "nvcc -I\\0x p.cu"},
     {"arguments": ["-I", "\\0"]}, {"arguments": ["-DX=\\ud800"]}, {"command": ["nvcc"]}],
    ids=str,
)  # fmt: skip
def test_a_compilation_database_that_is_none(entry: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "p.cu").write_text("__global__ void k() {}\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n")
    text = json.dumps([{"directory": str(tmp_path), "file": "p.cu", **entry}]).replace("\\\\", "\\")
    (tmp_path / "compile_commands.json").write_text(text.replace("\\0", "\\u0000"))
    done = checked("p.cu", "--reader", "clang", "-p", ".", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "is not as the format has it [SCP002]" in done.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("form", ["arguments", "command"])
def test_a_compilation_database(build: Path, form: str) -> None:
    words = ["clang++", "-std=gnu++17", "-I", "with space", "-DFIRST=2", "-includeforced.h", "-O2", "-c", "p.cu"]
    said = words if form == "arguments" else shlex.join(words)
    entry = {"directory": str(build), "file": "p.cu", form: said}
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    done = checked("p.cu", "--reader", "clang", "-p", ".", cwd=build)
    assert (done.returncode, done.stderr) == (0, "")
    (build / "q.cu").write_text(FLAGS)
    other = checked("q.cu", "--reader", "clang", "-p", ".", cwd=build)
    assert other.returncode == 2
    assert "q.cu:1:1: error: compile_commands.json has no entry for q.cu [SCP002]" in other.stderr
    (build / "compile_commands.json").write_text("{")
    assert (
        "cannot be read as a compilation database" in checked("p.cu", "--reader", "clang", "-p", ".", cwd=build).stderr
    )
