"""The memory models that scopec has, by name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.diagnostics import Code, UsageError, error, suggestion
from scopec.memory.cat import model as cat_model
from scopec.memory.cat.read import read
from scopec.resources import resource
from scopec.syntax.scan import read_source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.source import Source, Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A named model: its .cat file, the document version that decides atomicity and scopes, and what it is."""

    name: str
    file: str
    version: int
    summary: str


MODELS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("cuda-v3", "cuda.cat", 3, "CUDA C++, the newest memory-model document (also called `cuda`)"),
        Entry("cuda-v2", "cuda.cat", 2, "CUDA C++, the document before it"),
        Entry("cuda-v1", "cuda.cat", 1, 'CUDA C++, the oldest document ("Thread Scopes")'),
    )
}
ALIASES = {"cuda": "cuda-v3"}


def find(name: str, span: Span | None = None) -> Entry:
    """The model called ``name``; InputError at ``span`` (UsageError without one) if there is none."""
    entry = MODELS.get(ALIASES.get(name, name))
    if entry is not None:
        return entry
    known = [*ALIASES, *MODELS]
    help_ = suggestion(name, known) or f"there are {', '.join(known)}"
    if span is not None:
        raise error(Code.UNKNOWN_NAME, f"there is no memory model `{name}`", span, help_)
    raise UsageError(f"there is no memory model `{name}`: {help_}")


def text(entry: Entry) -> Source:
    """The .cat file of a model."""
    return read_source(Path(resource(f"memory/models/{entry.file}")), f"models/{entry.file}")


def load(entry: Entry, options: Mapping[str, str]) -> cat_model.Model:
    """A model under options."""
    source = text(entry)
    return cat_model.build(read(source), source, options)
