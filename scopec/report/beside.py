"""Another execution than that of a verdict, and how it differs: ``--next`` and ``--nearest`` of ``scopec trace``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import UsageError
from scopec.base.excerpt import clean
from scopec.base.records import dataclass
from scopec.explain.differences import differences
from scopec.report import dot, json
from scopec.report.picture import picture, usual
from scopec.report.svg import svg
from scopec.report.text import counterexample, title, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.explain.verdict import Check
    from scopec.memory.execution import Execution
    from scopec.session.check import Report

SCHEMA = "scopec-execution/1"
_PICTURES = {"svg": svg, "dot": dot.dot, "mermaid": dot.mermaid}


@dataclass(frozen=True)
class Beside:
    """An execution beside the ``first`` one; it shows the ``same`` or not, and is the ``number``-th of ``count``.

    ``unfinished`` says why there may be more.
    """

    first: Execution
    execution: Execution
    same: bool
    number: int
    count: int
    unfinished: tuple[str, ...]


def shown(form: str, report: Report, check: Check, one: Beside, width: int) -> str:
    """The execution in a form; UsageError where there is none of it."""
    # Its trace is another: no suggestion was made from it.
    other = replace(check, trace=one.execution, advice=None, fix=(), instead=None, warnings=())
    match form:
        case "text":
            return "".join(f"{clean(line)}\n" for line in _lines(report, other, one, width))
        case "json":
            return json.text(_document(report, check, one))
        case _ if form in _PICTURES:
            return _PICTURES[form](usual(picture(other, f"{title(report)}: {_which(check, one)}")))
        case _:
            raise UsageError(f"--next and --nearest show text, JSON and pictures, not --{form}")


def _which(check: Check, one: Beside) -> str:
    text = check.expectation.text
    if one.same:
        return f"execution {one.number + 1} of {one.count + 1} of `{text}`, nearest to the first one first"
    return f"the nearest execution to that of `{text}` that does not show the same"


def _lines(report: Report, check: Check, one: Beside, width: int) -> Iterator[str]:
    yield from wrapped(f"{title(report)}: {_which(check, one)}", width, 2)
    yield ""
    for difference in differences(one.first, one.execution):
        yield from wrapped(f"differs: {difference}", width, 9)
    for reason in one.unfinished:
        yield from wrapped(f"there may be nearer ones: {reason}", width, 2)
    yield ""
    yield from counterexample(check, report.run.source, width, everything=True)


def _document(report: Report, check: Check, one: Beside) -> dict[str, Any]:
    return {
        **json.head(SCHEMA, report, check),
        "same": one.same,
        "number": one.number,
        "count": one.count,
        "unfinished": list(one.unfinished),
        "differences": list(differences(one.first, one.execution)),
        "execution": json.execution(one.execution, check.expectation.target),
    }
