"""Settings for asking engines in a call: which, for how long, and what is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import field, replace
from pathlib import Path
from typing import Self

from scopec.base.limits import Deadline, deadline, limited
from scopec.base.records import dataclass
from scopec.engines.java.jars import Jars
from scopec.engines.java.workers import Workers
from scopec.engines.policy import Policy
from scopec.engines.table import AUTO
from scopec.session.plan import Overrides


@dataclass(frozen=True)
class Asking:
    """Engines, limits, what is kept.

    ``engine`` is a name of the table of engines, ``auto`` or ``both``; ``jars`` are the user's own, by name.
    ``timeout`` is in seconds for all that one run is asked, from reading its file to the check of the answers;
    ``ends`` is when nothing more is asked in the whole call; ``memory`` is in bytes, for this process and for the Java
    virtual machines together; None is no limit.
    ``say`` takes progress lines for the user, ``remark`` those that only ``-v`` shows, and ``doing`` is told of what a
    thread does from then on, and how far it is.
    With ``cache`` answers are kept, and taken from what was kept. ``processors`` are how many one question may keep
    busy.
    """

    overrides: Overrides = field(default_factory=Overrides)
    jobs: int = 1
    timeout: float | None = 300.0
    memory: int | None = None
    keep: Path | None = None
    jars: Mapping[str, Path] = field(default_factory=dict)
    engine: str = AUTO
    say: Callable[[str], None] = lambda _line: None
    remark: Callable[[str], None] = lambda _line: None
    cache: bool = False
    doing: Callable[[str, str], None] = lambda _what, _so_far: None
    processors: int = 1
    ends: Deadline = Deadline()

    def deadline(self, used: float = 0.0, share: float = 1.0) -> Deadline:
        """The end of a run that begins now, ``used`` seconds after its file was begun to be read.

        A guessed launch gets a ``share`` of the time limit, from now on.
        """
        if share < 1 and self.timeout is not None:
            own = deadline(self.timeout * share, what="a guessed launch's time")
        else:
            own = deadline(self.timeout, used)
        return min(own, self.ends, key=lambda end: math.inf if end.at is None else end.at)

    def within(self, seconds: float) -> Self:
        """The same, of which nothing is asked after so many seconds."""
        return replace(self, ends=deadline(self.ends.within(seconds)))

    def limited(self) -> AbstractContextManager[None]:
        """LimitError in a block about a run that begins now, where it is past the limits."""
        end = self.deadline()
        return limited(end.left(), self.memory, said=end.late)

    @property
    def policy(self) -> Policy:
        """The engines that are asked in one call."""
        return Policy(self.engine, Jars(self.jars, self.say), self.say)

    def workers(self) -> Workers:
        """The Java virtual machines of one call."""
        return Workers(self.remark, None if self.memory is None else self.memory // self.jobs)
