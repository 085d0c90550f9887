"""Layout of a picture: boxes in lanes, edges in the gutters between them, names that do not overlap.

Lanes have gutters beside them, rows corridors above them.  An edge leaves a box sideways and goes along a gutter; one
that passes lanes goes along a corridor to a second gutter.  Where two would meet, each has a track of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, count, pairwise, takewhile
from math import ceil
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.report.picture import Box, Edge, Picture

LETTER, SMALL = 7.3, 6.1  # widths of a letter of the two sizes of the monospaced font
PADDING = 10
_NARROWEST, _WIDEST = 120, 300
_MARGIN, _GAP, _BORDER = 16, 28, 12  # around all, between lanes without edges, between nested groups
_BOX, _INITIAL, _PORT = 40, 28, 10  # heights of boxes, and between the edges at a side of one
_STUB, _TRACK = 26, 16  # from a lane to the first track of a gutter, and from track to track
_SHIFT = 2.5  # of what leaves to the right downwards, to the left upwards: the two sides of a gutter do not meet
_CORRIDOR, _ROAD = 26, 8  # between two rows, and for each edge that goes along there
_TITLE, _NAME, _LABEL = 16, 30, 13
_STRAIGHT = ("po", "stream")  # the order of a lane


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle by its corner at the top left."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower side."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """Half way from left to right."""
        return self.x + self.width / 2

    def overlaps(self, other: Rect) -> bool:
        """Whether some point is inside both."""
        across = self.x < other.right and other.x < self.right
        return across and self.y < other.bottom and other.y < self.bottom


@dataclass(frozen=True, slots=True)
class PlacedEdge:
    """An edge as the corners of its way, and where its name stands."""

    of: Edge
    corners: tuple[tuple[float, float], ...]
    name: Rect | None


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a picture's parts: boxes by their ids, groups from the outside in with their titles' x."""

    boxes: Mapping[str, Rect]
    edges: tuple[PlacedEdge, ...]
    groups: tuple[tuple[str, Rect, float], ...]
    names: tuple[Rect, ...]
    width: float
    bottom: float


@dataclass(frozen=True, slots=True)
class _Route:
    """The gutters that an edge goes along, that of its source first; the corridor between them, or from above.

    A straight one has no gutter; -1 is the corridor above all lanes, to which initial values go down.
    """

    edge: Edge
    a: Box
    b: Box
    gutters: tuple[int, ...]
    corridor: int | None = None


#: The edges at each side of a box, from top to bottom.
_Ports = dict[tuple[str, int], list[tuple[_Route, int]]]
#: A part of a route in a gutter: from one y to another, and whether the name of the edge stands there.
_Stretch = tuple[_Route, float, float, bool]


@dataclass(frozen=True, slots=True)
class _Track:
    """The distance of a route along a gutter from its lane, and the middle of its name if that stands there."""

    x: float
    name: float | None


def label(edge: Edge) -> str:
    """The label of an edge; none on the order of a lane."""
    words = {
        "po": "",
        "no-sw": "no sw",
        "loop": "again",
        "period": "again",
        "waits": "waits for",
        "stream": "",
        "issue": "",
    }
    return words.get(edge.relation, edge.relation)


