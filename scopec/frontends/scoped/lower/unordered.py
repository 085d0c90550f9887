"""Where operands that C++ leaves in no order may do something of which the order makes a difference.

The scoped language has one order, from left to right, so such an expression is read otherwise where it is meant as C++.
What the text alone leaves open counts as a difference.
"""

from __future__ import annotations

from dataclasses import field
from functools import reduce
from itertools import combinations
from operator import or_
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.frontends.scoped.lower import names
from scopec.frontends.scoped.lower.scan import below, names_in_memory, walk
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from scopec.base.source import Span

_ATOMIC = {"atomic", "atomic_ref", "atomic_flag"}
#: Functions that only compute with what they are given, or hand it on.
_PURE = {"min", "max", "move", "forward", "ref", "cref", "addressof", "size", "data"}
_ORDERED = {"&&", "||", "<<", ">>"}


@dataclass(frozen=True, slots=True)
class _Done:
    """What an operand may do: read and write variables, touch memory, do what other threads may notice by itself."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    memory: bool = False
    noticed: bool = False

    def __or__(self, other: _Done) -> _Done:
        return _Done(
            self.reads | other.reads,
            self.writes | other.writes,
            self.memory or other.memory,
            self.noticed or other.noticed,
        )


_NOTHING = _Done()
_NOTICED = _Done(memory=True, noticed=True)


@dataclass
class _Names:
    """The names of a file that are in memory, those that are atomic or volatile, and functions that take references."""

    memory: set[str] = field(default_factory=set)
    noticed: set[str] = field(default_factory=set)
    by_reference: set[str] = field(default_factory=set)


def unordered(file: tree.File) -> Span | None:
    """The first expression of a file whose operands C++ ([intro.execution]/10) leaves in no order that may matter."""
    nodes = walk(file.items)
    known = _names(file, nodes)
    done: dict[int, _Done] = {}
    found = None
    for node in reversed(nodes):  # what is below a node comes behind it
        parts = reduce(or_, (done[id(part)] for part in below(node)), _NOTHING)
        done[id(node)] = _done(node, parts, known)
        operands = [done[id(operand)] for operand in _operands(node)]
        if any(_conflict(one, other) or _conflict(other, one) for one, other in combinations(operands, 2)):
            found = node
    return found.span if found is not None else None  # type: ignore[attr-defined]


def _operands(node: object) -> tuple[tree.Expr, ...]:
    match node:
        case tree.Binary(_, op, left, right) if op not in _ORDERED:
            return (left, right)
        case tree.Call(arguments=arguments) | tree.Launch(arguments=arguments):
            return arguments
        case tree.Construct(arguments=arguments, list=False) | tree.Initialiser(arguments=arguments, list=False):
            return arguments
        case _:
            return ()


def _conflict(one: _Done, other: _Done) -> bool:
    return bool((one.noticed and other.memory) or one.writes & (other.reads | other.writes))


def _done(node: object, parts: _Done, known: _Names) -> _Done:
    match node:
        case tree.Unary(_, "&", tree.Name()) | tree.SizeOf() | tree.TypeName():
            return _NOTHING
        case tree.Name(_, name):
            return _Done(frozenset({name}), memory=name in known.memory, noticed=name in known.noticed)
        case tree.Member(name=name) if name in known.noticed:
            return _NOTICED
        case tree.Unary(op="*") | tree.Index():
            return parts | _Done(memory=True)
        case tree.Assign(target=tree.Name(name=name)) | tree.Step(target=tree.Name(name=name)):
            return parts | _Done(writes=frozenset({name}), noticed=name in known.memory)
        case tree.Call(_, tree.Name(_, name), _) if names.unqualified(name) in _PURE:
            return parts
        case tree.Call(_, tree.Name(name=name) | tree.Member(name=name), _):
            refers = name in known.by_reference or name.startswith("compare_exchange")
            return parts | _NOTICED | _Done(writes=parts.reads if refers else frozenset())
        case tree.Call() | tree.Launch():
            return parts | _NOTICED
        case tree.Assign() | tree.Step():
            return parts | _NOTICED | _Done(writes=parts.reads)
        case _:
            return parts


def _names(file: tree.File, nodes: list[object]) -> _Names:
    atomic = set(_ATOMIC)
    for node in nodes:  # an alias is declared before it is used
        if isinstance(node, tree.Alias) and names.unqualified(node.type.name) in atomic:
            atomic.add(node.name)
    known = _Names()
    for node in nodes:
        match node:
            case tree.Function(parameters=parameters, name=name, body=body):
                known.memory |= names_in_memory(body)
                known.memory |= {p.name for p in parameters if p.type.reference}
                known.noticed |= {p.name for p in parameters if _is_noticed(p.type, atomic)}
                if any(p.type.reference for p in parameters):
                    known.by_reference.add(name)
            case tree.Declaration(type=type_, declarators=declarators) if "constexpr" not in type_.specifiers:
                declared = {d.name for d in declarators}
                known.noticed |= declared if _is_noticed(type_, atomic) else {d.name for d in declarators if d.volatile}
                if node in file.items or set(type_.specifiers) & {"__shared__", "static"}:
                    known.memory |= declared
                known.memory |= {d.name for d in declarators if d.sizes or d.reference}
            case tree.Unary(op="&", operand=operand):
                known.memory |= {n.name for n in walk(operand) if isinstance(n, tree.Name)}
            case _:
                pass
    known.memory |= known.noticed
    return known


def _is_noticed(type_: tree.TypeName, atomic: set[str]) -> bool:
    return names.unqualified(type_.name) in atomic or "volatile" in type_.specifiers
