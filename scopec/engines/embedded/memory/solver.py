"""Glucose 3 as python-sat has it: the functions under its classes, which need a third of what those import.

A small solver that starts at once, as the formulas of litmus tests ask for, does not get lost in those of locks, and
can be interrupted.
"""

from __future__ import annotations

from functools import partial
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from scopec.base.lazy_import import later

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pysolvers
else:
    pysolvers = later("pysolvers")


class Solver:
    """A solver, until it is closed."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._solver: Any = pysolvers.glucose3_new()
        self._add = partial(pysolvers.glucose3_add_cl, self._solver)

    def __enter__(self) -> Solver:
        return self

    def __exit__(self, *_: object) -> None:
        solver, self._solver = self._solver, None
        pysolvers.glucose3_del(solver)

    def clear(self) -> None:
        """Forget all clauses."""
        pysolvers.glucose3_del(self._solver)
        self._start()

    def append(self, clause: Sequence[int]) -> None:
        """One more clause."""
        self._add(clause)

    def extend(self, clauses: Iterable[Sequence[int]]) -> None:
        """Some more."""
        for clause in clauses:
            self._add(clause)

    def solve(self, assumptions: Sequence[int], conflicts: int = -1) -> bool | None:
        """Whether all clauses can be true where some literals are; None past ``conflicts`` or if it was interrupted."""
        pysolvers.glucose3_cbudget(self._solver, conflicts)
        found: bool | None = pysolvers.glucose3_solve_lim(self._solver, assumptions, int(_in_main_thread()), 1)
        return found

    def admits(self, assumptions: Sequence[int]) -> bool:
        """Whether some literals can be true as far as follows from each clause by itself (unit propagation)."""
        admitted: bool
        admitted, _ = pysolvers.glucose3_propagate(self._solver, assumptions, 0, int(_in_main_thread()))
        return admitted

    def model(self) -> Sequence[int]:
        """The literals that are true, after they could be."""
        return pysolvers.glucose3_model(self._solver) or []

    def interrupt(self) -> None:
        """Give up, from another thread."""
        if self._solver is not None:
            pysolvers.glucose3_interrupt(self._solver)


def _in_main_thread() -> bool:
    return current_thread() is main_thread()
