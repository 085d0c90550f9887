"""Threads of the C dialects: the functions of <stdatomic.h> and of OpenCL C, as tables.

An order that a function cannot have (a load that releases) counts as the half of it that it can have.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.base.diagnostics import Code, error, suggestion
from scopec.base.records import dataclass
from scopec.frontends.c.names import FETCH, ORDERS
from scopec.frontends.c.syntax import tree
from scopec.frontends.litmus.lower import c_expressions as expressions
from scopec.frontends.litmus.lower.c_operands import (
    AnyPointer,
    Cell,
    CFrame,
    Followed,
    Local,
    Number,
    Operand,
    PointerOperand,
)
from scopec.frontends.litmus.lower.c_order import Part, accesses, called, in_no_order, sequence_point
from scopec.program import ir, types, values
from scopec.program.ir import Order, Scope
from scopec.program.values import Const, Reg, Value

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.program.types import IntType

#: OpenCL's scopes (language note: work-group → block, device → device, all devices → system).
_SCOPES = {
    "work_item": Scope.THREAD,
    "work_group": Scope.BLOCK,
    "device": Scope.DEVICE,
    "all_svm_devices": Scope.SYSTEM,
    "all_devices": Scope.SYSTEM,
}
_FLAGS = {"CLK_LOCAL_MEM_FENCE": "local", "CLK_GLOBAL_MEM_FENCE": "global", "CLK_IMAGE_MEM_FENCE": "image"}
_LINUX = re.compile(
    r"(READ|WRITE)_ONCE|(smp|rcu|srcu|spin|xchg|cmpxchg|atomic_(add|sub|inc|dec|read|set|cmpxchg|xchg))(_|\b)"
)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call: its arguments before the orders, the orders, and the scope."""

    frame: CFrame
    expr: tree.Call
    arguments: tuple[tree.Expr, ...]
    orders: tuple[Order, ...]
    scope: Scope

    @property
    def span(self) -> Span:
        return self.expr.span

    def mode(self, order: Order | None = None) -> ir.Mode:
        return ir.Mode(order if order is not None else self.orders[0], self.scope)

    def at(self, number: int) -> PointerOperand:
        return expressions.pointer(self.frame, self.arguments[number])

    def value(self, number: int) -> Value:
        return expressions.number(self.frame, self.arguments[number])

    def evaluated(self, *evaluate: Callable[[], Any]) -> list[Any]:
        """The arguments, evaluated in no order; the call comes after them."""
        parts = (Part(f, accesses(self.frame, a)) for a, f in zip(self.arguments, evaluate, strict=True))
        results = in_no_order(self.frame, self.span, *parts)
        sequence_point(self.frame)
        return results

    def atomic(self) -> tuple[Cell | Followed, IntType]:
        """The object that the first argument points to."""
        found = expressions.dereference(self.frame, self.at(0), self.arguments[0].span)
        if isinstance(found, Local):
            message = "an atomic operation on a local variable is outside the modelled subset"
            raise error(Code.TYPE_ERROR, message, self.arguments[0].span, "use a location that is a parameter")
        return found, found.type


_Handler: TypeAlias = Callable[[_Call], Operand]


@dataclass(frozen=True, slots=True)
class _Function:
    """A function: its arguments before the orders, its orders (those with `_explicit`), and its effect."""

    arguments: int
    orders: int
    handler: _Handler


def call(frame: CFrame, expr: tree.Call) -> Operand:
    """Lower a call; InputError for functions and arguments outside the modelled subset."""
    assert isinstance(expr.function, tree.Name)
    name = expr.function.name
    if name in _FENCES:
        return _FENCES[name](frame, expr)
    explicit = name.endswith("_explicit")
    function = _FUNCTIONS.get(name.removesuffix("_explicit"))
    if function is None or (explicit and not function.orders):
        message = f"`{name}` is not a function that scopec models"
        linux = "the Linux kernel's functions are outside the modelled subset: use those of <stdatomic.h>"
        help_ = linux if frame.world.dialect == "C" and _LINUX.match(name) else suggestion(name, _known(frame))
        raise error(Code.UNMODELLED_CALL, message, expr.function.span, help_)
    orders = function.orders if explicit else 0
    arguments, rest = expr.arguments[: function.arguments], expr.arguments[function.arguments :]
    scoped = frame.world.dialect == "OPENCL" and explicit
    if len(expr.arguments) < function.arguments + orders or len(rest) > orders + scoped:
        wanted = function.arguments + orders
        message = f"`{name}` takes {wanted} arguments{' and a scope' if scoped else ''}, {len(expr.arguments)} given"
        unscoped = frame.world.dialect == "C" and bool(rest[orders:]) and _names_scope(rest[orders])
        raise error(
            Code.BAD_ARGUMENTS, message, expr.span, "C has no scopes: begin the file with OPENCL" * unscoped or None
        )
    given = tuple(_order(a) for a in rest[:orders])
    scope = _scope(rest[orders]) if len(rest) > orders else _default_scope(frame)
    return function.handler(_Call(frame, expr, arguments, given or (Order.SEQ_CST, Order.SEQ_CST), scope))