def layout(picture: Picture, top: float = 8) -> Layout:
    """The places of everything in a picture, from ``top`` downwards."""
    boxes = {b.id: b for b in picture.boxes}
    taken = {(b.lane, b.row) for b in picture.boxes if b.lane is not None}
    routes = [_route(e, boxes[e.source], boxes[e.target], len(picture.lanes), taken) for e in picture.edges]
    ports = _ports(routes)
    corridors = {c: _colours([(r, *_across(r)) for r in routes if r.corridor == c]) for c in range(-1, len(boxes) + 2)}

    # From the top down: rows are as high as the edges at their boxes need, corridors as those along them.
    depth = max((len(lane.groups) for lane in picture.lanes), default=0)
    road_y = {-1: top + _INITIAL + 12}
    lanes_top = y = road_y[-1] + _roads(corridors[-1]) if any(b.lane is None for b in picture.boxes) else top
    y += _TITLE * depth + _NAME
    rows: list[Rect] = []  # their x and width are not used
    for row in range(1 + max((b.row for b in picture.boxes), default=0)):
        road_y[row] = y + _CORRIDOR / 2 * (row > 0)
        y += _CORRIDOR * (row > 0) + _roads(corridors[row])
        most = max((len(found) for (id_, _), found in ports.items() if boxes[id_].row == row), default=0)
        rows.append(Rect(0, y, 0, max(_BOX, _PORT * (most + 1))))
        y = rows[-1].bottom
    road_y[len(rows)] = y + _CORRIDOR / 2
    y += _CORRIDOR / 2 + _roads(corridors[len(rows)])
    bottom = y + 6 * depth

    def port(route: _Route, end: int) -> float:
        box = (route.a, route.b)[end]
        found = ports[side := _side(route, end)]
        share = (found.index((route, end)) + 1) / (len(found) + 1)
        return rows[box.row].y + rows[box.row].height * share + _SHIFT * side[1]

    def ys(route: _Route) -> tuple[float, ...]:
        """The heights at which a route is horizontal."""
        if not route.gutters:
            return ()
        if route.corridor is None:
            return port(route, 0), port(route, 1)
        road = road_y[route.corridor] + _ROAD * corridors[route.corridor][route]
        return (road, port(route, 1)) if route.a.lane is None else (port(route, 0), road, port(route, 1))

    # From left to right: gutters are as wide as the edges along them need.
    stretches: dict[int, list[_Stretch]] = defaultdict(list)
    for route in routes:
        parts = [sorted(max(y, rows[0].y - 8) for y in pair) for pair in pairwise(ys(route))]  # not beside the titles
        longest = max(parts, key=lambda part: part[1] - part[0], default=None)
        for gutter, part in zip(route.gutters, parts, strict=True):
            stretches[gutter].append((route, part[0], part[1], part is longest and bool(label(route.edge))))
    tracks = {gutter: _tracks(found) for gutter, found in stretches.items()}
    widths = {g: max(t.x for t in found.values()) + _stub(stretches[g]) for g, found in tracks.items()}
    columns = _columns(picture, widths)
    lanes = columns.lanes

    places = {
        b.id: replace(rows[b.row], x=lanes[b.lane].x, width=lanes[b.lane].width)
        for b in picture.boxes
        if b.lane is not None
    }
    places |= _initial([b for b in picture.boxes if b.lane is None], lanes, top)
    edges = []
    for route in routes:
        found = [
            (columns.bases[g] + tracks[g][route].x * (1 if g else -1), tracks[g][route].name) for g in route.gutters
        ]
        name = next((_name_at(route.edge, x, y) for x, y in found if y is not None), None)
        edges.append(PlacedEdge(route.edge, _corners(route, places, [x for x, _ in found], ys(route), ports), name))
    groups = tuple(
        (
            g.title,
            Rect(g.x, lanes_top + _TITLE * g.level, g.width, bottom - lanes_top - (_TITLE + 6) * g.level),
            lanes[g.first].x,
        )
        for g in columns.groups
    )
    names = tuple(
        Rect(lane.x, lanes_top + _TITLE * depth + 8, LETTER * len(of.name), 14)
        for of, lane in zip(picture.lanes, lanes, strict=True)
    )
    width = max([columns.right, *(r.right for r in places.values())]) + _MARGIN
    return Layout(places, tuple(edges), groups, names, width, bottom)


# ---------------------------------------------------------------- ways


def _route(edge: Edge, a: Box, b: Box, lanes: int, taken: set[tuple[int, int]]) -> _Route:
    """The way of an edge: within a lane at its outer side, to the next lane between the two, else along a corridor."""
    assert b.lane is not None
    outer = b.lane + (2 * b.lane >= lanes - 1)
    if edge.relation == "loop":  # nothing is beside a step of a schedule
        return _Route(edge, a, b, (lanes,))
    if a.lane is None:
        return _Route(edge, a, b, (outer,), -1)
    if a.lane == b.lane:
        between = any((a.lane, row) in taken for row in range(a.row + 1, b.row))
        return _Route(edge, a, b, () if edge.relation in _STRAIGHT and a.row < b.row and not between else (outer,))
    right = a.lane < b.lane
    gutters = (a.lane + right, b.lane + (not right))
    if gutters[0] == gutters[1]:
        return _Route(edge, a, b, gutters[:1])
    return _Route(edge, a, b, gutters, b.row + (b.row <= a.row))


