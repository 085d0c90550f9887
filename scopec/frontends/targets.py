"""Targets of `race on …`: a variable, one of its members or elements, maybe of one block or thread."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.formulas import known_object, path_of, steps_of
from scopec.program import ir
from scopec.program.observe import Target, instance
from scopec.program.program import Program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Span
    from scopec.frontends.c.syntax import tree


def resolve_target(expr: tree.Expr, text: str, program: Program) -> Target:
    """The memory that an expression names; InputError where that is none, or not clear.

    Without a thread in front, a variable of a kernel is that of every block, thread and launch.
    """
    thread, steps = steps_of(expr, program)
    if thread is not None and not steps:
        message = f"`{text}` is a thread: name one of its variables"
        raise error(Code.BAD_EXPECTATION, message, expr.span, f"{text}.name")
    name, positions = path_of(steps)
    parts, place = [], None
    for variable in _variables(name, thread, program, expr.span):
        for object_ in _objects(variable, program):
            parts.append((object_.name, _elements(object_, positions, text, expr.span)))
            place = None if thread is None else instance(object_, thread)
    return Target(text, tuple(parts), place)


def _objects(variable: str, program: Program) -> Iterator[ir.Object]:
    """The objects that a variable consists of: itself, one for each member, or the one that a bit-field is in."""
    field = program.fields.get(variable)
    for name, object_ in program.objects.items():
        if name == (variable if field is None else field.object) or name.startswith((f"{variable}.", f"{variable}[")):
            yield object_


def _variables(name: str, thread: ir.Thread | None, program: Program, span: Span) -> list[str]:
    """The variables of a name as objects call them, one at least; InputError where there is none, or too many."""
    found = _named(name, program) if thread is None else _of_thread(name, thread, program)
    if not found and thread is None:
        known_object(name, program, span)
    if not found:
        assert thread is not None
        message = f"{thread.name} has no variable `{name}` in memory that another thread could access"
        raise error(Code.BAD_EXPECTATION, message, span, "name a `__shared__` variable, or one whose address is taken")
    for variable in found:
        if any(known.startswith((f"{variable}'", f"{variable}#")) for known in program.objects):
            message = f"`{name}` is declared more than once in {variable.partition('.')[0]}"
            raise error(Code.BAD_EXPECTATION, message, span, "rename one of them")
    functions = {_function(variable) for variable in found}
    if len(functions) > 1:
        message = f"`{name}` is a variable of {' and of '.join(sorted(functions))}"
        raise error(Code.BAD_EXPECTATION, message, span, f"{min(functions)}.{name}")
    return found


def _named(name: str, program: Program) -> list[str]:
    """A global's name, a kernel's variable with the kernel in front, or else whatever function it is a variable of."""
    head, _, rest = name.partition(".")
    blocks = [f"{grid.name}[{block}]" for grid in program.grids.values() for block in range(grid.blocks.count)]
    launched = (*program.grids, *blocks)
    direct = [name, *(f"{grid}.{rest}" for grid in launched if _function(grid) == head and grid != head)]
    owners = (*launched, *(t.name for t in (program.host, *program.others)))
    for wanted in (direct, [f"{owner}.{name}" for owner in owners]):
        found = [variable for variable in wanted if any(True for _ in _objects(variable, program))]
        if found:
            return found
    return []


def _of_thread(name: str, thread: ir.Thread, program: Program) -> list[str]:
    """A thread's own variable, or a `__shared__` one of file scope."""
    for own in (f"{thread.grid or thread.name}.{name}", f"{thread.block_name}.{name}"):
        if any(True for _ in _objects(own, program)):
            return [own]
    return [name] if any(o.storage is ir.Storage.SHARED for o in _objects(name, program)) else []


def _function(owner: str) -> str:
    """A kernel without launch and block: ``k`` of ``k#2.s`` and ``k[1].s``; a global has no function in its name."""
    return re.split(r"[.#[]", owner, maxsplit=1)[0]


def _elements(object_: ir.Object, positions: tuple[int, ...], text: str, span: Span) -> frozenset[int] | None:
    """The elements of an object that positions leave, outermost extent first; None for all of them."""
    shape = object_.shape or (len(object_.values),)
    if len(positions) > len(shape):
        raise error(Code.BAD_EXPECTATION, f"`{text}` has no such element", span)
    number = 0
    for position, extent in zip(positions, shape, strict=False):
        if not 0 <= position < extent:
            raise error(Code.BAD_EXPECTATION, f"`{text}` has elements 0 to {extent - 1}", span)
        number = number * extent + position
    size = prod(shape[len(positions) :])
    return frozenset(range(number * size, (number + 1) * size)) if positions else None
