"""Functions with a way for each order of operands: copies of their instructions, in which the parts of several
operands come one after the other in another way."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from scopec.base import records
from scopec.frontends.clang.llvm import code as llvm

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from scopec.frontends.clang.evaluation_order.operands import Line, Operands, Origin

#: The function that says which of two operands goes on.
CHOICE = "llvm.scopec.order"
_BEGINS = "llvm.lifetime.start"
#: The most copies, in one expression, of instructions whose order makes a difference.
_MOST_COPIES = 48


@records.dataclass(frozen=True, slots=True)
class _Beside:
    """The places of an evaluation's operands, None: evaluated; ``held`` is one that must be evaluated to its end."""

    evaluation: int
    operands: tuple[_Place | None, ...]
    held: int | None = None


_Place: TypeAlias = "int | _Beside"
#: An operand, by the numbers of the operands around it and its own.
_Way: TypeAlias = tuple[int, ...]


def in_any_order(line: Line, found: Collection[Operands], too_large: Callable[[], Exception]) -> llvm.Function:
    """The function with a way for each order; raises what ``too_large`` makes where these are too many."""
    return _Copying(line, found, too_large).run()


class _Copying:
    def __init__(self, line: Line, found: Collection[Operands], too_large: Callable[[], Exception]) -> None:
        self.line = line
        # An evaluation comes after those around it.
        self.found = sorted(found, key=lambda e: (e.bounds[0], -e.bounds[-1], -len(e.bounds)))
        self.too_large = too_large
        self.noticed = frozenset[int]().union(*(e.noticed for e in self.found))
        #: The evaluation and the operand of it that each evaluation is in.
        self.around = [self.place_of(number) for number in range(len(self.found))]
        self.labels: dict[object, str] = {}
        self.blocks: dict[str, tuple[llvm.Instruction, ...]] = {}
        self.origins: dict[tuple[str, int], Origin] = {}
        self.work: list[tuple[str, _Place, tuple[_Way, ...]]] = []
        self.copies = [0] * len(self.found)

    def run(self) -> llvm.Function:
        first = self.reached(0, None)
        assert first is not None
        self.label(first)
        while self.work:
            self.block(*self.work.pop())
        return replace(self.line.function, blocks=self.blocks, origins=self.origins)

    def place_of(self, number: int) -> tuple[int, int] | None:
        """The operand that an evaluation is in: the innermost."""
        mine = self.found[number].bounds
        for outer in range(number - 1, -1, -1):
            bounds = self.found[outer].bounds
            for operand, (start, end) in enumerate(pairwise(bounds)):
                if start <= mine[0] and mine[-1] <= end:
                    return outer, operand
            if bounds[0] < mine[-1] and mine[0] < bounds[-1]:
                raise self.too_large()
        return None

    # ---- places

    def reached(self, at: int, around: tuple[int, int] | None) -> _Place | None:
        """The place of control when it comes to an instruction in an operand; None at the end of that."""
        if around is not None and at == self.found[around[0]].bounds[around[1] + 1]:
            return None
        for number, evaluation in enumerate(self.found):
            if evaluation.bounds[0] == at and self.around[number] == around:
                starts = evaluation.bounds[:-1]
                return _Beside(number, tuple(self.reached(start, (number, n)) for n, start in enumerate(starts)))
        return at

    def joined(self, place: _Beside) -> _Place | None:
        """The places of operands, or that at which control is when all of them are evaluated."""
        if any(operand is not None for operand in place.operands):
            return place
        return self.reached(self.found[place.evaluation].bounds[-1], self.around[place.evaluation])

    def ways(self, place: _Place, way: _Way = ()) -> Iterator[tuple[_Way, int]]:
        """The operands that can go on, with the instructions that they are at."""
        if not isinstance(place, _Beside):
            yield way, place
            return
        for number, operand in enumerate(place.operands):
            if operand is not None and place.held in (None, number):
                yield from self.ways(operand, (*way, number))

    def moved(self, place: _Place, way: _Way, to: int, noticed: bool, around: tuple[int, int] | None) -> _Place | None:
        """The place with an operand moved on to an instruction; ``noticed``: it has done something."""
        if not isinstance(place, _Beside):
            return self.reached(to, around)
        first, *rest = way
        inner = place.operands[first]
        assert inner is not None
        after = self.moved(inner, tuple(rest), to, noticed, (place.evaluation, first))
        operands = (*place.operands[:first], after, *place.operands[first + 1 :])
        holds = self.found[place.evaluation].whole and after is not None and (noticed or place.held == first)
        return self.joined(_Beside(place.evaluation, operands, first if holds else None))

    def after(self, place: _Place, way: _Way, to: int, *, noticed: bool) -> _Place:
        """The place of control when the operand that goes on has come to an instruction."""
        if self.line.is_trap(to):
            return to
        found = self.moved(place, way, to, noticed, None)
        assert found is not None
        return found

    # ---- instructions

    def label(self, place: _Place, ways: tuple[_Way, ...] = ()) -> str:
        """The label of the block that goes on from a place, with one of some operands."""
        key = (place, ways)
        if key not in self.labels:
            names = {at: name for name, at in self.line.labels.items()}
            plain = names.get(place) if isinstance(place, int) else None
            self.labels[key] = plain or f"order {len(self.labels)}"
            self.work.append((self.labels[key], place, ways))
        return self.labels[key]

    def block(self, label: str, place: _Place, ways: tuple[_Way, ...]) -> None:
        """Make the block of a place."""
        code: list[llvm.Instruction] = []
        self.blocks[label] = ()  # the first one stays the first

        def append(instruction: llvm.Instruction, origin: Origin | None = None) -> None:
            self.origins[label, len(code)] = origin or (label, len(code))
            code.append(instruction)

        while True:
            going = dict(self.ways(place))
            if not ways:
                # What makes no difference to others is done first: it makes no difference when.
                quiet = tuple(way for way, at in going.items() if at not in self.noticed)
                ways = quiet[:1] or tuple(going)
            at = going[ways[0]]
            if len(ways) > 1:
                self.choose(append, place, ways, self.line.code[at].place)
                break
            (way,) = ways
            instruction, noticed = self.line.code[at], at in self.noticed
            if isinstance(place, _Beside):
                self.copies[place.evaluation] += noticed
                if self.copies[place.evaluation] > _MOST_COPIES:
                    raise self.too_large()
            following = [self.after(place, way, to, noticed=noticed) for to in self.line.next(at)]
            match instruction.action:
                case llvm.Jump() | llvm.Branch() | llvm.Switch():
                    append(_to(instruction, [self.label(one) for one in following]), self.line.origins[at])
                    break
                case llvm.Return() | llvm.Unreachable():
                    append(instruction, self.line.origins[at])
                    break
                case llvm.Call(_, llvm.Global(name)) if isinstance(place, _Beside) and name.startswith(_BEGINS):
                    pass  # where a variable begins to live would be after it was used
                case _:
                    append(instruction, self.line.origins[at])
            (place,), ways = following, ()
            if noticed:  # other orders come here too
                append(llvm.Instruction(llvm.Jump(self.label(place)), None, instruction.place))
                break
        self.blocks[label] = tuple(code)

    def choose(
        self, append: Callable[[llvm.Instruction], None], place: _Place, ways: tuple[_Way, ...], where: str | None
    ) -> None:
        """Either the first operand goes on, or one of the others."""
        name = f"order {len(self.labels)}"
        append(llvm.Instruction(llvm.Call(llvm.Int(1), llvm.Global(CHOICE), (), ()), name, where))
        first, others = self.label(place, ways[:1]), self.label(place, ways[1:])
        append(llvm.Instruction(llvm.Branch(llvm.Local(name), first, others), None, where))


def _to(instruction: llvm.Instruction, labels: list[str]) -> llvm.Instruction:
    """A jump to other blocks."""
    match instruction.action:
        case llvm.Jump():
            return replace(instruction, action=llvm.Jump(labels[0]))
        case llvm.Branch(condition):
            return replace(instruction, action=llvm.Branch(condition, *labels))
        case llvm.Switch(value, _, cases):
            known = tuple((number, label) for (number, _), label in zip(cases, labels[1:], strict=True))
            return replace(instruction, action=llvm.Switch(value, labels[0], known))
        case _:
            raise AssertionError(instruction)
