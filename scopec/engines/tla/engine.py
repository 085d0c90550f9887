"""TLC as an engine for the progress question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import Code, InputError
from scopec.engines.java.jars import NeedsJar
from scopec.engines.protocol import ProgressAnswer, ProgressEngine
from scopec.engines.tla import laws, run
from scopec.engines.tla.emit import emit
from scopec.engines.tla.read import read
from scopec.engines.tla.values import LAWS_MODULE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.engines.protocol import Call
    from scopec.engines.tla.emit import Module
    from scopec.engines.tla.read import Result
    from scopec.progress.questions import ProgressProblem

JAR = "tlc"
#: Device threads from which on TLC, which interleaves all their steps, takes minutes.
MANY_THREADS = 24


def module(problem: ProgressProblem, *, self_contained: bool = True) -> Module:
    """The TLA+ module that asks a progress question."""
    return emit(problem.system, problem.name, problem.header, problem.property, self_contained=self_contained)


def checked(module: Module, call: Call) -> tuple[Result | None, int | None, float, bool]:
    """TLC's result on a module (None at the time limit), states, seconds, and whether it was kept."""
    call.write(module.files)
    states: list[int | None] = [None]

    def ask() -> tuple[Any, float]:
        answer = run.run(call.jars[JAR], module.name, call.workers, call.folder, call.seconds, call.processors)
        states[0] = answer.states
        return answer.output, answer.seconds

    with call.timed("TLC"):
        printed, seconds, cached = call.remembered((call.jars[JAR].sha256, module.tla, module.cfg), ask)
    result = None if printed is None else read(*printed)
    return result, states[0] if result is None else result.states, seconds, cached


class Tlc(NeedsJar, ProgressEngine):
    """TLC, in a Java virtual machine."""

    jar = JAR

    def hesitates(self, problem: ProgressProblem) -> str | None:
        """Many threads take long, as every order of their steps is looked at; and numbers have 32 bits."""
        threads = len(problem.system.threads)
        if threads >= MANY_THREADS:
            return f"the steps of {threads} device threads would take TLC minutes"
        try:
            module(problem)
        except InputError as refused:
            if all(one.code is Code.VALUE_RANGE for one in refused.diagnostics):
                return refused.diagnostics[0].message
        return None

    def specification(self, problem: ProgressProblem) -> Mapping[str, str]:
        """A module and its configuration."""
        return module(problem).files

    def extending(self, problem: ProgressProblem) -> Mapping[str, str]:
        """The same, where the module extends that of the laws."""
        return {f"{LAWS_MODULE}.tla": laws.text(), **module(problem, self_contained=False).files}

    def solve(self, problem: ProgressProblem, call: Call) -> ProgressAnswer:
        """Check the module; what TLC prints is kept."""
        with call.timed("emit TLA+"):
            asked = module(problem)
        result, states, seconds, cached = checked(asked, call)
        if result is None:
            return ProgressAnswer(None, None, states, seconds)
        schedule = run.counterexample(result, problem.system, asked)
        return ProgressAnswer(result.outcome == "holds", schedule, states, seconds, cached)


PROGRESS = Tlc()
