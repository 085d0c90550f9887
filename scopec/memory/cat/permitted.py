"""Reductions of the memory question that hold for a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.cat.monotone import loses_nothing
from scopec.memory.reductions import Reductions

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from scopec.memory.cat.model import Model


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction, in words, and for which models it holds.

    ``holds`` gets a model as it is under the options of a question, and the file of the built-in model that says the
    same, if one does (:func:`scopec.memory.cat.registry.same_as`).
    """

    leaves_out: str
    needs: str
    holds: Callable[[Model, str | None], bool]


def _every_model(model: Model, same_as: str | None) -> bool:  # noqa: ARG001
    return True


def _documented(model: Model, same_as: str | None) -> bool:  # noqa: ARG001
    return same_as is not None


def _ordered_values(model: Model, same_as: str | None) -> bool:
    """Whether nothing but happens-before, and dependencies that are known, lead through a settled location.

    RC11's axiom takes program order through the two accesses to one: a cycle of ``po | rf`` is none without them.  The
    axiom about syntactic dependencies takes those that are computed away.
    """
    return same_as in ("cuda.cat", "ptx.cat") and not model.keeps_program_order and not orders_by_syntax(model)


def _forbids_alone(model: Model, same_as: str | None) -> bool:
    return same_as is not None or loses_nothing(model)


def _total_coherence(model: Model, same_as: str | None) -> bool:  # noqa: ARG001
    return not model.partial_co


def orders_by_syntax(model: Model) -> bool:
    """Whether a model names dependencies as the text has them, those too on which no value depends."""
    return bool(_SYNTACTIC & model.mentioned)


_SYNTACTIC = frozenset({"addr", "data", "ctrl"})
_ANY, _BUILT_IN = "any model", "a model of scopec's, or a file that says the same"
_ORDERED = "CUDA's models or `ptx`, unless `thin_air` is `rc11` or `syntactic`"

#: The reductions of the memory question, by name.
REDUCTIONS: Mapping[str, Reduction] = {
    "settled": Reduction(
        "locations whose accesses the program alone orders, in large programs", _ORDERED, _ordered_values
    ),
    "condensed": Reduction("accesses to these, and barriers that order nothing else", _ORDERED, _ordered_values),
    "commuting": Reduction("orders of additions whose results nobody uses", _ORDERED, _ordered_values),
    "racing": Reduction(
        "all but one race, where a large program has one that nothing orders",
        "CUDA's models",
        lambda _, same_as: same_as == "cuda.cat",
    ),
    "constants": Reduction(
        "reads of what is set up before any launch, among many threads or in long loops", _BUILT_IN, _documented
    ),
    "pairs": Reduction("who meets whom at a barrier of many threads", _BUILT_IN, _documented),
    "mbarriers": Reduction(
        "states of mbarriers whose phases the program settles, in large programs", _ORDERED, _ordered_values
    ),
    "phases": Reduction("phases that an arrival of a warp at a barrier with a count cannot be of", _ANY, _every_model),
    "safe_assertions": Reduction("implicit assertions that hold whatever is read", _ANY, _every_model),
    "spin_loops": Reduction(
        "turns of wait loops that change nothing",
        f"{_BUILT_IN}; of others, one whose axioms hold of an execution with less in it",
        _forbids_alone,
    ),
    "retries": Reduction("turns of wait loops that store what was there", _BUILT_IN, _documented),
    "rounds": Reduction(
        "turns in vain of threads that meet in different wait loops, as lanes that vote around a lock",
        f"{_BUILT_IN}; of others, one whose axioms hold of an execution with less in it",
        _forbids_alone,
    ),
    "mute": Reduction("accesses that decide no wait, in searches for hangs", _BUILT_IN, _documented),
    "whole": Reduction("the search for hangs beyond schedules, where there are none", _ANY, _every_model),
    "symmetry": Reduction(
        "all orders but one of threads that can be exchanged", "a model with a total `co`", _total_coherence
    ),
    "closures": Reduction("clauses of closures that no answer needs", _ANY, _every_model),
    "plain_races": Reduction("searches for races that follow to be none", _ANY, _every_model),
    "origins": Reduction(
        "the question whether a value lies outside the domains",
        "a model without values out of thin air: `rf` and dependencies, or `po`, make no cycle",
        lambda model, _: model.values_have_origins,
    ),
    "coherent": Reduction(
        "values that a location has in no order of its accesses, where it has many",
        "CUDA's models",
        lambda _, same_as: same_as == "cuda.cat",
    ),
    "sparse": Reduction("elements of large arrays that copies and fills alone access", _ANY, _every_model),
}

#: Those that take what orders two events to order any two accesses of these.
ORDERS_ACCESSES = frozenset({"settled", "condensed", "commuting", "racing", "mbarriers", "coherent"})


def permitted(model: Model, same_as: str | None, without: Collection[str] = ()) -> Reductions:
    """The reductions that hold for a model, without some; what is called otherwise is left to others."""
    return Reductions().without(
        [name for name, reduction in REDUCTIONS.items() if name in without or not reduction.holds(model, same_as)]
    )
