"""The meaning of the expressions of a .cat file: names looked up, functions applied, kinds checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.base.diagnostics import Code, Diagnostic, InputError, error, suggestion
from scopec.base.records import dataclass
from scopec.memory.cat import tree
from scopec.memory.cat.model import Kind, kind
from scopec.memory.cat.orders import CALLS, Orders
from scopec.memory.cat.recursion import closed_form
from scopec.memory.given.relations import RELATIONS
from scopec.memory.given.sets import SETS

if TYPE_CHECKING:
    from scopec.base.source import Span

_MOST_NODES = 50_000


@dataclass(frozen=True, slots=True)
class Function:
    """A function with the meaning that names had where it was defined."""

    binding: tree.Binding
    scope: Mapping[str, Meaning]


#: The meaning of a name: a given or defined set or relation (by its own name), an expression, a function, or orders.
Meaning: TypeAlias = "str | tree.Expr | Function | Orders"


@dataclass(kw_only=True)
class Resolver:
    """Resolves expressions; ``kinds`` are those of the names that resolved expressions have."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    warnings: list[Diagnostic] = field(default_factory=list)
    nodes: int = 0

    def __post_init__(self) -> None:
        self.kinds |= dict.fromkeys(SETS, "set") | dict.fromkeys(RELATIONS, "relation")  # type: ignore[arg-type]

    def bound(
        self, binding: tree.Binding, scope: Mapping[str, Meaning], *, recursive: bool = False
    ) -> tree.Expr | Function | Orders:
        """The meaning that a binding gives to its name."""
        if binding.parameters:
            if recursive:
                message = f"`{binding.name}` is a recursive function: outside the part of cat that scopec reads"
                raise error(Code.OUTSIDE_SUBSET, message, binding.span)
            scope = dict(scope)
            # Arguments may be sets or relations: names are checked here, kinds where the function is applied.
            self.resolve(binding.body, scope | {p: tree.Universe(binding.span) for p in binding.parameters})
            return Function(binding, scope)
        if not recursive:
            orders = self.given_orders(binding.body, scope)
            return orders if orders is not None else self.resolve(binding.body, scope)
        own = f"{binding.name} (its own)"  # no name in a file is like that
        self.kinds[own] = "relation"
        body = self.resolve(binding.body, {**scope, binding.name: own})
        return closed_form(own, self.want(body, "relation"), binding.name)

    def given_orders(self, expr: tree.Expr, scope: Mapping[str, Meaning]) -> Orders | None:
        """The orders that an expression gives; None if it gives none."""
        match expr:
            case tree.Name(_, name):
                found = scope.get(name)
                return found if isinstance(found, Orders) else None
            case tree.Application(span, function, arguments) if function in CALLS and function not in scope:
                if len(arguments) != CALLS[function]:
                    message = f"`{function}` takes {CALLS[function]} arguments, {len(arguments)} given"
                    raise error(Code.BAD_ARGUMENTS, message, span)
                *of, extended = (self.resolve(a, scope) for a in arguments)
                domain = self.want(of[0], "set") if of else tree.Name(span, "W")
                return Orders(span, domain, self.want(extended, "relation"), function != "linearisations")
            case _:
                return None

    def resolve(self, expr: tree.Expr, scope: Mapping[str, Meaning]) -> tree.Expr:
        """The expression with functions applied and names replaced by what they stand for."""
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            raise error(Code.TOO_LARGE, "functions make this model too large", expr.span, "name parts of it with `let`")
        match expr:
            case tree.Name(span, name):
                return self.meaning(name, span, scope)
            case tree.Universe() | tree.Zero():
                return expr
            case tree.Binary(span, op, left, right):
                return self.checked(tree.Binary(span, op, self.resolve(left, scope), self.resolve(right, scope)))
            case tree.Postfix(span, op, operand):
                return tree.Postfix(span, op, self.want(self.resolve(operand, scope), "relation"))
            case tree.Complement(span, operand):
                return tree.Complement(span, self.resolve(operand, scope))
            case tree.IdentityOn(span, operand):
                return tree.IdentityOn(span, self.want(self.resolve(operand, scope), "set"))
            case tree.End(span, op, operand):
                return tree.End(span, op, self.want(self.resolve(operand, scope), "relation"))
            case tree.LetIn(_, bindings, body):
                return self.resolve(body, {**scope, **{b.name: self.bound(b, scope) for b in bindings}})
            case tree.Try(_, body, otherwise):
                return self.attempt(body, otherwise, scope)
            case tree.Application(span, name, arguments):
                function = scope.get(name)
                if not isinstance(function, Function):
                    help_ = suggestion(name, [n for n, meaning in scope.items() if isinstance(meaning, Function)])
                    raise error(Code.UNKNOWN_NAME, f"there is no function `{name}`", span, help_)
                parameters = function.binding.parameters
                if len(parameters) != len(arguments):
                    message = f"`{name}` takes {len(parameters)} arguments, {len(arguments)} given"
                    raise error(Code.BAD_ARGUMENTS, message, span)
                values = [self.resolve(a, scope) for a in arguments]
                return self.resolve(
                    function.binding.body, {**function.scope, **dict(zip(parameters, values, strict=True))}
                )
            case _:
                assert_never(expr)

    def attempt(self, expr: tree.Expr, otherwise: tree.Expr, scope: Mapping[str, Meaning]) -> tree.Expr:
        """``try … with``: the other expression where the first names what is not defined."""
        warnings = len(self.warnings)
        try:
            return self.resolve(expr, scope)
        except InputError as failure:
            if any(d.code is not Code.UNKNOWN_NAME for d in failure.diagnostics):
                raise
        del self.warnings[warnings:]
        return self.resolve(otherwise, scope)

    def meaning(self, name: str, span: Span, scope: Mapping[str, Meaning]) -> tree.Expr:
        """The set or relation that a name stands for."""
        match scope.get(name):
            case None:
                raise error(Code.UNKNOWN_NAME, f"`{name}` is not defined", span, suggestion(name, scope))
            case str() as own:
                return tree.Name(span, own)
            case Function(binding):
                example = f"write {name}({', '.join(binding.parameters)})"
                raise error(Code.TYPE_ERROR, f"`{name}` is a function", span, example)
            case Orders():
                message = f"`{name}` is a set of relations"
                raise error(Code.TYPE_ERROR, message, span, f"write with x from {name}")
            case found:
                return found

    def checked(self, expr: tree.Binary) -> tree.Binary:
        """A binary expression whose operands are of the kinds that its operator needs."""
        match expr.op:
            case ";":
                self.want(expr.left, "relation")
                self.want(expr.right, "relation")
            case "*":
                self.want(expr.left, "set")
                self.want(expr.right, "set")
            case _:
                kinds = (self.kind(expr.left), self.kind(expr.right))
                if None not in kinds and kinds[0] != kinds[1]:
                    message = f"`{expr.op}` of a {kinds[0]} and a {kinds[1]}"
                    raise error(Code.TYPE_ERROR, message, expr.span, "write [S] for the identity on a set")
        if expr.op == "&" and {"R", "W"} <= (both := _intersected(expr)) and both not in (
            _intersected(expr.left), _intersected(expr.right),
        ):  # fmt: skip
            message = "`R & W` is empty: a read-modify-write is two events, a read and a write"
            help_ = "the halves are in RMW, and related by rmw"
            self.warnings.append(Diagnostic(Code.IGNORED, message, expr.span, help_, "warning"))
        return expr

    def want(self, expr: tree.Expr, kind: Kind) -> tree.Expr:
        """The expression, which must be of a kind."""
        if self.kind(expr) not in (None, kind):
            help_ = "write [S] for the identity on a set" if kind == "relation" else None
            raise error(Code.TYPE_ERROR, f"a {kind} is wanted here", expr.span, help_)
        return expr

    def kind(self, expr: tree.Expr) -> Kind | None:
        """The kind of a resolved expression; None where it can be either."""
        return kind(expr, self.kinds)


def _intersected(expr: tree.Expr) -> frozenset[str]:
    """The names that an expression is an intersection of, and maybe more."""
    match expr:
        case tree.Binary(_, "&", left, right):
            return _intersected(left) | _intersected(right)
        case tree.Name(_, name):
            return frozenset({name})
        case _:
            return frozenset()
