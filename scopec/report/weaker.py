"""The findings of ``scopec weaken``, as text and as JSON."""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from scopec.advice.weaken import Found, holds_before, in_words
from scopec.base.version import __version__
from scopec.explain.fixes import diff
from scopec.report import json
from scopec.report.text import outcome_lines, qualifiers, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.advice.weaken import Larger, Needed, Proposal

SCHEMA = "scopec-weaken/1"
_CONTEXT = 1


def document(found: Found, started: float) -> dict[str, Any]:
    """All of it as JSON values."""
    source = found.run.source
    return {
        "schema": SCHEMA,
        "scopec": __version__,
        "file": found.run.file,
        "holds": holds_before(found.before),
        "programs": [json.program(report) for report in found.before.reports],
        "launches": list(found.launches),
        "also_kept": [{"program": run.name, "kind": e.kind} for run, e in found.also],
        "proposals": [
            {
                "saves": list(one.saves),
                "changes": json.replacements(one.changes),
                "diff": "".join(f"{line}\n" for line in diff(one.changes, source, _CONTEXT)),
                "programs": [json.program(report) for report in one.reports],
                "larger": [_larger(beside) for beside in one.larger],
                "instructions": None
                if one.instructions is None
                else dict(zip(("before", "after"), one.instructions, strict=True)),
            }
            for one in found.proposals
        ],
        "needed": [
            {**one.place.span.as_json(), "changes": json.replacements(one.change), "reason": one.reason}
            for one in found.needed
        ],
        "inert": [place.span.as_json() for place in found.inert],
        "untried": [span.as_json() for span in found.untried],
        "notes": list(found.notes),
        "whole": found.whole,
        "compiler": found.compiler,
        "asked": found.asked,
        "time_ms": round((time.monotonic() - started) * 1000, 1),
    }


def _larger(one: Larger) -> dict[str, Any]:
    after = one.after
    return {
        "launches": list(one.launches),
        "before": "holds" if one.before.holds else "unknown" if one.before.unknown else "does not hold",
        "after": None if after is None else "holds" if after.holds else "unknown",
        "reason": one.before.reason if after is None else after.reason,
    }


def lines(found: Found, width: int) -> Iterator[str]:
    """All of it for people."""
    run = found.run
    if not holds_before(found.before):
        yield from outcome_lines(found.before, verbose=False, quiet=False, width=width)
        yield f"{run.file}: what does not hold as it is, or is void or unknown, is not weakened"
        return
    how = len(found.proposals)
    yield f"{run.file}: {_sets(how)}" if how else f"{run.file}: nothing can be weaker"
    yield from _wrapped(f"launch: {', '.join(found.launches) or 'none'}", width)
    for report in found.before.reports:
        asked = [check.expectation.text for check in report.checks]
        kept = [f"{e.text} (not stated)" for one, e in found.also if one.name == report.run.name]
        yield from _wrapped(f"rests on{qualifiers(report.run)}: {'; '.join([*asked, *kept])}", width)
    for number, one in enumerate(found.proposals, 1):
        yield ""
        yield f"{number}." if how > 1 else "all of this:" if len(one.saves) > 1 else "this:"
        yield from _proposal(found, one, width)
    if found.needed:
        yield ""
        yield "needed:"
        for missed in found.needed:
            yield from _wrapped(_needed(found, missed), width)
    for note in found.notes:
        yield from _wrapped(note, width)
    if found.inert:
        places = ", ".join(dict.fromkeys(str(place.span.line) for place in found.inert))
        yield from _wrapped(f"no difference to what is asked, and not proposed: line {places}", width)
    if found.untried:
        yield from _wrapped(f"synchronises, and was not tried: {_places(found)}", width)
    if not found.whole:
        yield from _wrapped("there may be other sets, or larger ones: the search was ended (--most, --budget)", width)


def _places(found: Found) -> str:
    """Lines of the file, then those of files that it includes, which are not changed."""
    lines: dict[str, dict[int, None]] = {}
    for span in sorted(found.untried, key=lambda one: (one.file != found.run.source.name, one)):
        lines.setdefault(span.file, {})[span.line] = None
    return "; ".join(
        f"{'line' if file == found.run.source.name else PurePath(file)} {', '.join(map(str, numbers))}"
        + ("" if file == found.run.source.name else " (an included file)")
        for file, numbers in lines.items()
    )


def _sets(number: int) -> str:
    if number == 1:
        return "one set of changes leaves everything standing"
    return f"{number} sets of changes, any one of which leaves everything standing"


def _proposal(found: Found, one: Proposal, width: int) -> Iterator[str]:
    for saved in one.saves:
        yield from _wrapped(saved, width)
    yield from (f"    {line}" for line in diff(one.changes, found.run.source, _CONTEXT))
    if one.instructions is not None:
        before, after = one.instructions
        fewer = (
            f"{before - after} fewer" if after < before else f"{after - before} more" if after > before else "as many"
        )
        yield from _wrapped(f"instructions by {found.compiler}: {after}, {fewer}", width)
    for report in one.reports:
        for check in report.checks:
            of = qualifiers(report.run) if len(one.reports) > 1 else ""
            yield from _wrapped(f"{check.verdict}  {check.expectation.text}{of} ({check.engine})", width)
    for beside in one.larger:
        yield from _wrapped(f"at {', '.join(beside.launches)}: {_became(beside)}", width)
    if not one.larger:
        yield "  no larger launch can be made of the text"


def _became(beside: Larger) -> str:
    if beside.after is None:
        return f"not asked: as it is, {beside.before.reason}"
    return "everything holds too" if beside.after.holds else f"unknown: {beside.after.reason}"


def _needed(found: Found, missed: Needed) -> str:
    changes = "; ".join(in_words(one, found.run.source) for one in missed.change)
    return f"{changes}: then {missed.reason}"


def _wrapped(text: str, width: int) -> Iterator[str]:
    first, *rest = wrapped(text, width, 4) or [""]
    yield f"  {first.strip()}"
    yield from rest
