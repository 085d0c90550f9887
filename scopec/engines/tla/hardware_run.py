"""Reads TLC's answer about the example hardware of HRF0 back: a run of the hardware as a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import EngineError
from scopec.engines.tla.run import moment
from scopec.progress.replay import move
from scopec.progress.schedule import Ending, Moment, Move, Schedule
from scopec.progress.stuck import origin

if TYPE_CHECKING:
    from scopec.engines.tla.emit import Module
    from scopec.engines.tla.read import Result, State
    from scopec.program import ir
    from scopec.progress.system import System

#: The steps of the memory by itself: the action of the module, and its words in a schedule.
_BY_ITSELF = {
    "Drains": "its write buffer drains",
    "WritesBack": "the cache of its group is written back",
    "Evicts": "the cache of its group drops a line",
    "Prefetches": "the cache of its group fetches a line",
    "Invalidates": "its acquire flushes and invalidates, late",
}


def witness(result: Result, system: System, module: Module) -> Schedule | None:
    """The run of the hardware that reaches what a module looks for, or None where there is none.

    EngineError where the hardware breaks one of its invariants.
    """
    if result.outcome == "holds":
        return None
    if result.outcome != "invariant" or result.invariant != "NotFound":
        raise EngineError(f"the generated specification violates {result.invariant}: this is a bug in scopec")
    moments = [_moment(state, system, module) for state in result.behaviour]
    actions = [state.action for state in result.behaviour[1:]]
    owners = [_late(system, module, *pair) for pair in pairwise(result.behaviour)]
    moves = tuple(
        _move(system, *pair, action, owner)
        for pair, action, owner in zip(pairwise(moments), actions, owners, strict=True)
    )
    return Schedule(moments[0], moves, Ending.FOUND, None, ())


def _moment(state: State, system: System, module: Module) -> Moment:
    memory = dict(_named(state.values["mem"], system, module)) if "mem" in state.values else {}
    values = {name: value for name, value in state.values.items() if name != "mem"}
    return replace(moment(replace(state, values=values), system, module), memory=memory)


def _named(hardware: Mapping[str, Any], system: System, module: Module) -> Iterator[tuple[str, object]]:
    """The lines of a state of the hardware under the names of the source; empty ones are left out."""
    names, objects = module.names, system.program.objects
    blocks, threads = names.blocks, names.threads

    def name(location: tuple[Any, ...]) -> str:
        object_ = objects[names.fields[location[0]]]
        element = f"[{location[1]}]" if object_.array else ""
        instance = f" of {blocks.get(location[2], location[2])}" if len(location) > 2 else ""
        return f"{object_.name}{element}{instance}"

    for location, value in hardware["global"].items():
        yield name(location), value
    for whose, lines in hardware["cache"].items():
        for location, line in lines.items():
            if line["is"] != "empty":
                yield f"{name(location)} in the cache of {blocks.get(whose, threads.get(whose, whose))}", line["value"]
    for whose, lines in hardware["buffer"].items():
        for location, line in lines.items():
            if line["is"] != "empty":
                yield f"{name(location)} in the buffer of {threads[whose]}", line["value"]


def _late(system: System, module: Module, before: State, after: State) -> ir.Thread | None:
    """The thread whose late acquire is completed in a step."""
    was, is_ = before.values["mem"]["late"], after.values["mem"]["late"]
    name = module.names.thread
    ended = [t for t in system.everyone if was[name(t)] != "thread" and is_[name(t)] == "thread"]
    return ended[0] if ended else None


def _move(system: System, before: Moment, after: Moment, action: str, owner: ir.Thread | None) -> Move:
    if action not in _BY_ITSELF:
        return move(system, before, after, action, finds=False)
    names = {n for n in {*before.memory, *after.memory} if before.memory.get(n) != after.memory.get(n)}
    changes = {n: str(after.memory[n]) for n in sorted(names) if n in after.memory}
    thread = owner or _owner(system, before, names, changes)
    label = before.labels[thread.name]
    span = system.steps[label].span if label in system.steps else origin(system, thread)
    return Move(thread.name, label, _BY_ITSELF[action], span, changes, after)


def _owner(system: System, before: Moment, names: set[str], changes: Mapping[str, str]) -> ir.Thread:
    """The thread whose buffer, or whose group's cache, is concerned."""
    for thread in system.everyone:
        cache = f"in the cache of {thread.name if thread.is_host else thread.block_name}"
        written_back = any(str(before.memory.get(f"{n} {cache}")) == value for n, value in changes.items())
        if written_back or any(n.endswith((f"in the buffer of {thread.name}", cache)) for n in names):
            return thread
    return system.everyone[0]
