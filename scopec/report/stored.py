"""Stored results, as ``check --format json`` has written them: read again, shown again, compared.  Nothing is asked."""

from __future__ import annotations

import json
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import UsageError, suggestion
from scopec.base.excerpt import clean
from scopec.base.files import text_of
from scopec.base.source import Span
from scopec.progress.schedule import Ending
from scopec.report.json import SCHEMA
from scopec.report.lanes import CLOSING, Row, in_file, lanes
from scopec.report.text import wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

#: A program or a check of results, as JSON values.
Values = dict[str, Any]
#: The keys that are read of each.
_OF_PROGRAM = frozenset({"file", "name", "variant", "model", "progress", "checks"})
_OF_CHECK = frozenset({"kind", "text", "verdict", "reason", "trace"})


def results(path: Path) -> Values:
    """The document of a file; UsageError where it is none."""
    wanted = f"{path} is not what `scopec check --format json` writes"
    try:
        found = json.loads(text_of(path))
    except OSError as failure:
        raise UsageError(f"cannot read {path}: {failure.strerror}") from failure
    except (ValueError, RecursionError) as bad:
        raise UsageError(f"{wanted}: it is no JSON ({bad})") from bad
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise UsageError(f"{wanted}: its `schema` is not `{SCHEMA}`")
    programs = found.get("programs")
    whole = isinstance(programs, list) and all(
        isinstance(p, dict) and p.keys() >= _OF_PROGRAM and isinstance(p["checks"], list) and all(
            isinstance(c, dict) and c.keys() >= _OF_CHECK for c in p["checks"]
        )
        for p in programs
    )  # fmt: skip
    if not whole:
        raise UsageError(f"{wanted}: its `programs` are not whole")
    return found


def chosen(document: Values, wanted: str | None) -> tuple[Values, Values]:
    """The program and the check to show, as ``scopec trace`` chooses of a file; UsageError where there is none."""
    every = [(program, check) for program in document["programs"] for check in program["checks"]]
    found = [one for one in every if one[1]["verdict"] != "holds"] or every
    if wanted is not None:
        found = [one for one in every if one[1]["text"].startswith(wanted)]
        if not found:
            texts = dict.fromkeys(str(check["text"]) for _, check in every)
            help_ = suggestion(wanted, texts) or "there are " + ", ".join(f"`{text}`" for text in texts)
            raise UsageError(f"there is no expectation `{wanted}`: {help_}")
    if not found:
        raise UsageError("there is nothing to show: the results have no verdict")
    return next((one for one in found if one[1]["trace"] is not None), found[0])


def alone(document: Values, program: Values, check: Values) -> str:
    """The document with that check alone."""
    count = {v: int(v == check["verdict"]) for v in ("holds", "violated", "unknown")}
    summary = {**count, "time_ms": check.get("time_ms", 0)}
    one = {**document, "programs": [{**program, "checks": [check]}], "summary": summary}
    return json.dumps(one, indent=2, ensure_ascii=True) + "\n"


def shown(path: Path, program: Values, check: Values, width: int) -> str:
    """One check with its trace as text; UsageError where the trace is not whole."""
    try:
        return "".join(f"{clean(line)}\n" for line in _lines(program, check, width))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as bad:
        message = f"{path} is not what `scopec check --format json` writes: a trace is not whole ({bad!r})"
        raise UsageError(message) from bad


def _lines(program: Values, check: Values, width: int) -> Iterator[str]:
    yield title(program)
    for directive in program.get("directives", ()):
        yield f"  guessed: {directive}"
    reason = f": {check['reason']}" if check["reason"] else ""
    yield from wrapped(f"  {check['verdict']}  {check['text']}{reason}", width, 4)
    yield ""
    trace = check["trace"]
    if trace is not None:
        threads, rows = (execution if trace["type"] == "execution" else schedule)(trace, program["file"])
        yield from lanes(threads, rows, width)
        yield ""
        if trace["type"] == "execution":
            yield from _relations(trace)
    for sentence in check.get("why", ()):
        yield from wrapped(f"why: {sentence}", width, 5)
    if check.get("advice"):
        yield from wrapped(f"try: {check['advice']}", width, 5)
    if check.get("instead"):
        yield from wrapped(f"or:  {check['instead']['advice']}", width, 5)


