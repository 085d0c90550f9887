"""Boolean circuits: conjunctions, constants folded and equal ones shared, translated to clauses where they are used.

A literal is a variable or its negation, as in DIMACS.  A gate is translated in the polarity in which it is used only
(Plaisted and Greenbaum, "A structure-preserving clause form translation", 1986).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TRUE = 1
FALSE = -1


class Circuit:
    """Gates over free variables, and the clauses for those that are used."""

    def __init__(self) -> None:
        #: For each variable the conjunction that it stands for; None if it is free.
        self._inputs: list[tuple[int, ...] | None] = [None, None]
        self._gates: dict[tuple[int, ...], int] = {}
        self._used = {TRUE}
        self._definitions: dict[int, Callable[[], None]] = {}
        #: What is to be given to a solver; whoever takes clauses empties it.
        self.clauses: list[list[int]] = [[TRUE]]

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

    def when_used(self, literal: int, define: Callable[[], None]) -> None:
        """Call ``define`` once when a literal of a free variable is first used."""
        self._definitions[literal] = define

    def release(self) -> None:
        """Forget what is to be done when literals are used, which refers to this circuit."""
        self._definitions.clear()

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
                self.clauses.extend([-wanted, a] for a in inputs)
                work.extend(inputs)
            else:
                self.clauses.append([-wanted, *(-a for a in inputs)])
                work.extend(-a for a in inputs)
        return literal

    def reader(self, assignment: Mapping[int, bool]) -> Callable[[int], bool]:
        """Tells whether a literal holds under an assignment of the free variables.

        A gate that no clause defines has no value from a solver; a free variable that is in no clause is false.
        """
        known = {TRUE: True}

        def holds(literal: int) -> bool:
            gate = abs(literal)
            if gate not in known:
                inputs = self._inputs[gate]
                known[gate] = assignment.get(gate, False) if inputs is None else all(holds(a) for a in inputs)
            return known[gate] == (literal > 0)

        return holds

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
