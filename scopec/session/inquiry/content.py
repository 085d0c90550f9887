"""Objects whose initial content nobody states, although the course of a thread depends on it.

An object holds what its line says: zeros where it says nothing.  A program that reads its input there is asked for that
input alone, and a verdict about it says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.effects import effects, overwritten, place_of, registers, uses_and_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.base.source import Source
    from scopec.program.program import Program

#: The most lines of a declaration.
_LINES = 3


def not_given(program: Program, source: Source) -> tuple[str, ...]:
    """The names of objects without a content on which a branch or an index depends, as the source calls them.

    Those that a thread writes are none: what they hold is the program's affair.
    """
    written: set[str] = set()
    for body in _bodies(program):
        for node in body.nodes.values():
            if isinstance(node, ir.Do) and effects(node.operation).writes and (place := place_of(node.operation)):
                written.add(place.object)
    return _bare_and_deciding(program, source, written)


def deciding(program: Program, source: Source) -> tuple[str, ...]:
    """As :func:`not_given`, with those that threads write."""
    return _bare_and_deciding(program, source, set())


def _bodies(program: Program) -> list[ir.Body]:
    return [program.host.body, *(t.body for t in program.others), *(g.body for g in program.grids.values())]


def _bare_and_deciding(program: Program, source: Source, without: set[str]) -> tuple[str, ...]:
    bare = {name for name, object_ in program.objects.items() if name not in without and _is_bare(object_, source)}
    found = set[str]().union(*(_deciding(body, bare) for body in _bodies(program))) if bare else set()
    return tuple(dict.fromkeys(name.partition("[")[0] for name in program.objects if name in found))


def _is_bare(object_: ir.Object, source: Source) -> bool:
    """Whether nothing gives an object its content: no initialiser, and no registration with the runtime."""
    if object_.use is not ir.Use.DATA or any(object_.values):
        return False
    if all(value is None for value in object_.values):
        return True
    if object_.span.file != source.name:
        return False
    name = re.escape(re.split(r"[.\[]", object_.name)[0])
    text = "\n".join(source.line(object_.span.line + n) or "" for n in range(_LINES))
    declared = re.search(rf"\b{name}\b\s*(?:\[[^\]]*\]\s*)*(.?)", text)
    return declared is not None and declared[1] in (";", ",")


def _deciding(body: ir.Body, objects: Iterable[str]) -> set[str]:
    """Those of some objects whose values a branch, or an index of a thread, is computed from."""
    sources: dict[str, set[str]] = {}
    for node in body.nodes.values():
        if isinstance(node, ir.Do) and effects(node.operation).reads:
            place = place_of(node.operation)
            if place is not None and place.object in objects:
                for target in overwritten(node.operation):
                    sources.setdefault(target, set()).add(place.object)
    changed = bool(sources)
    while changed:
        changed = False
        for node in body.nodes.values():
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Set):
                used, made = uses_and_definitions(node)
                more = set[str]().union(*(sources.get(name, set()) for name in used))
                for target in made if more else ():
                    before = len(sources.setdefault(target, set()))
                    sources[target] |= more
                    changed = changed or len(sources[target]) > before
    deciding: set[str] = set()
    for node in body.nodes.values():
        place = place_of(node.operation) if isinstance(node, ir.Do) else None
        value = node.condition if isinstance(node, ir.Branch) else None if place is None else place.index
        for name in () if value is None else registers(value):
            deciding |= sources.get(name, set())
    return deciding