def _side(route: _Route, end: int) -> tuple[str, int]:
    """The side at which an edge leaves (0) or enters (1) a box: its id, and -1 at its left, 1 at its right, 0 at its
    bottom.
    """
    box = (route.a, route.b)[end]
    if box.lane is None:
        return box.id, 0
    return box.id, 1 if route.gutters[-end] > box.lane else -1


def _ports(routes: Sequence[_Route]) -> _Ports:
    """The edges at each side of a box, from top to bottom: those that come from above first."""
    found: _Ports = defaultdict(list)
    for route in routes:
        for end in (0, 1) if route.gutters else ():
            found[_side(route, end)].append((route, end))
    for ends in found.values():
        ends.sort(key=lambda at: (at[0].b, at[0].a)[at[1]].row)
    return found


def _across(route: _Route) -> tuple[float, float]:
    """The gutters between which a route goes along a corridor; initial values stand anywhere."""
    return (min(route.gutters), max(route.gutters)) if route.corridor != -1 else (0, 1)


def _colours(spans: Sequence[tuple[_Route, float, float]]) -> dict[_Route, int]:
    """The smallest numbers, shortest spans first, such that no two that meet have the same."""
    found: dict[_Route, int] = {}
    placed: list[tuple[int, float, float]] = []
    for route, low, high in sorted(spans, key=lambda span: span[2] - span[1]):
        found[route] = next(
            n for n in count() if not any(n == m and low <= bottom and top <= high for m, top, bottom in placed)
        )
        placed.append((found[route], low, high))
    return found


def _roads(colours: Mapping[_Route, int]) -> float:
    return _ROAD * (1 + max(colours.values())) + 6 if colours else 0


