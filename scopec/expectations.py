"""What a file asks: its directives, read against a Program."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from scopec import options
from scopec.diagnostics import Code, error, suggestion
from scopec.program import ir, types, values
from scopec.program.lower.names import ORDERS, SCOPES, order_named, scope_named
from scopec.program.specialise import device_thread
from scopec.program.values import Const, Reg, Value
from scopec.records import dataclass
from scopec.source import Source, Span
from scopec.syntax import litmus_tree, tree

MEMORY_KINDS = ("race_free", "race", "allowed", "forbidden", "required", "assertion", "condition")
#: Those that ask how executions end.
OUTCOME_KINDS = ("allowed", "forbidden", "required", "assertion", "condition")
PROGRESS_KINDS = ("terminates", "may_hang", "progresses", "may_stall")

# ---------------------------------------------------------------- observations


@dataclass(frozen=True, slots=True)
class Location:
    """One element of one instance of an object; ``instance`` is a block's or thread's name, or empty."""

    object: str
    index: int = 0
    instance: str = ""


def instance(object_: ir.Object, thread: ir.Thread) -> str:
    """Which instance of an object a thread accesses: one a block, thread or device, or the only one."""
    match object_.storage:
        case ir.Storage.SHARED:
            return thread.block_name
        case ir.Storage.AUTOMATIC:
            return thread.name
        case ir.Storage.DEVICE if thread.device and object_.device is None:
            return f"device{thread.device}"
        case _:
            return ""


@dataclass(frozen=True, slots=True)
class FinalRegister:
    """The value of a local variable when its thread has ended."""

    thread: str
    register: str


@dataclass(frozen=True, slots=True)
class FinalMemory:
    """The value of a location when every thread has ended."""

    location: Location


Observation: TypeAlias = FinalRegister | FinalMemory


@dataclass(frozen=True)
class Formula:
    """A condition on the final state: a value whose registers are the keys of ``observed``."""

    value: Value
    observed: Mapping[str, Observation]


@dataclass(frozen=True)
class Expectation:
    """One question of a file with the answer that is expected.

    A ``condition``, the final clause of a litmus file, has a quantifier, and maybe a restriction: the executions that
    it is about (its ``filter``).
    """

    kind: str
    text: str
    span: Span
    formula: Formula | None = None
    target: str | None = None
    quantifier: Literal["exists", "not exists", "forall"] | None = None
    restriction: Formula | None = None

    @property
    def sought(self) -> Formula | None:
        """The final states that decide a condition: of one with `forall` those that contradict it."""
        if self.formula is None or self.quantifier is None:
            return self.formula
        wanted = self.formula.value if self.quantifier != "forall" else values.unary("!", self.formula.value)
        if self.restriction is None:
            return Formula(wanted, self.formula.observed)
        observed = {**self.restriction.observed, **self.formula.observed}
        return Formula(values.binary("&&", self.restriction.value, wanted), observed)


@dataclass(frozen=True)
class Settings:
    """Options, attributes and bounds, complete: every name has a value."""

    options: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)
    bound: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def defaults(cls) -> Settings:
        """What holds when nothing is said."""
        return cls(
            {n: s.default for n, s in options.OPTIONS.items()},
            {n: s.default for n, s in options.ATTRIBUTES.items()},
            {n: default for n, (default, _, _) in options.BOUNDS.items()},
        )


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
                case _:
                    bound[setting.name] = options.bound(setting.name, setting.value, setting.span)
    return Settings(chosen, given, bound)


# ---------------------------------------------------------------- variants


def variants(file: tree.File) -> Iterator[dict[str, tree.Expr]]:
    """Every choice of values for the varied constants, in the order written; one empty choice without `vary`."""
    varies: dict[str, tree.Vary] = {}
    constants = {
        d.name: item.type
        for item in file.items
        if isinstance(item, tree.Declaration) and {"constexpr", "const"} & set(item.type.specifiers)
        for d in item.declarators
    }
    for directive in file.directives:
        if not isinstance(directive, tree.Vary):
            continue
        name = directive.name.name
        if name not in constants:
            help_ = suggestion(name, constants) or f"declare it: `constexpr int {name} = 1;`"
            raise error(Code.BAD_VARY, f"`{name}` is not a constexpr of this file", directive.name.span, help_)
        if name in varies:
            raise error(Code.BAD_VARY, f"`{name}` is varied twice", directive.name.span)
        varies[name] = directive
    for choice in itertools.product(*(v.values for v in varies.values())):
        yield dict(zip(varies, choice, strict=True))


# ---------------------------------------------------------------- expectations


def expectations(
    file: tree.File | litmus_tree.File, program: ir.Program, source: Source
) -> Iterator[tuple[Expectation, tuple[str, ...]]]:
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
            target = directive.target.name
            _known_object(target, program, directive.target.span)
        yield (
            Expectation(directive.kind, _text(directive, source), directive.span, formula, target),
            tuple(m.name for m in directive.under),
        )


def _text(directive: tree.Expect, source: Source) -> str:
    if directive.formula is not None:
        return f"{directive.kind} {source.text_of(directive.formula.span)}"
    return f"{directive.kind} on {directive.target.name}" if directive.target else directive.kind


def _constant(expr: tree.Expr, program: ir.Program) -> int | ir.Scope | ir.Order:
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
                raise error(
                    Code.BAD_EXPECTATION, f"`{name}` is not a constant of this file", span, suggestion(name, known)
                )
            return SCOPES["thread"] if named is None else named
        case tree.Unary(_, op, operand):
            return types.unary(op, _number(_constant(operand, program), operand.span), types.INT)
        case tree.Binary(_, ("==" | "!=") as op, left, right):
            same = _constant(left, program) == _constant(right, program)
            return int(same == (op == "=="))
        case tree.Binary(_, op, left, right):
            numbers = [_number(_constant(e, program), e.span) for e in (left, right)]
            return types.binary(op, numbers[0], numbers[1], types.LONG)
        case _:
            raise error(Code.BAD_EXPECTATION, "`when` takes a condition on constants", expr.span)


def _number(value: int | ir.Scope | ir.Order, span: Span) -> int:
    if isinstance(value, (ir.Scope, ir.Order)):
        raise error(Code.BAD_EXPECTATION, "a number is wanted here", span, "compare scopes and orders with == or !=")
    return value


# ---------------------------------------------------------------- formulas


def resolve_formula(expr: tree.Expr, program: ir.Program) -> Formula:
    """A condition on final values; InputError for a name that does not exist or can never be observed."""
    observed: dict[str, Observation] = {}
    value = values.convert(_formula(expr, program, observed), types.BOOL)
    if not observed and isinstance(value, Const):
        help_ = "name a local as kernel[block][thread].name, or a global"
        raise error(Code.BAD_EXPECTATION, "this condition does not depend on the program", expr.span, help_)
    return Formula(value, observed)


def _formula(expr: tree.Expr, program: ir.Program, observed: dict[str, Observation]) -> Value:
    match expr:
        case tree.Int(_, value, unsigned, long):
            wide = long or value >= 1 << 31
            return Const(
                value,
                types.ULONG if unsigned and wide else types.UINT if unsigned else types.LONG if wide else types.INT,
            )
        case tree.Bool(_, truth):
            return values.TRUE if truth else values.FALSE
        case tree.Unary(_, ("!" | "-" | "+" | "~") as op, operand):
            return values.unary(op, _formula(operand, program, observed))
        case tree.Binary(_, op, left, right):
            return values.binary(op, _formula(left, program, observed), _formula(right, program, observed))
        case tree.Name(span, name):
            known = program.constants.get(name)
            if isinstance(known, int) and not isinstance(known, ir.Scope):
                return Const(known, types.INT if known < 1 << 31 else types.LONG)
            object_ = _known_object(name, program, span)
            if object_.array:
                raise error(Code.BAD_EXPECTATION, f"`{name}` is an array: name one element", span, f"{name}[0]")
            return _observe(name, FinalMemory(Location(name)), object_.type, observed)
        case tree.Member(span, thread, name):
            return _local(thread, name, span, program, observed)
        case tree.Index(span, tree.Name(_, name), index) if name in program.objects:
            object_ = program.objects[name]
            position = _formula(index, program, observed)
            if not isinstance(position, Const) or not 0 <= position.value < len(object_.values):
                raise error(Code.BAD_EXPECTATION, f"`{name}` has elements 0 to {len(object_.values) - 1}", index.span)
            place = FinalMemory(Location(name, position.value))
            return _observe(f"{name}[{position.value}]", place, object_.type, observed)
        case _:
            raise error(Code.BAD_EXPECTATION, "this cannot be observed at the end of the program", expr.span)


def _observe(name: str, what: Observation, type_: types.IntType, observed: dict[str, Observation]) -> Value:
    observed[name] = what
    return Reg(name, type_)


def _known_object(name: str, program: ir.Program, span: Span) -> ir.Object:
    if name in program.objects:
        return program.objects[name]
    locals_ = [g.name for g in program.grids.values() if name in g.body.variables]
    if locals_:
        help_ = f"name the thread: {locals_[0]}[0][0].{name}"
    elif name in program.host.body.variables:
        help_ = f"name the thread: main.{name}"
    else:
        help_ = suggestion(name, program.objects) or "name a local as kernel[block][thread].name"
    raise error(Code.BAD_EXPECTATION, f"there is no global `{name}`", span, help_)


def _thread(expr: tree.Expr, program: ir.Program) -> ir.Thread:
    """The thread that ``main``, ``kernel[block][thread]`` or ``kernel#2[block][thread]`` names."""
    match expr:
        case tree.Name(_, name) if any(t.name == name for t in (program.host, *program.others)):
            return next(t for t in (program.host, *program.others) if t.name == name)
        case tree.Index(_, tree.Index(_, (tree.Name() | tree.ThreadLocal()) as head, block), lane):
            name = head.name if isinstance(head, tree.Name) else head.kernel
            if isinstance(head, tree.ThreadLocal) and head.launch != 1:
                name = f"{name}#{head.launch}"
            grid = program.grids.get(name)
            if grid is None:
                help_ = suggestion(name, program.grids) or f"the launches are {', '.join(program.grids)}"
                raise error(Code.BAD_EXPECTATION, f"no launch is called `{name}`", head.span, help_)
            where = []
            for index, extent, what in ((block, grid.blocks, "block"), (lane, grid.threads, "thread")):
                position = _formula(index, program, {})
                if not isinstance(position, Const) or not 0 <= position.value < extent.count:
                    message = f"`{name}` has {what}s 0 to {extent.count - 1}"
                    raise error(Code.BAD_EXPECTATION, message, index.span)
                where.append(position.value)
            return _grid_thread(program, grid, *where)
        case _:
            raise error(Code.BAD_EXPECTATION, "this does not name a thread", expr.span)


