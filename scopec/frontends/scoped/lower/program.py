"""A whole file, under one choice of its varied constants, to a Program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.launches import beside_main
from scopec.frontends.scoped.lower import classes, expressions, functions, launches, names, objects, resolve
from scopec.frontends.scoped.lower.context import Call, Frame, Region, World, outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    AutoType,
    EnumType,
    HandleType,
    PointerType,
    ReferenceType,
    Type,
    VoidType,
)
from scopec.frontends.scoped.lower.operands import (
    Computed,
    Enumerator,
    Function,
    Operand,
    PointerVariable,
    TypeNamed,
)
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.storage import stored
from scopec.program import endings, ir, types, values
from scopec.program.program import Program
from scopec.program.streams import with_legacy_streams
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.base.source import Source

_STORAGES = {
    "__device__": ir.Storage.DEVICE, "__managed__": ir.Storage.MANAGED, "__constant__": ir.Storage.DEVICE,
    "__shared__": ir.Storage.SHARED,
}  # fmt: skip
_MOST_PASSES = 8


def constants(file: tree.File) -> tuple[str, ...]:
    """The names of the constants that a file declares outside functions."""
    return tuple(
        d.name
        for item in file.items
        if isinstance(item, tree.Declaration) and {"constexpr", "const"} & set(item.type.specifiers)
        for d in item.declarators
    )


def lower(file: tree.File, source: Source, name: str, overrides: Mapping[str, tree.Expr] | None = None) -> Program:
    """The Program that a file means; ``overrides`` gives varied constants other values.

    Raises InputError where the file leaves the modelled subset, launches nothing, or contradicts itself.
    """
    regions: dict[str, list[Region]] = {}
    aborts = False
    for _ in range(_MOST_PASSES):
        known = {type_: len(found) for type_, found in regions.items()}
        world = World(source, dict(overrides or {}), {t: list(found) for t, found in regions.items()}, aborts=aborts)
        program = _lower(file, source, name, world)
        regions = world.regions
        if {type_: len(found) for type_, found in regions.items()} == known and world.found_abort == aborts:
            return program
        aborts = world.found_abort
    raise AssertionError("the objects that pointers may point to do not come to an end")


def _lower(file: tree.File, source: Source, name: str, world: World) -> Program:
    top = Frame(world, "", host=True, call=Call("", VoidType()))
    main = _declare_items(top, file.items)
    given: list[tree.LaunchDirective] = []
    for directive in file.directives:
        match directive:
            case tree.ObjectDirective(declaration=declaration):
                _declare_global(top, declaration)
            case tree.LaunchDirective():
                given.append(directive)
            case _:
                pass
    host = _host_body(world, file, main, given)
    for directive in file.directives:
        if isinstance(directive, tree.StorageDirective):
            world.objects |= stored(world.objects, directive)
    _check_threads(world)
    return Program(
        name,
        source,
        {n: o for n, o in world.objects.items() if not n.startswith("%")},
        with_legacy_streams(world.streams.values(), world.grids.values()),
        world.grids,
        ir.Thread("main", endings.ended(host, world.others)),
        world.constants,
        world.variant,
        tuple(world.others),
    )


def _check_threads(world: World) -> None:
    """Every thread is created before it is joined, by construction; a thread's name is its own."""
    assert len({t.name for t in world.others}) == len(world.others)


# ---------------------------------------------------------------- declarations


def _declare_items(frame: Frame, items: tuple[tree.Item, ...]) -> tree.Function | None:
    """Declare the items of a file; returns ``main`` if it is among them."""
    main: tree.Function | None = None
    for item in items:
        match item:
            case tree.Declaration():
                _declare_global(frame, item)
            case tree.Function(name="main"):
                if main is not None:
                    raise error(Code.DUPLICATE, "`main` is defined twice", item.name_span)
                main = item
            case tree.Function():
                _declare_function(frame, item)
            case tree.NamespaceAlias(span, alias, target):
                frame.world.globals.alias(alias, target, span)
            case tree.Alias(span, name, type_, sizes):
                meant = resolve.sized(frame, resolve.named(frame, type_), sizes, None, span)
                frame.world.globals.declare(name, TypeNamed(meant), span)
            case tree.Prototype():
                pass
    return main


def _declare_function(frame: Frame, function: tree.Function) -> None:
    if "__global__" in function.type.specifiers and function.type.name not in ("void", ""):
        raise error(Code.TYPE_ERROR, "a kernel returns void", function.type.span)
    if isinstance(frame.find(function.name), Function):
        raise outside(f"a second function `{function.name}` is", function.name_span)
    frame.world.globals.declare(function.name, Function(function.name, function), function.name_span)


