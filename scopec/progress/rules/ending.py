"""Starts and ends: what has started, what has ended, and what may start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from scopec.program import ir
from scopec.program.streams import waits_for
from scopec.progress.steps import DONE, IDLE
from scopec.progress.terms import (
    EMPTY,
    FALSE,
    TRUE,
    Fn,
    Term,
    among,
    at,
    both,
    call,
    differs,
    domain_of,
    each,
    either,
    equal,
    event,
    every,
    grid,
    implies,
    label,
    negated,
    op,
    set_of,
    some,
    stream,
    table,
    those,
    thread,
    tuple_of,
    union,
)
from scopec.progress.transition import Definition, Laws, Table, Variable

if TYPE_CHECKING:
    from scopec.progress.system import System

_MAY_START = '"A device thread shall not start until all its dependencies have completed."'
_EVENTS = (
    '"Dependencies [...] may include dependencies on the completion of, among others, CUDA Events and CUDA Kernels."'
)

LABELS = Laws(
    "",
    "a thread has a label: idle before it starts, done once it has ended",
    (
        Definition("Done", ("t",), equal(at("pc", "t"), label(DONE))),
        Definition("Started", ("t",), differs(at("pc", "t"), label(IDLE))),
        Definition("Running", ("t",), both(call("Started", "t"), negated(call("Done", "t")))),
    ),
)
_GRID_DONE = every("t", domain_of("GridOf"), implies(equal(at("GridOf", "t"), "g"), call("Done", "t")))
_GRIDS = Laws("Grids", "what a grid has done, its threads have", (Definition("GridDone", ("g",), _GRID_DONE),))
_LAUNCHES = Laws(
    "Launches",
    "grids that the host issues, one after another",
    (
        Definition("Issued", (), each(at("issued", "i"), "i", domain_of("issued"))),
        Definition("AllDoneOf", ("grids",), every("g", "grids", call("GridDone", "g"))),
        Definition("AllIssuedDone", (), call("AllDoneOf", call("Issued"))),
    ),
    _GRIDS,
)


def _can_start(ready: Term, *more: str) -> Definition:
    return Definition("CanStart", ("t",), ready, (_MAY_START, *more))


def _streams() -> Laws:
    earlier = op(Fn.UP_TO, 1, op(Fn.MINUS, "i", 1))
    f, g = at("issued", "j"), at("issued", "i")
    complete = every("j", earlier, implies(call("Ordered", f, g), call("GridDone", f)))
    mine = equal(g, at("GridOf", "t"))
    ready = some("i", domain_of("issued"), both(mine, complete))
    return Laws("Streams", "grids that are Ordered start in the order of issue", (_can_start(ready),), _LAUNCHES)


def _events() -> Laws:
    own = at("GridOf", "t")
    ready = both(among(own, call("Issued")), call("AllDoneOf", at("after", own)))
    unfinished = negated(call("GridDone", "g"))
    ours = those("g", call("Issued"), both(among(at("StreamOf", "g"), at("Waits", "s")), unfinished))
    fences = op(Fn.ALL_OF, each(at("fence", "r"), "r", at("Waits", "s")))
    law = ("what an operation that is issued to a stream now comes after",)
    before = Definition("Before", ("s",), union(ours, those("g", fences, unfinished)), law)
    about = "the same where events order streams: what a grid comes after is noted when it is issued"
    return Laws("Events", about, (_can_start(ready, _EVENTS), before), _LAUNCHES)


STREAMS, EVENTS = _streams(), _events()
DEPENDENCIES = Laws(
    "Dependencies",
    "grids that no host issues",
    (_can_start(every("g", at("Before", at("GridOf", "t")), call("GridDone", "g"))),),
    _GRIDS,
)


_TRIGGERED = (
    '"dependents [...] can be scheduled as soon as all other CTAs in the grid issue the same instruction or have '
    'completed" (PTX ISA, "griddepcontrol")'
)
_LAUNCH_EVENT = (
    '"Event recorded through this launch attribute is guaranteed to only trigger after all block in the associated '
    "kernel trigger the event. [...] A trigger can also be inserted at the beginning of each block's execution if "
    'triggerAtBlockStart is set to non-0." (CUDA runtime API, cudaLaunchAttributeProgrammaticEvent)'
)
_WAITED = both(among(at("GridOf", "u"), at("Prerequisite", at("GridOf", "t"))), negated(call("Done", "u")))
_LET_START = every("u", domain_of("BlockOf"), implies(_WAITED, among(at("BlockOf", "u"), "triggered")))
TRIGGERS = Laws(
    "Triggers",
    "grids that may start before the one that they depend on is complete",
    (Definition("Triggered", ("t",), _LET_START, (_TRIGGERED,)),),
)


def _begun(block_of: Term) -> Term:
    """Whether some thread of a block has started."""
    return some("v", domain_of("BlockOf"), both(equal(at("BlockOf", "v"), block_of), call("Started", "v")))


_AFTER_BEGIN = among(at("GridOf", "u"), at("Beginning", at("GridOf", "t")))
_HAS_BEGUN = every("u", domain_of("BlockOf"), implies(_AFTER_BEGIN, _begun(at("BlockOf", "u"))))
BEGINNINGS = Laws(
    "Beginnings",
    "grids that may start when each block of another one has begun",
    (Definition("Begun", ("t",), _HAS_BEGUN, (_LAUNCH_EVENT,)),),
)


def fired(of: str, fires: ir.Fires) -> Term:
    """Whether what the event of a grid's launch waits for has come; ``AllDoneOf`` says whether the grid is complete."""
    inside = equal(at("GridOf", "u"), grid(of))
    match fires:
        case ir.Fires.TRIGGERED:
            silent = both(inside, negated(call("Done", "u")))
            return every("u", domain_of("BlockOf"), implies(silent, among(at("BlockOf", "u"), "triggered")))
        case ir.Fires.BEGUN:
            return every("u", domain_of("BlockOf"), implies(inside, _begun(at("BlockOf", "u"))))
        case ir.Fires.LAUNCHED:
            return TRUE


