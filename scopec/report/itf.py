"""Schedules in the Informal Trace Format of the TLA+ community (Apalache's ADR 15): one JSON document a trace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from scopec.base.excerpt import clean
from scopec.base.version import __version__
from scopec.progress.schedule import Ending, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from scopec.explain.verdict import Check
    from scopec.progress.schedule import Moment
    from scopec.session.check import Outcome, Report

#: Beyond this, readers that hold numbers as doubles lose digits.
_EXACT = 2**53
_VARIABLES = ["pc", "mem", "reg", "issued"]


def traces(outcomes: Sequence[Outcome]) -> dict[str, str]:
    """File names and texts: a trace for each check whose verdict a schedule shows."""
    found: dict[str, str] = {}
    for outcome in outcomes:
        for report in outcome.reports:
            for number, check in _shown(report):
                name = f"{report.run.name}.{number + 1}.itf.json"
                found[name] = text(check.trace, f"{report.run.file}: {check.expectation.text}")  # type: ignore[arg-type]
    return found


def _shown(report: Report) -> Iterator[tuple[int, Check]]:
    return ((i, c) for i, c in enumerate(report.checks) if isinstance(c.trace, Schedule))


def text(schedule: Schedule, description: str) -> str:
    """One trace; ``loop`` is the state that a lasso goes back to, and the last one of a behaviour that stops."""
    states = [_state(0, schedule.start, {})]
    for number, move in enumerate(schedule.moves, start=1):
        states.append(
            _state(number, move.after, {"thread": move.thread, "action": move.action, "source": str(move.span)})
        )
    document: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": f"scopec {__version__}",
            "description": clean(description),
        },
        "params": [],
        "vars": _VARIABLES,
    }
    if schedule.ending is Ending.LASSO and schedule.loop_to is not None:
        states.pop()  # the last move leads back to the state at loop_to, which is there already
        document["loop"] = schedule.loop_to
    elif schedule.ending is Ending.STOP:
        document["loop"] = len(states) - 1
    return json.dumps({**document, "states": states}, indent=1, ensure_ascii=True) + "\n"


def _state(index: int, moment: Moment, meta: Mapping[str, str]) -> dict[str, Any]:
    return {
        "#meta": {"index": index, **meta},
        "pc": value(dict(moment.labels)),
        "mem": value(dict(moment.memory)),
        "reg": value({t: dict(r) for t, r in moment.registers.items()}),
        "issued": value(tuple(moment.issued)),
    }


def value(tla: object) -> Any:
    """A TLA+ value: big numbers, tuples, sets and functions are marked as such."""
    match tla:
        case bool() | str():
            return tla
        case int():
            return tla if -_EXACT < tla < _EXACT else {"#bigint": str(tla)}
        case frozenset():
            return {"#set": [value(v) for v in sorted(tla, key=repr)]}
        case tuple():
            return {"#tup": [value(v) for v in tla]}
        case dict():
            return {"#map": [[value(k), value(v)] for k, v in tla.items()]}
        case _:
            return {"#unserializable": str(tla)}