def _known(frame: CFrame) -> list[str]:
    """The functions of the file's dialect."""
    explicit = [f"{name}_explicit" for name, function in _FUNCTIONS.items() if function.orders]
    fences = _FENCES if frame.world.dialect == "OPENCL" else ("atomic_thread_fence", "atomic_signal_fence")
    return [*_FUNCTIONS, *explicit, *fences]


def _default_scope(frame: CFrame) -> Scope:
    """C11 has no scopes; OpenCL C's functions without a scope have device scope (OpenCL C, 6.15.12)."""
    return Scope.SYSTEM if frame.world.dialect == "C" else Scope.DEVICE


def _names_scope(expr: tree.Expr) -> bool:
    return isinstance(expr, tree.Name) and expr.name.startswith("memory_scope_")


def _order(expr: tree.Expr) -> Order:
    name = expr.name if isinstance(expr, tree.Name) else ""
    order = ORDERS.get(name.removeprefix("memory_order_")) if name.startswith("memory_order_") else None
    if order is None:
        swapped = "orders come before the scope" * _names_scope(expr)
        help_ = swapped or suggestion(name, [f"memory_order_{o}" for o in ORDERS]) or "write memory_order_seq_cst"
        raise error(Code.BAD_ARGUMENTS, "a memory order is wanted here", expr.span, help_)
    return order


def _scope(expr: tree.Expr) -> Scope:
    name = expr.name if isinstance(expr, tree.Name) else ""
    if name == "memory_scope_sub_group":
        message = "sub-group scope has no counterpart in CUDA C++"
        raise error(Code.OUTSIDE_SUBSET, message, expr.span, "write memory_scope_work_group")
    scope = _SCOPES.get(name.removeprefix("memory_scope_")) if name.startswith("memory_scope_") else None
    if scope is None:
        meant = suggestion(name.removeprefix("memory_scope_"), _SCOPES)
        known = ", ".join(f"memory_scope_{s}" for s in _SCOPES)
        help_ = meant.replace("`", "`memory_scope_", 1) if meant else f"the scopes are {known}"
        raise error(Code.BAD_ARGUMENTS, "a memory scope is wanted here", expr.span, help_)
    return scope


# ---------------------------------------------------------------- operations


def _load(c: _Call) -> Operand:
    ((found, _),) = c.evaluated(c.atomic)
    return _read(c, found, expressions.load(c.frame, found, c.mode(), c.span))


def _read(c: _Call, found: Cell | Followed, value: Value) -> Operand:
    """The value that an operation read: a pointer, where the location holds addresses."""
    if isinstance(found, Cell) and found.place.object in c.frame.world.pointers:
        return AnyPointer(value, types.INT, c.frame.world.source.text_of(c.span))
    return Number(value)


def _store(c: _Call) -> Operand:
    (found, type_), value = c.evaluated(c.atomic, lambda: c.value(1))
    expressions.store(c.frame, found, values.convert(value, type_), c.mode(), c.span)
    return Number(Const(0, types.INT))


def _init(c: _Call) -> Operand:
    """``atomic_init`` is not an atomic operation ([atomics.types.operations])."""
    (found, type_), value = c.evaluated(c.atomic, lambda: c.value(1))
    with called(c.frame, c.span):
        expressions.store(c.frame, found, values.convert(value, type_), ir.PLAIN, c.span)
    return Number(Const(0, types.INT))


def _rmw(c: _Call, new: Callable[[Value, Value], Value]) -> Operand:
    (found, type_), *others = c.evaluated(c.atomic, *([lambda: c.value(1)] if len(c.arguments) > 1 else []))
    given = others[0] if others else Const(0, types.INT)
    old = c.frame.temporary(type_)

    def emit(place: ir.Place, _: IntType) -> None:
        c.frame.emit(ir.Rmw(old.name, place, values.convert(new(old, given), type_), c.mode()), c.span)

    _each(c.frame, found, emit, c.span)
    return _read(c, found, old)


