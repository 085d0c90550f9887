"""Control-flow graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass
from scopec.program.ir.calls import Call
from scopec.program.ir.copies import Agent, AwaitCopies, CommitCopies, InitFence, ProxyFence, TensorFence
from scopec.program.ir.operations import (
    Access,
    Assert,
    AtBarrier,
    BarrierOperation,
    Called,
    Decide,
    Fence,
    GroupSync,
    InputOutput,
    Lifetime,
    NamedBarrier,
    Notify,
    Operand,
    Set,
    SideEffect,
    SyncThreads,
    Yield,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span
    from scopec.program.types import IntType
    from scopec.program.values import Value


Operation: TypeAlias = (
    Access
    | BarrierOperation
    | Call
    | Set
    | Fence
    | Notify
    | Decide
    | Operand
    | Called
    | SyncThreads
    | GroupSync
    | NamedBarrier
    | Yield
    | ProxyFence
    | InitFence
    | TensorFence
    | Agent
    | CommitCopies
    | AwaitCopies
    | AtBarrier
    | InputOutput
    | SideEffect
    | Lifetime
    | Assert
)


@dataclass(frozen=True, slots=True)
class Do:
    """Perform an operation, then go on at ``next``.  ``span`` is the place in the source."""

    operation: Operation
    span: Span
    next: int


@dataclass(frozen=True, slots=True)
class Branch:
    """Go on at ``then`` or ``otherwise``."""

    condition: Value
    span: Span
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class Exit:
    """The thread ends."""

    span: Span


Node: TypeAlias = Do | Branch | Exit


def successors(node: Node) -> tuple[int, ...]:
    """The nodes at which control goes on after a node."""
    match node:
        case Do(next=following):
            return (following,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Exit():
            return ()


@dataclass(frozen=True, slots=True)
class Body:
    """A control-flow graph: nodes by number, and the source's variables that are registers in it.

    ``ambiguous`` names those that the source declares more than once, so that an expectation cannot mean one.
    """

    entry: int
    nodes: Mapping[int, Node]
    variables: Mapping[str, IntType]
    ambiguous: frozenset[str] = frozenset()
