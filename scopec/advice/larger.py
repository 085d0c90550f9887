"""Larger launches of a program, as changes of its text: more blocks, more threads a block, or blocks of more warps.

Numbers that stand in a launch are changed, or the constant that it names, of which other sizes may be made too.
Whether the expectations speak of the larger launch, the program as it is has to tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scopec.explain.fixes import Replacement
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.base.source import Source
    from scopec.session.inquiry.run import Run

_SIZE = r"(?:dim3\s*[({]\s*)?%s\s*[)}]?"
_LAUNCHES = (
    re.compile(r"<<<\s*" + _SIZE % r"(?P<blocks>\w+)" + r"\s*,\s*" + _SIZE % r"(?P<threads>\w+)" + r"\s*[,>]"),
    re.compile(
        r"\bcudaLaunchCooperativeKernel\s*\([^,;]*,\s*" + _SIZE % r"(?P<blocks>\w+)" + r"\s*,\s*"
        + _SIZE % r"(?P<threads>\w+)" + r"\s*,"
    ),
)  # fmt: skip
#: What grows; the number of warps where a barrier of the block has become one of a warp.
AXES = ("blocks", "threads")
WARPS = "warps"
_LANES = 32


def larger(source: Source, axis: str) -> Iterator[tuple[Replacement, ...]]:
    """Twice as many blocks or threads in every launch, then one more; nothing where a launch does not say how many.

    Of warps as many times the threads as make two of the only one.
    """
    found = set[tuple[int, int]]()
    named = "threads" if axis == WARPS else axis
    for launch in (match for pattern in _LAUNCHES for match in pattern.finditer(source.text)):
        at = _number(source.text, launch[named], launch.span(named))
        if at is None:
            return
        found.add(at)
    tried = set[tuple[str, ...]]()
    fewest = min((int(source.text[slice(*at)]) for at in found), default=0)
    if axis == WARPS:
        ways = [(2 ** (_LANES // fewest).bit_length(), 0)] if 0 < fewest <= _LANES else []
    else:
        ways = [(2, 0), (1, 1)]
    for times, more in ways:
        sizes = tuple(str(times * int(source.text[slice(*at)]) + more) for at in sorted(found))
        if found and sizes not in tried:
            tried.add(sizes)
            yield tuple(Replacement(source.span(*at), n) for at, n in zip(sorted(found), sizes, strict=True))


def _number(text: str, word: str, at: tuple[int, int]) -> tuple[int, int] | None:
    """The place of the number that a word of a launch is, or that a constant of that name has."""
    if word.isdecimal():
        return at
    name = re.escape(word)
    definition = (
        rf"\b(?:const|constexpr)\b[\w\s:]*\b{name}\s*[={{]\s*(\d+)\s*}}?;|^[ \t]*#\s*define\s+{name}\s+(\d+)\s*$"
    )
    found = re.findall(rf"\bvary\s+{name}\b", text), list(re.finditer(definition, text, re.MULTILINE))
    if found[0] or len(found[1]) != 1:
        return None
    return found[1][0].span(1 if found[1][0][1] is not None else 2)


def launches(runs: Iterable[Run]) -> tuple[str, ...]:
    """The launches of some runs, in words."""
    said = dict[str, None]()
    for run in runs:
        for grid in run.program.grids.values():
            if grid.work is ir.Work.KERNEL:
                said[f"{grid.kernel}<<<{_extent(grid.blocks)}, {_extent(grid.threads)}>>>"] = None
        if run.is_litmus:
            said[f"its {len(run.program.threads) - 1} threads"] = None
    return tuple(said)


def _extent(one: ir.Dim) -> str:
    sizes = [one.x, one.y, one.z]
    while len(sizes) > 1 and sizes[-1] == 1:
        sizes.pop()
    return str(sizes[0]) if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"
