"""Headers that people include first, and pieces of code over them, read over NVIDIA's own: tables.

:mod:`benchmarks.headers.specs` compares the programs of specs/ over scopec's headers and over these.

``python -m benchmarks.headers CLONES`` checks the headers of ``headers.tsv``, ``--pieces`` the programs of ``pieces/``.
``repositories.tsv`` says which commit of which repository, and which of its folders a build names with ``-I``.  CLONES
has a folder for each repository that is measured (``git clone --bare URL CLONES/NAME``); of the others nothing is told.

A header is checked by a call of ``scopec check --headers real`` about a file with a kernel that does nothing; with
``--nvcc``, one that is not read is compiled by that.  A piece says in its first line what it needs; it is right, and
broken where its constant BROKEN is 1.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROGRAM = (
    "#include <{header}>\n__global__ void scopec_reads() {{}}\n//@ launch scopec_reads<<<1, 1>>>(); expect race_free;\n"
)
KEPT = (sys.executable, "-m", "scopec.cli", "check", "--engine", "embedded", "--headers", "real")
CHECK = (*KEPT, "--no-cache")
#: What nvcc needs to compile these: lambdas of kernels, and functions that are constant expressions.
NVCC = ("-std=c++17", "-arch=sm_90a", "--extended-lambda", "--expt-relaxed-constexpr", "-ptx", "-o", os.devnull)
ERROR = re.compile(r"\b(?:fatal )?error\b.*?: (.*)")
VERDICT = re.compile(r"^\s+(holds|violated|unknown)\s", re.M)
NEEDS = re.compile(r" needs: ([\w -]+)\.")


@dataclass(frozen=True)
class Repository:
    """A commit of a repository, and the folders that a build names."""

    name: str
    repository: str
    commit: str
    folders: tuple[str, ...]


@dataclass(frozen=True)
class Called:
    """What became of a call, and its CPU seconds."""

    status: int
    said: str
    seconds: float

    def error(self) -> str:
        """The first error."""
        found = ERROR.search(self.said)
        return found[1] if found else f"status {self.status}"


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table beside this module."""
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def repositories() -> dict[str, Repository]:
    """All of the table, by name."""
    return {
        row["name"]: Repository(row["name"], row["repository"], row["commit"], tuple(row["folders"].split()))
        for row in rows("repositories.tsv")
    }


def unpacked(one: Repository, clones: Path, into: Path) -> Path | None:
    """The folder with a repository's text; None where it is not cloned."""
    place, text = clones / one.name, into / one.name
    if not place.is_dir():
        return None
    if not text.is_dir():
        text.mkdir()
        index = dict(os.environ, GIT_INDEX_FILE=str(into / f"{one.name}.index"))
        command = ["git", f"--git-dir={place}", f"--work-tree={text}", "checkout", "-q", one.commit, "--", *one.folders]
        subprocess.run(command, check=True, env=index)
    return text


def folders(names: list[str], clones: Path, into: Path) -> list[str] | None:
    """The words that name the folders of repositories; None where one is not cloned."""
    table, words = repositories(), []
    for name in names:
        text = unpacked(table[name], clones, into)
        if text is None:
            return None
        words += [f"-I{text / part}" for part in table[name].folders]
    return words


def needs(piece: Path) -> list[str]:
    """The repositories that a piece names in its first line."""
    found = NEEDS.search(piece.read_text(encoding="utf-8").partition("\n")[0])
    return found[1].split() if found else []


def call(command: list[str], limit: int, cache: Path | None = None) -> Called:
    """Make a call that may take so many seconds, and keeps what it makes in ``cache``."""
    variables = dict(os.environ, SCOPEC_SERVER="off") | ({} if cache is None else {"XDG_CACHE_HOME": str(cache)})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=limit, check=False, env=variables
        )
        status, said = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, said = 124, f"error: not read in {limit} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Called(status, said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def headers(clones: Path, into: Path, only: str, nvcc: str | None, limit: int) -> Iterator[tuple[str, ...]]:
    """For each header whether it is read, or the first error; CPU seconds; what nvcc says of one that is not."""
    for row in rows("headers.tsv"):
        words = folders([row["repository"], *row["with"].split()], clones, into)
        if words is None or only not in f"{row['repository']} {row['header']}":
            continue
        file = into / "reads.cu"
        file.write_text(PROGRAM.format(header=row["header"]), encoding="utf-8")
        read = call([*CHECK, *words, str(file)], limit)
        told = (row["repository"], row["header"], "read" if read.status == 0 else read.error(), f"{read.seconds:.1f}")
        if nvcc is None or read.status == 0:
            yield told
        else:
            compiled = call([nvcc, *NVCC, *words, str(file)], limit)
            yield *told, "nvcc: read" if compiled.status == 0 else f"nvcc: {compiled.error()}"


def pieces(clones: Path, into: Path, only: str, limit: int) -> Iterator[tuple[str, ...]]:
    """For each piece its verdicts, or the first error; CPU seconds of the first call ever, of one about a text that was
    changed since, for which the headers are kept precompiled, and of the same call again."""
    for piece in sorted((HERE / "pieces").glob("*.cu")):
        words = folders(needs(piece), clones, into)
        if words is None or only not in piece.stem:
            continue
        cache, file = into / f"{piece.stem}.cache", into / "text" / piece.name
        cache.mkdir()
        file.parent.mkdir(exist_ok=True)
        command = [*KEPT, "--timeout", str(limit), *words, str(file)]
        text, calls = piece.read_text(encoding="utf-8"), []
        for edit in ("", "// an edit\n", "// an edit\n"):
            file.write_text(text + edit, encoding="utf-8")
            calls.append(call(command, 2 * limit, cache))
        shutil.rmtree(cache)
        verdicts = " ".join(VERDICT.findall(calls[-1].said))
        yield piece.stem, verdicts or calls[-1].error(), *(f"{one.seconds:.1f}" for one in calls)


def main() -> None:
    """Print what is asked for, a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--pieces", action="store_true")
    parser.add_argument("--only", default="", help="those of which the repository or name contains this")
    parser.add_argument("--nvcc", help="compile by this nvcc the headers that are not read")
    parser.add_argument("--limit", type=int, default=60, help="seconds a call may take")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        into = Path(name)
        told = (
            pieces(given.clones, into, given.only, given.limit)
            if given.pieces
            else headers(given.clones, into, given.only, given.nvcc, given.limit)
        )
        for line in told:
            print("\t".join(line), flush=True)


if __name__ == "__main__":
    main()
