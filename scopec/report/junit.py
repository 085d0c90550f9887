"""JUnit XML: one suite a file, one case an expectation.

Valid under both schemas in use, Ant's and Jenkins's: what only one of them knows (skipped cases, totals) is left out.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.explain.reasons import explanation
from scopec.report.rules import diagnostic_rule, message, rule
from scopec.report.text import counterexample, diagnostic_lines, read_with, title
from scopec.report.unasked import variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from scopec.explain.verdict import Check
    from scopec.session.check import Outcome, Report

_WIDTH = 100


def text(outcomes: Sequence[Outcome], started: datetime) -> str:
    """The whole report; ``started`` is when the checks began."""
    root = ET.Element("testsuites")
    for number, outcome in enumerate(outcomes):
        root.append(_suite(number, outcome, started))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(number: int, outcome: Outcome, started: datetime) -> ET.Element:
    cases = [_case(report, check) for report in outcome.reports for check in report.checks]
    errors = [d for d in outcome.diagnostics if d.severity == "error"]
    for diagnostic in errors:
        said = f"{diagnostic.message}; {diagnostic.way_out}"
        cases.append(
            _input(outcome, "error", diagnostic_rule(diagnostic).id, said, diagnostic_lines(diagnostic, quote=False))
        )
    if outcome.failure is not None:
        cases.append(_input(outcome, "error", "engine-failure", outcome.failure, [outcome.failure]))
    seconds = sum(c.time_ms for r in outcome.reports for c in r.checks) / 1000
    suite = ET.Element(
        "testsuite",
        {
            "name": clean(outcome.file),
            "package": clean(outcome.file),
            "id": str(number),
            "hostname": "localhost",
            "timestamp": started.strftime("%Y-%m-%dT%H:%M:%S"),
            "tests": str(len(cases)),
            "failures": str(sum(c.find("failure") is not None for c in cases)),
            "errors": str(sum(c.find("error") is not None for c in cases)),
            "time": f"{seconds:.3f}",
        },
    )
    properties = ET.SubElement(suite, "properties")
    of_suite = (_guessed, _read_with, _compiled_by, _not_asked, _every)
    for name, value in (found for of in of_suite for found in of(outcome)):
        ET.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    ET.SubElement(suite, "system-out").text = _lines(_void(outcome))
    warnings = [d for d in outcome.diagnostics if d.severity == "warning"]
    ET.SubElement(suite, "system-err").text = _lines(str(d) for d in warnings)
    return suite


def _case(report: Report, check: Check) -> ET.Element:
    case = ET.Element(
        "testcase",
        {"classname": title(report), "name": clean(check.expectation.text), "time": f"{check.time_ms / 1000:.3f}"},
    )
    if check.verdict != "holds":
        # An expectation that is violated is a failure; one that could not be decided went wrong otherwise.
        what = "failure" if check.verdict == "violated" else "error"
        bad = ET.SubElement(case, what, {"type": rule(check).id, "message": message(check, explanation(check))})
        bad.text = _lines(counterexample(check, report.run.source, _WIDTH))
    return case


def _input(outcome: Outcome, what: str, kind: str, said: str, lines: Iterable[str]) -> ET.Element:
    case = ET.Element("testcase", {"classname": clean(outcome.file), "name": kind, "time": "0.000"})
    ET.SubElement(case, what, {"type": kind, "message": clean(said)}).text = _lines(lines)
    return case


def _guessed(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The launches that were guessed."""
    for report in outcome.reports:
        if report.run.guessed:
            yield f"guessed for {title(report)}", clean(" ".join(report.run.guessed))


def _read_with(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The headers that are not scopec's own."""
    for report in outcome.reports:
        if report.run.program.read_with:
            yield f"headers of {title(report)}", clean(read_with(report.run))


def _compiled_by(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """What made the code of kernels."""
    for report in outcome.reports:
        if report.run.compiled_by:
            yield f"compiler of {title(report)}", clean(report.run.compiled_by)


def _not_asked(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The usual questions that nothing asks of a program."""
    for report in variants(outcome.reports):
        if report.run.not_asked:
            yield f"not asked of {title(report)}", ", ".join(report.run.not_asked)


def _every(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Of which launches verdicts about all are, what proofs take for granted, where that is not so, and the two
    accesses that meet or may.
    """
    for report in outcome.reports:
        for check in report.checks:
            if (of := check.every) is not None:
                said = clean(check.expectation.text)
                launched = " as launched" if of.as_launched else ""
                yield f"every of {said}", clean(f"{of.kernel}{launched}{f' where {of.where}' if of.where else ''}")
                if of.assumed:
                    yield f"assumed of {said}", clean(", ".join(of.assumed))
                if of.breaches:
                    told = (f"{one.assumption}: not so at {one.launch}: {one.said}" for one in of.breaches)
                    yield f"breaches of {said}", clean("; ".join(told))
                if of.pair:
                    yield f"pair of {said}", clean(" and ".join(f"{s.file}:{s.line}:{s.column}" for s in of.pair))


def _void(outcome: Outcome) -> Iterator[str]:
    for report in outcome.reports:
        for expectation in report.run.void:
            yield f"{title(report)}: not asked, as this variant {report.run.why_void}: {expectation.text}"


def _lines(lines: Iterable[str]) -> str:
    """Lines without characters that XML cannot hold."""
    return "\n".join(clean(line) for line in lines)
