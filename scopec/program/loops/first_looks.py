"""Looks at an mbarrier right before a loop that waits there: they are turns of that loop.

CUTLASS's pipelines wait so: ``token = try_wait(state); if (token != Done) wait(state);``, with nothing between.  A
look that finds the phase over goes on where the loop does, and another one goes round: so does the loop's first turn.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from scopec.base.graphs import reached
from scopec.base.records import dataclass, replace
from scopec.program import ir, values
from scopec.program.effects import uses_and_definitions
from scopec.program.loops.loops import live_registers
from scopec.program.values import Reg

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scopec.program.values import Builtin, Value


@dataclass(frozen=True)
class _Look:
    """A look at an mbarrier, and what is done with what it finds up to a branch; the nodes that are that."""

    test: ir.BarrierTest
    rules: tuple[tuple[str, Value], ...]
    fails: str
    condition: Value
    branch: ir.Branch
    nodes: Sequence[int]

    def over(self, following: int) -> bool:
        """Whether the thread goes on there if the phase is over and the look does not fail, and else at the other."""
        for found, fails in product((0, 1), repeat=2):
            known = {self.test.target: found, self.fails: fails}
            if any(leaf.name not in known for leaf in values.leaves(self.condition)):
                return False
            taken = values.evaluate(self.condition, lambda leaf, known=known: known[leaf.name])  # type: ignore[misc]
            goes = self.branch.then if taken else self.branch.otherwise
            if (goes == following) != bool(found and (fails or not self.fails)):
                return False
        return True

    def same(self, other: _Look) -> bool:
        """Whether another one looks at the same, by the same rules."""

        def own(leaf: Reg | Builtin) -> Value:
            renamed = {self.test.target: other.test.target, self.test.fault: other.test.fault}
            return replace(leaf, name=renamed[leaf.name]) if leaf.name in renamed else leaf

        here, there = self.test, other.test
        return (
            (here.place, here.mode) == (there.place, there.mode)
            and values.substitute(here.condition, own) == there.condition
            and [(text, values.substitute(rule, own)) for text, rule in self.rules] == list(other.rules)
        )


def without_first_looks(body: ir.Body, asked: Callable[[str], bool]) -> ir.Body:
    """The graph without looks that are turns of the loop behind them, if no variable that they set is ``asked`` for."""
    nodes, entry = body.nodes, body.entry
    entered = {entry: 1}
    for node in nodes.values():
        for following in ir.successors(node):
            entered[following] = entered.get(following, 0) + 1
    live: Mapping[int, frozenset[str]] = {}
    instead: dict[int, int] = {}
    for number in nodes:
        look = _look(nodes, number, entered)
        for loop, behind in _sides(look):
            turn = _look(nodes, loop, entered) if loop != number else None
            if look is None or turn is None or {turn.branch.then, turn.branch.otherwise} != {loop, behind}:
                continue
            live = live or live_registers(body, frozenset(n for n in body.variables if asked(n.partition(".")[0])))
            # The look's are nowhere read; the loop's, which it did not set, are not read behind the loop.
            made, set_there = _made(look, nodes), _made(turn, nodes)
            unread = made.isdisjoint(live[loop]) and (made | set_there).isdisjoint(live[behind])
            if unread and look.same(turn) and look.over(behind) and turn.over(behind):
                instead[number] = loop
    if not instead:
        return body
    found = {n: _following(node, instead) for n, node in nodes.items()}
    entry = instead.get(entry, entry)
    left = reached(entry, lambda n: ir.successors(found[n]))
    return without_first_looks(replace(body, entry=entry, nodes={n: found[n] for n in nodes if n in left}), asked)


def _sides(look: _Look | None) -> Sequence[tuple[int, int]]:
    if look is None:
        return ()
    then, otherwise = look.branch.then, look.branch.otherwise
    return (then, otherwise), (otherwise, then)


def _look(nodes: Mapping[int, ir.Node], first: int, entered: Mapping[int, int]) -> _Look | None:
    """The look that begins at a node, None where there is none, or more is done than to compute with it."""
    node = nodes[first]
    if not (isinstance(node, ir.Do) and isinstance(node.operation, ir.BarrierTest)):
        return None
    test, fails, path = node.operation, "", [first]
    rules: list[tuple[str, Value]] = []
    known: dict[str, Value] = {}
    while entered[node.next] == 1:
        path.append(node.next)
        match nodes[node.next]:
            case ir.Branch(condition) as branch:
                return _Look(test, tuple(rules), fails, _computed(condition, known), branch, path)
            case ir.Do(ir.Assert(condition, text, implicit=True)) as node:
                rules.append((text, condition))
            case ir.Do(ir.Decide(target, "failure")) as node if not fails:
                fails = target
            case ir.Do(ir.Set(target, value)) as node:
                known[target] = _computed(value, known)
            case _:
                return None
    return None


def _made(look: _Look, nodes: Mapping[int, ir.Node]) -> set[str]:
    return {name for n in look.nodes for name in uses_and_definitions(nodes[n])[1]}


def _computed(value: Value, known: Mapping[str, Value]) -> Value:
    return values.substitute(value, lambda leaf: known.get(leaf.name, leaf))


def _following(node: ir.Node, instead: Mapping[int, int]) -> ir.Node:
    match node:
        case ir.Do(next=following):
            return replace(node, next=instead.get(following, following))
        case ir.Branch(then=then, otherwise=otherwise):
            return replace(node, then=instead.get(then, then), otherwise=instead.get(otherwise, otherwise))
        case ir.Exit():
            return node
