"""Violations that a guessed launch has and the program may not have.

These are waits for what only host code, or another kernel, writes, or for contents that no host writes, and races that
other launches may not have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.explain.verdict import UNKNOWN_RACES
from scopec.program import ir
from scopec.program.effects import effects, registers, uses_and_definitions
from scopec.program.loops.facts import AGAIN, facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.explain.verdict import Check
    from scopec.program.loops.facts import Facts
    from scopec.program.program import Program
    from scopec.session.inquiry.run import Run


def told(run: Run, checks: Sequence[Check]) -> list[Check]:
    """The checks; one that a guessed launch violates is unknown where that may be due to the guess."""
    if run.guess_doubt is not None:
        checks = list(_doubted(checks, run.guess_doubt))
    if not run.guessed:
        return list(checks)
    if awaited := sorted(set(_awaited(run.program))):
        waits = f"the kernel waits for {_listed(awaited)}, which nothing writes under the guessed launch"
        reason = f"{waits}: launch what does as well"
    elif run.guess_filled:
        hangs = f"some execution never ends with the contents that were guessed for {_listed(run.guess_filled)}"
        reason = f"{hangs}: write those that the host gives them"
    else:
        return list(checks)
    return [
        replace(check, verdict="unknown", reason=reason, trace=None)
        if check.expectation.kind == "terminates" and check.verdict == "violated"
        else check
        for check in checks
    ]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _doubted(checks: Sequence[Check], doubt: str) -> Iterator[Check]:
    """The checks; a race is unknown, and with it whether the others are of a program without one."""
    if not any(check.expectation.kind == "race_free" and check.verdict == "violated" for check in checks):
        yield from checks
        return
    for check in checks:
        if check.expectation.kind == "race_free" and check.verdict == "violated":
            yield replace(check, verdict="unknown", reason=doubt, trace=None)
        else:
            yield replace(check, warnings=(UNKNOWN_RACES,) if check.warnings else ())


def _awaited(program: Program) -> Iterator[str]:
    """The objects that loops of kernels wait for, and nothing in the program writes."""
    written = {
        node.operation.place.object
        for body in program.bodies
        for node in body.nodes.values()
        if isinstance(node, ir.Do) and effects(node.operation).writes and hasattr(node.operation, "place")
    }
    for grid in program.grids.values():
        for fact in facts(grid.body):
            read = set(_read(fact))
            if read and read.isdisjoint(written):
                yield from read


def _read(fact: Facts) -> Iterator[str]:
    """The objects that decide whether a loop is left, where each turn looks at them anew and does nothing else."""
    by_clock = {one.number for one in fact.exits_by("clock")}
    names = {name for one in fact.exits if one.number not in by_clock for name in one.names & fact.computed}
    if not fact.idle(AGAIN):
        return
    reads: dict[str, str] = {}
    seen: set[str] = set()
    while names:
        name = names.pop()
        seen.add(name)
        for number in fact.defined[name]:
            match fact.nodes[number]:
                case ir.Do(ir.Load(_, place)) if not registers(place.index) & fact.computed:
                    reads[name] = place.object
                case ir.Do(ir.Set()) as node:
                    others = uses_and_definitions(node)[0] & fact.computed
                    if name in others:  # it counts
                        return
                    names |= others - seen
                case _:
                    return
    yield from reads.values()
