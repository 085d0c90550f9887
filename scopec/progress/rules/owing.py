"""The conditions of promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scopec.progress.models import Owed
from scopec.progress.promises import When
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
    label,
    negated,
    op,
    set_of,
    some,
)
from scopec.progress.transition import Definition

if TYPE_CHECKING:
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


def definitions(system: System) -> Iterator[Definition]:
    """What the conditions are made of."""
    if not system.model.has_host:
        owed = [_OWED[one] for one in system.model.owed]
        yield Definition("Owed", ("t",), either(*owed) if len(owed) > 1 else owed[0])
        return
    yield Definition("InApi", ("h",), among(at("pc", "h"), "ApiLabels"))
    unit = both(equal(at("UnitOf", "t"), "u"), call("Started", "t"))
    yield Definition("UnitStarted", ("u",), some("t", "DeviceThreads", unit))
    yield Definition("DeviceQuiet", (), every("t", "DeviceThreads", negated(call("Running", "t"))))
    not_ready = set_of(*map(label, system.not_ready_labels))
    yield Definition("NotReadyQuery", ("h",), among(at("pc", "h"), not_ready))
