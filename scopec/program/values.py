"""Pure expressions over a thread's registers (:mod:`scopec.program.trees`), folded as they are built."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, assert_never

from scopec.program import types
from scopec.program.trees import DEEPEST, in_steps
from scopec.program.trees import LONGEST as LONGEST
from scopec.program.trees import Binary as Binary
from scopec.program.trees import Builtin as Builtin
from scopec.program.trees import Choose as Choose
from scopec.program.trees import Const as Const
from scopec.program.trees import Convert as Convert
from scopec.program.trees import Named as Named
from scopec.program.trees import Names as Names
from scopec.program.trees import Reg as Reg
from scopec.program.trees import Unary as Unary
from scopec.program.trees import Value as Value
from scopec.program.trees import children as children
from scopec.program.trees import constants as constants
from scopec.program.trees import deeper_than as deeper_than
from scopec.program.trees import fold as fold
from scopec.program.trees import inner_first as inner_first
from scopec.program.trees import leaves as leaves
from scopec.program.trees import rebuild as rebuild
from scopec.program.trees import size as size
from scopec.program.types import BOOL, IntType

TRUE = Const(1, BOOL)
FALSE = Const(0, BOOL)


def convert(value: Value, type_: IntType) -> Value:
    """``value`` converted to ``type_`` for what has that type itself; nothing is added where every value is kept."""
    if isinstance(value, Const):
        return Const(type_.wrap(value.value), type_)
    return value if keeps(value.type, type_) else Convert(value, type_)


def cast(value: Value, type_: IntType) -> Value:
    """``value`` converted to ``type_``, which is its type then: what is computed from it depends on that."""
    converted = convert(value, type_)
    return converted if converted.type == type_ else Convert(converted, type_)


def keeps(source: IntType, type_: IntType) -> bool:
    """Whether a conversion from ``source`` to ``type_`` keeps every value."""
    if source == type_ or source.is_bool or type_.is_bool:
        return source == type_ or source.is_bool
    if type_.signed == source.signed:
        return type_.bits >= source.bits
    return type_.signed and type_.bits > source.bits


def unary(op: str, operand: Value) -> Value:
    """``op operand`` after integral promotion."""
    if op == "!":
        operand = convert(operand, BOOL)
        if isinstance(operand, Unary) and operand.op == "!":
            return operand.operand
        if isinstance(operand, Binary) and operand.op in _NEGATED:
            return Binary(_NEGATED[operand.op], operand.left, operand.right, BOOL)
        type_ = BOOL
    else:
        type_ = types.promoted(operand.type)
        if op == "+":
            return cast(operand, type_)
        operand = convert(operand, type_)
    return _computed(Unary(op, operand, type_))


_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def binary(op: str, left: Value, right: Value) -> Value:
    """``left op right`` with the usual arithmetic conversions."""
    if op in ("&&", "||"):
        return _logical(op, convert(left, BOOL), convert(right, BOOL))
    if op in ("<<", ">>"):
        type_ = operands = types.promoted(left.type)
    else:
        operands = types.common_type(left.type, right.type)
        type_ = BOOL if op in types.COMPARISONS else operands
    left, right = convert(left, operands), convert(right, operands if op not in ("<<", ">>") else right.type)
    return _computed(Binary(op, left, right, type_))


def _computed(value: Value) -> Value:
    """The constant that an operation on constants has; where C++ defines none, the operation."""
    match value:
        case Unary(op, Const(number, _), type_):
            return Const(types.unary(op, number, type_), type_)
        case Binary(op, Const(first, _), Const(second, _), type_):
            with suppress(types.ArithmeticFault):
                return Const(types.binary(op, first, second, type_), type_)
        case _:
            pass
    return value


def _logical(op: str, left: Value, right: Value) -> Value:
    absorbing = int(op == "||")
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Const):
            return Const(absorbing, BOOL) if one.value == absorbing else other
    return left if left == right else Binary(op, left, right, BOOL)


def choose(condition: Value, then: Value, otherwise: Value) -> Value:
    """``condition ? then : otherwise`` with both branches converted to their common type."""
    type_ = then.type
    if then.type != otherwise.type:
        type_ = types.common_type(then.type, otherwise.type)
        then, otherwise = convert(then, type_), convert(otherwise, type_)
    condition = convert(condition, BOOL)
    if isinstance(condition, Const):
        return cast(then if condition.value else otherwise, type_)
    if then == otherwise:
        return cast(then, type_)
    if type_.is_bool:  # a choice with a constant side is a conjunction or disjunction
        if isinstance(then, Const):
            return (
                _logical("||", condition, otherwise) if then.value else _logical("&&", unary("!", condition), otherwise)
            )
        if isinstance(otherwise, Const):
            first = unary("!", condition) if otherwise.value else condition
            return _logical("||" if otherwise.value else "&&", first, then)
    return Choose(condition, then, otherwise, type_)


def substitute(value: Value, replace: Callable[[Reg | Builtin], Value], done: dict[int, Value] | None = None) -> Value:
    """``value`` with every register and builtin replaced, folded again; ``done`` are named ones by number."""
    if isinstance(value, Const):
        return value
    if isinstance(value, (Reg, Builtin)):
        return replace(value)
    done = {} if done is None else done
    match value:
        case Binary(op, left, right, type_):
            left, right = substitute(left, replace, done), substitute(right, replace, done)
            return binary(op, left, right) if op in ("&&", "||") else _computed(Binary(op, left, right, type_))
        case Named():
            if value.number not in done:
                if value.level > DEEPEST:
                    return in_steps(value, done, lambda one, before: _renamed(one, replace, before))
                done[value.number] = _renamed(value, replace, done)
            return done[value.number]
        case Convert(operand, type_):
            return cast(substitute(operand, replace, done), type_)
        case Unary(op, operand, type_):
            operand = substitute(operand, replace, done)
            return unary("!", operand) if op == "!" else _computed(Unary(op, operand, type_))
        case Choose(condition, then, otherwise, _):
            condition = substitute(condition, replace, done)
            return choose(condition, substitute(then, replace, done), substitute(otherwise, replace, done))
        case _:
            assert_never(value)


def _renamed(value: Named, replace: Callable[[Reg | Builtin], Value], done: dict[int, Value]) -> Value:
    return value.names.short(substitute(value.value, replace, done))


class Given:
    """Values where builtins are known: one for all threads that do not differ in those that it mentions."""

    def __init__(self) -> None:
        self._leaves: dict[int, tuple[Value, tuple[Reg | Builtin, ...]]] = {}
        self._found: dict[tuple[int | None, ...], Value] = {}
        #: What is kept of nodes in the same way (:mod:`scopec.program.specialise`): by what it is of, and the builtins.
        self.mentioned: dict[int, tuple[object, tuple[str, ...]]] = {}
        self.nodes: dict[tuple[int | None, ...], Any] = {}

    def __call__(self, value: Value, builtins: Mapping[str, int]) -> Value:
        """``value`` with these builtins replaced, folded again."""
        if id(value) not in self._leaves:  # kept, so that no other value gets its id
            self._leaves[id(value)] = value, tuple(dict.fromkeys(leaves(value)))
        _, mentioned = self._leaves[id(value)]
        key = id(value), *(builtins.get(leaf.name) for leaf in mentioned if isinstance(leaf, Builtin))
        if key not in self._found:
            self._found[key] = _with(value, mentioned, builtins)
        return self._found[key]


def _with(value: Value, mentioned: Sequence[Reg | Builtin], builtins: Mapping[str, int]) -> Value:
    """``value``, which mentions these, with builtins replaced."""
    if all(isinstance(leaf, Builtin) and leaf.name in builtins for leaf in mentioned):
        with suppress(types.ArithmeticFault):
            return Const(evaluate(value, lambda leaf: builtins[leaf.name]), value.type)

    def known(leaf: Reg | Builtin) -> Value:
        given = isinstance(leaf, Builtin) and leaf.name in builtins
        return Const(builtins[leaf.name], leaf.type) if given else leaf

    return substitute(value, known)


def applied(value: Value, arguments: Sequence[int]) -> int:
    """The result of the outermost operation of a value where its children have these; may raise ArithmeticFault."""
    parts = [Const(number, part.type) for number, part in zip(arguments, children(value), strict=True)]
    return evaluate(rebuild(value, parts), _no_leaf)


def _no_leaf(leaf: Reg | Builtin) -> int:
    raise AssertionError(leaf)


def evaluate(value: Value, environment: Callable[[Reg | Builtin], int]) -> int:
    """The integer that ``value`` has; raises ArithmeticFault where C++ defines no result."""
    return _evaluated(value, environment, {})


def _evaluated(value: Value, environment: Callable[[Reg | Builtin], int], done: dict[int, int]) -> int:
    match value:  # in the order of how often they are met
        case Reg() | Builtin():
            return environment(value)
        case Const(number, _):
            return number
        case Binary(op, left, right, type_):
            first = _evaluated(left, environment, done)
            if op == "&&":
                return int(bool(first and _evaluated(right, environment, done)))
            if op == "||":
                return int(bool(first or _evaluated(right, environment, done)))
            return types.binary(op, first, _evaluated(right, environment, done), type_)
        case Convert(operand, type_):
            return type_.wrap(_evaluated(operand, environment, done))
        case Named(number, long):
            if number not in done:
                if value.level > DEEPEST:
                    return in_steps(value, done, lambda one, before: _evaluated(one.value, environment, before))
                done[number] = _evaluated(long, environment, done)
            return done[number]
        case Choose(condition, then, otherwise, _):
            chosen = then if _evaluated(condition, environment, done) else otherwise
            return _evaluated(chosen, environment, done)
        case Unary(op, operand, type_):
            return types.unary(op, _evaluated(operand, environment, done), type_)
        case _:
            assert_never(value)


_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, "<=": 7, ">": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip


def show(value: Value, outer: int = 0) -> str:
    """``value`` in C++ notation (conversions as ``type(…)``)."""
    match value:
        case Const(number, type_):
            return ("true" if number else "false") if type_.is_bool else str(number)
        case Reg(name, _) | Builtin(name, _):
            return name
        case Unary(op, operand, _):
            return op + show(operand, 11)
        case Binary(("min" | "max") as op, left, right, _):
            return f"{op}({show(left)}, {show(right)})"
        case Binary(op, left, right, _):
            level = _PRECEDENCE[op]
            text = f"{show(left, level)} {op} {show(right, level + 1)}"
            return f"({text})" if level < outer else text
        case Choose(condition, then, otherwise, _):
            text = f"{show(condition, 1)} ? {show(then, 1)} : {show(otherwise)}"
            return f"({text})" if outer else text
        case Convert(operand, type_):
            return f"{type_.name}({show(operand)})"
        case Named():
            return "…"
        case _:
            assert_never(value)
