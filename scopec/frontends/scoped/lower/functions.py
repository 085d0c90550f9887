"""The file's own functions: which one a call means, and its body in place of the call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.scoped.lower import (
    conversions,
    deduction,
    expressions,
    initial,
    lvalues,
    objects,
    pointers,
    resolve,
    statements,
)
from scopec.frontends.scoped.lower.context import Block, Call, outside
from scopec.frontends.scoped.lower.cpp_types import (
    ArrayType,
    AtomicType,
    AutoType,
    EnumType,
    FloatType,
    HandleType,
    PointerType,
    ReferenceType,
    StructType,
    SyncType,
    Type,
    VoidType,
    shown,
)
from scopec.frontends.scoped.lower.operands import (
    Array,
    Atomic,
    Closure,
    Computed,
    Enumerator,
    Fields,
    Function,
    Nothing,
    Operand,
    Overload,
    Pointer,
    PointerVariable,
    Register,
    Structure,
    Text,
    Variable,
    describe,
)
from scopec.frontends.scoped.lower.scan import assigned_names, names_in_memory, reassigned_names
from scopec.frontends.scoped.syntax import tree
from scopec.program import ir, values
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.frontends.scoped.lower.context import Frame
    from scopec.frontends.scoped.lower.lookup import Space


# ---------------------------------------------------------------- which function


def choose(
    frame: Frame, name: str, overloads: tuple[Overload, ...], given: tuple[tree.Expr, ...], span: Span
) -> Overload:
    """The overload that a call with these arguments means.

    Those that take as many arguments are told apart by how well the arguments' types fit; InputError if none or
    several do.
    """
    visible = tuple(seen for o in overloads if (seen := visible_here(frame, o)) is not None)
    if not visible:
        where = "a host" if frame.host else "a device"
        raise error(Code.TYPE_ERROR, f"`{name}` is not {where} function", span)
    fitting = [o for o in visible if _least(o.definition) <= len(given) <= len(o.definition.parameters)]
    if not fitting:
        wanted = sorted({len(o.definition.parameters) for o in visible})
        listed = " or ".join(map(str, wanted))
        message = f"`{name}` has {listed} parameters, {len(given)} arguments given"
        raise error(Code.BAD_ARGUMENTS, message, span)
    if len(fitting) == 1:
        return fitting[0]
    operands = [expressions.peek(frame, e) for e in given]
    scores = [(deduction.fit(frame, o, operands), number) for number, o in enumerate(fitting)]
    possible = [(score, number) for score, number in scores if score is not None]
    if not possible:
        raise error(Code.BAD_ARGUMENTS, f"no function `{name}` takes these arguments", span)
    best = max(score for score, _ in possible)
    chosen = [number for score, number in possible if score == best]
    if len(chosen) > 1:
        raise error(Code.BAD_ARGUMENTS, f"several functions `{name}` take these arguments", span)
    return fitting[chosen[0]]


def _least(function: tree.Function) -> int:
    return sum(p.default is None for p in function.parameters)


def visible_here(frame: Frame, overload: Overload) -> Overload | None:
    """The function as this code's compiler sees it; None if it can only be called on the other side."""
    definition = overload.definition
    if frame.host and overload.on_host is not None:
        definition = overload.on_host
    specifiers = set(definition.type.specifiers)
    device = "__device__" in specifiers
    host = "__host__" in specifiers or not device
    either = bool(specifiers & {"constexpr", "consteval"})
    here = frame.constant or (host if frame.host else device)
    allowed = either or here or "__global__" in specifiers
    return replace(overload, definition=definition) if allowed else None


# ---------------------------------------------------------------- calls


def call(
    frame: Frame,
    overload: Overload,
    this: Operand | None,
    given: tuple[tree.Expr, ...],
    span: Span,
    explicit: tuple[tree.TypeName | tree.Expr, ...] = (),
) -> Operand:
    """Lower a call of one of the file's functions by lowering its body in place; returns the result."""
    with expanding(frame, overload, this, given, span, explicit):
        return lower_function_body(frame, overload.definition)


