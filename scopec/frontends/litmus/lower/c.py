"""Threads of the C dialects: parameters and declarations (language note, "Litmus files").

Names of locals are flat, as herd7 has them: a name that is declared in two blocks is one register.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, bounded_nesting, error
from scopec.frontends.c import statements
from scopec.frontends.c.syntax import tree
from scopec.frontends.c.syntax.walk import walk
from scopec.frontends.litmus.lower import c_expressions as expressions
from scopec.frontends.litmus.lower.c_calls import call
from scopec.frontends.litmus.lower.c_operands import Cell, CFrame, Local, Pointer, pointed_type
from scopec.frontends.litmus.lower.world import POINTER, integer_type
from scopec.frontends.litmus.syntax import tree as litmus_tree
from scopec.program import ir, values
from scopec.program.values import Const

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.frontends.litmus.lower.world import Position, World


def declare_parameters(world: World, threads: Iterable[litmus_tree.CThread]) -> dict[str, str]:
    """Declare the locations that are parameters and not in the initial state; give the others their types.

    A parameter with an initial value of its own (``0:p = &x``) is no location.  Returns the address space of each
    location: ``local`` or ``global``.
    """
    spaces: dict[str, str] = {}
    for thread in threads:
        for parameter in thread.parameters:
            if not parameter.type.pointers or (thread.name, parameter.name) in world.registers:
                continue
            name, span = parameter.name, parameter.span
            world.users.setdefault(name, []).append(thread.name)
            world.pointer_registers.add((thread.name, name))
            type_ = pointed_type(parameter.type)
            known = world.objects.get(name)
            if known is None:
                world.declare(name, span, type_, [0], array=False)
                known = world.objects[name]
            elif name not in world.typed:
                first = [v if v is not None else 0 for v in known.values]
                world.declare(name, known.span, type_, first, array=known.array)
            if name in world.typed and known.type.size != type_.size and name not in world.pointers:
                message = f"`{name}` has elements of {known.type.size} bytes, and is used here as {type_.name}"
                raise error(Code.TYPE_ERROR, message, span, "write the same type in all places")
            world.typed.add(name)
            if parameter.type.pointers > 1:
                world.pointers.add(name)
            space = "local" if {"local", "__local"} & set(parameter.type.specifiers) else "global"
            if spaces.setdefault(name, space) != space:
                message = f"`{name}` is {space} here and {spaces[name]} in another thread"
                raise error(Code.TYPE_ERROR, message, span, "write the same address space in all places")
    for name, space in spaces.items():
        if space == "local":
            world.share(name)
    return spaces


def declare_locals(world: World, threads: Iterable[litmus_tree.CThread]) -> None:
    """Declare as objects the local variables whose addresses are kept: `int* p = &r;` with a `p` that changes."""
    for thread in threads:
        nodes = walk(thread.body)
        if not any(isinstance(node, tree.Unary) and node.op == "&" for node in nodes):
            continue
        kept = set(_kept_addresses(thread.body, _assigned(nodes)))
        for declaration in (node for node in nodes if isinstance(node, tree.Declaration)):
            for declarator in declaration.declarators:
                name = f"{thread.name}.{declarator.name}"
                if declarator.name in kept and name not in world.objects:
                    type_ = POINTER if declarator.pointers else integer_type(declaration.type)
                    world.declare(name, declarator.span, type_, [0], array=False)


def _kept_addresses(statement: object, assigned: frozenset[str], *, fixed: bool = False) -> Iterator[str]:
    """The names whose address is taken, other than for a call or for a pointer that always holds it."""
    match statement:
        case tree.Unary(_, "&", tree.Name(_, name)):
            if not fixed:
                yield name
        case tree.Call(_, _, arguments):
            for argument in arguments:
                yield from _kept_addresses(argument, assigned, fixed=True)
        case tree.Declaration(_, _, declarators):
            for declarator in declarators:
                init = () if declarator.init is None else declarator.init.arguments
                for value in init:
                    yield from _kept_addresses(value, assigned, fixed=declarator.name not in assigned)
        case _:
            for part in _parts(statement):
                yield from _kept_addresses(part, assigned)


def _parts(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        yield from node
    else:
        yield from (getattr(node, name) for name in getattr(node, "__slots__", ()) if name != "span")


def lower(
    world: World, thread: litmus_tree.CThread, position: Position, watched: Iterable[str], spaces: dict[str, str]
) -> ir.Thread:
    """A thread; ``watched`` are the registers that the final clause names, ``spaces`` are those of the locations.

    Raises InputError for what is outside the modelled subset.
    """
    assigned = _assigned(walk(thread.body))
    frame = _Thread(world, thread.name, spaces=frozenset(spaces.values()) or frozenset({"global"}), assigned=assigned)
    for parameter in thread.parameters:
        _parameter(frame, parameter, parameter.name in assigned)
    with frame.block(thread.body.span):
        for statement in thread.body.statements:
            with bounded_nesting(statement.span, "this statement"):
                statements.lower(frame, statement)
    if frame.returns is not None:
        frame.builder.place(frame.returns)
    end = thread.body.span
    frame.builder.end(end)
    _watch(frame, watched)
    return frame.finish(position, thread.span)


def _parameter(frame: CFrame, parameter: tree.Parameter, assigned: bool) -> None:
    """A parameter begins with its value in the initial state; a pointer without one is the address of its location."""
    name, span = parameter.name, parameter.span
    if not parameter.type.pointers:
        frame.add(name, Local(name, integer_type(parameter.type)), span)
        return
    type_ = pointed_type(parameter.type)
    if (frame.name, name) in frame.world.registers:
        given = frame.world.registers[frame.name, name]
        if given.value and (frame.name, name) not in frame.world.pointer_registers:
            message = f"`{name}` is a pointer, and begins with {given.value}, which is no address"
            raise error(Code.TYPE_ERROR, message, span, f"write the initial value &x, or *{name} for what it points to")
        frame.add(name, Local(name, POINTER, type_), span)
    elif assigned:
        frame.initial[name] = frame.world.address(name)
        frame.add(name, Local(name, POINTER, type_), span)
    else:
        frame.bind(name, Pointer(name, Const(0, frame.index_type), type_), span)


def _watch(frame: CFrame, watched: Iterable[str]) -> None:
    """Registers that are observed: those that nothing sets are 0, and a pointer that never changes is an address."""
    frame.world.mentioned.setdefault(frame.name, set()).update(frame.names)
    for name in watched:
        known = frame.names.get(name)
        if known is None and name not in frame.world.objects:
            given = frame.world.registers.get((frame.name, name))
            frame.register(name, frame.world.default_type if given is None else given.type)
        elif isinstance(known, Pointer) and isinstance(known.index, Const):
            frame.initial[name] = frame.world.address(known.object, known.index.value)
            frame.register(name, POINTER)


def _assigned(nodes: Iterable[object]) -> frozenset[str]:
    """The names that some statement assigns to, or takes the address of."""
    found = set()
    for node in nodes:
        match node:
            case (
                tree.Assign(_, _, tree.Name(_, name), _)
                | tree.Step(_, _, _, tree.Name(_, name))
                | tree.Unary(_, "&", tree.Name(_, name))
            ):
                found.add(name)
            case _:
                pass
    return frozenset(found)


# ---------------------------------------------------------------- declarations


def _declaration(frame: CFrame, declaration: tree.Declaration) -> None:
    written = declaration.type
    if {"local", "__local", "static"} & set(written.specifiers):
        word = next(s for s in written.specifiers if s in ("local", "__local", "static"))
        message = f"a `{word}` variable inside a thread is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, declaration.span, "make it a parameter")
    for declarator in declaration.declarators:
        if declarator.sizes:
            message = "an array inside a thread is outside the modelled subset"
            raise error(Code.OUTSIDE_SUBSET, message, declarator.span, "make it a parameter")
        init = None if declarator.init is None else declarator.init.arguments[0]
        type_ = integer_type(written)
        name, span = declarator.name, declarator.span
        in_memory = frame.world.objects.get(f"{frame.name}.{name}")
        if in_memory is not None:
            cell = Cell(ir.Place(in_memory.name, Const(0, frame.index_type)), in_memory.type, name)
            frame.bind(name, cell, span)
            if init is not None:
                expressions.store(frame, cell, expressions.number(frame, init), ir.PLAIN, span)
            continue
        if not declarator.pointers:
            value = None if init is None else expressions.number(frame, init)
            local = frame.add(name, Local(name, type_), span)
            if value is not None:
                frame.emit(ir.Set(name, values.convert(value, local.type)), span)
            continue
        element = type_ if declarator.pointers == 1 else POINTER
        pointer = None if init is None else expressions.pointer(frame, init)
        if pointer is not None and expressions.is_fixed(pointer) and name not in frame.assigned:
            frame.bind(name, pointer, span)
            continue
        local = frame.add(name, Local(name, POINTER, element), span)
        if pointer is not None:
            frame.emit(ir.Set(name, expressions.address(frame, pointer, span)), span)


class _Thread(CFrame):
    """A thread of which all is known: expressions contain calls, and these expressions."""

    value = expressions.number
    discard = expressions.discard
    declare = _declaration
    call = call