def _each(frame: CFrame, found: Cell | Followed, emit: Callable[[ir.Place, IntType], None], span: Span) -> None:
    match found:
        case Cell(place, type_, text):
            emit(place, type_)
        case Followed(address, _, text):
            frame.through(address, text, span, emit)


def _fetch(op: str) -> _Handler:
    return lambda c: _rmw(c, lambda old, given: values.binary(op, old, given))


def _exchange(c: _Call) -> Operand:
    return _rmw(c, lambda _, given: given)


def _test_and_set(c: _Call) -> Operand:
    return _rmw(c, lambda _old, _given: Const(1, types.BOOL))


def _clear(c: _Call) -> Operand:
    ((found, type_),) = c.evaluated(c.atomic)
    expressions.store(c.frame, found, Const(0, type_), c.mode(), c.span)
    return Number(Const(0, types.INT))


def _compare_exchange(*, weak: bool) -> _Handler:
    """``expected`` is read before, and written with the value found if the operation fails; both are plain accesses."""

    def handler(c: _Call) -> Operand:
        (found, type_), expected, desired = c.evaluated(
            c.atomic,
            lambda: expressions.dereference(c.frame, c.at(1), c.arguments[1].span),
            lambda: c.value(2),
        )
        if isinstance(expected, Local):
            c.frame.touched.in_calls.add(expected.name)
            old, succeeded = exchanged(c, found, type_, Reg(expected.name, expected.type), desired)
            chosen = values.choose(succeeded, Reg(expected.name, expected.type), values.convert(old, expected.type))
            c.frame.emit(ir.Set(expected.name, values.convert(chosen, expected.type)), c.span)
            return Number(values.convert(succeeded, types.INT))
        with called(c.frame, c.span):
            wanted = expressions.load(c.frame, expected, ir.PLAIN, c.span)
            old, succeeded = exchanged(c, found, type_, wanted, desired)
            failed, done = c.frame.builder.label(), c.frame.builder.label()
            c.frame.builder.split(succeeded, c.span, done, failed)
            c.frame.builder.place(failed)
            expressions.store(c.frame, expected, old, ir.PLAIN, c.span)
            c.frame.builder.place(done)
        return Number(values.convert(succeeded, types.INT))

    def exchanged(c: _Call, found: Cell | Followed, type_: IntType, wanted: Value, desired: Value) -> tuple[Reg, Reg]:
        old, succeeded = c.frame.temporary(type_), c.frame.temporary(types.BOOL)
        success, failure = (c.orders * 2)[:2]

        def emit(place: ir.Place, _: IntType) -> None:
            operation = ir.CompareExchange(
                old.name, succeeded.name, place, values.convert(wanted, type_), values.convert(desired, type_),
                c.mode(success), failure.read_half, weak,
            )  # fmt: skip
            c.frame.emit(operation, c.span)

        _each(c.frame, found, emit, c.span)
        return old, succeeded

    return handler


_FUNCTIONS: dict[str, _Function] = {
    "atomic_load": _Function(1, 1, _load),
    "atomic_store": _Function(2, 1, _store),
    "atomic_init": _Function(2, 0, _init),
    "atomic_exchange": _Function(2, 1, _exchange),
    "atomic_compare_exchange_strong": _Function(3, 2, _compare_exchange(weak=False)),
    "atomic_compare_exchange_weak": _Function(3, 2, _compare_exchange(weak=True)),
    "atomic_flag_test_and_set": _Function(1, 1, _test_and_set),
    "atomic_flag_clear": _Function(1, 1, _clear),
    **{f"atomic_fetch_{name}": _Function(2, 1, _fetch(op)) for name, op in FETCH.items()},
}

# ---------------------------------------------------------------- fences and barriers


def _arguments(expr: tree.Call, least: int, most: int, what: str) -> tuple[tree.Expr, ...]:
    if not least <= len(expr.arguments) <= most:
        assert isinstance(expr.function, tree.Name)
        help_ = f"flags are {' | '.join(_FLAGS)}" if what.startswith("flags") else None
        raise error(Code.BAD_ARGUMENTS, f"`{expr.function.name}` takes {what}", expr.span, help_)
    return expr.arguments


