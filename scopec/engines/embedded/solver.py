"""Glucose 3 as python-sat has it: the functions under its classes, which need a third of what those import.

A small solver that starts at once, as the formulas of litmus tests ask for, does not get lost in those of locks, and
can be interrupted.
"""

from __future__ import annotations

from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

import pysolvers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Solver:
    """A solver of ``clauses``, until it is closed."""

    def __init__(self, clauses: Iterable[Sequence[int]]) -> None:
        self._solver: Any = pysolvers.glucose3_new()
        for clause in clauses:
            self.add_clause(clause)

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        solver, self._solver = self._solver, None
        pysolvers.glucose3_del(solver)

    def add_clause(self, clause: Sequence[int]) -> None:
        """One more."""
        pysolvers.glucose3_add_cl(self._solver, clause)

    def solve(self, assumptions: Sequence[int]) -> bool | None:
        """Whether all clauses can be true where some literals are; None if it was interrupted."""
        in_main_thread = current_thread() is main_thread()
        found: bool | None = pysolvers.glucose3_solve_lim(self._solver, assumptions, int(in_main_thread), 1)
        return found

    def model(self) -> Sequence[int]:
        """The literals that are true, after they could be."""
        return pysolvers.glucose3_model(self._solver) or []

    def interrupt(self) -> None:
        """Give up, from another thread."""
        if self._solver is not None:
            pysolvers.glucose3_interrupt(self._solver)
