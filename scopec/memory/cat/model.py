"""From a .cat file and options to a model: kinds checked, functions applied, options decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from scopec.diagnostics import Code, error, suggestion
from scopec.memory.cat import tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.source import Source, Span

Kind = Literal["set", "relation"]

#: What every execution gives to a model (memory-models note, "Executions").
GIVEN_SETS = {
    "R": "reads", "W": "writes, initial ones included", "M": "reads and writes", "F": "fences",
    "B": "barrier arrivals and waits", "IW": "initial writes", "A": "accesses by operations that are atomic",
    "NA": "plain accesses", "VOL": "volatile accesses", "RMW": "both halves of read-modify-writes",
    "Acq": "acquires", "Rel": "releases", "SC": "seq_cst operations",
    "RLX": "order relaxed", "ACQ": "order acquire", "REL": "order release", "ACQ_REL": "order acq_rel",
    "SEQ_CST": "order seq_cst",
}  # fmt: skip
GIVEN_RELATIONS = {
    "po": "program order", "rf": "reads-from", "co": "coherence order of each location",
    "loc": "same location", "int": "same thread", "ext": "different threads", "rmw": "the halves of one operation",
    "addr": "address dependency", "data": "data dependency", "ctrl": "control dependency",
    "asw": "additional synchronises-with", "incl": "each one's scope includes the other's thread", "id": "identity",
}  # fmt: skip
#: Files of herd7 that only define what scopec gives already.
_BUILT_IN = ("cos.cat", "stdlib.cat", "fences.cat")


@dataclass(frozen=True, slots=True)
class Definition:
    """A named set or relation; ``text`` is its line in the .cat file."""

    name: str
    kind: Kind
    expr: tree.Expr
    text: str


@dataclass(frozen=True, slots=True)
class Axiom:
    """A check that consistent executions satisfy, or, with ``flag``, that is reported when it does."""

    name: str
    check: str
    negated: bool
    expr: tree.Expr
    text: str


@dataclass(frozen=True)
class Model:
    """A memory model: definitions in order, axioms, and flags (such as ``race``)."""

    title: str
    definitions: tuple[Definition, ...]
    axioms: tuple[Axiom, ...]
    flags: tuple[Axiom, ...]

    def definition(self, name: str) -> Definition | None:
        """The last definition of a name."""
        return next((d for d in reversed(self.definitions) if d.name == name), None)


def build(file: tree.File, source: Source, options: Mapping[str, str]) -> Model:
    """The model that a file defines under options (complete: every option has a value).

    Raises InputError for unknown names, for sets where relations are wanted and the reverse, and for what is outside
    the subset of cat that scopec reads.
    """
    builder = _Builder(source, options)
    builder.statements(file.statements)
    return Model(file.title, tuple(builder.definitions), tuple(builder.axioms), tuple(builder.flags))


class _Builder:
    def __init__(self, source: Source, options: Mapping[str, str]) -> None:
        self.source = source
        self.options = options
        self.kinds: dict[str, Kind] = dict.fromkeys(GIVEN_SETS, "set") | dict.fromkeys(GIVEN_RELATIONS, "relation")  # type: ignore[assignment]
        self.current: dict[str, str] = {name: name for name in self.kinds}
        self.functions: dict[str, tree.Let] = {}
        self.definitions: list[Definition] = []
        self.axioms: list[Axiom] = []
        self.flags: list[Axiom] = []

    def statements(self, statements: tuple[tree.Statement, ...]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: tree.Statement) -> None:
        match statement:
            case tree.Let(parameters=()):
                self.define(statement)
            case tree.Let(name=name):
                self.functions[name] = statement
            case tree.LetRec(span):
                raise error(Code.OUTSIDE_SUBSET, "`let rec` is outside the part of cat that scopec reads", span)
            case tree.Check():
                self.check(statement)
            case tree.Include(span, file):
                if file not in _BUILT_IN:
                    message = f"`{file}` cannot be included"
                    raise error(Code.OUTSIDE_SUBSET, message, span, f"scopec has {', '.join(_BUILT_IN)}")
            case tree.If(span, condition, then, otherwise):
                name, _, value = condition.partition("=")
                if name not in self.options:
                    help_ = suggestion(name, self.options)
                    raise error(Code.BAD_OPTION, f"there is no option `{name}`", span, help_)
                self.statements(then if self.options[name] == value else otherwise)
            case tree.Ignored():
                pass
            case _:
                assert_never(statement)

    def define(self, let: tree.Let) -> None:
        expr = self.resolve(let.body, {})
        kind = self.kind(expr) or "relation"
        name, number = let.name, 2
        while name in self.kinds:  # `let co = co+`: later uses mean the new one
            name, number = f"{let.name}_{number}", number + 1
        self.kinds[name] = kind
        self.current[let.name] = name
        self.definitions.append(Definition(name, kind, expr, "let " + self.source.text_of(let.span)))

    def check(self, check: tree.Check) -> None:
        expr = self.resolve(check.expr, {})
        if check.check != "empty":
            self.want(expr, "relation")
        axioms = self.flags if check.flag else self.axioms
        name = check.name or f"{check.check}_{len(self.axioms) + len(self.flags) + 1}"
        if any(a.name == name for a in axioms):
            raise error(Code.DUPLICATE, f"two checks are called `{name}`", check.span)
        axioms.append(Axiom(name, check.check, check.negated, expr, self.source.text_of(check.span)))

    def resolve(self, expr: tree.Expr, bound: Mapping[str, tree.Expr], depth: int = 0) -> tree.Expr:
        """The expression with functions applied and names bound to the definitions that are in force."""
        if depth > 50:
            raise error(Code.OUTSIDE_SUBSET, "functions applied too deeply", expr.span)
        match expr:
            case tree.Name(span, name):
                if name in bound:
                    return bound[name]
                if name not in self.current:
                    known = [*self.current, *self.functions]
                    raise error(Code.UNKNOWN_NAME, f"`{name}` is not defined", span, suggestion(name, known))
                return tree.Name(span, self.current[name])
            case tree.Universe() | tree.Zero():
                return expr
            case tree.Binary(span, op, left, right):
                resolved = tree.Binary(span, op, self.resolve(left, bound, depth), self.resolve(right, bound, depth))
                self.check_binary(resolved)
                return resolved
            case tree.Postfix(span, op, operand):
                return tree.Postfix(span, op, self.want(self.resolve(operand, bound, depth), "relation"))
            case tree.Complement(span, operand):
                return tree.Complement(span, self.resolve(operand, bound, depth))
            case tree.IdentityOn(span, operand):
                return tree.IdentityOn(span, self.want(self.resolve(operand, bound, depth), "set"))
            case tree.End(span, op, operand):
                return tree.End(span, op, self.want(self.resolve(operand, bound, depth), "relation"))
            case tree.Application(span, function, arguments):
                if function not in self.functions:
                    help_ = suggestion(function, self.functions)
                    raise error(Code.UNKNOWN_NAME, f"there is no function `{function}`", span, help_)
                let = self.functions[function]
                if len(let.parameters) != len(arguments):
                    message = f"`{function}` takes {len(let.parameters)} arguments, {len(arguments)} given"
                    raise error(Code.BAD_ARGUMENTS, message, span)
                values = (self.resolve(a, bound, depth) for a in arguments)
                return self.resolve(let.body, dict(zip(let.parameters, values, strict=True)), depth + 1)
            case _:
                assert_never(expr)

    def check_binary(self, expr: tree.Binary) -> None:
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

    def want(self, expr: tree.Expr, kind: Kind) -> tree.Expr:
        if self.kind(expr) not in (None, kind):
            help_ = "write [S] for the identity on a set" if kind == "relation" else None
            raise error(Code.TYPE_ERROR, f"a {kind} is wanted here", expr.span, help_)
        return expr

    def kind(self, expr: tree.Expr) -> Kind | None:
        """Whether a resolved expression is a set or a relation; None where it can be either."""
        match expr:
            case tree.Name(_, name):
                return self.kinds[name]
            case tree.Universe() | tree.Zero():
                return None
            case tree.Binary(_, ";" | "*", _, _):
                return "relation"
            case tree.Binary(_, _, left, right):
                return self.kind(left) or self.kind(right)
            case tree.Complement(_, operand):
                return self.kind(operand)
            case tree.Postfix() | tree.IdentityOn():
                return "relation"
            case tree.End():
                return "set"
            case tree.Application():
                raise AssertionError("applications are resolved")
            case _:
                assert_never(expr)


def kind_span(definition: Definition) -> Span:
    """Where a definition's expression stands."""
    return definition.expr.span
