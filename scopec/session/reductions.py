"""The reductions of both questions by name, for those who switch some off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import UsageError, suggestion
from scopec.memory.cat.permitted import REDUCTIONS as MEMORY
from scopec.progress.reductions import REDUCTIONS as PROGRESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EVERY = "all"
#: The parts that each leaves out, and the models for which it holds.
REDUCTIONS: Mapping[str, tuple[str, str]] = {
    **{name: (reduction.leaves_out, reduction.needs) for name, reduction in MEMORY.items()},
    **PROGRESS,
}


def named(names: Iterable[str]) -> frozenset[str]:
    """The reductions that names mean, ``all`` each of them; UsageError for one that there is not."""
    found: set[str] = set()
    for name in names:
        if name not in (EVERY, *REDUCTIONS):
            help_ = suggestion(name, [EVERY, *REDUCTIONS])
            there_are = f"there are {', '.join(REDUCTIONS)}, and `{EVERY}`"
            raise UsageError(f"there is no reduction `{name}`: {f'{help_}; ' if help_ else ''}{there_are}")
        found |= REDUCTIONS.keys() if name == EVERY else {name}
    return frozenset(found)
