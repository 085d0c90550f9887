"""From a Program to the event graph that is asked about: the passes of the memory question, in their order.

Each thread is executed symbolically, what orders threads with each other is added, and what the program alone decides
is left out of large graphs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base import passes
from scopec.base.passes import Pass
from scopec.base.records import dataclass, replace
from scopec.memory.given.ptx import compiled
from scopec.memory.reduce.certain_race import racing, racing_at_mbarriers
from scopec.memory.reduce.prune_barriers import condensed
from scopec.memory.reduce.resolve_locations import addressed, decided, settled
from scopec.memory.reduce.resolve_phases import resolve_phases
from scopec.memory.reductions import Reductions
from scopec.memory.unfold import collected, stopping
from scopec.memory.unfold.aligned import divergence
from scopec.memory.unfold.asw import Ordering
from scopec.memory.unfold.barriers import packed
from scopec.memory.unfold.blocking import block
from scopec.memory.unfold.counted_barriers import open_phases
from scopec.memory.unfold.existence import existing
from scopec.memory.unfold.lifetimes import lasting
from scopec.memory.unfold.sequencing import conflicts, torn
from scopec.memory.unfold.symbolic import execute
from scopec.memory.unfold.unfolding import ReadsTablesError, Unfolding
from scopec.memory.unfold.warp_collectives import Turns, in_step, resolve
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from scopec.base.passes import Passed
    from scopec.base.source import Span
    from scopec.memory.events.events import Assertion, Cut, EventGraph
    from scopec.memory.events.guards import Guard
    from scopec.memory.unfold.counted_barriers import Quorums
    from scopec.memory.unfold.stopping import Stopping
    from scopec.program.observe import Target
    from scopec.program.program import Program
    from scopec.program.values import Value


@dataclass(frozen=True)
class Asked:
    """The settings on which a program's event graph depends.

    Loops are unrolled at most ``unroll`` times (1 or more).  ``observed`` are the (thread, register) pairs whose final
    values are asked for; ``mentioned`` values that may be read out of thin air; with ``listing`` every final state is
    asked for, with ``one_race`` any race decides all that is asked, if it is on ``target`` where
    that is given.  ``whole_vectors`` and ``instructions`` are whether
    vectors are accessed at once, and operations are instructions of PTX.
    """

    unroll: int = 1
    observed: frozenset[tuple[str, str]] = frozenset()
    mentioned: frozenset[int] = frozenset()
    reductions: Reductions = Reductions()
    listing: bool = False
    one_race: bool = False
    target: Target | None = None
    whole_vectors: bool = True
    instructions: bool = False


@dataclass(frozen=True)
class Making:
    """An intermediate stage of a memory question: the program, what its threads do, the event graph.

    ``safe`` are implicit assertions that are known to hold; ``impossible`` what no execution has together; ``whole``
    how many events there were before any was left out of the graph.
    """

    asked: Asked
    program: Program
    safe: frozenset[tuple[str, Span, str]] = frozenset()
    out: Unfolding | None = None
    stops: Stopping = stopping.NOTHING
    quorums: Quorums | None = None
    impossible: tuple[tuple[Guard, Value], ...] = ()
    graph: EventGraph | None = None
    whole: int = 0

    @property
    def found(self) -> Unfolding:
        """The results of symbolic execution."""
        assert self.out is not None
        return self.out

    @property
    def made(self) -> EventGraph:
        """The graph."""
        assert self.graph is not None
        return self.graph

    def makes(self, reduction: str) -> bool:
        """Whether a reduction holds for the model, and is not switched off."""
        found: bool = getattr(self.asked.reductions, reduction)
        return found

    def without(self, reduction: str) -> Self:
        """The same with a reduction switched off."""
        return replace(self, asked=replace(self.asked, reductions=self.asked.reductions.without({reduction})))

    @property
    def sizes(self) -> Mapping[str, int]:
        """The sizes of the graph's parts, if there is a graph."""
        if self.graph is None:
            return {}
        return {
            "events": len(self.graph.events),
            "choices": len(self.graph.choices),
            "assertions": len(self.graph.assertions),
            "ways beyond the bound": sum(not cut.wait for cut in self.graph.cuts),
            "orders of threads": len(self.graph.asw),
            "settled locations": len(self.graph.settled),
        }

    @property
    def form(self) -> str:
        """The form that there is: a changed program, or events."""
        return "program" if self.out is None else "events"

    @property
    def text(self) -> str:
        """The form in print."""
        # Start-up: most calls print no form.
        from scopec.memory.show import show_events
        from scopec.program.show import show_program

        if self.out is None:
            return show_program(self.program)
        return show_events(self.graph or collected.collected(self.out, self.impossible))


# ---------------------------------------------------------------- the passes


