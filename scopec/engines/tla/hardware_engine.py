"""TLC as an engine for what the example hardware of HRF0 can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.engines.java.jars import NeedsJar
from scopec.engines.protocol import HardwareAnswer, HardwareEngine
from scopec.engines.tla.engine import JAR, checked
from scopec.engines.tla.hardware_run import witness
from scopec.engines.tla.outcomes import emit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.engines.protocol import Call
    from scopec.engines.tla.emit import Module
    from scopec.progress.questions import HardwareProblem


def module(problem: HardwareProblem) -> Module:
    """The TLA+ module that looks for what decides a check."""
    return emit(
        problem.system, problem.name, problem.header, problem.hardware, problem.observed, problem.sought, problem.span
    )


class TlcOnHardware(NeedsJar, HardwareEngine):
    """TLC, in a Java virtual machine."""

    jar = JAR

    def specification(self, problem: HardwareProblem) -> Mapping[str, str]:
        """A module and its configuration."""
        return module(problem).files

    def solve(self, problem: HardwareProblem, call: Call) -> HardwareAnswer:
        """Check the module's invariant, that nothing of what is sought is reached; what TLC prints is kept."""
        with call.timed("emit TLA+"):
            asked = module(problem)
        result, states, seconds, cached = checked(asked, call)
        if result is None:
            return HardwareAnswer(None, None, states, seconds)
        schedule = witness(result, problem.system, asked)
        return HardwareAnswer(schedule is not None, schedule, states, seconds, cached)


HARDWARE = TlcOnHardware()
