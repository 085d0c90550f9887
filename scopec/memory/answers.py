"""Tests whether an execution is what a question looks for, by scopec's own evaluation of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.paths import holds
from scopec.memory.execution import Execution
from scopec.memory.questions import Goal
from scopec.program.ir import BarrierFault
from scopec.program.mbarriers import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.memory.events.events import Assertion
    from scopec.memory.questions import Question


def mistakes(question: Question, execution: Execution) -> list[str]:
    """Differences between an execution and what a question looks for: none, by scopec's own evaluation of the model."""
    wrong = list(execution.problems)
    match question.goal:
        case Goal.RACE:
            target = question.target
            if not (execution.flagged if target is None else execution.racing_pair(target)):
                wrong.append("no race")
        case Goal.OUTCOME | Goal.COUNTER_OUTCOME:
            assert question.formula is not None
            if execution.observe(question.formula) is not (question.goal is Goal.OUTCOME):
                wrong.append("not the outcome")
        case Goal.WEAK:
            if execution.sequentially_consistent:
                wrong.append("sequentially consistent")
        case Goal.LEFT:
            assert question.paths is not None
            if not holds(question.paths, execution.outcomes):
                wrong.append("not the conditions of the threads")
        case Goal.ASSERTION | Goal.FAULT:
            early = question.goal is Goal.FAULT and execution.overruns
            if not (failed_assertions(execution, question.assertions) or early):
                wrong.append("no assertion fails")
        case _:
            pass
    may_stop = (Goal.PREFIX, Goal.RACE, Goal.FAULT, Goal.LONGER, Goal.OVERFLOW, Goal.LEFT, Goal.WEAK)
    if question.goal not in may_stop and not execution.complete:
        wrong.append("not complete")
    return wrong


def undefined_at(execution: Execution) -> str:
    """The undefined behaviour of an execution that has some, other than a race, and the line."""
    for assertion in failed_assertions(execution, execution.graph.faults):
        return f"line {assertion.span.line}: {assertion.text}"
    return f"line {execution.overruns[0].span.line}: {RULES[BarrierFault.OVERRUN]}"


def failed_assertions(execution: Execution, assertions: Iterable[Assertion]) -> list[Assertion]:
    """The assertions that are reached and fail in an execution."""
    return [a for a in assertions if a.guard.holds(execution.outcomes) and not execution.value(a.condition)]
