"""Pictures and a page of stored results: what is drawn is what the document has, and no program is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from scopec.base.diagnostics import UsageError
from scopec.base.excerpt import clean
from scopec.base.version import __version__
from scopec.progress.schedule import Ending
from scopec.report import stored
from scopec.report.dot import dot, mermaid
from scopec.report.lanes import CLOSING, line
from scopec.report.picture import Box, Edge, Lane, Picture, following, parted, reduced
from scopec.report.svg import svg
from scopec.report.templates import render

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scopec.report.stored import Values

FORMS = ("svg", "dot", "mermaid", "html")


def shown(form: str, path: Path, program: Values, check: Values) -> str:
    """One check with its trace in a form; UsageError where it has no trace, or one that is not whole."""
    if check["trace"] is None:
        raise UsageError(f"there is no trace to draw: `{check['text']}` {check['verdict']} ({stored.title(program)})")
    try:
        drawn = _picture(program, check)
        if form != "html":
            return {"svg": svg, "dot": dot, "mermaid": mermaid}[form](drawn)
        return _page(path, program, check, drawn)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as bad:
        message = f"{path} is not what `scopec check --format json` writes: a trace is not whole ({bad!r})"
        raise UsageError(message) from bad


def _page(path: Path, program: Values, check: Values, drawn: Picture) -> str:
    return render(
        "stored.html.j2",
        {
            "title": stored.title(program),
            "check": check,
            "why": check.get("why", ()),
            "advice": check.get("advice"),
            "instead": (check.get("instead") or {}).get("advice"),
            "svg": Markup(svg(drawn)),
            "text": stored.shown(path, program, check, 100),
            "version": __version__,
        },
    )


def _picture(program: Values, check: Values) -> Picture:
    title = clean(f"{stored.title(program)}: {check['text']}")
    trace = check["trace"]
    return (_execution if trace["type"] == "execution" else _schedule)(trace, title, program["file"])


def _execution(trace: Values, title: str, main: str) -> Picture:
    events = {event["id"]: event for event in trace["events"]}
    threads, _ = stored.execution(trace, main)
    relations = {name: [(a, b) for a, b in pairs] for name, pairs in trace["relations"].items()}
    sources = {read: write for write, read in relations["rf"]}
    racing = (trace["race"] or {"accesses": ()})["accesses"]
    boxes: list[Box] = []
    rows: dict[str, int] = {}
    lowest: dict[str, int] = {}
    for one in stored.in_order(trace):
        lane = stored.lane(events, events[one])
        rows[one] = max(lowest.get(lane, -1), rows.get(sources.get(one, ""), -1)) + 1
        lowest[lane] = rows[one]
        span = stored.place(events[one]["span"])
        what, how = parted(stored.words(events, sources, one, main))
        boxes.append(Box(one, threads.index(lane), rows[one], f"{line(span, main)}: {what}", how, span, one in racing))
    edges = [*(Edge("po", a.id, b.id) for a, b in following(boxes)), *_edges(relations, {box.id for box in boxes})]
    used = {edge.source for edge in edges} - {box.id for box in boxes}
    first = [
        Box(one, None, 0, f"{events[one]['location']}, initially", "", stored.place(events[one]["span"]))
        for one in used
    ]
    return Picture(title, tuple(map(Lane, threads)), (*sorted(first, key=lambda b: b.id), *boxes), tuple(edges))


def _edges(relations: dict[str, list[tuple[str, str]]], inside: set[str]) -> Iterator[Edge]:
    """The edges that a reader needs, as of a program: steps of orders, and from a read to the next write alone."""
    yield from (Edge("rf", a, b) for a, b in relations["rf"] if b in inside)
    order = relations["co"]
    ends = {end for pair in order for end in pair}
    yield from (Edge("co", a, b) for a, b in reduced(order, ends) if a in inside and b in inside)
    later = set(order)
    replaced = relations.get("fr", [])
    for read, write in replaced:
        nearer = any(r == read and (w, write) in later for r, w in replaced)
        if not nearer and read in inside and write in inside:
            yield Edge("fr", read, write)
    for name in ("sw", "race"):
        yield from (Edge(name, a, b) for a, b in relations.get(name, ()) if a in inside and b in inside)


def _schedule(trace: Values, title: str, main: str) -> Picture:
    threads, _ = stored.schedule(trace, main)
    boxes: list[Box] = []
    for number, step in enumerate(trace["steps"], start=1):
        span = stored.place(step["span"])
        changes = ", ".join(
            f"{name} = {value}" for name, value in step["changes"].items() if name not in step["action"]
        )
        text = f"{line(span, main)}: {step['action']}"
        boxes.append(Box(f"step{number}", threads.index(step["thread"]), number - 1, text, changes, span, step=number))
    for behind in trace["behind"]:
        span = stored.place(behind["span"])
        text = f"{line(span, main)}: {behind['where']}"
        boxes.append(
            Box(f"end_{behind['thread']}", threads.index(behind["thread"]), len(trace["steps"]), text, "", span, True)
        )
    edges = [Edge("po", a.id, b.id) for a, b in following(boxes)]
    ending = Ending(trace["ending"])
    if ending is Ending.LASSO and trace["loop_to"] is not None and trace["loop_to"] < len(trace["steps"]):
        edges.append(Edge("loop", f"step{len(trace['steps'])}", f"step{trace['loop_to'] + 1}"))
    return Picture(title, tuple(map(Lane, threads)), tuple(boxes), tuple(edges), CLOSING[ending])