def title(program: Values) -> str:
    """The file with its variant and models."""
    variant = [f"{k} = {v}" for k, v in program["variant"].items()]
    return f"{program['file']} [{', '.join([*variant, program['model'], program['progress']])}]"


def place(values: Mapping[str, Any]) -> Span:
    """The place of an event or a step."""
    line, column = int(values["line"]), int(values["column"])
    return Span(str(values["file"]), line, column, line, column)


def execution(trace: Values, main: str) -> tuple[list[str], list[Row]]:
    """The threads of an execution, and a row an event."""
    events = {event["id"]: event for event in trace["events"]}
    sources = {read: write for write, read in trace["relations"].get("rf", ())}
    racing = (trace["race"] or {"accesses": ()})["accesses"]
    rows = [
        Row(
            lane(events, events[one]),
            words(events, sources, one, main),
            place(events[one]["span"]),
            {},
            one in racing,
            main,
        )
        for one in in_order(trace)
    ]
    rows += [
        Row(b["thread"], b["where"], place(b["span"]), main=main) for b in trace.get("behind", ()) if not b["period"]
    ]
    if "behind" in trace:
        rows.append(Row("", CLOSING[Ending.STOP]))
    return list(dict.fromkeys(row.thread for row in rows if row.thread)), rows


def lane(events: Mapping[str, Values], event: Values) -> str:
    """The column of an event: its thread's, or that of the copy of which it is an access."""
    if "agent" not in event:
        return str(event["thread"])
    return f"{event['thread']}, copy of line {events[event['agent']]['span']['line']}"


def words(events: Mapping[str, Values], sources: Mapping[str, str], one: str, main: str) -> str:
    """An event in words."""
    event = events[one]
    what, _, how = event["op"].partition(" ")[0].partition(".")
    mode = f" ({how.replace('.', ', ')})" if how else ""
    again = ", again and again" if event["last"] else ""
    if event["location"] is None:
        return f"{what}{mode}" if event["kind"] == "fence" else str(event["op"])
    if event["kind"] != "read":
        return f"write {event['location']} = {event['written']}{mode}"
    source = events.get(sources.get(one, ""))
    of = (
        ""
        if source is None
        else ", initial"
        if not source["thread"]
        else f", from {in_file(place(source['span']), main)}"
    )
    return f"read {event['location']} = {event['read']}{mode}{of}{again}"


def in_order(trace: Values) -> list[str]:
    """The events of threads, by the order in each and by what is read, if these have no cycle."""
    ids = [event["id"] for event in trace["events"] if event["thread"] and event["kind"] != "call"]
    before: dict[str, set[str]] = {one: set() for one in ids}
    last: dict[str, str] = {}
    events = {event["id"]: event for event in trace["events"]}
    for one in ids:
        in_lane = lane(events, events[one])
        before[one] |= {last[in_lane]} if in_lane in last else set()
        last[in_lane] = one
    for write, read in trace["relations"].get("rf", ()):
        if write in before and read in before:
            before[read].add(write)
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError:
        return ids


def _relations(trace: Values) -> Iterator[str]:
    events = {event["id"]: event for event in trace["events"]}
    for name in ("rf", "co", "fr", "sw"):
        for a, b in trace["relations"].get(name, ()):
            yield f"{name:<4} {_named(events[a])}  ->  {_named(events[b])}"
    yield ""


def _named(event: Values) -> str:
    thread = event["thread"]
    return f"{thread} {event['span']['line']}: {event['op']}" if thread else f"{event['location']}, initially"


def schedule(trace: Values, main: str) -> tuple[list[str], list[Row]]:
    """The threads of a schedule that move or stay behind, and a row a step."""
    rows: list[Row] = []
    ending = Ending(trace["ending"])
    for number, step in enumerate(trace["steps"]):
        if ending is Ending.LASSO and number == trace["loop_to"]:
            rows.append(Row("", "from here on, again and again"))
        changes = ", ".join(f"{name} = {value}" for name, value in step["changes"].items())
        text = step["action"] + (f" [{changes}]" if changes and "=" not in step["action"] else "")
        rows.append(Row(step["thread"], text, place(step["span"]), main=main))
    if ending is not Ending.LASSO:
        rows.append(Row("", CLOSING[ending]))
    present = {row.thread for row in rows} | {b["thread"] for b in trace["behind"]}
    return [thread for thread in trace["start"]["threads"] if thread in present], rows
