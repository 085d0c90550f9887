"""Where a reference or an address may move after it is made: the scoped language looks an index up where it is used.

``int& e = r[i]; i = 2; e = 1;`` would write ``r[2]``.  So an expression that makes one of an index that is not constant
is read otherwise where it is meant as C++; a reference for another thread too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.frontends.scoped.lower import names
from scopec.frontends.scoped.lower.scan import walk
from scopec.frontends.scoped.syntax import tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from scopec.base.source import Span

_REFERRING = {"ref", "cref", "addressof", "atomic_ref"}
_THREADS = {"thread", "jthread"}
_INDICES = {"threadIdx", "blockIdx", "blockDim", "gridDim"}


def moving(file: tree.File) -> Span | None:
    """The first expression of a file that makes a reference or an address of an element whose index may change."""
    nodes = walk(file.items)
    functions = {n.name: n for n in nodes if isinstance(n, tree.Function)}
    declared = [(n.type, d) for n in nodes if isinstance(n, tree.Declaration) for d in n.declarators]
    given = [p for f in functions.values() for p in f.parameters]
    pointers = {d.name for type_, d in declared if _refers(type_, d)}
    pointers |= {p.name for p in given if p.type.pointers or p.type.reference}
    arrays = {d.name for _, d in declared if d.sizes}
    # A name is one of these only where nothing else has it.
    numbers = {d.name for type_, d in declared if not d.sizes and not (d.pointers or type_.pointers)}
    numbers |= {p.name for p in given if not p.type.pointers}
    constant = {*_INDICES, *((pointers | arrays) - numbers)}
    used = {id(n) for node in nodes for n in _used_at_once(node, functions)}
    types = {n.name for n in nodes if isinstance(n, tree.Class) and _has(n.members, pointers)}
    types |= {n.name for n in nodes if isinstance(n, tree.Alias) and (n.type.pointers or n.type.reference)}
    for node in nodes:
        kept = _kept(node, functions, pointers, types)
        if _is_copied(node, functions) or (id(node) not in used and any(_moves(one, constant) for one in kept)):
            return node.span  # type: ignore[attr-defined, no-any-return]
    return None


def _kept(node: object, functions: dict[str, tree.Function], pointers: set[str], types: set[str]) -> Iterable[object]:
    """The expressions below a node of which a reference or an address is kept."""
    match node:
        case tree.Function(type=tree.TypeName(reference=True), body=body):
            return [n.value for n in walk(body) if isinstance(n, tree.Return)]
        case tree.Unary(_, "&", operand):
            return [operand]
        case tree.Declaration(type=type_, declarators=declarators):
            alike = type_.reference or type_.name in types or names.last(type_.name) in _REFERRING
            alike = alike or names.last(type_.name) in _THREADS
            return [d.init for d in declarators if d.init is not None and (alike or _refers(type_, d))]
        case tree.Assign(target=tree.Name(name=name) | tree.Member(name=name), value=value) if name in pointers:
            return [value]
        case tree.Construct(type=type_, arguments=arguments) if names.last(type_.name) in _REFERRING | _THREADS | types:
            return arguments
        case tree.Call(function=tree.Name(name=name), arguments=arguments) if names.last(name) in _REFERRING:
            return arguments
        case tree.Call(function=tree.Name(name=name), arguments=arguments) if name in functions:
            given = zip(functions[name].parameters, arguments, strict=False)
            return [a for p, a in given if p.type.pointers or p.type.reference or p.type.name in types]
        case tree.Launch(arguments=arguments):
            return arguments
        case _:
            return ()


def _is_copied(node: object, functions: dict[str, tree.Function]) -> bool:
    """Whether a thread is given a variable for a reference, which is one to a copy ([thread.thread.constr])."""
    match node:
        case (
            tree.Initialiser(arguments=(tree.Name(name=name), *given))
            | tree.Construct(type=tree.TypeName(), arguments=(tree.Name(name=name), *given))
        ) if name in functions:
            pairs = zip(functions[name].parameters, given, strict=False)
            return any(p.type.reference and not isinstance(a, tree.Call) for p, a in pairs)
        case _:
            return False


def _used_at_once(node: object, functions: Collection[str]) -> Iterable[object]:
    """What a call makes and uses itself: an address for ``atomicAdd``, an ``atomic_ref`` that a member is called on."""
    match node:
        case tree.Call(function=tree.Name(name=name), arguments=arguments) if (
            name.startswith("atomic") and name not in functions
        ):
            return arguments
        case tree.Call(function=tree.Member(object=tree.Construct() as made)):
            return (made,)
        case _:
            return ()


def _moves(expr: object, constant: set[str]) -> bool:
    """Whether an expression has an index, or a sum that may be an address, that is not constant."""
    for part in walk(expr):
        match part:
            case tree.Index(index=index) if any(_is_other(n, _INDICES) for n in walk(index)):
                return True
            case tree.Binary() if any(_is_other(n, constant) for n in walk(part)):
                return True
            case _:
                pass
    return False


def _is_other(node: object, known: Collection[str]) -> bool:
    return isinstance(node, tree.Name) and node.name not in known


def _refers(type_: tree.TypeName, declarator: tree.Declarator) -> bool:
    return bool(declarator.pointers or declarator.reference or type_.pointers or type_.reference)


def _has(members: Iterable[tree.Declaration], pointers: set[str]) -> bool:
    return any(d.name in pointers for member in members for d in member.declarators)
