"""Launches of dependent grids: the host issues what their streams have before them on every path, and their events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error
from scopec.program import ir
from scopec.program.streams import prerequisite, queued, waits_for

if TYPE_CHECKING:
    from scopec.base.source import Span
    from scopec.program.program import Program


def check_dependent(program: Program) -> None:
    """InputError where it depends on a path which grid a dependent one depends on.

    The order in which grids are issued is that of ``program.grids`` then, as each launch dominates the end of ``main``.
    """
    work = queued(program)
    for name in work:
        if prerequisite(work, name) is None:
            continue
        for grid in program.grids.values():
            if waits_for(work[name].stream, grid.stream) and not _always(program.host.body, grid.name):
                message = f"a dependent launch, and a launch of {grid.name} that is not made on every path,"
                help_ = (
                    "launch on every path in this stream, or without cudaLaunchAttributeProgrammaticStreamSerialization"
                )
                raise error(Code.OUTSIDE_SUBSET, f"{message} are outside the modelled subset", grid.span, help_)


def check_launch_events(program: Program) -> None:
    """InputError where a host thread names an event that the launch of another one records: nobody knows the last."""
    recorded: dict[str, set[str]] = {}
    named: list[tuple[str, str, Span]] = []
    for thread in (program.host, *program.others):
        for node in thread.body.nodes.values():
            if not isinstance(node, ir.Do):
                continue
            if isinstance(node.operation, ir.LaunchGrid):
                for of_launch in program.grids[node.operation.grid].events:
                    recorded.setdefault(of_launch.event, set()).add(thread.name)
                    named.append((of_launch.event, thread.name, node.span))
            elif isinstance(node.operation, ir.EventRecord | ir.EventWait | ir.EventSynchronize | ir.EventQuery):
                named.append((node.operation.event, thread.name, node.span))
    for event, name, span in named:
        if recorded.get(event, {name}) != {name}:
            message = f"event {event}, which a launch records, in several host threads is outside the modelled subset"
            help_ = "record it, and wait for it, in one thread, or record it with cudaEventRecord"
            raise error(Code.OUTSIDE_SUBSET, message, span, help_)


def _always(body: ir.Body, grid: str) -> bool:
    """Whether every path through a body launches a grid."""
    seen: set[int] = set()
    left = [body.entry]
    while left:
        number = left.pop()
        node = body.nodes[number]
        if number in seen or (isinstance(node, ir.Do) and node.operation == ir.LaunchGrid(grid)):
            continue
        if isinstance(node, ir.Exit):
            return False
        seen.add(number)
        left += ir.successors(node)
    return True
