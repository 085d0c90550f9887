"""From a .cat file and options to a model: kinds checked, functions applied, recursion and options resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, assert_never

from scopec.diagnostics import Code, Diagnostic, error, suggestion
from scopec.memory.cat import tree
from scopec.memory.cat.model import ALIASES, GIVEN_RELATIONS, GIVEN_SETS, Axiom, Definition, Kind, Model, kind
from scopec.memory.cat.read import read
from scopec.memory.cat.recursion import closed_form
from scopec.resources import resource
from scopec.syntax.scan import read_source

if TYPE_CHECKING:
    from scopec.source import Source, Span

#: Files of herd7 that scopec has itself.  What they define is known without `include`, as in Dartagnan.
_BUILT_IN = {
    "cos.cat": "cos.cat",
    "c11_cos.cat": "cos.cat",
    "c11_los.cat": "c11_los.cat",
    "stdlib.cat": "stdlib.cat",
}
#: A file of scopec's own that comes after a model, in its names.
_STUCK = "stuck.cat"
#: What models call the order in time that they guarantee.
HAPPENS_BEFORE = ("hb", "cause")
_MOST_NODES = 50_000


def build(
    file: tree.File, source: Source, options: Mapping[str, str], folder: Path | None = None, *, stuck: bool = False
) -> Model:
    """The model that a file defines under options (complete: every option has a value).

    With ``stuck`` it also says what holds of an execution in which nothing changes any more (stuck.cat).  ``folder`` is
    where the files are that it includes, apart from the built-in ones.  Raises InputError for unknown names, for sets
    where relations are wanted and the reverse, and for what is outside the subset of cat.
    """
    builder = _Builder(options, folder, dict(_library()["stdlib.cat"]), {source.name: source})
    builder.statements(file.statements)
    if stuck:
        builder.stuck()
    return Model(
        " ".join(file.headers),
        tuple(builder.definitions),
        tuple(builder.axioms),
        tuple(builder.flags),
        tuple(dict.fromkeys(builder.warnings)),
        "PTX" in file.headers,
    )


@dataclass(frozen=True, slots=True)
class _Function:
    """A function with the meaning that names had where it was defined."""

    binding: tree.Binding
    scope: Mapping[str, _Meaning]


#: What a name stands for: a given or defined set or relation (by its own name), an expression, or a function.
_Meaning: TypeAlias = "str | tree.Expr | _Function"


def _given() -> dict[str, _Meaning]:
    given: dict[str, _Meaning] = {name: name for name in (*GIVEN_SETS, *GIVEN_RELATIONS)}
    return given | dict(ALIASES)


@cache
def _library() -> Mapping[str, Mapping[str, _Meaning]]:
    """The built-in files: for each, what names stand for after it."""
    library: dict[str, dict[str, _Meaning]] = {}
    for name in dict.fromkeys(_BUILT_IN.values()):
        source = read_source(Path(resource(f"memory/models/{name}")), f"models/{name}")
        builder = _Builder({}, None, _given(), {source.name: source})
        for statement in read(source).statements:
            match statement:
                case tree.Include(_, file):
                    builder.scope.update(library[file])
                case tree.Let(_, bindings):
                    builder.scope.update({b.name: builder.bound(b) for b in bindings})
                case _:
                    raise AssertionError(statement)
        library[name] = builder.scope
    return library


@dataclass
class _Builder:
    options: Mapping[str, str]
    folder: Path | None
    scope: dict[str, _Meaning]
    sources: dict[str, Source]
    kinds: dict[str, Kind] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    axioms: list[Axiom] = field(default_factory=list)
    flags: list[Axiom] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    nodes: int = 0

    def __post_init__(self) -> None:
        self.kinds |= dict.fromkeys(GIVEN_SETS, "set") | dict.fromkeys(GIVEN_RELATIONS, "relation")  # type: ignore[arg-type]

    def statements(self, statements: tuple[tree.Statement, ...]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: tree.Statement) -> None:
        match statement:
            case tree.Let(_, bindings, recursive):
                # The bindings of one `let` do not see each other; those of a `let rec` see themselves alone.
                for binding, found in [(b, self.bound(b, recursive=recursive)) for b in bindings]:
                    own = found if isinstance(found, _Function) else self.define(binding, found)
                    self.scope[binding.name] = own
            case tree.Check():
                self.check(statement)
            case tree.Include():
                self.include(statement)
            case tree.If(span, condition, then, otherwise):
                name, _, value = condition.partition("=")
                if name not in self.options:
                    help_ = suggestion(name, self.options)
                    raise error(Code.BAD_OPTION, f"there is no option `{name}`", span, help_)
                self.statements(then if self.options[name] == value else otherwise)
            case tree.Show(_, shown):
                for expr in shown:
                    self.resolve(expr, self.scope)
            case _:
                assert_never(statement)

    # ---- statements

    def bound(self, binding: tree.Binding, *, recursive: bool = False) -> tree.Expr | _Function:
        """What a binding's name will stand for."""
        if binding.parameters:
            if recursive:
                message = f"`{binding.name}` is a recursive function: outside the part of cat that scopec reads"
                raise error(Code.OUTSIDE_SUBSET, message, binding.span)
            scope = dict(self.scope)
            # Arguments may be sets or relations: names are checked here, kinds where the function is applied.
            self.resolve(binding.body, scope | {p: tree.Universe(binding.span) for p in binding.parameters})
            return _Function(binding, scope)
        if not recursive:
            return self.resolve(binding.body, self.scope)
        own = f"{binding.name} (its own)"  # no name in a file is like that
        self.kinds[own] = "relation"
        body = self.resolve(binding.body, {**self.scope, binding.name: own})
        return closed_form(own, self.want(body, "relation"), binding.name)

    def define(self, binding: tree.Binding, expr: tree.Expr) -> str:
        """Add a definition; its name in the model is its own: after `let co = co+` there are `co` and `co_2`."""
        name, number = binding.name, 2
        while name in self.kinds:
            name, number = f"{binding.name}_{number}", number + 1
        kind = self.kinds[name] = self.kind(expr) or "relation"
        self.definitions.append(Definition(name, kind, expr, f"let {self.text_of(binding.span)}"))
        return name

    def check(self, check: tree.Check) -> None:
        expr = self.resolve(check.expr, self.scope)
        if check.check != "empty":
            self.want(expr, "relation")
        name = check.name or f"{check.check}_{len(self.axioms) + len(self.flags) + 1}"
        if any(a.name == name for a in (*self.axioms, *self.flags)):
            raise error(Code.DUPLICATE, f"two checks are called `{name}`", check.span)
        axioms = self.flags if check.flag else self.axioms
        axioms.append(Axiom(name, check.check, check.negated, expr, self.text_of(check.span)))

    def stuck(self) -> None:
        """Add what holds where nothing changes any more; `hb` is the model's, or what orders threads in any model."""
        source = self.sources[_STUCK] = read_source(Path(resource(f"memory/models/{_STUCK}")), _STUCK)
        at = source.span(0, 0)
        always = tree.Binary(at, "|", tree.Name(at, "po"), tree.Name(at, "asw"))
        named = (self.scope.get(name) for name in HAPPENS_BEFORE)
        orders = [own for own in named if isinstance(own, str) and self.kinds.get(own) == "relation"]
        self.scope = _given()
        self.scope["hb"] = orders[0] if orders else tree.Postfix(at, "+", always)
        self.statements(read(source).statements)

    def include(self, include: tree.Include) -> None:
        if include.file in _BUILT_IN:
            self.scope.update(_library()[_BUILT_IN[include.file]])
            return
        path = None if self.folder is None else self.folder / include.file
        if path is None or not path.is_file():
            message = f"there is no file `{include.file}` to include"
            help_ = f"it is looked for beside this file; built in are {', '.join(_BUILT_IN)}"
            raise error(Code.UNREADABLE, message, include.span, help_)
        if path.suffix != ".cat" or self.folder is None or self.folder.resolve() not in path.resolve().parents:
            help_ = "included are .cat files in the folder of the model and below it"
            raise error(
                Code.UNREADABLE, f"`{include.file}` is not a file that a model may include", include.span, help_
            )
        source = read_source(path)
        if source.name in self.sources:
            raise error(Code.DUPLICATE, f"`{include.file}` is included twice", include.span)
        self.sources[source.name] = source
        self.statements(read(source).statements)

    def text_of(self, span: Span) -> str:
        return self.sources[span.file].text_of(span)

    # ---- expressions

    def resolve(self, expr: tree.Expr, scope: Mapping[str, _Meaning]) -> tree.Expr:
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
            case tree.Application(span, name, arguments):
                function = scope.get(name)
                if not isinstance(function, _Function):
                    help_ = suggestion(name, [n for n, meaning in scope.items() if isinstance(meaning, _Function)])
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

    def meaning(self, name: str, span: Span, scope: Mapping[str, _Meaning]) -> tree.Expr:
        match scope.get(name):
            case None:
                raise error(Code.UNKNOWN_NAME, f"`{name}` is not defined", span, suggestion(name, scope))
            case str() as own:
                return tree.Name(span, own)
            case _Function(binding):
                example = f"write {name}({', '.join(binding.parameters)})"
                raise error(Code.TYPE_ERROR, f"`{name}` is a function", span, example)
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
        if self.kind(expr) not in (None, kind):
            help_ = "write [S] for the identity on a set" if kind == "relation" else None
            raise error(Code.TYPE_ERROR, f"a {kind} is wanted here", expr.span, help_)
        return expr

    def kind(self, expr: tree.Expr) -> Kind | None:
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
