"""A printable form of labelled steps, for tests, for ``--keep`` and for ``scopec compile --show steps``."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from scopec.program.values import show
from scopec.progress.describe import describe
from scopec.progress.steps import Arrival, BarrierWrite, Either, Fork, Goto, Made, Operated, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.program.values import Value
    from scopec.progress.steps import Machine
    from scopec.progress.system import System


def show_steps(system: System) -> str:
    """The machines, each with the threads that run it, the way to its first labels, and its steps."""
    threads = (*system.hosts, *system.threads, *system.tasks)
    lines: list[str] = []
    for owner, machine in system.machines.items():
        running = [t.name for t in threads if owner in (t.grid, t.name)]
        lines += [f"steps of {', '.join(running) or owner}", *show_machine(machine, system)]
    for grid, before in system.before.items():
        lines += [f"{grid} after {', '.join(before)}"] * bool(before)
    return "".join(f"{line}\n" for line in lines)


def show_machine(machine: Machine, system: System) -> Iterator[str]:
    """Each label with what its step does, whether that counts as progress, until when it blocks, and where it leads."""
    yield from _tree("  begins", machine.entry)
    for label, step in machine.steps.items():
        until = "" if step.guard is None else f", once {show(step.guard)}"
        counts = " (counts)" if step.counts else ""
        yield from _tree(f"  {label}: {describe(step.operation, system.program)}{until}{counts}", step.tree)


def _tree(head: str, tree: Tree) -> Iterator[str]:
    """A tree behind the text that it belongs to: on the same line, or its branches on lines of their own below."""
    inside = " " * (len(head) - len(head.lstrip()) + 4)
    match tree:
        case Goto(label, updates, write):
            written = [] if write is None else [_stores(write)]
            done = ", ".join([*written, *(f"{register} = {show(value)}" for register, value in updates)])
            yield f"{head} -> {label}" + (f" with {done}" if done else "")
        case Fork(condition, then, otherwise):
            yield head
            yield from _tree(f"{inside}if {show(condition)}", then)
            yield from _tree(f"{inside}else", otherwise)
        case Either(first, second):
            yield head
            yield from _tree(f"{inside}either", first)
            yield from _tree(f"{inside}or", second)
        case _:
            assert_never(tree)


def _stores(write: Value | BarrierWrite) -> str:
    match write:
        case Made(count):
            return f"makes it of {show(count)}"
        case Arrival(update, drop):
            return f"{show(update)} {'dropped' if drop else 'arrived'}"
        case Operated():
            return "its change"
        case _:
            return f"stores {show(write)}"
