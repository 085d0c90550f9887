"""Readings of what no document says, on which a verdict rests (docs/memory-models.md, "Asynchronous copies ...")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.explain.agents import outlives
from scopec.explain.reasons import race_of
from scopec.memory.execution import Execution
from scopec.program.expectations import PROGRESS_KINDS

if TYPE_CHECKING:
    from scopec.explain.verdict import Check
    from scopec.session.inquiry.run import Run

_FENCES = "which accesses a `fence.proxy.async` covers"
_BLOCKS = "that copies to and from shared memory have to be complete when their block ends"
_COPIES = "that a copy which is issued is complete at last"


def rests_on(run: Run, check: Check) -> tuple[str, ...]:
    """The readings on which a verdict rests: none of one that is unknown."""
    if check.verdict == "unknown":
        return ()
    if check.expectation.kind in PROGRESS_KINDS:
        return (_COPIES,) if "agents" in run.extensions else ()
    found = [_FENCES] if "async_proxy" in run.extensions and not check.expectation.implicit else []
    pair = race_of(check)
    if pair is not None and isinstance(check.trace, Execution) and outlives(check.trace, pair) is not None:
        found = [_BLOCKS]
    return tuple(found)
