"""Pictures as SVG: threads as columns, events as boxes from top to bottom, relations as lines with their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import dist
from typing import TYPE_CHECKING

from scopec.report.layout import LETTER, PADDING, SMALL, Rect, label, layout
from scopec.report.templates import render

if TYPE_CHECKING:
    from scopec.report.picture import Box, Picture

_TITLE = 34
_BEND = 6


def svg(picture: Picture, *, name: str = "picture", alone: bool = True, main: str = "") -> str:
    """The picture as an SVG element; ``name`` keeps the ids of several on one page apart, ``main``
    is the file whose lines the page shows.

    One that stands ``alone`` brings its colours, a title and a legend; inside a page these are the page's.
    """
    at = layout(picture, _TITLE if alone else 8)
    return render(
        "picture.svg.j2",
        {
            "name": name,
            "alone": alone,
            "main": main,
            "picture": picture,
            "at": at,
            "boxes": [(b, at.boxes[b.id], _cut(b, at.boxes[b.id].width)) for b in picture.boxes],
            "edges": [(e.of, _path(e.corners), label(e.of), e.name) for e in at.edges],
            "band": _band(picture, at.boxes),
            "width": max(at.width, _widest(picture, alone)),
            "height": at.bottom + 28 + (18 * len(picture.relations) + 8 if alone else 0),
        },
    )


def _widest(picture: Picture, alone: bool) -> float:
    """The width of the widest text around a picture."""
    around = [len(picture.title), *(len(r.meaning) + 8 for r in picture.relations)] if alone else []
    return 32 + LETTER * max([len(picture.closing), *around])


def _cut(box: Box, width: float) -> tuple[str, ...]:
    """The lines of a box, cut to its width."""

    def fitted(text: str, letter: float) -> str:
        room = int((width - 2 * PADDING) / letter + 0.5)
        return text if len(text) <= room else text[: max(1, room - 1)] + "…"

    lines = (fitted(box.text, LETTER), fitted(box.detail, SMALL))
    return lines if box.detail else lines[:1]


def _band(picture: Picture, places: Mapping[str, Rect]) -> tuple[float, float] | None:
    """The rows that repeat: their y and height."""
    for edge in picture.edges:
        if edge.relation == "loop":
            top, last = places[edge.target], places[edge.source]
            return top.y - 8, last.bottom - top.y + 16
    return None


def _path(corners: Sequence[tuple[float, float]]) -> str:
    """A line through corners, each of them rounded."""
    return " ".join(_parts(corners))


def _parts(corners: Sequence[tuple[float, float]]) -> Iterator[str]:
    yield f"M{_point(corners[0])}"
    for before, (corner, after) in zip(corners, pairwise(corners[1:]), strict=False):
        into, out = (_towards(corner, end, min(_BEND, dist(corner, end) / 2)) for end in (before, after))
        yield f"L{_point(into)} Q{_point(corner)} {_point(out)}"
    yield f"L{_point(corners[-1])}"


def _towards(a: tuple[float, float], b: tuple[float, float], length: float) -> tuple[float, float]:
    share = length / (dist(a, b) or 1)
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _point(at: tuple[float, float]) -> str:
    return f"{at[0]:.5g} {at[1]:.5g}"
