"""Terms and definitions of rules in TLA+."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.engines.tla.values import ADD, AND, ATOM, COMPARE, IMPLIES, OPEN, OR
from scopec.progress.terms import At, Call, Field, Fn, Id, Kind, Name, Number, Of, Op, Over, Record, Term

if TYPE_CHECKING:
    from scopec.progress.transition import Definition, Table, Update

#: The notation of an operation between its operands: the sign, its precedence, and that of its operands.
_BETWEEN = {
    Fn.AND: ("/\\", AND, COMPARE),
    Fn.OR: ("\\/", OR, COMPARE),
    Fn.IMPLIES: ("=>", IMPLIES, OR),
    Fn.EQUAL: ("=", COMPARE, ADD),
    Fn.DIFFERS: ("#", COMPARE, ADD),
    Fn.AT_LEAST: (">=", COMPARE, ADD),
    Fn.ABOVE: (">", COMPARE, ADD),
    Fn.AT_MOST: ("<=", COMPARE, ADD),
    Fn.BELOW: ("<", COMPARE, ADD),
    Fn.IN: ("\\in", COMPARE, ADD),
    Fn.SUBSET: ("\\subseteq", COMPARE, ADD),
    Fn.UNION: ("\\cup", ADD, ATOM),
    Fn.MEET: ("\\cap", ADD, ATOM),
    Fn.PLUS: ("+", ADD, ATOM),
    Fn.MINUS: ("-", ADD, ATOM),
}
#: The notation of others, around their operands.
_AROUND = {
    Fn.SIZE: ("Cardinality(", ")"),
    Fn.LENGTH: ("Len(", ")"),
    Fn.APPEND: ("Append(", ")"),
    Fn.SET: ("{", "}"),
    Fn.TUPLE: ("<<", ">>"),
    Fn.DOMAIN: ("DOMAIN ", ""),
    Fn.ALL_OF: ("UNION ", ""),
    Fn.ONLY: ("(CHOOSE one \\in ", " : TRUE)"),
}
_OVER = {
    Kind.EVERY: ("\\A {name} \\in {domain} : {body}", OPEN),
    Kind.SOME: ("\\E {name} \\in {domain} : {body}", OPEN),
    Kind.THOSE: ("{{{name} \\in {domain} : {body}}}", ATOM),
    Kind.EACH: ("{{{body} : {name} \\in {domain}}}", ATOM),
    Kind.TABLE: ("[{name} \\in {domain} |-> {body}]", ATOM),
}


#: The width at most of a definition that could stand on several lines.
_WIDTH = 75


def _no_values(of: Of, _outer: int) -> str:
    raise AssertionError(of)


@dataclass(frozen=True)
class Terms:
    """Prints terms; ``id`` names what rules are about, ``value`` prints a value of the program."""

    id: Callable[[Id], str]
    value: Callable[[Of, int], str] = _no_values

    def text(self, term: Term, outer: int = OPEN) -> str:
        """A term where what is around it binds as tightly as ``outer``."""
        if isinstance(term, Of):
            return self.value(term, outer)
        text, level = self._text(term)
        return f"({text})" if level < outer else text

    def _text(self, term: Term) -> tuple[str, int]:
        match term:
            case Id():
                return f'"{self.id(term)}"', ATOM
            case Number(value):
                return (str(value).upper() if isinstance(value, bool) else str(value)), ATOM
            case Name(name):
                return name, ATOM
            case At(of, key):
                return f"{self.text(of, ATOM)}[{self.text(key)}]", ATOM
            case Call(name, ()):
                return name, ATOM
            case Call(name, arguments):
                return f"{name}({self._listed(arguments)})", ATOM
            case Field(of, name):
                return f"{self.text(of, ATOM)}.{name}", ATOM
            case Record(fields, None):
                return f"[{', '.join(f'{name} |-> {self.text(value)}' for name, value in fields)}]", ATOM
            case Record(fields, of) if of is not None:
                changed = ", ".join(f"!.{name} = {self.text(value)}" for name, value in fields)
                return f"[{self.text(of)} EXCEPT {changed}]", ATOM
            case Over(kind, name, domain, body):
                form, level = _OVER[kind]
                return form.format(name=name, domain=self.text(domain, ADD), body=self.text(body)), level
            case Op(Fn.IF, (condition, then, otherwise)):
                inner = ATOM if isinstance(then, Op) and then.fn is Fn.IF else OPEN
                return f"IF {self.text(condition)} THEN {self.text(then, inner)} ELSE {self.text(otherwise)}", OPEN
            case Op(Fn.NOT, (Op(Fn.IN, (one, set_)),)):
                return f"{self.text(one, ADD)} \\notin {self.text(set_, ADD)}", COMPARE
            case Op(Fn.NOT, (condition,)):
                return f"~{self.text(condition, ATOM)}", ATOM
            case Op(Fn.UP_TO, (first, last)):
                return f"{self.text(first, ATOM)}..{self.text(last, ATOM)}", ADD
            case Op(fn, operands) if fn in _BETWEEN:
                sign, level, needs = _BETWEEN[fn]
                return f" {sign} ".join(self.text(operand, needs) for operand in operands), level
            case Op(fn, operands):
                before, after = _AROUND[fn]
                return f"{before}{self._listed(operands)}{after}", ATOM
            case Of() | Record():
                raise AssertionError(term)

    def _listed(self, terms: tuple[Term, ...]) -> str:
        return ", ".join(map(self.text, terms))

    def update(self, update: Update) -> str:
        """The conjunct of an update."""
        new = self.text(update.new)
        if update.key is not None:
            new = f"[{update.variable} EXCEPT ![{self.text(update.key)}] = {new}]"
        return f"/\\ {update.variable}' = {new}"

    def definition(self, definition: Definition, width: int = 0, and_: str = "") -> list[str]:
        """The lines of a definition; ``and_`` is said too."""
        head = f"{self.text(Call(definition.name, tuple(map(Name, definition.parameters)))).ljust(width)} == "
        whole = self.text(definition.body)
        lines = [whole] if len(head) + len(whole) <= _WIDTH else self._lines(definition.body)
        return [*(f"\\* {line}" for line in definition.law), *_aligned(head, lines, and_)]

    def table(self, table: Table) -> str:
        """A constant function."""
        return " @@ ".join(f"{self.text(key)} :> {self.text(value)}" for key, value in table.items())

    def _lines(self, body: Term) -> list[str]:
        """A wide body, on several lines where it is a choice, a union or a search for what has several properties."""
        match body:
            case Op(Fn.OR, operands):
                return [f"\\/ {self.text(operand)}" for operand in operands]
            case Op(Fn.UNION, (first, *others)) if isinstance(first, Over):
                return [self.text(first, ATOM), *(f"\\cup {self.text(other, ATOM)}" for other in others)]
            case Op(Fn.IF, (condition, Record() as then, otherwise)):
                return [
                    f"IF {self.text(condition)}", f"THEN {self.text(then)}", f"ELSE {self.text(otherwise)}",
                ]  # fmt: skip
            case Over(Kind.SOME, name, domain, Op(Fn.AND, conditions)):
                return [f"\\E {name} \\in {self.text(domain)} :", *(f"  /\\ {self.text(c)}" for c in conditions)]
            case _:
                return [self.text(body)]


def _aligned(head: str, lines: list[str], and_: str) -> list[str]:
    return [head + lines[0] + and_, *(" " * len(head) + line for line in lines[1:])]
