"""Terms of rules as functions of a state.

What a term says of a thread, a grid or what else it is bound to is worked out once for each, when it is first met: what
is known before a state is looked at is a ``Fixed`` value, and nothing is left of it in the function.
"""

from __future__ import annotations

import operator
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from scopec.base.records import dataclass
from scopec.program.values import Const
from scopec.progress.steps import DONE, IDLE, OLD
from scopec.progress.terms import At, Call, Field, Fn, Id, Kind, Name, Number, Of, Op, Over, Record, Sort, Term, parts

if TYPE_CHECKING:
    from scopec.program import ir
    from scopec.program.values import Value
    from scopec.progress.rules import Rules

State: TypeAlias = tuple[Any, ...]
#: A state, or one that is in the making.
Seen: TypeAlias = "Sequence[Any]"
Compute: TypeAlias = "Callable[[Seen], Any]"
#: What an operation finds beside memory, by the registers that stand for it.
Outcomes: TypeAlias = "Mapping[str, Compute]"
NO_OUTCOMES: Outcomes = MappingProxyType({})

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that no state changes."""

    value: Any


@dataclass(frozen=True, slots=True)
class Slot:
    """The value at an index of the state; of a label, ``among`` are those that it may be, ``members`` of a set."""

    index: int
    among: frozenset[str] | None = None
    members: frozenset[Any] | None = None


@dataclass(frozen=True, slots=True)
class Test:
    """Whether the value at an index of the state is, or is not, ``value``."""

    index: int
    value: Any
    holds: bool


Known: TypeAlias = "Fixed | Slot | Test | Compute"
Bound: TypeAlias = "Mapping[str, Known]"


def _domain(of: Any) -> Any:
    return range(1, len(of) + 1) if isinstance(of, tuple) else frozenset(of)


def _item(of: Any, key: Any) -> Any:
    return of[key - 1] if isinstance(of, tuple) else of[key]


_FUNCTIONS: dict[Fn, Callable[..., Any]] = {
    Fn.NOT: operator.not_,
    Fn.EQUAL: operator.eq,
    Fn.DIFFERS: operator.ne,
    Fn.AT_LEAST: operator.ge,
    Fn.ABOVE: operator.gt,
    Fn.AT_MOST: operator.le,
    Fn.BELOW: operator.lt,
    Fn.IN: lambda one, set_: one in set_,
    Fn.SUBSET: operator.le,
    Fn.UNION: lambda *sets: frozenset().union(*sets),
    Fn.MEET: operator.and_,
    Fn.ALL_OF: lambda sets: frozenset().union(*sets),
    Fn.ONLY: lambda set_: next(iter(set_)),
    Fn.SIZE: len,
    Fn.LENGTH: len,
    Fn.DOMAIN: _domain,
    Fn.APPEND: lambda sequence, one: (*sequence, one),
    Fn.SET: lambda *elements: frozenset(elements),
    Fn.TUPLE: lambda *elements: elements,
    Fn.PLUS: operator.add,
    Fn.MINUS: operator.sub,
    Fn.UP_TO: lambda first, last: range(first, last + 1),
}


@cache
def _record(fields: tuple[str, ...]) -> Callable[..., Any]:
    """Records of some fields, which are equal, and hashed, by their values."""
    return namedtuple("Record", fields)


class Terms:
    """The terms of a system's rules, computed.

    Threads are called by their numbers.  ``slots`` are where variables are in a state, ``keyed`` where those are that
    have a value for each of some keys; ``labels`` are those that a thread may be at.
    """

    def __init__(self, rules: Rules, threads: tuple[ir.Thread, ...]) -> None:
        self.rules = rules
        self.threads = threads
        self.number = {t.name: i for i, t in enumerate(threads)}
        self.labels = [frozenset({IDLE, DONE, *rules.system.machine_of(t).steps}) for t in threads]
        self.slots: dict[str, int] = {}
        self.keyed: dict[str, dict[Any, int]] = {}
        self._constants: dict[str, Fixed] = {}
        self._reads: dict[str, frozenset[str]] = {}
        self._called: dict[tuple[Any, ...], Known] = {}
        self._names: dict[int, tuple[Term, tuple[str, ...]]] = {}
        self._overs: dict[tuple[Any, ...], Known] = {}
        self._bodies: dict[tuple[Any, ...], tuple[Callable[[Any], Known], Callable[[Any], Compute]]] = {}

    def value(
        self, value: Value, thread: ir.Thread, old: Compute | None = None, out: Outcomes = NO_OUTCOMES
    ) -> Compute:
        """An expression of a thread; ``old`` and ``out`` give what its operation finds, in memory and beside it."""
        raise NotImplementedError

    def function(self, term: Term, bound: Bound) -> Compute:
        """A term as a function of the state."""
        return run(self.known(term, bound))

    def holds(self, condition: Term, bound: Bound) -> Compute:
        """A condition as a function of the state, one for each sequence of grids that there is: those are few."""
        if "issued" not in self.slots:
            return self.function(condition, bound)
        slot = self.slots["issued"]
        after = once(lambda issued: self.function(condition, {**bound, "issued": Fixed(issued)}))
        return lambda s: after(s[slot])(s)

    def fixed(self, term: Term) -> Any:
        """A term that no state changes."""
        found = self.known(term, {})
        assert isinstance(found, Fixed)
        return found.value

    def encoded(self, id_: Id) -> Any:
        """The value in a state that stands for a thread, a grid, or another subject of the rules."""
        return self.number[id_.name] if id_.sort is Sort.THREAD else id_.name  # type: ignore[index]

    def known(self, term: Term, bound: Bound) -> Known:
        """A term, as far as it is known without a state."""
        match term:
            case Id():
                return Fixed(self.encoded(term))
            case Number(value):
                return Fixed(value)
            case Name(name):
                return bound[name] if name in bound else self._named(name)
            case At(of, key):
                return self._at(of, self.known(key, bound), bound)
            case Of(Const(value), _, _):
                return Fixed(value)
            case Of(value, who, _):
                thread = self.known(Name(who), bound)
                assert isinstance(thread, Fixed)
                return self.value(value, self.threads[thread.value], run(bound[OLD]) if OLD in bound else None)
            case Call(name, arguments):
                given = [self.known(argument, bound) for argument in arguments]
                there = tuple((name, bound[name]) for name in self._read_by(name) if name in bound)
                return _by_value(lambda *values: self._call(name, values, there), given)
            case Field(of, name):
                return _applied_to(operator.attrgetter(name), [self.known(of, bound)])
            case Record(fields, None):
                made = _record(tuple(name for name, _ in fields))
                return _applied_to(made, [self.known(value, bound) for _, value in fields])
            case Record(fields, of):
                assert of is not None
                operands = [self.known(operand, bound) for operand in (of, *(value for _, value in fields))]
                names = [name for name, _ in fields]
                return _applied_to(lambda old, *new: old._replace(**dict(zip(names, new, strict=True))), operands)
            case Over(kind, name, domain, body):
                about = self._about(term, bound)
                if about not in self._overs:
                    self._overs[about] = self._over(kind, self.known(domain, bound), *self._body(name, body, bound))
                return self._overs[about]
            case Op(Fn.IF, (condition, then, otherwise)):
                test = self.known(condition, bound)
                if isinstance(test, Fixed):
                    return self.known(then if test.value else otherwise, bound)
                holds, yes, no = run(test), self.function(then, bound), self.function(otherwise, bound)
                return lambda s: yes(s) if holds(s) else no(s)
            case Op(Fn.AND, operands):
                return _all(self.known(operand, bound) for operand in operands)
            case Op(Fn.OR, operands):
                return _any(self.known(operand, bound) for operand in operands)
            case Op(Fn.IMPLIES, (condition, then)):
                return self.known(Op(Fn.OR, (Op(Fn.NOT, (condition,)), then)), bound)
            case Op(fn, operands):
                return _applied(fn, [self.known(operand, bound) for operand in operands])

    def _about(self, term: Term, bound: Bound) -> tuple[Any, ...]:
        """The key of a term: the bound names that it mentions, with their values."""
        return id(term), tuple((name, bound[name]) for name in self._mentioned(term) if name in bound)

    def _body(self, name: str, body: Term, bound: Bound) -> tuple[Callable[[Any], Known], Callable[[Any], Compute]]:
        """What is said of an element, as far as it is known, and as a function of the state: made once for each."""
        about = name, self._about(body, {n: to for n, to in bound.items() if n != name})
        if about not in self._bodies:
            known = once(lambda x: self.known(body, {**bound, name: Fixed(x)}))
            self._bodies[about] = known, once(lambda x: run(known(x)))
        return self._bodies[about]

    def _named(self, name: str) -> Any:
        if name in self.slots:
            return Slot(self.slots[name])
        if name not in self._constants:
            table = self.rules.tables.get(name)
            if table is None:
                self._constants[name] = Fixed(tuple(map(self.encoded, self.rules.sets[name])))
            else:
                rows = {self.encoded(key): self.fixed(value) for key, value in table.items()}
                self._constants[name] = Fixed(rows)
        return self._constants[name]

    def _mentioned(self, term: Term) -> tuple[str, ...]:
        """The names in a term that may be bound; a value of the program's reads what its thread does."""
        if id(term) not in self._names:
            inside = list(parts(term))
            own = {part.name for part in inside if isinstance(part, Name)}
            own |= {part.who for part in inside if isinstance(part, Of)}
            used = (self._read_by(part.name) for part in inside if isinstance(part, Call))
            self._names[id(term)] = (term, (*sorted(own.union(*used)), OLD))
        return self._names[id(term)][1]

    def _read_by(self, name: str) -> frozenset[str]:
        """The variables in a slot that a definition is about, by itself or by those that it uses."""
        if name not in self._reads:
            inside = list(parts(self.rules.definitions[name].body))
            own = {part.name for part in inside if isinstance(part, Name)} & self.slots.keys()
            used = (self._read_by(part.name) for part in inside if isinstance(part, Call))
            self._reads[name] = frozenset(own).union(*used)
        return self._reads[name]

    def _at(self, of: Term, key: Known, bound: Bound) -> Known:
        if isinstance(of, Name) and of.name in self.keyed:
            if isinstance(key, Fixed):
                return self.slot(of.name, key.value)
            slots, of_state = self.keyed[of.name], run(key)
            return lambda s: s[slots[of_state(s)]]
        return _applied_to(_item, [self.known(of, bound), key])

    def slot(self, variable: str, key: Any) -> Slot:
        """The slot of a variable at a key."""
        labels = self.labels[key] if variable == "pc" else None
        members = frozenset(self._named("Joins").value[key]) if variable == "arrived" else None
        return Slot(self.keyed[variable][key], labels, members)

    def _call(self, name: str, values: tuple[Any, ...], there: tuple[tuple[str, Known], ...]) -> Known:
        key = (name, values, there)
        if key not in self._called:
            definition = self.rules.definitions[name]
            bound = {p: Fixed(value) for p, value in zip(definition.parameters, values, strict=True)}
            self._called[key] = self.known(definition.body, {**bound, **dict(there)})
        return self._called[key]

    def _over(
        self, kind: Kind, domain: Known, body: Callable[[Any], Known], computed: Callable[[Any], Compute]
    ) -> Known:
        if not isinstance(domain, Fixed):
            return _over_state(kind, run(domain), computed)
        match kind:
            case Kind.EVERY:
                return _all(map(body, domain.value))
            case Kind.SOME:
                return _any(map(body, domain.value))
            case Kind.THOSE:
                found = {x: inside for x in domain.value if (inside := body(x)) != Fixed(False)}
                if all(isinstance(inside, Fixed) for inside in found.values()):
                    return Fixed(frozenset(found))
                tests = [(x, run(inside)) for x, inside in found.items()]
                return lambda s: frozenset([x for x, holds in tests if holds(s)])
            case Kind.EACH:
                return _applied_to(lambda *elements: frozenset(elements), list(map(body, domain.value)))
            case Kind.TABLE:
                keys = list(domain.value)
                return _applied_to(lambda *made: dict(zip(keys, made, strict=True)), list(map(body, keys)))


