"""Usual questions that a file did not ask."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scopec.session.check import Outcome, Report


def variants(reports: Iterable[Report]) -> Iterator[Report]:
    """The first report of each variant of a file: others are about the same program under other models."""
    seen: set[int] = set()
    for report in reports:
        if id(report.run.program) not in seen:
            seen.add(id(report.run.program))
            yield report


def unasked(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """The number of programs in which nothing asks each of the usual questions."""
    counts = Counter(name for o in outcomes for r in o.reports for name in r.run.not_asked)
    return dict(sorted(counts.items()))


def line(outcomes: Sequence[Outcome], *, quiet: bool) -> str | None:
    """One line on a suite, or on what is not said beside its program; None where everything is asked, or is said there.

    Nothing is said beside a litmus file, which nobody expects to ask more than its final clause.
    """
    reports = [r for o in outcomes for r in o.reports]
    silent = [r for r in reports if r.run.not_asked and (r.run.is_litmus or quiet)]
    if len(reports) < 2 and not silent:
        return None
    plural = len(reports) > 1
    told = [f"{name} of {n} program{'s' * (n > 1)}" if plural else name for name, n in unasked(outcomes).items()]
    return f"not asked: {', '.join(told)}" if told else None
