"""Symbolic execution of a thread that takes one way, whatever it reads: a node after another, up to its end.

Most threads of a large launch branch on their indices and on counts alone.  Nothing meets there, no register has to be
forgotten, and no loop has to be tried: the operations are performed in the order in which the general execution
(:mod:`scopec.memory.unfold.symbolic`) performs them, and nothing else.  A thread that may take two ways, or comes to
one place often, is left to that, as it was.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.memory.unfold.accesses import TooComplexError
from scopec.memory.unfold.operations import Operations
from scopec.memory.unfold.unfolding import defined
from scopec.program import ir
from scopec.program.values import Const

if TYPE_CHECKING:
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.unfolding import State, Unfolding

#: How often a thread may come to one place: the general execution sees that nothing ends a loop by its registers.
MOST_TURNS = 100


def executed(out: Unfolding, thread: ir.Thread, guard: Guard, observed: frozenset[str]) -> bool:
    """Whether a thread takes one way where ``guard`` holds; what it does there is added to ``out`` if so."""
    mark, evaluations = out.mark(), out.evaluations
    run = Operations(out, thread, observed)
    run.trying = True  # of a value that becomes too large it is decided elsewhere whether a loop makes it so
    try:
        end, turns = _end(run, guard)
    except TooComplexError:
        end, turns = None, 0
    if end is None:
        out.undo(mark)
        out.evaluations = evaluations
        return False
    final = {name: end.registers[name] for register in observed for name in (register, defined(register))
             if name in end.registers}  # fmt: skip
    out.ends.append((thread.name, replace(end, registers=final)))
    out.unrolled = max(out.unrolled, turns - 1)
    return True


def _end(run: Operations, guard: Guard) -> tuple[State | None, int]:
    """The state at the end of the one way, if there is one, and how often the thread comes to one place."""
    nodes, number, state = run.thread.body.nodes, run.thread.body.entry, run.start(guard)
    turns: Counter[int] = Counter()
    while True:
        turns[number] += 1
        if turns[number] > MOST_TURNS:
            return None, 0
        match nodes[number]:
            case ir.Do(operation, span, following):
                state, number = run.perform(state, operation, span), following
                if state.guard.never:
                    return None, 0  # a check fails, or it waits in vain
            case ir.Branch(condition, span, then, otherwise):
                value = run.value(state, condition, span)
                if not isinstance(value, Const):
                    return None, 0
                number = then if value.value else otherwise
            case ir.Exit():
                return state, max(turns.values())
