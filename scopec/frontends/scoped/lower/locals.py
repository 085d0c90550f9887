"""Local declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.frontends.c.syntax import tree
from scopec.frontends.c.syntax.walk import walk
from scopec.frontends.scoped.lower import lvalues, objects, resolve
from scopec.frontends.scoped.lower.cpp_types import ArrayType, AtomicType, StreamType, Type
from scopec.frontends.scoped.lower.operands import Array, Computed, Operand, Register, Stream
from scopec.frontends.scoped.out_of_subset import out_of_subset
from scopec.program import ir, values
from scopec.program.types import IntType

if TYPE_CHECKING:
    from scopec.frontends.scoped.lower.context import Frame


def declare(frame: Frame, declaration: tree.Declaration) -> None:
    """Declare the names of a declaration in the current block."""
    base = resolve.resolve(frame, declaration.type)
    for declarator in declaration.declarators:
        type_ = resolve.declared(frame, base, declarator)
        for part in walk(declarator.init):  # "immediately after its complete declarator" ([basic.scope.pdecl]/1)
            if isinstance(part, tree.Name) and part.name == declarator.name:
                raise error(Code.UNINITIALISED, f"`{part.name}` is read before it has a value", part.span)
        frame.bind(declarator.name, _local(frame, type_, set(declaration.type.specifiers), declarator), declarator.span)


def _local(frame: Frame, type_: Type, specifiers: set[str], declarator: tree.Declarator) -> Operand:
    """The denotation of a local name: a register, an object in memory, or another name for something."""
    init, name, span = declarator.init, declarator.name, declarator.span
    volatile = "volatile" in specifiers
    match type_:
        case AtomicType(ref=True):
            referred = objects.single(init, span)
            return lvalues.atomic_ref(frame.operand(referred), type_, referred.span, kept=True)
        case IntType() | ArrayType() | AtomicType() if "__shared__" in specifiers:
            if frame.host:
                raise error(Code.TYPE_ERROR, "`__shared__` belongs in kernels", span)
            if init is not None:
                raise error(Code.TYPE_ERROR, "a shared variable cannot have an initial value", init.span)
            path = f"{frame.prefix}.{name}"
            return objects.declare(frame, path, type_, ir.Storage.SHARED, span, volatile=volatile)
        case _ if specifiers - {"volatile", "const", "constexpr"}:
            raise out_of_subset("a local variable of this storage is", span)
        case IntType() if not volatile:
            return _register(frame, type_, declarator, specifiers)
        case IntType() | ArrayType() | AtomicType() if not specifiers & {"const", "constexpr"}:
            storage = ir.Storage.SYSTEM if frame.host else ir.Storage.AUTOMATIC
            path = f"{frame.prefix}.{name}"
            made = objects.declare(frame, path, type_, storage, span, volatile=volatile, zero=False)
            frame.lives(made.object if isinstance(made, Array) else made.place.object, span)
            objects.initialise(frame, made, init)
            return made
        case StreamType():
            if not frame.host:
                raise error(Code.TYPE_ERROR, "streams belong to the host", span)
            if init is not None:
                raise out_of_subset("a stream that is not made with cudaStreamCreate is", init.span)
            return Stream(frame.fresh(name))
        case _:
            raise out_of_subset("a local variable of this type is", span)


def _register(frame: Frame, type_: IntType, declarator: tree.Declarator, specifiers: set[str]) -> Operand:
    init = declarator.init
    value = None
    if init is not None:
        value = frame.value(objects.single(init, init.span)) if init.arguments else values.FALSE
        value = values.convert(value, type_)
    constant = bool(specifiers & {"const", "constexpr"})
    if constant and isinstance(value, values.Const):
        return Computed(value)
    if "constexpr" in specifiers:
        message = f"`{declarator.name}` is constexpr: its value must be a constant"
        raise error(Code.NOT_CONSTANT, message, declarator.span)
    name = frame.register(declarator.name, type_)
    if value is not None:
        frame.emit(ir.Set(name, value), declarator.span)
    if isinstance(value, values.Const) and declarator.name not in frame.assigned:
        return Computed(value)  # never anything else, so as good as a constant
    return Register(name, type_, constant)
