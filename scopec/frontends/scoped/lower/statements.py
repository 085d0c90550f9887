"""Lowering of statements."""

from __future__ import annotations

from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.lower import expressions
from scopec.frontends.scoped.lower import locals as local_
from scopec.frontends.scoped.lower.context import Frame, Loop
from scopec.frontends.scoped.lower.operands import Operand
from scopec.frontends.scoped.syntax import tree
from scopec.frontends.scoped.syntax.walk import walk
from scopec.program import ir, values


def lower_body(frame: Frame, function: tree.Function, parameters: dict[str, Operand]) -> ir.Body:
    """The graph of a kernel, or of main."""
    frame.scopes = [parameters]
    _block(frame, function.body)
    end = function.body.span
    frame.builder.end(Span(end.file, end.end_line, max(1, end.end_column - 1), end.end_line, end.end_column))
    return frame.finish()


def assigned(function: tree.Function) -> frozenset[str]:
    """The names that a function assigns to, steps, or has a compare-exchange change."""
    found: set[str] = set()
    for node in walk(function.body):
        match node:
            case tree.Assign(target=tree.Name(name=name)) | tree.Step(target=tree.Name(name=name)):
                found.add(name)
            case tree.Call(function=tree.Member(name=member), arguments=(tree.Name(name=name), *_)) if (
                member.startswith("compare_exchange")
            ):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def _statement(frame: Frame, statement: tree.Statement) -> None:
    match statement:
        case tree.Block():
            _block(frame, statement)
        case tree.Declaration():
            local_.declare(frame, statement)
        case tree.ExprStatement(_, expr):
            expressions.discard(frame, expr)
        case tree.If():
            _if(frame, statement)
        case tree.While(_, condition, body):
            _loop(frame, condition, body, ())
        case tree.DoWhile(_, body, condition):
            _do_while(frame, body, condition)
        case tree.For():
            _for(frame, statement)
        case tree.Return(span, value):
            if value is not None:  # main's status, which nobody looks at
                expressions.lower_value(frame, value)
            frame.leave(0, span)
            frame.builder.end(span)
        case tree.Break(span):
            loop = _innermost(frame, "break", span)
            frame.leave(loop.depth, span)
            frame.builder.jump(loop.after)
        case tree.Continue(span):
            loop = _innermost(frame, "continue", span)
            frame.leave(loop.depth, span)
            frame.builder.jump(loop.again)
        case _:
            assert_never(statement)


def _block(frame: Frame, block: tree.Block) -> None:
    with frame.block(block.span):
        for statement in block.statements:
            _statement(frame, statement)


def _scoped(frame: Frame, statement: tree.Statement) -> None:
    with frame.block(statement.span):
        _statement(frame, statement)


def _innermost(frame: Frame, word: str, span: Span) -> Loop:
    if not frame.loops:
        raise error(Code.SYNTAX, f"`{word}` outside a loop", span)
    return frame.loops[-1]


# ---------------------------------------------------------------- branches and loops


def _if(frame: Frame, statement: tree.If) -> None:
    builder = frame.builder
    value = expressions.lower_condition(frame, statement.condition)
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


def _loop(frame: Frame, condition: tree.Expr, body: tree.Statement, steps: tuple[tree.Expr, ...]) -> None:
    builder = frame.builder
    start, inside, again, after = (builder.label() for _ in range(4))
    builder.place(start)
    with frame.nested():
        builder.split(expressions.lower_condition(frame, condition), condition.span, inside, after)
        builder.place(inside)
        _body(frame, body, Loop(after, again, len(frame.living)))
        builder.place(again)
        for step in steps:
            expressions.discard(frame, step)
        builder.jump(start)
        builder.place(after)


def _do_while(frame: Frame, body: tree.Statement, condition: tree.Expr) -> None:
    builder = frame.builder
    start, check, after = (builder.label() for _ in range(3))
    builder.place(start)
    with frame.nested():
        _body(frame, body, Loop(after, check, len(frame.living)))
        builder.place(check)
        builder.split(expressions.lower_condition(frame, condition), condition.span, start, after)
        builder.place(after)


def _for(frame: Frame, statement: tree.For) -> None:
    with frame.block(statement.span):
        if isinstance(statement.init, tree.Declaration):
            local_.declare(frame, statement.init)
        else:
            for expr in statement.init:
                expressions.discard(frame, expr)
        condition = statement.condition or tree.Bool(statement.span, True)
        _loop(frame, condition, statement.body, statement.steps)


def _body(frame: Frame, body: tree.Statement, loop: Loop) -> None:
    frame.loops.append(loop)
    _scoped(frame, body)
    frame.loops.pop()