def run(known: Known) -> Compute:
    """A known term as a function of the state."""
    match known:
        case Fixed(value):
            return lambda _: value
        case Slot(index):
            return lambda s: s[index]
        case Test(index, value, True):
            return lambda s: s[index] == value
        case Test(index, value, False):
            return lambda s: s[index] != value
        case _:
            return known  # type: ignore[return-value]


def once(made: Callable[[Any], T]) -> Callable[[Any], T]:
    """A function that is computed once for each argument."""
    known: dict[Any, T] = {}

    def found(x: Any) -> T:
        if x not in known:
            known[x] = made(x)
        return known[x]

    return found


def _over_state(kind: Kind, domain: Compute, body: Callable[[Any], Compute]) -> Compute:
    match kind:
        case Kind.EVERY:
            return lambda s: all(body(x)(s) for x in domain(s))
        case Kind.SOME:
            return lambda s: any(body(x)(s) for x in domain(s))
        case Kind.THOSE:
            return lambda s: frozenset(x for x in domain(s) if body(x)(s))
        case Kind.EACH:
            return lambda s: frozenset(body(x)(s) for x in domain(s))
        case Kind.TABLE:
            return lambda s: {x: body(x)(s) for x in domain(s)}


def _by_value(made: Callable[..., Known], given: list[Known]) -> Known:
    """What is made of values, once for each, where they may be known with the state only."""
    if all(isinstance(known, Fixed) for known in given):
        return made(*(known.value for known in given))  # type: ignore[union-attr]
    cases, values = once(lambda values: run(made(*values))), [run(known) for known in given]
    return lambda s: cases(tuple([value(s) for value in values]))(s)


