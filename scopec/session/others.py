"""Other executions than the one of a verdict: those that show the same, and those that do not, nearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import UsageError
from scopec.base.records import dataclass
from scopec.explain.differences import distance
from scopec.explain.reasons import failing_assertions
from scopec.explain.verdict import UNDEFINED
from scopec.hangs.execution import StuckExecution
from scopec.memory.execution import Execution
from scopec.session.final_states import identity, listing

if TYPE_CHECKING:
    from scopec.explain.verdict import Check
    from scopec.session.asking import Asking
    from scopec.session.inquiry.run import Run

#: The executions that are looked at.
LIMIT = 2_000


@dataclass(frozen=True)
class Others:
    """Complete executions, nearest to the first one first: those that show what it shows, and those that do not.

    ``unfinished`` says why there may be more of them.
    """

    first: Execution
    same: tuple[Execution, ...]
    different: tuple[Execution, ...]
    unfinished: tuple[str, ...]


def others(run: Run, check: Check, settings: Asking) -> Others:
    """The other executions beside a verdict's; UsageError where it has none that says something by itself."""
    first = check.trace
    if not isinstance(first, Execution) or isinstance(first, StuckExecution):
        raise UsageError(
            f"--next and --nearest begin with an execution that shows a race, an outcome or a failed assertion, and "
            f"`{check.expectation.text}` has none"
        )
    found = listing(run, settings, LIMIT)
    every = [execution for state in found.states for execution in state.every]
    wanted = _shown(first, check)
    far = {id(e): distance(first, e) for e in every}
    near = sorted(every, key=lambda e: (far[id(e)], identity(e)))
    same = tuple(e for e in near if far[id(e)] and _shown(e, check) == wanted)
    different = tuple(e for e in near if _shown(e, check) != wanted)
    return Others(first, same, different, found.unfinished)


def _shown(execution: Execution, check: Check) -> object:
    """What an execution says about a check: whether it races, ends as a condition says, or fails an assertion."""
    expectation = check.expectation
    if expectation.kind in ("race_free", "race") or check.reason == UNDEFINED:
        return execution.racing_pair(expectation.target) is not None
    if expectation.formula is not None:
        about = expectation.restriction is None or execution.observe(expectation.restriction)
        return bool(about), bool(execution.observe(expectation.formula))
    return bool(failing_assertions(execution, check))
