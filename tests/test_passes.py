"""Lists of passes: they run in their order, where their preconditions hold, and what they changed is known."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from scopec.base.diagnostics import Code, error
from scopec.base.limits import deadline
from scopec.base.passes import Change, Pass, Passed, changes, run
from scopec.base.source import Source


@dataclass(frozen=True)
class Numbers:
    """A stage that is a list of numbers."""

    there: tuple[int, ...] = ()
    off: frozenset[str] = frozenset()

    def makes(self, reduction: str) -> bool:
        return reduction not in self.off

    def without(self, reduction: str) -> Numbers:
        return replace(self, off=self.off | {reduction})

    @property
    def sizes(self) -> Mapping[str, int]:
        return {"numbers": len(self.there)}

    @property
    def form(self) -> str:
        return "numbers"

    @property
    def text(self) -> str:
        return f"{self.there}\n"


def counted(stage: Numbers) -> Numbers:
    return replace(stage, there=tuple(range(4 if stage.makes("small") else 9)))


def odd(stage: Numbers) -> Numbers:
    return replace(stage, there=tuple(n for n in stage.there if n % 2))


def first(stage: Numbers) -> Numbers:
    return replace(stage, there=stage.there[:1])


def many(stage: Numbers) -> str | None:
    return f"{len(stage.there)} numbers" if len(stage.there) > 1 else None


PASSES = (
    Pass(counted, "from 0 on", counted, inside=("small", "absent")),
    Pass(odd, "odd ones", odd, many, reduction="odds"),
    Pass(first, "the first", first, many),
    Pass(first, "the first again", first, many, reduction="again"),
)


def test_passes_run_in_their_order_where_their_preconditions_hold() -> None:
    log: list[Passed] = []
    assert run(PASSES, Numbers(), log=log).there == (1,)
    assert [(one.name, one.held, one.before["numbers"], one.after["numbers"]) for one in log] == [
        ("counted", "", 0, 4),
        ("odd", "4 numbers", 4, 2),
        ("first", "2 numbers", 2, 1),
        ("first", None, 1, 1),
    ]
    assert [one.name for one in PASSES[:2]] == ["counted", "odd"]
    assert PASSES[1].place == "tests.test_passes:odd"
    assert PASSES[1].reductions == ("odds",)
    assert PASSES[0].reductions == ("small", "absent")


def test_passes_run_to_the_one_that_is_named() -> None:
    log: list[Passed] = []
    assert run(PASSES, Numbers(), to="odd", log=log).there == (1, 3)
    assert [one.name for one in log] == ["counted", "odd"]


def test_a_reduction_that_is_switched_off_is_not_made() -> None:
    log: list[Passed] = []
    assert run(PASSES, Numbers().without("odds"), to="odd", log=log).there == (0, 1, 2, 3)
    assert log[-1].held is None


def changed(begun: Numbers, passes: tuple[Pass[Numbers], ...] = PASSES, seconds: float = 60) -> list[Change]:
    log: list[Passed] = []
    run(passes, begun, log=log)
    return list(changes(passes, begun, log, deadline(seconds)))


def test_what_each_reduction_has_changed() -> None:
    """One inside a pass by making the form again; what changes nothing, or is switched off, is not told."""
    found = changed(Numbers())
    assert [(one.reduction, dict(one.sizes), one.held) for one in found] == [
        ("small", {"numbers": (9, 4)}, ""),
        ("odds", {"numbers": (4, 2)}, "4 numbers"),
    ]
    assert [one.reduction for one in changed(Numbers().without("small"))] == ["odds"]
    assert [one.reduction for one in changed(Numbers().without("odds"))] == ["small"]


def too_large(stage: Numbers) -> Numbers:
    if not stage.makes("small"):
        raise error(Code.TOO_LARGE, "too many numbers", Source("n", "").span(0, 0))
    return stage


def slow(stage: Numbers) -> Numbers:
    while not stage.makes("small"):
        time.sleep(0.01)
    return stage


def test_what_a_reduction_has_changed_may_be_seen_later() -> None:
    passes = (replace(PASSES[0], shown="odd"), *PASSES[1:])
    assert [dict(one.sizes) for one in changed(Numbers(), passes)] == [{"numbers": (4, 2)}] * 2


@pytest.mark.parametrize(("function", "seconds", "before"), [(too_large, 60, "too many numbers"), (slow, 0.05, None)])
def test_what_there_is_not_without_a_reduction(function: object, seconds: float, before: str | None) -> None:
    passes = (Pass(function, "", function, inside=("small",)),)  # type: ignore[arg-type]
    (found,) = changed(Numbers(), passes, seconds)
    assert (found.reduction, found.before, dict(found.sizes)) == ("small", before, {})
