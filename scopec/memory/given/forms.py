"""The forms of what a program gives to a model: groups of events, guarded products of them, and a few others.

Groups are events by id.  Whatever the form, only executed events are in a set, or related.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.memory.events.guards import Guard
    from scopec.program.values import Value

Group: TypeAlias = tuple[str, ...]
#: A condition of a pair: a guard, a condition on what is read, or (None) always.
When: TypeAlias = "Guard | Value | None"


@dataclass(frozen=True, slots=True)
class Members:
    """Events of a set."""

    events: Group
    when: When = None


@dataclass(frozen=True, slots=True)
class Pair:
    """One event, related to another."""

    before: str
    after: str
    when: When = None


@dataclass(frozen=True, slots=True)
class Product:
    """Each event of one group, related to each of another."""

    before: Group
    after: Group
    when: When = None


@dataclass(frozen=True, slots=True)
class Square:
    """Each event of a group, related to each of it, itself included."""

    events: Group


@dataclass(frozen=True, slots=True)
class Identity:
    """Each event of a group, related to itself."""

    events: Group


@dataclass(frozen=True, slots=True)
class Closure:
    """The transitive closure of some steps, through events that are not executed too."""

    steps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Except:
    """Every pair of events but those of some forms."""

    forms: tuple[Square | Identity, ...]


@dataclass(frozen=True, slots=True)
class Same:
    """Every event, related to itself."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Chosen in each execution: for each read one of the writes."""

    writes: Group
    reads: Group


@dataclass(frozen=True, slots=True)
class Coherence:
    """Chosen in each execution: an order of the writes to a location, its first one first; total unless partial."""

    writes: Group


@dataclass(frozen=True, slots=True)
class Order:
    """Chosen in each execution: a transitive order that relates each of the pairs one way or the other."""

    pairs: tuple[tuple[str, str], ...]


#: The forms that the program alone fixes.
Fixed: TypeAlias = Pair | Product | Square | Identity | Closure | Except | Same
#: The forms that an execution chooses, within what the program leaves open.
Chosen: TypeAlias = Sources | Coherence | Order
Form: TypeAlias = Fixed | Chosen
