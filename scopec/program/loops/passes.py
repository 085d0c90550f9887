"""The passes over a Program's loops, in their order: afterwards each wait is one that both questions can answer."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Self

from scopec.base import passes
from scopec.base.passes import Pass
from scopec.base.records import dataclass, replace
from scopec.program import ir
from scopec.program.loops.counters import left_open
from scopec.program.loops.delays import passed
from scopec.program.loops.empty import without_empty_loops
from scopec.program.loops.watchdogs import given_up, not_fired

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scopec.base.source import Span
    from scopec.program.program import Program

REDUCTION = "empty_loops"


@dataclass(frozen=True)
class Looping:
    """A Program between two passes over its loops.

    The ``observed`` registers matter at the end of a thread.  With ``gives_up`` a wait that a clock bounds gives up;
    else a watchdog does not fire.  ``skips`` says whether the reduction ``empty_loops`` is made, ``owed`` whether its
    precondition holds: the host provides progress.  ``supposed`` are the loops that are taken to end, though a value
    that is not modelled decides that, ``watchdogs`` those that do not fire, with whether they do anything before their
    traps.
    """

    program: Program
    observed: frozenset[str] = frozenset()
    gives_up: bool = False
    skips: bool = True
    owed: bool = True
    supposed: tuple[Span, ...] = ()
    watchdogs: Mapping[Span, bool] = field(default_factory=dict)

    def makes(self, reduction: str) -> bool:
        """Whether a reduction is not switched off."""
        return reduction == REDUCTION and self.skips

    def without(self, reduction: str) -> Self:
        """The same with a reduction switched off."""
        return replace(self, skips=self.skips and reduction != REDUCTION)

    @property
    def sizes(self) -> Mapping[str, int]:
        """The number of nodes of all graphs."""
        return {"nodes": sum(len(body.nodes) for body in self.program.bodies)}

    @property
    def form(self) -> str:
        """The form: a Program before and after."""
        return "program"

    @property
    def text(self) -> str:
        """The Program in print."""
        # Start-up: most calls print no form.
        from scopec.program.show import show_program

        return show_program(self.program)

    def with_bodies(self, change: Callable[[ir.Body], ir.Body]) -> Self:
        """The same with each graph changed."""
        return replace(self, program=self.program.with_bodies(change))


def _passed(stage: Looping) -> Looping:
    supposed: dict[Span, None] = {}

    def change(body: ir.Body) -> ir.Body:
        short, loops = passed(body, stage.observed)
        supposed.update(dict.fromkeys(loops))
        return short

    return replace(stage.with_bodies(change), supposed=tuple(supposed))


def _not_fired(stage: Looping) -> Looping:
    watchdogs: dict[Span, bool] = {}

    def unnoticed(name: str) -> bool:
        return stage.program.objects[name].use is ir.Use.PASSED

    def change(body: ir.Body) -> ir.Body:
        patient, fire = not_fired(body, unnoticed)
        watchdogs.update(fire)
        return patient

    return replace(stage.with_bodies(change), watchdogs=watchdogs)


PASSES: tuple[Pass[Looping], ...] = (
    Pass(
        without_empty_loops,
        "loops that do nothing but count to a limit are left out",
        lambda stage: stage.with_bodies(lambda body: without_empty_loops(body, stage.observed)),
        lambda stage: "the host provides progress" if stage.owed else None,
        reduction=REDUCTION,
    ),
    Pass(passed, "delays, which do nothing until a clock says so, have one turn", _passed),
    Pass(
        left_open,
        "whether a wait comes to a far count of its turns is left open",
        lambda stage: stage.with_bodies(lambda body: left_open(body, stage.observed)),
    ),
    Pass(
        not_fired,
        "a watchdog, which traps when a clock says so, does not fire",
        _not_fired,
        lambda stage: None if stage.gives_up else "",
    ),
    Pass(
        given_up,
        "a wait that a clock bounds gives up at last",
        lambda stage: stage.with_bodies(given_up),
        lambda stage: "" if stage.gives_up else None,
    ),
)


def run(begun: Looping) -> Looping:
    """The stage after all passes."""
    return passes.run(PASSES, begun)
