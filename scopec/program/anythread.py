"""The form of a kernel for any thread of any launch: its accesses and barriers, over symbols.

A term is a mathematical integer or a truth value.  Terms are interned, so that equal ones are one object.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from itertools import count
from typing import Literal
from weakref import WeakValueDictionary

from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program import largest

#: Whose value a symbol is: one of the launch, of each block, or of each thread.
Level = Literal["launch", "block", "thread"]


@dataclass(frozen=True, eq=False)
class Term:
    """An operation on terms; ``const`` has a ``value``, ``symbol`` and ``read`` a ``name``, a symbol also a level and
    bounds, as far as these are known.
    """

    op: str
    args: tuple[Term, ...] = ()
    value: int = 0
    name: str = ""
    level: Level = "launch"
    low: int | None = None
    high: int | None = None
    #: In which order terms were made, which is the same in each call.
    number: int = field(default_factory=count().__next__)


_INTERNED: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()


def _made(term: Term) -> Term:
    key = (term.op, term.args, term.value, term.name, term.level, term.low, term.high)
    return _INTERNED.setdefault(key, term)


def const(value: int) -> Term:
    """A number."""
    return _made(Term("const", value=value))


def symbol(name: str, level: Level, low: int | None = None, high: int | None = None) -> Term:
    """A number of which the bounds are known, at most."""
    return _made(Term("symbol", name=name, level=level, low=low, high=high))


def truth(name: str, level: Level) -> Term:
    """A truth value of which nothing is known."""
    return _made(Term("truth", name=name, level=level))


def read(name: str, at: Term, low: int, high: int) -> Term:
    """The content at an offset of an object that nobody writes."""
    return _made(Term("read", (at,), name=name, low=low, high=high))


TRUE = _made(Term("true"))
FALSE = _made(Term("false"))
ZERO = const(0)
ONE = const(1)


def add(left: Term, right: Term) -> Term:
    """A sum."""
    if left.op == right.op == "const":
        return const(left.value + right.value)
    if left is ZERO or right is ZERO:
        return right if left is ZERO else left
    if left.op == "const":
        left, right = right, left
    if right.op == "const" and left.op == "add" and left.args[1].op == "const":
        return add(left.args[0], const(left.args[1].value + right.value))
    return _made(Term("add", (left, right)))


def mul(left: Term, right: Term) -> Term:
    """A product; there is one constant factor at most, which comes first."""
    if left.op == right.op == "const":
        return const(left.value * right.value)
    if right.op == "const":
        left, right = right, left
    if left is ZERO:
        return ZERO
    if left is ONE:
        return right
    for one, other in ((left, right), (right, left)):
        if one.op == "mul" and one.args[0].op == "const":
            factor, term = one.args
            return mul(mul(factor, other), term) if other.op == "const" else mul(factor, mul(other, term))
    if left.op != "const" and left.number > right.number:
        left, right = right, left
    return _made(Term("mul", (left, right)))


def negative(term: Term) -> Term:
    """A number with the other sign."""
    return mul(const(-1), term)


def div(left: Term, right: Term) -> Term:
    """The quotient, rounded down; the divisor is positive where its value counts."""
    if left.op == right.op == "const" and right.value > 0:
        return const(left.value // right.value)
    return left if right is ONE else _made(Term("div", (left, right)))


def mod(left: Term, right: Term) -> Term:
    """What is left of a division that rounds down."""
    if left.op == right.op == "const" and right.value > 0:
        return const(left.value % right.value)
    return ZERO if right is ONE else _made(Term("mod", (left, right)))


def grown(start: Term, times: Term, factor: int) -> Term:
    """A number multiplied so many times by a constant."""
    return start if times is ZERO else _made(Term("grown", (start, times), value=factor))


def shrunk(start: Term, times: Term, factor: int, rounding: str) -> Term:
    """A number divided so many times by a constant; ``rounding`` names what is done with one below 0."""
    return start if times is ZERO else _made(Term("shrunk", (start, times), value=factor, name=rounding))


def exclusive(left: Term, right: Term) -> Term:
    """The bits that one of two numbers has and the other has not."""
    if left.op == right.op == "const":
        return const(left.value ^ right.value)
    return ZERO if left is right else _made(Term("xor", (left, right)))


def mask(left: Term, right: Term) -> Term:
    """The bits that both of two numbers have."""
    if left.op == right.op == "const":
        return const(left.value & right.value)
    return left if left is right else _made(Term("mask", (left, right)))


def less(left: Term, right: Term) -> Term:
    """Whether one number is less."""
    if left.op == right.op == "const":
        return TRUE if left.value < right.value else FALSE
    return FALSE if left is right else _made(Term("less", (left, right)))


def equal(left: Term, right: Term) -> Term:
    """Whether two numbers are equal."""
    if left.op == right.op == "const":
        return TRUE if left.value == right.value else FALSE
    return TRUE if left is right else _made(Term("equal", (left, right)))


def both(left: Term, right: Term) -> Term:
    """Whether two truths hold."""
    if FALSE in (left, right):
        return FALSE
    if left is TRUE or left is right:
        return right
    return left if right is TRUE else _made(Term("and", (left, right)))


def either(left: Term, right: Term) -> Term:
    """Whether one of two truths holds."""
    if TRUE in (left, right):
        return TRUE
    if left is FALSE or left is right:
        return right
    if right is FALSE:
        return left
    if left is opposite(right):
        return TRUE
    if left.op == right.op == "and" and left.args[0] is right.args[0]:
        return both(left.args[0], either(left.args[1], right.args[1]))
    return _made(Term("or", (left, right)))


def opposite(term: Term) -> Term:
    """Whether a truth does not hold."""
    if term is TRUE or term is FALSE:
        return FALSE if term is TRUE else TRUE
    return term.args[0] if term.op == "not" else _made(Term("not", (term,)))


def choose(condition: Term, then: Term, otherwise: Term) -> Term:
    """One of two terms of one kind."""
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if is_truth(then):
        return either(both(condition, then), both(opposite(condition), otherwise))
    return _made(Term("choose", (condition, then, otherwise)))


def is_truth(term: Term) -> bool:
    """Whether a term is a truth value."""
    return term.op in ("true", "false", "truth", "less", "equal", "and", "or", "not")


def is_natural(term: Term) -> bool:
    """Whether a number is known not to be negative, from its form alone."""
    match term.op:
        case "const":
            return term.value >= 0
        case "symbol" | "read":
            return term.low is not None and term.low >= 0
        case "add" | "mul" | "div" | "xor":
            return all(map(is_natural, term.args))
        case "mask":
            return any(map(is_natural, term.args))
        case "grown" | "shrunk":
            return is_natural(term.args[0])
        case "mod":
            return term.args[1].op == "const"
        case "choose":
            return all(map(is_natural, term.args[1:]))
        case _:
            return False


def is_power(term: Term) -> bool:
    """Whether a number is known to be 0 or a power of two, from its form alone."""
    match term.op:
        case "const":
            return term.value >= 0 and term.value & (term.value - 1) == 0
        case "grown" | "shrunk":
            return is_power(term.args[0]) and term.value & (term.value - 1) == 0
        case "mul":
            return all(map(is_power, term.args))
        case "div":
            return is_power(term.args[0]) and is_power(term.args[1])
        case "choose":
            return all(map(is_power, term.args[1:]))
        case _:
            return False


def symbols(*terms: Term) -> dict[str, Term]:
    """The symbols in terms, by name."""
    found: dict[str, Term] = {}
    seen: set[int] = set()
    left = list(terms)
    while left:
        term = left.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if term.op in ("symbol", "truth"):
            found[term.name] = term
        left += term.args
    return found


def substituted(term: Term, by: dict[Term, Term]) -> Term:
    """A term with others in place of symbols."""
    known = dict(by)  # a part stands in many places

    def of(one: Term) -> Term:
        found = known.get(one)
        if found is None:
            args = [of(arg) for arg in one.args]
            is_same = all(new is old for new, old in zip(args, one.args, strict=True))
            found = known[one] = one if is_same else _with(one, args)
        return found

    return of(term)


def _with(term: Term, args: list[Term]) -> Term:
    """A term of the same operation, of other arguments."""
    match term.op:
        case "read":
            return read(term.name, args[0], term.low or 0, term.high or 0)
        case "grown":
            return grown(args[0], args[1], term.value)
        case "shrunk":
            return shrunk(args[0], args[1], term.value, term.name)
        case op:
            return _MAKERS[op](*args)


def linear(term: Term) -> tuple[dict[Term, int], int]:
    """A sum as the factors of its terms, and its constant."""
    factors: dict[Term, int] = {}
    constant = 0
    left = [(term, 1)]
    while left:
        one, factor = left.pop()
        if one.op == "const":
            constant += factor * one.value
        elif one.op == "add":
            left += ((arg, factor) for arg in one.args)
        elif one.op == "mul" and one.args[0].op == "const":
            left.append((one.args[1], factor * one.args[0].value))
        else:
            factors[one] = factors.get(one, 0) + factor
    return {one: factor for one, factor in factors.items() if factor}, constant


def total(factors: dict[Term, int]) -> Term:
    """The sum of terms, each with a factor."""
    found = ZERO
    for term, factor in factors.items():
        found = add(found, mul(const(factor), term))
    return found


_MAKERS: dict[str, Callable[..., Term]] = {
    "add": add, "mul": mul, "div": div, "mod": mod, "less": less, "equal": equal, "and": both, "or": either,
    "xor": exclusive, "mask": mask,
    "not": opposite, "choose": choose,
}  # fmt: skip

Kind = Literal["read", "write", "atomic"]
#: Before the name of a read, in that of the truth that what is read at two offsets differs.
UNIQUE = "unique "
#: The object of all textures, of which no place is known.
TEXTURES = "all textures"


@dataclass(frozen=True)
class Access:
    """An access of ``bytes`` at an offset of an object under a condition; ``position`` is its place in the order in
    which a thread comes to things, ``scope`` that of an atomic operation (cuda::thread_scope's number), ``turns`` are
    the numbers of the turns of the loops with barriers around it, from outside.
    """

    object: str
    offset: Term
    bytes: int
    kind: Kind
    condition: Term
    position: int
    span: Span
    scope: int = 0
    turns: tuple[Term, ...] = field(default=())


@dataclass(frozen=True)
class Ticket:
    """The ``value`` that an atomic addition of a constant ``amount``, which is not 0, finds."""

    access: Access
    value: Term
    amount: int


@dataclass(frozen=True)
class Barrier:
    """A barrier of the block, under a condition, in the turns of loops."""

    condition: Term
    position: int
    span: Span
    turns: tuple[Term, ...] = field(default=())


@dataclass(frozen=True)
class Loop:
    """A loop with barriers: the numbers of its turn and of those of the loops around it, which is the last, and under
    which condition another turn follows.
    """

    turns: tuple[Term, ...]
    again: Term
    span: Span

    @property
    def turn(self) -> Term:
        """The number of its turn."""
        return self.turns[-1]


@dataclass(frozen=True)
class Uniform:
    """A number that all threads of a block find in the same turns of loops; one that is read, if nothing races."""

    symbol: Term
    turns: tuple[Term, ...]
    is_read: bool


@dataclass(frozen=True)
class Reading:
    """A number of a register that counts as a number, under a condition, and the limit that it does not pass:
    upwards, or ``below``.
    """

    term: Term
    condition: Term
    limit: int
    span: Span
    below: bool = field(default=False)


@dataclass(frozen=True)
class AnyThread:
    """What a thread of any launch does.

    ``shared`` are the objects of which each block has its own; ``dimensions`` the directions that the code looks at.
    ``assumed`` holds of each thread: its indices are within their arrays, it divides by no zero (clang's traps).
    ``checked`` are these with their places, ``readings`` the numbers that may pass their limits.
    ``again`` is of each loop without barriers the number of a thread's turn, and whether another one follows, ``left``
    of loops the number of the turn in which a thread leaves it, and what holds then of one that comes on from there.
    ``left_out`` are calls that make threads wait for each other, without use here: an order less.  Where it is
    ``read_only`` loads need what they read to be so until the kernel ends, whatever barriers there are.  ``warps`` are
    the barriers of whole warps; the condition of one in a loop is any.  ``grids`` are those barriers that are of the
    grid too.  ``most_threads`` a block has, as the kernel says by ``__launch_bounds__``.
    """

    accesses: tuple[Access, ...]
    barriers: tuple[Barrier, ...]
    shared: frozenset[str]
    dimensions: frozenset[str]
    parameters: tuple[tuple[str, Term | None], ...] = ()
    left_out: tuple[str, ...] = field(default=())
    assumed: tuple[Term, ...] = field(default=())
    loops: tuple[Loop, ...] = field(default=())
    uniform: tuple[Uniform, ...] = field(default=())
    tickets: tuple[Ticket, ...] = field(default=())
    read_only: frozenset[Span] = field(default=frozenset())
    readings: tuple[Reading, ...] = field(default=())
    checked: tuple[tuple[Term, Span], ...] = field(default=())
    warps: tuple[Barrier, ...] = field(default=())
    grids: tuple[Barrier, ...] = field(default=())
    most_threads: int = field(default=largest.THREADS)
    again: tuple[tuple[Term, Term], ...] = field(default=())
    left: tuple[tuple[Term, Term], ...] = field(default=())
