"""Commands other than `check`."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from scopec.engines.java.jars import Jars
from tests.command import scopec
from tests.conftest import REPOSITORY
from tests.test_cli import GOOD, RACE, no_traceback


def test_models() -> None:
    listed = scopec("models").stdout
    for name in ("cuda-v1", "cuda-v2", "cuda-v3", "thin_air = dependencies | syntactic | rc11 | off"):
        assert name in listed
    models = REPOSITORY / "scopec" / "memory" / "models"
    included = "\n(* models/thin-air.cat *)\n" + (models / "thin-air.cat").read_text()
    assert "owes steps to a thread of a block of which one has started" in scopec("models", "obe").stdout
    assert scopec("models", "cuda").stdout == (models / "cuda.cat").read_text() + included


def test_compile(tmp_path: Path, write: Callable[..., Path]) -> None:
    path = write(GOOD + "//@ expect terminates;", "programs/one.cu")
    out = tmp_path / "out"
    done = scopec("compile", path.parent, "-o", out)
    assert done.stdout == f"4 files in {out}\n"
    assert sorted(p.name for p in out.iterdir()) == ["CudaProgress.tla", "one.als", "one.cfg", "one.tla"]
    assert scopec("compile", path.parent, "-o", out, "--check").returncode == 0
    (out / "one.als").write_text("old")
    (out / "two.als").write_text("stray")
    changed = scopec("compile", path.parent, "-o", out, "--check")
    assert changed.returncode == 1
    assert "-old" in changed.stdout
    assert "nothing generates this file" in changed.stdout
    assert scopec("compile", path, "-o", tmp_path / "alloy", "--target", "alloy").returncode == 0
    assert [p.name for p in (tmp_path / "alloy").iterdir()] == ["one.als"]
    assert scopec("compile", path, "-o", tmp_path / "tla", "--target", "tla", "--self-contained").returncode == 0
    assert sorted(p.name for p in (tmp_path / "tla").iterdir()) == ["one.cfg", "one.tla"]
    for place in ("one", path / "below"):
        refused = scopec("compile", path, "-o", path if place == "one" else place)
        assert (refused.returncode, "is a file" in refused.stderr) == (2, True)
    bad = scopec("compile", write("int main( {", "bad.cu"), "-o", out)
    assert bad.returncode == 2
    assert "bad.cu:1:11" in bad.stderr


def test_compile_keeps_hashes_where_a_manifest_is(tmp_path: Path, write: Callable[..., Path]) -> None:
    programs, out = write(GOOD + "//@ expect terminates;", "programs/one.cu").parent, tmp_path / "out"
    two = write(GOOD, "programs/below/two.cu")
    out.mkdir()
    manifest = out / "SHA256SUMS"
    manifest.touch()
    (out / "one.als").touch()
    done = scopec("compile", programs, "-o", out)
    assert done.stdout == f"5 hashes in {manifest}, 1 of the files beside it\n"
    assert scopec("compile", programs, "-o", tmp_path / "whole").returncode == 0
    lines = manifest.read_text().splitlines()
    assert [line.partition("  ")[2] for line in lines] == [
        "CudaProgress.tla", "below/two.als", "one.als", "one.cfg", "one.tla",
    ]  # fmt: skip
    for digest, _, place in (line.partition("  ") for line in lines):
        assert hashlib.sha256((tmp_path / "whole" / place).read_bytes()).hexdigest() == digest
    assert [p.name for p in out.iterdir() if p != manifest] == ["one.als"]
    assert (out / "one.als").read_bytes() == (tmp_path / "whole" / "one.als").read_bytes()
    assert scopec("compile", programs, "-o", out, "--check").returncode == 0

    two.write_text(RACE)
    write(GOOD + "//@ expect may_hang;", "programs/one.cu")
    write(GOOD, "programs/three.cu")
    manifest.write_text(manifest.read_text() + f"{'0' * 64}  four.als\n")
    changed = scopec("compile", programs, "-o", out, "--check")
    assert changed.returncode == 1
    assert f"+++ {out / 'one.als'} (generated now)" in changed.stdout
    assert [line for line in changed.stdout.splitlines() if line.startswith(f"{out}{os.sep}")] == [
        f"{out / 'below/two.als'}: differs from its hash in SHA256SUMS; `scopec compile {two} -o DIR` writes it",
        f"{out / 'one.tla'}: differs from its hash in SHA256SUMS; `scopec compile {programs / 'one.cu'} -o DIR` writes it",
        f"{out / 'three.als'}: has no hash in SHA256SUMS; `scopec compile {programs / 'three.cu'} -o DIR` writes it",
        f"{out / 'four.als'}: nothing generates this file",
    ]
    assert scopec("compile", programs, "-o", out).returncode == 0
    assert scopec("compile", programs, "-o", out, "--check").stdout == ""


def test_a_program_with_an_engine_that_cannot_be_had_is_3(write: Callable[..., Path], tmp_path: Path) -> None:
    done = scopec("check", "--engine", "alloy", write(GOOD), XDG_CACHE_HOME=str(tmp_path), PATH=str(tmp_path))
    assert done.returncode == 3
    assert "npm is not on PATH" in done.stderr
    no_traceback(done)


def test_a_folder_to_keep_files_in_that_cannot_be_made_is_2(write: Callable[..., Path]) -> None:
    path = write(RACE)
    done = scopec("check", path, "--keep", path)
    assert done.returncode == 2
    assert "it is a file, and a folder is needed" in done.stderr


@pytest.mark.jvm
def test_a_violation_stands_where_what_alloy_read_cannot_be_kept(write: Callable[..., Path], jars: Jars) -> None:
    path, jar = write(RACE), str(jars["alloy"].path)
    done = scopec("check", path, "--engine", "alloy", XDG_CACHE_HOME=str(path), SCOPEC_ALLOY_JAR=jar)
    assert done.returncode == 1
    assert "set XDG_CACHE_HOME to a folder that can be written" in done.stderr


def test_only_what_an_engine_read_is_kept(write: Callable[..., Path], tmp_path: Path) -> None:
    done = scopec("check", write(RACE), "--engine", "embedded", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "generated" not in done.stdout
    assert not list(tmp_path.rglob("*.als"))
    kept = scopec("check", write(RACE), "--engine", "embedded", "--keep", tmp_path / "kept")
    (there,) = (tmp_path / "kept").iterdir()
    assert f"generated  {there.name} in {there.parent}" in kept.stdout


def test_a_file_name_need_not_be_text(tmp_path: Path) -> None:
    """File systems take any bytes; every format takes every name."""
    (tmp_path / "b\udcff d.cu").write_text(RACE)
    formats = ("json", "sarif", "junit", "github", "html")
    reports = [word for name in formats for word in ("--format", name, "--output", f"out.{name}")]
    done = scopec("check", ".", "--engine", "embedded", "--format", "text", *reports, cwd=tmp_path)
    assert done.stdout.startswith("b\\udcff d.cu\n  violated  race_free")
    assert (done.returncode, done.stderr) == (1, "")
    assert '"uri": "b%FF%20d.cu"' in (tmp_path / "out.sarif").read_text()


def test_output_that_cannot_be_written_is_2(write: Callable[..., Path], tmp_path: Path) -> None:
    done = scopec(
        "check",
        write("int main() {}\n//@ expect race_free;"),
        "--output",
        tmp_path / "no" / "folder",
        "--format",
        "json",
    )
    assert done.returncode in (2, 3)
    no_traceback(done)


def test_an_expectation_is_explained_as_the_language_has_it() -> None:
    for name in (
        "race_free",
        "race",
        "undefined",
        "allowed",
        "forbidden",
        "required",
        "terminates",
        "may_hang",
        "progresses",
        "may_stall",
    ):
        assert f"`expect {name}` holds if " in scopec("explain", name).stdout
    assert scopec("explain", "race_free").stdout.startswith(
        "race_free: `expect race_free` holds if no execution has a data race."
    )


def test_a_page_of_one_program_is_a_file_and_of_several_a_folder(tmp_path: Path) -> None:
    (tmp_path / "one.cu").write_text(RACE)
    for _ in range(2):  # an earlier page is written anew
        done = scopec("check", "one.cu", "--engine", "embedded", "-o", "x.html", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert "a data race on" in (tmp_path / "x.html").read_text()
    (tmp_path / "two.cu").write_text(GOOD)
    done = scopec("check", ".", "--engine", "embedded", "-o", "y.html", cwd=tmp_path)
    assert (tmp_path / "y.html" / "index.html").is_file()
    assert "2 programs: y.html is a folder of pages, with index.html" in done.stderr