def _thread_fence(frame: CFrame, expr: tree.Call) -> Operand:
    """The fence of C11; in OpenCL a scope may follow, as in its other functions."""
    opencl = frame.world.dialect == "OPENCL"
    order, *rest = _arguments(expr, 1, 1 + opencl, "a memory order" + " and may take a scope" * opencl)
    scope = _scope(rest[0]) if rest else _default_scope(frame)
    return _fence(frame, _order(order), scope, expr.span)


def _signal_fence(_: CFrame, expr: tree.Call) -> Operand:
    """Orders a thread and its signal handlers alone ([atomics.fences]/7): other threads see nothing of it."""
    (order,) = _arguments(expr, 1, 1, "a memory order")
    _order(order)
    return Number(Const(0, types.INT))


def _fence(frame: CFrame, order: Order, scope: Scope, span: Span) -> Operand:
    """A relaxed fence "has no effects" ([atomics.fences])."""
    if order is not Order.RELAXED:
        frame.emit(ir.Fence(order, scope), span)
    return Number(Const(0, types.INT))


def _work_item_fence(frame: CFrame, expr: tree.Call) -> Operand:
    _opencl(frame, expr)
    flags, order, scope = _arguments(expr, 3, 3, "flags, an order and a scope")
    _flags(frame, flags)
    return _fence(frame, _order(order), _scope(scope), expr.span)


def _mem_fence(order: Order) -> Callable[[CFrame, tree.Call], Operand]:
    """OpenCL 1's fences: of work-group scope (OpenCL C, 6.15.10)."""

    def fence(frame: CFrame, expr: tree.Call) -> Operand:
        _opencl(frame, expr)
        (flags,) = _arguments(expr, 1, 1, "flags")
        _flags(frame, flags)
        return _fence(frame, order, Scope.BLOCK, expr.span)

    return fence


def _barrier(frame: CFrame, expr: tree.Call) -> Operand:
    """A barrier of the work-group: "a release fence on entry, an acquire fence on exit" (OpenCL C, 6.15.8).

    Barriers with different labels are different barriers.
    """
    _opencl(frame, expr)
    if frame.apart:
        message = "a barrier beside other operands, in no order, is outside the modelled subset"
        raise error(Code.OUTSIDE_SUBSET, message, expr.span, "make it a statement of its own")
    flags, *rest = _arguments(expr, 1, 2, "flags and may take a scope")
    _flags(frame, flags)
    scope = _scope(rest[0]) if rest else Scope.BLOCK
    name = Const(frame.world.barrier(frame.label), types.INT)
    _fence(frame, Order.RELEASE, scope, expr.span)
    frame.emit(ir.NamedBarrier((name,), None, waits=True), expr.span)
    return _fence(frame, Order.ACQUIRE, scope, expr.span)


def _opencl(frame: CFrame, expr: tree.Call) -> None:
    if frame.world.dialect != "OPENCL":
        assert isinstance(expr.function, tree.Name)
        message = f"`{expr.function.name}` is a function of OpenCL C"
        raise error(Code.UNMODELLED_CALL, message, expr.function.span, "begin the file with OPENCL")


def _flags(frame: CFrame, expr: tree.Expr) -> None:
    """Check that a fence is one of all address spaces of the program: CUDA C++ has no others."""
    named = _named_flags(expr)
    missing = frame.spaces - named
    if missing:
        message = f"a fence that leaves out {' and '.join(sorted(missing))} memory has no counterpart in CUDA C++"
        help_ = " | ".join(f for f, space in _FLAGS.items() if space in frame.spaces | named)
        raise error(Code.OUTSIDE_SUBSET, message, expr.span, f"write {help_}")


def _named_flags(expr: tree.Expr) -> frozenset[str]:
    match expr:
        case tree.Name(_, name) if name in _FLAGS:
            return frozenset({_FLAGS[name]})
        case tree.Binary(_, "|", left, right):
            return _named_flags(left) | _named_flags(right)
        case tree.Int(_, 0):
            return frozenset()
        case _:
            message = "the address spaces of a fence are wanted here"
            raise error(Code.BAD_ARGUMENTS, message, expr.span, f"write {' or '.join(_FLAGS)}")


_FENCES: dict[str, Callable[[CFrame, tree.Call], Operand]] = {
    "atomic_thread_fence": _thread_fence,
    "atomic_signal_fence": _signal_fence,
    "atomic_work_item_fence": _work_item_fence,
    "mem_fence": _mem_fence(Order.ACQ_REL),
    "read_mem_fence": _mem_fence(Order.ACQUIRE),
    "write_mem_fence": _mem_fence(Order.RELEASE),
    "barrier": _barrier,
    "work_group_barrier": _barrier,
}
