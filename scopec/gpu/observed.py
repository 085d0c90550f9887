"""What a GPU showed, as reports take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from scopec.base.records import dataclass
from scopec.session.check import Report


@dataclass(frozen=True)
class Shown:
    """A final state, how often it was seen, and what the model says of it."""

    values: Mapping[str, int]
    count: int
    status: Literal["allowed", "forbidden", "not listed", "undefined"]


@dataclass(frozen=True)
class Observed(Report):
    """A report on what a GPU showed: every state that the model allows or that was seen; ``unended`` runs gave up."""

    gpu: str = ""
    runs: int = 0
    shown: tuple[Shown, ...] = field(default=())
    unended: int = 0
