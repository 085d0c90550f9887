"""Every node of a syntax tree."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from scopec.base.source import Span


def walk(node: object) -> list[object]:
    """Every node below (and with) a syntax tree, in order."""
    out: list[object] = []
    stack = _nodes((node,))[::-1]
    while stack:
        out.append(stack.pop())
        kind: Any = type(out[-1])
        stack += _nodes(tuple(getattr(out[-1], field) for field in _holding(kind)))[::-1]
    return out


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
