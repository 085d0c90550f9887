"""Expressions of directives: threads, locals, elements of objects, and conditions on them."""

from __future__ import annotations

import re
from typing import TypeAlias

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.source import Span
from scopec.frontends.c.syntax import tree
from scopec.frontends.c.syntax.walk import walk
from scopec.program import ir, types, values
from scopec.program.observe import FinalMemory, FinalRegister, Formula, Location, Observation, instance
from scopec.program.program import BitField, Program
from scopec.program.specialise import device_thread
from scopec.program.values import Const, Reg, Value


def resolve_formula(expr: tree.Expr, program: Program) -> Formula:
    """A condition on final values; InputError for a name that does not exist or can never be observed."""
    observed: dict[str, Observation] = {}
    value = values.convert(_formula(expr, program, observed), types.BOOL)
    idle = any(isinstance(part, tree.Member) for part in walk(expr))  # a local of a thread that decides nothing
    if not observed and isinstance(value, Const) and not idle:
        help_ = "name a local as kernel[block][thread].name, or a global"
        raise error(Code.BAD_EXPECTATION, "this condition does not depend on the program", expr.span, help_)
    return Formula(value, observed)


def _formula(expr: tree.Expr, program: Program, observed: dict[str, Observation]) -> Value:
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
        case tree.Name(_, name) if isinstance(known := program.constants.get(name), int) and not (
            isinstance(known, ir.Scope) or name in program.objects
        ):
            return Const(known, types.INT if known < 1 << 31 else types.LONG)
        case tree.Name() | tree.Member() | tree.Index() | tree.Unary(op="*"):
            thread, steps = steps_of(expr, program)
            if thread is None:
                return _global(steps, expr.span, program, observed)
            return _local(thread, steps, expr.span, program, observed)
        case _:
            raise error(Code.BAD_EXPECTATION, "this cannot be observed at the end of the program", expr.span)


#: A member's name, or the number of an element.
_Step: TypeAlias = str | int
#: The steps in the text of an element.
_PARTS = re.compile(r"[^.\[\]]+")


def steps_of(expr: tree.Expr, program: Program) -> tuple[ir.Thread | None, tuple[_Step, ...]]:
    """The thread that an expression begins with (None: a global's name), and the way from there.

    What a parameter of a kernel points to has the way of the element that it is.
    """
    thread, steps = _steps_of(expr, program)
    name = steps[0] if thread is None else ""
    if name in program.objects or name not in program.parameters:
        return thread, steps
    places, example = program.parameters[str(name)], next(iter(program.parameters[str(name)].values()), "")
    if not places or len(steps) > 2 or (len(steps) == 2 and not isinstance(steps[1], int)):
        message = f"`{name}` is no pointer to one object"
        message = f"`{name}[OFFSET]` has no members" if places else message
        raise error(
            Code.BAD_EXPECTATION, message, expr.span, f"name the object{f', such as {example}' if example else ''}"
        )
    offset = steps[1] if len(steps) == 2 else 0
    if offset not in places:
        known = ", ".join(str(at) for at in sorted(places)[:4]) + (", …" if len(places) > 4 else "")
        message = f"nothing begins {offset} bytes from where `{name}` points"
        raise error(Code.BAD_EXPECTATION, message, expr.span, f"offsets are in bytes: {known}")
    return None, tuple(int(part) if part.isdecimal() else part for part in _PARTS.findall(places[int(offset)]))


def _steps_of(expr: tree.Expr, program: Program) -> tuple[ir.Thread | None, tuple[_Step, ...]]:
    thread = _thread(expr, program)
    if thread is not None:
        return thread, ()
    match expr:
        case tree.Name(_, name):
            return None, (name,)
        case tree.Member(_, object_, name):
            start, steps = _steps_of(object_, program)
            return start, (*steps, name)
        case tree.Index(_, object_, index):
            start, steps = _steps_of(object_, program)
            return start, (*steps, _position(index, program))
        case tree.Unary(_, "*", operand):
            start, steps = _steps_of(operand, program)
            return start, (*steps, 0)
        case _:
            raise error(Code.BAD_EXPECTATION, "this cannot be observed at the end of the program", expr.span)


