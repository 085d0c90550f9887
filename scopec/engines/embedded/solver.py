"""MiniSat 2.2 as python-sat has it: the functions under its classes, which need a third of what those import."""

from __future__ import annotations

from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

import pysolvers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Solver:
    """A solver of ``clauses``, until it is closed."""

    def __init__(self, clauses: Iterable[Sequence[int]]) -> None:
        self._solver: Any = pysolvers.minisat22_new()
        for clause in clauses:
            self.add_clause(clause)

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        solver, self._solver = self._solver, None
        pysolvers.minisat22_del(solver)

    def add_clause(self, clause: Sequence[int]) -> None:
        """One more."""
        pysolvers.minisat22_add_cl(self._solver, clause)

    def solve(self, assumptions: Sequence[int]) -> bool | None:
        """Whether all clauses can be true where some literals are; None if it was interrupted."""
        in_main_thread = current_thread() is main_thread()
        found: bool | None = pysolvers.minisat22_solve_lim(self._solver, assumptions, int(in_main_thread), 1)
        return found

    def model(self) -> Sequence[int]:
        """The literals that are true, after they could be."""
        return pysolvers.minisat22_model(self._solver) or []

    def interrupt(self) -> None:
        """Give up, from another thread."""
        if self._solver is not None:
            pysolvers.minisat22_interrupt(self._solver)
