"""Operands in no order, as control flow: before each of their operations any of them may be the next to go on.

The memory question leaves such operands unordered.  Here, where memory is sequentially consistent, every order in which
an implementation may evaluate them is a way through the graph; the body of a function that one calls is one step of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass, replace
from scopec.program import ir
from scopec.program.types import BOOL
from scopec.program.values import Reg

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: The place of a thread: a node, or several operands at once.
_Place: TypeAlias = "int | _Beside"
#: An operand, by the numbers of the operands around it and its own.
_Way: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Beside:
    """The places of an evaluation's operands, which begins at a node; None: evaluated."""

    begins: int
    operands: tuple[_Place | None, ...]


@dataclass(frozen=True, slots=True)
class _Control:
    """A place, and the operand that goes on, None where that is open; ``called``: until the function returns."""

    place: _Place
    next: _Way | None = None
    called: bool = False


def interleaved(body: ir.Body) -> ir.Body:
    """The graph with a way for each order of operands; a graph without such operands is itself."""
    if not any(isinstance(node, ir.Do) and isinstance(node.operation, ir.Operand) for node in body.nodes.values()):
        return body
    return _Interleaving(body).run()


class _Interleaving:
    def __init__(self, body: ir.Body) -> None:
        self.body = body
        #: By the node that an evaluation begins with: where its operands begin, and what comes after it.
        self.evaluations: dict[int, tuple[dict[int, int], int]] = {}
        self.numbers: dict[_Control, int] = {}
        self.choices: dict[tuple[_Control, tuple[_Way, ...]], int] = {}
        self.nodes: dict[int, ir.Node] = {}
        self.work: list[_Control] = []
        self.unused = max(body.nodes) + 1

    def run(self) -> ir.Body:
        first = self.reached(self.body.entry)
        assert first is not None
        entry = self.go(_Control(first))
        while self.work:
            control = self.work.pop()
            self.nodes[self.numbers[control]] = self.node(control)
        return replace(self.body, entry=entry, nodes=dict(sorted(self.nodes.items())))

    def evaluation(self, begins: int, evaluation: int) -> tuple[dict[int, int], int]:
        """The parts of an evaluation; threads whose graphs are one may have others of its number."""
        starts: dict[int, int] = {}
        end, work = -1, [begins]
        seen = {begins}
        for number in work:
            node = self.body.nodes[number]
            match node:
                case ir.Do(ir.Operand(same, None), _, following) if same == evaluation:
                    end = following
                    continue
                case ir.Do(ir.Operand(same, int(operand)), _, following) if same == evaluation:
                    starts[operand] = following
                case _:
                    pass
            work += [after for after in ir.successors(node) if after not in seen]
            seen.update(work)
        return starts, end

    # ---- places

    def reached(self, number: int) -> _Place | None:
        """The place of control when it comes to a node; None at the end of an operand."""
        match self.body.nodes[number]:
            case ir.Do(ir.Operand(evaluation, 0)):
                if number not in self.evaluations:
                    self.evaluations[number] = self.evaluation(number, evaluation)
                starts, _ = self.evaluations[number]
                return self.joined(number, [self.reached(starts[operand]) for operand in sorted(starts)])
            case ir.Do(ir.Operand()):
                return None
            case _:
                return number

    def joined(self, begins: int, operands: Sequence[_Place | None]) -> _Place | None:
        """The places of operands, or that at which control is when all of them are evaluated."""
        if any(operand is not None for operand in operands):
            return _Beside(begins, tuple(operands))
        return self.reached(self.evaluations[begins][1])

    def operands(self, place: _Place, way: _Way = ()) -> Iterator[tuple[_Way, int]]:
        """The operands that can go on, with the nodes that they are at."""
        if isinstance(place, int):
            yield way, place
            return
        for number, operand in enumerate(place.operands):
            if operand is not None:
                yield from self.operands(operand, (*way, number))

    def moved(self, place: _Place, way: _Way, to: int) -> _Place | None:
        """The place with an operand moved on to a node."""
        if isinstance(place, int):
            return self.reached(to)
        first, *rest = way
        inner = place.operands[first]
        assert inner is not None
        after = self.moved(inner, tuple(rest), to)
        return self.joined(place.begins, (*place.operands[:first], after, *place.operands[first + 1 :]))

    def after(self, control: _Control, to: int, *, called: bool) -> _Control:
        """Control when the operand that goes on has come to a node."""
        assert control.next is not None
        place = self.moved(control.place, control.next, to)
        assert place is not None, "an evaluation ends inside its body"
        return _Control(place, control.next if called else None, called)

    # ---- nodes

    def go(self, control: _Control) -> int:
        """The node of a control; nodes of the body outside evaluations keep their numbers."""
        going = dict(self.operands(control.place))
        if control.next is None:
            # What no other thread can notice is done first: it makes no difference when.
            quiet = tuple(way for way, at in going.items() if self.is_quiet(at))
            ways = quiet[:1] or tuple(going)
            if len(ways) > 1:
                return self.choice(control, ways)
            control = replace(control, next=ways[0])
        assert control.next is not None
        match self.body.nodes[going[control.next]]:
            case ir.Do(ir.Called(begins), _, following):
                return self.go(self.after(control, following, called=begins))
            case _:
                return self.number(control)

    def number(self, control: _Control) -> int:
        if control not in self.numbers:
            self.numbers[control] = control.place if isinstance(control.place, int) else self.fresh()
            self.work.append(control)
        return self.numbers[control]

    def fresh(self) -> int:
        self.unused += 1
        return self.unused - 1

    def node(self, control: _Control) -> ir.Node:
        """The node of the operand that goes on."""
        assert control.next is not None
        match self.body.nodes[dict(self.operands(control.place))[control.next]]:
            case ir.Do(operation, span, following):
                return ir.Do(operation, span, self.go(self.after(control, following, called=control.called)))
            case ir.Branch(condition, span, then, otherwise):
                yes, no = (self.go(self.after(control, to, called=control.called)) for to in (then, otherwise))
                return ir.Branch(condition, span, yes, no)
            case ir.Exit() as end:
                return end

    def choice(self, control: _Control, ways: tuple[_Way, ...]) -> int:
        """A node at which one of several operands is chosen to go on."""
        first, *others = ways
        if not others:
            return self.go(replace(control, next=first))
        if (control, ways) not in self.choices:
            decide, branch = self.fresh(), self.fresh()
            self.choices[control, ways] = decide
            target, span = f"%order {decide}", self.body.nodes[dict(self.operands(control.place))[first]].span
            self.nodes[decide] = ir.Do(ir.Decide(target, "order"), span, branch)
            here, there = self.choice(control, (first,)), self.choice(control, tuple(others))
            self.nodes[branch] = ir.Branch(Reg(target, BOOL), span, here, there)
        return self.choices[control, ways]

    def is_quiet(self, number: int) -> bool:
        """Whether nothing but the thread itself sees what is done at a node."""
        match self.body.nodes[number]:
            case ir.Do(ir.Set() | ir.Assert()) | ir.Branch():
                return True
            case _:
                return False