@contextmanager
def expanding(
    frame: Frame,
    overload: Overload,
    this: Operand | None,
    given: tuple[tree.Expr, ...],
    span: Span,
    explicit: tuple[tree.TypeName | tree.Expr, ...] = (),
) -> Iterator[None]:
    """Inside, the frame is that of the function, its parameters bound to the arguments."""
    function = overload.definition
    if "__global__" in function.type.specifiers:
        message = f"a kernel is launched, not called: {function.name}<<<…>>>(…)"
        raise error(Code.BAD_LAUNCH, message, span)
    identity = f"{overload.space.qualified(function.name)}@{function.span}"
    if frame.calls.count(identity) > 0:
        raise outside(f"`{function.name}` is recursive: recursion is", span)
    space = overload.space
    if function.template is not None:
        space = deduction.instance_space(frame, overload, given, explicit, span)
    inside = replace(frame.call, space=space)
    written = [*given, *(p.default for p in function.parameters[len(given) :] if p.default is not None)]
    operands: list[Operand] = []
    outer = frame.call
    for number, (parameter, argument) in enumerate(zip(function.parameters, written, strict=True)):
        type_ = _in(frame, inside, parameter.type)
        if number >= len(given):
            frame.call = inside
        operand = initial_operand(frame, type_, argument)
        frame.call = outer
        operands.append(bind_parameter(frame, parameter, type_, operand, argument.span))
    saved = (frame.call, frame.loops, frame.calls)
    frame.calls = (*frame.calls, identity)
    frame.loops = []
    frame.call = _call_of(function, space, this, len(frame.scopes), _in(frame, inside, function.type))
    frame.call.after = frame.builder.label()
    frame.scopes.append(Block(enter_parameters(frame, function, operands)))
    try:
        yield
    finally:
        frame.scopes.pop()
        frame.call, frame.loops, frame.calls = saved


def _in(frame: Frame, call_: Call, type_: tree.TypeName) -> Type:
    """A type as the called function sees it (a constructor has none)."""
    if not type_.name and type_.defined is None and type_.of is None:
        return VoidType()
    outer, depth = frame.call, len(frame.scopes)
    frame.call = replace(call_, depth=depth)
    try:
        return resolve.resolve(frame, type_)
    finally:
        frame.call = outer


def _call_of(function: tree.Function, space: Space, this: Operand | None, depth: int, type_: Type) -> Call:
    return Call(
        function.name,
        type_,
        space,
        this,
        depth,
        body=function.body,
        assigned=frozenset(assigned_names(function.body)),
        in_memory=names_in_memory(function.body),
        reassigned=reassigned_names(function.body),
    )


def lower_function_body(frame: Frame, function: tree.Function) -> Operand:
    """The body of the function that the frame has entered, and the label behind it; returns the result."""
    called = frame.call
    assert called.after is not None
    called.result = _result_place(frame, called.type, function)
    statements.lower_block(frame, function.body)
    frame.clean(frame.scopes[-1])
    frame.builder.place(called.after)
    if isinstance(called.type, VoidType):
        return Nothing()
    if called.result is not None:
        return called.result
    if called.returned is None:
        raise error(Code.TYPE_ERROR, f"`{function.name}` returns no value", function.span)
    return called.returned


def _result_place(frame: Frame, type_: Type, function: tree.Function) -> Operand | None:
    """Where a function puts its result: None for what is returned as it is, at the function's only `return`."""
    match type_:
        case IntType():
            if _only_return(function) is not None:
                return None
            return Register(frame.temporary(type_).name, type_)
        case PointerType():
            if _only_return(function) is not None:
                return None
            from scopec.frontends.scoped.lower.cpp_types import ADDRESS

            return Register(frame.temporary(ADDRESS).name, ADDRESS, False, type_)
        case StructType():
            if _only_return(function) is not None:
                return None
            return initial.apart(frame, frame.fresh(f"%{function.name}"), type_, function.span)
        case VoidType() | ReferenceType() | AutoType() | FloatType() | HandleType() | EnumType():
            return None
        case _:
            raise outside(f"a function that returns {shown(type_)} is", function.span)


def _only_return(function: tree.Function) -> tree.Return | None:
    """The ``return`` at the end of a function that has no other."""
    from scopec.frontends.scoped.lower.scan import walk

    found = [node for node in walk(function.body) if isinstance(node, tree.Return)]
    inside = [r for node in walk(function.body) if isinstance(node, tree.Lambda) for r in walk(node.body)]
    found = [r for r in found if r not in inside]
    last = function.body.statements[-1] if function.body.statements else None
    return found[0] if len(found) == 1 and found[0] is last else None


# ---------------------------------------------------------------- parameters


