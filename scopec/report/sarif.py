"""SARIF 2.1.0: rules are kinds of violation, code flows the counterexamples, notifications the failures of engines."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import field
from typing import TYPE_CHECKING, Any

from scopec.base.excerpt import clean
from scopec.base.files import source_of
from scopec.base.records import dataclass
from scopec.base.version import __version__
from scopec.explain.reasons import explanation, race_of
from scopec.report.json import every
from scopec.report.lanes import rows
from scopec.report.paths import uri
from scopec.report.rules import diagnostic_rule, fingerprint, message, rule
from scopec.report.text import title
from scopec.report.unasked import unasked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.base.diagnostics import Diagnostic
    from scopec.base.source import Source, Span
    from scopec.explain.fixes import Replacement
    from scopec.explain.verdict import Check, Trace
    from scopec.memory.events.events import Event
    from scopec.report.rules import Rule
    from scopec.session.check import Outcome, Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def text(outcomes: Sequence[Outcome], exit_code: int) -> str:
    """The whole log, one run."""
    rules = _Rules()
    results = [r for outcome in outcomes for r in _results(outcome, rules)]
    failures = [_notification(o) for o in outcomes if o.failure is not None]
    invocation: dict[str, Any] = {"executionSuccessful": not failures, "exitCode": exit_code}
    if failures:
        invocation["toolExecutionNotifications"] = failures
    proofs = _proofs(outcomes)
    driver = {"name": "scopec", "version": __version__, "semanticVersion": __version__, "rules": rules.described()}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": results,
        "properties": {"notAsked": unasked(outcomes), **({"every": proofs} if proofs else {})},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=True) + "\n"


@dataclass
class _Rules:
    """The rules that results use, numbered in the order of their first use."""

    used: dict[str, Rule] = field(default_factory=dict)

    def of(self, found: Rule) -> dict[str, Any]:
        """The keys of a result that name its rule."""
        self.used.setdefault(found.id, found)
        return {"ruleId": found.id, "ruleIndex": list(self.used).index(found.id), "level": found.level}

    def described(self) -> list[dict[str, Any]]:
        """The descriptions of the rules in the log."""
        return [
            {
                "id": r.id,
                "name": "".join(word[:1].upper() + word[1:] for word in r.id.split("-")),
                "shortDescription": {"text": r.summary},
                "fullDescription": {"text": f"{r.summary}."},
                "help": {"text": r.help},
                "defaultConfiguration": {"level": r.level},
            }
            for r in self.used.values()
        ]


def _results(outcome: Outcome, rules: _Rules) -> Iterator[dict[str, Any]]:
    for diagnostic in outcome.diagnostics:
        yield _diagnostic(diagnostic, rules)
    for report in outcome.reports:
        for check in report.checks:
            if check.verdict != "holds":
                yield _result(report, check, rules)


def _diagnostic(diagnostic: Diagnostic, rules: _Rules) -> dict[str, Any]:
    return {
        **rules.of(diagnostic_rule(diagnostic)),
        "message": _message(f"{diagnostic.message}; {diagnostic.way_out}"),
        "locations": [_location(diagnostic.span)],
    }


def _result(report: Report, check: Check, rules: _Rules) -> dict[str, Any]:
    why = explanation(check)
    source = report.run.source
    first, *others = why.marks
    kind = rule(check)
    result: dict[str, Any] = {
        **rules.of(kind),
        "message": _message(f"{message(check, why)}. ({title(report)}, {report.run.model.name})"),
        "locations": [_location(first.span, source)],
        "partialFingerprints": {"scopec/v1": fingerprint(report, check, kind)},
        "properties": {
            "kind": check.expectation.kind,
            "expectation": clean(check.expectation.text),
            "verdict": check.verdict,
            "variant": _cleaned(report.run.program.variant),
            "model": report.run.model.name,
            "engine": check.engine,
            "guessed": bool(report.run.guessed),
            **({"directives": [clean(one) for one in report.run.guessed]} if report.run.guessed else {}),
            **({"read_with": _cleaned(report.run.program.read_with)} if report.run.program.read_with else {}),
            **({"compiled_by": clean(report.run.compiled_by)} if report.run.compiled_by else {}),
            **({"every": _cleaned(every(check.every))} if check.every is not None else {}),
        },
    }
    related = [(m.span, m.note) for m in others]
    if check.expectation.span != first.span:
        related.append((check.expectation.span, "expected here"))
    if related:
        result["relatedLocations"] = [
            {"id": number, **_location(span, source, note)} for number, (span, note) in enumerate(related)
        ]
    if check.fix:
        result["fixes"] = [_fix(check.advice or "", check.fix)]
        if check.instead is not None and check.instead.fix:
            result["fixes"].append(_fix(check.instead.said, check.instead.fix))
    flows = [] if check.trace is None else _thread_flows(check.trace, race_of(check) or (), source)
    if flows:  # an execution of threads that do nothing but compute has none
        result["codeFlows"] = [{"threadFlows": flows}]
    return result


def _proofs(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """What is proved of all launches, which is no result, with what it takes for granted."""
    return [
        {
            "uri": uri(outcome.file),
            "expectation": clean(check.expectation.text),
            "verdict": check.verdict,
            "every": _cleaned(every(check.every)),
        }
        for outcome in outcomes
        for report in outcome.reports
        for check in report.checks
        if check.every is not None and check.verdict == "holds"
    ]


def _cleaned(of: Any) -> Any:
    """Texts in lists and mappings, as they may be shown."""
    match of:
        case str():
            return clean(of)
        case dict():
            return {clean(name): _cleaned(value) for name, value in of.items()}
        case list():
            return [*map(_cleaned, of)]
        case _:
            return of


def _fix(said: str, fix: Sequence[Replacement]) -> dict[str, Any]:
    """Advice as changes of files."""
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in fix:
        replacement = {"deletedRegion": _region(one.span), "insertedContent": {"text": one.text}}
        files[one.span.file].append(replacement)
    changes = [{"artifactLocation": {"uri": uri(file)}, "replacements": its} for file, its in files.items()]
    return {"description": _message(said), "artifactChanges": changes}


def _thread_flows(trace: Trace, marked: Sequence[Event], source: Source) -> list[dict[str, Any]]:
    """One thread flow a thread, ordered among each other as the steps are (of an execution: as its values are read)."""
    threads, steps = rows(trace, marked)
    flows = []
    for thread in threads:
        locations = [
            {
                "location": _location(row.span, source, row.text),
                "executionOrder": number,
                "importance": "essential" if row.marked else "important",
                **_state(row.changes),
            }
            for number, row in enumerate(steps, start=1)
            if row.thread == thread and row.span is not None
        ]
        if locations:
            flows.append({"id": clean(thread), "message": _message(f"thread {thread}"), "locations": locations})
    return flows


def _state(changes: Mapping[str, str]) -> dict[str, Any]:
    return {"state": {clean(name): _message(value) for name, value in changes.items()}} if changes else {}


def _notification(outcome: Outcome) -> dict[str, Any]:
    return {
        "level": "error",
        "message": _message(outcome.failure or ""),
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri(outcome.file)}}}],
    }


def _region(span: Span) -> dict[str, Any]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _location(span: Span, source: Source | None = None, note: str = "") -> dict[str, Any]:
    region = _region(span)
    if source is not None:
        source = source_of(span, source)
        region["snippet"] = {"text": clean(source.text_of(span))}
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri(span.file)}, "region": region}
    if source is not None and not note:  # the place of a violation, with the lines around it
        physical["contextRegion"] = _around(span, source)
    location: dict[str, Any] = {"physicalLocation": physical}
    if note:
        location["message"] = _message(note)
    return location


def _around(span: Span, source: Source) -> dict[str, Any]:
    """The lines of a span, and one before and after."""
    first, last = max(1, span.line - 1), min(len(source.lines), span.end_line + 1)
    text = "\n".join(clean(source.line(number).rstrip("\r\n")) for number in range(first, last + 1))
    return {"startLine": first, "endLine": last, "snippet": {"text": text}}


def _message(said: str) -> dict[str, str]:
    """A message; ``[text](target)``, which would be a link, is not left in one."""
    return {"text": clean(said).replace("](", "] (")}
