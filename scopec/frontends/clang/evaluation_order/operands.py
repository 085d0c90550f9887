"""The instructions that belong to each of the operands that C++ leaves in no order.

clang evaluates operands from left to right, and writes the code of one after that of another.  So what belongs to an
operand is a part of a function's instructions, found by their places in the text.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, TypeAlias

from scopec.base import records
from scopec.base.records import dataclass
from scopec.frontends.clang.evaluation_order.evaluations import Evaluation, full_name
from scopec.frontends.clang.evaluation_order.footprints import Touch, conflict
from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.flow import locals_in, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from scopec.frontends.clang.evaluation_order.dependence import Dependence
    from scopec.frontends.clang.llvm.debug import Place

#: Why an instruction is refused.
CANNOT_TELL = "an operand that scopec cannot tell from others, which C++ leaves in no order, is"
UNDEFINED = "what one operand changes another one uses, and C++ does not order them"

#: An instruction by its block and its position there, as clang wrote it.
Origin: TypeAlias = tuple[str, int]


@records.dataclass(frozen=True, slots=True)
class Operands:
    """An evaluation in a function: where the instructions of its operands begin, and where those of the last end.

    ``noticed`` are the instructions for which it makes a difference when they are executed.
    """

    bounds: tuple[int, ...]
    whole: bool
    noticed: frozenset[int]


@dataclass
class Line:
    """The instructions of a function, one after the other, without ``phi``: the edges to a block have copies."""

    function: llvm.Function
    code: list[llvm.Instruction]
    origins: list[Origin]
    labels: dict[str, int]

    def next(self, at: int) -> list[int]:
        """The places at which control goes on after an instruction."""
        action = self.code[at].action
        if isinstance(action, llvm.Jump | llvm.Branch | llvm.Switch):
            return [self.labels[label] for label in targets(action)]
        return [] if isinstance(action, llvm.Return | llvm.Unreachable) else [at + 1]

    def is_trap(self, at: int) -> bool:
        """Whether control ends at an instruction: arithmetic that C++ does not define."""
        return llvm.is_trap(self.code[at].action)


def in_a_row(function: llvm.Function) -> Line:
    """The instructions of a function in a row."""
    copies: dict[str, list[tuple[llvm.Instruction, Origin]]] = {}
    for label, block in function.blocks.items():
        for at, instruction in enumerate(block):
            if isinstance(phi := instruction.action, llvm.Phi):
                for given, source in phi.incoming:
                    copy = llvm.Cast("copy", llvm.Typed(phi.type, given), phi.type)
                    copies.setdefault(source, []).append((replace(instruction, action=copy), (label, at)))
    line = Line(function, [], [], {})
    for label, block in function.blocks.items():
        line.labels[label] = len(line.code)
        found = [(one, (label, at)) for at, one in enumerate(block) if not isinstance(one.action, llvm.Phi)]
        found[-1:-1] = copies.get(label, [])
        line.code += [instruction for instruction, _ in found]
        line.origins += [origin for _, origin in found]
    return line


# ---------------------------------------------------------------- which operands are where


def operands_of(
    line: Line, found: Sequence[Evaluation], places: Mapping[Origin, Place], folder: str, depend: Dependence,
    threads: Sequence[Mapping[Origin, Collection[Touch]]], refused: Callable[[int, str], Exception],
) -> list[Operands]:  # fmt: skip
    """The evaluations in a function whose order may make a difference to a thread.

    ``threads`` says what the instructions did in each.  Raises what ``refused`` makes of an instruction and a reason
    where that cannot be told.
    """
    at = {
        number: (full_name(folder, place.file), (place.line, place.column))
        for number, origin in enumerate(line.origins)
        if (place := places.get(origin)) is not None
    }
    of = {origin: number for number, origin in enumerate(line.origins)}
    touched = [{of[origin]: touches for origin, touches in thread.items() if origin in of} for thread in threads]
    result: list[Operands] = []
    for evaluation in found:
        inside = {n: place for n, place in at.items() if evaluation.range.has(*place)}
        if not inside:
            continue
        parts = [{n for n, place in at.items() if operand.has(*place)} for operand in evaluation.operands]
        others = set[int]().union(*parts) & set[int]().union(*touched)
        if evaluation.defaults > 1 or (evaluation.defaults and others):
            _defaults(line, inside.keys() - set[int]().union(*parts), set(inside), touched, depend, refused)
        noticed = {n for thread in touched for n in _noticed(thread, parts)}
        if noticed:
            operands = _bounds(line, evaluation, parts, set(inside), frozenset(noticed), refused)
            _nobodys(operands, parts, touched, refused)
            result.append(operands)
            if not evaluation.whole:
                _defined(line, parts, touched, refused)
    return result


def _noticed(thread: Mapping[int, Collection[Touch]], parts: Sequence[set[int]]) -> Iterator[int]:
    """The instructions of operands that may make a difference to another operand."""
    for one, other in combinations(parts, 2):
        for a, b in product(one & thread.keys(), other & thread.keys()):
            if conflict(thread[a], thread[b]):
                yield from (a, b)


def _defaults(
    line: Line, own: Collection[int], inside: set[int], touched: Sequence[Mapping[int, Collection[Touch]]],
    depend: Dependence, refused: Callable[[int, str], Exception],
) -> None:  # fmt: skip
    """Refuse default arguments where it matters when they are evaluated: they have the place of the call."""
    for thread in touched:
        for n in thread.keys() & own:
            for m in thread.keys() & (inside - {n}):
                one, other = line.origins[n], line.origins[m]
                if conflict(thread[n], thread[m]) and other not in depend.after(one) and one not in depend.after(other):
                    raise refused(n, CANNOT_TELL)


def _nobodys(
    operands: Operands, parts: Sequence[set[int]], touched: Sequence[Mapping[int, Collection[Touch]]],
    refused: Callable[[int, str], Exception],
) -> None:  # fmt: skip
    """Refuse instructions between those of operands that are no operand's, where it matters when they are executed."""
    mine = set[int]().union(*parts)
    for thread in touched:
        for n in thread.keys() - mine:
            noticed = operands.noticed & thread.keys() if operands.bounds[0] <= n < operands.bounds[-1] else ()
            if any(conflict(thread[n], thread[m]) for m in noticed):
                raise refused(n, CANNOT_TELL)


