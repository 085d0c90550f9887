"""Classes of threads of a grid for which one run of the machine is enough.

A run gets the indices of its thread as numbers that note what is asked about them
(:mod:`scopec.frontends.clang.machine.tracked`).  The machine is a function of the answers and of what is known of the
program when the run begins.  So while no more is known, a thread with the same answers has the same graph, with its own
numbers where the other has sums of its indices: that graph is made without a run.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from operator import mul
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.frontends.clang.evaluation_order.footprints import each_once
from scopec.frontends.clang.machine.tracked import Asked, Factors, Maker, Range, maker
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from scopec.frontends.clang.evaluation_order.footprints import Site, Touch, Touched

#: The indices of a thread.
_INDICES = (*(f"{name}.{axis}" for name in ("threadIdx", "blockIdx") for axis in "xyz"), "clusterRank")
#: So many classes more than threads that were found in one: then indices are tracked no more, which takes longer.
MOST_ALONE = 64


@dataclass(frozen=True)
class _Class:
    """A thread's graph, the footprints of its instructions, what was asked about its indices, and what was known."""

    body: ir.Body
    touched: Touched
    ranges: tuple[tuple[Factors, Range], ...]
    known: Hashable

    def has(self, indices: Sequence[int]) -> bool:
        """Whether the answers for a thread with these indices are the same."""
        return all(sum(map(mul, factors, indices)) in numbers for factors, numbers in self.ranges)

    @cached_property
    def _nodes(self) -> dict[int, tuple[ir.Node, Maker | None]]:
        made: dict[int, Maker | None] = {}
        return {number: (node, maker(node, made)) for number, node in self.body.nodes.items()}

    @cached_property
    def _footprints(self) -> list[tuple[Site, list[tuple[Touch, Maker | None]]]]:
        return [(site, [(touch, maker(touch)) for touch in touches]) for site, touches in self.touched.items()]

    def of(self, indices: Sequence[int]) -> tuple[ir.Body, Touched]:
        """The graph and the footprints of a thread of the class."""
        nodes = {number: make(indices) if make else node for number, (node, make) in self._nodes.items()}
        touched = {
            site: list({make(indices) if make else touch: None for touch, make in touches})
            for site, touches in self._footprints
        }
        return replace(self.body, nodes=nodes), touched


class Classes:
    """The classes of a grid's threads that were found so far."""

    def __init__(self, threads: Sequence[Mapping[str, int]], blocks: int) -> None:
        self._names = [name for name in _INDICES if len({thread[name] for thread in threads}) > 1]
        #: By the sums of which a class has one number each, and by these.
        self._found: dict[tuple[Factors, ...], dict[tuple[int, ...], list[_Class]]] = {}
        #: The number of classes that may yet be found.
        self._left = MOST_ALONE + (len(threads) // blocks if blocks > 1 else 0)

    def of(self, thread: Mapping[str, int], known: Hashable) -> tuple[ir.Body, Touched] | None:
        """The graph and the footprints of a thread, by its constants, from those of its class; None if it has none."""
        indices = [thread[name] for name in self._names]
        for sums, found in self._found.items():
            for one in found.get(tuple(sum(map(mul, factors, indices)) for factors in sums), ()):
                if one.known == known and one.has(indices):
                    self._left += 1
                    return one.of(indices)
        return None

    def run(
        self, thread: Mapping[str, int], known: Callable[[], Hashable],
        run: Callable[[Mapping[str, int]], tuple[ir.Body, Touched]],
    ) -> tuple[ir.Body, Touched]:  # fmt: skip
        """The graph and the footprints of a thread by a run, from which those of its class are made."""
        if self._left <= 0:
            body, touched = run(thread)
            return body, each_once(touched)
        indices = [thread[name] for name in self._names]
        asked, before = Asked(indices), known()
        try:
            body, touched = run(asked.tracked(self._names, thread))
        finally:
            asked.open = False
        one = _Class(body, touched, asked.order(), known())
        if before == one.known:
            self._left -= 1
            self._add(one)
        return one.of(indices)

    def _add(self, one: _Class) -> None:
        sure = [(factors, int(numbers.low)) for factors, numbers in one.ranges if numbers.low == numbers.high]
        by = self._found.setdefault(tuple(factors for factors, _ in sure), defaultdict(list))
        by[tuple(number for _, number in sure)].append(one)