def _executed(stage: Making) -> Making:
    try:
        return _executed_with(stage, stage.asked.reductions, tables=0)
    except ReadsTablesError:
        return _executed_with(stage, replace(stage.asked.reductions, threads=-1), tables=None)


def _executed_with(stage: Making, reductions: Reductions, tables: int | None) -> Making:
    """The threads of a stage executed; with no ``threads`` reads of what nobody writes are known."""
    asked = stage.asked

    def executed(joint: bool, ahead: Turns, turns: Turns) -> Unfolding:
        out = Unfolding(stage.program, stage.safe, joint, ahead, turns, reductions, tables)
        for thread, guard in collected.started(out):
            own = frozenset(r for t, r in asked.observed if t == thread.name)
            execute(out, thread, guard, asked.unroll, own)
        return out

    return replace(stage, out=in_step(executed, rounds=reductions.rounds and not asked.listing))


def _blocked(stage: Making) -> Making:
    assert stage.quorums is not None
    more = block(stage.found, Ordering(stage.found), stage.quorums, stage.stops)
    return replace(stage, impossible=(*stage.impossible, *more))


def _undefined(stage: Making, found: Iterable[tuple[Assertion, Cut]]) -> Making:
    for assertion, cut in tuple(found):
        stage.found.assertions.append(assertion)
        stage.found.cuts.append(cut)
    return stage


def _joined(stage: Making) -> Making:
    made = collected.graph(stage.found, stage.impossible, stage.asked.observed, present=stage.stops.present)
    return replace(stage, graph=made, whole=len(made.events))


def _made(stage: Making) -> Making:
    """The graph of a stage's program."""
    return passes.run(_UNFOLDING, stage)


def _without_safe(stage: Making) -> Making:
    safe = collected.safe_assertions(stage.made, stage.asked.mentioned)
    return _made(replace(Making(stage.asked, stage.program), safe=safe)) if safe else stage


def _large(stage: Making) -> str | None:
    """The reason why a graph is one of which something is left out."""
    chosen, threads = stage.asked.reductions, len(stage.program.threads)
    if stage.asked.listing:
        return None
    if stage.whole > chosen.events:
        return f"{stage.whole} events, more than {chosen.events}"
    return f"{threads} threads, more than {chosen.threads}" if threads > chosen.threads else None


def _settling(stage: Making) -> str | None:
    return _large(stage) if stage.makes("settled") else None


def _races_at_mbarriers(stage: Making) -> str | None:
    return _asks_one_race(stage) if stage.makes("racing") and stage.made.phases else None


def _raced(stage: Making) -> Making:
    found = racing(stage.made, stage.asked.target, condense=stage.makes("condensed"))
    return replace(stage, graph=found or stage.made)


def _asks_one_race(stage: Making) -> str | None:
    large = len(stage.made.events) > stage.asked.reductions.events // 3
    return _large(stage) if large and stage.asked.one_race and not stage.made.one_race else None


#: The passes that read a program as the memory question does.
_READING: tuple[Pass[Making], ...] = (
    Pass(
        torn,
        "the access to a vector is one to each element, in any order, unless it is given to be whole",
        lambda stage: replace(stage, program=torn(stage.program)),
        lambda stage: None if stage.asked.whole_vectors else "",
    ),
    Pass(
        packed,
        "the state of a barrier is one number, which arrivals change",
        lambda stage: replace(stage, program=packed(stage.program)),
    ),
    Pass(
        compiled,
        "under a model of PTX: the instructions that operations of C++ are",
        lambda stage: replace(stage, program=compiled(stage.program)),
        lambda stage: "" if stage.asked.instructions else None,
    ),
)
_LASTING: tuple[Pass[Making], ...] = (
    Pass(
        lasting,
        "shared memory that other blocks access has a lifetime, which a thread of its own begins and ends",
        lambda stage: replace(stage, program=lasting(stage.program)),
    ),
    Pass(
        existing,
        "a read of the lifetime before each access, of what may end before it, or not have begun",
        lambda stage: replace(
            stage, program=existing(stage.program, lambda trial: _made(replace(stage, program=trial)).made)
        ),
    ),
)


def _phased(stage: Making) -> str | None:
    return _large(stage) if stage.found.phases.looks else None


def _of_tensor_memory(stage: Making) -> str | None:
    there = any(one.use is ir.Use.TENSOR for one in stage.program.objects.values())
    return _phased(stage) if there else None


