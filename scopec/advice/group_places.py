"""Barriers of groups and of ``cuda::barrier``: what could be narrower, or go.

What a name stands for is taken from the text, which is enough to try: who changes it has it read again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.advice.steps import Place, Step, Word, removable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.source import Source

_GROUP = r"(?P<{0}>this_grid|this_cluster|this_thread_block)\s*\(\s*\)"
_SYNC = re.compile(
    r"(?:\b\w+::)*\b(?:" + _GROUP.format("made") + r"|(?P<name>\w+))\s*\.\s*(?P<call>sync|arrive_and_wait)\s*\(\s*\)"
    r"|(?:\b\w+::)+sync\s*\(\s*(?:(?:\w+::)*" + _GROUP.format("given") + r"|(?P<argument>\w+))\s*\)"
)
_TYPES = {"grid_group": "this_grid", "cluster_group": "this_cluster", "thread_block": "this_thread_block"}
_NAMED = r"\b(?:{types})\s*(?:const\s*)?&?\s*{name}\b|\b{name}\s*[={{(]\s*(?:\w+::)*(?P<made>{made})\b"
#: What is spelt with one step less at a time, by what a group is of.
_NARROWER = {
    "this_grid": ("__syncthreads()", "__syncwarp()"),
    "this_cluster": ("__syncthreads()", "__syncwarp()"),
    "this_thread_block": ("__syncwarp()",),
}
_SAVED = {"this_grid": "barrier of a grid", "this_cluster": "barrier of a cluster", "this_thread_block": "barrier"}


def group_places(source: Source, code: str) -> Iterator[Place]:
    """The barriers of groups of a C++ text, and those that are objects."""
    for found in _SYNC.finditer(code):
        of = found["made"] or found["given"] or _kind(code, found["name"] or found["argument"])
        if found["call"] == "arrive_and_wait":
            of = ""
        narrower = _NARROWER.get(of, ())
        saves = [_SAVED[of]] if of else ["barrier of an object"]
        saves += ["barrier", "barrier of a warp"][-len(narrower) :] if narrower else []
        names = [f"narrower {n}" for n in range(len(narrower))] + ["warp"]
        steps = tuple(
            Step(name, what, frozenset(names[:at])) for at, (name, what) in enumerate(zip(names, saves, strict=True))
        )
        spellings = (found.group(), *narrower)

        def spelt(taken: frozenset[str], spellings: tuple[str, ...] = spellings) -> str:
            return spellings[min(len(taken), len(spellings) - 1)]

        yield removable(source, code, found.span(), steps, (Word(*found.span(), spelt),), frozenset({"warp"}))


def _kind(code: str, name: str) -> str:
    """What a name is a group of, as far as the text says it; nothing of other groups and objects."""
    pattern = _NAMED.format(types="|".join(_TYPES), made="|".join(_NARROWER), name=re.escape(name))
    kinds = {
        found["made"] or _TYPES[re.split(r"\W", found.group(), maxsplit=1)[0]] for found in re.finditer(pattern, code)
    }
    return kinds.pop() if len(kinds) == 1 else ""
