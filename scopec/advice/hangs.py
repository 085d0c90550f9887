"""Orders, scopes and fences under which no execution gets stuck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.advice.edits import AddFence, Edit, acquire_release
from scopec.base.diagnostics import ScopecError
from scopec.hangs.missing import unordered_steps
from scopec.program import ir
from scopec.session.inquiry.hangs import search
from scopec.session.inquiry.verdicts import property_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.hangs.execution import StuckExecution
    from scopec.program.expectations import Expectation
    from scopec.session.inquiry.ask import Inquiry


def never_stuck(inquiry: Inquiry, expectation: Expectation, seconds: float) -> bool:
    """Whether no execution of a run gets stuck, as far as the engine that answers at once finds out in some time."""
    run = inquiry.run
    if not run.asks_hangs or run.whole is not None:
        return True
    try:
        found = inquiry.quickly(search(run, property_of(expectation)).problem, seconds)
    except ScopecError:
        return False
    return not found.unanswered and all(execution is None for execution in found.answers.values())


def families(
    execution: StuckExecution,
    scopes: list[Edit],
    stronger: Callable[[Callable[..., ir.Order]], list[Edit]],
    needed: ir.Scope,
) -> Iterator[list[Edit]]:
    """Families of edits that may help, the mildest first: wider scopes, acquire and release, seq_cst, and fences."""
    yield scopes
    yield [*stronger(acquire_release), *scopes]
    yield [*stronger(lambda _: ir.Order.SEQ_CST), *scopes]
    steps = unordered_steps(execution)
    yield [*dict.fromkeys(AddFence(first.span, needed, before=False) for first, _ in steps), *scopes]
