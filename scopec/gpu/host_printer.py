"""Operations of a host thread as C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.gpu.cxx import type_name
from scopec.gpu.printer import Printer, _relaxed, _width
from scopec.program import ir
from scopec.program.types import IntType
from scopec.program.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Span


class HostPrinter(Printer):
    """A host thread: accesses are those of the compiler's atomic operations."""

    def _exactly(self, place: ir.Place, span: Span) -> tuple[IntType, str]:
        """The type of what is accessed, and its address as one of so many bits."""
        type_, at, _ = self._place(place, span)
        return type_, f"(u{_width(type_)}*)({at})"

    def _order(self, mode: ir.Mode) -> str:
        return f"__ATOMIC_{(mode.order or ir.Order.RELAXED).name}"

    def _load(self, target: str, place: ir.Place, mode: ir.Mode, span: Span) -> str:
        type_, at = self._exactly(place, span)
        return f"{self.names[target]} = word({type_name(type_)}(__atomic_load_n({at}, {self._order(mode)})));"

    def _store(self, place: ir.Place, value: Value, mode: ir.Mode, span: Span) -> str:
        type_, at = self._exactly(place, span)
        new = f"u{_width(type_)}({self._cxx(value, span, type_)})"
        return f"__atomic_store_n({at}, {new}, {self._order(mode)});"

    def _fence(self, order: ir.Order, scope: ir.Scope) -> str:
        assert scope is not ir.Scope.THREAD
        return f"__atomic_thread_fence(__ATOMIC_{order.name});"

    def _rmw(self, operation: ir.Rmw, span: Span) -> Iterator[str]:
        got = self.names[operation.target]
        yield "for (word old;;) {"
        yield f"    {self._load(operation.target, operation.place, _relaxed(operation.mode), span)} old = {got};"
        yield f"    {self._swap(operation.target, operation.place, operation.new, operation.mode, span)}"
        yield f"    if ({got} == old) break;"
        yield "}"

    def _swap(self, target: str, place: ir.Place, new: Value, mode: ir.Mode, span: Span) -> str:
        type_, at = self._exactly(place, span)
        bits, got = f"u{_width(type_)}", self.names[target]
        value = f"{bits}({self._cxx(new, span, type_)})"
        swap = f"__atomic_compare_exchange_n({at}, &found, {value}, false, {self._order(mode)}, __ATOMIC_RELAXED)"
        return f"{{ {bits} found = {bits}(old); {swap}; {got} = word({type_name(type_)}(found)); }}"