#: From a program to its graph.
_UNFOLDING: tuple[Pass[Making], ...] = (
    Pass(
        execute,
        "every path of a thread, loops unrolled up to the bound; what registers hold is a value over what was read",
        _executed,
        inside=("constants", "spin_loops", "retries", "rounds"),
        shown="graph",
    ),
    Pass(
        resolve,
        "what lanes bring each other is what the lanes that are there have brought",
        lambda stage: replace(stage, impossible=tuple(resolve(stage.found))),
    ),
    Pass(
        stopping.stopping,
        "how far threads get that `exit`, the end of `main` or `__trap` stops",
        lambda stage: replace(stage, stops=stopping.stopping(stage.found, Ordering(stage.found))),
    ),
    Pass(
        open_phases,
        "of which phase an arrival may be at a barrier with a count",
        lambda stage: replace(stage, quorums=open_phases(stage.found)),
        inside=("phases",),
        shown="graph",
    ),
    Pass(block, "who waits in vain: for an arrival, a launch or an end that does not come", _blocked),
    Pass(
        conflicts,
        "accesses that nothing orders in one evaluation are undefined",
        lambda stage: _undefined(stage, conflicts(stage.found)),
    ),
    Pass(
        divergence,
        "lanes of a warp that come to different barriers are undefined",
        lambda stage: _undefined(stage, divergence(stage.found)),
    ),
    Pass(
        collected.graph,
        "initial writes, and what launches, completion, streams and barriers order",
        _joined,
        inside=("pairs",),
    ),
    Pass(
        addressed,
        "in a large graph with tensor memory what `settled` does, for the addresses of that are read",
        lambda stage: replace(stage, graph=addressed(stage.made)),
        _of_tensor_memory,
        reduction="settled",
    ),
    Pass(
        resolve_phases,
        "mbarriers whose phases the program settles are barriers",
        lambda stage: replace(stage, graph=resolve_phases(stage.made, stage.found)),
        _phased,
        reduction="mbarriers",
    ),
)
#: Before what takes long of a graph with many operations on mbarriers.
_BROKEN: tuple[Pass[Making], ...] = (
    Pass(
        racing_at_mbarriers,
        "the same as `racing` of a graph with mbarriers whose phases the program does not settle",
        lambda stage: replace(stage, graph=racing_at_mbarriers(stage.made, stage.asked.target)),
        _races_at_mbarriers,
        reduction="racing",
    ),
)
_SAFE: tuple[Pass[Making], ...] = (
    Pass(
        collected.safe_assertions,
        "the checks that hold whatever is read, which are left out then",
        _without_safe,
        reduction="safe_assertions",
    ),
)
#: From a graph to what is asked about.
_REDUCING: tuple[Pass[Making], ...] = (
    Pass(
        settled,
        "in a large graph the accesses to a location that the program alone orders are computed",
        lambda stage: replace(stage, graph=settled(stage.made, commuting=stage.makes("commuting"))),
        _large,
        reduction="settled",
        inside=("commuting",),
    ),
    Pass(
        condensed,
        "these accesses, and barriers that order nothing else, are gone",
        lambda stage: replace(stage, graph=condensed(stage.made)),
        _settling,
        reduction="condensed",
    ),
    Pass(
        decided,
        "the objects that have no other accesses",
        lambda stage: replace(stage, graph=replace(stage.made, decided=decided(stage.made))),
        _settling,
    ),
    Pass(
        racing,
        "of a large graph, where any race decides all that is asked, two accesses that surely race, and no other race",
        _raced,
        _asks_one_race,
        reduction="racing",
        inside=("condensed",),
    ),
)
#: All of them, in their order.
PASSES: tuple[Pass[Making], ...] = (*_READING, *_LASTING, *_UNFOLDING, *_BROKEN, *_SAFE, *_REDUCING)


def read(program: Program, *, whole_vectors: bool, instructions: bool) -> Program:
    """A program as the memory question reads it: vectors, barriers, and operations of C++ under a model of PTX."""
    asked = Asked(whole_vectors=whole_vectors, instructions=instructions)
    return passes.run(_READING, Making(asked, program)).program


def reduced(program: Program, asked: Asked, log: list[Passed] | None = None) -> EventGraph:
    """The event graph of a program that has been :func:`read`, without what is left out of the question.

    Raises InputError for a local that is read before it has a value, and programs too large to unroll.
    """
    return passes.run(PASSES[len(_READING) :], Making(asked, program), log=log).made


def build(
    program: Program, unroll: int, observed: Iterable[tuple[str, str]] = (), mentioned: Iterable[int] = (),
    reductions: Reductions | None = None,
) -> EventGraph:  # fmt: skip
    """The event graph of a program before anything is left out of it but checks that hold; as :class:`Asked` has it.

    All reductions hold if none are given.  Raises what :func:`reduced` does.
    """
    asked = Asked(unroll, frozenset(observed), frozenset(mentioned), reductions or Reductions())
    return passes.run((*_READING, *_LASTING, *_UNFOLDING, *_SAFE), Making(asked, program)).made