def _applied_to(function: Callable[..., Any], operands: list[Known]) -> Known:
    if all(isinstance(known, Fixed) for known in operands):
        return Fixed(function(*(known.value for known in operands)))  # type: ignore[union-attr]
    match [run(known) for known in operands]:
        case [one]:
            return lambda s: function(one(s))
        case [one, other]:
            return lambda s: function(one(s), other(s))
        case several:
            return lambda s: function(*[value(s) for value in several])


def _applied(fn: Fn, operands: list[Known]) -> Known:
    match fn, operands:
        case Fn.NOT, [Test() | Fixed() as condition]:
            return _not(condition)
        case ((Fn.EQUAL | Fn.DIFFERS), [Slot(index, among), Fixed(value)]):
            if among is not None and value not in among:
                return Fixed(fn is Fn.DIFFERS)
            return Test(index, value, fn is Fn.EQUAL)
        case Fn.IN, [Slot(index, among), Fixed(set_)]:
            inside = frozenset(set_ if among is None else among.intersection(set_))
            return (lambda s: s[index] in inside) if inside else Fixed(False)
        case Fn.IN, [Fixed(one), Slot(index, _, members)]:
            return (lambda s: one in s[index]) if members is None or one in members else Fixed(False)
        case _:
            return _applied_to(_FUNCTIONS[fn], operands)


