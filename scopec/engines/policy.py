"""The choice of engines: one by name, ``auto``, or ``both``."""

from __future__ import annotations

import itertools
from threading import Lock
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import LimitError
from scopec.engines.protocol import PROGRESS, Kind
from scopec.engines.table import AUTO, BOTH, TABLE, able, named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from scopec.engines.java.jars import Jars
    from scopec.engines.protocol import Answers, Engine

#: More states than TLC is asked about to confirm an answer.
MANY_STATES = 20_000


def immediate(kind: Kind[Any]) -> Engine:
    """The engine that answers at once: what advice is searched with."""
    return next(e for e in able(kind) if kind.of(e).immediate)


def identities(used: Collection[str], jars: Jars) -> dict[str, Mapping[str, str]]:
    """The identities, for reports, of the engines that were used, in order: those that are not scopec's own."""
    found = {}
    for engine in (*TABLE, *(named(name) for name in sorted(used))):
        kind: Kind[Answers[Any, Any]] = Kind(next(iter(engine.answers)))
        if engine.name in used and (said := kind.of(engine).identity(jars)):
            found[engine.name] = said
    return found


class Policy:
    """The engines that are asked in one call of scopec; UsageError if there is no such engine."""

    def __init__(self, wanted: str, jars: Jars, say: Callable[[str], None]) -> None:
        self.wanted, self.jars = wanted, jars
        self._engine = None if wanted in (AUTO, BOTH) else named(wanted)
        self._say = say
        self._lock = Lock()
        self._said = False

    def asked(self, kind: Kind[Any], problem: Any, name: str, *, many: bool = False) -> tuple[Engine, ...]:
        """The engines to ask: the answer is the first one's, that of each other must be the same.

        An engine that is named but does not answer the ``kind`` leaves it to whom ``auto`` asks.  ``many`` answers are
        wanted of the one engine that is immediate, if nobody is named.  ``name`` is what messages call the problem.
        """
        if self.wanted == BOTH:
            return able(kind, all_=True)
        if self._engine is not None and kind.name in self._engine.answers:
            return (self._engine,)
        if many:
            return (immediate(kind),)
        engines = able(kind)
        for engine, following in itertools.pairwise(engines):
            answers: Answers[Any, Any] = kind.of(engine)
            reason = answers.available(self.jars)
            if reason is not None:
                self._fallen_back(reason, following)
            elif (reason := answers.hesitates(problem)) is not None:
                title = following.title[:1].upper() + following.title[1:]
                self._say(
                    f"{name}: {reason}. {title} answers about {kind.name} itself "
                    f"(--engine {engine.name} asks {engine.title})."
                )
            else:
                return (engine,)
        return (engines[-1],)

    def compared(self, kind: Kind[Any], engine: Engine, *, answered: bool) -> None:
        """Take notice that an engine beside the first has ``answered`` as the first, or not in time."""

    def _fallen_back(self, reason: str, engine: Engine) -> None:
        """Tell the user, once a call, that another engine answers instead."""
        with self._lock:
            said, self._said = self._said, True
        if not said:
            self._say(f"{reason} Questions are answered by {engine.title} itself (--engine {engine.name}).")


class Confirming(Policy):
    """The engine that answers at once, and the reference beside it, where that can be had and does not hesitate.

    ``confirmed`` has the titles of those that gave the same answers, ``left`` why answers are without.  ``states`` are
    how many the immediate engine has seen at most.
    """

    def __init__(self, jars: Jars, states: int = 0) -> None:
        super().__init__(AUTO, jars, lambda _line: None)
        self.confirmed: set[str] = set()
        self.left: set[str] = set()
        self._states = states

    def asked(self, kind: Kind[Any], problem: Any, name: str, *, many: bool = False) -> tuple[Engine, ...]:  # noqa: ARG002
        """The immediate engine, if there is one of the kind, then the reference; LimitError where that is not asked."""
        reference, *_ = engines = able(kind)
        answers: Answers[Any, Any] = kind.of(reference)
        if all(not kind.of(e).immediate for e in engines):
            return (reference,)
        reason = answers.available(self.jars) or answers.hesitates(problem)
        if reason is None and kind is PROGRESS and self._states > MANY_STATES:
            reason = f"{self._states:,} states would take {reference.title} long"
        if reason is None:
            return (immediate(kind), reference)
        self.left.add(reason)
        raise LimitError(reason)

    def compared(self, kind: Kind[Any], engine: Engine, *, answered: bool) -> None:  # noqa: ARG002
        """Note who has answered."""
        if answered:
            self.confirmed.add(engine.title)
        else:
            self.left.add(f"{engine.title} has not answered within the time limit")
