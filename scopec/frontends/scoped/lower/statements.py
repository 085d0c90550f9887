"""Lowering of statements."""

from __future__ import annotations

from typing import assert_never

from scopec.base.diagnostics import Code, error
from scopec.base.source import Span
from scopec.frontends.scoped.lower import classes, expressions, lvalues, resolve
from scopec.frontends.scoped.lower import locals as local_
from scopec.frontends.scoped.lower.context import Frame, Loop, outside
from scopec.frontends.scoped.lower.cpp_types import (
    AutoType,
    FloatType,
    PointerType,
    ReferenceType,
    StructType,
    VoidType,
)
from scopec.frontends.scoped.lower.operands import Array, Computed, Elements, Known, TypeNamed
from scopec.frontends.scoped.lower.scan import needs_unrolling, walk
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import INT, IntType

#: How often a loop goes round that is unrolled while the program is lowered.
_MOST_TURNS = 64


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
        case tree.RangeFor():
            _range_for(frame, statement)
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
        case tree.UsingNamespace() | tree.UsingName():
            use(frame, statement)
        case tree.StaticAssert():
            classes.check_static_assert(frame, statement)
        case _:
            assert_never(statement)


def use(frame: Frame, statement: tree.UsingNamespace | tree.UsingName) -> None:
    """``using namespace n;`` or ``using n::name;``; names of the libraries are known without it."""
    path, _, short = statement.name.rpartition("::")
    if isinstance(statement, tree.UsingNamespace):
        for space in frame.space.outward():
            found = space.descend(statement.name.split("::"))
            if found is not None:
                if not found.library:
                    frame.space.used.append(found)
                return
        raise error(Code.UNKNOWN_NAME, f"there is no namespace `{statement.name}`", statement.span)
    found_name = frame.space.find(statement.name)
    if found_name is not None and path:
        frame.declare(short, found_name, statement.span)


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
        if needs_unrolling(statement.body) and _unrolled(frame, statement):
            return
        if isinstance(statement.init, tree.Declaration):
            lower_statement(frame, statement.init)
        else:
            for expr in statement.init:
                expressions.discard(frame, expr)
        condition = statement.condition or tree.Bool(statement.span, True)
        _loop(frame, condition, statement.body, statement.steps)


def _unrolled(frame: Frame, statement: tree.For) -> bool:
    """A counted loop around launches and the like, lowered turn by turn; False if its count is not known."""
    init, condition = statement.init, statement.condition
    if not isinstance(init, tree.Declaration) or condition is None or len(init.declarators) != 1:
        return False
    (declarator,) = init.declarators
    type_ = resolve.resolve(frame, init.type)
    if declarator.init is None or len(declarator.init.arguments) != 1:
        return False
    first = expressions.peek(frame, declarator.init.arguments[0])
    if isinstance(type_, AutoType) and isinstance(first, Computed):
        type_ = first.value.type
    if not isinstance(type_, IntType) or not (isinstance(first, Computed) and isinstance(first.value, values.Const)):
        return False
    counter = Known(values.convert(first.value, type_))
    frame.bind(declarator.name, counter, declarator.span)
    for _ in range(_MOST_TURNS + 1):
        value = expressions.lower_condition(frame, condition)
        if not isinstance(value, values.Const):
            raise outside("a launch or API call in a loop of unknown length is", condition.span)
        if not value.value:
            return True
        after, again = frame.builder.label(), frame.builder.label()
        frame.loops.append(Loop(after, again, len(frame.scopes)))
        if any(isinstance(node, tree.Break) for node in walk(statement.body)):
            raise outside("a break out of a loop of launches or API calls is", statement.span)
        _scoped(frame, statement.body)
        frame.loops.pop()
        frame.builder.place(again)
        frame.builder.place(after)
        for step in statement.steps:
            expressions.discard(frame, step)
    raise error(Code.TOO_LARGE, f"a loop of launches goes round more than {_MOST_TURNS} times", statement.span)


def _range_for(frame: Frame, statement: tree.RangeFor) -> None:
    """One turn an element of an array, lowered turn by turn."""
    range_ = lvalues.settle(expressions.lower_operand(frame, statement.range), statement.range.span)
    type_ = resolve.resolve(frame, statement.type)
    if isinstance(range_, Array):
        items = [
            lvalues.element(frame, range_, values.Const(number, INT), statement.range.span)
            for number in range(range_.length)
        ]
    elif isinstance(range_, Elements):
        items = list(range_.items)
    else:
        raise error(Code.TYPE_ERROR, "an array is wanted here", statement.range.span)
    after = frame.builder.label()
    for item in items:
        again = frame.builder.label()
        frame.loops.append(Loop(after, again, len(frame.scopes)))
        with frame.block():
            if isinstance(type_, ReferenceType) or isinstance(range_, Elements):
                frame.bind(statement.name, item, statement.span)
            else:
                written = tree.Declarator(statement.span, statement.name)
                local_.declare_value(frame, type_, statement.type, written, item, statement.range.span)
            lower_statement(frame, statement.body)
        frame.loops.pop()
        frame.builder.place(again)
    frame.builder.place(after)


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
        _returned(frame, statement.value, statement.span)
    elif called.result is not None:
        raise error(Code.TYPE_ERROR, "this function must return a value", statement.span)
    frame.leave(called.depth)
    if called.after is None:
        frame.builder.end(statement.span)
    else:
        frame.builder.jump(called.after)


def _returned(frame: Frame, expr: tree.Expr, span: Span) -> None:
    """The value of a `return`: stored where the caller looks for it, or remembered as it is."""
    from scopec.frontends.scoped.lower import functions, initial

    called = frame.call
    type_ = called.type
    if isinstance(type_, VoidType):
        expressions.discard(frame, expr)
        return
    if called.after is None:  # main, whose status nobody looks at
        lvalues.to_value(frame, expressions.lower_operand(frame, expr), expr.span)
        return
    operand = functions.initial_operand(frame, type_, expr)
    if called.result is not None:
        if isinstance(type_, StructType):
            initial.copy(frame, called.result, operand, type_, span)
        else:
            lvalues.assign(frame, called.result, operand, span)
        return
    match type_:
        case IntType():
            called.returned = Computed(values.cast(lvalues.to_value(frame, operand, expr.span), type_))
        case ReferenceType(target, volatile):
            called.returned = functions.reference(frame, operand, target, volatile=volatile, span=expr.span)
        case PointerType():
            from scopec.frontends.scoped.lower import pointers

            called.returned = pointers.checked(frame, operand, type_, expr.span)
        case AutoType() | FloatType():
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