def _grid_thread(program: ir.Program, grid: ir.Grid, block: int, lane: int) -> ir.Thread:
    thread = device_thread(grid, block, lane)
    return next((t for t in program.threads if t.name == thread.name), thread)


def _local(
    thread_expr: tree.Expr, name: str, span: Span, program: ir.Program, observed: dict[str, Observation]
) -> Value:
    thread = _thread(thread_expr, program)
    body = thread.body
    if name in body.ambiguous:
        message = f"`{name}` is declared more than once in {thread.grid or 'main'}"
        raise error(Code.BAD_EXPECTATION, message, span, "rename one of them")
    if name not in body.variables:
        in_memory = f"{thread.grid or 'main'}.{name}"
        if in_memory in program.objects:
            return _observe_instance(program.objects[in_memory], thread, observed)
        listed = f"its locals are {', '.join(body.variables)}" if body.variables else "it has no locals"
        help_ = suggestion(name, body.variables) or listed
        raise error(Code.BAD_EXPECTATION, f"{thread.grid or 'main'} has no local `{name}`", span, help_)
    if thread not in program.threads:
        return _idle_value(thread, name, span)
    return _observe(f"{thread.name}.{name}", FinalRegister(thread.name, name), body.variables[name], observed)


def _observe_instance(object_: ir.Object, thread: ir.Thread, observed: dict[str, Observation]) -> Value:
    """A local that lives in memory: an automatic or shared object of the thread."""
    location = Location(object_.name, 0, instance(object_, thread))
    short = object_.name.rpartition(".")[2]
    return _observe(f"{thread.name}.{short}", FinalMemory(location), object_.type, observed)


def _idle_value(thread: ir.Thread, name: str, span: Span) -> Value:
    """The final value of a local of a thread that does nothing but set its own registers."""
    environment: dict[str, Value] = {}
    node = thread.body.nodes[thread.body.entry]
    while isinstance(node, ir.Do) and isinstance(node.operation, ir.Set):
        value = node.operation.value
        environment[node.operation.target] = values.substitute(value, lambda leaf: environment.get(leaf.name, leaf))
        node = thread.body.nodes[node.next]
    if name not in environment:
        raise error(Code.BAD_EXPECTATION, f"{thread.name} never gives `{name}` a value", span)
    return environment[name]