def _prerequisites(system: System, fires: ir.Fires) -> Mapping[str, Sequence[str]]:
    """For each grid those of whose blocks something has to come before it starts, where there are any."""
    found = {name: [one.grid for one in its if one.fires is fires] for name, its in system.prerequisites.items()}
    return {name: its for name, its in found.items() if its}


def tables(system: System) -> Iterator[tuple[str, Table]]:
    """The threads of each grid, and the order in which grids start."""
    started = (*system.threads, *system.tasks)
    for name, fires in (("Prerequisite", ir.Fires.TRIGGERED), ("Beginning", ir.Fires.BEGUN)):
        before = _prerequisites(system, fires)
        if before:
            yield name, {grid(g): set_of(*map(grid, before.get(g, ()))) for g in system.grids}
    if started and system.grids:
        yield "GridOf", {thread(t.name): grid(t.grid or "") for t in started}
    if any(system.before.values()):
        yield "Before", {grid(g): set_of(*map(grid, before)) for g, before in system.before.items()}
    if system.events:
        streams = system.streams
        yield "StreamOf", {grid(g.name): stream(g.stream.name) for g in system.program.grids.values()}
        yield (
            "Waits",
            {
                stream(name): set_of(*(stream(other) for other, earlier in streams.items() if waits_for(own, earlier)))
                for name, own in streams.items()
            },
        )


def variables(system: System) -> Iterator[Variable]:
    """The variables of the state about the work that the host issues."""
    grids, streams = set_of(*map(grid, system.grids)), set_of(*map(stream, system.streams))
    if system.issues:
        listed = every("i", domain_of("issued"), among(at("issued", "i"), grids))
        yield Variable("issued", "grids in the order in which the host launched them", tuple_of(), (listed,))
    if system.events:
        events = set_of(*map(event, system.events))
        yield Variable("after", "grids that a grid comes after", table("g", grids, EMPTY))
        yield Variable("fence", "grids that later work of a stream comes after", table("s", streams, EMPTY))
        yield Variable("event", "grids that an event stands for", table("e", events, EMPTY))
    if system.triggers_seen:
        yield Variable("triggered", "blocks that have let the grids start that depend on theirs", EMPTY)
    if system.snapshots:
        yield Variable("awaited", "grids that a pending call waits for", table("h", "HostThreads", EMPTY))


def definitions(system: System) -> Iterator[Definition | Laws]:
    """The threads and grids that have started and ended, and those that may start."""
    yield LABELS
    if not system.issues:
        if any(system.before.values()):
            yield DEPENDENCIES
        left_out = either(call("Done", "t"), both(among("t", "HostThreads"), negated(call("Started", "t"))))
        yield Definition("AllDone", (), every("t", "Threads", left_out if system.created else call("Done", "t")))
        return
    if system.events:
        yield EVENTS
    else:
        yield Definition("Ordered", ("f", "g"), _ordered(system), ("f and g are issued in an order that streams keep",))
        yield STREAMS
    if _prerequisites(system, ir.Fires.TRIGGERED):
        yield TRIGGERS
    if _prerequisites(system, ir.Fires.BEGUN):
        yield BEGINNINGS
    left_out = either(call("Done", "h"), negated(call("Started", "h")))
    hosts = every("h", "HostThreads", left_out if system.created else call("Done", "h"))
    yield Definition("AllDone", (), both(hosts, call("AllIssuedDone")))


def _ordered(system: System) -> Term:
    pairs = [(f, g) for f in system.grids for g in system.grids if f != g and system.ordered(f, g)]
    if not pairs:
        return FALSE
    return among(tuple_of("f", "g"), set_of(*(tuple_of(grid(f), grid(g)) for f, g in pairs)))
