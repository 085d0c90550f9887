"""Build flags: those of the command line, and those of a compilation database."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, InputError, error
from scopec.base.files import text_of
from scopec.base.lazy_import import later
from scopec.base.records import dataclass

if TYPE_CHECKING:
    import shlex
    from collections.abc import Iterator, Sequence

    from scopec.base.source import Span
else:
    shlex = later("shlex")

_DATABASE = "compile_commands.json"
_DEFAULT_STREAM = ("--default-stream", "-default-stream", "-fgpu-default-stream")
#: What "--default-stream per-thread" of nvcc defines (CUDA C++ Programming Guide, "Default Stream").
_PER_THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"
#: Options with a value that is written behind them, or as the next word.
_VALUES = ("-isystem", "-include", "-iquote", "-I", "-D", "-U")


@dataclass(frozen=True)
class Flags:
    """The flags of a build, beside the file.

    ``folders`` are those of ``-I``; ``macros`` are ``-DNAME=VALUE`` and ``-UNAME`` in order; ``std`` is the language
    (``c++17`` or newer); ``forced`` are headers read before the file (``-include``); ``database`` is a folder with a
    ``compile_commands.json``, which says the same of each file (JSON Compilation Database Format).  ``headers`` are
    those of the library: scopec's own (``shims``), NVIDIA's (``real``) of the toolkit in the folder ``toolkit``, or
    where that is None of what there is; ``auto`` are scopec's own.  ``through`` is how nvcc compiles kernels (one of
    WAYS of :mod:`through`), "" where clang reads them; ``nvcc`` names that program.  No build
    has ``instead``: the files of which another text is read.
    """

    folders: tuple[Path, ...] = ()
    macros: tuple[str, ...] = ()
    std: str = "c++20"
    forced: tuple[Path, ...] = ()
    database: Path | None = None
    headers: str = "auto"
    toolkit: Path | None = None
    through: str = ""
    nvcc: str | None = None
    instead: tuple[tuple[Path, str], ...] = ()

    def of(self, path: Path, span: Span) -> Flags:
        """The flags for a file: those of the database, then these.

        Raises InputError, at ``span``, where the database cannot be read or does not have the file.
        """
        if self.database is None:
            return self
        found = _of_command(_entry(self.database, path, span), self.std)
        return replace(
            found, folders=(*found.folders, *self.folders), macros=(*found.macros, *self.macros),
            forced=(*found.forced, *self.forced), headers=self.headers, toolkit=self.toolkit,
            through=self.through, nvcc=self.nvcc,
        )  # fmt: skip


def _entry(folder: Path, path: Path, span: Span) -> dict[str, Any]:
    file = folder / _DATABASE
    try:
        entries = json.loads(text_of(file))
        found = [e for e in entries if (Path(e["directory"]) / e["file"]).resolve() == path.resolve()]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as failure:
        raise _useless(f"{file} cannot be read as a compilation database ({failure})", span) from None
    if not found:
        raise _useless(f"{file} has no entry for {path.name}", span)
    entry = dict(found[0])
    try:
        words = entry.get("arguments") or shlex.split(entry.get("command") or "")
        texts = [entry["directory"], *(words if isinstance(words, list) else [None])]
    except (ValueError, AttributeError):  # a quote that is not closed; no text
        texts = [None]
    if not all(map(_nameable, texts)):
        raise _useless(f"{file} has an entry for {path.name} that is not as the format has it", span)
    return {**entry, "arguments": words}


def _nameable(text: object) -> bool:
    """Whether it is a text that a program may be called with."""
    try:
        return isinstance(text, str) and "\0" not in text and bool(os.fsencode(text) or True)
    except UnicodeEncodeError:
        return False


def _useless(message: str, span: Span) -> InputError:
    return error(Code.UNREADABLE, message, span, "name the folder of a build of this file with -p, or leave -p out")


def _of_command(entry: dict[str, Any], std: str) -> Flags:
    words = entry["arguments"]
    base = Path(entry["directory"])
    folders: list[Path] = []
    macros: list[str] = []
    forced: list[Path] = []
    for option, value in _options(words):
        match option:
            case "-I" | "-isystem" | "-iquote":
                folders.append(base / value)
            case "--default-stream":
                macros += [f"-D{_PER_THREAD}"] if value == "per-thread" else []
            case "-D" | "-U":
                macros.append(option + value)
            case "-include":
                forced.append(base / value)
            case _:
                std = value.replace("gnu++", "c++")
    return Flags(tuple(folders), tuple(macros), std, tuple(forced))


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options of a command that matter here, with their values."""
    waiting: str | None = None
    for word in words:
        if waiting is not None:
            yield waiting, word
            waiting = None
        elif word in _VALUES:
            waiting = word
        elif word.partition("=")[0] in _DEFAULT_STREAM:
            if "=" in word:
                yield "--default-stream", word.partition("=")[2]
            else:
                waiting = "--default-stream"
        elif word.startswith(("-std=", "--std=")):
            yield "-std", word.partition("=")[2]
        elif (option := next((o for o in _VALUES if word.startswith(o)), None)) is not None:
            yield option, word[len(option) :].removeprefix("=")
