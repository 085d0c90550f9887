"""Code that is being lowered: its graph, and the registers for intermediate values."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from scopec.base.records import dataclass
from scopec.program import faults, ir, values
from scopec.program.builder import Builder

if TYPE_CHECKING:
    from scopec.base.source import Source, Span
    from scopec.program.types import IntType
    from scopec.program.values import Value


class World(Protocol):
    """The declarations of a whole program."""

    source: Source
    objects: dict[str, ir.Object]


W = TypeVar("W", bound=World)


@dataclass
class Code(Generic[W]):
    """The code of a thread of a program."""

    world: W
    builder: Builder = field(default_factory=Builder, kw_only=True)
    _temporaries: int = field(default=0, kw_only=True)

    def temporary(self, type_: IntType) -> values.Reg:
        """A register for an intermediate value; its name cannot be one of the source."""
        self._temporaries += 1
        return values.Reg(f"%{self._temporaries}", type_)

    def emit(self, operation: ir.Operation, span: Span) -> None:
        """Append an operation to the graph, and before it that it accesses an element that there is."""
        for check in faults.of_access(operation, self.world.objects, self.world.source.text_of(span)):
            self.builder.emit(check, span)
        self.builder.emit(operation, span)

    def computed(self, value: Value, span: Span) -> Value:
        """The result of an operation, after what must hold for it to have one."""
        for check in faults.of_arithmetic(value, self.world.source.text_of(span)):
            self.builder.emit(check, span)
        return value
