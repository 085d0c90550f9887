"""Kernels for which no launch was guessed: they are asked about all launches, which needs none.

An answer takes the place of the error that no launch was found, which is told as a warning then; where nothing is
decided, the error stays.  A launch at which there is a race is one that z3 has sought, and nobody may make: that is
`unknown`.  Hangs are not asked about, as of all launches they cannot be.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError
from scopec.base.source import Span
from scopec.engines.table import of_sizes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from scopec.session.witnessed import Answered

#: The part of the time limit that the kernels of a file share, and the seconds of each at least and at most.
_PART, _LEAST, _MOST = 1 / 3, 5.0, 20.0
_NOT_LAUNCHED = "the file does not say that it is launched so: `scopec check --every` shows the race"
_ENDS = "write a `//@ launch` for it to ask whether it ends"


def instead(
    unguessed: Iterable[tuple[str, tuple[Diagnostic, ...]]],
    limit: float | None,
    asked: Callable[[Collection[str], float], list[Answered]],
) -> tuple[list[Answered], list[Diagnostic]]:
    """What is decided about all launches of kernels for which no launch was guessed, and what is told of these.

    Each comes with what says so; ``limit`` is the time limit of the file in seconds, if it has one.  ``asked`` answers
    about kernels of some names, each in so many seconds; of overloads each has to be decided.  Of more kernels than
    the limit has time for, the first are asked about.
    """
    said = dict[str, tuple[Diagnostic, ...]]()
    for name, why in unguessed:
        said[name] = (*said.get(name, ()), *why)
    if of_sizes() is None:
        return [], _all(said.values())
    each = _MOST if limit is None else min(_MOST, max(_LEAST, limit * _PART / len(said)))
    names = list(said) if limit is None else list(said)[: max(1, int(limit / each))]
    try:
        answers = asked(frozenset(names), each)
    except InputError:  # about a question that nobody asked
        return [], _all(said.values())
    of_kernel = [(check.every.kernel, one) for one in answers for check in one.checks[:1] if check.every is not None]
    known, open_ = set[tuple[str, Span]](), set[tuple[str, Span]]()
    for name, one in of_kernel:
        for check in one.checks:
            (open_ if check.verdict == "unknown" else known).add((name, check.expectation.span))
    decided = {name for name, _ in known} - {name for name, _ in open_ - known}
    told = _all(_warnings(why) if name in decided else why for name, why in said.items())
    return [_doubted(one) for name, one in of_kernel if name in decided], told


def _doubted(one: Answered) -> Answered:
    """An answer, in which a race is none of a launch that anybody makes, as far as the file says."""
    checks = tuple(
        replace(check, verdict="unknown", reason=f"{check.reason}; {_NOT_LAUNCHED}", trace=None)
        if check.verdict == "violated"
        else check
        for check in one.checks
    )
    return replace(one, checks=checks, report=None) if checks != one.checks else one


def _warnings(why: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """What was said of a kernel about which there is an answer all the same."""
    for one in why:
        message = f"{one.message}: asked about all launches instead"
        help_ = _ENDS if one.code is Code.TOO_LARGE else one.help  # a launch has else what scopec follows in none
        yield replace(one, message=message, severity="warning", help=help_)


def _all(said: Iterable[Iterable[Diagnostic]]) -> list[Diagnostic]:
    return list(dict.fromkeys(one for why in said for one in why))
