"""A check with its verdict: what every report is about."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Literal, TypeAlias

from scopec.base.records import dataclass
from scopec.memory.execution import Execution

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.explain.fixes import Replacement, Suggestion
    from scopec.hangs.provenance import Provenance
    from scopec.program.expectations import Expectation
    from scopec.progress.schedule import Schedule

    Trace: TypeAlias = Execution | Schedule


Verdict = Literal["holds", "violated", "unknown"]
UNDEFINED = "undefined behaviour"
#: The beginning of the reason of a check that an undefined operation, not a race, leaves without a meaning.
FAULTY = f"{UNDEFINED}, "
#: The warning of a check of a program that may be undefined.
UNKNOWN_RACES = "it is not known whether the program has a data race, and so promises nothing"


@dataclass(frozen=True)
class Breach:
    """A launch at which an assumption of a proof is not so: in words, the places that are concerned, and what is so."""

    assumption: str
    launch: str
    places: tuple[Span, ...]
    said: str


@dataclass(frozen=True)
class AllLaunches:
    """What a verdict about all launches is of: a kernel, and which of its launches.

    ``assumed`` is what a proof takes for granted, ``pair`` the places of two accesses that meet, or of which that is
    not decided.  ``breaches`` are launches at which what is assumed is not so.
    """

    kernel: str
    where: str
    as_launched: bool
    assumed: tuple[str, ...] = ()
    pair: tuple[Span, ...] = ()
    breaches: tuple[Breach, ...] = ()


@dataclass(frozen=True)
class Check:
    """A check with its verdict; ``trace`` shows why, where an execution or schedule can; ``advice`` what would help.

    ``fix`` is the advice as a change of the text, where one place says what is to change; ``instead`` would do as well.
    ``elsewhere`` is the verdict in PTX of what a race between volatile accesses decides in CUDA C++. ``cached`` says
    whether the engine gave the answer in an earlier call, ``hangs`` which part of a progress question was asked,
    ``assuming`` what becomes of a violated ``terminates`` where more is assumed than CUDA's document promises,
    ``known`` whether a baseline has the violation, which then does not count. ``orders`` says that it is violated only
    where threads take operands in different orders, ``content`` are the objects to which nobody gives a content and on
    which the program's way depends: the verdict is one for the content that they have. ``addresses`` are the objects
    whose addresses are computed with: it is one for the addresses that they were given.  ``rests_on`` are readings of
    what no document says.  ``every`` is there where the verdict is about all launches.
    """

    expectation: Expectation
    verdict: Verdict
    reason: str | None
    engine: str
    time_ms: float
    states: int | None = None
    trace: Trace | None = None
    warnings: tuple[str, ...] = field(default=())
    advice: str | None = None
    fix: tuple[Replacement, ...] = ()
    instead: Suggestion | None = None
    elsewhere: str | None = None
    cached: bool = False
    hangs: Provenance | None = None
    assuming: str | None = None
    known: bool = False
    orders: str | None = None
    content: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    every: AllLaunches | None = None

    @property
    def about(self) -> str | None:
        """For which content and addresses of objects it is a verdict, and by which readings, in words.

        None where it is one for all there are, by the documents alone.
        """
        said = (("this content", self.content), ("one choice of the addresses", self.addresses))
        parts = [f"for {what} of {', '.join(f'`{name}`' for name in names)}" for what, names in said if names]
        parts += [f"by a reading: {reading}" for reading in self.rests_on]
        return ", ".join(parts) or None


def is_fault(check: Check) -> bool:
    """Whether an undefined operation decides a check; its trace shows it."""
    if check.expectation.kind == "undefined":
        return check.verdict == "holds"
    said = check.reason is not None and check.reason.startswith(FAULTY)
    return check.verdict == "violated" and (said or (check.expectation.implicit and check.reason != UNDEFINED))
