"""Compiles a harness with nvcc or clang, as its Makefile says, and runs it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

from scopec.base.diagnostics import EngineError, UsageError
from scopec.base.files import write_below
from scopec.frontends.clang import command
from scopec.gpu.results import Results, read

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WAY_OUT = "name one with --nvcc, or write the harness with --emit and run `make` where there is one"


def write(files: Mapping[str, str], folder: Path) -> None:
    """Write the files of a harness to a folder; UsageError where they cannot be written."""
    try:
        for name, text in files.items():
            write_below(folder, name, text)
    except OSError as failure:
        raise UsageError(f"cannot write to {folder}: {failure.strerror}") from failure


def find(named: str | None) -> str:
    """The compiler that is named, or else the nvcc on PATH; EngineError if there is none, or no make."""
    for program in (named or "nvcc", "make"):
        if shutil.which(program) is None:
            raise EngineError(f"there is no {f'`{named}`' if program == named else f'{program} on PATH'}: {WAY_OUT}")
    return shutil.which(named or "nvcc") or ""


def clang() -> str:
    """The clang that compiles tests, the one that reads .cu files, with its headers; EngineError if there is none."""
    found = command.found()
    return shlex.join([*found.program, "-resource-dir", str(found.resources)])


def results(files: Mapping[str, str], folder: Path, way: Mapping[str, str], jobs: int) -> Results:
    """Build a harness in a folder, run it, and read what it wrote; EngineError where that fails.

    ``way`` are variables of its Makefile: NVCC, ARCH, FLAGS and, where clang compiles the tests, CLANG.
    """
    write(files, folder)
    _done(["make", f"-j{jobs}", "run", *(f"{name}={value}" for name, value in way.items())], folder)
    with (folder / "results.jsonl").open("w") as out:
        ran = subprocess.run([str(folder / "run")], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        said = ran.stderr.strip() or f"status {ran.returncode}"
        raise EngineError(f"there is no GPU that the harness can use ({said}): use --emit elsewhere")
    return read(folder / "results.jsonl")


def _done(command: list[str], folder: Path) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        said = [line for line in (ran.stderr or ran.stdout).splitlines() if not line.startswith("make")]
        raise EngineError(f"{command[0]} failed: {'; '.join(said[:5])}")
