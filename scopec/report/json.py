"""The JSON report, schema scopec/1 (results note): keys may be added, none goes away."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scopec.base.version import __version__
from scopec.explain import reasons
from scopec.gpu.observed import Observed
from scopec.hangs.execution import StuckExecution
from scopec.memory.events.events import Kind, shown_location
from scopec.memory.execution import Execution
from scopec.program.ir import Proxy

if TYPE_CHECKING:
    from scopec.base.diagnostics import Diagnostic
    from scopec.explain.fixes import Replacement
    from scopec.explain.verdict import AllLaunches, Check
    from scopec.hangs.provenance import Provenance
    from scopec.memory.events.events import Event
    from scopec.program.expectations import Expectation
    from scopec.program.observe import Target
    from scopec.session.check import Outcome, Report
    from scopec.session.final_states import Listing
    from scopec.session.inquiry.run import Run

SCHEMA = "scopec/1"


def document(outcomes: Sequence[Outcome], engines: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The whole report as JSON values."""
    checks = [c for o in outcomes for r in o.reports for c in r.checks]
    return {
        "schema": SCHEMA,
        "scopec": __version__,
        "diagnostics": [diagnostic(d) for o in outcomes for d in o.diagnostics],
        "failures": [{"file": o.file, "message": o.failure} for o in outcomes if o.failure is not None],
        "engines": engines,
        "programs": [program(r) for o in outcomes for r in o.reports],
        "summary": {
            **{v: sum(c.verdict == v for c in checks) for v in ("holds", "violated", "unknown")},
            "time_ms": round(seconds * 1000, 1),
        },
    }


def text(values: dict[str, Any]) -> str:
    """JSON text, readable, ASCII only (so that nothing in a name can disturb a terminal)."""
    return json.dumps(values, indent=2, ensure_ascii=True) + "\n"


def head(schema: str, report: Report, c: Check) -> dict[str, Any]:
    """The beginning of a document of this schema about one check of a program."""
    run, asked_for = report.run, c.expectation
    return {
        "schema": schema,
        "scopec": __version__,
        "file": run.file,
        "name": run.name,
        "model": run.model.name,
        "check": {"kind": asked_for.kind, "text": asked_for.text, "verdict": c.verdict},
    }


def diagnostic(d: Diagnostic) -> dict[str, Any]:
    """A message about the input."""
    return {"code": d.code.id, "severity": d.severity, "message": d.message, "help": d.way_out, **d.span.as_json()}


