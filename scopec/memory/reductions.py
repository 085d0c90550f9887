"""Reductions of the memory question, each with its switch and the argument why nothing is lost.

A reduction changes no answer where its precondition holds (:mod:`scopec.memory.cat.permitted`); elsewhere it is not
made.  Each can be switched off (``--without``).  docs/abstractions.md has a row for each, with the test that fails
without it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class Reductions:
    """The reductions that are made of a memory question, and from which sizes on.

    ``settled``: a location whose accesses the program alone orders is computed, and what its reads return is put in
    their place (:mod:`scopec.memory.reduce.resolve_locations`).  In each execution such a read returns the last write
    before it, since happens-before contains that order and coherence agrees with it; no execution has a race there; and
    what the accesses order is in the order of the program already.

    ``condensed``: the accesses to settled locations, and the barriers that order nothing else, are no events
    (:mod:`scopec.memory.reduce.prune_barriers`).  An axiom sees a barrier only in the transitive order that it makes
    among others.

    ``commuting``: a location is settled too if the program leaves open only the order of additions whose results nobody
    uses (:mod:`scopec.memory.reduce.commuting`): each order ends with the same value, and synchronises nothing.

    ``racing``: of a large graph, where any race decides all that is asked, only two accesses are left that race in the
    execution in which threads run one after the other, or, around mbarriers, in turns
    (:mod:`scopec.memory.reduce.certain_race`).  Every model that has it has that execution, for it is sequentially
    consistent, and nothing in it can order the two.

    ``constants``: plain reads of what nobody writes, or of what the host alone wrote before it launched anything, are
    no events (:meth:`Unfolding.constant`), where threads are many or a loop that reads such goes round often, which it
    then does as often as they say.  Happens-before orders these writes before all reads, so coherence leaves
    one value.

    ``pairs``: of a barrier with many threads in a phase all arrivals are ordered before all waits, the thread's own
    among them, which program order has (:meth:`Ordering.synchronises`).

    ``mbarriers``: an mbarrier of a large graph is a barrier if each execution takes the phases that one schedule does
    (:mod:`scopec.memory.reduce.resolve_phases`).

    ``phases``: an arrival of a warp is of no phase that needs more arrivals before it than can come, or fewer than have
    to (:mod:`scopec.program.arrival_order`).  These are facts of each order of the arrivals.

    ``safe_assertions``: an implicit assertion is not asked if it holds for all values that its reads may return, which
    are those that the question gives them (:func:`scopec.memory.graph.safe_assertions`).

    ``spin_loops``: a turn of a wait loop that only reads, and leaves everything as it was, is executed once at most
    (:func:`scopec.memory.unfold.spin_loops.only_waits`).  An execution without such a turn is one of a model whose
    axioms only forbid, and has the races that it had with it.

    ``retries``: the same of turns that write what was there: an exchange that stores what it reads, a weak
    compare-exchange that fails for no reason (:func:`scopec.memory.unfold.spin_loops.retries`).  Whoever reads from
    such a write reads the same from the write before it, and release sequences go on without it.

    ``rounds``: of threads that meet in wait loops, each in one of its own, rounds in which nobody goes on are executed
    once at most (:mod:`scopec.memory.unfold.rounds`).  Such a round is a turn in vain of all who meet.

    ``mute``: of a search for executions that get stuck, accesses are no events that decide nothing and synchronise
    nothing (:mod:`scopec.hangs.slicing`).

    ``whole``: nobody looks for executions that get stuck where all that matter are sequentially consistent, for those
    are schedules (:mod:`scopec.session.inquiry.sc_suffices`).  Each reason says itself which models promise it.

    ``symmetry``: of threads that can be exchanged one order is enough, that of their writes at one place
    (:mod:`scopec.engines.embedded.memory.symmetry`).

    ``closures``: a closure is a set of pairs that contains it where a pair is only forbidden, and clauses are written
    as models break them (:mod:`scopec.engines.embedded.memory.lazy_closures`).  The set that is the closure is one of
    these.

    ``plain_races``: where unit propagation refutes every race there is none
    (:mod:`scopec.engines.embedded.memory.sat`).

    ``origins``: it is not asked whether a value lies outside the domains, where the model has none out of thin air: a
    value is made by a chain of writes then in which none occurs twice, and the domains hold what such chains make
    (:func:`scopec.memory.domains.domains.possible_values`).

    ``coherent``: a read of one of many values returns those alone that its location takes in some order of its
    accesses (:mod:`scopec.memory.domains.coherent`).  Coherence and atomicity make each location sequentially
    consistent.

    ``sparse``: of large allocations, and of arrays of which one asynchronous copy or matrix has many elements, those
    are modelled that something accesses besides copies, fills and matrices, and one of each class that the same ones
    cover (:mod:`scopec.frontends.clang.machine.sparse`).  What races on one element of a class races on each, and
    nobody looks at their values.  The reader makes it, for both questions.

    ``threads``, ``events``, ``meeting``, ``values``: programs with more threads or events are large, barriers at which
    more threads meet, and reads of more values; smaller ones are asked as they are.
    """

    settled: bool = True
    condensed: bool = True
    commuting: bool = True
    racing: bool = True
    constants: bool = True
    pairs: bool = True
    mbarriers: bool = True
    phases: bool = True
    safe_assertions: bool = True
    spin_loops: bool = True
    retries: bool = True
    rounds: bool = True
    mute: bool = True
    whole: bool = True
    symmetry: bool = True
    closures: bool = True
    plain_races: bool = True
    origins: bool = True
    coherent: bool = True
    sparse: bool = True
    threads: int = 16
    events: int = 150
    meeting: int = 16
    values: int = 32

    def without(self, names: Collection[str]) -> Reductions:
        """The same with some switched off."""
        return replace(self, **dict.fromkeys(names, False))
