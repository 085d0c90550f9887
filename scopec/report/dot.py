"""Pictures as text for Graphviz and Mermaid."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.report.picture import Box, Picture

_COLOURS = {
    "po": "#6e7781", "rf": "#1a7f37", "co": "#8a5300", "fr": "#7a3fd0", "sw": "#0550ae", "hb": "#57606a",
    "race": "#c81e2b", "no-sw": "#c81e2b", "loop": "#0550ae", "period": "#0550ae", "waits": "#c81e2b",
    "issue": "#8c959f", "stream": "#0550ae", "event": "#1a7f37", "fires": "#8a5300", "returns": "#7a3fd0",
    "missing": "#c81e2b",
}  # fmt: skip


def _label(box: Box) -> str:
    return f"{box.text}\n{box.detail}" if box.detail else box.text


# ---------------------------------------------------------------- Graphviz


def dot(picture: Picture) -> str:
    """The picture in the language of Graphviz: a cluster a thread."""
    return "\n".join(_dot(picture)) + "\n"


def _dot(picture: Picture) -> Iterator[str]:
    yield f"digraph {_quoted(picture.title)} {{"
    yield '  node [shape=box, fontname="monospace"]; edge [fontname="monospace"]; rankdir=TB;'
    for number, lane in enumerate(picture.lanes):
        yield f"  subgraph cluster_{number} {{ label={_quoted(lane.name)};"
        yield from (f"    {_node(b)}" for b in picture.boxes if b.lane == number)
        yield "  }"
    yield from (f"  {_node(b)}" for b in picture.boxes if b.lane is None)
    for edge in picture.edges:
        name = edge.relation
        looks = f'color="{_COLOURS[name]}"'
        if name != "po":
            looks += f', label="{name}", fontcolor="{_COLOURS[name]}", constraint=false'
        if name == "race":
            looks += ", dir=both, penwidth=2"
        yield f"  {_quoted(edge.source)} -> {_quoted(edge.target)} [{looks}];"
    if picture.closing:
        yield f"  label={_quoted(picture.closing)};"
    yield "}"


def _node(box: Box) -> str:
    looks = ", color=red, penwidth=2" if box.marked else ", style=dashed" if box.lane is None else ""
    return f"{_quoted(box.id)} [label={_quoted(_label(box))}{looks}];"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


# ---------------------------------------------------------------- Mermaid


def mermaid(picture: Picture) -> str:
    """The picture as a Mermaid flow chart: a subgraph a thread."""
    return "\n".join(_mermaid(picture)) + "\n"


def _mermaid(picture: Picture) -> Iterator[str]:
    yield "---"
    yield f'title: "{_safe(picture.title)}"'
    yield "---"
    yield "flowchart TB"
    number = {b.id: f"n{i}" for i, b in enumerate(picture.boxes)}
    for index, lane in enumerate(picture.lanes):
        yield f'  subgraph t{index}["{_safe(lane.name)}"]'
        yield from (f'    {number[b.id]}["{_safe(_label(b))}"]' for b in picture.boxes if b.lane == index)
        yield "  end"
    yield from (f'  {number[b.id]}(["{_safe(_label(b))}"])' for b in picture.boxes if b.lane is None)
    arrows = {"po": "-->", "race": "<==>", "sw": "==>", "loop": "==>", "period": "==>", "waits": "-.->"}
    for edge in picture.edges:
        label = "" if edge.relation == "po" else f"|{edge.relation}|"
        yield f"  {number[edge.source]} {arrows.get(edge.relation, '-.->')}{label} {number[edge.target]}"
    styles = [f"{i} stroke:{_COLOURS[e.relation]}" for i, e in enumerate(picture.edges)]
    yield from (f"  linkStyle {style}" for style in styles)
    marked = ",".join(number[b.id] for b in picture.boxes if b.marked)
    if marked:
        yield "  classDef marked stroke:#c81e2b,stroke-width:3px"
        yield f"  class {marked} marked"
    if picture.closing:
        yield f'  closing["{_safe(picture.closing)}"]'


def _safe(text: str) -> str:
    """Text whose special characters are written as Mermaid's entity codes."""
    return re.sub(r"[^\w .,:=()/+-]", lambda m: "<br/>" if m[0] == "\n" else f"#{ord(m[0])};", text)
