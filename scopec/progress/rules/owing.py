"""The promises of progress models as definitions, and their conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scopec.progress import models, promises
from scopec.progress.models import Owed
from scopec.progress.promises import Act, Each, When
from scopec.progress.terms import (
    FALSE,
    TRUE,
    Fn,
    Term,
    among,
    at,
    both,
    call,
    either,
    equal,
    every,
    implies,
    negated,
    op,
    some,
)
from scopec.progress.transition import Definition, Laws

if TYPE_CHECKING:
    from scopec.progress.models import Model
    from scopec.progress.promises import Promise
    from scopec.progress.system import System

#: Each condition on the state, of the host thread ``h`` or the thread ``t`` that a promise is made to.
CONDITIONS: dict[When, Term] = {
    When.IN_API: call("InApi", "h"),
    When.NOT_IN_API: negated(call("InApi", "h")),
    When.NOT_READY: call("NotReadyQuery", "h"),
    When.QUIET: call("DeviceQuiet"),
    When.STARTED: call("Started", "t"),
    When.UNIT_STARTED: call("UnitStarted", at("UnitOf", "t")),
    When.OWED: call("Owed", "t"),
}
#: Which threads a progress model owes progress.
_OWED: dict[Owed, Term] = {
    Owed.EVERY: TRUE,
    Owed.NONE: FALSE,
    Owed.STARTED: call("Started", "t"),
    Owed.LOWEST: every("u", "Threads", implies(op(Fn.BELOW, at("Number", "u"), at("Number", "t")), call("Done", "u"))),
    Owed.BEFORE_STARTED: some(
        "u", "Threads", both(call("Started", "u"), op(Fn.AT_MOST, at("Number", "t"), at("Number", "u")))
    ),
}


_STEPS = {Act.OWN: "own", Act.SERVE: "serve"}


def whom(promise: Promise) -> tuple[str, ...]:
    """The thread that a promise is made to, if one is."""
    return {Each.HOST: ("h",), Each.NOBODY: ()}.get(promise.each, ("t",))


def _promised(promise: Promise) -> Definition:
    """The steps that a promise is about, of those that it is given."""
    steps = [_STEPS[act] for act in promise.acts]
    body = both(*(CONDITIONS[when] for when in promise.when), either(*steps) if len(steps) > 1 else steps[0])
    fairness = "strong" if promise.strong else "weak"
    return Definition(promise.name, (*whom(promise), *steps), body, (f"{fairness} fairness: {promise.law}",))


_UNIT = both(equal(at("UnitOf", "t"), "u"), call("Started", "t"))
EXECUTION_MODEL = Laws(
    "ExecutionModel",
    "what the CUDA C++ execution model promises: fairness of each of these, given steps of a thread",
    (
        Definition("InApi", ("h",), among(at("pc", "h"), "ApiLabels")),
        Definition("NotReadyQuery", ("h",), among(at("pc", "h"), "NotReadyLabels")),
        Definition("UnitStarted", ("u",), some("t", "DeviceThreads", _UNIT)),
        Definition("DeviceQuiet", (), every("t", "DeviceThreads", negated(call("Running", "t")))),
        *map(_promised, promises.EXECUTION_MODEL),
    ),
)


def _owing(model: Model) -> Laws:
    owed = [_OWED[one] for one in model.owed]
    body = either(*owed) if len(owed) > 1 else owed[0]
    name = "".join(part.capitalize() for part in model.name.split("-"))
    return Laws(name, f"the progress model {model.name}: {model.summary}", (Definition("Owed", ("t",), body),))


#: What each progress model owes.
MODELS = {name: _owing(model) if model.owed else EXECUTION_MODEL for name, model in models.MODELS.items()}


def definitions(system: System) -> Iterator[Laws]:
    """What the conditions and the promises are made of."""
    yield MODELS[system.model.name]
