"""The final states of a program, for people: as herd7 prints them, then one execution of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scopec.base.excerpt import clean
from scopec.report.lanes import lanes, rows
from scopec.report.text import guess, qualifiers
from scopec.session.final_states import state_text

if TYPE_CHECKING:
    from scopec.session.final_states import FinalState, Listing

_INDENT = "  "
_ASKED = {"exists": "Allowed", "not exists": "Forbidden", "forall": "Required"}


def text(listings: Sequence[Listing], width: int, *, executions: bool) -> str:
    """Every listing; with ``executions`` also one execution of each state."""
    lines = [line for listing in listings for line in (*_listing(listing, width, executions), "")]
    return "\n".join(clean(line).rstrip() for line in lines)


def _listing(listing: Listing, width: int, executions: bool) -> Iterator[str]:
    condition = listing.condition
    asked = "" if condition is None or condition.quantifier is None else f" {_ASKED[condition.quantifier]}"
    yield f"Test {listing.run.program.name}{qualifiers(listing.run)}{asked}"
    if listing.run.guessed:
        yield from guess(listing.run, width)
    yield f"States {len(listing.states)}{'+' * bool(listing.unfinished)}"
    yield from (state_text(state.values, listing.run) for state in listing.states)
    if condition is not None:
        yield from observation(listing)
    yield f"Executions {listing.executions}{'+' * bool(listing.unfinished)}"
    for reason in listing.unfinished:
        yield f"not all: {reason}"
    for remark in listing.remarks:
        yield f"note: {remark}"
    if executions:
        for number, state in enumerate(listing.states, 1):
            yield ""
            yield f"state {number} of {len(listing.states)}: {state_text(state.values, listing.run)}"
            yield from (f"{_INDENT}breaks `{expected.text}`" for expected in listing.broken_by(state))
            yield f"{_INDENT}{counted(state)}"
            shown = lanes(*rows(state.execution, state.execution.racing_pair() or ()), width - len(_INDENT))
            yield from (_INDENT + line for line in shown)


def counted(state: FinalState) -> str:
    """The number of executions that end in a state, and whether the one that is shown races; what is shown follows."""
    many = state.executions != 1
    count = f"{state.executions:,} execution{'s' * many}"
    if not state.racy:
        return f"{count}{', of which this is one' if many else ''}:"
    return f"{count}, of which this one has a race:" if many else f"{count}, with a race:"


def observation(listing: Listing) -> Iterator[str]:
    """The observation that herd7 prints about the final clause."""
    condition = listing.condition
    assert condition is not None
    positive, negative = listing.witnesses
    if condition.quantifier == "exists":
        validated = positive > 0
    else:
        validated = (positive if condition.quantifier == "not exists" else negative) == 0
    yield "Ok" if validated else "No"
    yield "Witnesses"
    yield f"Positive: {positive} Negative: {negative}"
    yield f"Condition {' '.join(condition.text.split())}"
    often = "Never" if not positive else "Sometimes" if negative else "Always"
    yield f"Observation {listing.run.program.name} {often} {positive} {negative}"
