"""The memory models that scopec has, by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, UsageError, bounded_nesting, error, suggestion
from scopec.base.files import quoted, quoting, read_source
from scopec.base.records import dataclass
from scopec.base.resources import resource
from scopec.memory.cat import tree
from scopec.memory.cat.build import KNOWN, build
from scopec.memory.cat.read import read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Source, Span
    from scopec.memory.cat.model import Model

_NEWEST = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A model: its name and .cat file, and what it is; a user's own has its path as both.

    ``version`` is that of the CUDA document which decides what is atomic and which threads a scope includes; without
    one every atomic operation is atomic.
    """

    name: str
    file: str
    version: int | None
    summary: str
    own: bool = False


MODELS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("cuda-v3", "cuda.cat", 3, "CUDA C++, the newest memory-model document (also called `cuda`)"),
        Entry("cuda-v2", "cuda.cat", 2, "CUDA C++, the document before it"),
        Entry("cuda-v1", "cuda.cat", 1, 'CUDA C++, the oldest document ("Thread Scopes")'),
        Entry("hrf0", "hrf0.cat", None, "heterogeneous-race freedom as first published (HRF0, MSPC 2013)"),
        Entry("hrf-direct", "hrf-direct.cat", None, "HRF-direct (ASPLOS 2014): who communicates uses one scope"),
        Entry("hrf-indirect", "hrf-indirect.cat", None, "HRF-indirect (ASPLOS 2014): transitive through scopes"),
        Entry("sc-drf", "sc-drf.cat", None, "sequential consistency for data-race-free programs: scopes are ignored"),
        Entry("rc11", "rc11.cat", None, "repaired C11 (Lahav et al., PLDI 2017): scopes are ignored"),
        Entry(
            "ptx",
            "ptx.cat",
            None,
            "the PTX ISA 6.0 memory model (ASPLOS 2019), with proxies that of ISA 7.5 (ISCA 2022)",
        ),
    )
}
ALIASES = {"cuda": "cuda-v3"}


def find(name: str, span: Span | None = None) -> Entry:
    """The model called ``name``, or the .cat file of that path.

    Raises InputError at ``span``, where a program names it, or UsageError if there is none.
    """
    entry = MODELS.get(ALIASES.get(name, name))
    if entry is not None:
        return entry
    if name.endswith(".cat") and span is None:
        source = read_source(Path(name), name)
        with quoting(source):
            version = _NEWEST if "CUDA" in read(source).headers else None
        return Entry(name, name, version, "a model of the user's", own=True)
    known = [*ALIASES, *MODELS]
    help_ = suggestion(name, known) or f"there are {', '.join(known)}"
    if span is not None:
        raise error(Code.UNKNOWN_NAME, f"there is no memory model `{name}`", span, help_)
    raise UsageError(f"there is no memory model `{name}`: {help_} (a .cat file can be named too)")


def _path(entry: Entry) -> Path:
    return Path(entry.file) if entry.own else Path(resource("memory/models")) / entry.file


def text(entry: Entry) -> Source:
    """The .cat file of a model."""
    return read_source(_path(entry), entry.file if entry.own else f"models/{entry.file}")


def texts(entry: Entry) -> list[Source]:
    """The .cat file of a model, and the files beside it that it includes, and that these do."""
    folder, found = _path(entry).parent, [text(entry)]
    seen = {_path(entry).name}
    for source in found:  # which grows
        for statement in read(source).statements:
            if isinstance(statement, tree.Include) and statement.file not in seen:
                seen.add(statement.file)
                if (path := folder / statement.file).is_file() and statement.file not in KNOWN:
                    found.append(read_source(path, statement.file if entry.own else f"models/{statement.file}"))
    return found


def load(entry: Entry, options: Mapping[str, str], *, stuck: bool = False) -> Model:
    """A model under options; InputError where a user's file is outside the subset of cat.

    With ``stuck`` it is about executions in which nothing changes any more.
    """
    return _build(entry, options, stuck) if entry.own else _known(entry, tuple(sorted(options.items())), stuck)


def same_as(entry: Entry, options: Mapping[str, str]) -> str | None:
    """The file of the built-in model that says the same under options, whatever its name is; None if none does."""
    if not entry.own:
        return entry.file
    own = load(entry, options).meaning
    built_in = {known.file: known for known in MODELS.values()}
    return next((file for file, known in built_in.items() if load(known, options).meaning == own), None)


@cache
def _known(entry: Entry, options: tuple[tuple[str, str], ...], stuck: bool) -> Model:
    return _build(entry, dict(options), stuck)


def _build(entry: Entry, options: Mapping[str, str], stuck: bool) -> Model:
    source = text(entry)
    with quoting(source), bounded_nesting(source.span(0, 0), "an expression", "name parts of it with `let`"):
        built = build(read(source), source, options, _path(entry).parent, stuck=stuck)
    return replace(built, warnings=tuple(quoted(warning, source) for warning in built.warnings))
