"""Terms of the rules of progress as paths: what holds in the state in which an execution leaves its threads for ever.

The rules say which promises a state makes (:mod:`scopec.progress.rules.fairness`).  Here their terms are evaluated in
that last state.  What they say of one thread is where it stands; what is the same in every state, tables above all, is
computed.
"""

from __future__ import annotations

from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.memory.events.paths import ALWAYS, NEVER, at_least, every, negated, some
from scopec.progress.rules import fairness
from scopec.progress.terms import At, Call, Fn, Kind, Name, Number, Op, Over, Term
from scopec.progress.transition import Definition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.hangs.final_status import FinalStatus
    from scopec.memory.events.paths import Paths
    from scopec.progress.system import System

#: The most choices of elements over which a condition on their number is written out.
_MOST_CHOICES = 5000


@dataclass(frozen=True, slots=True)
class Members:
    """A set: where each element is in it."""

    where: Mapping[str, Paths]


@dataclass(frozen=True, slots=True)
class Size:
    """The number of elements of a set, and ``more``."""

    where: tuple[Paths, ...]
    more: int = 0


#: The values of terms: a condition, a set, a number that depends on the state, or what no state changes.
Meaning: TypeAlias = "Paths | Members | Size | int | str"
Bound: TypeAlias = "Mapping[str, Meaning]"


class Terms:
    """The terms of a system, where its threads stand as ``statuses`` say."""

    def __init__(self, system: System, statuses: Mapping[str, FinalStatus]) -> None:
        self.system = system
        self.of = statuses

    def holds(self, condition: Term, **bound: str) -> Paths:
        """The paths on which a condition holds, of threads or units that it has names for."""
        return self._paths(condition, bound)

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """Those that the progress model has, and those for starting blocks."""
        laws = (fairness.EXECUTION_MODEL, *fairness.definitions(self.system))
        own = (d for one in laws for d in ((one,) if isinstance(one, Definition) else one.definitions))
        return {definition.name: definition for definition in own}

    def _paths(self, condition: Term, bound: Bound) -> Paths:
        match self._value(condition, bound):
            case bool(known):
                return ALWAYS if known else NEVER
            case Members() | Size() | int() | str():
                raise AssertionError(condition)
            case paths:
                return paths

    def _value(self, term: Term, bound: Bound) -> Meaning:
        match term:
            case Number(value):
                return value
            case Name(name):
                return bound[name] if name in bound else self._set(name)
            case At(Name(table), key):
                return self._at(table, self._known(key, bound))
            case Call(name, arguments):
                return self._call(name, [self._value(one, bound) for one in arguments])
            case Over(kind, name, domain, body):
                return self._over(kind, name, self._members(domain, bound), body, bound)
            case Op(fn, operands):
                return self._operation(fn, operands, bound)
            case _:
                raise AssertionError(term)

    def _known(self, term: Term, bound: Bound) -> str:
        known = self._value(term, bound)
        assert isinstance(known, str)
        return known

    def _members(self, term: Term, bound: Bound) -> Members:
        members = self._value(term, bound)
        assert isinstance(members, Members)
        return members

    def _set(self, name: str) -> Members:
        system = self.system
        sets = {"Threads": system.everyone, "DeviceThreads": system.threads, "Tasks": system.tasks}
        return Members({thread.name: ALWAYS for thread in sets[name]})

    def _at(self, table: str, key: str) -> Meaning:
        """An entry of a table of the system."""
        system = self.system
        match table:
            case "UnitOf":
                return system.unit_of[key]
            case "Number":
                return system.number_of[key]
            case "BlockOf":
                return self._threads[key][0]
            case "DeviceOf":
                return self._threads[key][1]
            case "BlocksOf":
                return system.blocks_of[key]
            case "UnitBefore":
                return Members({system.unit_before[key]: ALWAYS} if key in system.unit_before else {})
            case _:
                raise AssertionError(table)

    @cached_property
    def _threads(self) -> Mapping[str, tuple[str, int]]:
        return {t.name: (t.block_name, t.device) for t in self.system.threads}

    def _call(self, name: str, arguments: list[Meaning]) -> Meaning:
        match name, arguments:
            case (("Started" | "Done" | "Running" | "InApi" | "NotReadyQuery"), [str(thread)]):
                status = self.of[thread]
                return {
                    "Started": status.started,
                    "Done": status.ended,
                    "Running": status.started & ~status.ended,
                    "InApi": status.pending,
                    "NotReadyQuery": status.queries,
                }[name]
            case _:
                definition = self.definitions[name]
                return self._value(definition.body, dict(zip(definition.parameters, arguments, strict=True)))

    def _over(self, kind: Kind, name: str, domain: Members, body: Term, bound: Bound) -> Meaning:
        inner: list[tuple[Paths, Bound]] = [(where, {**bound, name: one}) for one, where in domain.where.items()]
        match kind:
            case Kind.EVERY:
                return every(some((negated(where), self._paths(body, its))) for where, its in inner)
            case Kind.SOME:
                return some(every((where, self._paths(body, its))) for where, its in inner)
            case Kind.THOSE:
                names = domain.where
                found = [every((where, self._paths(body, its))) for where, its in inner]
                return Members(dict(zip(names, found, strict=True)))
            case Kind.EACH:
                each: dict[str, list[Paths]] = {}
                for where, its in inner:
                    each.setdefault(self._known(body, its), []).append(where)
                return Members({one: some(where) for one, where in each.items()})
            case Kind.TABLE:
                raise AssertionError(kind)

    def _operation(self, fn: Fn, operands: tuple[Term, ...], bound: Bound) -> Meaning:
        match fn:
            case Fn.AND:
                return every(self._paths(one, bound) for one in operands)
            case Fn.OR:
                return some(self._paths(one, bound) for one in operands)
            case Fn.NOT:
                return negated(self._paths(operands[0], bound))
            case Fn.IMPLIES:
                condition, then = (self._paths(one, bound) for one in operands)
                return some((negated(condition), then))
            case _:
                pass
        match fn, [self._value(one, bound) for one in operands]:
            case Fn.EQUAL, [int() | str() as left, int() | str() as right]:
                return left == right
            case Fn.BELOW, [int(left), int(right)]:
                return left < right
            case Fn.AT_MOST, [int(left), int(right)]:
                return left <= right
            case Fn.AT_MOST, [Size() as size, int(most)]:
                return negated(self._at_least(most - size.more + 1, size))
            case Fn.IN, [str(one), Members(where)]:
                return where.get(one, NEVER)
            case Fn.SIZE, [Members(where)]:
                return Size(tuple(where.values()))
            case Fn.PLUS, [Size(where, more), int(number)]:
                return Size(where, more + number)
            case _:
                raise AssertionError(fn)

    def _at_least(self, count: int, size: Size) -> Paths:
        if comb(len(size.where), min(count, len(size.where))) > _MOST_CHOICES:
            span = next(iter(self.system.program.grids.values())).span
            raise error(Code.TOO_LARGE, f"{count} of {len(size.where)} blocks are too many choices", span)
        return at_least(count, size.where)
