"""Terms: what rules say of the state of a system, as data.  An engine prints them, or computes them."""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.program.values import Value

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator


class Sort(Enum):
    """The sorts of things in a system."""

    THREAD = "thread"
    BLOCK = "block"
    BARRIER = "barrier"
    GRID = "grid"
    STREAM = "stream"
    EVENT = "event"
    UNIT = "unit"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Id:
    """One of a sort, by its name in the program."""

    sort: Sort
    name: Hashable


@dataclass(frozen=True, slots=True)
class Number:
    """A number, or a truth value."""

    value: int | bool


@dataclass(frozen=True, slots=True)
class Name:
    """A variable of the state, a constant of the system, a parameter or a bound variable; ``@`` is an updated value."""

    name: str


@dataclass(frozen=True, slots=True)
class Of:
    """The value of an expression of the program in the thread ``who``; ``truth``: whether it is not 0."""

    value: Value
    who: str = "t"
    truth: bool = False


@dataclass(frozen=True, slots=True)
class At:
    """A function or a sequence at an argument."""

    of: Term
    key: Term


@dataclass(frozen=True, slots=True)
class Call:
    """A definition with arguments."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record."""

    of: Term
    name: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record of these fields, or ``of`` another one with these changed."""

    fields: tuple[tuple[str, Term], ...]
    of: Term | None = None


class Fn(Enum):
    """An operation on terms."""

    AND = "and"
    OR = "or"
    NOT = "not"
    IMPLIES = "implies"
    EQUAL = "equal"
    DIFFERS = "differs"
    AT_LEAST = "at least"
    ABOVE = "above"
    AT_MOST = "at most"
    BELOW = "below"
    IN = "in"
    SUBSET = "subset"
    UNION = "union"
    MEET = "meet"
    ALL_OF = "the union of a set of sets"
    SIZE = "size"
    LENGTH = "length"
    DOMAIN = "domain"
    APPEND = "append"
    SET = "set"
    TUPLE = "tuple"
    PLUS = "plus"
    MINUS = "minus"
    ONLY = "the element of a set that has one"
    UP_TO = "the numbers from the first to the second"
    IF = "if"


@dataclass(frozen=True, slots=True)
class Op:
    """An operation and its operands."""

    fn: Fn
    operands: tuple[Term, ...]


class Kind(Enum):
    """The kinds of terms over the elements of a set."""

    EVERY = "whether a condition holds of all"
    SOME = "whether a condition holds of one"
    THOSE = "the set of those of which a condition holds"
    EACH = "the set of what a term gives for each"
    TABLE = "the function that gives for each what a term does"


@dataclass(frozen=True, slots=True)
class Over:
    """``body`` for the elements ``name`` of the set ``domain``."""

    kind: Kind
    name: str
    domain: Term
    body: Term


Term: TypeAlias = Id | Number | Name | Of | At | Call | Field | Record | Op | Over
#: A term, or short for one: the name of a variable, a number.
Short: TypeAlias = Term | str | int

TRUE, FALSE, EMPTY = Number(True), Number(False), Op(Fn.SET, ())


def term(short: Short) -> Term:
    """A term from what is short for it."""
    if isinstance(short, str):
        return Name(short)
    return Number(short) if isinstance(short, int) else short


def parts(whole: Term) -> Iterator[Term]:
    """A term and all that it is made of."""
    yield whole
    match whole:
        case At(of, key):
            inner: tuple[Term, ...] = (of, key)
        case Call(_, arguments):
            inner = arguments
        case Op(_, operands):
            inner = operands
        case Over(_, _, domain, body):
            inner = (domain, body)
        case Field(of):
            inner = (of,)
        case Record(fields, of):
            inner = (*(value for _, value in fields), *(() if of is None else (of,)))
        case _:
            inner = ()
    for part in inner:
        yield from parts(part)


def op(fn: Fn, *operands: Short) -> Op:
    """An operation on terms."""
    return Op(fn, tuple(map(term, operands)))


def at(of: Short, key: Short) -> At:
    """``of[key]``."""
    return At(term(of), term(key))


def call(name: str, *arguments: Short) -> Call:
    """``name(arguments)``."""
    return Call(name, tuple(map(term, arguments)))


def both(*conditions: Short) -> Term:
    """Whether all of some conditions hold."""
    return op(Fn.AND, *conditions) if len(conditions) > 1 else term(conditions[0])


def over(kind: Kind, name: str, domain: Short, body: Short) -> Over:
    """A term over the elements of a set."""
    return Over(kind, name, term(domain), term(body))


def field(of: Short, name: str) -> Field:
    """A field of a record."""
    return Field(term(of), name)


def record(of: Term | None = None, **fields: Term) -> Record:
    """A record of some fields, or another one with some changed."""
    return Record(tuple(fields.items()), of)


def each(body: Short, name: str, domain: Short) -> Over:
    """The set of what a term gives for the elements of a set."""
    return over(Kind.EACH, name, domain, body)


equal, differs, among, either = (partial(op, fn) for fn in (Fn.EQUAL, Fn.DIFFERS, Fn.IN, Fn.OR))
negated, implies, if_, union = (partial(op, fn) for fn in (Fn.NOT, Fn.IMPLIES, Fn.IF, Fn.UNION))
plus, minus = partial(op, Fn.PLUS), partial(op, Fn.MINUS)
set_of, tuple_of, size, domain_of = (partial(op, fn) for fn in (Fn.SET, Fn.TUPLE, Fn.SIZE, Fn.DOMAIN))
every, some, those, table = (partial(over, kind) for kind in (Kind.EVERY, Kind.SOME, Kind.THOSE, Kind.TABLE))
thread, block, grid = (partial(Id, sort) for sort in (Sort.THREAD, Sort.BLOCK, Sort.GRID))
stream, event, label = (partial(Id, sort) for sort in (Sort.STREAM, Sort.EVENT, Sort.LABEL))
