"""The progress question, and the question about the example hardware of HRF0, as values for an engine."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scopec.base.records import dataclass, replace
from scopec.program.program import Program
from scopec.progress import models
from scopec.progress.build import beginning, build, made
from scopec.progress.reductions import Reductions
from scopec.progress.system import readings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.base.source import Span
    from scopec.program.observe import Formula
    from scopec.progress.models import Model, Property
    from scopec.progress.passes import Making
    from scopec.progress.system import System


@dataclass(frozen=True)
class ProgressProblem:
    """Whether a program has a property under a progress model and options, on a machine with given attributes.

    ``settled`` as in :class:`System`; ``reductions`` are those that may be made of it.
    """

    name: str
    header: tuple[str, ...]
    program: Program
    model: Model
    options: Mapping[str, str]
    given: Mapping[str, str]
    property: Property
    settled: frozenset[str] = frozenset()
    reductions: Reductions = Reductions()

    @cached_property
    def system(self) -> System:
        """The labelled steps."""
        return replace(made(self.beginning), settled=self.settled)

    @cached_property
    def beginning(self) -> Making:
        """The stage before any pass; where each turn of a poll matters it is a step."""
        polls = self.reductions.polls and self.model.has_host and self.property == "Termination"
        reductions = replace(self.reductions, polls=polls)
        return beginning(self.program, self.model, reductions, readings(self.options, self.given))


def hardware_system(program: Program, options: Mapping[str, str], observed: Mapping[str, frozenset[str]]) -> System:
    """The labelled steps of a program on the example hardware: every access to memory and every fence is one."""
    reductions = Reductions(start=False, local=False, registers=False, objects=False)
    return build(program, models.CUDA, reductions, readings(options, {}), observed)


@dataclass(frozen=True, slots=True)
class Hardware:
    """The optimisations of section 4.3 that the example hardware has."""

    early_acquire: bool = False
    write_through: bool = False
    selective: bool = False


@dataclass(frozen=True)
class Sought:
    """The goal of a search: final states that satisfy a condition, any final state, or failures of an assertion.

    ``otherwise`` looks for those that do not satisfy it: where a local has no value, neither ``r == 1`` nor ``r != 1``
    holds, so that is not the negated condition.
    """

    formula: Formula | None = None
    assertion: Span | None = None
    otherwise: bool = False


@dataclass(frozen=True)
class HardwareProblem:
    """Whether the example hardware can reach what is sought: safety only.

    ``observed`` are the registers that checks observe, by grid, or by thread where it has none.
    """

    name: str
    header: tuple[str, ...]
    system: System
    hardware: Hardware
    observed: Mapping[str, frozenset[str]]
    sought: Sought
    span: Span
