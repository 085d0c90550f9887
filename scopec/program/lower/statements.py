"""Lowering of statements and local declarations."""

from __future__ import annotations

from typing import assert_never

from scopec.diagnostics import Code, error
from scopec.program import ir, values
from scopec.program.lower import calls, expressions, names, objects
from scopec.program.lower.context import Frame, Loop
from scopec.program.lower.operands import (
    Array,
    Computed,
    Enumerator,
    Event,
    Extent,
    Nothing,
    Operand,
    Register,
    Stream,
    StreamHandle,
)
from scopec.program.types import IntType
from scopec.syntax import tree


def lower_statement(frame: Frame, statement: tree.Statement) -> None:
    """Append a statement to the frame's graph."""
    builder = frame.builder
    match statement:
        case tree.Block():
            lower_block(frame, statement)
        case tree.Declaration():
            for declarator in statement.declarators:
                declare_local(frame, statement.type, declarator)
        case tree.ExprStatement(_, expr):
            expressions.discard(frame, expr)
        case tree.If(_, condition, then, otherwise):
            _if(frame, _expression(condition), then, otherwise)
        case tree.While(_, condition, body):
            _loop(frame, _expression(condition), body, ())
        case tree.DoWhile(_, body, condition):
            start, check, after = (builder.label() for _ in range(3))
            builder.place(start)
            _body(frame, body, Loop(after, check))
            builder.place(check)
            builder.split(expressions.lower_condition(frame, condition), condition.span, start, after)
            builder.place(after)
        case tree.For(_, init, condition, steps, body):
            frame.scopes.append({})
            if isinstance(init, tree.Declaration):
                lower_statement(frame, init)
            else:
                for expr in init:
                    expressions.discard(frame, expr)
            _loop(frame, condition or tree.Bool(statement.span, True), body, steps)
            frame.scopes.pop()
        case tree.Return():
            _return(frame, statement)
        case tree.Break(span) | tree.Continue(span):
            if not frame.loops:
                word = "break" if isinstance(statement, tree.Break) else "continue"
                raise error(Code.SYNTAX, f"`{word}` outside a loop", span)
            loop = frame.loops[-1]
            builder.jump(loop.after if isinstance(statement, tree.Break) else loop.again)
        case tree.UsingNamespace():
            pass
        case tree.RangeFor() | tree.Switch() | tree.Case() | tree.Alias() | tree.UsingName() | tree.StaticAssert():
            raise error(Code.OUTSIDE_SUBSET, "this statement is outside the modelled subset", statement.span)
        case _:
            assert_never(statement)


def _expression(condition: tree.Condition) -> tree.Expr:
    if isinstance(condition, tree.Declaration):
        message = "a declaration in a condition is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, condition.span, "declare the variable before")
    return condition


def lower_block(frame: Frame, block: tree.Block) -> None:
    """Append the statements of a block, in a scope of their own."""
    frame.scopes.append({})
    for statement in block.statements:
        lower_statement(frame, statement)
    frame.scopes.pop()


def _if(frame: Frame, condition: tree.Expr, then: tree.Statement, otherwise: tree.Statement | None) -> None:
    builder = frame.builder
    value = expressions.lower_condition(frame, condition)
    if isinstance(value, values.Const):  # only one side is part of this variant
        taken = then if value.value else otherwise
        if taken is not None:
            _scoped(frame, taken)
        return
    yes, no, done = (builder.label() for _ in range(3))
    builder.split(value, condition.span, yes, no)
    builder.place(yes)
    _scoped(frame, then)
    builder.jump(done)
    builder.place(no)
    if otherwise is not None:
        _scoped(frame, otherwise)
    builder.place(done)


def _loop(frame: Frame, condition: tree.Expr, body: tree.Statement, steps: tuple[tree.Expr, ...]) -> None:
    builder = frame.builder
    start, inside, again, after = (builder.label() for _ in range(4))
    builder.place(start)
    builder.split(expressions.lower_condition(frame, condition), condition.span, inside, after)
    builder.place(inside)
    _body(frame, body, Loop(after, again))
    builder.place(again)
    for step in steps:
        expressions.discard(frame, step)
    builder.jump(start)
    builder.place(after)


def _body(frame: Frame, body: tree.Statement, loop: Loop) -> None:
    frame.loops.append(loop)
    _scoped(frame, body)
    frame.loops.pop()


def _scoped(frame: Frame, statement: tree.Statement) -> None:
    frame.scopes.append({})
    lower_statement(frame, statement)
    frame.scopes.pop()


def _return(frame: Frame, statement: tree.Return) -> None:
    value = None
    if statement.value is not None:
        if isinstance(frame.return_type, IntType):
            value = values.convert(expressions.lower_value(frame, statement.value), frame.return_type)
        else:
            expressions.discard(frame, statement.value)
    if frame.return_label is None:
        frame.builder.end(statement.span)
        return
    if frame.return_register is not None:
        if value is None:
            raise error(Code.TYPE_ERROR, "this function must return a value", statement.span)
        frame.emit(ir.Set(frame.return_register, value), statement.span)
    frame.builder.jump(frame.return_label)


