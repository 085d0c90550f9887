"""Nothing is shown but the program's own files, and nothing that a program says is a command to whoever shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.base.excerpt import inert
from scopec.base.source import Source
from scopec.base.visible import EVERYWHERE, may_show, repository
from tests.command import scopec

SECRET = "hunter2"
#: Programs that make scopec speak of a line of ../outside/secret.txt.
LEAKS = {
    "an error behind #line": '#line 1 "{outside}/secret.txt"\n__global__ void k( {{ }}\n',
    "an included file": '#include "{outside}/secret.txt"\n__global__ void k() {{ }}\n',
    "an included file beside": '#include "../outside/secret.txt"\n__global__ void k() {{ }}\n',
    "a race behind #line": '__device__ int x;\n#line 1 "{outside}/secret.txt"\n__global__ void k() {{ x = threadIdx.x; }}\n'
    "//@ launch k<<<1, 2>>>();\n//@ expect race_free;\n",
    "kernels of PTX": '//@ kernels "../outside/secret.txt";\n//@ launch k<<<1, 2>>>();\n',
    "an embedded file": 'constexpr unsigned char all[] = {{\n#embed "{outside}/secret.txt"\n}};\n__device__ int x;\n'
    "__global__ void k() {{ x = all[0]; }}\n//@ launch k<<<1, 1>>>();\n//@ expect required x == 0;\n",
    "a list of numbers": 'enum {{ a =\n#include "{outside}/numbers.txt"\n}};\n__device__ int x;\n'
    "__global__ void k() {{ x = a; }}\n//@ launch k<<<1, 1>>>();\n//@ expect required x == 0;\n",
}
FORMATS = ("text", "json", "junit", "sarif", "github", "gitlab", "markdown", "gcc")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository, and a folder beside it with a secret."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text(f"{SECRET} {SECRET}\n{SECRET}\n")
    (tmp_path / "outside" / "numbers.txt").write_text("70717\n")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    return tmp_path / "repository"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("leak", LEAKS)
def test_no_file_outside_the_repository_is_shown(tree: Path, leak: str) -> None:
    file = tree / "p.cu"
    file.write_text(LEAKS[leak].format(outside=tree.parent / "outside"))
    wanted = [word for form in FORMATS for word in ("--format", form, "--output", f"r.{form}")]
    said = scopec("check", "--no-guess", "--engine", "embedded", "--format", "text", *wanted, "p.cu", cwd=tree)
    assert said.returncode in (1, 2)
    for text in (said.stdout, said.stderr, *((tree / f"r.{form}").read_text() for form in FORMATS)):
        assert SECRET not in text
        assert "70717" not in text
        numbered = re.sub(r"pytest(-|&#45;)\d+", "", text)  # folders of tests
        assert "104" not in numbered.replace(str(tree.parent), ""), "the first byte of the secret"
    page = scopec(
        "check", "--no-guess", "--engine", "embedded", "--format", "html", "--output", "pages", "p.cu", cwd=tree
    )
    assert page.returncode in (1, 2)
    assert not any(SECRET in path.read_text() for path in (tree / "pages").rglob("*.html"))


@pytest.mark.parametrize("leak", ["an included file", "an included file beside"])
def test_what_is_left_out_to_guess_a_launch_is_not_shown(tree: Path, leak: str) -> None:
    (tree / "p.cu").write_text(LEAKS[leak].format(outside=tree.parent / "outside"))
    wanted = [word for form in FORMATS for word in ("--format", form, "--output", f"r.{form}")]
    said = scopec("check", "--engine", "embedded", *wanted, "--format", "html", "--output", "pages", "p.cu", cwd=tree)
    assert said.returncode == 0
    assert "[SCP049]" in said.stderr
    pages = [path.read_text() for path in (tree / "pages").rglob("*.html")]
    assert pages
    for text in (said.stdout, said.stderr, *((tree / f"r.{form}").read_text() for form in FORMATS), *pages):
        assert SECRET not in text


@pytest.mark.parametrize("more", [(), ("--every",)])
def test_a_link_that_leads_out_is_no_program(more: tuple[str, ...], tree: Path) -> None:
    (tree / "p.cu").symlink_to(tree.parent / "outside" / "secret.txt")
    said = scopec("check", "--engine", "embedded", *more, ".", cwd=tree)
    assert said.returncode == 2
    assert "p.cu:1:1: error: this link leads out of the repository" in said.stderr
    assert SECRET not in said.stderr


def test_a_header_beside_the_repository_is_read(tree: Path) -> None:
    """As C++ reads it, but without a line of it in a report."""
    (tree.parent / "outside" / "common.h").write_text(f"__device__ int x; // {SECRET}\n")
    file = tree / "p.cu"
    file.write_text(
        '#include "../outside/common.h"\n__global__ void k() { x = 1; }\n//@ launch k<<<1, 1>>>();\n//@ expect race_free;\n'
    )
    said = scopec("check", "--engine", "embedded", "p.cu", cwd=tree)
    assert said.returncode == 0, said.stderr


def test_outside_files_are_shown_to_who_means_it(tree: Path) -> None:
    file = tree / "p.cu"
    file.write_text(LEAKS["an included file"].format(outside=tree.parent / "outside"))
    for allowed in (["--allow-outside"], ["-I", "../outside"]):
        said = scopec("check", "--engine", "embedded", *allowed, "p.cu", cwd=tree)
        assert SECRET in said.stderr, said.stderr


def test_without_a_repository_files_of_the_named_folder_are_shown(tmp_path: Path) -> None:
    (tmp_path / "named" / "inside").mkdir(parents=True)
    (tmp_path / "named" / "common.h").write_text(f"{SECRET} {SECRET};\n")
    (tmp_path / "named" / "inside" / "p.cu").write_text('#include "../common.h"\n__global__ void k() {}\n')
    assert SECRET in scopec("check", "--engine", "embedded", "named", cwd=tmp_path).stderr
    assert SECRET not in scopec("check", "--engine", "embedded", "named/inside", cwd=tmp_path).stderr


def test_what_may_be_shown(tree: Path) -> None:
    inside, outside = tree / "p.cu", tree.parent / "outside" / "secret.txt"
    (tree / "link").symlink_to(outside)
    here = Source(str(inside), "")
    assert repository(tree) == tree.resolve()
    assert may_show(inside, here)
    assert not may_show(outside, here)
    assert not may_show(tree / "link", here)
    assert not may_show("/proc/self/environ", here)
    assert not may_show("a\0b", here)
    assert may_show(outside, Source(str(inside), "", (outside.parent,)))
    assert may_show(outside, Source(str(inside), "", (EVERYWHERE,)))


# ---------------------------------------------------------------- runners


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("::stop-commands::x", r"\::stop-commands::x"),
        ("  why: std::atomic", "  why: std::atomic"),
        ("      ::set-output name=x::y", "\\      ::set-output name=x::y"),
        ("a\n\t::error::b", "a\n\\\t::error::b"),
        ("p.cu ##[add-mask]x", r"p.cu #\#[add-mask]x"),
        ("##vso[task.setvariable]x", r"#\#vso[task.setvariable]x"),
        ("###[x]", r"##\#[x]"),
        ("# 1", "# 1"),
    ],
)
def test_no_line_is_a_command(line: str, shown: str) -> None:
    assert inert(line) == shown


def test_reports_have_no_commands_of_a_program(tree: Path, write: Callable[..., Path]) -> None:
    """An expectation that is wrapped begins a line with its own words; a file's name is one."""
    words = " && ".join(["::stop-commands::x ##[add-mask]y"] * 9)
    program = write(
        f"__device__ int x;\n__global__ void k() {{}}\n//@ launch k<<<1, 1>>>();\n//@ expect required x == {words};\n"
    )
    odd = write("@@\n", "##[group]\n::stop-commands::x.litmus")
    for form in ("text", "json", "gcc", "junit", "sarif", "gitlab"):
        for path in (program, odd):
            said = scopec("check", "--engine", "embedded", "--format", form, path, COLUMNS="40")
            for line in (said.stdout + said.stderr).splitlines():
                assert not line.lstrip().startswith("::")
                assert "##[" not in line
            if form in ("json", "sarif", "gitlab"):
                json.loads(said.stdout)


