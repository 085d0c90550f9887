"""Pictures as SVG: threads as columns, events as boxes from top to bottom, relations as curves with their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from scopec.report.templates import render

if TYPE_CHECKING:
    from scopec.report.picture import Box, Edge, Lane, Picture

_LETTER, _SMALL = 7.3, 6.1  # widths of a letter of the two sizes of the monospaced font
_PADDING = 10
_NARROWEST, _WIDEST = 120, 300
_GAP = 84  # between lanes: room for curves and their names
_MARGIN = 48
_BOX = 40
_ROW = 66
_TITLE, _HEAD = 34, 58

#: Where a relation leaves and enters a box, below its middle: several between the same two boxes stay apart.
_OFFSET = {"rf": -12, "sw": 1, "race": -5, "co": 8, "fr": 14, "hb": 12}


@dataclass(frozen=True, slots=True)
class _Rect:
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True, slots=True)
class _Box:
    """A box in its place, its lines cut to fit."""

    of: Box
    at: _Rect
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Curve:
    """An edge in its place: path data, and where its name stands."""

    of: Edge
    path: str
    x: float
    y: float


def svg(picture: Picture, *, name: str = "picture", alone: bool = True) -> str:
    """The picture as an SVG element; ``name`` keeps the ids of several on one page apart.

    One that stands ``alone`` brings its colours, a title and a legend; inside a page these are the page's.
    """
    lanes = _lanes(picture)
    initial = _initial(picture, lanes)
    top = (_TITLE if alone else 8) + (_BOX + 24 if initial else 0)
    places = {b.id: _place(b, lanes, top) for b in picture.boxes if b.lane is not None} | {
        b.id: _Rect(x, _TITLE if alone else 8, width, _BOX - 12) for b, x, width in initial
    }
    rows = 1 + max((b.row for b in picture.boxes), default=0)
    bottom = top + _HEAD + rows * _ROW
    width = max([r.x + r.width for r in lanes] + [x + w for _, x, w in initial] + [_widest(picture, alone)]) + _MARGIN
    return render(
        "picture.svg.j2",
        {
            "name": name,
            "alone": alone,
            "picture": picture,
            "boxes": [_Box(b, places[b.id], _cut(b, places[b.id].width)) for b in picture.boxes],
            "curves": [_curve(e, places, width) for e in picture.edges],
            "lanes": list(zip(picture.lanes, lanes, strict=True)),
            "groups": _groups(picture.lanes, lanes),
            "top": top,
            "bottom": bottom,
            "band": _band(picture, places),
            "width": width,
            "height": bottom + 28 + (18 * len(picture.relations) + 8 if alone else 0),
        },
    )


def _widest(picture: Picture, alone: bool) -> float:
    if not alone:
        return 0
    legend = [len(r.meaning) + 8 for r in picture.relations]
    return _MARGIN + _LETTER * max([len(picture.title), *legend])


def _lanes(picture: Picture) -> list[_Rect]:
    """The columns: as wide as their longest text, within limits; heights are not used."""
    found: list[_Rect] = []
    x = float(_MARGIN)
    for number, lane in enumerate(picture.lanes):
        longest = max(
            [_LETTER * len(lane.name)] + [_text_width(b) for b in picture.boxes if b.lane == number],
        )
        width = min(_WIDEST, max(_NARROWEST, longest + 2 * _PADDING))
        found.append(_Rect(x, 0, width, 0))
        x += width + _GAP
    return found


def _text_width(box: Box) -> float:
    return max(_LETTER * len(box.text), _SMALL * len(box.detail))


def _initial(picture: Picture, lanes: Sequence[_Rect]) -> list[tuple[Box, float, float]]:
    """The initial values side by side above the lanes, centred: each with its x and width."""
    boxes = [b for b in picture.boxes if b.lane is None]
    widths = [_LETTER * len(b.text) + 2 * _PADDING for b in boxes]
    total = sum(widths) + 16 * (len(widths) - 1)
    right = lanes[-1].x + lanes[-1].width if lanes else 0.0
    x = max(float(_MARGIN), (_MARGIN + right - total) / 2)
    found = []
    for box, width in zip(boxes, widths, strict=True):
        found.append((box, x, width))
        x += width + 16
    return found


def _place(box: Box, lanes: Sequence[_Rect], top: float) -> _Rect:
    assert box.lane is not None
    lane = lanes[box.lane]
    return _Rect(lane.x, top + _HEAD + box.row * _ROW, lane.width, _BOX)


def _cut(box: Box, width: float) -> tuple[str, ...]:
    """The lines of a box, cut to its width."""

    def fitted(text: str, letter: float) -> str:
        room = int((width - 2 * _PADDING) / letter + 0.5)
        return text if len(text) <= room else text[: max(1, room - 1)] + "…"

    lines = (fitted(box.text, _LETTER), fitted(box.detail, _SMALL))
    return lines if box.detail else lines[:1]


def _groups(lanes: Sequence[Lane], places: Sequence[_Rect]) -> list[tuple[str, float, float]]:
    """Blocks: name, x and width of the columns of each."""
    found = []
    for name, members in groupby(range(len(lanes)), key=lambda i: lanes[i].group):
        inside = list(members)
        left, right = places[inside[0]], places[inside[-1]]
        found.append((name, left.x - 16, right.x + right.width - left.x + 32))
    return found


def _band(picture: Picture, places: dict[str, _Rect]) -> tuple[float, float] | None:
    """The rows that repeat: their y and height."""
    for edge in picture.edges:
        if edge.relation == "loop":
            top, last = places[edge.target], places[edge.source]
            return top.y - 8, last.y + last.height - top.y + 16
    return None


def _curve(edge: Edge, places: dict[str, _Rect], width: float) -> _Curve:
    a, b = places[edge.source], places[edge.target]
    match edge.relation:
        case "po":
            return _Curve(edge, _line(a.middle, a.y + a.height, b.middle, b.y), a.middle, (a.y + b.y) / 2)
        case "loop":
            right = width - _MARGIN / 2
            start, end = a.y + a.height / 2, b.y + b.height / 2
            path = f"M{a.x + a.width:g} {start:g} H{right:g} V{end:g} H{b.x + b.width:g}"
            return _Curve(edge, path, right - 24, (start + end) / 2)
        case _:
            pass
    shift = _OFFSET.get(edge.relation, 0)
    if a.height < _BOX:  # an initial value: down into the top of the box
        x = b.x + b.width * (0.3 if edge.relation == "rf" else 0.7)
        down = (a.middle, a.y + a.height)
        found = _bezier(edge, down, (a.middle, a.y + a.height + 30), (x, b.y - 60), (x, b.y))
        return _Curve(edge, found.path, a.middle, a.y + a.height + 16)
    start_y, end_y = a.y + a.height / 2 + shift, b.y + b.height / 2 + shift
    if edge.source == edge.target:  # back to itself
        start_y, end_y = start_y + 8, end_y - 8
    if a.x == b.x:  # the same thread: around the right of what is between
        bow = a.x + a.width + 26 + abs(shift)
        return _bezier(edge, (a.x + a.width, start_y), (bow, start_y), (bow, end_y), (b.x + b.width, end_y))
    right = a.x < b.x
    start_x, end_x = (a.x + a.width, b.x) if right else (a.x, b.x + b.width)
    reach = (1 if right else -1) * max(40.0, abs(end_x - start_x) * 0.4)
    return _bezier(edge, (start_x, start_y), (start_x + reach, start_y), (end_x - reach, end_y), (end_x, end_y))


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f"M{x1:g} {y1:g} L{x2:g} {y2:g}"


_Point = tuple[float, float]


def _bezier(edge: Edge, a: _Point, b: _Point, c: _Point, d: _Point) -> _Curve:
    path = f"M{a[0]:g} {a[1]:g} C{b[0]:g} {b[1]:g} {c[0]:g} {c[1]:g} {d[0]:g} {d[1]:g}"
    x, y = ((a[i] + 3 * b[i] + 3 * c[i] + d[i]) / 8 for i in (0, 1))
    return _Curve(edge, path, x, y)