# ---------------------------------------------------------------- local declarations


def declare_local(frame: Frame, type_name: tree.TypeName, declarator: tree.Declarator) -> None:
    """Declare one local name: a register, an object in memory, or another name for one."""
    written = tree.TypeName(
        type_name.span,
        type_name.name,
        type_name.arguments,
        type_name.specifiers,
        type_name.pointers + declarator.pointers,
        type_name.reference or declarator.reference,
    )
    specifiers = set(type_name.specifiers)
    type_ = frame.world.resolve(written)
    span = declarator.span
    init = declarator.init
    if "__shared__" in specifiers:
        if frame.host:
            raise error(Code.TYPE_ERROR, "`__shared__` belongs in kernels", type_name.span)
        operand = objects.declare(frame.world, frame, type_, type_name, declarator, ir.Storage.SHARED)
        frame.bind(declarator.name, operand, span)
        return
    if "static" in specifiers or specifiers & {"__device__", "__managed__", "__constant__", "extern"}:
        raise error(Code.OUTSIDE_SUBSET, "a local variable of this storage is outside the modelled subset", span)
    frame.bind(declarator.name, _local(frame, type_, written, declarator, init), span)


def _single(init: tree.Initialiser | None, declarator: tree.Declarator, what: str) -> tree.Expr:
    if init is None or len(init.arguments) != 1:
        raise error(Code.BAD_ARGUMENTS, f"{what} is initialised with one value", declarator.span)
    return init.arguments[0]


def _local(
    frame: Frame,
    type_: names.Type,
    written: tree.TypeName,
    declarator: tree.Declarator,
    init: tree.Initialiser | None,
) -> Operand:
    specifiers = set(written.specifiers)
    match type_:
        case names.AutoType():
            return _auto(frame, declarator, _single(init, declarator, "an auto variable"), written)
        case names.AtomicType(value=element, scope=scope, ref=True):
            referred = _single(init, declarator, "an atomic_ref")
            return expressions.atomic_ref(expressions.lower_operand(frame, referred), element, scope, referred.span)
        case names.PointerType():
            pointed = _single(init, declarator, "a pointer")
            return calls.pointer_to(expressions.lower_operand(frame, pointed), type_, pointed.span)
        case names.ReferenceType(target):
            referred = _single(init, declarator, "a reference")
            return calls.reference_to(expressions.lower_operand(frame, referred), target, referred.span)
        case names.AtomicType():
            return objects.declare(frame.world, frame, type_, written, declarator, ir.Storage.AUTOMATIC)
        case IntType():
            if declarator.sizes or "volatile" in specifiers or declarator.name in frame.in_memory:
                return objects.declare(frame.world, frame, type_, written, declarator, ir.Storage.AUTOMATIC)
            return _register(frame, type_, declarator, init, specifiers)
        case names.StreamType():
            return objects.declare_stream(frame, declarator)
        case names.EventType():
            return objects.declare_event(frame, declarator)
        case names.DimType():
            arguments = init.arguments if init else ()
            if init and len(arguments) == 1 and isinstance(arguments[0], tree.Construct):
                return expressions.lower_operand(frame, arguments[0])
            return expressions.construct(frame, type_, arguments, declarator.span)
        case names.EnumType(name):
            operand = expressions.lower_operand(frame, _single(init, declarator, f"a {name}"))
            if not isinstance(operand, Enumerator):
                raise error(Code.TYPE_ERROR, f"a {name} is wanted here", declarator.span)
            return operand
        case names.VoidType():
            raise error(Code.TYPE_ERROR, "a variable cannot have type void", declarator.span)
        case _:
            assert_never(type_)


def _register(
    frame: Frame, type_: IntType, declarator: tree.Declarator, init: tree.Initialiser | None, specifiers: set[str]
) -> Operand:
    value = None
    if init is not None:
        if len(init.arguments) > 1:
            raise error(Code.BAD_ARGUMENTS, "a number is initialised with one value", declarator.span)
        value = expressions.lower_value(frame, init.arguments[0]) if init.arguments else values.Const(0, type_)
        value = values.convert(value, type_)
    constant = bool(specifiers & {"const", "constexpr"})
    if constant and isinstance(value, values.Const):
        return Computed(value)
    if "constexpr" in specifiers:
        raise error(
            Code.NOT_CONSTANT, f"`{declarator.name}` is constexpr: its value must be a constant", declarator.span
        )
    name = frame.register(declarator.name, type_)
    if value is not None:
        frame.emit(ir.Set(name, value), declarator.span)
    return Register(name, type_, constant)


def _auto(frame: Frame, declarator: tree.Declarator, value: tree.Expr, written: tree.TypeName) -> Operand:
    operand = expressions.lower_operand(frame, value)
    if isinstance(operand, (StreamHandle, Stream, Event, Extent, Enumerator)):
        return operand
    if isinstance(operand, Nothing):
        raise error(Code.TYPE_ERROR, "this call has no value (void)", value.span)
    is_ref = isinstance(value, tree.Construct) or declarator.reference or written.reference
    if is_ref and not isinstance(operand, (Computed, Array)):
        return operand
    if declarator.pointers or not isinstance(operand, (Computed, Register)):
        message = "the type of this `auto` variable is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, declarator.span, "write the type out")
    result = expressions.to_value(frame, operand, value.span)
    name = frame.register(declarator.name, result.type)
    frame.emit(ir.Set(name, result), declarator.span)
    return Register(name, result.type, "const" in written.specifiers)


