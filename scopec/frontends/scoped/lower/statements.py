"""Lowering of statements."""

from __future__ import annotations

from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.lower import expressions, lvalues, resolve
from scopec.frontends.scoped.lower import locals as local_
from scopec.frontends.scoped.lower.context import Frame, Loop, outside
from scopec.frontends.scoped.lower.cpp_types import (
    AutoType,
    PointerType,
    ReferenceType,
    VoidType,
)
from scopec.frontends.scoped.lower.operands import Computed, TypeNamed
from scopec.frontends.scoped.lower.scan import launches_or_calls_the_api, walk
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType

#: How often a loop goes round that is unrolled while the program is lowered.


def lower_statement(frame: Frame, statement: tree.Statement) -> None:
    """Append a statement to the frame's graph."""
    match statement:
        case tree.Block():
            lower_block(frame, statement)
        case tree.Declaration():
            local_.declare(frame, statement)
        case tree.ExprStatement(_, expr):
            expressions.discard(frame, expr)
        case tree.If():
            with frame.block():
                _if(frame, statement)
        case tree.While(_, condition, body):
            _loop(frame, condition, body, ())
        case tree.DoWhile(_, body, condition):
            _do_while(frame, body, condition)
        case tree.For():
            _for(frame, statement)
        case tree.Switch():
            with frame.block():
                _switch(frame, statement)
        case tree.Case(span, _):
            raise error(Code.SYNTAX, "`case` and `default` belong into the body of a switch", span)
        case tree.Return():
            _return(frame, statement)
        case tree.Break(span):
            _jump(frame, "break", span)
        case tree.Continue(span):
            _jump(frame, "continue", span)
        case tree.Alias(span, name, type_, sizes):
            meant = resolve.sized(frame, resolve.named(frame, type_), sizes, None, span)
            if name:
                frame.bind(name, TypeNamed(meant), span)
        case _:
            assert_never(statement)


def lower_block(frame: Frame, block: tree.Block) -> None:
    """Append the statements of a block, in a scope of their own."""
    with frame.block():
        for statement in block.statements:
            lower_statement(frame, statement)


def _scoped(frame: Frame, statement: tree.Statement) -> None:
    with frame.block():
        lower_statement(frame, statement)


def condition_of(frame: Frame, condition: tree.Condition) -> values.Value:
    """The value of a condition; one that declares a variable leaves it in the current scope."""
    if not isinstance(condition, tree.Declaration):
        return expressions.lower_condition(frame, condition)
    local_.declare(frame, condition)
    declared = frame.find(condition.declarators[0].name)
    assert declared is not None
    return expressions.truth(frame, declared, condition.span)


# ---------------------------------------------------------------- branches


def _if(frame: Frame, statement: tree.If) -> None:
    builder = frame.builder
    value = condition_of(frame, statement.condition)
    if isinstance(value, values.Const):  # only one side is part of this variant
        taken = statement.then if value.value else statement.otherwise
        if taken is not None:
            _scoped(frame, taken)
        return
    yes, no, done = (builder.label() for _ in range(3))
    builder.split(value, statement.condition.span, yes, no)
    with frame.nested():
        builder.place(yes)
        _scoped(frame, statement.then)
        builder.jump(done)
        builder.place(no)
        if statement.otherwise is not None:
            _scoped(frame, statement.otherwise)
        builder.place(done)


def _switch(frame: Frame, statement: tree.Switch) -> None:
    """A jump to the first case that is equal; control falls through from one to the next."""
    builder = frame.builder
    if isinstance(statement.value, tree.Declaration):
        local_.declare(frame, statement.value)
        declared = frame.find(statement.value.declarators[0].name)
        assert declared is not None
        chosen = lvalues.to_value(frame, declared, statement.value.span)
    else:
        chosen = expressions.lower_value(frame, statement.value)
    held: values.Value = chosen
    if not isinstance(chosen, values.Const):
        register = frame.temporary(chosen.type)
        frame.emit(ir.Set(register.name, chosen), statement.span)
        held = register
    after = builder.label()
    labels: dict[int, int] = {}
    default = after
    seen: set[int] = set()
    for number, inner in enumerate(statement.body.statements):
        if not isinstance(inner, tree.Case):
            continue
        labels[number] = builder.label()
        if inner.value is None:
            default = labels[number]
            continue
        value = expressions.constant(frame, inner.value, "the value of a case")
        if value in seen:
            raise error(Code.DUPLICATE, f"two cases have the value {value}", inner.span)
        seen.add(value)
        following = builder.label()
        equal = values.binary("==", held, values.Const(value, held.type))
        builder.split(equal, inner.span, labels[number], following)
        builder.place(following)
    builder.jump(default)
    frame.loops.append(Loop(after, None, len(frame.scopes)))
    with frame.nested(), frame.block():
        for number, inner in enumerate(statement.body.statements):
            if number in labels:
                builder.place(labels[number])
            else:
                lower_statement(frame, inner)
    frame.loops.pop()
    builder.place(after)


