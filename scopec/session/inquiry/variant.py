"""A variant of a file under one memory model, and what is asked of it: data, and what its text says."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.options import PROGRAM_FACTS
from scopec.base.records import dataclass
from scopec.base.source import Source, Span
from scopec.engines.table import file_name
from scopec.memory.cat import registry
from scopec.memory.cat.permitted import ORDERS_ACCESSES, orders_by_syntax, permitted
from scopec.memory.graph import read
from scopec.memory.reductions import Reductions
from scopec.memory.unfold.sequencing import has_vectors
from scopec.program.expectations import MEMORY_KINDS, OUTCOME_KINDS, PROGRESS_KINDS, Expectation, Settings
from scopec.program.extensions import EXTENSIONS
from scopec.program.names import identifier
from scopec.program.program import Program
from scopec.program.streams import awaited_values
from scopec.progress import models as progress_models

# Start-up: many runs are not asked about progress, and import nothing of it.
if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.hangs.slicing import Slice
    from scopec.program.loops.passes import Looping
    from scopec.progress.models import Property
    from scopec.progress.reductions import Reductions as ProgressReductions


DEFAULT_MODEL = "cuda"
#: The name of the example hardware of HRF0 in `under` and `--memory`.
HARDWARE = "hrf0-hw"


@dataclass(frozen=True)
class Variant:
    """One variant of a file under one memory model, with what is asked of it.

    With ``on_hardware``, outcomes and assertions are asked of the example hardware of HRF0, not of the memory model.
    ``listing`` says whether every local variable is observed, not only those that expectations name.  ``not_asked`` is
    what is usually asked, and is not asked of this variant under any model; ``supposed`` are loops that are taken to
    end although a value that is not modelled decides whether they do.  ``without`` names the reductions
    that are switched off.  ``begun`` is the program before the passes over its loops, of which litmus files have none.
    ``guessed`` are the directives that a launch was guessed by, ``guess_notes`` what they leave out, ``guess_doubt``
    why a race may be one of the guess alone, ``guess_filled`` the arrays that it fills, ``share`` the part of the time
    limit that it gets.  ``compiled_by`` says what made the code of kernels, where that is not the text of the file.
    """

    file: str
    source: Source
    program: Program
    model: registry.Entry
    progress: progress_models.Model
    settings: Settings
    checks: tuple[Expectation, ...]
    void: tuple[Expectation, ...]
    on_hardware: bool = False
    listing: bool = False
    not_asked: tuple[str, ...] = ()
    supposed: tuple[Span, ...] = ()
    without: frozenset[str] = frozenset()
    begun: Looping | None = None
    guessed: tuple[str, ...] = ()
    guess_notes: tuple[str, ...] = ()
    guess_doubt: str | None = None
    guess_filled: tuple[str, ...] = ()
    share: float = 1.0
    compiled_by: str | None = None

    @cached_property
    def name(self) -> str:
        """A name for generated files: the file's stem, the variant, and the models that are not the default."""
        parts = [identifier(Path(self.file).stem)]
        parts += [f"{identifier(k)}_{identifier(v)}" for k, v in self.program.variant.items()]
        if self.model.name != registry.find(DEFAULT_MODEL).name:
            parts.append(identifier(self.model.name))
        if self.progress != progress_models.CUDA:
            parts.append(identifier(self.progress.name))
        if self.on_hardware:
            parts.append(identifier(HARDWARE))
        name = "__".join(parts)
        return file_name(name)

    @property
    def is_litmus(self) -> bool:
        """Whether the file is a litmus file."""
        return self.file.endswith(".litmus")

    @property
    def why_void(self) -> str:
        """The reason why assertions are not asked, if they are void."""
        expected = {check.kind for check in self.checks}
        return "expects a race" if "race" in expected else "expects undefined behaviour"

    @property
    def of_the_model(self) -> tuple[Expectation, ...]:
        """The checks that the memory model is asked about, whether there is anything that may fail or not."""
        return tuple(c for c in self.checks if c.kind in MEMORY_KINDS and c not in self.hardware_checks)

    @property
    def hardware_checks(self) -> tuple[Expectation, ...]:
        """The checks that the example hardware answers."""
        return tuple(c for c in self.checks if self.on_hardware and c.kind in OUTCOME_KINDS and not c.implicit)

    @property
    def progress_checks(self) -> tuple[Expectation, ...]:
        """The checks of the progress question."""
        return tuple(c for c in self.checks if c.kind in PROGRESS_KINDS)

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties that the progress checks need."""
        kinds = {c.kind for c in self.checks}
        found: list[Property] = []
        if kinds & {"terminates", "may_hang"}:
            found.append("Termination")
        if kinds & {"progresses", "may_stall"}:
            found.append("Progress")
        return tuple(found)

    @property
    def asks_hangs(self) -> bool:
        """Whether a progress check is also about hangs that only the memory model allows."""
        return bool(self.progress_checks) and self.settings.options["hangs"] == "model"

    @property
    def reports_races(self) -> bool:
        """Whether a race takes the meaning of every other verdict."""
        undefined = registry.load(self.model, self.settings.options).races_undefined
        return undefined and self.settings.options["races"] == "report"

    # ---- what is found out of it, once

    @cached_property
    def readings(self) -> Mapping[str, str]:
        """The readings of the memory model: the options, and what the program has."""
        return {**self.settings.readings, **{name: PROGRAM_FACTS[name].values[1] for name in self.extensions}}

    @cached_property
    def extensions(self) -> tuple[str, ...]:
        """The extensions of the program of which not every model speaks."""
        return tuple(name for name, one in EXTENSIONS.items() if one.first(self.program) is not None)

    @property
    def rests(self) -> bool:
        """Whether a verdict may rest on readings of what no document says."""
        early = any(grid.dependent or grid.events for grid in self.program.grids.values())
        return bool(self.extensions) or early or bool(awaited_values(self.program))

    @cached_property
    def reductions(self) -> Reductions:
        """The reductions of the memory question that hold for its model, and are not switched off.

        Where accesses have other proxies than a copy's, what orders two events does not order any two accesses, which
        some reductions of documented models take it to do (:data:`ORDERS_ACCESSES`); threads with copies are not told
        to be alike.
        """
        model = registry.load(self.model, self.readings)
        if "proxies" in self.extensions:
            return permitted(model, None, {*self.without, *ORDERS_ACCESSES, "symmetry"})
        without = {*self.without, "symmetry"} if self.extensions else self.without
        return permitted(model, registry.same_as(self.model, self.readings), without)

    @property
    def progress_reductions(self) -> ProgressReductions:
        """Those of the progress question."""
        from scopec.progress.reductions import Reductions as ProgressReductions

        return ProgressReductions().without(self.without)

    @property
    def is_ptx(self) -> bool:
        """Whether the model is about instructions of PTX."""
        return registry.load(self.model, self.settings.options).is_ptx

    @cached_property
    def whole_vectors(self) -> bool:
        """Whether the program has vectors, which are given to be whole."""
        return self.settings.given["vector"] == "whole" and has_vectors(self.program)

    @cached_property
    def packed(self) -> Program:
        """The program as the memory question reads it: barriers are numbers, and operations instructions."""
        return read(self.program, whole_vectors=self.whole_vectors, instructions=self.is_ptx)

    @cached_property
    def slice(self) -> Slice:
        """The slice that decides whether threads end."""
        return self._sliced(self.reductions.mute)

    def sliced(self, mute: bool) -> Slice:
        """The same with or without the reduction ``mute``."""
        return self.slice if mute is self.reductions.mute else self._sliced(mute)

    def _sliced(self, mute: bool) -> Slice:
        from scopec.hangs.slicing import sliced

        branches = not mute or orders_by_syntax(registry.load(self.model, self.readings))
        return sliced(self.packed, mute=mute, branches=branches)
