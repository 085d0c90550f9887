"""Path conditions: when an event is executed, as a boolean function of the branch conditions.

Functions are reduced ordered binary decision diagrams (Bryant, "Graph-based algorithms for Boolean function
manipulation", 1986): equal functions are equal objects, and many branches one after the other stay small.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import values

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from scopec.program.values import Value

_NO, _YES = 0, 1


@dataclass
class Guards:
    """The guards of one event graph.  A node is (condition, node where it is false, node where it is true)."""

    _nodes: list[tuple[int, int, int]] = field(default_factory=lambda: [(1 << 60, 0, 0), (1 << 60, 1, 1)])
    _known: dict[tuple[int, int, int], int] = field(default_factory=dict)
    _results: dict[tuple[str, int, int], int] = field(default_factory=dict)
    _and: dict[tuple[int, int], int] = field(default_factory=dict)
    _or: dict[tuple[int, int], int] = field(default_factory=dict)
    names: values.Names = field(default_factory=values.Names)

    @property
    def always(self) -> Guard:
        """True on every path."""
        return Guard(self, _YES)

    @property
    def never(self) -> Guard:
        """True on no path."""
        return Guard(self, _NO)

    def literal(self, condition: int, truth: bool) -> Guard:
        """True where the condition came out as ``truth``."""
        return Guard(self, self._node(condition, *((_NO, _YES) if truth else (_YES, _NO))))

    def given(self, known: Mapping[int, bool]) -> Callable[[Guard], Guard]:
        """A function that makes guards simpler, and equal on all paths where conditions have a known outcome."""
        done = {_NO: _NO, _YES: _YES}

        def simpler(node: int) -> int:
            if node not in done:
                condition, low, high = self._nodes[node]
                truth = known.get(condition)
                if truth is None:
                    done[node] = self._node(condition, simpler(low), simpler(high))
                else:
                    done[node] = simpler(high if truth else low)
            return done[node]

        return lambda guard: Guard(self, simpler(guard.node))

    def _node(self, condition: int, low: int, high: int) -> int:
        if low == high:
            return low
        key = (condition, low, high)
        if key not in self._known:
            self._known[key] = len(self._nodes)
            self._nodes.append(key)
        return self._known[key]

    def _split(self, node: int, condition: int) -> tuple[int, int]:
        top, low, high = self._nodes[node]
        return (low, high) if top == condition else (node, node)

    # A path of a long program has more conditions than Python's stack has room for.

    def _computed(
        self, problem: tuple[int, int],
        known: Callable[[int, int], int | None],
        parts: Callable[[int, int], tuple[int, Sequence[tuple[int, int]]]],
        name: str,
    ) -> int:  # fmt: skip
        """The solution of a problem from those of its parts: of one part the same, of two a node over a condition."""
        found = known(*problem)
        work = [problem] if found is None else []
        while work:
            condition, needed = parts(*work[-1])
            solved: list[int] = []
            for part in needed:
                solution = known(*part)
                if solution is None:
                    work.append(part)
                    break
                solved.append(solution)
            else:
                found = solved[0] if len(solved) == 1 else self._node(condition, *solved)
                self._results[name, *work.pop()] = found
        assert found is not None
        return found

    def _both(self, a: int, b: int) -> int:
        return self._joined(a, b, _NO, self._and)

    def _one(self, a: int, b: int) -> int:
        return self._joined(a, b, _YES, self._or)

    def _joined(self, a: int, b: int, decides: int, results: dict[tuple[int, int], int]) -> int:
        """Two functions joined by an operation of which one operand ``decides``, and the other constant does nothing.

        Much of the time of kernels of whole warps is spent here, so nothing is called for a pair of nodes.
        """
        nodes, neutral = self._nodes, 1 - decides
        if a in (b, decides) or b == neutral:
            return a
        if b == decides or a == neutral:
            return b
        first = (a, b) if a < b else (b, a)
        work = [] if first in results else [first]
        while work:
            pair = a, b = work[-1]
            condition, a_low, a_high = nodes[a]
            other, b_low, b_high = nodes[b]
            if condition < other:
                b_low = b_high = b
            elif condition > other:
                condition, a_low, a_high = other, a, a
            solved = []
            for one, two in ((a_low, b_low), (a_high, b_high)):
                if one in (two, decides) or two == neutral:
                    solved.append(one)
                elif two == decides or one == neutral:
                    solved.append(two)
                else:
                    part = (one, two) if one < two else (two, one)
                    solution = results.get(part)
                    if solution is None:
                        work.append(part)
                        break
                    solved.append(solution)
            else:
                results[pair] = self._node(condition, *solved)
                work.pop()
        return results[first]

    def _apart(self, a: int, b: int) -> bool:
        """Whether no path satisfies both; their conjunction is not made, and the first path that does is enough."""
        nodes, work, seen = self._nodes, [(a, b)], set[tuple[int, int]]()
        while work:
            a, b = work.pop()
            if _NO in (a, b):
                continue
            if a == b or _YES in (a, b):
                return False
            pair = (a, b) if a < b else (b, a)
            if pair in seen or self._and.get(pair) == _NO:
                continue
            seen.add(pair)
            condition, a_low, a_high = nodes[a]
            other, b_low, b_high = nodes[b]
            if condition < other:
                b_low = b_high = b
            elif condition > other:
                a_low = a_high = a
            work += ((a_low, b_low), (a_high, b_high))
        self._and.update(dict.fromkeys(seen, _NO))
        return True

    def _not(self, a: int) -> int:
        return self._computed((a, a), self._known_not, self._parts_of_not, "not")

    def _known_not(self, a: int, _: int) -> int | None:
        return 1 - a if a in (_NO, _YES) else self._results.get(("not", a, a))

    def _parts_of_not(self, a: int, _: int) -> tuple[int, Sequence[tuple[int, int]]]:
        condition, low, high = self._nodes[a]
        return condition, [(low, low), (high, high)]

    def _restrict(self, a: int, care: int) -> int:
        """A function that equals ``a`` wherever ``care`` holds, with fewer conditions (Coudert and Madre, 1990)."""
        return self._computed((a, care), self._known_restricted, self._parts_of_restricted, "restrict")

    def _known_restricted(self, a: int, care: int) -> int | None:
        if care in (_NO, _YES) or a in (_NO, _YES):
            return a
        return self._results.get(("restrict", a, care))

    def _parts_of_restricted(self, a: int, care: int) -> tuple[int, Sequence[tuple[int, int]]]:
        top, low, high = self._nodes[care]
        condition = self._nodes[a][0]
        if low == _NO and top <= condition:
            return top, [(self._split(a, top)[1], high)]
        if high == _NO and top <= condition:
            return top, [(self._split(a, top)[0], low)]
        if top < condition:
            return top, [(a, self._one(low, high))]
        return condition, list(zip(self._split(a, condition), self._split(care, condition), strict=True))


@dataclass(frozen=True, slots=True)
class Guard:
    """One boolean function of branch conditions."""

    guards: Guards = field(repr=False, compare=False)
    node: int

    def __and__(self, other: Guard) -> Guard:
        return Guard(self.guards, self.guards._both(self.node, other.node))

    def __or__(self, other: Guard) -> Guard:
        return Guard(self.guards, self.guards._one(self.node, other.node))

    def __invert__(self) -> Guard:
        return Guard(self.guards, self.guards._not(self.node))

    @property
    def never(self) -> bool:
        """Whether no path satisfies it."""
        return self.node == _NO

    @property
    def always(self) -> bool:
        """Whether every path satisfies it."""
        return self.node == _YES

    @property
    def single(self) -> bool:
        """Whether it is one condition, or that one does not hold (not for constants)."""
        _, low, high = self.branch
        return (low.never and high.always) or (low.always and high.never)

    def choose(self, yes: Guard, no: Guard) -> Guard:
        """One guard where this holds, which is no constant, and another one elsewhere."""
        nodes = self.guards._nodes
        condition, low, high = nodes[self.node]
        if low + high == _YES and condition < min(nodes[yes.node][0], nodes[no.node][0]):
            one, other = (no, yes) if high else (yes, no)  # a condition that comes before theirs: one new node
            return Guard(self.guards, self.guards._node(condition, one.node, other.node))
        return (self & yes) | (~self & no)

    def along(self, outcomes: Mapping[int, bool]) -> Guard:
        """The guard that is left where conditions came out so, to the first one that is none of them."""
        nodes, node = self.guards._nodes, self.node
        while node > _YES:
            condition, low, high = nodes[node]
            outcome = outcomes.get(condition)
            if outcome is None:
                break
            node = high if outcome else low
        return Guard(self.guards, node)

    def excludes(self, other: Guard) -> bool:
        """Whether no path satisfies both."""
        return self.guards._apart(self.node, other.node)

    def implies(self, other: Guard) -> bool:
        """Whether every path that satisfies this one satisfies the other."""
        return self.excludes(~other)

    def where(self, care: Guard) -> Guard:
        """A simpler guard that equals this one wherever ``care`` holds."""
        return Guard(self.guards, self.guards._restrict(self.node, care.node))

    @property
    def branch(self) -> tuple[int, Guard, Guard]:
        """The first condition, the guard where it is false, and the guard where it is true (not for constants)."""
        condition, low, high = self.guards._nodes[self.node]
        return condition, Guard(self.guards, low), Guard(self.guards, high)

    @property
    def conditions(self) -> frozenset[int]:
        """The conditions that it depends on."""
        found: set[int] = set()
        seen = {_NO, _YES}
        work = [self.node]
        while work:
            node = work.pop()
            if node not in seen:
                seen.add(node)
                condition, *after = self.guards._nodes[node]
                found.add(condition)
                work += after
        return frozenset(found)

    def parts(self, known: Container[int] = ()) -> Iterator[Guard]:
        """The guards that it is made of, each behind its own, itself last; no constants, no known nodes."""
        return (Guard(self.guards, node) for node, *_ in self.nodes(known))

    def nodes(self, known: Container[int] = ()) -> Iterator[tuple[int, int, int, int]]:
        """The same as numbers: of each its own, its condition, and those where that is false and where it is true."""
        work, seen, nodes = [self.node], {_NO, _YES}, self.guards._nodes
        while work:
            node = work[-1]
            if node in seen or node in known:
                work.pop()
                continue
            condition, low, high = nodes[node]
            needed = [n for n in (low, high) if n not in seen and n not in known]
            if needed:
                work += needed
                continue
            seen.add(work.pop())
            yield node, condition, low, high

    def value(self, conditions: Sequence[Value], done: dict[int, Value] | None = None) -> Value:
        """The guard as a value over the leaves of the conditions; ``done`` are those of nodes with these conditions."""
        done = {} if done is None else done
        done |= {_NO: values.FALSE, _YES: values.TRUE}
        for guard in self.parts(done):
            number, low, high = guard.branch
            value = _either(conditions[number], low, high, lambda part: done[part.node])
            done[guard.node] = self.guards.names.short(value)
        return done[self.node]

    def holds(self, outcomes: Sequence[bool]) -> bool:
        """Whether the guard is true when condition ``i`` came out as ``outcomes[i]``."""
        guard = self
        while not (guard.always or guard.never):
            condition, low, high = guard.branch
            guard = high if outcomes[condition] else low
        return guard.always


def _either(condition: Value, low: Guard, high: Guard, of: Callable[[Guard], Value]) -> Value:
    """One guard where a condition is false, and one where it is true, as a value."""
    if low.never:
        return values.binary("&&", condition, of(high))
    negated = values.unary("!", condition)
    if high.always:
        return values.binary("||", condition, of(low))
    if high.never:
        return values.binary("&&", negated, of(low))
    if low.always:
        return values.binary("||", negated, of(high))
    return values.binary("||", values.binary("&&", condition, of(high)), values.binary("&&", negated, of(low)))