def _not(known: Known) -> Known:
    match known:
        case Fixed(value):
            return Fixed(not value)
        case Test(index, value, holds):
            return Test(index, value, not holds)
        case _:
            condition = run(known)
            return lambda s: not condition(s)


def _all(operands: Iterable[Known]) -> Known:
    """Whether all hold; none is looked at after one that is known not to."""
    return _joined(operands, True)


def _any(operands: Iterable[Known]) -> Known:
    """Whether one holds; none is looked at after one that is known to."""
    return _joined(operands, False)


def _joined(operands: Iterable[Known], neutral: bool) -> Known:
    left: list[Known] = []
    for known in operands:
        if not isinstance(known, Fixed):
            left.append(known)
        elif bool(known.value) is not neutral:
            return Fixed(not neutral)
    match left:
        case []:
            return Fixed(neutral)
        case [one]:
            return one
        case [Test(_, value, holds), *_] if all(
            isinstance(t, Test) and (t.value, t.holds) == (value, holds) for t in left
        ):
            return _same_test([t.index for t in left if isinstance(t, Test)], value, neutral, holds is neutral)
        case [first, second]:
            one, other = run(first), run(second)
            return (lambda s: one(s) and other(s)) if neutral else (lambda s: one(s) or other(s))
        case _:
            tests = [run(known) for known in left]
            return _until(tests, neutral)


def _until(tests: list[Compute], neutral: bool) -> Compute:
    """Whether all conditions hold (``neutral``), or one does."""

    def test(s: Seen) -> bool:
        for holds in tests:
            if bool(holds(s)) is not neutral:
                return not neutral
        return neutral

    return test


def _same_test(indexes: list[int], value: Any, neutral: bool, equal: bool) -> Compute:
    """Whether every slot has (``neutral``) or some slot has one value, or another one than that."""

    first, beyond = min(indexes), max(indexes) + 1
    if sorted(indexes) == list(range(first, beyond)):
        least = beyond - first if equal else 0

        def counted(s: Seen) -> bool:
            return (s[first:beyond].count(value) == least) is neutral

        return counted

    def test(s: Seen) -> bool:
        for index in indexes:
            if (s[index] == value) is not equal:
                return not neutral
        return neutral

    return test