def _declare_global(frame: Frame, declaration: tree.Declaration) -> None:
    written = declaration.type
    specifiers = set(written.specifiers)
    base = resolve.resolve(frame, written)
    for declarator in declaration.declarators:
        span = declarator.span
        if {"extern", "__shared__"} <= specifiers:
            raise outside("dynamic shared memory at file scope is", span, "declare it in the kernels that use it")
        type_ = classes.declared_type(frame, base, written, declarator)
        constant = "constexpr" in specifiers or ("const" in specifiers and not specifiers & set(_STORAGES))
        if isinstance(type_, EnumType) or (
            constant and isinstance(type_, (IntType, AutoType)) and not declarator.pointers
        ):
            _declare_constant(frame, type_, declarator)
            continue
        if "extern" in specifiers:
            raise error(Code.OUTSIDE_SUBSET, "`extern` at file scope is outside the modelled subset", written.span)
        if "__shared__" in specifiers and declarator.init is not None:
            raise error(Code.TYPE_ERROR, "a shared variable cannot have an initial value", declarator.init.span)
        storage = next((_STORAGES[s] for s in ("__managed__", *_STORAGES) if s in specifiers), ir.Storage.SYSTEM)
        frame.world.globals.declare(declarator.name, _global(frame, type_, written, declarator, storage), span)
    if not declaration.declarators and written.defined is None:
        raise error(Code.SYNTAX, "this declares nothing", declaration.span)


def _global(
    frame: Frame, type_: Type, written: tree.TypeName, declarator: tree.Declarator, storage: ir.Storage
) -> Operand:
    """What a global name denotes; a pointer of the host is followed at compile time."""
    span = declarator.span
    if isinstance(type_, AtomicType) and type_.ref:
        raise error(Code.TYPE_ERROR, "an atomic_ref at file scope has nothing to refer to", span)
    if isinstance(type_, ReferenceType):
        raise outside("a reference at file scope is", span, "pass the object to the kernel")
    if isinstance(type_, PointerType) and storage is ir.Storage.SYSTEM:
        return PointerVariable(declarator.name, type_)
    if isinstance(type_, HandleType) or (
        isinstance(type_, ArrayType) and isinstance(type_.element, HandleType) and storage is ir.Storage.SYSTEM
    ):
        raise outside("a global of this type is", span)
    volatile = ("volatile" in written.specifiers and not declarator.pointers) or declarator.volatile
    made = objects.declare(frame, declarator.name, type_, storage, span, volatile=volatile)
    objects.give_values(frame, made, type_, declarator.init, span)
    return made


def _declare_constant(frame: Frame, type_: Type, declarator: tree.Declarator) -> None:
    name, world = declarator.name, frame.world
    expr = world.overrides.get(name)
    varied = expr is not None
    if expr is None:
        if declarator.init is None or len(declarator.init.arguments) != 1:
            raise error(Code.NOT_CONSTANT, f"the constant `{name}` needs a value", declarator.span)
        (expr,) = declarator.init.arguments
    operand: Operand
    if isinstance(type_, EnumType):
        enumerator = _enumerator(frame, type_, expr, short=varied)
        operand, constant, shown = Enumerator(enumerator), enumerator, enumerator.name.lower()
        world.constants[name] = constant
    else:
        operand = expressions.lower_operand(frame, expr)
        if isinstance(type_, IntType):
            operand = Computed(values.convert(expressions.lower_value(frame, expr), type_))
        match operand:
            case Computed(values.Const(number, _) as known):
                world.constants[name] = number
                shown = values.show(known)
            case Enumerator(found):
                world.constants[name] = found
                shown = found.name.lower()
            case _:
                raise error(Code.NOT_CONSTANT, f"the value of `{name}` must be a constant", expr.span)
    frame.world.globals.declare(name, operand, declarator.span)
    if varied:
        world.variant[name] = shown


def _enumerator(frame: Frame, type_: EnumType, expr: tree.Expr, *, short: bool) -> ir.Order | ir.Scope:
    """The scope or order that an expression names; directives may use the short names (``device``, ``relaxed``)."""
    table: Mapping[str, ir.Order | ir.Scope] = names.SCOPES if type_.name == "thread_scope" else names.ORDERS
    if short and isinstance(expr, tree.Name) and expr.name in table:
        return table[expr.name]
    wanted = ir.Scope if type_.name == "thread_scope" else ir.Order
    operand = expressions.lower_operand(frame, expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, wanted):
        return operand.value
    raise error(Code.TYPE_ERROR, f"a {type_.name} is wanted here", expr.span)


# ---------------------------------------------------------------- the host's code


def _host_body(world: World, file: tree.File, main: tree.Function | None, given: list[tree.LaunchDirective]) -> ir.Body:
    frame = Frame(world, "main", host=True, call=Call("main", types.INT))
    if main is not None:
        if given:
            raise beside_main(given[0].span)
        operands: list[Operand] = []
        if main.parameters:  # argc and argv: the program is called without arguments
            operands = [Computed(values.Const(1, types.INT)), *([_no_arguments()] * (len(main.parameters) - 1))]
        return functions.lower_thread_body(frame, main, operands)
    kernels = [f for f in file.items if isinstance(f, tree.Function) and "__global__" in f.type.specifiers]
    if not kernels:
        span = world.source.span(0, 0)
        raise error(Code.NOTHING_TO_CHECK, "the file has neither a kernel nor a main", span)
    for directive in given:
        launches.launch_grid(frame, directive.launch)
    if given:
        frame.emit(ir.DeviceSynchronize(), given[-1].span)
        frame.builder.end(given[-1].span)
    else:
        name = kernels[0].name
        help_ = f"write `int main()`, or `//@ launch {name}<<<1, 1>>>();`"
        raise error(Code.NOT_LAUNCHED, f"the kernel `{name}` is never launched", kernels[0].name_span, help_)
    return frame.finish()


def _no_arguments() -> Operand:
    from scopec.frontends.scoped.lower.operands import Text

    return Text()
