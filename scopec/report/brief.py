"""The text report of many programs: what holds is counted by folder, and each kind of warning is printed once.

Failures and errors are printed in full, however many there are.
"""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.gpu.observed import Observed
from scopec.report.text import report_lines, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.base.diagnostics import Diagnostic
    from scopec.session.check import Outcome, Report

#: More programs than are listed one by one, and more folders than lines for them.
_MANY = 20
_FOLDERS = 25


def is_brief(outcomes: Sequence[Outcome], *, verbose: bool) -> bool:
    """Whether a report is so long that it is cut down; one of what a GPU has shown never is."""
    reports = [r for o in outcomes for r in o.reports]
    return not verbose and len(reports) > _MANY and not any(isinstance(r, Observed) for r in reports)


def lines(outcomes: Sequence[Outcome], *, quiet: bool, width: int) -> Iterator[str]:
    """The report in lines: what does not hold, then the others, counted by folder, with the first warning beside a
    verdict.
    """
    held: list[Report] = []
    for outcome in outcomes:
        for report in outcome.reports:
            if _holds(report):
                held.append(report)
            else:
                yield from map(clean, report_lines(report, verbose=False, quiet=quiet, width=width, first=True))
    if quiet:
        return
    programs = Counter(PurePath(report.run.file).parent for report in held)
    verdicts = Counter[PurePath]()
    for report in held:
        verdicts[PurePath(report.run.file).parent] += len(report.checks)
    depth = _depth(list(programs))
    for folder in sorted({_cut(folder, depth) for folder in programs}):
        below = [f for f in programs if _cut(f, depth) == folder]
        expected, of = (sum(counts[f] for f in below) for counts in (verdicts, programs))
        yield clean(f"  holds     {folder}: {_many(expected, 'expectation')} of {_many(of, 'program')}")
    warned = [(report, warning) for report in held for check in report.checks for warning in check.warnings]
    if warned:
        report, warning = warned[0]
        more = f"{_many(len(warned), 'warning')} beside what holds, each shown by -v; the first: "
        yield from map(clean, wrapped(f"{more}{report.run.file}: {warning}", width, 6))


def told(diagnostics: Sequence[Diagnostic]) -> Iterator[tuple[Diagnostic, str]]:
    """The diagnostics to tell of: errors, and the first warning of each code with a line on how many more there are."""
    left = Counter(d.code for d in diagnostics if d.severity != "error")
    for diagnostic in diagnostics:
        if diagnostic.severity == "error":
            yield diagnostic, ""
        elif count := left.pop(diagnostic.code, 0):
            more = f"  and {count - 1} more [{diagnostic.code.id}]: -v shows each" if count > 1 else ""
            yield diagnostic, more


def _holds(report: Report) -> bool:
    return all(check.verdict == "holds" for check in report.checks) and not (report.folder and report.generated)


def _depth(folders: Sequence[PurePath]) -> int:
    """The number of parts of a path at which there are few enough folders."""
    longest = max((len(folder.parts) for folder in folders), default=0)
    fits = (d for d in range(longest, 0, -1) if len({_cut(f, d) for f in folders}) <= _FOLDERS)
    return next(fits, 1)


def _cut(folder: PurePath, depth: int) -> PurePath:
    return PurePath(*folder.parts[:depth])


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'s' * (count != 1)}"
