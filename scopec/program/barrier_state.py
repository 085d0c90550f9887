"""How the state of a ``cuda::barrier`` is one number."""

from __future__ import annotations

#: What a phase adds to the number, and what an arrival that each phase expects does; arrivals to come are its units.
PHASE, EXPECTED = 10000, 100


def barrier_state(state: int) -> tuple[int, int, int]:
    """The phase that a barrier is in, the arrivals that a phase expects, and those that are still to come."""
    return state // PHASE, state % PHASE // EXPECTED, state % EXPECTED
