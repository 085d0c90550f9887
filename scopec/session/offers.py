"""Conditions under which a question about all launches has a proof: guessed, proved, and then offered."""

from __future__ import annotations

from scopec.base.limits import worked
from scopec.frontends.clang.kernels import Kernel
from scopec.frontends.clang.prepare import Every
from scopec.session import witness
from scopec.session.kernel_sizes import OFFER, OfKernel
from scopec.session.witnessed import Found
from scopec.sizes import pairs as meeting
from scopec.sizes.conditions import Condition, conditions
from scopec.sizes.questions import Model

#: Seconds for one question about a guess.
_LOOK = 0.4


def offered(
    kind: str, on: str, said: Every | None, kernel: Kernel, of: OfKernel, launched: OfKernel | None
) -> str | None:  # fmt: skip
    """What gets an expectation, or its opposite, a proof: only the launches of the host code, or a condition."""
    if launched is not None and launched.has_launches():
        launched.seconds = OFFER
        found = launched.about(kind, on)
        if found is not None and found.verdict == "holds":
            return f"try: `//@ every {kernel.name} as launched;`, of the launches in this file it holds"
    condition = _condition(of, kernel, kind, on)
    if condition is None:
        return None
    before = f"({said.condition}) && " if said is not None and said.condition else ""
    of_host = " as launched" if said is not None and said.launched else ""
    return f"try: `//@ every {kernel.name}{of_host} where {before}{condition};`, of these launches it holds"


def _condition(of: OfKernel, kernel: Kernel, kind: str, on: str) -> str | None:
    """A condition in C++ that gets a proof; None where none is found in time."""
    if isinstance(of.form, Found) or witness.unwritten(kernel) is not None:
        return None
    search = _Search(of, kind, on)
    numbers = frozenset(one.name for one in kernel.parameters if one.kind == "number")
    for guess in conditions(of.form[0], numbers):
        if worked() > search.end:
            return None
        if search.proves(guess):
            return guess.text
    return None


class _Search:
    """Guesses about one question: what refutes one is asked of the others first."""

    def __init__(self, of: OfKernel, kind: str, on: str) -> None:
        self._of, self._kind, self._on = of, kind, on
        self.end = worked() + of.end.within(OFFER)
        self._models: list[Model] = []
        self._hard: list[meeting.Pair] = []
        self._settles(of)

    def proves(self, guess: Condition) -> bool:
        """Whether the question has a proof under a guess, and launches with two threads that it is about."""
        if any(guess.may_hold(model) for model in self._models):
            return False
        narrowed = self._of.narrowed(guess.term)
        narrowed.seconds = max(0.0, self.end - worked())
        if not self._settles(narrowed):
            return False
        if self._kind in ("uniform", "divergent") and not narrowed.has_barrier_of_two():
            return False
        found = narrowed.about(self._kind, self._on)
        return found is not None and found.verdict == "holds"

    def _settles(self, of: OfKernel) -> bool:
        """Whether nothing is left open; two threads that are found refute other guesses too."""
        if self._kind in ("uniform", "divergent"):
            self._models += (answer for _, _, answer in of.differing if isinstance(answer, Model))
            return not of.differing
        wanted = of.wanted(self._on)
        pairs = meeting.pairs(of.launches.form, of.order)
        left = [*self._hard, *(pair for pair in pairs if pair.first.first.object in wanted)]
        while left:
            pair = left.pop(0)
            answer = of.meet(pair, _LOOK, shown=False) if worked() < self.end else None
            singles = list(pair.single()) if answer != "none" else []
            left = [*singles, *left]
            if answer != "none" and not singles:
                self._hard = [pair, *(one for one in self._hard if one != pair)]
                self._models += [answer] if isinstance(answer, Model) else []
                return False
        return True
