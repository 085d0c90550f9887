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
    Id,
    Number,
    Sort,
    Term,
    among,
    at,
    both,
    call,
    each,
    either,
    equal,
    every,
    implies,
    negated,
    op,
    set_of,
    size,
    some,
    those,
)
from scopec.progress.transition import Definition, Laws, Table

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
#: The threads that a progress model owes progress.
_OWED: dict[Owed, Term] = {
    Owed.EVERY: TRUE,
    Owed.NONE: FALSE,
    Owed.STARTED: some("u", "Threads", both(call("Started", "u"), equal(at("Number", "t"), at("Number", "u")))),
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
    strength = "strong" if promise.strong else "weak"
    return Definition(promise.name, (*whom(promise), *steps), body, (f"{strength} fairness: {promise.law}",))


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


def placing(system: System) -> Iterator[Definition]:
    """Further conditions of a device thread's start, under what is assumed beside the CUDA document."""
    own = at("UnitOf", "t")
    if system.unit_before:
        law = "assumed: a block (a cluster as a whole) starts only after those before it in its grid"
        body: Term = every("u", at("UnitBefore", own), call("UnitStarted", "u"))
        yield Definition("InOrder", ("t",), _of_device(system, body), (law,))
    if system.places is not None:
        same = [equal(at("DeviceOf", "u"), at("DeviceOf", "t"))] if system.places_of_devices else []
        started = both(*same, call("UnitStarted", at("UnitOf", "u")), negated(call("Done", "u")))
        law = "blocks on the device of t: some thread of the unit has started, some thread of the block has not ended"
        blocks = each(at("BlockOf", "u"), "u", those("u", "DeviceThreads", started))
        yield Definition("Resident", ("t",), blocks, (law,))
        law = "given: a block starts only where it has a place, a cluster or a cooperative grid as a whole"
        fits = op(Fn.AT_MOST, op(Fn.PLUS, size(call("Resident", "t")), at("BlocksOf", own)), system.places)
        yield Definition("HasPlace", ("t",), _of_device(system, either(call("UnitStarted", own), fits)), (law,))


def _of_device(system: System, condition: Term) -> Term:
    """A condition on device threads, in systems that have other threads to be started."""
    return either(among("t", "Tasks"), condition) if system.tasks else condition


def tables(system: System) -> Iterator[tuple[str, Table]]:
    """The units that start before others, and the number of blocks of each."""
    units = {name: Id(Sort.UNIT, name) for name in system.blocks_of}
    if system.unit_before:
        before = system.unit_before
        yield "UnitBefore", {own: set_of(*([units[before[u]]] if u in before else [])) for u, own in units.items()}
    if system.places is not None:
        yield "BlocksOf", {own: Number(system.blocks_of[u]) for u, own in units.items()}


#: The promises of each progress model.
MODELS = {name: _owing(model) if model.owed else EXECUTION_MODEL for name, model in models.MODELS.items()}


def definitions(system: System) -> Iterator[Definition | Laws]:
    """The definitions that the conditions and the promises are made of."""
    yield MODELS[system.model.name]
    yield from placing(system)