def listed(
    listings: Sequence[Listing], warnings: Sequence[Diagnostic], engines: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """The document of `scopec outcomes`: that of a check that checks nothing, with `outcomes` in each program."""
    whole = document([], engines, seconds)
    programs = [
        {
            **unchecked(listing.run),
            "phases_ms": {listing.engine: round(listing.seconds * 1000, 1)},
            "executions": listing.executions,
            "outcomes": [
                {
                    "state": dict(state.values),
                    "executions": state.executions,
                    "racy": state.racy,
                    "execution": execution(state.execution),
                }
                for state in listing.states
            ],
            "unfinished": list(listing.unfinished),
            "remarks": list(listing.remarks),
        }
        for listing in listings
    ]
    return {**whole, "diagnostics": [diagnostic(d) for d in warnings], "programs": programs}


def unchecked(run: Run) -> dict[str, Any]:
    """One run of which nothing was asked."""
    return {
        **_settings(run),
        "generated": [],
        "generated_in": None,
        "phases_ms": {},
        "checks": [],
        "void": [expected(e) for e in run.void],
    }


def expected(e: Expectation) -> dict[str, Any]:
    """One expectation."""
    return {"kind": e.kind, "text": e.text, "span": e.span.as_json()}


def _settings(run: Run) -> dict[str, Any]:
    return {
        "file": run.file,
        "name": run.name,
        "variant": dict(run.program.variant),
        "model": run.model.name,
        "options": dict(run.settings.options),
        "given": dict(run.settings.given),
        "progress": run.progress.name,
        "bound": dict(run.settings.bound),
        "guessed": bool(run.guessed),
        "directives": list(run.guessed),
        "guess_notes": list(run.guess_notes),
        **({"read_with": dict(run.program.read_with)} if run.program.read_with else {}),
        **({"compiled_by": run.compiled_by} if run.compiled_by else {}),
    }


def program(report: Report) -> dict[str, Any]:
    """One run with its checks."""
    run = report.run
    return {
        **_settings(run),
        "generated": list(report.generated),
        "generated_in": None if report.folder is None else str(report.folder),
        "phases_ms": {name: round(ms, 1) for name, ms in report.phases},
        "checks": [{**check(c), **_streams(run, c)} for c in report.checks],
        "void": [expected(e) for e in run.void],
        "not_asked": list(run.not_asked),
        **(_seen(report) if isinstance(report, Observed) else {}),
    }


def _seen(report: Observed) -> dict[str, Any]:
    """The states that a GPU showed."""
    states = [
        {"state": dict(s.values), "count": s.count, "counts": list(s.counts), "status": s.status} for s in report.shown
    ]
    return {
        "gpu": report.gpu,
        "built": list(report.built),
        "runs": report.runs,
        "unended": report.unended,
        "seen": states,
    }


def replacements(changes: Sequence[Replacement]) -> list[dict[str, Any]]:
    """Changes of a text."""
    return [
        {**r.span.as_json(), "end_line": r.span.end_line, "end_column": r.span.end_column, "text": r.text}
        for r in changes
    ]


def check(c: Check) -> dict[str, Any]:
    """One verdict."""
    return {
        "kind": c.expectation.kind,
        "text": c.expectation.text,
        "span": c.expectation.span.as_json(),
        "verdict": c.verdict,
        "reason": c.reason,
        "engine": c.engine,
        "time_ms": round(c.time_ms, 1),
        "states": c.states,
        "cached": c.cached,
        "hangs": None if c.hangs is None else asked(c.hangs),
        "content": list(c.content),
        "addresses": list(c.addresses),
        "rests_on": list(c.rests_on),
        "every": None if c.every is None else every(c.every),
        "warnings": list(c.warnings),
        "why": list(reasons.explanation(c).sentences),
        "advice": c.advice,
        "fix": replacements(c.fix),
        "instead": None if c.instead is None else {"advice": c.instead.said, "fix": replacements(c.instead.fix)},
        "trace": None
        if c.trace is None
        else execution(c.trace, c.expectation.target)
        if isinstance(c.trace, Execution)
        else c.trace.as_json(),
    }


def _streams(run: Run, c: Check) -> dict[str, Any]:
    """What the host gives to streams in a check's trace, where it has some."""
    if c.trace is None:
        return {}
    from scopec.report.streams import stream_picture  # Start-up: few checks have a trace.

    drawn = stream_picture(run.program, c, "")
    if drawn is None:
        return {}
    items = [
        {"id": b.id, "lane": b.lane, "what": b.text, "more": b.detail, "span": b.span.as_json(), "marked": b.marked}
        for b in drawn.boxes
    ]
    arrows = [{"relation": e.relation, "from": e.source, "to": e.target} for e in drawn.edges]
    lanes = [{"name": lane.name, "graph": lane.groups[0] if lane.groups else None} for lane in drawn.lanes]
    return {"streams": {"lanes": lanes, "items": items, "arrows": arrows}}


def every(e: AllLaunches) -> dict[str, Any]:
    """Of which launches of which kernel a verdict about all is."""
    return {
        "kernel": e.kernel,
        "where": e.where,
        "as_launched": e.as_launched,
        "assumed": list(e.assumed),
        "pair": [span.as_json() for span in e.pair],
        "breaches": [
            {"assumption": b.assumption, "launch": b.launch, "places": [s.as_json() for s in b.places], "said": b.said}
            for b in e.breaches
        ],
    }


def asked(a: Provenance) -> dict[str, Any]:
    """The part of a progress question that was asked, and the engines that answered it."""
    return {"asked": a.option, "schedules": a.schedules, "executions": a.memory, "whole": a.whole}


def execution(e: Execution, target: Target | None = None) -> dict[str, Any]:
    """An execution: its events, the relations that a reader needs, its final state, and the race if it has one."""
    program_ = e.graph.program
    relations: dict[str, list[list[str]]] = {}
    for name in ("rf", "co", "fr", "sw", "hb"):
        pairs = e.derived(name)
        if pairs is not None:
            relations[name] = [[a.id, b.id] for a, b in pairs]
    relations["race"] = [[a.id, b.id] for a, b in e.race]
    pair = e.racing_pair(target)
    return {
        **_left(e),
        "type": "execution",
        "events": [event(e, x) for x in e.events],
        "relations": relations,
        "final": {shown_location(at, program_): value for at, value in e.final_memory().items()},
        "complete": e.complete,
        "race": None
        if pair is None
        else {"accesses": [a.id for a in pair], "why": f"{e.shown_race(pair)}: {reasons.race(e, pair)}"},
    }


def _left(e: Execution) -> dict[str, Any]:
    """The places at which the threads of an execution that gets stuck are left."""
    if not isinstance(e, StuckExecution):
        return {}
    return {
        "behind": [
            {
                "thread": b.thread,
                "where": b.where,
                "why": b.why,
                "span": b.span.as_json(),
                "period": [x.id for x in e.period(b.thread)],
            }
            for b in e.behind
        ]
    }


def event(e: Execution, x: Event) -> dict[str, Any]:
    """One event with the values it read and wrote."""
    return {
        "id": x.id,
        "thread": x.thread or None,
        "span": x.span.as_json(),
        "op": x.text,
        "kind": x.kind.name.lower(),
        "order": None if x.order is None else x.order.value,
        "scope": None if x.scope is None else x.scope.name.lower(),
        "location": None if x.location is None else shown_location(x.location, e.graph.program),
        "read": e.values.get(x.id) if x.kind is Kind.READ else None,
        "written": e.value(x.value) if x.value is not None else None,
        "last": x.last,
        **({"agent": x.agent} if x.agent else {}),
        **({"proxy": x.proxy.value} if x.proxy is not None and x.proxy is not Proxy.GENERIC else {}),
    }
