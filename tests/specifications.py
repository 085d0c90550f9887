"""The generated specifications of specs/, each made when a test asks for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from scopec.engines.table import file_name
from scopec.engines.tla import laws
from scopec.engines.tla.values import LAWS_MODULE
from scopec.program.names import identifier
from scopec.session.compile import MANIFEST, Specification, compile_programs
from scopec.session.plan import SUFFIXES, Overrides
from tests.conftest import REPOSITORY

_T = TypeVar("_T")

SPECS = REPOSITORY / "specs"
GENERATED = SPECS / "generated"
PROGRAMS = sorted(p for suffix in SUFFIXES for p in SPECS.rglob(f"*{suffix}"))
#: What clang made of them is kept between tests.
KEPT = Overrides(cache=True)
#: The places of all of them below specs/generated, where few are.
LISTED = frozenset((GENERATED / MANIFEST).read_text().splitlines())
PLACES = sorted(Path(line.partition("  ")[2]) for line in LISTED)
#: CI asks the engines about each; with SCOPEC_ENGINE_SPECS=all tests do so, too.
EVERY = os.environ.get("SCOPEC_ENGINE_SPECS") == "all"
#: With SCOPEC_NVCC_SPECS=all compilers take every file, host and device, with all of their headers (CONTRIBUTING.md).
WHOLE = os.environ.get("SCOPEC_NVCC_SPECS") == "all"
#: The module that those of programs extend.
LAWS = f"{LAWS_MODULE}.tla"


def some(found: Sequence[_T], step: int, *, every: bool = EVERY) -> Sequence[_T]:
    """Each ``step``-th of what there is, or all where that is wanted."""
    return found if every else found[::step]


def places(ending: str) -> list[Path]:
    """The places of the files with an ending, but of the laws."""
    return [place for place in PLACES if place.suffix == ending and place.name != LAWS]


@cache
def _made(program: Path) -> dict[Path, Specification]:
    return compile_programs([program], KEPT, "all")


def of(place: Path) -> list[Path]:
    """The programs that what is at a place may be made of, the likeliest first."""
    folder = [p for p in PROGRAMS if p.parent.relative_to(SPECS) == place.parent]
    named = [p for p in folder if place.stem.startswith((identifier(p.stem), file_name(identifier(p.stem))))]
    return sorted(named, key=lambda p: -len(p.stem))


def text(place: Path) -> str:
    """What is generated today for a place: its name begins with that of its program."""
    for program in of(place):
        if found := _made(program).get(Path(place.name)):
            return found.text
    raise AssertionError(f"nothing generates {place}")


def put(place: Path, folder: Path) -> Path:
    """Write what is generated for a place into a folder, and what it extends."""
    path = folder / place.name
    path.write_text(text(place), encoding="utf-8")
    if place.suffix == ".tla":
        (folder / LAWS).write_text(laws.text(), encoding="utf-8")
    return path
