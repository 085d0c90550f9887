"""A barrier that is missing between two accesses of a block: a line of the text where one may stand.

It is written into the text, which is then read again: what a barrier joins depends on control flow, calls and loops,
and those are the reader's business.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import ScopecError
from scopec.base.limits import limited
from scopec.base.source import Source
from scopec.explain.fixes import Replacement, replaced
from scopec.frontends.scoped.syntax.scan import scan, without_literals
from scopec.progress.divergence import divergent_barriers
from scopec.session.plan import plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scopec.memory.execution import Execution
    from scopec.session.plan import Overrides
    from scopec.session.run import Run

STATEMENT = "__syncthreads();"
#: How many places are tried.
_MOST = 4
#: What only some threads of a block may execute; a condition on the block is one for all of them.
_CONDITIONAL = re.compile(r"\s*(?:(?:else\s+)?if\b(?![^;{}]*\bblockIdx\b)|switch\b|case\b|default\b)")


def barriers(run: Run, execution: Execution) -> Iterator[Replacement]:
    """A barrier at each place that may help against a race of threads of one grid, the nearest first."""
    threads = {t.name: t.grid for t in run.program.threads}
    for one, other in execution.race:
        first, second = sorted((one.span, other.span))
        grid = run.program.grids.get(threads.get(one.thread) or "")
        here = run.source.name == first.file == second.file and first.file.endswith(".cu")
        if here and grid is not None and threads.get(other.thread) == grid.name and grid.threads.count > 1:
            for line in islice(_places(run.source, first.end_line, second.line, second.end_line), _MOST):
                yield _statement(run.source, line)
            return


def with_barrier(run: Run, added: Replacement, overrides: Overrides, seconds: float) -> Run | None:
    """The same variant of the text with a statement more; None where that is no program, or one that takes longer to
    read, or some threads of a block cannot come to the barrier."""
    text = replaced(run.source, [added])
    try:
        with limited(seconds, None):
            runs = plan_of(Source(run.source.name, text), Path(run.file), replace(overrides, cache=False)).runs
    except ScopecError:
        return None
    found = next((r for r in runs if (r.name, r.on_hardware) == (run.name, run.on_hardware)), None)
    if found is None or any(at.line == added.span.line for at, *_ in divergent_barriers(found.program)):
        return None
    return found


def in_words(added: Replacement) -> str:
    """The change in words."""
    return f"{added.text.strip().removesuffix(';')} before line {added.span.line}"


def _statement(source: Source, line: int) -> Replacement:
    beside = next((text for text in reversed(source.lines[: line - 1]) if text.strip()), "")
    if beside.rstrip().endswith(("{", "}")) and source.line(line).strip() != "}":
        beside = source.line(line)
    at = source.offset(line, 1)
    return Replacement(source.span(at, at), beside[: len(beside) - len(beside.lstrip())] + STATEMENT + "\n")


def _places(source: Source, after: int, before: int, later: int) -> Iterator[int]:
    """Lines before which a barrier may stand: after the first access, before and after the second, then further out."""
    depths = _depths(without_literals(scan(source).code).split("\n"))
    down, up, again = _outwards(depths, after + 1, 1), _outwards(depths, before, -1), _outwards(depths, later + 1, 1)
    return iter(dict.fromkeys(line for line in chain.from_iterable(zip_longest(down, up, again)) if line is not None))


def _outwards(depths: Sequence[int | None], line: int, step: int) -> Iterator[int]:
    """From a line on, the next place in each of the blocks around it, in functions alone."""
    least = None
    while 0 < line < len(depths):
        depth = depths[line]
        if depth is not None and depth > 0 and (least is None or depth < least):
            least = depth
            yield line
        line += step


def _depths(code: Sequence[str]) -> list[int | None]:
    """Of each line, from 1: how many blocks are around its beginning; None where no statement for all may begin."""
    depths: list[int | None] = [None]
    blocks: list[str] = []
    head, round_ = "", 0
    for text in code:
        ended = not head.strip() and not round_ and not text.lstrip().startswith("else")
        depths.append(len(blocks) if ended and not any(map(_CONDITIONAL.match, blocks)) else None)
        for letter in text:
            round_ += (letter == "(") - (letter == ")")
            if letter == "{":
                blocks.append(head)
            elif letter == "}" and blocks:
                blocks.pop()
            head = "" if letter in "{}" or (letter == ";" and not round_) else head + letter
        head += "\n"
    return depths
