"""Data and control dependence between the instructions of a function."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.frontends.clang.llvm import code as llvm
from scopec.frontends.clang.llvm.flow import locals_in, targets

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


class Dependence:
    """The dependences of a function's instructions."""

    def __init__(self, function: llvm.Function) -> None:
        self._blocks = function.blocks
        self._known: dict[tuple[str, int], set[tuple[str, int]]] = {}

    def after(self, origin: tuple[str, int]) -> set[tuple[str, int]]:
        """The instructions that an operand of the same expression would not be: all that depend on one."""
        if origin not in self._known:
            self._known[origin] = self._after(origin)
        return self._known[origin]

    def _after(self, origin: tuple[str, int]) -> set[tuple[str, int]]:
        label, at = origin
        needing: dict[str, list[tuple[str, int]]] = self._uses
        found: set[tuple[str, int]] = set()
        work = [self._blocks[label][at].result]
        while work:
            for user in needing.get(work.pop() or "", ()):
                if user not in found:
                    found.add(user)
                    work.append(self._blocks[user[0]][user[1]].result)
        chosen = {target for place in found & self._branching for target in self._decided(*place)}
        return found | {
            (label, at)
            for label, block in self._blocks.items()
            if self._dominators[label] & chosen
            for at in range(len(block))
        }

    def _decided(self, label: str, at: int) -> Collection[str]:
        """The blocks that are executed if a branch says so; not those behind checks, which are part of an operand."""
        ways = targets(self._blocks[label][at].action)
        if len(ways) < 2 or not all(way in self._returning for way in ways):
            return ()
        return [way for way in ways if self._before[way] == {label}]

    @cached_property
    def _branching(self) -> set[tuple[str, int]]:
        """The instructions after which control may go to one of several blocks."""
        places = {(label, at) for label, block in self._blocks.items() for at in range(len(block))}
        return {(label, at) for label, at in places if len(targets(self._blocks[label][at].action)) > 1}

    @cached_property
    def _uses(self) -> dict[str, list[tuple[str, int]]]:
        found: dict[str, list[tuple[str, int]]] = {}
        for label, block in self._blocks.items():
            for at, instruction in enumerate(block):
                if not isinstance(instruction.action, llvm.Declare):
                    for name in locals_in(instruction.action):
                        found.setdefault(name, []).append((label, at))
        return found

    @cached_property
    def _before(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {label: set() for label in self._blocks}
        for label, block in self._blocks.items():
            for target in targets(block[-1].action):
                found[target].add(label)
        return found

    @cached_property
    def _returning(self) -> set[str]:
        """The blocks from which the function may return."""
        found = {label for label, block in self._blocks.items() if isinstance(block[-1].action, llvm.Return)}
        work = list(found)
        while work:
            new = self._before[work.pop()] - found
            found |= new
            work += new
        return found

    @cached_property
    def _dominators(self) -> Mapping[str, frozenset[str]]:
        everything = frozenset(self._blocks)
        first = next(iter(self._blocks))
        found = dict.fromkeys(self._blocks, everything) | {first: frozenset({first})}
        changed = True
        while changed:
            changed = False
            for label in self._blocks:
                before = [found[one] for one in self._before[label]]
                if label != first and before:
                    now = frozenset.intersection(*before) | {label}
                    changed |= now != found[label]
                    found[label] = now
        return found
