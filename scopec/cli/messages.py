"""Messages of commands: lines, diagnostics and a status on standard error, and who answered."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, Diagnostic, ScopecError
from scopec.report import terminal

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.cli.decided import Decided
    from scopec.session.check import Outcome, Report, Settings


def say(said: str) -> None:
    """Tell the user; nothing in a name can disturb the terminal."""
    from scopec.base.excerpt import clean

    terminal.tell(clean(f"scopec: {said}"))


def show(diagnostic: Diagnostic) -> None:
    """Print a diagnostic, with its lines of the source."""
    from scopec.report.text import diagnostic_lines

    for line in diagnostic_lines(diagnostic, terminal.width()):
        terminal.tell(terminal.painted(line) if terminal.colours(sys.stderr) else line)


def problems(outcomes: Sequence[Outcome], *, verbose: bool = True) -> None:
    """Diagnostics and engine failures, on standard error, except those that stand beside a verdict.

    What is no file's own is told once: a failure that several files have, and flags that clang does not take.  Of many
    programs the first warning of each kind is told, if the call is not ``verbose``.
    """
    from scopec.report import brief

    shown = [d for o in outcomes for d in o.diagnostics if d.code not in (Code.RACY_PROGRESS, Code.FLAGS)]
    kept = dict(brief.told(shown)) if brief.is_brief(outcomes, verbose=verbose) else dict.fromkeys(shown, "")
    alike = Counter(one for outcome in outcomes for one in _of_the_call(outcome))
    for outcome in outcomes:
        for diagnostic in outcome.diagnostics:
            if diagnostic in kept:
                show(diagnostic)
                if more := kept[diagnostic]:
                    terminal.tell(more)
        for one in _of_the_call(outcome):
            if count := alike.pop(one, 0):
                more = f" and {count - 1} more file{'s' if count > 2 else ''}" if count > 1 else ""
                say(f"{outcome.file}{more}: {one}")


def _of_the_call(outcome: Outcome) -> Iterator[str]:
    for diagnostic in outcome.diagnostics:
        if diagnostic.code is Code.FLAGS:
            yield f"{diagnostic.message} [{diagnostic.code.id}]: {diagnostic.way_out}"
    if outcome.failure is not None:
        yield outcome.failure


def told(settings: Settings, status: terminal.Status, decided: Decided | None = None) -> Settings:
    """The settings of a check whose progress a status line shows; ``decided`` is told what is known before its end."""

    def ended(report: Report) -> None:
        status.ended(report)
        if decided is not None:
            decided.ended(report)

    return replace(
        settings,
        say=lambda line: status.say(settings.say, line),
        begun=status.begun,
        decided=settings.decided if decided is None else decided.decided,
        ended=ended,
        doing=status.doing,
    )


def engine_table(settings: Settings, used: Iterable[str]) -> dict[str, Any]:
    """The part of reports about the engines that were used, and about Java."""
    from scopec.engines.java.jars import Jars, java_version
    from scopec.engines.policy import identities
    from scopec.engines.table import SIZES, sizes_version

    names = set(used)
    table: dict[str, Any] = identities(names - {SIZES}, Jars(settings.jars, settings.say))
    if SIZES in names:
        table[SIZES] = {"version": sizes_version()}
    with suppress(ScopecError):
        table["java"] = {"version": java_version()}
    return table


def used(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The engines that answered, one per check."""
    return (c.engine for o in outcomes for r in o.reports for c in r.checks)
