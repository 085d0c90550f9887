"""Asks the reference engines what the immediate one has answered already, and compares."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import LimitError, OutOfRangeError, ScopecError, internal_error
from scopec.engines.java.jars import Jars
from scopec.engines.policy import Confirming
from scopec.engines.table import SIZES
from scopec.session.check import check_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scopec.engines.java.workers import Workers
    from scopec.session.check import Outcome, Report, Settings

_NUMBER = re.compile(r"\d[\d,]*")


def confirmed(outcomes: Sequence[Outcome], settings: Settings) -> list[Outcome]:
    """The outcomes of a check by the immediate engine, with a failure where a reference engine fails or does not agree.

    ``settings.say`` is told who has confirmed what, and what is left and why: a reference engine that cannot be had or
    did not answer in time, and a program past the size up to which it is asked.
    """
    # Advice has been given, and nothing is kept but what engines disagree about.
    alone = sum(len(outcome.reports) for outcome in outcomes) == 1
    again = replace(settings, advise=None, processors=min(2, settings.jobs) if alone else 1)
    jars = Jars(settings.jars, settings.say)
    asked: list[Confirming] = []
    pool = ThreadPoolExecutor(max_workers=settings.jobs)
    with settings.workers() as workers:
        try:
            pending = []
            for outcome in outcomes:
                futures = []
                for report in outcome.reports:
                    if any(check.engine == SIZES for check in report.checks):  # of all launches
                        continue
                    asked.append(policy := Confirming(jars, max((c.states or 0 for c in report.checks), default=0)))
                    futures.append(pool.submit(_failure, report, policy, workers, again))
                pending.append((outcome, futures))
            found = []
            for outcome, futures in pending:
                failures = [f for future in futures if (f := future.result()) is not None]
                found.append(replace(outcome, failure=failures[0], exhausted=False) if failures else outcome)
        except BaseException:
            workers.stop()
            raise
        finally:  # what still runs after an interruption is not waited for: `cli.main` ends the process
            pool.shutdown(wait=False, cancel_futures=True)
    if (said := _said(asked)) is not None:
        settings.say(said)
    return found


def _failure(report: Report, policy: Confirming, workers: Workers, settings: Settings) -> str | None:
    """The mistake in a report, by the reference engines, in the time that is left; None if there is none."""
    try:
        check_run(report.run, policy, workers, settings, report.seconds * 1000)
    except LimitError:  # nobody says otherwise
        return None
    except OutOfRangeError as failed:
        policy.left.add(str(failed))
        return None
    except ScopecError as failed:
        return str(failed)
    except Exception as bug:  # one program must not take the others' results with it
        return internal_error(bug)
    return None


def _said(asked: Iterable[Confirming]) -> str | None:
    """The engines that have confirmed the answers, and those that have not; None if nobody had to."""
    titles = sorted({title for policy in asked for title in policy.confirmed})
    left = [policy.left for policy in asked if policy.left]
    reasons = {_NUMBER.sub("", reason): reason for one in left for reason in sorted(one)}  # an example of each kind
    told = "; ".join(reasons.values())
    if not titles:
        return f"not confirmed: {told}" if left else None
    of = f", but for answers about {len(left)} program{'s' * (len(left) != 1)} (as {told})" if left else ""
    return f"confirmed by {' and '.join(titles)}{of}"