def _defined(
    line: Line, parts: Sequence[set[int]], touched: Sequence[Mapping[int, Collection[Touch]]],
    refused: Callable[[int, str], Exception],
) -> None:  # fmt: skip
    """Refuse a side effect that is unsequenced with another access to the same object ([intro.execution]/10)."""
    for thread in touched:
        plain = {
            n: touches
            for n, touches in sorted(thread.items())
            if isinstance(line.code[n].action, llvm.Load | llvm.Store) and all(t.of is not None for t in touches)
        }
        for one, other in combinations(parts, 2):
            for a, b in product(one & plain.keys(), other & plain.keys()):
                if conflict(plain[a], plain[b]):
                    raise refused(b, UNDEFINED)


def _bounds(
    line: Line, evaluation: Evaluation, parts: Sequence[set[int]], inside: set[int], noticed: frozenset[int],
    refused: Callable[[int, str], Exception],
) -> Operands:  # fmt: skip
    """The bounds of the instructions of operands: in a row, each operand's own."""
    here, why = min(noticed), CANNOT_TELL
    if any(one & other for one, other in combinations(parts, 2)):
        raise refused(here, why)
    there = [part for part in parts if part]
    starts = [min(part) for part in there]
    last = there[-1]
    own = [n for n in inside if n > starts[-1] and not any(n in part for part in parts)]
    end = max(n for n in last if not own or n < min(own)) + 1
    end = _closed(line, starts[0], end)
    bounds = (*starts, end)
    if starts != sorted(starts) or any(
        not start <= n < following
        for part, start, following in zip(there, bounds, bounds[1:], strict=False)
        for n in part
        if n < end
    ):
        raise refused(here, why)
    _apart(line, bounds, lambda: refused(here, why))
    return Operands(bounds, evaluation.whole, frozenset(n for n in noticed if n < end))


def _closed(line: Line, start: int, end: int) -> int:
    """An end that control does not jump over."""
    while True:
        jumps = (to for n in range(start, end) for to in line.next(n) if not line.is_trap(to))
        further = max((end, *jumps))
        if further == end:
            return end
        end = further


def _apart(line: Line, bounds: Sequence[int], refusal: Callable[[], Exception]) -> None:
    """Refuse operands that jump into each other, or need what another computes."""
    parts = list(pairwise(bounds))
    for n, _ in enumerate(line.code):
        for to in line.next(n):
            for start, end in parts:
                entered = start < to < end and not start <= n < end
                left = start <= n < end and not start <= to <= end
                if (entered or left) and not line.is_trap(to):
                    raise refusal()
    for start, end in parts:
        results = {line.code[n].result for n in range(start, end)} - {None}
        for n in range(bounds[0], bounds[-1]):
            if not start <= n < end and results & set(locals_in(line.code[n].action)):
                raise refusal()
