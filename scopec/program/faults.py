"""Operations that may be undefined: the condition under which each is defined, and what to say if not.

Each is an implicit assertion in front of the operation, whichever reader the operation comes from.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, assert_never

from scopec.program import ir, values
from scopec.program.effects import place_of
from scopec.program.reasoning import bounds
from scopec.program.types import INT
from scopec.program.values import Binary, Builtin, Choose, Const, Convert, Named, Reg, Unary, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: The operators that have no result for some operands.
PARTIAL = frozenset({"/", "%", "<<", ">>"})


def may_fault(op: str, right: object) -> bool:
    """Whether an operator with a right operand that is this number (or none) has no result for some left operand."""
    return op in PARTIAL and not (isinstance(right, int) and 0 < right < INT.bits)


def of_arithmetic(value: Value, text: str) -> Iterator[ir.Assert]:
    """The assertions that an operation, written as ``text``, has a result; none if it always has.

    Division: "if the value of the second operand is zero, the behavior is undefined" (C11 6.5.5/5), "when integers are
    divided [...] If the quotient a/b is representable" (6.5.5/6, of ``%`` too).  Shifts: "if the value of the right
    operand is negative or is greater than or equal to the width of the promoted left operand, the behavior is
    undefined" (6.5.7/3).  C++ says the same in [expr.mul]/4 and [expr.shift]/1.
    """
    match value:
        case Binary(("/" | "%"), left, right, type_):
            low, high = bounds(right)
            if low <= 0 <= high:
                yield _check(values.binary("!=", right, Const(0, right.type)), f"`{text}` divides by zero")
            least = -(1 << (type_.bits - 1))
            if type_.signed and low <= -1 <= high and bounds(left)[0] == least:
                overflows = values.binary(
                    "&&",
                    values.binary("==", left, Const(least, type_)),
                    values.binary("==", right, Const(-1, type_)),
                )
                yield _check(values.unary("!", overflows), f"`{text}` has a quotient that does not fit {type_.name}")
        case Binary(("<<" | ">>"), _, right, type_):
            low, high = bounds(right)
            inside: Value = values.TRUE
            if low < 0:
                inside = values.binary(">=", right, Const(0, INT))
            if high >= type_.bits:
                inside = values.binary("&&", inside, values.binary("<", right, Const(type_.bits, INT)))
            if inside != values.TRUE:
                yield _check(inside, f"`{text}` shifts by less than 0 or more than {type_.bits - 1}")
        case _:
            pass


def defined(value: Value) -> Value:
    """The condition on which every operation of a value that is evaluated has a result."""

    def of(inner: Value, parts: Sequence[Value]) -> Value:
        match inner:
            case Unary() | Convert() | Named():
                return parts[0]
            case Binary(("&&" | "||") as op, left, _, _):
                skipped = values.unary("!", left) if op == "&&" else left
                return values.binary("&&", parts[0], values.binary("||", skipped, parts[1]))
            case Binary():
                needed = (*parts, *(check.condition for check in of_arithmetic(inner, "")))
                return reduce(lambda one, other: values.binary("&&", one, other), needed)
            case Choose(condition, _, _, _):
                return values.binary("&&", parts[0], values.choose(condition, parts[1], parts[2]))
            case Const() | Reg() | Builtin():
                return values.TRUE
            case _:
                assert_never(inner)

    return values.fold(value, of)


def of_access(operation: ir.Operation, objects: Mapping[str, ir.Object], text: str) -> Iterator[ir.Assert]:
    """The assertions that an operation, written as ``text``, accesses an element that there is.

    "If the result points one past the last element of the array object, it shall not be used as the operand of a unary
    * operator that is evaluated" (C11 6.5.6/8), and beyond that there is no result at all.
    """
    place = place_of(operation)
    if place is not None:
        yield from of_index(place.index, len(objects[place.object].values), text, place.object)


def of_index(index: Value, length: int, text: str, array: str) -> Iterator[ir.Assert]:
    """The assertions that an index into an array of a length, used in ``text``, is one of an element."""
    low, high = bounds(index)
    inside: Value = values.TRUE
    if low < 0:
        inside = values.binary(">=", index, Const(0, INT))
    if high >= length:
        inside = values.binary("&&", inside, values.binary("<", index, Const(length, INT)))
    if inside != values.TRUE:
        has = f"elements 0 to {length - 1}" if length > 1 else "one element"
        yield _check(inside, f"`{text}` {no_element(array)}, which has {has}")


def no_element(array: str) -> str:
    """What an access to an array does with an index of no element."""
    return f"accesses no element of `{array}`"


def of_pointer(valid: Value, text: str) -> ir.Assert:
    """The assertion that a pointer, written as ``text``, holds the address of an object (C11 6.5.3.2/4)."""
    return _check(valid, f"`{text}` points to no object")


def of_lifetime(there: Value, of: str) -> ir.Assert:
    """The assertion that an object, called ``of``, is there when it is accessed.

    "The behavior is undefined if an object is referred to outside of its lifetime" (C11 6.2.4/2); C++ says so in
    [basic.life]/6-7 and [basic.stc]/4.  Of device memory: "The allocation must not be accessed after stream execution
    reaches the free" (CUDA runtime API, cudaFreeAsync).
    """
    return _check(there, f"`{of}` is accessed outside its lifetime")


def of_free(there: Value, how: str, of: str) -> ir.Assert:
    """The assertion that a call frees what is allocated, and not freed already.

    "if [...] the space has been deallocated by a call to free or realloc, the behavior is undefined" (C11 7.22.3.3/2).
    Of ``cudaFree``: "must have been returned by a previous call to one of the memory allocation APIs" (CUDA runtime
    API).
    """
    return _check(there, f"`{how}` frees `{of}`, which is not allocated then")


def of_handle(kind: str, of: str) -> ir.Assert:
    """The assertion that a stream or an event is there when it is used, which it is not.

    "Use of the handle after this call is undefined behavior" (CUDA runtime API, cudaStreamDestroy, cudaEventDestroy).
    """
    return _check(values.FALSE, f"the {kind.lower()} `{of}` is used after cuda{kind}Destroy")


def of_constant(text: str, of: str) -> ir.Assert:
    """The assertion that a kernel does not write ``__constant__`` memory: "a read-only memory initialized by the host"
    (PTX ISA, "Constant State Space").
    """
    return _check(values.FALSE, f"`{text}` writes `{of}`, which is `__constant__`")


def of_count(whole: Value, count: str) -> ir.Assert:
    """The assertion that a barrier is for whole warps: "the thread count [...] must be a multiple of the warp size"
    (PTX ISA, "bar").
    """
    return _check(whole, f"a barrier for {count} threads is not one for whole warps")


def not_allocated(text: str, what: str) -> ir.Assert:
    """The failing assertion for a call, written as ``text``, that frees what no fitting call has allocated: ``what`` it
    is.
    """
    return _check(values.FALSE, f"`{text}` frees {what}")


def without_result(text: str) -> ir.Assert:
    """The failing assertion for an operation of constants, written as ``text``, that has no result."""
    return _check(values.FALSE, f"`{text}` has no result")


def outside(inside: Value, text: str, length: int | None) -> ir.Assert:
    """The failing assertion for an index in ``text`` that is none of its array, whose ``length`` may be known."""
    has = "" if length is None else f", which has elements 0 to {length - 1}"
    return _check(inside, f"`{text}` names no element of its array{has}")


def beyond(text: str, object_: str) -> ir.Assert:
    """The failing assertion for an access, written as ``text``, to no object: it lies behind its end, or before it."""
    return _check(values.FALSE, f"`{text}` accesses what is not in `{object_}`")


def _check(condition: Value, text: str) -> ir.Assert:
    return ir.Assert(condition, text, implicit=True)
