"""Terms to z3's, with products of unknowns as they are, or as numbers of which laws of order are known.

The laws hold of all integers, so that what is refuted with them has no solution.  A term is translated once for all
questions about a kernel: what is stated beside one is found by the leaves that are in its terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, permutations, product
from typing import Any

import z3

from scopec.base.records import dataclass
from scopec.engines.z3 import bits, powers
from scopec.engines.z3.smtlib import Part
from scopec.program.anythread import UNIQUE, Term, Ticket, is_truth
from scopec.sizes.questions import Question, Who


@dataclass(frozen=True)
class Leaf:
    """What is known of a part of terms by itself: of a symbol (its ``name`` in z3), of a number that is read ``at`` an
    offset of an object of this name, of a product of ``factors``, of a quotient, of a power, of bits.
    """

    made: Any
    facts: tuple[Any, ...] = ()
    name: str = ""
    at: Any = None
    factors: tuple[Any, Any] | None = None
    power: powers.Power | None = None
    bits: bits.Bits | None = None


@dataclass(frozen=True)
class Stated:
    """A question as assertions, with the laws of what is in it; its symbols by their names in z3, and its reads."""

    parts: tuple[Part, ...]
    symbols: dict[str, Any]
    reads: tuple[Leaf, ...]

    @property
    def assertions(self) -> tuple[Any, ...]:
        """All of them."""
        return tuple(one for _, assertions in self.parts for one in assertions)


class Translation:
    """The terms of questions about two threads of one block, or of two; with ``exact`` products are z3's own.

    ``apart`` names what is the same for a block in one turn of its loops, and not in two.
    """

    def __init__(self, same_block: bool, apart: frozenset[str], *, exact: bool) -> None:
        self._same_block, self._apart, self._exact = same_block, apart, exact
        self._known: dict[tuple[Term, Who], tuple[Any, frozenset[int]]] = {}
        self._leaves: list[Leaf] = []
        #: The leaf of a symbol, a read, a product or a quotient.
        self._numbers: dict[tuple[object, ...], int] = {}
        #: The laws of a product, and of two, by their numbers in z3.
        self._laws: dict[tuple[int, ...], tuple[Any, ...]] = {}

    def of(self, term: Term, who: Who) -> tuple[Any, frozenset[int]]:
        """A term of one thread, and its leaves."""
        key = (term, who)
        if key not in self._known:
            self._known[key] = self._of(term, who)
        return self._known[key]

    def leaves(self, numbers: Iterable[int]) -> tuple[Leaf, ...]:
        """Leaves in the order in which they were met."""
        return tuple(self._leaves[number] for number in sorted(numbers))

    def laws(self, leaves: Iterable[Leaf]) -> Iterator[Any]:
        """Laws of order of the products among leaves of these terms."""
        products = [(leaf.made, leaf.factors) for leaf in leaves if leaf.factors is not None]
        for made, factors in products:
            key: tuple[int, ...] = (made.get_id(),)
            if key not in self._laws:
                self._laws[key] = _of_product(made, *factors)
            yield from self._laws[key]
        for (made, ours), (other, theirs) in combinations(products, 2):
            key = (made.get_id(), other.get_id())
            if key not in self._laws:
                self._laws[key] = _of_two(made, ours, other, theirs)
            yield from self._laws[key]

    def _of(self, term: Term, who: Who) -> tuple[Any, frozenset[int]]:
        if term.op in ("symbol", "truth"):
            return self._symbol(term, self._name(term, who))
        found = [self.of(arg, who) for arg in term.args]
        args = [arg for arg, _ in found]
        made, more = self._operation(term, args, who)
        return made, more.union(*(leaves for _, leaves in found))

    def _operation(self, term: Term, args: list[Any], who: Who) -> tuple[Any, frozenset[int]]:  # one case an operation
        none = frozenset[int]()
        match term.op:
            case "const":
                return z3.IntVal(term.value), none
            case "true" | "false":
                return z3.BoolVal(term.op == "true"), none
            case "read":
                return self._read(term, args[0])
            case "add":
                return args[0] + args[1], none
            case "mul" if term.args[0].op == "const" or self._exact:
                return args[0] * args[1], none
            case "mul":
                return self._product(args[0], args[1])
            case "div" | "mod":
                return self._quotient(term, args[0], args[1], who)
            case "grown" | "shrunk":
                power = powers.made(term, args[0], args[1])
                return power.value, frozenset({self._leaf((power.value.get_id(),), Leaf(power.value, power=power))})
            case "xor" | "mask":
                found = bits.made(term.op, args[0], args[1])
                return found.value, frozenset({self._leaf((found.value.get_id(),), Leaf(found.value, bits=found))})
            case "less":
                return args[0] < args[1], none
            case "equal":
                return args[0] == args[1], none
            case "and":
                return z3.And(*args), none
            case "or":
                return z3.Or(*args), none
            case "not":
                return z3.Not(args[0]), none
            case "choose":
                return z3.If(*args), none
            case _:
                raise AssertionError(term.op)

    def _leaf(self, key: tuple[object, ...], leaf: Leaf) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self._leaves)
            self._leaves.append(leaf)  # holds what the key numbers, which may be numbered again else
        return self._numbers[key]

    def _name(self, term: Term, who: Who) -> str:
        of_block = self._same_block and term.name not in self._apart
        shared = term.level == "launch" or (term.level == "block" and of_block)
        return term.name if shared else f"{term.name}#{who}"

    def _symbol(self, term: Term, name: str) -> tuple[Any, frozenset[int]]:
        made = z3.Bool(name) if is_truth(term) else z3.Int(name)
        facts = [] if term.low is None else [made >= term.low]
        facts += [] if term.high is None else [made <= term.high]
        return made, frozenset({self._leaf(("symbol", name, term.low, term.high), Leaf(made, tuple(facts), name))})

    def _read(self, term: Term, at: Any) -> tuple[Any, frozenset[int]]:
        value = z3.Function(term.name, z3.IntSort(), z3.IntSort())(at)
        leaf = Leaf(value, (value >= term.low, value <= term.high), term.name, at)
        return value, frozenset({self._leaf(("read", value.get_id()), leaf)})

    def _product(self, left: Any, right: Any) -> tuple[Any, frozenset[int]]:
        one, other = sorted((left.get_id(), right.get_id()))
        key = ("product", one, other)
        number = self._leaf(key, Leaf(z3.Int(f"product {len(self._leaves)}"), factors=(left, right)))
        return self._leaves[number].made, frozenset({number})

    def _quotient(self, term: Term, left: Any, right: Any, who: Who) -> tuple[Any, frozenset[int]]:
        (quotient, rest), leaves = self._divided(left, term.args[1], right)
        if term.args[1].op == "mul" and not self._exact:
            leaves |= self._nested(term.args[1], left, (quotient, rest), who)
        return (quotient if term.op == "div" else rest), leaves

    def _divided(self, left: Any, divisor: Term, right: Any) -> tuple[tuple[Any, Any], frozenset[int]]:
        """A quotient and its rest; ``right`` is the divisor, translated."""
        if divisor.op == "const" and divisor.value > 0:
            return (left / right, left % right), frozenset()
        key = ("quotient", left.get_id(), right.get_id())
        if key not in self._numbers:
            quotient, rest = (z3.Int(f"{name} {len(self._leaves)}") for name in ("quotient", "rest"))
            whole, products = self._times(quotient, divisor, right)
            facts = (
                z3.Implies(right > 0, z3.And(left == whole + rest, rest >= 0, rest < right)),
                z3.Implies(z3.And(right > 0, left >= 0), quotient >= 0),
            )
            self._leaf(key, Leaf((quotient, rest, left, right, products), facts))
        number = self._numbers[key]
        quotient, rest, _, _, products = self._leaves[number].made
        return (quotient, rest), products | {number}

    def _nested(self, divisor: Term, left: Any, parts: tuple[Any, Any], who: Who) -> frozenset[int]:
        """That a quotient by a product is the quotient by one factor, divided by the other, if both are above 0; and
        that the rest, divided by that factor, is what the other leaves of that quotient, with the same rest.
        """
        quotient, rest = parts
        leaves = frozenset[int]()
        (_, one), (_, other) = factors = [(arg, self.of(arg, who)[0]) for arg in divisor.args]
        for (first, by), (second, then) in permutations(factors):
            (inner, last), of_inner = self._divided(left, first, by)
            (digit, end), of_rest = self._divided(rest, first, by)
            whole, products = self._times(quotient, second, then)
            between = z3.And(whole <= inner, inner < whole + then)
            fact = z3.Implies(z3.And(one > 0, other > 0), z3.And(between, digit == inner - whole, end == last))
            key = ("nested", quotient.get_id(), by.get_id())
            leaves |= of_inner | of_rest | products | {self._leaf(key, Leaf((inner, whole), (fact,)))}
        return leaves

    def _times(self, number: Any, factor: Term, made: Any) -> tuple[Any, frozenset[int]]:
        """A number times a term, which is translated; its own constant factor, as that of ``-n``, stays outside."""
        if self._exact or factor.op == "const":
            return number * made, frozenset()
        if factor.op == "mul" and factor.args[0].op == "const":
            found, products = self._product(number, made.arg(1))
            return factor.args[0].value * found, products
        return self._product(number, made)


def _of_product(made: Any, *factors: Any) -> tuple[Any, ...]:
    """Laws of order of a product."""
    found = []
    for one, other in permutations(factors):
        found += [
            z3.Implies(one == 0, made == 0),
            z3.Implies(one == 1, made == other),
            z3.Implies(one == -1, made == -other),
            z3.Implies(z3.And(one >= 1, other >= 0), made >= other),
        ]
    return (*found, z3.Implies(z3.And(*(factor >= 0 for factor in factors)), made >= 0))


def _of_two(made: Any, ours: tuple[Any, Any], other: Any, theirs: tuple[Any, Any]) -> tuple[Any, ...]:
    """Laws of order of two products that have a factor in common."""
    found = []
    for mine, his in product((0, 1), repeat=2):
        factor = ours[mine]
        if factor.get_id() != theirs[his].get_id():
            continue
        one, two = ours[1 - mine], theirs[1 - his]
        found += [
            z3.Implies(one == two, made == other),
            z3.Implies(one == -two, made == -other),
            z3.Implies(z3.And(factor >= 0, one < two), made + factor <= other),
            z3.Implies(z3.And(factor >= 0, two < one), other + factor <= made),
        ]
    return tuple(found)


def _apart(translation: Translation, one: Ticket, other: Ticket) -> tuple[Any, frozenset[int]]:
    """That a ticket of the first thread and one of the second are apart, if they are of one number."""
    parts = [translation.of(term, 1) for term in (one.access.condition, one.access.offset, one.value)]
    parts += [translation.of(term, 2) for term in (other.access.condition, other.access.offset, other.value)]
    here, at, mine, there, where, his = (made for made, _ in parts)
    if one.amount > 0:
        past = z3.Or(mine + one.amount <= his, his + other.amount <= mine)
    else:
        past = z3.Or(mine + one.amount >= his, his + other.amount >= mine)
    return z3.Implies(z3.And(here, there, at == where), past), frozenset[int]().union(*(found for _, found in parts))


def _unique(leaves: Iterable[Leaf], symbols: dict[str, Any]) -> list[Any]:
    """That what is read of an array at two offsets differs, where its elements do."""
    reads = [leaf for leaf in leaves if leaf.at is not None and f"{UNIQUE}{leaf.name}" in symbols]
    return [
        z3.Implies(z3.And(symbols[f"{UNIQUE}{one.name}"], one.made == other.made), one.at == other.at)
        for one, other in combinations(reads, 2)
        if one.name == other.name
    ]


def stated(translation: Translation, question: Question, *, exact: bool) -> Stated:
    """A question as z3's assertions."""
    known = [translation.of(term, who) for term, who in question.known]
    held, numbers = [made for made, _ in known], [leaves for _, leaves in known]
    related = list[Any]()
    for relation in question.relations:
        (first, ours), (second, theirs) = translation.of(relation.first, 1), translation.of(relation.second, 2)
        numbers += [ours, theirs]
        match relation.kind:
            case "apart by":
                ranges = [z3.And(first >= second + low, first <= second + high) for low, high in relation.ranges]
                related += ranges if len(ranges) == 1 else [z3.Or(*ranges)]
            case "not both":
                related.append(z3.Not(z3.And(first, second)))
            case "differ":
                related.append(first != second)
            case "next":
                related.append(second == first + 1)
            case "later":
                related.append(second > first)
    tickets = [_apart(translation, *two) for two in question.tickets]
    numbers += [more for _, more in tickets]
    leaves = translation.leaves(frozenset[int]().union(*numbers))
    symbols = {leaf.name: leaf.made for leaf in leaves if leaf.name and leaf.at is None}
    index = "threadIdx" if question.same_block else "blockIdx"
    names = [(f"{index}.{axis}#1", f"{index}.{axis}#2") for axis in "xyz"]
    two = all(name in symbols for pair in names for name in pair)
    apart = (z3.Or(*(symbols[one] != symbols[other] for one, other in names)),) if two else ()
    laws = powers.facts([leaf.power for leaf in leaves if leaf.power is not None], exact=exact)
    laws += bits.facts([leaf.bits for leaf in leaves if leaf.bits is not None], exact=exact)
    if not exact:
        laws += translation.laws(leaves)
    laws += _unique(leaves, symbols)
    parts = (
        ("What holds of the launch and of each thread.", tuple(held)),
        ("What is asked of both: that they meet, or that they differ.", tuple(related)),
        ("Tickets of atomic additions are apart.", tuple(fact for fact, _ in tickets)),
        (f"They are two threads{'' if question.same_block else ', of two blocks'}.", apart),
        ("Limits of numbers; quotients and rests.", tuple(fact for leaf in leaves for fact in leaf.facts)),
        ("Laws of powers, bits and products, and of elements that differ.", tuple(laws)),
    )  # fmt: skip
    return Stated(parts, symbols, tuple(leaf for leaf in leaves if leaf.at is not None))
