"""Progress models: which threads an implementation owes progress."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Literal

from scopec.base.diagnostics import Code, UsageError, error, suggestion
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from scopec.base.source import Span

#: The property that a progress question asks of every fair behaviour.
Property = Literal["Termination", "Progress"]


class Owed(Enum):
    """A thread that a model may owe progress; blocks are numbered as written, in a litmus file each of one thread."""

    EVERY = "every thread"
    NONE = "no thread"
    STARTED = "a thread of a block of which one has started"
    LOWEST = "a thread of a block before which all have ended"
    BEFORE_STARTED = "a thread of a block of which one has started, or of a later one"


@dataclass(frozen=True, slots=True)
class Model:
    """A progress model.

    A thread is owed progress that is any of ``owed``; ``why`` completes "the model owes it nothing: …".  The CUDA
    execution model has a host, units and streams instead, and an empty ``owed``; ``resident`` and ``in_order`` are what
    engineers assume beside it.
    """

    name: str
    summary: str
    owed: tuple[Owed, ...] = ()
    why: str = ""
    resident: bool = False
    in_order: bool = False

    @property
    def keeps_started(self) -> bool:
        """Whether a thread that has started is owed each further step."""
        return self.has_host or any(o in (Owed.EVERY, Owed.STARTED, Owed.BEFORE_STARTED) for o in self.owed)

    @property
    def has_host(self) -> bool:
        """Whether the host's threads, API calls and streams take part; otherwise device threads alone do."""
        return not self.owed


CUDA = Model("cuda", "the CUDA execution model: once a thread of a block has made progress, all of them are owed it")

#: Promises that no document of CUDA makes, and programs rely on.
ASSUMED = (
    Model("cuda-resident", "cuda, and each block that may start is started: all are resident", resident=True),
    Model("cuda-in-order", "cuda, and a block starts only after those before it in its grid", in_order=True),
)

#: The others are those of Sorensen et al., "Specifying and Testing GPU Workgroup Progress Models" (OOPSLA 2021), over
#: blocks numbered as written: weak fairness of the steps of each thread that is owed progress, and some thread always
#: steps.  Within a block the threads keep CUDA's guarantee: what one of them is owed all are.
MODELS = {
    model.name: model
    for model in (
        CUDA,
        *ASSUMED,
        Model("fair", "every thread is owed progress", (Owed.EVERY,)),
        Model(
            "obe",
            "occupancy bound: every block that has taken a step",
            (Owed.STARTED,),
            "its block has not taken a step",
        ),
        Model(
            "hsa", "the unfinished block with the lowest number", (Owed.LOWEST,), "a block before its own is unfinished"
        ),
        Model(
            "hsa-obe",
            "the blocks of hsa and those of obe",
            (Owed.STARTED, Owed.LOWEST),
            "its block has not taken a step, and a block before it is unfinished",
        ),
        Model(
            "lobe",
            "linear occupancy bound: every block that has taken a step, and those before it",
            (Owed.BEFORE_STARTED,),
            "neither its block nor one after it has taken a step",
        ),
        Model("none", "no thread is owed progress", (Owed.NONE,), "the model owes progress to no thread"),
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
