"""``//@ storage``: the storage of an object, if C++ cannot express it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error, suggestion
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.frontends.c.syntax import tree

_WORDS = {s.value: s for s in ir.Storage if s is not ir.Storage.SHARED}


def stored(objects: Mapping[str, ir.Object], directive: tree.StorageDirective) -> dict[str, ir.Object]:
    """The objects that ``storage x = mapped, align = 2`` is about, as it says.

    Raises InputError for a name, a kind of memory, a setting or an alignment that there is not.
    """
    name, span = directive.name.name, directive.name.span
    chosen = [n for n in objects if n == name or n.startswith((f"{name}.", f"{name}["))]
    if not chosen:
        raise error(Code.BAD_DIRECTIVE, f"there is no object `{name}`", span, suggestion(name, objects))
    if directive.kind not in _WORDS:
        message = f"`{directive.kind}` is not a kind of memory"
        raise error(Code.BAD_DIRECTIVE, message, directive.span, f"the kinds are {', '.join(_WORDS)}")
    align: int | None = None
    for setting in directive.settings:
        if setting.name != "align":
            raise error(Code.BAD_DIRECTIVE, f"`{setting.name}` cannot be set here", setting.span, "only align can")
        if not setting.value.isdecimal() or int(setting.value) not in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            raise error(Code.BAD_DIRECTIVE, f"`{setting.value}` is not an alignment", setting.span, "use a power of 2")
        align = int(setting.value)
    return {
        one: replace(objects[one], storage=_WORDS[directive.kind], align=objects[one].align if align is None else align)
        for one in chosen
    }
