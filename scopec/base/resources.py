"""Grammars, templates and documents: in the package in a wheel, at the top of the repository otherwise."""

from __future__ import annotations

from functools import cache
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The folder of scopec itself.
PACKAGE = Path(__file__).parent.parent


@cache
def resource(path: str) -> Path:
    """The file or folder ``path`` (such as ``grammar/cuda.lark``); FileNotFoundError if it is nowhere."""
    for root in (PACKAGE, PACKAGE.parent):
        candidate = root / path
        if candidate.exists():
            return candidate
    raise FileNotFoundError(f"{path}: not in this installation of scopec")


def rows(document: str, head: str) -> Iterator[str]:
    """The rows of the tables of a document whose head begins so."""
    text = resource("docs").joinpath(f"{document}.md").read_text(encoding="utf-8")
    for table in text.split(f"\n| {head}")[1:]:
        yield from (row.strip("| ") for row in table.partition("\n\n")[0].splitlines()[2:])
