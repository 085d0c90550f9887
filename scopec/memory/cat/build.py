"""From a .cat file and options to a model: kinds checked, functions applied, recursion and options resolved."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import field, replace
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.files import read_source
from scopec.base.options import PROGRAM_FACTS
from scopec.base.records import dataclass
from scopec.base.resources import resource
from scopec.memory.cat import tree
from scopec.memory.cat.model import ALIASES, Axiom, Definition, Kind, Model
from scopec.memory.cat.one_event import one_event
from scopec.memory.cat.orders import Orders
from scopec.memory.cat.read import read
from scopec.memory.cat.recursion import grows
from scopec.memory.cat.resolve import Function, Meaning, Resolver
from scopec.memory.given.relations import RELATIONS
from scopec.memory.given.sets import SETS

if TYPE_CHECKING:
    from scopec.base.source import Source, Span

#: Files of herd7 that scopec has itself, used where none is beside the model; what stdlib.cat defines is known anyway.
_BUILT_IN = ("cos.cat", "stdlib.cat", "c11_cos.cat", "c11_los.cat")
#: Files of which the meaning is scopec's, one beside the model or not: what they define is known.
KNOWN = ("stdlib.cat", "cross.cat")
#: Files of scopec's own that come after a model, the first in its names.
_STUCK, _VECTORS = "stuck.cat", "vectors.cat"
#: The name in models of the order in time that they guarantee.
HAPPENS_BEFORE = ("hb", "cause")


def build(
    file: tree.File, source: Source, options: Mapping[str, str], folder: Path | None = None, *, stuck: bool = False
) -> Model:
    """The model that a file defines under options (every option has a value, and a fact of the program its default).

    With ``stuck`` it also says what holds of an execution in which nothing changes any more (stuck.cat).  ``folder`` is
    where the files are that it includes, apart from the built-in ones.  Raises InputError for unknown names, for sets
    where relations are wanted and the reverse, and for what is outside the subset of cat.
    """
    options = {**{name: fact.default for name, fact in PROGRAM_FACTS.items()}, **options}
    known = dict(_library("stdlib.cat"))
    if "PTX" in file.headers:
        del known["FW"], known["co0"]  # a partial coherence order does not say which write is final
    builder = _Builder(options, folder, known, {source.name: source}, "PTX" in file.headers)
    builder.statements(file.statements)
    if builder.takes_one_event():
        builder.take_one_event()
    if options.get("vector") == "whole":
        builder.whole_vectors()
    if stuck:
        builder.stuck()
    return builder.model(" ".join(file.headers))


def _given() -> dict[str, Meaning]:
    given: dict[str, Meaning] = {name: name for name in (*SETS, *RELATIONS)}
    return given | dict(ALIASES)


@cache
def _library(name: str) -> Mapping[str, Meaning]:
    """The meanings of names after a built-in file."""
    source = read_source(Path(resource(f"memory/models/{name}")), f"models/{name}")
    builder = _Builder({}, None, _given(), {source.name: source})
    for statement in read(source).statements:
        match statement:
            case tree.Include(_, file):
                builder.scope.update(_library(file))
            case tree.Let(_, bindings):
                builder.scope.update({b.name: builder.bound(b, builder.scope) for b in bindings})
            case _:
                raise AssertionError(statement)
    return builder.scope


@cache
def _one_event() -> tuple[tuple[Definition, ...], Mapping[str, str]]:
    """The definitions of one_event.cat, and the names in them of given sets and relations."""
    source = read_source(Path(resource("memory/models/one_event.cat")), "models/one_event.cat")
    builder = _Builder({}, None, _given(), {source.name: source})
    builder.statements(read(source).statements)
    given = (*SETS, *RELATIONS)
    return tuple(builder.definitions), {n: own for n in given if isinstance(own := builder.scope[n], str) and own != n}


@dataclass
class _Builder(Resolver):
    options: Mapping[str, str]
    folder: Path | None
    scope: dict[str, Meaning]
    sources: dict[str, Source]
    partial_co: bool = False
    definitions: list[Definition] = field(default_factory=list)
    axioms: list[Axiom] = field(default_factory=list)
    flags: list[Axiom] = field(default_factory=list)
    orders: list[Definition] = field(default_factory=list)
    chosen_co: bool = False

    def model(self, title: str) -> Model:
        """The model so far."""
        return Model(
            title,
            tuple(self.definitions),
            tuple(self.axioms),
            tuple(self.flags),
            tuple(dict.fromkeys(self.warnings)),
            self.partial_co,
            tuple(self.orders),
        )

    def takes_one_event(self) -> bool:
        """Whether read-modify-writes are one event, as in herd7's C models, where R & W has them.

        A file that knows that they are two relates them by rmw.
        """
        mentioned = self.model("").mentioned
        return "rmw" not in mentioned and ("RMW" in mentioned or bool(self.warnings))

    def take_one_event(self) -> None:
        """Turn what was defined into what it is over executions in which a read-modify-write is two events."""
        model = one_event(self.model(""), *_one_event())
        self.definitions, self.orders = list(model.definitions), list(model.orders)
        self.axioms, self.flags = list(model.axioms), list(model.flags)
        self.kinds |= model.kinds
        self.warnings.clear()

    def statements(self, statements: tuple[tree.Statement, ...]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, statement: tree.Statement) -> None:
        match statement:
            case tree.Let(_, bindings, recursive, when):
                # The bindings of one `let` do not see each other; those of a `let rec` see themselves alone.
                for binding, found in [(b, self.bound(b, self.scope, recursive=recursive)) for b in bindings]:
                    own = found if isinstance(found, (Function, Orders)) else self.define(binding, found)
                    self.scope[binding.name] = own
                if when is not None:
                    self.when(when, bindings)
            case tree.Check():
                self.check(statement)
            case tree.WithFrom():
                self.with_from(statement)
            case tree.Include():
                self.include(statement)
            case tree.If(span, condition, then, otherwise):
                name, equal, value = condition.partition("=")
                if not equal and name not in self.options:
                    self.statements(otherwise)  # a variant of herd7, of which none is on unless its user asks for it
                    return
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

    def define(self, binding: tree.Binding, expr: tree.Expr) -> str:
        """Add a definition; its name in the model is its own: after `let co = co+` there are `co` and `co_2`."""
        name = self.own_name(binding.name, self.kind(expr) or "relation")
        self.definitions.append(
            Definition(name, self.kinds[name], expr, f"let {self.text_of(binding.span)}", binding.name)
        )
        return name

    def own_name(self, wanted: str, kind: Kind) -> str:
        """A name of its own in the model."""
        name = _numbered(wanted, self.kinds)
        self.kinds[name] = kind
        return name

    def check(self, check: tree.Check) -> None:
        expr = self.resolve(check.expr, self.scope)
        if check.check != "empty":
            self.want(expr, "relation")
        name = check.name or f"{check.check}_{len(self.axioms) + len(self.flags) + 1}"
        axiom = Axiom(name, check.check, check.negated, expr, self.text_of(check.span))
        self.add(axiom, self.flags if check.flag else self.axioms)

    def add(self, axiom: Axiom, to: list[Axiom]) -> None:
        """Add a check; a second one of a name is numbered."""
        taken = {a.name for a in (*self.axioms, *self.flags)}
        to.append(replace(axiom, name=_numbered(axiom.name, taken)))

    def when(self, check: tree.Check, bindings: tuple[tree.Binding, ...]) -> None:
        """The check of a ``let rec … when``: herd7 makes it at each step towards the least solution.

        If what is checked only grows with what is defined, it holds at each step where it does at the last.
        """
        defined = {own for b in bindings if isinstance(own := self.scope[b.name], str)}
        if check.negated or not grows(self.resolve(check.expr, self.scope), defined):
            message = "the check behind `when` must be one that fails for good once it does"
            raise error(Code.OUTSIDE_SUBSET, message, check.span, "make it a check of its own, after the definition")
        self.check(check)

    def with_from(self, statement: tree.WithFrom) -> None:
        """The rest of the file for some order: a relation that each execution chooses.

        The first orders of writes at each location that have final writes last are what every execution chooses
        anyway, the coherence order of all writes, as far as it is about these writes: it can be any of them.
        """
        span, text = statement.span, self.text_of(statement.span)
        orders = self.given_orders(statement.orders, self.scope)
        if orders is None:
            message = "scopec chooses among the orders that linearisations, generate_orders and generate_cos give"
            raise error(Code.OUTSIDE_SUBSET, message, statement.orders.span, "write with x from linearisations(E, r)")
        name = self.own_name(statement.name, "relation")
        extended = self.unnamed(orders.extended)
        if orders.of_writes and self.extends_co0(extended) and not self.chosen_co:
            self.chosen_co = True
            expr = tree.Binary(span, "&", tree.Name(span, "co"), orders.pairs)
            self.definitions.append(Definition(name, "relation", expr, text))
            if not self.is_co0(extended):
                axiom = Axiom(f"{name}-order", "empty", False, orders.against(tree.Name(span, name)), text)
                self.add(axiom, self.axioms)
        elif orders.nothing:
            self.definitions.append(Definition(name, "relation", tree.Zero(span), text))
        else:
            self.orders.append(Definition(name, "relation", orders.pairs, text))
            self.add(orders.axiom(name, text), self.axioms)
        self.scope[statement.name] = name

    def extends_co0(self, expr: tree.Expr) -> bool:
        """Whether a relation has what every coherence order extends: initial writes first, final ones last."""
        return self.is_co0(expr) or (
            isinstance(expr, tree.Binary)
            and expr.op == "|"
            and any(self.extends_co0(self.unnamed(side)) for side in (expr.left, expr.right))
        )

    def is_co0(self, expr: tree.Expr) -> bool:
        return expr == _library("stdlib.cat")["co0"]

    def unnamed(self, expr: tree.Expr) -> tree.Expr:
        """The definition of a name."""
        while isinstance(expr, tree.Name):
            named = next((d.expr for d in self.definitions if d.name == expr.name), None)
            if named is None:
                break
            expr = named
        return expr

    def own(self, file: str) -> Source:
        """A file of scopec's own that comes after the model."""
        source = self.sources[file] = read_source(Path(resource(f"memory/models/{file}")), file)
        return source

    def whole_vectors(self) -> None:
        """Add that each access of a vector is one."""
        scope, self.scope = self.scope, _given()
        self.statements(read(self.own(_VECTORS)).statements)
        self.scope = scope

    def stuck(self) -> None:
        """Add what holds where nothing changes any more; `hb` is the model's, or what orders threads in any model."""
        source = self.own(_STUCK)
        at = source.span(0, 0)
        always = tree.Binary(at, "|", tree.Name(at, "po"), tree.Name(at, "asw"))
        named = (self.scope.get(name) for name in HAPPENS_BEFORE)
        orders = [own for own in named if isinstance(own, str) and self.kinds.get(own) == "relation"]
        self.scope = _given()
        self.scope["hb"] = orders[0] if orders else tree.Postfix(at, "+", always)
        self.statements(read(source).statements)

    def include(self, include: tree.Include) -> None:
        if include.file in KNOWN:
            return
        path = None if self.folder is None else self.folder / include.file
        if path is None or not path.is_file():
            if include.file in _BUILT_IN:
                self.scope.update(_library(include.file))
                return
            message = f"there is no file `{include.file}` to include"
            built_in = sorted({*KNOWN, *_BUILT_IN})
            help_ = f"it is looked for beside this file; built in are {', '.join(built_in)}"
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


def _numbered(name: str, taken: Container[str]) -> str:
    """A name that is not taken: the name itself, or it with a number."""
    return next(n for n in chain([name], (f"{name}_{i}" for i in count(2))) if n not in taken)