def initial_operand(frame: Frame, type_: Type, argument: tree.Expr) -> Operand:
    """What an argument denotes; a list stands for an object of the parameter's class."""
    if isinstance(argument, tree.List):
        if isinstance(type_, StructType):
            return initial.temporary(frame, type_, initial.from_expr(argument), argument.span)
        if len(argument.elements) == 1:
            return expressions.lower_operand(frame, argument.elements[0])
        if not argument.elements and isinstance(type_, IntType):
            return Computed(values.Const(0, type_))
    return expressions.lower_operand(frame, argument)


def bind_parameter(frame: Frame, parameter: tree.Parameter, type_: Type, operand: Operand, span: Span) -> Operand:
    """What a parameter means, given its argument."""
    match type_:
        case AutoType():
            return operand if parameter.type.reference else by_value(frame, operand, span)
        case AtomicType(value=element, scope=scope, ref=True):
            return conversions.atomic_ref(operand, element, scope, span)
        case PointerType():
            bound = pointers.checked(frame, operand, type_, span)
            return bound if isinstance(bound, (Pointer, Function, Text)) else pointers.as_value(frame, bound, span)
        case ReferenceType(target, volatile):
            return reference(frame, operand, target, volatile=volatile, span=span)
        case IntType():
            return Computed(values.cast(lvalues.to_value(frame, operand, span), type_))
        case StructType():
            if lvalues.type_of(operand) is not type_:
                message = f"an object of class {type_.name} is wanted here, not {describe(operand)}"
                raise error(Code.TYPE_ERROR, message, span)
            made = initial.apart(frame, frame.fresh(f"%{parameter.name or 'argument'}"), type_, span)
            initial.copy(frame, made, operand, type_, span)
            return made
        case FloatType():
            return lvalues.forget(frame, operand, span)
        case EnumType() | HandleType():
            return operand
        case _:
            raise outside("a parameter of this type is", parameter.span)


def by_value(frame: Frame, operand: Operand, span: Span) -> Operand:
    """A copy of what an operand denotes, as ``auto`` makes it."""
    operand = lvalues.settle(operand, span)
    match operand:
        case _ if lvalues.is_float(operand):
            return lvalues.forget(frame, operand, span)
        case Variable(pointee=None) | Register(pointee=None) | Atomic(pointee=None):
            return Computed(lvalues.to_value(frame, operand, span))
        case Variable() | Register() | Atomic():
            return pointers.as_value(frame, operand, span)
        case Array():
            return Pointer(operand)
        case Structure(type=type_) | Fields(type=type_):
            made = initial.apart(frame, frame.fresh(f"%{type_.definition.name}"), type_, span)
            initial.copy(frame, made, operand, type_, span)
            return made
        case _:
            return operand


def kept(frame: Frame, name: str, operand: Operand, span: Span) -> Operand:
    """What a reference to an operand refers to: of a value, a temporary that has it now and for ever.

    The registers that a value is computed from may change before it is read.
    """
    match operand:
        case Computed(value, pointee) if not isinstance(value, values.Const):
            register = frame.register(f"%{name}", value.type)
            frame.emit(ir.Set(register, value), span)
            return Computed(values.Reg(register, value.type), pointee)
        case _:
            return operand


def reference(frame: Frame, operand: Operand, target: Type, *, volatile: bool, span: Span) -> Operand:
    """What a reference refers to, checked against its declared type; one to a constant may refer to a value."""
    match operand, target:
        case (_, AutoType()):
            return operand
        case (Computed(value, pointee), IntType()) if pointee is None:
            return Computed(values.cast(value, target))
        case (Computed() | Pointer() | PointerVariable(), PointerType()):
            return operand
        case (Atomic(), IntType()):
            return Computed(values.cast(lvalues.to_value(frame, operand, span), target))
        case (Enumerator(), EnumType()) | (_, HandleType()) | (_, SyncType()):
            return operand
        case (Atomic(_, _, _), AtomicType(value=element, scope=scope, ref=True)):
            return conversions.atomic_ref(operand, element, scope, span)
        case (Array(_, _, element, length, _), ArrayType(wanted, extent)) if element == wanted and length == extent:
            return operand
        case _:
            return lvalues.seen_as(operand, target, volatile=volatile, span=span)


