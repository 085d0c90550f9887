"""Builds a control-flow graph instruction by instruction, or one with several operations in the place of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass, replace
from scopec.program.ir import Body, Branch, Do, Exit, Node
from scopec.program.specialise import specialise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scopec.base.source import Span
    from scopec.program.ir import Operation
    from scopec.program.types import IntType
    from scopec.program.values import Value


@dataclass(frozen=True, slots=True)
class _Operate:
    operation: Operation
    span: Span


@dataclass(frozen=True, slots=True)
class _Split:
    condition: Value
    span: Span
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class _Jump:
    label: int


@dataclass(frozen=True, slots=True)
class _End:
    span: Span


_Instruction: TypeAlias = _Operate | _Split | _Jump | _End


class Builder:
    """Straight code with labels and jumps; :meth:`finish` turns it into a graph without jumps."""

    def __init__(self) -> None:
        self._code: list[_Instruction] = []
        self._labels: list[int | None] = []

    def label(self) -> int:
        """A new label, to be placed once."""
        self._labels.append(None)
        return len(self._labels) - 1

    def place(self, label: int) -> None:
        """Let a label mean the next instruction."""
        self._labels[label] = len(self._code)

    def is_here(self, label: int) -> bool:
        """Whether a label means what is appended next."""
        return self._labels[label] == len(self._code)

    def emit(self, operation: Operation, span: Span) -> None:
        """Append an operation."""
        self._code.append(_Operate(operation, span))

    def split(self, condition: Value, span: Span, then: int, otherwise: int) -> None:
        """Append a conditional jump."""
        self._code.append(_Split(condition, span, then, otherwise))

    def jump(self, label: int) -> None:
        """Append a jump."""
        self._code.append(_Jump(label))

    def end(self, span: Span) -> None:
        """Append the end of the thread."""
        self._code.append(_End(span))

    def finish(self, variables: dict[str, IntType], ambiguous: frozenset[str]) -> Body:
        """The graph of what can be reached from the first instruction."""
        nodes: dict[int, Node] = {}
        for number, instruction in enumerate(self._code):
            match instruction:
                case _Operate(operation, span):
                    nodes[number] = Do(operation, span, self._resolve(number + 1))
                case _Split(condition, span, then, otherwise):
                    nodes[number] = Branch(condition, span, self._target(then), self._target(otherwise))
                case _End(span):
                    nodes[number] = Exit(span)
                case _Jump():
                    pass
        return specialise(Body(self._resolve(0), nodes, variables, ambiguous), {})

    def _target(self, label: int) -> int:
        place = self._labels[label]
        assert place is not None, "a label that was never placed"
        return self._resolve(place)

    def _resolve(self, number: int) -> int:
        while isinstance(jump := self._code[number], _Jump):
            place = self._labels[jump.label]
            assert place is not None, "a label that was never placed"
            number = place
        return number


def expanded(body: Body, of: Callable[[Operation, int], Iterable[Operation]]) -> Body:
    """A body in which each operation is those that ``of`` makes of it and of its node's number: at least one."""
    nodes = dict(body.nodes)
    for number, node in body.nodes.items():
        if not isinstance(node, Do):
            continue
        *before, last = of(node.operation, number)
        at = number
        for operation in before:
            following = max(*nodes, at) + 1
            nodes[at] = Do(operation, node.span, following)
            at = following
        nodes[at] = Do(last, node.span, node.next)
    return replace(body, nodes=nodes)