def _position(index: tree.Expr, program: Program) -> int:
    position = _formula(index, program, {})
    if not isinstance(position, Const):
        raise error(Code.BAD_EXPECTATION, "a number is wanted here", index.span)
    return position.value


def path_of(steps: tuple[_Step, ...]) -> tuple[str, tuple[int, ...]]:
    """The name of the object that steps lead to, and the positions of the element in it."""
    name, positions, pending = "", [], ""
    for step in steps:
        if isinstance(step, int):
            positions.append(step)
            pending += "[]"
        else:
            name += (pending + "." if name else "") + step
            pending = ""
    return name, tuple(positions)


def _element(object_: ir.Object, positions: tuple[int, ...], shown: str, span: Span) -> int:
    """The number of an element from its positions; InputError if there is none there."""
    shape = object_.shape or ((len(object_.values),) if object_.array else ())
    if not shape and all(p == 0 for p in positions):
        return 0  # `*p` and `p[0]` for one object
    if len(positions) < len(shape):
        example = object_.element(0).rpartition("[")[0] + "[0]"
        raise error(Code.BAD_EXPECTATION, f"`{shown}` is an array: name one element", span, example)
    number = 0
    for position, extent in zip(positions, shape, strict=False):
        if not 0 <= position < extent:
            raise error(Code.BAD_EXPECTATION, f"`{shown}` has elements 0 to {extent - 1}", span)
        number = number * extent + position
    if len(positions) > len(shape):
        raise error(Code.BAD_EXPECTATION, f"`{shown}` has no such element", span)
    return number


def _global(steps: tuple[_Step, ...], span: Span, program: Program, observed: dict[str, Observation]) -> Value:
    name, positions = path_of(steps)
    object_ = known_object(name, program, span)
    _check_observable(object_, span)
    if object_.storage in (ir.Storage.SHARED, ir.Storage.AUTOMATIC):
        owner = "block" if object_.storage is ir.Storage.SHARED else "thread"
        function, _, local = name.rpartition(".")
        grid = function if function in program.grids else next(iter(program.grids), "kernel")
        help_ = f"name a thread: {grid}[0][0].{local}"
        raise error(Code.BAD_EXPECTATION, f"each {owner} has a `{name}` of its own", span, help_)
    number = _element(object_, positions, name, span)
    whole = _observe(object_.element(number), FinalMemory(Location(object_.name, number)), object_.type, observed)
    return whole if name not in program.fields else _bits(whole, program.fields[name])


def _bits(whole: Value, field: BitField) -> Value:
    """The value of a bit-field in a number of at most 64 bits."""
    type_ = types.LONG if field.signed else types.ULONG
    high = values.binary("<<", values.cast(whole, type_), Const(64 - field.shift - field.width, types.INT))
    return values.binary(">>", high, Const(64 - field.width, types.INT))


def _check_observable(object_: ir.Object, span: Span) -> None:
    if object_.type.is_float:
        what = "floating-point numbers," if object_.type.modelled else "numbers"
        message = f"`{object_.name}` holds {what} whose values are not modelled"
        raise error(Code.BAD_EXPECTATION, message, span, "ask about an integer")
    if object_.left_out:
        message = f"of `{object_.name}` only the elements are modelled that something accesses besides copies and fills"
        raise error(Code.BAD_EXPECTATION, message, span, "ask with `--without sparse`, which models all of them")


def _observe(name: str, what: Observation, type_: types.IntType, observed: dict[str, Observation]) -> Value:
    observed[name] = what
    return Reg(name, type_)


def known_object(name: str, program: Program, span: Span) -> ir.Object:
    """The object of a name; InputError, with what may be meant, where there is none."""
    if name in program.fields:
        name = program.fields[name].object
    if name in program.objects:
        return program.objects[name]
    members = [known for known in program.objects if known.startswith((f"{name}.", f"{name}[].", f"{name}[]["))]
    if members:
        example = program.objects[members[0]].element(0)
        raise error(Code.BAD_EXPECTATION, f"`{name}` has members: name one of them", span, example)
    locals_ = [
        g.name
        for g in program.grids.values()
        if name in g.body.variables or {f"{g.name}.{name}", f"{g.name}[0].{name}"} & program.objects.keys()
    ]
    hosts = [t.name for t in (program.host, *program.others) if name in t.body.variables]
    if locals_:
        help_ = f"name the thread: {locals_[0]}[0][0].{name}"
    elif hosts:
        help_ = f"name the thread: {hosts[0]}.{name}"
    else:
        variables = [*program.objects, *(o.partition("[")[0] for o in program.objects), *program.parameters]
        help_ = suggestion(name, variables) or "name a local as kernel[block][thread].name"
    raise error(Code.BAD_EXPECTATION, f"there is no global `{name}`", span, help_)


