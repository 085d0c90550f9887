"""A changed text, read as its program was: what ``try:`` and ``scopec weaken`` ask about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ScopecError
from scopec.base.source import Source
from scopec.explain.fixes import Replacement, replaced
from scopec.session.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Overrides, Plan


def replanned(source: Source, file: str, changes: Iterable[Replacement], overrides: Overrides) -> Plan:
    """The plan of a text with changes; ScopecError where that is no program."""
    changed = Source(source.name, replaced(source, changes), source.folders)
    return plan_of(changed, Path(file), replace(overrides, cache=False))


def reread(run: Run, changes: Iterable[Replacement], overrides: Overrides) -> Run | None:
    """The same variant of a changed text; None where that is no program."""
    try:
        runs = replanned(run.source, run.file, changes, overrides).runs
    except ScopecError:
        return None
    return next((r for r in runs if (r.name, r.on_hardware) == (run.name, run.on_hardware)), None)