# ---------------------------------------------------------------- functions


def enter_parameters(frame: Frame, function: tree.Function, operands: list[Operand]) -> dict[str, Operand]:
    """The scope of a function's parameters.

    A parameter that the body assigns to becomes a register of its own; others keep their (constant) value.
    """
    scope: dict[str, Operand] = {}
    assigned = assigned_names(function.body)
    for parameter, operand in zip(function.parameters, operands, strict=True):
        if parameter.name in scope:
            raise error(Code.DUPLICATE, f"two parameters are called `{parameter.name}`", parameter.span)
        if isinstance(operand, Computed) and (
            parameter.name in assigned or not isinstance(operand.value, values.Const)
        ):
            name = frame.register(parameter.name, operand.value.type)
            frame.emit(ir.Set(name, operand.value), parameter.span)
            operand = Register(name, operand.value.type)
        if parameter.name:
            scope[parameter.name] = operand
    return scope


def inline(frame: Frame, function: tree.Function, call: tree.Call) -> Operand:
    """Lower a call of one of the file's own functions by lowering its body in place."""
    type_ = frame.world.resolve(function.type)
    if not isinstance(type_, (IntType, names.VoidType, names.AutoType)) or isinstance(type_, names.AutoType):
        raise error(
            Code.OUTSIDE_SUBSET, "a function with this result is outside the modelled subset", function.type.span
        )
    operands = [
        calls.bind_parameter(frame, parameter, argument)
        for parameter, argument in zip(function.parameters, call.arguments, strict=True)
    ]
    outer = (frame.scopes, frame.loops, frame.return_label, frame.return_register, frame.return_type)
    inlining, in_memory = frame.inlining, frame.in_memory
    result = frame.temporary(type_) if isinstance(type_, IntType) else None
    frame.inlining = (*inlining, function.name)
    frame.in_memory = names_in_memory(function.body)
    frame.return_label = after = frame.builder.label()
    frame.return_register = result.name if result else None
    frame.return_type = type_
    frame.loops = []
    frame.scopes = [enter_parameters(frame, function, operands)]
    lower_block(frame, function.body)
    frame.builder.place(after)
    frame.scopes, frame.loops, frame.return_label, frame.return_register, frame.return_type = outer
    frame.inlining, frame.in_memory = inlining, in_memory
    return Computed(result) if result else Nothing()


def lower_body(frame: Frame, function: tree.Function, operands: list[Operand]) -> ir.Body:
    """The graph of a kernel or of main."""
    frame.inlining = (function.name,)
    frame.in_memory = names_in_memory(function.body)
    frame.scopes = [enter_parameters(frame, function, operands)]
    lower_block(frame, function.body)
    end = function.body.span
    from scopec.source import Span

    frame.builder.end(Span(end.file, end.end_line, max(1, end.end_column - 1), end.end_line, end.end_column))
    return frame.finish()


def assigned_names(block: tree.Block) -> set[str]:
    """Names that a body assigns to, steps, or passes by reference."""
    found: set[str] = set()
    for node in walk(block):
        match node:
            case tree.Assign(target=tree.Name(name=name)) | tree.Step(target=tree.Name(name=name)):
                found.add(name)
            case tree.Call(function=tree.Member(name=member), arguments=(tree.Name(name=name), *_)) if (
                member.startswith("compare_exchange")
            ):
                found.add(name)
            case tree.Call(function=tree.Name(), arguments=arguments):  # its parameter may be a reference
                found.update(a.name for a in arguments if isinstance(a, tree.Name))
            case _:
                pass
    return found


def names_in_memory(block: tree.Block) -> frozenset[str]:
    """Names of locals that need an address: an atomic_ref refers to them, or `&` is applied."""
    found: set[str] = set()
    for node in walk(block):
        match node:
            case tree.Construct(type=tree.TypeName(name=name), arguments=(tree.Name(name=local), *_)) if (
                names.unqualified(name) == "atomic_ref"
            ):
                found.add(local)
            case tree.Declaration(type=tree.TypeName(name=name), declarators=declarators) if (
                names.unqualified(name) == "atomic_ref"
            ):
                found.update(
                    a.name for d in declarators if d.init for a in d.init.arguments if isinstance(a, tree.Name)
                )
            case tree.Unary(op="&", operand=tree.Name(name=local)):
                found.add(local)
            case _:
                pass
    return frozenset(found)


def walk(node: object) -> list[object]:
    """Every dataclass node below (and with) a syntax tree, in order."""
    out: list[object] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, tuple):
            stack.extend(reversed(current))
        elif hasattr(current, "__dataclass_fields__"):
            out.append(current)
            stack.extend(getattr(current, field) for field in reversed(list(current.__dataclass_fields__)))
    return out
