"""The control flow of a thread without its values, found once for all threads whose graphs have one form.

Threads of a grid differ in constants, an index say, and in the branches that these decide.  Graphs are of one form if
their nodes have the same numbers, go on to the same ones, and read and overwrite the same registers.  Nothing else is
looked at where loops get their heads, in the order of nodes, and in which registers matter.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from scopec.base.records import dataclass, replace
from scopec.program import ir
from scopec.program.effects import uses_and_definitions
from scopec.program.loops.headers import prepared
from scopec.program.loops.loops import (
    Element,
    Registers,
    live_registers,
    own_registers,
    registers_of,
    weak_topological_order,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: A graph's entry, what is observed at its end, and of each node its number, where it goes on, and the number of what
#: it does to registers.
_Form: TypeAlias = tuple[object, ...]


@dataclass(frozen=True)
class Flow:
    """The control flow of a graph whose loops have their heads."""

    body: ir.Body
    observed: frozenset[str]

    @cached_property
    def registers(self) -> Registers:
        """The registers of each node."""
        return registers_of(self.body)

    @cached_property
    def own(self) -> frozenset[str]:
        """The registers that it reads or writes."""
        return own_registers(self.registers)

    @cached_property
    def read_later(self) -> Mapping[int, frozenset[str]]:
        """The registers that may still be read, at each node."""
        return live_registers(self.body, self.observed, strong=False, facts=self.registers)

    @cached_property
    def live(self) -> Mapping[int, frozenset[str]]:
        """The registers whose values may still matter, at each node."""
        return live_registers(self.body, self.observed, facts=self.registers)

    @cached_property
    def order(self) -> tuple[Element, ...]:
        """The nodes in weak topological order."""
        return weak_topological_order(self.body)


class Flows:
    """The control flows of graphs, by their form."""

    def __init__(self) -> None:
        #: By the identity of an operation or a condition, which is kept: the number of what it does to registers.
        self._known: dict[int, tuple[object, int]] = {}
        self._numbers: dict[object, int] = {}
        #: The control flow of a form, and whether its loops had their heads before.
        self._flows: dict[_Form, tuple[Flow, bool]] = {}

    def of(self, body: ir.Body, observed: frozenset[str]) -> tuple[ir.Body, Flow]:
        """A graph whose loops have their heads, and its control flow."""
        form = (body.entry, observed, *self._nodes(body))
        found = self._flows.get(form)
        if found is not None and found[1]:
            flow = found[0]
            return replace(body, nodes={number: body.nodes[number] for number in flow.body.nodes}), flow
        headed = prepared(body, observed)
        if found is None:
            same = headed.entry == body.entry and all(body.nodes.get(n) is node for n, node in headed.nodes.items())
            found = self._flows[form] = Flow(headed, observed), same
        return headed, found[0]

    def _nodes(self, body: ir.Body) -> Iterator[_Form]:
        for number, node in body.nodes.items():
            yield number, ir.successors(node), self._number(node)

    def _number(self, node: ir.Node) -> int:
        what: Any
        match node:
            case ir.Do(operation=what) | ir.Branch(condition=what):
                pass
            case ir.Exit():
                return -1
        known = self._known.get(id(what))
        if known is None:
            used, overwritten = uses_and_definitions(node)
            said = what.__class__, frozenset(used), frozenset(overwritten)
            known = self._known[id(what)] = what, self._numbers.setdefault(said, len(self._numbers))
        return known[1]
