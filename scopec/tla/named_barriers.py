"""Barriers with names (PTX's ``bar.sync`` and ``bar.arrive``) in TLA+.

``tokens`` holds a triple of thread, barrier and phase for each arrival whose phase is not over; a phase is counted from
the barrier's current one.  The k-th arrival of a thread at a barrier belongs to its k-th phase.  With a count it is of
the current phase, or of the one after those in which the thread has arrived, and the last of a phase ends it:
"When a barrier completes, the waiting threads are restarted without delay, and the barrier is reinitialized so that it
can be immediately reused" (PTX ISA, "bar").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.values import Const
from scopec.tla.names import strings

if TYPE_CHECKING:
    from scopec.progress.steps import Step
    from scopec.progress.system import System
    from scopec.tla.actions import Actions
    from scopec.tla.names import Names


def is_used(system: System) -> bool:
    """Whether some thread uses a barrier with a name."""
    return any(isinstance(s.operation, ir.NamedBarrier) for s in system.steps.values())


def definitions(system: System, names: Names) -> list[str]:
    """The operators that arrivals and waits need."""
    if not is_used(system):
        return []
    texts: dict[tuple[int | None, ...], list[str]] = {}
    for thread in system.threads:
        for name in dict.fromkeys(_names(thread)):
            texts.setdefault(name, []).append(names.thread(thread))
    partners = [_takes(name, users) for name, users in texts.items()]
    return [
        "\\* the threads of a block whose text arrives at a barrier",
        "Takes(u, b) ==",
        *(f"  \\/ {takes}" for takes in partners),
        "Partners(b) == {u \\in DeviceThreads : BlockOf[u] = b[1] /\\ Takes(u, b)}",
        "Tokens(t, b) == {x \\in tokens : x[1] = t /\\ x[2] = b}",
        "Phase(t, b)  == Cardinality(Tokens(t, b))",
        "Arrived(t, b) == tokens \\cup {<<t, b, Phase(t, b) + 1>>}",
        "\\* phases up to the k-th are over, and the next is the first",
        "Passed(all, b, k) == {x \\in all : x[2] # b} \\cup",
        "                     {<<x[1], b, x[3] - k>> : x \\in {y \\in all : y[2] = b /\\ y[3] > k}}",
        "\\* every thread that may arrive has arrived or exited",
        "Joined(b, k)    == \\A u \\in Partners(b) : <<u, b, k>> \\in tokens \\/ Done(u)",
        "\\* so many arrivals are a phase",
        "Counted(all, b, n) ==",
        "  IF Cardinality({x \\in all : x[2] = b /\\ x[3] = 1}) >= n THEN Passed(all, b, 1) ELSE all",
    ]


def _names(thread: ir.Thread) -> list[tuple[int | None, ...]]:
    """The names in a thread's text, None for a part that is computed."""
    operations = [n.operation for n in thread.body.nodes.values() if isinstance(n, ir.Do)]
    names = [op.name for op in operations if isinstance(op, ir.NamedBarrier)]
    return [tuple(part.value if isinstance(part, Const) else None for part in name) for name in names]


def _takes(name: tuple[int | None, ...], users: list[str]) -> str:
    known = [f"b[{i}] = {part}" for i, part in enumerate(name, start=2) if part is not None]
    return " /\\ ".join([f"u \\in {strings(users)}", f"Len(b) = {len(name) + 1}", *known])


def _barrier(actions: Actions, step: Step, operation: ir.NamedBarrier) -> str:
    printer = actions.printer(step)
    return f"<<{', '.join(['BlockOf[t]', *(printer.value(part) for part in operation.name)])}>>"


def arrive(actions: Actions, step: Step, operation: ir.NamedBarrier) -> list[str]:
    """Arriving at the next phase; the arrival that completes the count of a phase ends it."""
    barrier = _barrier(actions, step, operation)
    after = f"Arrived(t, {barrier})"
    if operation.count is not None:
        after = f"Counted({after}, {barrier}, {actions.printer(step).value(operation.count)})"
    return [f"/\\ tokens' = {after}", *actions.way(step.tree, step, changed={"tokens"})]


def leave(actions: Actions, step: Step, operation: ir.NamedBarrier) -> list[str]:
    """Waiting for the end of the phase of the last arrival, and leaving."""
    barrier = _barrier(actions, step, operation)
    phase = f"Phase(t, {barrier})"
    if operation.count is not None:
        return actions.blocking(step, f"{phase} = 0", actions.way(step.tree, step))
    lines = [f"/\\ tokens' = Passed(tokens, {barrier}, {phase})", *actions.way(step.tree, step, changed={"tokens"})]
    return actions.blocking(step, f"{phase} = 0 \\/ Joined({barrier}, {phase})", lines)