def enter_parameters(frame: Frame, function: tree.Function, operands: list[Operand]) -> dict[str, Operand]:
    """The scope of a function's parameters.

    A parameter that the body assigns to becomes a register of its own; others keep their (constant) value.
    """
    scope: dict[str, Operand] = {}
    assigned, in_memory = frame.call.assigned, frame.call.in_memory
    for parameter, operand in zip(function.parameters, operands, strict=True):
        if parameter.name in scope:
            raise error(Code.DUPLICATE, f"two parameters are called `{parameter.name}`", parameter.span)
        if parameter.name:
            scope[parameter.name] = _entered(frame, parameter, operand, assigned, in_memory)
    return scope


def _entered(
    frame: Frame, parameter: tree.Parameter, operand: Operand, assigned: frozenset[str], in_memory: frozenset[str]
) -> Operand:
    name, span = parameter.name, parameter.span
    if parameter.type.reference:
        return kept(frame, name, operand, span)
    match operand:
        case Computed(value, None) if name in in_memory:
            made = objects.declare(
                frame, f"{frame.prefix}.{name}", value.type, initial.local_storage(frame), span, zero=False
            )
            lvalues.assign(frame, made, operand, span)
            return made
        case Computed(value, None) if name in assigned or not isinstance(value, values.Const):
            register = frame.register(name, value.type)
            frame.emit(ir.Set(register, value), span)
            return Register(register, value.type)
        case Computed(value, pointee):
            return _pointer_register(frame, name, value, pointee, span) if pointee is not None else operand
        case Pointer() if name in frame.call.reassigned:
            address = pointers.as_value(frame, operand, span)
            return _pointer_register(frame, name, address.value, address.pointee, span)
        case Pointer():
            have = lvalues.type_of(operand)
            known = have if isinstance(have, PointerType) else PointerType(VoidType())
            return PointerVariable(name, known, operand) if name in assigned else operand
        case _:
            return operand


def _pointer_register(frame: Frame, name: str, value: values.Value, pointee: PointerType | None, span: Span) -> Operand:
    from scopec.frontends.scoped.lower.cpp_types import ADDRESS

    register = frame.register(name, ADDRESS)
    frame.emit(ir.Set(register, value), span)
    return Register(register, ADDRESS, False, pointee)


# ---------------------------------------------------------------- lambdas, and whole bodies


def call_closure(frame: Frame, closure: Closure, given: tuple[tree.Expr, ...], span: Span) -> Operand:
    """Lower a call of a lambda in place."""
    definition = closure.definition
    if len(given) != len(definition.parameters):
        message = f"this lambda has {len(definition.parameters)} parameters, {len(given)} arguments given"
        raise error(Code.BAD_ARGUMENTS, message, span)
    function = function_of(closure)
    operands = [
        bind_parameter(frame, p, resolve.resolve(frame, p.type), expressions.lower_operand(frame, a), a.span)
        for p, a in zip(definition.parameters, given, strict=True)
    ]
    saved = (frame.call, frame.loops)
    type_ = AutoType() if _only_return(function) is not None else VoidType()
    depth = len(frame.scopes)
    frame.loops = []
    frame.call = _call_of(function, frame.space, closure.this, depth, type_)
    frame.call.after = frame.builder.label()
    frame.scopes += [Block(dict(names)) for names in closure.scopes]
    frame.scopes.append(Block(enter_parameters(frame, function, operands)))
    result = lower_function_body(frame, function)
    del frame.scopes[depth:]
    frame.call, frame.loops = saved
    return result


def function_of(closure: Closure) -> tree.Function:
    """A lambda as a function."""
    written = closure.definition
    type_ = tree.TypeName(written.span, "auto", specifiers=("__host__", "__device__"))
    return tree.Function(written.span, type_, "lambda", written.span, written.parameters, written.body)


def lower_thread_body(
    frame: Frame, function: tree.Function, space: Space, operands: list[Operand], outer: tuple[Block, ...] = ()
) -> ir.Body:
    """The graph of a kernel, of main, or of a host thread's function."""
    from scopec.base.source import Span

    frame.calls = (f"{space.qualified(function.name)}@{function.span}",)
    frame.scopes = list(outer)
    frame.call = _call_of(function, space, frame.call.this, 0, frame.call.type)
    frame.scopes.append(Block(enter_parameters(frame, function, operands)))
    statements.lower_block(frame, function.body)
    frame.clean(frame.scopes[-1])
    end = function.body.span
    frame.builder.end(Span(end.file, end.end_line, max(1, end.end_column - 1), end.end_line, end.end_column))
    return frame.finish()
