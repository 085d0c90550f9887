"""A whole file, under one choice of its varied constants, to a Program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.diagnostics import Code, error
from scopec.program import ir, types, values
from scopec.program.lower import expressions, names, objects, statements
from scopec.program.lower.context import Frame, World
from scopec.program.lower.launches import launch_grid
from scopec.program.lower.operands import Computed, Enumerator, Function
from scopec.syntax import tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.source import Source

_STORAGES = {"__device__": ir.Storage.DEVICE, "__managed__": ir.Storage.MANAGED}


def lower(file: tree.File, source: Source, name: str, overrides: Mapping[str, tree.Expr] | None = None) -> ir.Program:
    """The Program that a file means; ``overrides`` gives varied constants other values.

    Raises InputError where the file leaves the modelled subset, launches nothing, or contradicts itself.
    """
    world = World(source, dict(overrides or {}))
    top = Frame(world, "", host=True)
    launches: list[tree.LaunchDirective] = []
    main = _declare_items(world, top, file)
    for directive in file.directives:
        match directive:
            case tree.ObjectDirective(declaration=declaration):
                _declare_global(world, top, declaration)
            case tree.LaunchDirective():
                launches.append(directive)
            case _:
                pass
    host = _host_body(world, file, main, launches)
    return ir.Program(
        name,
        source,
        world.objects,
        (*(ir.legacy_stream(d) for d in _devices(world)), *world.streams.values()),
        world.grids,
        ir.Thread("main", host),
        world.constants,
        world.variant,
    )


def _devices(world: World) -> list[int]:
    """The devices that have work: `cudaSetDevice(n)` implies that device n exists."""
    return sorted({0} | {grid.device for grid in world.grids.values()} | {s.device for s in world.streams.values()})


def _declare_items(world: World, top: Frame, file: tree.File) -> tree.Function | None:
    main = None
    for item in file.items:
        match item:
            case tree.Declaration():
                _declare_global(world, top, item)
            case tree.Function(name="main"):
                if main is not None:
                    raise error(Code.DUPLICATE, "`main` is defined twice", item.name_span)
                main = item
            case tree.Function(template=tuple()):
                message = f"the template `{item.name}` is outside the modelled subset"
                raise error(
                    Code.OUTSIDE_SUBSET, message, item.name_span, "write the function for the types it is used with"
                )
            case tree.Function():
                world.declare(item.name, Function(item), item.name_span)
                if "__global__" in item.type.specifiers and not isinstance(world.resolve(item.type), names.VoidType):
                    raise error(Code.TYPE_ERROR, "a kernel returns void", item.type.span)
            case tree.UsingNamespace() | tree.Prototype():
                pass
            case _:
                raise error(Code.OUTSIDE_SUBSET, "this declaration is outside the modelled subset", item.span)
    return main


def _declare_global(world: World, top: Frame, declaration: tree.Declaration) -> None:
    specifiers = set(declaration.type.specifiers)
    for declarator in declaration.declarators:
        written = declaration.type
        if declarator.pointers or declarator.reference or written.pointers:
            message = "a pointer or reference at file scope is outside the modelled subset"
            raise error(Code.OUTSIDE_SUBSET, message, declarator.span, "pass the object to the kernel")
        type_ = world.resolve(written)
        constant = "constexpr" in specifiers or ("const" in specifiers and not specifiers & set(_STORAGES))
        if isinstance(type_, names.EnumType) or (constant and isinstance(type_, types.IntType)):
            _declare_constant(world, top, type_, declarator)
            continue
        if specifiers & {"__constant__", "extern", "__shared__"}:
            (word, *_) = specifiers & {"__constant__", "extern", "__shared__"}
            raise error(Code.OUTSIDE_SUBSET, f"`{word}` at file scope is outside the modelled subset", written.span)
        storage = next((_STORAGES[s] for s in ("__managed__", "__device__") if s in specifiers), ir.Storage.SYSTEM)
        world.declare(
            declarator.name, objects.declare(world, top, type_, written, declarator, storage), declarator.span
        )


def _declare_constant(world: World, top: Frame, type_: names.Type, declarator: tree.Declarator) -> None:
    name = declarator.name
    if declarator.sizes:
        raise error(Code.OUTSIDE_SUBSET, "arrays of constants are outside the modelled subset", declarator.span)
    expr = world.overrides.get(name)
    varied = expr is not None
    if expr is None:
        if declarator.init is None or len(declarator.init.arguments) != 1:
            raise error(Code.NOT_CONSTANT, f"the constant `{name}` needs a value", declarator.span)
        (expr,) = declarator.init.arguments
    if isinstance(type_, types.IntType):
        value = expressions.lower_value(top, expr)
        if not isinstance(value, values.Const):
            raise error(Code.NOT_CONSTANT, f"the value of `{name}` must be a constant", expr.span)
        wrapped = values.convert(value, type_)
        assert isinstance(wrapped, values.Const)
        world.declare(name, Computed(wrapped), declarator.span)
        world.constants[name] = wrapped.value
        shown = values.show(wrapped)
    else:
        assert isinstance(type_, names.EnumType)
        enumerator = _enumerator(top, type_, expr, short=varied)
        world.declare(name, Enumerator(enumerator), declarator.span)
        world.constants[name] = enumerator
        shown = enumerator.name.lower()
    if varied:
        world.variant[name] = shown


def _enumerator(top: Frame, type_: names.EnumType, expr: tree.Expr, *, short: bool) -> ir.Order | ir.Scope:
    """The scope or order that an expression names; directives may use the short names (``device``, ``relaxed``)."""
    table: Mapping[str, ir.Order | ir.Scope] = names.SCOPES if type_.name == "thread_scope" else names.ORDERS
    if short and isinstance(expr, tree.Name) and expr.name in table:
        return table[expr.name]
    wanted = ir.Scope if type_.name == "thread_scope" else ir.Order
    operand = expressions.lower_operand(top, expr)
    if isinstance(operand, Enumerator) and isinstance(operand.value, wanted):
        return operand.value
    raise error(Code.TYPE_ERROR, f"a {type_.name} is wanted here", expr.span)


def _host_body(
    world: World, file: tree.File, main: tree.Function | None, launches: list[tree.LaunchDirective]
) -> ir.Body:
    frame = Frame(world, "main", host=True)
    frame.return_type = types.INT
    if main is not None:
        if launches:
            message = "`//@ launch` is for files without a main"
            raise error(Code.BAD_DIRECTIVE, message, launches[0].span, "launch the kernel in main")
        if main.parameters:
            raise error(Code.OUTSIDE_SUBSET, "arguments of main are outside the modelled subset", main.name_span)
        body = statements.lower_body(frame, main, [])
    else:
        kernels = [i for i in file.items if isinstance(i, tree.Function) and "__global__" in i.type.specifiers]
        if not kernels:
            span = world.source.span(0, 0)
            raise error(Code.NOTHING_TO_CHECK, "the file has neither a kernel nor a main", span)
        for directive in launches:
            launch_grid(frame, directive.launch)
        if launches:
            frame.emit(ir.DeviceSynchronize(), launches[-1].span)
            frame.builder.end(launches[-1].span)
        else:
            name = kernels[0].name
            help_ = f"write `int main()`, or `//@ launch {name}<<<1, 1>>>();`"
            raise error(Code.NOT_LAUNCHED, f"the kernel `{name}` is never launched", kernels[0].name_span, help_)
        body = frame.finish()
    return body
