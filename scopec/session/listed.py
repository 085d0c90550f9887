"""A list of the questions that files ask, none of which is answered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError, LimitError, ScopecError
from scopec.base.records import dataclass
from scopec.session.check import Outcome, selected
from scopec.session.every import has_launches, names_every
from scopec.session.plan import Plan, plan, quoting_named
from scopec.session.program_files import is_empty, programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from scopec.session.check import Settings
    from scopec.session.inquiry.run import Run


@dataclass(frozen=True)
class Listed:
    """The runs of one file with their expectations, and what is wrong with it; an outcome of none."""

    runs: tuple[Run, ...]
    outcome: Outcome


def listed(paths: Sequence[Path], settings: Settings) -> Iterator[Listed]:
    """What each file asks, and with ``every`` what would be asked of all launches of its kernels."""
    overrides = quoting_named(settings.overrides, paths)
    for path, problem in programs(paths):
        shown = str(path)
        if problem is not None:
            yield Listed((), Outcome(shown, diagnostics=(problem,)))
        elif path in paths or not is_empty(path):
            try:
                with settings.limited():
                    found = _plan(path, shown, replace(settings, overrides=overrides))
            except InputError as bad:
                yield Listed((), Outcome(shown, diagnostics=bad.diagnostics))
            except ScopecError as failed:
                exhausted = isinstance(failed, LimitError)
                yield Listed((), Outcome(shown, failure=str(failed), exhausted=exhausted))
            else:
                allowed = found.allowed | settings.allowed
                told = tuple(d for d in found.warnings if d.severity == "error" or d.code.id not in allowed)
                yield Listed(found.runs, Outcome(shown, diagnostics=told))


def _plan(path: Path, shown: str, settings: Settings) -> Plan:
    """The runs of a file, with those about all launches."""
    overrides = settings.overrides
    every = settings.every or (path.suffix == ".cu" and names_every(path, shown, overrides))
    found = Plan((), ())
    if not settings.every and (not every or has_launches(path, shown, overrides)):
        found = plan(path, shown, overrides)
    if every:
        from scopec.session.sizes import asked_of  # Start-up: most calls are about the launches of a file

        runs, told = asked_of(path, shown, overrides)
        found = replace(found, runs=(*found.runs, *runs), warnings=(*found.warnings, *told))
    return selected(found, settings.select) if settings.select else found
