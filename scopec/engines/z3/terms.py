"""Terms to z3's, with products of unknowns as they are, or as numbers of which laws of order are known.

The laws hold of all integers, so that what is refuted with them has no solution.
"""

from __future__ import annotations

import itertools
from typing import Any

import z3

from scopec.engines.z3.powers import Powers
from scopec.program.anythread import Term, is_truth
from scopec.sizes.questions import Question, Who


class Translation:
    """The terms of one question; with ``exact`` products are z3's own."""

    def __init__(self, question: Question, *, exact: bool) -> None:
        self.question = question
        self.exact = exact
        self.facts: list[Any] = []
        #: Symbols by the name that they have in z3: of the launch, or of one thread.
        self.symbols: dict[str, Any] = {}
        self.reads: dict[str, list[Any]] = {}
        self._known: dict[tuple[Term, Who], Any] = {}
        self._products: dict[tuple[int, int], tuple[Any, Any, Any]] = {}
        self._quotients: dict[tuple[int, int], tuple[Any, Any, Any, Any]] = {}
        self._functions: dict[str, Any] = {}
        self._powers = Powers()

    def of(self, term: Term, who: Who) -> Any:
        """A term of one thread."""
        key = (term, who)
        if key not in self._known:
            self._known[key] = self._of(term, who)
        return self._known[key]

    def _name(self, term: Term, who: Who) -> str:
        of_block = self.question.same_block and term.name not in self.question.apart
        shared = term.level == "launch" or (term.level == "block" and of_block)
        return term.name if shared else f"{term.name}#{who}"

    def _of(self, term: Term, who: Who) -> Any:  # one case an operation
        if term.op == "symbol" or term.op == "truth":
            return self._symbol(term, self._name(term, who))
        args = [self.of(arg, who) for arg in term.args]
        match term.op:
            case "const":
                return z3.IntVal(term.value)
            case "true" | "false":
                return z3.BoolVal(term.op == "true")
            case "read":
                return self._read(term, args[0])
            case "add":
                return args[0] + args[1]
            case "mul":
                return self._product(args[0], args[1]) if term.args[0].op != "const" else args[0] * args[1]
            case "div" | "mod":
                return self._quotient(term, args[0], args[1])
            case "grown" | "shrunk":
                return self._powers.of(term, args[0], args[1])
            case "less":
                return args[0] < args[1]
            case "equal":
                return args[0] == args[1]
            case "and":
                return z3.And(*args)
            case "or":
                return z3.Or(*args)
            case "not":
                return z3.Not(args[0])
            case "choose":
                return z3.If(*args)
            case _:
                raise AssertionError(term.op)

    def _symbol(self, term: Term, name: str) -> Any:
        if name not in self.symbols:
            made = self.symbols[name] = z3.Bool(name) if is_truth(term) else z3.Int(name)
            if term.low is not None:
                self.facts.append(made >= term.low)
            if term.high is not None:
                self.facts.append(made <= term.high)
        return self.symbols[name]

    def _read(self, term: Term, at: Any) -> Any:
        function = self._functions.setdefault(term.name, z3.Function(term.name, z3.IntSort(), z3.IntSort()))
        self.reads.setdefault(term.name, []).append(at)
        value = function(at)
        self.facts += [value >= term.low, value <= term.high]
        return value

    def function(self, name: str) -> Any:
        """The function that the content of an object is."""
        return self._functions[name]

    def _product(self, left: Any, right: Any) -> Any:
        if self.exact:
            return left * right
        one, other = sorted((left.get_id(), right.get_id()))
        key = (one, other)
        if key not in self._products:
            made = z3.Int(f"product {len(self._products)}")
            self._products[key] = (made, left, right)
        return self._products[key][0]

    def _quotient(self, term: Term, left: Any, right: Any) -> Any:
        if term.args[1].op == "const" and term.args[1].value > 0:
            return left / right if term.op == "div" else left % right
        key = (left.get_id(), right.get_id())
        if key not in self._quotients:
            number = len(self._quotients)
            quotient, rest = z3.Int(f"quotient {number}"), z3.Int(f"rest {number}")
            self._quotients[key] = (quotient, rest, left, right)  # holds both, whose numbers may be used again else
            whole = self._product(quotient, right)
            self.facts.append(z3.Implies(right > 0, z3.And(left == whole + rest, rest >= 0, rest < right)))
            self.facts.append(z3.Implies(z3.And(right > 0, left >= 0), quotient >= 0))
        return self._quotients[key][0 if term.op == "div" else 1]

    def laws(self) -> list[Any]:
        """What is known of products, as far as these are not z3's own, and of powers."""
        found = self._powers.facts(exact=self.exact)
        products = list(self._products.values())
        for made, left, right in products:
            for one, other in ((left, right), (right, left)):
                found += [
                    z3.Implies(one == 0, made == 0),
                    z3.Implies(one == 1, made == other),
                    z3.Implies(one == -1, made == -other),
                    z3.Implies(z3.And(one >= 1, other >= 0), made >= other),
                ]
            found.append(z3.Implies(z3.And(left >= 0, right >= 0), made >= 0))
        for (made, *ours), (other, *theirs) in itertools.combinations(products, 2):
            for mine, his in itertools.product((0, 1), repeat=2):
                factor = ours[mine]
                if factor.get_id() != theirs[his].get_id():
                    continue
                one, two = ours[1 - mine], theirs[1 - his]
                found += [
                    z3.Implies(one == two, made == other),
                    z3.Implies(z3.And(factor >= 0, one < two), made + factor <= other),
                    z3.Implies(z3.And(factor >= 0, two < one), other + factor <= made),
                ]
        return found


def stated(translation: Translation) -> list[Any]:
    """A question as z3's assertions, laws aside."""
    question = translation.question
    found = [translation.of(term, who) for term, who in question.known]
    for relation in question.relations:
        first, second = translation.of(relation.first, 1), translation.of(relation.second, 2)
        match relation.kind:
            case "overlap":
                found += [first < second + relation.sizes[1], second < first + relation.sizes[0]]
            case "not both":
                found.append(z3.Not(z3.And(first, second)))
            case "differ":
                found.append(first != second)
            case "next":
                found.append(second == first + 1)
            case "later":
                found.append(second > first)
    index = "threadIdx" if question.same_block else "blockIdx"
    names = [(f"{index}.{axis}#1", f"{index}.{axis}#2") for axis in "xyz"]
    if all(name in translation.symbols for pair in names for name in pair):
        found.append(z3.Or(*(translation.symbols[one] != translation.symbols[two] for one, two in names)))
    return found