def _tracks(stretches: Sequence[_Stretch]) -> dict[_Route, _Track]:
    """The track of each route in a gutter: one whose names would overlap those before it is moved away from them."""
    half = _LABEL / 2 + 1
    spans = [(r, min(lo, (lo + hi) / 2 - half), max(hi, (lo + hi) / 2 + half), named) for r, lo, hi, named in stretches]
    colours = _colours([span[:3] for span in spans])
    found: dict[_Route, _Track] = {}
    names: list[Rect] = []
    at = _stub(stretches)
    for colour in range(max(colours.values()) + 1):
        members = [span for span in spans if colours[span[0]] == colour]
        for x in count(at, _TRACK // 2):
            free = {r: _free(r.edge, x, low, high, names) for r, low, high, named in members if named}
            if None not in free.values():
                break
        placed = {route: name for route, name in free.items() if name is not None}
        found |= {r: _Track(x, placed[r].y + _LABEL / 2 if r in placed else None) for r, *_ in members}
        names += placed.values()
        at = x + _TRACK
    return found


def _stub(stretches: Sequence[_Stretch]) -> int:
    """From a lane to the first track of a gutter: the names there do not reach into the lane."""
    return max([_STUB, *(ceil(SMALL * len(label(route.edge)) / 2) + 2 for route, _, _, named in stretches if named)])


def _name_at(edge: Edge, x: float, y: float) -> Rect:
    width = SMALL * len(label(edge))
    return Rect(x - width / 2, y - _LABEL / 2, width, _LABEL)


def _free(edge: Edge, x: float, low: float, high: float, names: Sequence[Rect]) -> Rect | None:
    """A place for the name of an edge on its track, as near to the middle as the other names let it."""
    middle, reach = (low + high) / 2, (high - low - _LABEL) / 2
    steps = [step * sign for step in range(int(reach) + 1) for sign in (1, -1)]
    found = (_name_at(edge, x, middle + step) for step in steps)
    return next((name for name in found if not any(name.overlaps(other) for other in names)), None)


# ---------------------------------------------------------------- columns


@dataclass(frozen=True, slots=True)
class _Group:
    """A group in its columns: how many are around it, and the number of its first lane."""

    title: str
    level: int
    first: int
    x: float
    width: float = 0


@dataclass(frozen=True, slots=True)
class _Columns:
    """Lanes, of which y and height are not used; where the tracks of gutters begin; and groups."""

    lanes: list[Rect]
    bases: list[float]
    groups: list[_Group]
    right: float


def _columns(picture: Picture, widths: Mapping[int, float]) -> _Columns:
    """From left to right; the outermost gutters are inside the groups, the others outside those of one lane only."""
    lanes: list[Rect] = []
    bases: list[float] = []
    groups: list[_Group] = []
    open_: list[_Group] = []
    x, last = float(_MARGIN), len(picture.lanes)
    for gutter in range(last + 1):
        here = picture.lanes[gutter].groups if gutter < last else ()
        kept = len(list(takewhile(lambda pair: pair[0].title == pair[1], zip(open_, here, strict=False))))
        if gutter == last:
            bases.append(x)
            x += widths.get(gutter, 0)
        while len(open_) > kept:
            x += _BORDER
            group = open_.pop()
            groups.append(replace(group, width=x - group.x))
        if 0 < gutter < last:
            bases.append(x)
            x += widths.get(gutter, _GAP)
        new = here[kept:]
        open_ += [_Group(title, kept + n, gutter, x + _BORDER * n) for n, title in enumerate(new)]
        x += _BORDER * len(new)
        if gutter < last:
            if not gutter:
                x += widths.get(gutter, 0)
                bases.append(x)
            lanes.append(Rect(x, 0, _lane_width(picture, gutter, new), 0))
            x = lanes[-1].right
    return _Columns(lanes, bases, sorted(groups, key=lambda group: group.level), x)


def _lane_width(picture: Picture, number: int, titles: Sequence[str]) -> float:
    """As wide as the longest text in it, within limits, and as the titles that begin above it."""
    texts = [max(LETTER * len(b.text), SMALL * len(b.detail)) for b in picture.boxes if b.lane == number]
    width = max([LETTER * len(picture.lanes[number].name), *texts]) + 2 * PADDING
    return max([_NARROWEST, min(_WIDEST, width), *(SMALL * len(title) for title in titles)])


def _initial(boxes: Sequence[Box], lanes: Sequence[Rect], top: float) -> dict[str, Rect]:
    """The initial values side by side above the lanes, centred."""
    widths = [LETTER * len(b.text) + 2 * PADDING for b in boxes]
    right = lanes[-1].right if lanes else 0.0
    x = max(float(_MARGIN), (_MARGIN + right - sum(widths) - 16 * (len(widths) - 1)) / 2)
    starts = accumulate(widths, lambda at, width: at + width + 16, initial=x)
    return {b.id: Rect(at, top, width, _INITIAL) for b, at, width in zip(boxes, starts, widths, strict=False)}


def _corners(
    route: _Route, places: Mapping[str, Rect], xs: Sequence[float], ys: Sequence[float], ports: _Ports
) -> tuple[tuple[float, float], ...]:
    """The way of an edge, along tracks at ``xs`` between the heights ``ys``."""
    a, b = places[route.a.id], places[route.b.id]
    if not xs:
        return (a.middle, a.bottom), (b.middle, b.y)
    match _side(route, 0)[1]:
        case 0:
            beside = ports[_side(route, 0)]
            x = a.x + a.width * (beside.index((route, 0)) + 1) / (len(beside) + 1)
            found = [(x, a.bottom), (x, ys[0])]
        case side:
            found = [(a.right if side > 0 else a.x, ys[0])]
    for x, (before, after) in zip(xs, pairwise(ys), strict=True):
        found += [(x, before), (x, after)]
    return *found, (b.right if _side(route, 1)[1] > 0 else b.x, ys[-1])
