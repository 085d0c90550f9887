"""Values in TLA+.

TLC's integers have 32 bits, so arithmetic that C++ does modulo a power of two is written out for narrow types, and
stops TLC with a message where a wider unsigned result would wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.records import dataclass
from scopec.base.source import Span
from scopec.program.types import IntType
from scopec.program.values import Binary, Builtin, Choose, Const, Convert, Named, Reg, Unary, Value, keeps, show

_COMPARISONS = {"==": "=", "!=": "#", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
#: The precedence of an operator; that of `%` overlaps with those of other arithmetic (Specifying Systems, table 6).
OPEN, IMPLIES, OR, AND, COMPARE, MODULO, ADD, MULTIPLY, ATOM = range(9)

#: Operators that a module defines where it needs them.
HELPERS = {
    "Goto": "Goto(t, l) == pc' = [pc EXCEPT ![t] = l]",
    "OneOf": "\\* one of some threads, or none if there are none\n"
    "OneOf(who) == IF who = {} THEN {{}} ELSE {{u} : u \\in who}",
    "Minus": 'Minus(a, b) == IF a >= b THEN a - b ELSE Assert(FALSE, "unsigned subtraction wraps")',
    "Unsigned": 'Unsigned(a) == IF a >= 0 THEN a ELSE Assert(FALSE, "a negative value becomes unsigned")',
    "Quotient": "Abs(a) == IF a >= 0 THEN a ELSE -a\n"
    "Quotient(a, b) == IF (a >= 0) = (b > 0) THEN Abs(a) \\div Abs(b) ELSE -(Abs(a) \\div Abs(b))",
    "Remainder": "Remainder(a, b) == a - Quotient(a, b) * b",
    "BitAnd": "RECURSIVE BitAnd(_, _)\n"
    'BitAnd(a, b) == IF a < 0 \\/ b < 0 THEN Assert(FALSE, "bitwise operation on a negative value")\n'
    "                ELSE IF a = 0 \\/ b = 0 THEN 0 ELSE 2 * BitAnd(a \\div 2, b \\div 2) + (a % 2) * (b % 2)",
}
_NEEDS = {"Remainder": ("Quotient",), "BitOr": ("BitAnd",), "BitXor": ("BitAnd",)}


@dataclass
class Printer:
    """Prints values; ``leaf`` gives the expression of a register or builtin.  ``helpers`` collects what is needed."""

    leaf: Callable[[Reg | Builtin], str]
    span: Span
    helpers: set[str] = field(default_factory=set)

    def value(self, value: Value, outer: int = OPEN) -> str:
        """An integer expression; truth values are 0 and 1."""
        text, level = self._value(value)
        return f"({text})" if level < outer else text

    def condition(self, value: Value, outer: int = OPEN) -> str:
        """A TLA+ formula."""
        text, level = self._condition(value)
        return f"({text})" if level < outer else text

    def _value(self, value: Value) -> tuple[str, int]:
        match value:
            case Const(number, _):
                if number == -(1 << 31):  # TLC reads a number and takes its negative then
                    return f"{number + 1} - 1", ADD
                if not -(1 << 31) < number < 1 << 31:
                    message = f"the value {number} needs more than TLC's 32 bits"
                    raise error(Code.VALUE_RANGE, message, self.span)
                return str(number), ATOM if number >= 0 else ADD
            case Reg() | Builtin():
                return self.leaf(value), ATOM
            case Choose(condition, then, otherwise, _):
                text = f"IF {self.condition(condition)} THEN {self.value(then)} ELSE {self.value(otherwise)}"
                return text, OPEN
            case Binary(("==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||"), _, _, _) | Unary("!", _, _):
                return f"IF {self.condition(value)} THEN 1 ELSE 0", OPEN
            case Unary("-", operand, type_):
                return self._wrapped(f"-{self.value(operand, ATOM)}", ADD, type_)
            case Unary(op, _, _):
                raise error(Code.VALUE_RANGE, f"`{op}` is not modelled by the progress question", self.span)
            case Convert(operand, type_):
                return self._converted(operand, type_)
            case Binary(op, left, right, type_):
                return self._binary(op, left, right, type_)
            case Named():  # only the memory question names values
                raise AssertionError(value)
            case _:
                assert_never(value)

    def _binary(self, op: str, left: Value, right: Value, type_: IntType) -> tuple[str, int]:
        match op:
            case "-" if not type_.signed and type_.bits > 16:
                return self._call("Minus", left, right), ATOM
            case "+" | "-":
                text = f"{self.value(left, ADD)} {op} {self.value(right, MULTIPLY)}"
                return self._wrapped(text, ADD, type_)
            case "*":
                text = f"{self.value(left, MULTIPLY)} * {self.value(right, ATOM)}"
                return self._wrapped(text, MULTIPLY, type_)
            case "/" | "%":
                return self._call("Quotient" if op == "/" else "Remainder", left, right), ATOM
            case "&":
                return self._call("BitAnd", left, right), ATOM
            case "|":
                both = self._call("BitAnd", left, right)
                return f"{self.value(left, ADD)} + {self.value(right, MULTIPLY)} - {both}", ADD
            case "^":
                both = self._call("BitAnd", left, right)
                return f"{self.value(left, ADD)} + {self.value(right, MULTIPLY)} - 2 * {both}", ADD
            case "<<" if isinstance(right, Const):
                text = f"{self.value(left, MULTIPLY)} * {1 << right.value}"
                return self._wrapped(text, MULTIPLY, type_)
            case ">>" if isinstance(right, Const):
                return f"{self.value(left, MULTIPLY)} \\div {1 << right.value}", MULTIPLY
            case _:
                shown = show(Binary(op, left, right, type_))
                raise error(Code.VALUE_RANGE, f"`{shown}` is not modelled by the progress question", self.span)

    def _call(self, helper: str, *arguments: Value) -> str:
        self.helpers.add(helper)
        self.helpers.update(_NEEDS.get(helper, ()))
        return f"{helper}({', '.join(self.value(a) for a in arguments)})"

    def _wrapped(self, text: str, level: int, type_: IntType) -> tuple[str, int]:
        """Arithmetic modulo 2^bits, for types whose whole range TLC holds; others do not wrap within its range."""
        if type_.bits > 16 or type_.is_bool:
            return text, level
        inner = text if level >= ADD and type_.signed else f"({text})"
        if not type_.signed:
            return f"{inner} % {1 << type_.bits}", MODULO
        half = 1 << (type_.bits - 1)
        return f"((({inner}) + {half}) % {2 * half}) - {half}", ADD

    def _converted(self, operand: Value, type_: IntType) -> tuple[str, int]:
        if type_.is_bool:
            return f"IF {self.condition(operand)} THEN 1 ELSE 0", OPEN
        text, level = self._value(operand)
        if level < ADD:
            text, level = f"({text})", ATOM
        if keeps(operand.type, type_):
            return text, level
        if type_.bits <= 16:
            return self._wrapped(text, level, type_)
        if type_.signed:
            return text, level
        self.helpers.add("Unsigned")
        return f"Unsigned({text})", ATOM

    def _condition(self, value: Value) -> tuple[str, int]:
        match value:
            case Const(number, _):
                return ("TRUE" if number else "FALSE"), ATOM
            case Unary("!", operand, _):
                if isinstance(operand, (Reg, Builtin)):
                    return f"{self.leaf(operand)} = 0", COMPARE
                return f"~{self.condition(operand, ATOM)}", ATOM
            case Binary(("&&" | "||") as op, left, right, _):
                level, sign = (AND, "/\\") if op == "&&" else (OR, "\\/")
                # Neither binds tighter than the other: TLA+ refuses to read the two side by side.
                return f"{self.condition(left, COMPARE)} {sign} {self.condition(right, COMPARE)}", level
            case Binary(("==" | "!=") as op, _, Const(number, _), _) if not -(1 << 31) <= number < 1 << 31:
                return ("FALSE" if op == "==" else "TRUE"), ATOM  # TLC stops before a value is so large
            case Binary(op, left, right, _) if op in _COMPARISONS:
                return f"{self.value(left, MODULO)} {_COMPARISONS[op]} {self.value(right, MODULO)}", COMPARE
            case Convert(operand, type_) if type_.is_bool:
                return self._condition(operand)
            case _:
                return f"{self.value(value, MODULO)} # 0", COMPARE


_RESERVED = frozenset(
    """
    ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN ELSE
    ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS OMITTED ONLY
    OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SF_ STATE STRING SUBSET SUFFICES TAKE TEMPORAL THEN THEOREM
    TRUE UNCHANGED UNION USE VARIABLE VARIABLES WF_ WITH WITNESS
    """.split()  # noqa: SIM905
)

#: The modules that TLC brings along (tla2sany/StandardModules): a file beside the specification would hide them.
_STANDARD_MODULES = frozenset(
    "Bags FiniteSets Integers Naturals Randomization RealTime Reals Sequences TLC TLCExt Toolbox".split()  # noqa: SIM905
)
#: The module of the laws, which those of programs extend.
LAWS_MODULE = "CudaProgress"


def module_name(name: str) -> str:
    """A name that a module may have, from an identifier."""
    taken = name in _RESERVED | _STANDARD_MODULES or name.lower() == LAWS_MODULE.lower()  # some file systems fold case
    return f"p_{name}" if taken or not name[0].isalpha() else name


def tla_name(name: str) -> str:
    """A name that TLA+ accepts: reserved words and the prefixes WF_ and SF_ get an underscore behind."""
    if name in _RESERVED or name.startswith(("WF_", "SF_")) or not any(c.isalpha() for c in name):
        return f"{name}_" if any(c.isalpha() for c in name) else f"x{name}"
    return name
