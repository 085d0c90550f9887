"""The order of two events of an execution under its model: by which relation, and along which way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.cat.derive import Derivation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.memory.cat.derive import Step
    from scopec.memory.cat.model import Definition
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution

#: Defined relations that are a step of their own on a way, whatever they are made of.
_STEPS = ("sw", "sync", "so-block", "so-cluster", "so-device", "so-system")


@dataclass(frozen=True, slots=True)
class Edge:
    """A step of a way by a relation; of synchronisation the steps ``within``.

    ``backwards``: the relation leads from ``after`` to ``before``.
    """

    relation: str
    before: Event
    after: Event
    within: tuple[Edge, ...] = ()
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Ordered:
    """That a relation orders two events, and the way that it does it along."""

    relation: str
    way: tuple[Edge, ...]


def order_of(execution: Execution, one: Event, other: Event) -> Definition | None:
    """The definition of the relation that orders two events of different threads; None where a model has none.

    The causality order of PTX with proxies is about accesses to one location; the base causality order is about all.
    """
    base = execution.model.latest("base")
    if execution.model.is_ptx and base is not None and (one.location is None or one.location != other.location):
        return base
    return execution.defined_as("hb")


def ordered(execution: Execution, one: Event, other: Event) -> Ordered | None:
    """The way by which the model orders one event before another; None if it does not.

    Events of a thread that are in program order are in that order under each model.
    """
    given = execution.evaluation.relations
    i, j = execution.events.index(one), execution.events.index(other)
    if given["po"][i] >> j & 1:
        return Ordered("po", (Edge("po", one, other),))
    definition = order_of(execution, one, other)
    if definition is None or not given[definition.name][i] >> j & 1:
        return None
    latest = {d.name for name in _STEPS if (d := execution.model.latest(name)) is not None}
    way = Derivation(execution.evaluation, latest).way(definition.expr, i, j)
    return None if way is None else Ordered(definition.called or definition.name, _edges(execution, way))


def _edges(execution: Execution, way: Sequence[Step]) -> tuple[Edge, ...]:
    at = execution.events
    return tuple(
        Edge(step.relation, at[step.before], at[step.after], _edges(execution, step.within), step.backwards)
        for step in way
    )
