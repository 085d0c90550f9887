"""Operands that the language leaves in no order: side by side, each from the state in which the first one begins.

"Except as specified later, side effects and value computations of subexpressions are unsequenced" (C11 6.5/3), so a
branch, a dependency or a fault of one operand says nothing about the others; what comes after comes after all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

from scopec.base.files import source_of
from scopec.base.records import replace
from scopec.memory.events.events import Assertion, Cut, Event, shown_location, unsequenced
from scopec.memory.unfold.unfolding import Evaluation, State, Unfolding
from scopec.program import ir, values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.program.program import Program


def evaluate(out: Unfolding, state: State, operand: ir.Operand) -> State:
    """The state in which an operand begins, or in which all of an evaluation's operands have been evaluated."""
    if operand.number == 0:
        out.evaluations += 1
        begun = Evaluation(out.evaluations, 0, state, (), operand.vector)
        return replace(state, evaluations=(*state.evaluations, begun), assigned=frozenset())
    *outer, current = state.evaluations
    ended = (*current.ended, state)
    if operand.number is None:
        return _together(current.before, ended)
    begun = replace(current, operand=operand.number, ended=ended)
    return replace(current.before, evaluations=(*outer, begun), assigned=frozenset())


def torn(program: Program) -> Program:
    """The program where a vector is no more than its elements."""

    def change(body: ir.Body) -> ir.Body:
        vectors = {
            number: replace(node, operation=replace(node.operation, vector=False))
            for number, node in body.nodes.items()
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Operand) and node.operation.vector
        }
        return replace(body, nodes={**body.nodes, **vectors}) if vectors else body

    return program.with_bodies(change) if has_vectors(program) else program


def has_vectors(program: Program) -> bool:
    """Whether some thread accesses a vector."""
    nodes = (node for thread in program.threads for node in thread.body.nodes.values())
    operations = (node.operation for node in nodes if isinstance(node, ir.Do))
    return any(isinstance(operation, ir.Operand) and operation.vector for operation in operations)


def _together(before: State, ended: Sequence[State]) -> State:
    """The state after operands that began in one state: each has set registers of its own."""
    guard, registers, unset = before.guard, dict(before.registers), dict(before.unset)
    for state in ended:
        guard &= state.guard
        for name in state.assigned & state.registers.keys():
            registers[name] = state.registers[name]
            unset.pop(name, None)
            if name in state.unset:
                unset[name] = state.unset[name]
    control = before.control.union(*(state.control for state in ended))
    assigned = before.assigned.union(*(state.assigned for state in ended))
    return replace(before, guard=guard, registers=registers, control=control, unset=unset, assigned=assigned)


def conflicts(out: Unfolding) -> Iterator[tuple[Assertion, Cut]]:
    """The accesses of operands that make an evaluation undefined, with what is not executed any further.

    "If a side effect on a scalar object is unsequenced relative to either a different side effect on the same scalar
    object or a value computation using the value of the same scalar object, the behavior is undefined" (C11 6.5/2).
    What a called function does is "indeterminately sequenced" with the rest (6.5.2.2/10): it comes before or after.
    """
    direct = [e for e in out.events if e.operands and e.is_access and not (e.atomic or e.called)]
    for one, other in combinations(direct, 2):
        if one.location != other.location or one.thread != other.thread or not (one.writes or other.writes):
            continue
        both = one.guard & other.guard
        if both.never or not unsequenced(one, other):
            continue
        assert one.location is not None
        source, where = out.program.source, shown_location(one.location, out.program)
        here, there = (f"`{source_of(e.span, source).text_of(e.span)}`" for e in (one, other))
        text = f"{here} and {there} access `{where}`, which one of them changes, in no order"
        yield (
            Assertion(text, other.span, other.thread, both, values.FALSE, len(out.events), implicit=True),
            Cut(other.thread, other.span, both, wait=True, position=len(out.events), fault=True),
        )


def steps(events: Sequence[Event]) -> list[tuple[str, str]]:
    """The events of a thread in program order, as pairs of one and one of those that come next."""
    found = []
    for n, later in enumerate(events):
        before = [e for e in events[:n] if not unsequenced(e, later)]
        last = [e for m, e in enumerate(before) if all(unsequenced(e, between) for between in before[m + 1 :])]
        found += [(e.id, later.id) for e in last]
    return found
