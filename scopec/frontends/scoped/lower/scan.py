"""What a function's body does to the names in it: facts that are read off the syntax tree."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from scopec.base.source import Span
from scopec.frontends.scoped.lower import names
from scopec.frontends.scoped.syntax import tree


def walk(node: object) -> list[object]:
    """Every node below (and with) a syntax tree, in order."""
    out: list[object] = []
    stack = _nodes((node,))[::-1]
    while stack:
        out.append(stack.pop())
        stack += below(out[-1])[::-1]
    return out


def below(node: object) -> list[object]:
    """The nodes right below one, in order."""
    kind: Any = type(node)
    return _nodes(tuple(getattr(node, field) for field in _holding(kind)))


def _nodes(values: tuple[object, ...]) -> list[object]:
    out: list[object] = []
    for value in values:
        if isinstance(value, tuple):
            out += _nodes(value)
        elif is_dataclass(value) and not isinstance(value, Span):
            out.append(value)
    return out


@cache
def _holding(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a node that may hold others."""
    return tuple(field.name for field in fields(kind) if field.type not in ("Span", "str", "bool", "int"))


#: Functions of the libraries that take their arguments by value.
_TAKE_VALUES = {
    "malloc", "calloc", "free", "printf", "fprintf", "assert", "exit", "init", "min", "max",
    "load", "store", "exchange", "fetch_add", "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min",
    "fetch_max", "wait", "arrive", "release", "count_down",
}  # fmt: skip


def assigned_names(block: tree.Block) -> set[str]:
    """Names that a body assigns to, steps, or passes by reference."""
    found: set[str] = set()
    for node in walk(block):
        match node:
            case tree.Assign(target=tree.Name(name=name)) | tree.Step(target=tree.Name(name=name)):
                found.add(name)
            case tree.Unary(op="&", operand=tree.Name(name=name)):
                found.add(name)
            case tree.Call(function=tree.Member(name=name) | tree.Name(name=name)) if name in _TAKE_VALUES or (
                name.startswith(("cuda", "atomic", "__")) and "::" not in name
            ):
                pass
            case tree.Call(arguments=arguments) | tree.Construct(arguments=arguments):  # a parameter may be a reference
                found.update(a.name for a in arguments if isinstance(a, tree.Name))
            case tree.Declaration(declarators=declarators, type=type_):
                for declarator in declarators:
                    if (declarator.reference or type_.reference) and declarator.init is not None:
                        found.update(a.name for a in declarator.init.arguments if isinstance(a, tree.Name))
            case _:
                pass
    return found


_SOMETIMES = (tree.If, tree.While, tree.DoWhile, tree.For, tree.Switch, tree.Conditional)


def reassigned_names(block: tree.Block) -> frozenset[str]:
    """Names that a body assigns to where it may be executed never or again: in branches and loops."""
    found: set[str] = set()
    seen: set[int] = set()
    nodes = walk(block)
    for node in nodes:
        sometimes = isinstance(node, _SOMETIMES) or (isinstance(node, tree.Binary) and node.op in ("&&", "||"))
        inside = walk(node) if sometimes and id(node) not in seen else ()
        seen.update(map(id, inside))
        targets = (inner.target for inner in inside if isinstance(inner, (tree.Assign, tree.Step)))
        found.update(target.name for target in targets if isinstance(target, tree.Name))
    for node in nodes:
        match node:
            case tree.Step(target=tree.Name(name=name)):  # a pointer steps through an array: a value at run time
                found.add(name)
            case tree.Call(function=tree.Member(name=function), arguments=(tree.Name(name=name), *_)) if (
                function.startswith("compare_exchange_")  # what it finds is put into what was expected
            ):
                found.add(name)
            case _:
                pass
    return frozenset(found)


def names_in_memory(block: tree.Block) -> frozenset[str]:
    """Names of locals that need an address: ``&`` is applied, an atomic_ref or another thread refers to them."""
    found: set[str] = set()
    for node in walk(block):
        match node:
            case tree.Construct(type=tree.TypeName(name=name), arguments=(tree.Name(name=local), *_)) if (
                names.unqualified(name) == "atomic_ref"
            ):
                found.add(local)
            case tree.Declaration(type=tree.TypeName(name=name), declarators=declarators) if (
                names.unqualified(name) == "atomic_ref"
            ):
                found.update(_initial_names(declarators))
            case tree.Unary(op="&", operand=tree.Name(name=local)):
                found.add(local)
            case tree.Call(function=tree.Name(name=name), arguments=(tree.Name(name=local), *_)) if names.unqualified(
                name
            ) in ("ref", "cref"):
                found.add(local)
            case _:
                pass
    return frozenset(found)


def _initial_names(declarators: tuple[tree.Declarator, ...]) -> set[str]:
    return {a.name for d in declarators if d.init for a in d.init.arguments if isinstance(a, tree.Name)}


def launches_or_calls_the_api(statement: object) -> bool:
    """Whether a loop's body launches, creates threads, or calls the API."""
    for node in walk(statement):
        match node:
            case tree.Launch():
                return True
            case tree.Call(function=tree.Name(name=name)) if name.startswith("cuda") and "::" not in name:
                return True
            case tree.Call(function=tree.Member(name=name)) if name in ("join", "emplace_back", "push_back"):
                return True
            case tree.Construct(type=tree.TypeName(name=name)) | tree.TypeName(name=name) if names.unqualified(
                name
            ) in ("thread", "jthread"):
                return True
            case _:
                pass
    return False
