"""Reads the directives of a file against a Program."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator

from scopec.base import options
from scopec.base.diagnostics import WARNINGS, Code, error, not_a_warning, suggestion
from scopec.base.source import Source, Span
from scopec.frontends.c.names import ORDERS
from scopec.frontends.c.syntax import tree
from scopec.frontends.formulas import (
    resolve_formula,
)
from scopec.frontends.litmus.syntax import tree as litmus_tree
from scopec.frontends.scoped.lower.names import SCOPES, order_named, scope_named
from scopec.frontends.targets import resolve_target
from scopec.program import ir, types
from scopec.program.expectations import PROGRESS_KINDS, Expectation, Settings
from scopec.program.program import Program

#: The usual questions, and the kinds that are about each.
USUAL = {"race_free": ("race_free", "race"), "terminates": PROGRESS_KINDS}

# ---------------------------------------------------------------- observations


def settings_of(file: tree.File | litmus_tree.File) -> Settings:
    """The settings of a file: the defaults, changed by its directives."""
    settings = Settings.defaults()
    chosen, given, bound = dict(settings.options), dict(settings.given), dict(settings.bound)
    for directive in file.directives:
        if not isinstance(directive, tree.Settings):
            continue
        for setting in directive.settings:
            match directive.kind:
                case "options":
                    options.choose(options.OPTIONS, "an option", setting.name, setting.value, setting.span)
                    chosen[setting.name] = setting.value
                case "given":
                    options.choose(options.ATTRIBUTES, "an attribute", setting.name, setting.value, setting.span)
                    given[setting.name] = setting.value
                case "allow":
                    pass  # of diagnostics: `allowed`
                case _:
                    bound[setting.name] = options.bound(setting.name, setting.value, setting.span)
    return Settings(chosen, given, bound)


def allowed(file: tree.File | litmus_tree.File) -> frozenset[str]:
    """The codes of warnings that a file allows; InputError where one is no warning's."""
    chosen = [s for d in file.directives if isinstance(d, tree.Settings) and d.kind == "allow" for s in d.settings]
    for setting in chosen:
        reason = not_a_warning(setting.name)
        if reason is not None:
            raise error(Code.BAD_DIRECTIVE, reason, setting.span, f"the warnings are {', '.join(WARNINGS)}")
    return frozenset(s.name for s in chosen)


# ---------------------------------------------------------------- variants


def variants(file: tree.File, constants: Collection[str]) -> Iterator[dict[str, tree.Expr]]:
    """Every choice of values for the varied constants of a file, in the order written; one empty one without `vary`."""
    varies: dict[str, tree.Vary] = {}
    for directive in file.directives:
        if not isinstance(directive, tree.Vary):
            continue
        name = directive.name.name
        if name not in constants:
            help_ = suggestion(name, constants) or f"declare it as `constexpr int {name} = 1;`"
            raise error(Code.BAD_VARY, f"`{name}` is not a constexpr of this file", directive.name.span, help_)
        if name in varies:
            raise error(Code.BAD_VARY, f"`{name}` is varied twice", directive.name.span)
        varies[name] = directive
    for choice in itertools.product(*(v.values for v in varies.values())):
        yield dict(zip(varies, choice, strict=True))


# ---------------------------------------------------------------- expectations


def expectations(
    file: tree.File | litmus_tree.File, program: Program, source: Source
) -> Iterator[tuple[Expectation, tuple[tree.Setting, ...]]]:
    """The expectations that apply to a variant, each with the models it is `under` (none: the model asked for)."""
    for directive in file.directives:
        if not isinstance(directive, tree.Expect):
            continue
        # A variant may lack threads that an expectation for other variants names.
        if directive.when is not None and not _constant(directive.when, program):
            continue
        formula = None if directive.formula is None else resolve_formula(directive.formula, program)
        target = None
        if directive.target is not None:
            target = resolve_target(directive.target, source.text_of(directive.target.span), program)
        yield (
            Expectation(directive.kind, _text(directive, source), directive.span, formula, target),
            directive.under,
        )


def _text(directive: tree.Expect, source: Source) -> str:
    if directive.formula is not None:
        return f"{directive.kind} {source.text_of(directive.formula.span)}"
    return f"{directive.kind} on {source.text_of(directive.target.span)}" if directive.target else directive.kind


def _constant(expr: tree.Expr, program: Program) -> int | ir.Scope | ir.Order:
    """The value of a `when` condition: constants of the file, names of scopes and orders, operators."""
    match expr:
        case tree.Int(_, value) | tree.Bool(_, value):
            return int(value)
        case tree.Name(span, name):
            if name in program.constants:
                return program.constants[name]
            named = scope_named(name) or order_named(name) or SCOPES.get(name) or ORDERS.get(name)
            if named is None and name != "thread":
                known = [*program.constants, *SCOPES, *ORDERS]
                help_ = suggestion(name, known) or f"declare it as `constexpr int {name} = 1;`"
                raise error(Code.BAD_EXPECTATION, f"`{name}` is not a constant of this file", span, help_)
            return SCOPES["thread"] if named is None else named
        case tree.Unary(_, op, operand):
            return types.unary(op, _number(_constant(operand, program), operand.span), types.INT)
        case tree.Binary(_, ("==" | "!=") as op, left, right):
            same = _constant(left, program) == _constant(right, program)
            return int(same == (op == "=="))
        case tree.Binary(_, op, left, right):
            numbers = [_number(_constant(e, program), e.span) for e in (left, right)]
            try:
                return types.binary(op, numbers[0], numbers[1], types.LONG)
            except types.ArithmeticFault as fault:
                raise error(Code.BAD_EXPECTATION, f"{fault}", expr.span, "use other constants") from None
        case _:
            raise error(Code.BAD_EXPECTATION, "`when` takes a condition on constants", expr.span)


def _number(value: int | ir.Scope | ir.Order, span: Span) -> int:
    if isinstance(value, (ir.Scope, ir.Order)):
        raise error(Code.BAD_EXPECTATION, "a number is wanted here", span, "compare scopes and orders with == or !=")
    return value


# ---------------------------------------------------------------- formulas
