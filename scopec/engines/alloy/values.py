"""Values and conditions over reads, in Alloy.

A value is an expression that denotes one value atom (none where a read is not executed); functions of values are
tables over the domains that scopec computed, named once and shared.
"""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program.types import ArithmeticFault
from scopec.program.values import (
    Binary,
    Choose,
    Const,
    Convert,
    Named,
    Reg,
    Unary,
    Value,
    applied,
    children,
    inner_first,
    leaves,
    rebuild,
    show,
    substitute,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scopec.memory.domains.domains import Domains
    from scopec.memory.events.events import LeftOpen


#: Operators in the names of tables, and how many words such a name has at most.
_WORDS = {
    "+": "plus", "-": "minus", "*": "times", "/": "over", "%": "mod", "==": "eq", "!=": "ne", "<": "lt", "<=": "le",
    ">": "gt", ">=": "ge", "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr", "~": "inv", "!": "not",
    "&&": "and", "||": "or",
}  # fmt: skip
_MOST_WORDS = 5


def atom(value: int) -> str:
    """The name of a value's atom: ``v42``, or ``vm1`` for -1."""
    return f"v{value}" if value >= 0 else f"vm{-value}"


def value_of(name: str) -> int:
    """The value of an atom's name."""
    return -int(name[2:]) if name.startswith("vm") else int(name[1:])


@dataclass(frozen=True, slots=True)
class Table:
    """A function of so many values as a constant relation: ``rows`` are argument tuples with results."""

    name: str
    comment: str
    arity: int
    rows: tuple[tuple[tuple[int, ...], int], ...]


@dataclass
class Values:
    """Translates values and conditions; collects the tables and the value atoms that they need."""

    domains: Domains
    #: Expressions for what is no read: choices, and final values of locations.
    terms: Mapping[str, str] = field(default_factory=dict)
    tables: dict[tuple[int, tuple[tuple[tuple[int, ...], int], ...]], Table] = field(default_factory=dict)
    atoms: set[int] = field(default_factory=set)
    #: Names and definitions of long values, by their numbers: each after those that it uses.
    named: dict[int, tuple[str, str]] = field(default_factory=dict)

    def value(self, value: Value) -> str:
        """An Alloy expression for a value's atom."""
        match value:
            case Const(number, _):
                self.atoms.add(number)
                return atom(number)
            case Reg(name, _):
                return self._register(name)
            case Named():
                return self._name(value)
            case Choose(condition, then, otherwise, _):
                return f"({self.grouped(condition)} => {self.value(then)} else {self.value(otherwise)})"
            case _ if value.type.is_bool:
                self.atoms |= {0, 1}
                return f"({self.grouped(value)} => v1 else v0)"
            case _ if len(set(leaves(value))) == 1:
                (leaf,) = set(leaves(value))
                return f"{self._register(leaf.name)}.{self._table(self.domains.table(value), value)}"
            case Binary(_, left, right, _):
                table = self._table(self._rows(value), _of_letters(value), arity=2)
                return f"{self.value(right)}.({self.value(left)}.{table})"
            case Unary(_, operand, _) | Convert(operand, _):
                return f"({self.value(operand)}).{self._table(self._rows(value), _of_letters(value))}"
            case _:
                raise AssertionError(value)

    def _rows(self, value: Value) -> list[tuple[tuple[int, ...], int]]:
        """The outermost operation of a value as a table, without rows for which C++ defines no result."""
        rows: list[tuple[tuple[int, ...], int]] = []
        for arguments in itertools.product(*(sorted(self.domains.values(o)) for o in children(value))):
            with suppress(ArithmeticFault):
                rows.append((arguments, applied(value, arguments)))
        return rows

    def _name(self, value: Named) -> str:
        if value.number not in self.named:
            for inner in inner_first(value, lambda one: one.number in self.named):
                self._name(inner)
            body = self.value(value.value)
            self.named[value.number] = f"n{len(self.named) + 1}", body
        return self.named[value.number][0]

    def _register(self, name: str) -> str:
        self.atoms |= self.domains.of[name]
        return self.terms.get(name) or f"{name}.rv"

    def _table(self, rows: Iterable[tuple[tuple[int, ...], int]], value: Value, arity: int = 1) -> str:
        key = arity, tuple(rows)
        for arguments, result in key[1]:
            self.atoms |= {*arguments, result}
        if key not in self.tables:
            names = {leaf.name: letter for leaf, letter in zip(dict.fromkeys(leaves(value)), "abcdefgh", strict=False)}
            shown = _renamed(value, names)
            self.tables[key] = Table(self._table_name(shown), shown, *key)
        return self.tables[key].name

    def _table_name(self, shown: str) -> str:
        """``f_a_plus_1``, from what is computed; a number for what is long, or has several tables."""
        words = [_WORDS.get(word, word) for word in re.findall(r"\w+|[^\w\s(),]+", shown)]
        words = [word for word in words if word.isalnum()]
        name = "_".join(["f", *words]) if len(words) <= _MOST_WORDS else "f"
        same = sum(re.fullmatch(rf"{name}(_\d+)?", table.name) is not None for table in self.tables.values())
        return f"{name}_{same + 1}" if same or name == "f" else name

    def condition(self, value: Value) -> str:
        """An Alloy formula for a condition (false where a read that it needs is not executed)."""
        match value:
            case Const(number, _):
                return "some Event" if number else "no Event"
            case Named():
                self.atoms.add(1)
                return f"some ({self._name(value)} & v1)"
            case Unary("!", operand, _):
                return f"not {self._formula_operand(operand)}"
            case Binary(("&&" | "||") as op, left, right, _):
                word = "and" if op == "&&" else "or"
                return f"{self._formula_operand(left)} {word} {self._formula_operand(right)}"
            case Choose(condition, then, otherwise, type_) if type_.is_bool:
                return f"({self.grouped(condition)} => {self.grouped(then)} else {self.grouped(otherwise)})"
            case _ if len(set(leaves(value))) == 1:
                (leaf,) = set(leaves(value))
                chosen = sorted(argument for (argument,), result in self.domains.table(value) if result)
                self.atoms.update(chosen)
                if not chosen:
                    return "no Event"
                return f"some ({self._register(leaf.name)} & {_union(chosen)})"
            case Binary("==", left, right, _):
                return f"some ({self.value(left)} & {self.value(right)})"
            case Binary(_, left, right, _):
                rows = [row for row in self._rows(value) if row[1]]
                if not rows:
                    return "no Event"
                table = self._table((((a,), b) for (a, b), _ in rows), _of_letters(value))
                return f"some ({self.value(left)}->{self.value(right)} & {table})"
            case Convert(operand, _):
                return self.condition(Binary("!=", operand, Const(0, operand.type), value.type))
            case _:
                raise AssertionError(value)

    def grouped(self, value: Value) -> str:
        """A condition that may stand beside ``=>`` and ``and``, which bind tighter than ``or`` in Alloy."""
        text = self.condition(value)
        return f"({text})" if isinstance(value, Binary) and value.op == "||" else text

    def _formula_operand(self, value: Value) -> str:
        text = self.condition(value)
        atomic = text.startswith(("some (", "(")) and not isinstance(value, Binary)
        return text if atomic or (isinstance(value, Binary) and value.op not in ("&&", "||")) else f"({text})"


def _of_letters(value: Value) -> Value:
    """The outermost operation of a value, as it is shown."""
    return rebuild(value, [Reg(letter, part.type) for letter, part in zip("ab", children(value), strict=False)])


def _renamed(value: Value, names: dict[str, str]) -> str:
    return show(substitute(value, lambda leaf: Reg(names.get(leaf.name, leaf.name), leaf.type)))


def _union(values: Iterable[int]) -> str:
    names = [atom(v) for v in values]
    return names[0] if len(names) == 1 else f"({' + '.join(names)})"


def choice_field(choice: LeftOpen) -> str:
    """The field of ``Choice`` for what is left to the implementation: ``weak_e`` for that of a weak exchange ``e``."""
    return f"{choice.what}_{choice.of}"
