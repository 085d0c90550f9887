"""A whole file, under one choice of its varied constants, to a Program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.c.names import ORDERS
from scopec.frontends.c.syntax import tree
from scopec.frontends.launches import beside_main
from scopec.frontends.scoped.lower import expressions, launches, names, objects, resolve, statements
from scopec.frontends.scoped.lower import locals as local_
from scopec.frontends.scoped.lower.context import Frame, World
from scopec.frontends.scoped.lower.cpp_types import ArrayType, AtomicType, AutoType, EnumType, Type
from scopec.frontends.scoped.lower.operands import Computed, Enumerator, Kernel
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.frontends.storage import stored
from scopec.program import endings, ir, values
from scopec.program.program import Program
from scopec.program.streams import with_legacy_streams
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.base.source import Source

_STORAGES = {"__managed__": ir.Storage.MANAGED, "__device__": ir.Storage.DEVICE}


class _Code(Frame):
    """Code of which all is known: expressions contain everything that contains them."""

    operand = expressions.lower_operand
    discard = expressions.discard
    declare = local_.declare


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

    Raises InputError where the file leaves the scoped language, launches nothing, or contradicts itself.
    """
    world = World(source, dict(overrides or {}))
    top = _Code(world, "", host=True)
    main = _declare_items(top, file.items)
    for directive in file.directives:
        if isinstance(directive, tree.ObjectDirective):
            _declare_global(top, directive.declaration)
    host = _host_body(world, file, main)
    for directive in file.directives:
        if isinstance(directive, tree.StorageDirective):
            world.objects |= stored(world.objects, directive)
    streams = with_legacy_streams(world.streams.values(), world.grids.values())
    thread = ir.Thread("main", endings.ended(host, []))
    return Program(name, source, world.objects, streams, world.grids, thread, world.constants, world.variant, ())


# ---------------------------------------------------------------- declarations


def _declare_items(frame: Frame, items: tuple[tree.Item, ...]) -> tree.Function | None:
    """Declare the items of a file; returns ``main`` if it is among them."""
    main: tree.Function | None = None
    for item in items:
        match item:
            case tree.Declaration():
                _declare_global(frame, item)
            case tree.Function(name="main"):
                if main is not None or item.parameters:
                    raise out_of_subset("a second `main`, or one with parameters, is", item.name_span)
                main = item
            case tree.Function():
                if "__global__" in item.type.specifiers and item.type.name != "void":
                    raise error(Code.OUTSIDE_SUBSET, "a kernel returns nothing", item.type.span, "declare it `void`")
                if set(item.type.specifiers) != {"__global__"} or item.type.name != "void":
                    raise out_of_subset("a function that is no kernel is", item.name_span)
                frame.world.declare(item.name, Kernel(item), item.name_span)
            case tree.NamespaceAlias(span, alias, target):
                if target not in ("std", "cuda", "cuda::std", "cooperative_groups"):
                    raise error(Code.UNKNOWN_NAME, f"there is no namespace `{target}`", span)
                frame.world.namespaces[alias] = target
    return main


def _declare_global(frame: Frame, declaration: tree.Declaration) -> None:
    specifiers = set(declaration.type.specifiers)
    base = resolve.resolve(frame, declaration.type)
    for declarator in declaration.declarators:
        type_ = resolve.declared(frame, base, declarator)
        if "constexpr" in specifiers or ("const" in specifiers and not specifiers & set(_STORAGES)):
            _declare_constant(frame, type_, declarator)
            continue
        match type_:
            case IntType() | AtomicType(ref=False) | ArrayType() if not specifiers & {"__shared__", "__global__"}:
                storage = next((_STORAGES[s] for s in _STORAGES if s in specifiers), ir.Storage.SYSTEM)
                volatile = "volatile" in specifiers
                made = objects.declare(frame, declarator.name, type_, storage, declarator.span, volatile=volatile)
                objects.hold(frame, made, declarator.init)
                frame.world.declare(declarator.name, made, declarator.span)
            case _:
                raise out_of_subset("a variable of this type at file scope is", declarator.span)


def _declare_constant(frame: Frame, type_: Type, declarator: tree.Declarator) -> None:
    name, world = declarator.name, frame.world
    expr = world.overrides.get(name)
    varied = expr is not None
    if expr is None:
        expr = objects.single(declarator.init, declarator.span)
    elif isinstance(type_, EnumType) and isinstance(expr, tree.Name):  # directives may use short names (``device``)
        prefix = f"{type_.name}_"
        table: Mapping[str, object] = names.SCOPES if type_.name == "thread_scope" else ORDERS
        written = "system" if expr.name == "sys" else expr.name
        expr = tree.Name(expr.span, prefix + written) if written in table else expr
    operand = frame.operand(expr)
    match operand, type_:
        case (Enumerator(ir.Scope() as found), EnumType("thread_scope") | AutoType()) | (
            Enumerator(ir.Order() as found),
            EnumType("memory_order") | AutoType(),
        ):
            world.constants[name] = found
            shown = found.name.lower()
        case (Computed(values.Const() as known), IntType() | AutoType()):
            known = values.Const(type_.wrap(known.value), type_) if isinstance(type_, IntType) else known
            operand, world.constants[name], shown = Computed(known), known.value, values.show(known)
        case _:
            raise error(Code.NOT_CONSTANT, f"the value of `{name}` must be a constant of its type", expr.span)
    world.declare(name, operand, declarator.span)
    if varied:
        world.variant[name] = shown


# ---------------------------------------------------------------- the host's code


def _host_body(world: World, file: tree.File, main: tree.Function | None) -> ir.Body:
    given = [d for d in file.directives if isinstance(d, tree.LaunchDirective)]
    if main is not None:
        if given:
            raise beside_main(given[0].span)
        frame = _Code(world, "main", host=True, assigned=statements.assigned(main))
        return statements.lower_body(frame, main, {})
    kernels = [item for item in file.items if isinstance(item, tree.Function)]
    if not kernels:
        span = world.source.span(0, 0)
        raise error(Code.NOTHING_TO_CHECK, "the file has neither a kernel nor a main", span)
    if not given:
        name = kernels[0].name
        help_ = f"write `int main()`, or `//@ launch {name}<<<1, 1>>>();`"
        raise error(Code.NOT_LAUNCHED, f"the kernel `{name}` is never launched", kernels[0].name_span, help_)
    frame = _Code(world, "main", host=True)
    for directive in given:
        launches.launch_grid(frame, directive.launch)
    frame.emit(ir.DeviceSynchronize(), given[-1].span)
    frame.builder.end(given[-1].span)
    return frame.finish()
