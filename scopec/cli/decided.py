"""Verdicts that are there while more is asked: told after a while, and reported where the call is interrupted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scopec.program.expectations import Expectation
    from scopec.session.check import Outcome, Report

#: Seconds after which a verdict is told that waits for what else is asked of its run.
PATIENCE = 5.0


class Decided:
    """The verdicts of runs so far; ``tell`` takes a line for the user."""

    def __init__(self, tell: Callable[[str], None], patience: float = PATIENCE) -> None:
        self._tell, self._patience = tell, patience
        self._reports: dict[int, Report] = {}
        self._waiting: dict[int, threading.Timer] = {}
        self._lock = threading.Lock()

    def decided(self, report: Report) -> None:
        """Note what is decided of a run, of which more is asked; it is told later, if the run has not ended then."""
        timer = threading.Timer(self._patience, self._late, (report,))
        timer.daemon = True
        with self._lock:
            self._reports[id(report.run)] = report
            self._waiting[id(report.run)] = timer
        timer.start()

    def ended(self, report: Report) -> None:
        """Note all verdicts of a run."""
        with self._lock:
            self._reports[id(report.run)] = report
            timer = self._waiting.pop(id(report.run), None)
        if timer is not None:
            timer.cancel()

    def _late(self, report: Report) -> None:
        with self._lock:
            if id(report.run) not in self._waiting:
                return
        from scopec.report.text import title  # Start-up: few runs take so long

        said = [f"{c.verdict} {c.expectation.text}{f': {c.reason}' if c.reason else ''}" for c in report.checks]
        left = [f"`{expectation.text}`" for expectation in _left(report)]
        if said and left:
            asked = f"{', '.join(left)} {'is' if len(left) == 1 else 'are'} still asked"
            self._tell(f"{title(report)}: {'; '.join(said)}; {asked}")

    def outcomes(self) -> list[Outcome]:
        """The files of which something is decided; what is not is unknown."""
        # Start-up: most calls are not interrupted.
        from scopec.explain.verdict import Check
        from scopec.session.check import Outcome

        with self._lock:
            reports = list(self._reports.values())
        of_file: dict[str, list[Report]] = {}
        for report in reports:
            unknown = (Check(e, "unknown", "interrupted", report.checks[0].engine, 0.0) for e in _left(report))
            of_file.setdefault(report.run.file, []).append(replace(report, checks=(*report.checks, *unknown)))
        return [Outcome(file, tuple(found)) for file, found in of_file.items()]

    @contextmanager
    def reported(self, report: Callable[[Sequence[Outcome]], None]) -> Iterator[None]:
        """A block; where it is interrupted what is decided by then is reported first."""
        try:
            yield
        except KeyboardInterrupt:
            if outcomes := self.outcomes():
                report(outcomes)
            raise
        finally:
            with self._lock:
                waiting = list(self._waiting.values())
                self._waiting.clear()
            for timer in waiting:
                timer.cancel()


def _left(report: Report) -> Iterator[Expectation]:
    """The expectations of a run of which a report has no verdict."""
    known = [check.expectation for check in report.checks]
    return (e for e in report.run.checks if not e.implicit and e not in known)
