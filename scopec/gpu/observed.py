"""Final states seen on a GPU, as reports take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from scopec.base.records import dataclass
from scopec.session.check import Report


@dataclass(frozen=True)
class Shown:
    """A final state, how often each of the results saw it, and what the model says of it."""

    values: Mapping[str, int]
    counts: tuple[int, ...]
    status: Literal["allowed", "forbidden", "not listed", "undefined"]

    @property
    def count(self) -> int:
        """The number of times that it was seen."""
        return sum(self.counts)

    @property
    def said(self) -> str:
        """Remarks on it, beside the number of times that it was seen."""
        if not self.count:
            return "allowed, not seen"
        unseen = [f"({n})" for n, count in enumerate(self.counts, start=1) if not count]
        words = [self.status] * (self.status != "allowed") + [f"not seen by {', '.join(unseen)}"] * bool(unseen)
        return "; ".join(words)


@dataclass(frozen=True)
class Observed(Report):
    """A report on what a GPU showed: every state that the model allows or that was seen; ``unended`` runs gave up.

    ``built`` says how each of the results came to be.
    """

    gpu: str = ""
    runs: int = 0
    shown: tuple[Shown, ...] = field(default=())
    unended: int = 0
    built: tuple[str, ...] = ()
