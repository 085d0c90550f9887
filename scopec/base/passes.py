"""Lists of named passes, and running them: the order, the preconditions and the switches of a question's way.

A pass is a function from one stage of a question to the next.  A reduction is a pass that runs if its precondition
holds and it is not switched off; other passes contain reductions, and look at their switches themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from scopec.base.diagnostics import InputError, LimitError
from scopec.base.limits import half_of_the_machine, limited
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.limits import Deadline


class Stage(Protocol):
    """The state of a question between two passes."""

    def makes(self, reduction: str) -> bool:
        """Whether a reduction holds for the question, and is not switched off."""

    def without(self, reduction: str) -> Self:
        """The same with a reduction switched off."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes of its parts, by their names in the plural."""

    @property
    def form(self) -> str:
        """The name of the form that it has."""

    @property
    def text(self) -> str:
        """The form in print."""


S = TypeVar("S", bound=Stage)


def always(_stage: object) -> str:
    """The precondition of what is done in any case: nothing is to be said of it."""
    return ""


@dataclass(frozen=True)
class Pass(Generic[S]):
    """A pass: the function that does it, what that is, and how it is called on the way of the question.

    ``when`` says what its precondition is that holds, None where none does.  ``reduction`` is the reduction that it is,
    ``inside`` are those that it makes among other things, of which ``shown`` names the pass after which there is to
    be seen what they have changed, if it is another one.
    """

    function: Callable[..., object]
    does: str
    run: Callable[[S], S]
    when: Callable[[S], str | None] = always
    reduction: str = ""
    inside: tuple[str, ...] = ()
    shown: str = ""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.__name__

    @property
    def place(self) -> str:
        """The function's module, a colon, and its name."""
        return f"{self.function.__module__}:{self.name}"

    @property
    def reductions(self) -> tuple[str, ...]:
        """The reductions that are made in it."""
        return (self.reduction, *self.inside) if self.reduction else self.inside


@dataclass(frozen=True, slots=True)
class Passed:
    """The result of a pass: the precondition that held, None if it was not made; the sizes before and after."""

    name: str
    held: str | None
    before: Mapping[str, int]
    after: Mapping[str, int]


def run(passes: Sequence[Pass[S]], stage: S, *, to: str | None = None, log: list[Passed] | None = None) -> S:
    """Run passes on a stage, one after the other, the last of them ``to``; note each in ``log``."""
    for one in passes:
        switched_off = one.reduction and not stage.makes(one.reduction)
        held = None if switched_off else one.when(stage)
        after = stage if held is None else one.run(stage)
        if log is not None:
            log.append(Passed(one.name, held, stage.sizes, after.sizes))
        stage = after
        if one.name == to:
            break
    return stage


@dataclass(frozen=True, slots=True)
class Change:
    """The change that a reduction has made: the sizes without it and with it.

    ``before`` is a text if there is no question without it, and says why; None if nobody has waited for that.  ``held``
    is what its pass found its precondition to be, beside what it needs of a model.
    """

    reduction: str
    before: Mapping[str, int] | str | None
    after: Mapping[str, int]
    held: str = ""

    @property
    def sizes(self) -> Mapping[str, tuple[int, int]]:
        """The parts whose number has changed, each with the number before and after."""
        if self.before is None or isinstance(self.before, str):
            return {}
        return {what: (n, self.after[what]) for what, n in self.before.items() if n != self.after.get(what, n)}


def changes(passes: Sequence[Pass[S]], begun: S, log: Sequence[Passed], end: Deadline) -> Iterator[Change]:
    """The change that each reduction made while passes ran on a stage, as ``log`` has noted it.

    A reduction that is a pass is compared with what there was before; of one inside a pass, the passes up to there are
    run without it where that is to be seen, until ``end``.
    """
    noted = {passed.name: passed for passed in log}
    for one in passes:
        passed = noted.get(one.name)
        if passed is None or passed.held is None:
            continue
        found = [Change(one.reduction, passed.before, passed.after, passed.held)] if one.reduction else []
        inside = [name for name in one.inside if begun.makes(name)]
        to = one.shown or one.name
        found += [Change(name, _without(passes, begun.without(name), to, end), noted[to].after) for name in inside]
        yield from (change for change in found if change.sizes or not isinstance(change.before, Mapping))


def _without(passes: Sequence[Pass[S]], begun: S, to: str, end: Deadline) -> Mapping[str, int] | str | None:
    try:
        with limited(end.left(), half_of_the_machine()):
            return run(passes, begun, to=to).sizes
    except LimitError:
        return None
    except InputError as bad:
        return bad.diagnostics[0].message
