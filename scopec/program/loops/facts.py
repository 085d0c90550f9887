"""The facts of one loop: its entries, what decides each of its exits, and whether a turn of it is idle."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.graphs import components
from scopec.base.records import dataclass
from scopec.program import ir, values
from scopec.program.conditions import decided_by
from scopec.program.effects import effects, registers, uses_and_definitions
from scopec.program.loops.loops import Loop, loops
from scopec.program.values import Binary, Const, Convert, Reg

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from scopec.base.source import Span
    from scopec.program.effects import Trace
    from scopec.program.values import Value

#: Effects of a turn of a wait that nobody notices if there are more or fewer such turns.
AGAIN: frozenset[Trace] = frozenset({"none", "read", "order", "failure", "outside"})


@dataclass(frozen=True, slots=True)
class Exit:
    """A branch at which a loop is left: where its condition comes out as ``leaves``."""

    number: int
    branch: ir.Branch
    leaves: bool

    @property
    def names(self) -> set[str]:
        """The registers that decide it."""
        return registers(self.branch.condition)


@dataclass(frozen=True)
class Facts:
    """A loop of a graph.

    Of its exits, a clock decides those of ``exits_by("clock")``, a counter those over ``steps``, and what is read those
    over others of the registers that are ``computed`` in it.  This is all that is said of a loop without its values;
    two questions need more.  Whether a far limit can be left open (:mod:`counters`) asks of a count that begins anew in
    an outer loop, is copied, or is tested elsewhere than at an exit (``if (++n % 1024 == 0)``); when a count gives up
    in a search for hangs, of the values on a path (:func:`counters.gives_up`).
    """

    body: ir.Body
    loop: Loop

    @cached_property
    def nodes(self) -> Mapping[int, ir.Node]:
        """The nodes of the loop, inner loops included."""
        return {n: self.body.nodes[n] for n in self.loop.nodes()}

    @cached_property
    def entries(self) -> set[int]:
        """The nodes at which it is entered."""
        nodes = self.nodes
        found = {f for n, node in self.body.nodes.items() if n not in nodes for f in ir.successors(node) if f in nodes}
        return found | ({self.body.entry} & nodes.keys())

    @cached_property
    def outside(self) -> set[int]:
        """The nodes to which it is left."""
        return {f for node in self.nodes.values() for f in ir.successors(node) if f not in self.nodes}

    @cached_property
    def exits(self) -> Sequence[Exit]:
        """The branches at which it is left; what is part of a loop leads to it one way at least."""
        return [
            Exit(n, node, node.otherwise in self.nodes)
            for n, node in self.nodes.items()
            if isinstance(node, ir.Branch) and (node.then in self.nodes) != (node.otherwise in self.nodes)
        ]

    @cached_property
    def defined(self) -> Mapping[str, Sequence[int]]:
        """The registers that it overwrites, and where."""
        found: dict[str, list[int]] = {}
        for number, node in self.nodes.items():
            for name in uses_and_definitions(node)[1]:
                found.setdefault(name, []).append(number)
        return found

    @property
    def computed(self) -> Set[str]:
        """The registers that it overwrites."""
        return self.defined.keys()

    def exits_by(self, *what: str) -> list[Exit]:
        """The exits that nothing decides but what is not modelled, of some kinds."""
        names = decided_by(self.nodes, *what)
        return [one for one in self.exits if one.names and one.names <= names]

    @cached_property
    def steps(self) -> Mapping[str, int]:
        """The registers that count its turns, and are of no other use in it than to leave it: what each turn adds."""
        leaving = {one.number for one in self.exits}
        used = {n: uses_and_definitions(node)[0] for n, node in self.nodes.items()}
        found: dict[str, int] = {}
        for name, places in self.defined.items():
            step = added_by(self.nodes[places[0]], name) if len(places) == 1 else None
            others = {n for n, names in used.items() if name in names} - leaving - {places[0]}
            if step is not None and not others and self.in_every_turn(places[0]):
                found[name] = step
        return found

    @property
    def counters(self) -> Mapping[str, int]:
        """Those of ``steps`` if the loop can be left by a count and otherwise: it waits, and gives up."""
        counted = any(one.names & self.steps.keys() for one in self.exits)
        otherwise = any(one.names & (self.computed - self.steps.keys()) for one in self.exits)
        return self.steps if counted and otherwise else {}

    @property
    def leaving(self) -> set[int]:
        """The nodes from which it can be left without passing its head again."""
        nodes, found = self.nodes, set[int]()
        changed = True
        while changed:
            changed = False
            for number in nodes.keys() - found:
                after = ir.successors(nodes[number])
                if any(a not in nodes or (a in found and a != self.loop.head) for a in after):
                    found.add(number)
                    changed = True
        return found

    def in_every_turn(self, place: int) -> bool:
        """Whether no way round the loop misses a node."""
        head = self.loop.head
        if place == head:
            return True
        others = {
            n: [f for f in ir.successors(node) if f in self.nodes and f != place] for n, node in self.nodes.items()
        }
        group = next(g for g in components([head], others.__getitem__) if head in g)
        return len(group) == 1 and head not in others[head]

    def idle(self, traces: Set[Trace], but: tuple[type, ...] = ()) -> bool:
        """Whether a turn leaves nothing behind but some traces, not asking of operations of some kinds."""
        return all(
            not isinstance(node, ir.Do)
            or isinstance(node.operation, but)
            or effects(node.operation).trace in traces
            or ("read" in traces and self._only_reads(node))
            for node in self.nodes.values()
        )

    def _only_reads(self, node: ir.Do) -> bool:
        """Whether a node stores what was there, or leaves the loop where it stores anything."""
        match node.operation:
            case ir.Rmw(target, _, new):
                return new == Reg(target, new.type)
            case ir.CompareExchange(target=target, succeeded=succeeded, expected=expected):
                test = self.nodes.get(node.next)
                if not isinstance(test, ir.Branch):
                    return False

                def success(leaf: Reg | values.Builtin) -> Value:
                    return values.TRUE if leaf.name == succeeded else expected if leaf.name == target else leaf

                match values.substitute(test.condition, success):
                    case Const(truth, _):
                        return (test.then if truth else test.otherwise) not in self.nodes
                    case _:
                        return False
            case _:
                return False

    @property
    def span(self) -> Span:
        """A place to name it by: its first branch."""
        nodes = [self.nodes[number] for number in sorted(self.nodes)]
        return next((node for node in nodes if isinstance(node, ir.Branch)), nodes[0]).span


def facts(body: ir.Body) -> Iterator[Facts]:
    """The facts of each loop of a graph, those inside others included."""
    return (Facts(body, loop) for loop in loops(body))


def added_by(node: ir.Node, name: str) -> int | None:
    """The number that a node adds to a register, None if it does anything else with it."""
    if not (isinstance(node, ir.Do) and isinstance(node.operation, ir.Set) and node.operation.target == name):
        return None
    value = node.operation.value
    while isinstance(value, Convert):
        value = value.operand
    match value:
        case Binary("+", Reg(same, _), Const(step, _), _) | Binary("+", Const(step, _), Reg(same, _), _) if (
            same == name and step
        ):
            return step
        case Binary("-", Reg(same, _), Const(step, _), _) if same == name and step:
            return -step
        case _:
            return None