def test_errors_of_the_command_line_are_no_commands(tmp_path: Path) -> None:
    said = scopec("check", "--no-such\n::stop-commands::x", cwd=tmp_path)
    assert said.returncode == 2
    assert not any(line.lstrip().startswith("::") for line in said.stderr.splitlines())


def test_a_folder_is_that_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Python, the current folder may change between two calls."""
    for name in ("one", "two"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / "a.cu").touch()
        monkeypatch.chdir(tmp_path / name)
        assert may_show("a.cu", Source("a.cu", ""))
        assert may_show("a.cu", Source("nowhere/a.cu", "", (Path(),)))


@pytest.mark.parametrize("name", ["o é.cu", "日本.cu", 'a "b" \\c.cu'])
def test_lines_are_quoted_of_a_file_of_any_name(name: str, tmp_path: Path) -> None:
    """LLVM writes bytes of a name that are no ASCII, quotes and backslashes as numbers."""
    (tmp_path / name).write_text(
        "__device__ int x;\n__global__ void k() { x = 1; }\n//@ launch k<<<2, 1>>>();\n//@ expect race_free;\n"
    )
    done = scopec("check", name, "--engine", "embedded", "--reader", "clang", cwd=tmp_path)
    assert done.returncode == 1
    assert "2 | __global__ void k() { x = 1; }" in done.stdout
