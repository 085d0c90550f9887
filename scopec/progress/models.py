"""Progress models: which threads an implementation owes progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scopec.diagnostics import Code, UsageError, error, suggestion
from scopec.records import dataclass

if TYPE_CHECKING:
    from scopec.source import Span

#: What a progress question asks of every fair behaviour.
Property = Literal["Termination", "Progress"]


@dataclass(frozen=True, slots=True)
class Model:
    """A progress model.

    ``owed`` are TLA+ formulas any of which says that a thread ``t`` is owed progress; ``why`` completes "the model owes
    it nothing: …".  The CUDA execution model has a host, units and streams instead, and an empty ``owed``.
    """

    name: str
    summary: str
    owed: tuple[str, ...] = ()
    why: str = ""

    @property
    def formula(self) -> str:
        """The TLA+ formula that says whether a thread ``t`` is owed progress."""
        if len(self.owed) == 1:
            return self.owed[0]
        return " \\/ ".join(f"({part})" if ":" in part else part for part in self.owed)

    @property
    def keeps_started(self) -> bool:
        """Whether a thread that has started is owed each further step."""
        return self.has_host or any(part in (THREAD, STARTED, BEFORE_STARTED) for part in self.owed)

    @property
    def has_host(self) -> bool:
        """Whether the host's threads, API calls and streams take part; otherwise device threads alone do."""
        return not self.owed


CUDA = Model("cuda", "the CUDA execution model: once a thread of a block has made progress, all of them are owed it")

#: Which threads a model may owe progress; every engine gives these a meaning.
THREAD, NO_THREAD, STARTED = "TRUE", "FALSE", "Started(t)"
LOWEST = "\\A u \\in Threads : Number[u] < Number[t] => Done(u)"
BEFORE_STARTED = "\\E u \\in Threads : Started(u) /\\ Number[t] <= Number[u]"

#: The models of Sorensen et al., "Specifying and Testing GPU Workgroup Progress Models" (OOPSLA 2021), over threads
#: numbered as written: weak fairness of the steps of each thread that is owed progress, and some thread always steps.
MODELS = {
    model.name: model
    for model in (
        CUDA,
        Model("fair", "every thread is owed progress", (THREAD,)),
        Model("obe", "occupancy bound: every thread that has taken a step", (STARTED,), "it has not taken a step"),
        Model("hsa", "the unfinished thread with the lowest number", (LOWEST,), "a thread before it is unfinished"),
        Model(
            "hsa-obe",
            "the threads of hsa and those of obe",
            (STARTED, LOWEST),
            "it has not taken a step, and a thread before it is unfinished",
        ),
        Model(
            "lobe",
            "linear occupancy bound: every thread that has taken a step, and those before it",
            (BEFORE_STARTED,),
            "neither it nor a thread after it has taken a step",
        ),
        Model("none", "no thread is owed progress", (NO_THREAD,), "the model owes progress to no thread"),
    )
}


def find(name: str, span: Span | None = None) -> Model:
    """The progress model called ``name``; InputError at ``span`` (UsageError without one) if there is none."""
    if name in MODELS:
        return MODELS[name]
    help_ = suggestion(name, MODELS) or f"there are {', '.join(MODELS)}"
    if span is not None:
        raise error(Code.UNKNOWN_NAME, f"there is no progress model `{name}`", span, help_)
    raise UsageError(f"there is no progress model `{name}`: {help_}")
