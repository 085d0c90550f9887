"""Values and conditions over reads, in Alloy.

A value is an expression that denotes one value atom (none where a read is not executed); functions of values are
tables over the domains that scopec computed, named once and shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scopec.program.types import ArithmeticFault
from scopec.program.values import Binary, Choose, Const, Convert, Named, Reg, Unary, Value, evaluate, leaves, show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.memory.domains import Domains


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
            case Binary(op, left, right, type_):
                rows = self._binary_rows(op, left, right, type_)
                table = self._table(rows, Binary(op, Reg("a", left.type), Reg("b", right.type), type_), arity=2)
                return f"{self.value(right)}.({self.value(left)}.{table})"
            case Unary(_, operand, _) | Convert(operand, _):
                rows = []
                for argument in sorted(self.domains.values(operand)):
                    outer = _with_operand(value, Const(argument, operand.type))
                    rows.append(((argument,), evaluate(outer, _no_leaves)))
                shown = _with_operand(value, Reg("a", operand.type))
                return f"({self.value(operand)}).{self._table(rows, shown)}"
            case _:
                raise AssertionError(value)

    def _binary_rows(self, op: str, left: Value, right: Value, type_: object) -> list[tuple[tuple[int, ...], int]]:
        rows: list[tuple[tuple[int, ...], int]] = []
        for a in sorted(self.domains.values(left)):
            for b in sorted(self.domains.values(right)):
                operation = Binary(op, Const(a, left.type), Const(b, right.type), type_)  # type: ignore[arg-type]
                try:
                    rows.append(((a, b), evaluate(operation, _no_leaves)))
                except ArithmeticFault:
                    continue
        return rows

    def _name(self, value: Named) -> str:
        if value.number not in self.named:
            body = self.value(value.value)
            self.named[value.number] = f"n{len(self.named) + 1}", body
        return self.named[value.number][0]

    def _register(self, name: str) -> str:
        self.atoms |= self.domains.of[name]
        if name.startswith("final_"):
            return name
        return choice_name(name) if "?" in name else f"{name}.rv"

    def _table(self, rows: Iterable[tuple[tuple[int, ...], int]], value: Value, arity: int = 1) -> str:
        key = arity, tuple(rows)
        for arguments, result in key[1]:
            self.atoms |= {*arguments, result}
        if key not in self.tables:
            names = {leaf.name: letter for leaf, letter in zip(dict.fromkeys(leaves(value)), "abcdefgh", strict=False)}
            self.tables[key] = Table(f"f{len(self.tables) + 1}", _renamed(value, names), *key)
        return self.tables[key].name

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
            case Binary(op, left, right, type_):
                rows = [row for row in self._binary_rows(op, left, right, type_) if row[1]]
                if not rows:
                    return "no Event"
                shown = Binary(op, Reg("a", left.type), Reg("b", right.type), type_)
                table = self._table((((a,), b) for (a, b), _ in rows), shown)
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


def _with_operand(value: Value, operand: Value) -> Value:
    match value:
        case Unary(op, _, type_):
            return Unary(op, operand, type_)
        case Convert(_, type_):
            return Convert(operand, type_)
        case _:
            raise AssertionError(value)


def _no_leaves(leaf: object) -> int:
    raise AssertionError(leaf)


def _renamed(value: Value, names: dict[str, str]) -> str:
    from scopec.program.values import substitute

    return show(substitute(value, lambda leaf: Reg(names.get(leaf.name, leaf.name), leaf.type)))


def _union(values: Iterable[int]) -> str:
    names = [atom(v) for v in values]
    return names[0] if len(names) == 1 else f"({' + '.join(names)})"


def choice_name(register: str) -> str:
    """The Alloy expression for a choice of the implementation: ``e?weak`` becomes ``Choice.weak_e``."""
    event, _, what = register.partition("?")
    return f"Choice.{what}_{event}"