# ---------------------------------------------------------------- loops


def _loop(frame: Frame, condition: tree.Condition, body: tree.Statement, steps: tuple[tree.Expr, ...]) -> None:
    builder = frame.builder
    start, inside, again, after = (builder.label() for _ in range(4))
    builder.place(start)
    with frame.nested(), frame.block():
        builder.split(condition_of(frame, condition), condition.span, inside, after)
        builder.place(inside)
        _body(frame, body, Loop(after, again, len(frame.scopes)))
        builder.place(again)
        for step in steps:
            expressions.discard(frame, step)
        builder.jump(start)
        builder.place(after)


def _do_while(frame: Frame, body: tree.Statement, condition: tree.Expr) -> None:
    builder = frame.builder
    start, check, after = (builder.label() for _ in range(3))
    if isinstance(condition, (tree.Bool, tree.Int)) and not condition.value and not _jumps(body):
        _scoped(frame, body)  # `do { … } while (0)` is a block
        return
    builder.place(start)
    with frame.nested():
        _body(frame, body, Loop(after, check, len(frame.scopes)))
        builder.place(check)
        builder.split(expressions.lower_condition(frame, condition), condition.span, start, after)
        builder.place(after)


def _jumps(body: tree.Statement) -> bool:
    return any(isinstance(node, (tree.Break, tree.Continue)) for node in walk(body))


def _for(frame: Frame, statement: tree.For) -> None:
    with frame.block():
        if launches_or_calls_the_api(statement.body):
            raise outside("a loop around launches and calls of the API is", statement.span)
        if isinstance(statement.init, tree.Declaration):
            lower_statement(frame, statement.init)
        else:
            for expr in statement.init:
                expressions.discard(frame, expr)
        condition = statement.condition or tree.Bool(statement.span, True)
        _loop(frame, condition, statement.body, statement.steps)


def _body(frame: Frame, body: tree.Statement, loop: Loop) -> None:
    frame.loops.append(loop)
    _scoped(frame, body)
    frame.loops.pop()


# ---------------------------------------------------------------- jumps


def _jump(frame: Frame, word: str, span: Span) -> None:
    loop = next((one for one in reversed(frame.loops) if word == "break" or one.again is not None), None)
    if loop is None:
        raise error(Code.SYNTAX, f"`{word}` outside a loop", span)
    frame.leave(loop.depth)
    target = loop.after if word == "break" else loop.again
    assert target is not None
    frame.builder.jump(target)


def _return(frame: Frame, statement: tree.Return) -> None:
    called = frame.call
    if statement.value is not None:
        _returned(frame, statement.value)
    frame.leave(called.depth)
    if called.after is None:
        frame.builder.end(statement.span)
    else:
        frame.builder.jump(called.after)


def _returned(frame: Frame, expr: tree.Expr) -> None:
    """The value of a `return`: stored where the caller looks for it, or remembered as it is."""
    from scopec.frontends.scoped.lower import functions

    called = frame.call
    type_ = called.type
    if isinstance(type_, VoidType):
        expressions.discard(frame, expr)
        return
    if called.after is None:  # main, whose status nobody looks at
        lvalues.to_value(frame, expressions.lower_operand(frame, expr), expr.span)
        return
    operand = expressions.lower_operand(frame, expr)
    match type_:
        case IntType():
            called.returned = Computed(values.cast(lvalues.to_value(frame, operand, expr.span), type_))
        case ReferenceType(target, volatile):
            called.returned = functions.reference(frame, operand, target, volatile=volatile, span=expr.span)
        case PointerType():
            from scopec.frontends.scoped.lower import pointers

            called.returned = pointers.checked(operand, type_, expr.span)
        case AutoType():
            called.returned = functions.by_value(frame, operand, expr.span)
        case _:
            called.returned = operand
    _hold(frame, expr.span)


def _hold(frame: Frame, span: Span) -> None:
    """Keep the value returned from what destructors and the caller do to the registers that it is computed from."""
    operand = frame.call.returned
    if isinstance(operand, Computed) and not isinstance(operand.value, values.Const):
        held = frame.temporary(operand.value.type)
        frame.emit(ir.Set(held.name, operand.value), span)
        frame.call.returned = Computed(held, operand.pointee)
