"""The record of a progress question: the part of it that was asked, and the engines that answered."""

from __future__ import annotations

from scopec.base.records import dataclass


@dataclass(frozen=True)
class Provenance:
    """The part of a progress question that was asked, and the engines that answered it.

    ``memory`` is the engine that looked for executions that get stuck; None where nobody did: ``whole`` says why the
    schedules are all there is, or the schedules had decided, or only they were asked for (``sc``).
    """

    option: str
    schedules: str
    memory: str | None = None
    whole: str | None = None
