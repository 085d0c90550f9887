"""Places of a text in the text that it has become."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.lsp.wire import Finding, Place


def shifted(findings: Iterable[Finding], file: str, old: str, new: str) -> Iterator[Finding]:
    """Findings of an old text of a file, where their lines are in a new one; those of changed lines are left out."""
    before, after = old.split("\n"), new.split("\n")
    first = _alike(before, after)
    rest = min(len(before), len(after)) - first
    last = len(before) - _alike(before[len(before) - rest :][::-1], after[len(after) - rest :][::-1])
    by = len(after) - len(before)
    for finding in findings:
        place = _moved(finding.place, first, last, by) if finding.place.file == file else finding.place
        if place is not None:
            yield replace(finding, place=place, related=(), fix=None, instead=None, meeting=())


def _moved(place: Place, first: int, last: int, by: int) -> Place | None:
    if place.end_line < first:
        return place
    if place.line >= last:
        return replace(place, line=place.line + by, end_line=place.end_line + by)
    return None


def _alike(before: list[str], after: list[str]) -> int:
    """How many lines are the same, from the first on."""
    return next(
        (n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other),
        min(len(before), len(after)),
    )
