"""Where the order in which C++ evaluates operands may make a difference, or where it has none.

The scoped language evaluates from left to right, and some operands late, so such an expression is read otherwise where
it is meant as C++.  What the text alone leaves open counts as a difference.
"""

from __future__ import annotations

from dataclasses import field
from functools import reduce
from itertools import combinations
from operator import or_
from typing import TYPE_CHECKING, TypeGuard

from scopec.base.records import dataclass
from scopec.frontends.scoped.lower import names
from scopec.frontends.scoped.lower.scan import below, names_in_memory, walk
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span

_ATOMIC = {"atomic", "atomic_ref", "atomic_flag"}
#: Functions that only compute with what they are given, or hand it on.
_PURE = {"min", "max", "move", "forward", "ref", "cref", "addressof", "size", "data"}
_ORDERED = {"&&", "||"}


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
    """The names of a file that are in memory, those that are atomic or volatile, its functions, and those of these that
    take references; types that are atomic."""

    memory: set[str] = field(default_factory=set)
    noticed: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    by_reference: set[str] = field(default_factory=set)
    atomic: set[str] = field(default_factory=lambda: set(_ATOMIC))


def unordered(file: tree.File) -> Span | None:
    """The first expression of a file whose operands do what may depend on their order ([intro.execution]/10)."""
    nodes = walk(file.items)
    known = _names(file, nodes)
    done: dict[int, _Done] = {}
    found = None
    for node in reversed(nodes):  # what is below a node comes behind it
        parts = reduce(or_, (done[id(part)] for part in below(node)), _NOTHING)
        done[id(node)] = _done(node, parts, known)
        operands = [done[id(operand)] for operand in _operands(node)]
        if (target := _target(node)) is not None:
            operands.append(_address(target, done))
        if any(_conflict(one, other) or _conflict(other, one) for one, other in combinations(operands, 2)):
            found = node
    return found.span if found is not None else None  # type: ignore[attr-defined]


def _operands(node: object) -> tuple[tree.Expr, ...]:
    match node:
        case tree.Binary(_, op, left, right) if op not in _ORDERED:
            return (left, right)
        case tree.Index(_, object_, index):
            return (object_, index) if isinstance(object_, (tree.Index, tree.Call, tree.Step, tree.Assign)) else ()
        case tree.Assign(value=value):
            return (value,)
        case tree.Call(arguments=arguments) | tree.Launch(arguments=arguments):
            return arguments
        case tree.Construct(arguments=arguments, list=False) | tree.Initialiser(arguments=arguments, list=False):
            return arguments
        case _:
            return ()


def _target(node: object) -> tree.Expr | None:
    """What an operator assigns to, or a member function is called on: its place alone is evaluated."""
    match node:
        case tree.Assign(target=target) | tree.Call(function=tree.Member(object=target)):
            return target
        case _:
            return None


def _address(node: object, done: Mapping[int, _Done]) -> _Done:
    """What is done to know which object an expression denotes."""
    match node:
        case tree.Name():
            return _NOTHING
        case tree.Member(_, object_, _):
            return _address(object_, done)
        case tree.Index(_, object_, index):
            return _address(object_, done) | done[id(index)]
        case tree.Unary(_, "*", operand):
            return done[id(operand)]
        case _:
            return done[id(node)]


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
        case tree.Unary(op="*", operand=tree.Unary() | tree.Cast()):
            return parts | _NOTICED
        case tree.Unary(op="*") | tree.Index():
            return parts | _Done(memory=True)
        case tree.Cast(type=type_) if "volatile" in type_.specifiers:
            return parts | _NOTICED
        case tree.Construct(type=type_) if names.last(type_.name) in known.atomic:
            return parts | _NOTICED
        case tree.Assign(target=tree.Name(name=name)) | tree.Step(target=tree.Name(name=name)):
            return parts | _Done(writes=frozenset({name}), noticed=name in known.memory)
        case tree.Call(_, tree.Name(_, name), _) if names.unqualified(name) in _PURE - known.functions:
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
    known = _Names()
    for node in nodes:  # an alias is declared before it is used
        if isinstance(node, tree.Alias) and names.last(node.type.name) in known.atomic:
            known.atomic.add(node.name)
    for node in nodes:
        match node:
            case tree.Function(parameters=parameters, name=name, body=body):
                known.memory |= names_in_memory(body)
                known.functions.add(name)
                known.memory |= {p.name for p in parameters if p.type.reference}
                known.noticed |= {p.name for p in parameters if _is_noticed(p.type, known)}
                if any(p.type.reference for p in parameters):
                    known.by_reference.add(name)
            case tree.Declaration(type=type_, declarators=declarators) if "constexpr" not in type_.specifiers:
                declared = {d.name for d in declarators}
                known.noticed |= {d.name for d in declarators if _is_atomic_value(d.init, known)}
                if type_.name == "auto":
                    known.noticed |= {d.name for d in declarators if d.reference or d.pointers}
                known.noticed |= declared if _is_noticed(type_, known) else {d.name for d in declarators if d.volatile}
                if node in file.items or set(type_.specifiers) & {"__shared__", "static"}:
                    known.memory |= declared
                known.memory |= {d.name for d in declarators if d.sizes}
                for referring in declarators:
                    if referring.reference or type_.reference:  # another name for what it refers to
                        known.memory |= {referring.name, *(n.name for n in walk(referring.init) if _is_name(n))}
            case tree.Unary(op="&", operand=operand):
                known.memory |= {n.name for n in walk(operand) if _is_name(n)}
            case _:
                pass
    known.memory |= known.noticed
    return known


def _is_name(node: object) -> TypeGuard[tree.Name]:
    return isinstance(node, tree.Name)


def _is_atomic_value(init: tree.Initialiser | None, known: _Names) -> bool:
    return any(isinstance(n, tree.Construct) and names.last(n.type.name) in known.atomic for n in walk(init))


def _is_noticed(type_: tree.TypeName, known: _Names) -> bool:
    return names.last(type_.name) in known.atomic or "volatile" in type_.specifiers
