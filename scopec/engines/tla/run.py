"""Runs TLC on a generated module and brings its answer home."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import EngineError
from scopec.base.records import dataclass
from scopec.engines.java.processes import failure, ran_out
from scopec.engines.java.workers import Question
from scopec.engines.tla.read import Result, State, read, states_so_far
from scopec.progress.replay import schedule
from scopec.progress.schedule import Ending, Moment, Schedule

if TYPE_CHECKING:
    from scopec.engines.java.jars import Jar
    from scopec.engines.java.workers import Workers
    from scopec.engines.tla.emit import Module
    from scopec.engines.tla.names import Names
    from scopec.progress.system import System

_OUT = "tlc-out"
_DRIVER = Path(__file__).with_name("in_jvm.py")


@dataclass(frozen=True)
class Answer:
    """TLC's answer about one module: what it printed, with its exit status, and what that means.

    ``output`` and ``result`` are None at the time limit; ``states`` are those seen so far.
    """

    result: Result | None
    states: int | None
    seconds: float
    output: tuple[str, int] | None = None


def run(jar: Jar, module: str, workers: Workers, folder: Path, seconds: float | None, processors: int = 1) -> Answer:
    """Check ``module``.tla with ``module``.cfg, both in ``folder``; EngineError where TLC gives no answer."""
    (folder / _OUT).mkdir(exist_ok=True)
    finished = workers.run(question(jar, module, folder, processors), folder, seconds)
    if finished.status is None:
        return Answer(None, states_so_far(finished.stdout), finished.seconds)
    if "@!@!@STARTMSG" not in finished.stdout or finished.status < 0 or ran_out(finished.stdout):
        raise failure(finished, "TLC")
    result = read(finished.stdout, finished.status)
    return Answer(result, result.states, finished.seconds, (finished.stdout, finished.status))


def question(jar: Jar, module: str, folder: Path, processors: int = 1) -> Question:
    """A run of TLC on a module.

    ``-fp 0`` with one worker makes counterexamples repeatable: there are no more ``processors`` where one may be shown.
    The state folder is the run's own (engines note).
    """
    folder = folder.resolve()
    arguments = [
        "-tool", "-fp", "0", "-workers", str(processors), "-metadir", str(folder / f"{module}.states"),
        "-config", f"{module}.cfg", f"{module}.tla",
    ]  # fmt: skip
    path, out = str(jar.path.resolve()), folder / _OUT / f"{module}.txt"
    request = {"driver": str(_DRIVER), "jar": path, "folder": str(folder), "arguments": arguments, "out": str(out)}
    return Question(jar.pinned.title, request, ["-cp", path, "tlc2.TLC", *arguments], out)


def counterexample(result: Result, system: System, module: Module) -> Schedule | None:
    """The schedule of a violated property, or None for a result without a behaviour."""
    if not result.behaviour:
        return None
    moments = [moment(state, system, module) for state in result.behaviour]
    actions = [state.action for state in result.behaviour[1:]]
    if result.outcome == "deadlock":
        return schedule(system, moments, actions, Ending.DEADLOCK, None)
    if result.outcome == "invariant" and result.invariant == "Defined":
        return schedule(system, moments, actions, Ending.UNDEFINED, None)
    if result.outcome == "invariant" and result.invariant != "NotStuck":
        raise EngineError(f"the generated specification violates {result.invariant}: this is a bug in scopec")
    if result.loop_to is not None:
        return schedule(system, moments, actions, Ending.LASSO, result.loop_to)
    return schedule(system, moments, actions, Ending.STOP, None)


def moment(state: State, system: System, module: Module) -> Moment:
    """A state at source names; registers without a value are left out."""
    values: Mapping[str, Any] = state.values
    names = module.names
    labels = {names.threads[name]: label for name, label in values["pc"].items()}
    memory = {names.fields[name]: _by_block(value, names) for name, value in _items(values.get("mem"))}
    registers = {
        names.threads[thread]: {names.fields[name]: v for name, v in _items(fields) if v is not None}
        for thread, fields in _items(values.get("reg"))
    }
    grids = names.strings
    issued = tuple(grids[name] for name in values.get("issued", ()))
    if "after" in values:
        after = {grids[g]: tuple(sorted(grids[f] for f in fs)) for g, fs in values["after"].items()}
    else:
        after = {g: tuple(f for f in issued[:n] if system.ordered(f, g)) for n, g in enumerate(issued)}
    events = {grids[e]: tuple(sorted(grids[g] for g in gs)) for e, gs in _items(values.get("event"))}
    triggered = frozenset(names.blocks[block] for block in values.get("triggered", ()))
    return Moment(labels, memory, registers, issued, after, events, triggered)


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _by_block(value: Any, names: Names) -> Any:
    """The value of an object; where each block has one, under the blocks' own names."""
    return {names.blocks.get(key, key): v for key, v in value.items()} if isinstance(value, dict) else value
