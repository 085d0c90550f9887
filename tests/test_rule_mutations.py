"""Every part of every rule of progress is needed: without it, some program has another verdict, or other states.

A mutant lacks one guard, one update, one operand of a term.  Those that no program can tell from the rules are listed,
each with the reason.  Which program notices one is kept in rule_killers.tsv, or seven hundred would have to be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import pytest

from scopec.engines.embedded.progress.exploring import Exploration
from scopec.engines.embedded.progress.fair_cycles import solve
from scopec.progress.models import Property
from scopec.progress.promises import EXECUTION_MODEL
from scopec.progress.rules import Rules
from scopec.progress.steps import Step, Wait
from scopec.progress.system import System
from scopec.progress.terms import At, Call, Fn, Kind, Op, Over, Term
from scopec.progress.transition import Definition, Transition
from tests.rule_programs import systems
from tests.samples import EVERY

#: How many states a program has that is asked.
MOST_STATES = 3000
#: A rule or a definition, and the part of it that is missing.
Mutant = tuple[str, str]
#: By mutant a program that is known to notice it.  Where the table does not help, all programs are asked.
KILLERS: dict[Mutant, str] = {
    (rule, part): program
    for rule, part, program in (
        line.split("\t") for line in (Path(__file__).parent / "rule_killers.tsv").read_text("utf-8").splitlines()
    )
}


@dataclass(frozen=True)
class Asked:
    """A program, and what was found about it."""

    name: str
    system: System
    property: Property
    holds: bool | None
    states: int


class ManyStatesError(Exception):
    """A program has more states than those that are asked."""


def answers(system: System, property_: Property) -> tuple[bool | None, int]:
    """What is found about a program, and how many states it has."""
    states = states_of(system, property_)
    return solve(system, property_, seen=few).holds, states


def few(states: int) -> None:
    """Raise an error for too many; a limit in seconds would make a mutant noticed where the machine is busy."""
    if states > 4 * MOST_STATES:
        raise ManyStatesError


def states_of(system: System, property_: Property) -> int:
    """How many states a program has."""
    return len(Exploration(system, property_).graph(None, stop_early=False, seen=few).states)


@cache
def asked(wanted: frozenset[str] | None) -> list[Asked]:
    """The programs of some names, or all, that have few states."""
    found = []
    for name, system, property_ in systems(wanted):
        with suppress(ManyStatesError):
            holds, states = answers(system, property_)
            if states < MOST_STATES:
                found.append(Asked(name, system, property_, holds, states))
    return sorted(found, key=lambda one: one.states)


def notices(one: Asked) -> bool:
    """Whether a program has another verdict, or other states."""
    try:
        if states_of(one.system, one.property) != one.states:
            return True
        return solve(one.system, one.property, seen=few).holds != one.holds
    except Exception:  # a mutant may lead to what there is not
        return True


# ---------------------------------------------------------------- mutants


def smaller(term: Term) -> Iterator[Term]:
    """The terms that lack one part of a term."""
    match term:
        case Op(Fn.AND | Fn.OR | Fn.UNION, operands) if len(operands) > 1:
            for n in range(len(operands)):
                rest = operands[:n] + operands[n + 1 :]
                yield Op(term.fn, rest) if len(rest) > 1 else rest[0]
        case Op(Fn.IMPLIES, (_, then)):
            yield then
        case Op(Fn.MEET | Fn.PLUS | Fn.MINUS, (one, _)):
            yield one
        case Op(Fn.NOT, (one,)):
            yield one
        case Op(Fn.IF, (_, then, otherwise)):
            yield from (then, otherwise)
        case Over(Kind.THOSE, _, domain, _):
            yield domain
        case _:
            pass
    match term:
        case Op(fn, operands):
            for n, operand in enumerate(operands):
                yield from (Op(fn, (*operands[:n], other, *operands[n + 1 :])) for other in smaller(operand))
        case Over(kind, name, domain, body):
            yield from (Over(kind, name, other, body) for other in smaller(domain))
            yield from (Over(kind, name, domain, other) for other in smaller(body))
        case Call(name, arguments):
            for n, argument in enumerate(arguments):
                yield from (Call(name, (*arguments[:n], other, *arguments[n + 1 :])) for other in smaller(argument))
        case At(of, key):
            yield from (At(of, other) for other in smaller(key))
        case _:
            pass


def rule_of(step: Step) -> str:
    """The rule that a step follows."""
    operation = step.operation
    return f"leave {type(operation.at).__name__}" if isinstance(operation, Wait) else type(operation).__name__


def transition_mutants(made: Transition) -> Iterator[tuple[str, Transition]]:
    """A transition without one of its parts, each with a name."""
    if made.guard is not None:
        yield "guard", replace(made, guard=None)
        for n, guard in enumerate(smaller(made.guard)):
            yield f"guard {n}", replace(made, guard=guard)
    for n, update in enumerate(made.updates):
        before, after = made.updates[:n], made.updates[n + 1 :]
        yield update.variable, replace(made, updates=(*before, *after))
        for m, new in enumerate(smaller(update.new)):
            yield f"{update.variable} {m}", replace(made, updates=(*before, replace(update, new=new), *after))
    if made.wakes is not None:
        yield "wakes", replace(made, wakes=None)
        if made.wakes.one:
            yield "wakes one", replace(made, wakes=replace(made.wakes, one=False))
        for n, who in enumerate(smaller(made.wakes.who)):
            yield f"wakes {n}", replace(made, wakes=replace(made.wakes, who=who))
    for name, outcome in made.outcomes.items():
        for n, other in enumerate(smaller(outcome)):
            yield f"outcome {name} {n}", replace(made, outcomes={**made.outcomes, name: other})


def definition_mutants(definition: Definition) -> dict[str, Definition]:
    """A definition without one of its parts, each with a name."""
    return {str(n): replace(definition, body=body) for n, body in enumerate(smaller(definition.body))}


#: Mutants that no program of these can tell from the rules, and why.
EQUIVALENT = {
    ("Await", "wakes"): "nobody sleeps on what an acquire of a semaphore writes, until it has another value",
    ("CanStart", "2"): "no grid is ordered with itself",
    ("Takes", "10"): "the names of barriers of these programs have the same last part",
    ("Takes", "12"): "the names of barriers of these programs have as many parts",
    ("Takes", "14"): "the names of barriers of these programs have the same last part",
}


def concerned(programs: Iterable[Asked], parts: Callable[[Asked], Iterable[Mutant]]) -> dict[Mutant, list[Asked]]:
    """The mutants of what programs do, each with those that do it."""
    found: dict[Mutant, list[Asked]] = {}
    for one in programs:
        for mutant in dict.fromkeys(parts(one)):
            found.setdefault(mutant, []).append(one)
    return found


def unnoticed(parts: Callable[[Asked], Iterable[Mutant]], mutate: Callable[[Mutant], None]) -> set[Mutant]:
    """The mutants that no program notices.

    Of those that are known to notice one each is asked first, then the others; then all programs, where a mutant is
    left that is not known to change nothing, and where SCOPEC_EVERY is 1.
    """

    def is_noticed(mutant: Mutant, who: list[Asked]) -> bool:
        mutate(mutant)
        return any(map(notices, sorted(who, key=lambda one: one.name != KILLERS.get(mutant))))

    some = concerned(asked(frozenset(KILLERS.values())), parts)
    assert len(some) > 60
    left = {mutant for mutant, who in some.items() if not is_noticed(mutant, who)}
    if EVERY or not left <= EQUIVALENT.keys():
        mutate(("", ""))
        every = concerned(asked(None), parts)
        left = {m for m, who in every.items() if (m in left or m not in some) and not is_noticed(m, who)}
    return left


def test_parts_of_transitions_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Rules.transition

    def parts(one: Asked) -> Iterator[Mutant]:
        rules = Rules(one.system)
        for step in one.system.steps.values():
            yield from ((rule_of(step), part) for part, _ in transition_mutants(made(rules, step)))

    def mutate(mutant: Mutant) -> None:
        def transition(self: Rules, step: Step) -> Transition:
            whole = made(self, step)
            return dict(transition_mutants(whole)).get(mutant[1], whole) if rule_of(step) == mutant[0] else whole

        monkeypatch.setattr(Rules, "transition", transition)

    assert unnoticed(parts, mutate) == {m for m in EQUIVALENT if m[0] == "Await"}


def test_parts_of_definitions_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Rules.__dict__["definitions"].func
    promised = {promise.name for promise in EXECUTION_MODEL}

    def parts(one: Asked) -> Iterator[Mutant]:
        for definition in made(Rules(one.system)).values():
            if definition.name not in promised:  # the engine reads them as data; tests/test_mutations.py
                yield from ((definition.name, part) for part in definition_mutants(definition))

    def mutate(mutant: Mutant) -> None:
        name, part = mutant

        def definitions(self: Rules) -> dict[str, Definition]:
            found = dict(made(self))
            if name in found:
                found[name] = definition_mutants(found[name]).get(part, found[name])
            return found

        changed = cached_property(definitions)
        changed.__set_name__(Rules, "definitions")
        monkeypatch.setattr(Rules, "definitions", changed)

    assert unnoticed(parts, mutate) == {m for m in EQUIVALENT if m[0] != "Await"}