def _thread(expr: tree.Expr, program: Program) -> ir.Thread | None:
    """The thread that ``main``, ``kernel[block][thread]``, ``kernel#2[block][thread]`` or a variable names, if any."""
    hosts = {t.name: t for t in (program.host, *program.others)}
    match expr:
        case tree.Name(_, name) if name in hosts and name not in program.objects:
            return hosts[name]
        case tree.ThreadLocal(_, kernel, launch) if f"{kernel}#{launch}" in hosts:
            return hosts[f"{kernel}#{launch}"]
        case tree.Index(_, tree.Name(_, name), tree.Int(_, number)) if f"{name}[{number}]" in hosts:
            return hosts[f"{name}[{number}]"]
        case tree.Index(_, tree.Index(_, (tree.Name() | tree.ThreadLocal()) as head, block), lane):
            name = head.name if isinstance(head, tree.Name) else head.kernel
            if isinstance(head, tree.Name) and name not in program.grids and _in_memory(name, program):
                return None
            if isinstance(head, tree.ThreadLocal) and head.launch != 1:
                name = f"{name}#{head.launch}"
            return _device_thread(name, head, block, lane, program)
        case _:
            return None


def _in_memory(name: str, program: Program) -> bool:
    """Whether some object is called like that, whatever function it is a variable of."""
    return any(name in (o.partition("[")[0], o.partition(".")[2].partition("[")[0]) for o in program.objects)


def _device_thread(name: str, head: tree.Expr, block: tree.Expr, lane: tree.Expr, program: Program) -> ir.Thread:
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


def _grid_thread(program: Program, grid: ir.Grid, block: int, lane: int) -> ir.Thread:
    thread = device_thread(grid, block, lane)
    return next((t for t in program.threads if t.name == thread.name), thread)


def _local(
    thread: ir.Thread, steps: tuple[_Step, ...], span: Span, program: Program, observed: dict[str, Observation]
) -> Value:
    if not steps:
        message = f"`{thread.name}` is a thread: name one of its locals"
        raise error(Code.BAD_EXPECTATION, message, span, f"{thread.name}.name")
    name, positions = path_of(steps)
    body, of = thread.body, thread.grid or thread.name
    if name in body.ambiguous:
        message = f"`{name}` is declared more than once in {of}"
        raise error(Code.BAD_EXPECTATION, message, span, "rename one of them")
    if name not in body.variables or positions:
        everywhere = program.objects.get(name)
        shared = everywhere if everywhere is not None and everywhere.storage is ir.Storage.SHARED else None
        in_memory = program.objects.get(f"{of}.{name}") or program.objects.get(f"{thread.block_name}.{name}", shared)
        if in_memory is not None:
            _check_observable(in_memory, span)
            number = _element(in_memory, positions, name, span)
            return _observe_instance(in_memory, number, thread, observed)
        listed = f"its locals are {', '.join(body.variables)}" if body.variables else "it has no locals"
        help_ = suggestion(name, body.variables) or listed
        raise error(Code.BAD_EXPECTATION, f"{of} has no local `{name}`", span, help_)
    if thread not in program.threads:
        return _idle_value(thread, name, span)
    return _observe(f"{thread.name}.{name}", FinalRegister(thread.name, name), body.variables[name], observed)


def _observe_instance(object_: ir.Object, number: int, thread: ir.Thread, observed: dict[str, Observation]) -> Value:
    """A local that lives in memory: an automatic or shared object of the thread, or a host thread's."""
    location = Location(object_.name, number, instance(object_, thread))
    element = object_.element(number)
    for own in (thread.grid or thread.name, thread.block_name):
        element = element.removeprefix(f"{own}.")
    return _observe(f"{thread.name}.{element}", FinalMemory(location), object_.type, observed)


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
