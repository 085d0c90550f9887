"""The form of rules: variables of the state, definitions and laws, and the transition that each step is.

Rules are :mod:`scopec.progress.rules`; one engine prints them as TLA+, another computes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.program import ir
    from scopec.progress.steps import Step
    from scopec.progress.terms import Id, Term

#: A constant function of a system, by the arguments that it has.
Table: TypeAlias = "Mapping[Id, Term]"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the state: what it is, its first value, and what its values are among."""

    name: str
    comment: str
    first: Term
    types: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A term with a name and parameters; ``law`` is the source's sentence, or what it means."""

    name: str
    parameters: tuple[str, ...]
    body: Term
    law: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Laws:
    """Definitions that every program has alike, over its tables and variables; ``name`` is what they are laws of.

    ``base`` are laws that they add to.  Those without a name are about labels and values alone.
    """

    name: str
    about: str
    own: tuple[Definition, ...]
    base: Laws | None = None

    @property
    def bases(self) -> tuple[Laws, ...]:
        """The laws that they add to, the first of them first."""
        return (*self.base.bases, self.base) if self.base else ()

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """All of them, each after those that it uses."""
        return tuple(definition for laws in (*self.bases, self) for definition in laws.own)


@dataclass(frozen=True, slots=True)
class Update:
    """The new value of a variable, or of the variable at ``key``, where ``@`` is its old one.

    ``among`` are the keys of a new table outside of which it is the old one.
    """

    variable: str
    key: Term | None
    new: Term
    among: Term | None = None


@dataclass(frozen=True, slots=True)
class Wakes:
    """Threads that a step moves: each of ``who``, or ``one`` of them if there are any, to ``to`` of its label."""

    who: Term
    to: str
    one: bool = False


@dataclass(frozen=True, slots=True)
class Transition:
    """A step of a thread ``t`` at a label.

    It is taken where ``guard`` holds.  It makes ``updates``, all of the state before, and goes on as the step's tree
    says, which reads and writes ``place``; with a ``choice``, the first way is taken where that holds, else the other.
    ``outcomes`` are the values of registers that stand for what the step finds beside memory: the outcome of a vote,
    what is exchanged.  ``wakes`` happens where the tree writes, or always without a place.
    """

    step: Step
    guard: Term | None = None
    updates: tuple[Update, ...] = ()
    place: ir.Place | None = None
    wakes: Wakes | None = None
    choice: Term | None = None
    outcomes: Mapping[str, Term] = field(default_factory=dict)
