"""Statements of C and C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from scopec.base.diagnostics import Code, error
from scopec.frontends.c.frame import Frame, Loop
from scopec.frontends.c.syntax import tree
from scopec.program import values

if TYPE_CHECKING:
    from scopec.base.source import Span


def lower(frame: Frame[Any], statement: tree.Statement) -> None:
    """Append what a statement does."""
    match statement:
        case tree.Block(span, statements):
            with frame.block(span):
                for each in statements:
                    lower(frame, each)
        case tree.Declaration():
            frame.declare(statement)
        case tree.ExprStatement(_, expr):
            frame.discard(expr)
        case tree.If():
            _if(frame, statement)
        case tree.While(_, condition, body):
            _loop(frame, condition, body, ())
        case tree.DoWhile(_, body, condition):
            _do_while(frame, body, condition)
        case tree.For(span, init, condition, steps, body):
            with frame.block(span):
                if isinstance(init, tree.Declaration):
                    frame.declare(init)
                else:
                    for expr in init:
                        frame.discard(expr)
                _loop(frame, condition or tree.Bool(span, True), body, steps)
        case tree.Return(span, value):
            if value is not None:  # a status that nobody looks at
                frame.value(value)
            frame.returned(span)
        case tree.Break(span):
            frame.builder.jump(_innermost(frame, "break", span).after)
        case tree.Continue(span):
            frame.builder.jump(_innermost(frame, "continue", span).again)
        case tree.Labelled(_, label, inner):
            frame.label = label
            lower(frame, inner)
            frame.label = None
        case _:
            assert_never(statement)


def _scoped(frame: Frame[Any], statement: tree.Statement) -> None:
    with frame.block(statement.span):
        lower(frame, statement)


def _innermost(frame: Frame[Any], word: str, span: Span) -> Loop:
    """The loop that control goes on in or leaves, with the blocks in it."""
    if not frame.loops:
        raise error(Code.SYNTAX, f"`{word}` outside a loop", span, frame.way_out)
    frame.leave(frame.loops[-1].depth, span)
    return frame.loops[-1]


def _if(frame: Frame[Any], statement: tree.If) -> None:
    builder = frame.builder
    value = frame.condition(statement.condition)
    if frame.leaves_out and isinstance(value, values.Const):
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


def _loop(frame: Frame[Any], condition: tree.Expr, body: tree.Statement, steps: tuple[tree.Expr, ...]) -> None:
    builder = frame.builder
    start, inside, again, after = (builder.label() for _ in range(4))
    builder.place(start)
    with frame.nested():
        builder.split(frame.condition(condition), condition.span, inside, after)
        builder.place(inside)
        _body(frame, body, after, again)
        for step in steps:
            frame.discard(step)
        builder.jump(start)
        builder.place(after)


def _do_while(frame: Frame[Any], body: tree.Statement, condition: tree.Expr) -> None:
    builder = frame.builder
    start, again, after = (builder.label() for _ in range(3))
    builder.place(start)
    with frame.nested():
        _body(frame, body, after, again)
        builder.split(frame.condition(condition), condition.span, start, after)
        builder.place(after)


def _body(frame: Frame[Any], body: tree.Statement, after: int, again: int) -> None:
    frame.loops.append(Loop(after, again, len(frame.living)))
    _scoped(frame, body)
    frame.loops.pop()
    frame.builder.place(again)
