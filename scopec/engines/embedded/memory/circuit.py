"""Boolean circuits: conjunctions, constants folded and equal ones shared, translated to clauses where they are used.

A literal is a variable or its negation, as in DIMACS.  A gate is translated in the polarity in which it is used only
(Plaisted and Greenbaum, "A structure-preserving clause form translation", 1986).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TRUE = 1
FALSE = -1


class Clauses(Protocol):
    """A sink for clauses: a list, or a solver."""

    def append(self, clause: list[int], /) -> None:
        """One more."""

    def extend(self, clauses: Iterable[list[int]], /) -> None:
        """Some more."""


class Circuit:
    """Gates over free variables, and the ``clauses`` for those that are used.

    ``lazy`` is whether someone will show it the models that a solver finds, so that large laws need not be written out.
    """

    def __init__(self, clauses: Clauses, *, lazy: bool = False) -> None:
        self.lazy = lazy
        #: For each variable the conjunction that it stands for; None if it is free.
        self._inputs: list[tuple[int, ...] | None] = [None, None]
        self._gates: dict[tuple[int, ...], int] = {}
        self._used = {TRUE}
        self._joined: dict[int, frozenset[int]] = {}
        self._definitions: dict[int, Callable[[], None]] = {}
        #: What is too large to be written out: each asks for what a model lacks, and says whether it lacked something.
        self._laws: list[Callable[[Callable[[int], bool]], bool]] = []
        self.clauses = clauses
        clauses.append([TRUE])

    def fresh(self) -> int:
        """A free variable."""
        self._inputs.append(None)
        return len(self._inputs) - 1

    def both(self, a: int, b: int) -> int:
        """``a and b``."""
        if a in (TRUE, b):
            return b
        if b == TRUE:
            return a
        if a == FALSE or b == FALSE or a == -b:
            return FALSE
        return self._gate((a, b) if a < b else (b, a))

    def without(self, a: int, b: int) -> int:
        """``a and not b``, with a look for what rules that out plainly."""
        return FALSE if self.implies(a, b) else self.both(a, -b)

    def all(self, literals: Iterable[int]) -> int:
        """The conjunction of literals."""
        chosen = set(literals)
        chosen.discard(TRUE)
        if not chosen:
            return TRUE
        if len(chosen) == 1:
            return chosen.pop()
        if FALSE in chosen or any(-a in chosen for a in chosen):
            return FALSE
        return self._gate(tuple(sorted(chosen)))

    def any(self, literals: Iterable[int]) -> int:
        """The disjunction of literals."""
        return -self.all([-a for a in literals])

    def either(self, a: int, b: int) -> int:
        """``a or b``."""
        return -self.both(-a, -b)

    def choose(self, test: int, then: int, otherwise: int) -> int:
        """``then`` where ``test`` holds, else ``otherwise``."""
        return self.either(self.both(test, then), self.both(-test, otherwise))

    def _gate(self, key: tuple[int, ...]) -> int:
        known = self._gates.get(key)
        if known is None:
            self._inputs.append(key)
            known = self._gates[key] = len(self._inputs) - 1
        return known

    def implies(self, a: int, b: int) -> bool:
        """Whether ``b`` is plainly true where ``a`` is: as one of the literals that are joined in it."""
        parts = self._parts(a)
        return b in parts or (b > 0 and all(part in parts for part in self._inputs[b] or (b,)))

    def _parts(self, literal: int) -> frozenset[int]:
        known = self._joined.get(literal)
        if known is None:
            inputs = (self._inputs[literal] if literal > 0 else None) or ()
            known = self._joined[literal] = frozenset((TRUE, literal)).union(*map(self._parts, inputs))
        return known

    def when_used(self, literal: int, define: Callable[[], None]) -> None:
        """Call ``define`` once when a literal of a free variable is first used."""
        self._definitions[literal] = define

    def add_law(self, law: Callable[[Callable[[int], bool]], bool]) -> None:
        """Show every model to ``law``, which adds clauses that the model does not satisfy, or returns False."""
        self._laws.append(law)

    def refuted(self, model: Sequence[int]) -> bool:
        """Whether a model breaks a law; there are more clauses then."""
        holds = self.reader(model)
        broken = [law(holds) for law in self._laws]
        return any(broken)

    def release(self) -> None:
        """Forget what is to be done when literals are used and of models, which refers to this circuit."""
        self._definitions.clear()
        self._laws.clear()

    def use(self, literal: int) -> int:
        """Make sure that a literal can be true only where what it stands for is; returns it."""
        work = [literal]
        while work:
            wanted = work.pop()
            if wanted in self._used:
                continue
            self._used.add(wanted)
            inputs = self._inputs[abs(wanted)]
            if inputs is None:
                define = self._definitions.get(wanted)
                if define is not None:
                    define()
            elif wanted > 0:
                for a in inputs:
                    # What is not both of two literals needs no name here.
                    parts = (self._inputs[-a] if a < 0 else None) or ()
                    negated = [-part for part in parts] if len(parts) == 2 else [a]
                    self.clauses.append([-wanted, *negated])
                    work.extend(negated)
            else:
                self.clauses.append([-wanted, *(-a for a in inputs)])
                work.extend(-a for a in inputs)
        return literal

    def reader(self, model: Sequence[int]) -> Callable[[int], bool]:
        """Tells whether a literal holds in a model: each variable in its place, from 1, or its negation.

        A gate that no clause defines has no value from a solver; a free variable that is in no clause is false.
        """
        return _Reader(self._inputs, model).holds

    def require(self, *literals: int) -> None:
        """Ask that one of some literals holds."""
        if TRUE in literals:
            return
        used = self._used
        self.clauses.append([a if a in used else self.use(a) for a in literals if a != FALSE])

    def contain(self, free: int, *literals: int) -> None:
        """Ask that a free variable is true where some literals are; no use of what the variable stands for."""
        used = self._used
        if FALSE not in literals:
            self.clauses.append([free, *[-a if -a in used else self.use(-a) for a in literals if a != TRUE]])

    def exactly_one(self, literals: Iterable[int], when: int = TRUE) -> None:
        """Ask that exactly one of some literals holds where ``when`` does, and none elsewhere."""
        chosen = list(literals)
        self.require(-when, *chosen)
        for a in chosen:
            self.require(-a, when)
        self.at_most_one(chosen)

    def at_most_one(self, literals: Iterable[int]) -> None:
        """Ask that no two of some literals hold."""
        chosen = list(literals)
        for i, a in enumerate(chosen):
            for b in chosen[i + 1 :]:
                self.require(-a, -b)


class _Reader:
    """The values of gates in a model."""

    def __init__(self, inputs: Sequence[tuple[int, ...] | None], model: Sequence[int]) -> None:
        self.inputs = inputs
        self.model = model
        self.known = {TRUE: True}

    def holds(self, literal: int) -> bool:
        """Whether a literal does."""
        if abs(literal) not in self.known:
            work = [abs(literal)]
            while work:  # gates nest deeper than Python could recur
                needed = self._evaluate(work[-1])
                if needed is None:
                    work.pop()
                else:
                    work.append(needed)
        return self.known[abs(literal)] == (literal > 0)

    def _evaluate(self, gate: int) -> int | None:
        """Find the value of a gate; an input that has to be known first, if there is one."""
        inputs = self.inputs[gate]
        if inputs is None:
            self.known[gate] = gate <= len(self.model) and self.model[gate - 1] > 0
            return None
        for literal in inputs:
            known = self.known.get(abs(literal))
            if known is None:
                return abs(literal)
            if known != (literal > 0):
                self.known[gate] = False
                return None
        self.known[gate] = True
        return None
