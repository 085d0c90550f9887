"""Reductions of the state space: the steps and values that are left out, and why no verdict changes.

A verdict is about infinite behaviours: which steps recur for ever, who is owed one, and whether everything ends.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from scopec.base.graphs import components
from scopec.base.records import dataclass, replace
from scopec.program import ir, values
from scopec.program.types import BOOL, INT
from scopec.program.values import Const, Reg, Value
from scopec.progress.slicing import accessed, is_idle
from scopec.progress.steps import Goto, Step, map_leaves


@dataclass(frozen=True, slots=True)
class Reductions:
    """The parts that are left out of a state space.

    ``polls``: a poll that fails without changing anything has one label and stutters.  Every behaviour with its failed
    turns is one without them, stuttering aside, and the other way round, as long as nothing asks for the turns
    themselves: ``SilentForever`` does for polls that do not count, ``Progress`` for those that do, and the progress
    models other than ``cuda`` do where a turn of one thread's poll is the step that *some* thread takes.

    ``start``: a thread starts with its first step.  To have started means only that the threads of its unit are owed
    progress and that the device is not quiet.  Each behaviour in which a thread starts early has a like one in which
    it starts right before its first step: what was owed in between was owed for a finite time only, or the thread never
    takes its first step, although owed it, and the behaviour is not fair.  A first step that may block does not count
    as a start, so it stays a step of its own; nor does any where blocks start in order, which need not take their first
    steps in that order.

    ``local``: a step that no other thread can notice is made with the one before it, unless it counts and lies on a
    cycle: only there can it recur, and only what recurs for ever counts.

    ``registers``: a register that is not read again is 0, whatever it was.

    ``objects``: an object whose values decide nothing has none (:mod:`scopec.progress.slicing`), and what decides
    between two ways that are the same decides nothing (:mod:`scopec.progress.idle_branches`).

    ``sure_steps``: among ``many`` threads, and where more than so many ``states`` are found without, steps that lead to
    the same whichever steps of others come before them are taken at once, by one thread after the other
    (:mod:`scopec.engines.embedded.progress.persistent_steps`).

    ``alike_units``: of the units of a grid that take nothing but sure steps, to their end, the first one starts first
    (:mod:`scopec.engines.embedded.progress.alike_units`).

    ``whole_units``: among ``several`` threads all those of a unit start as soon as one of them has
    (:mod:`scopec.engines.embedded.progress.persistent_steps`).

    ``fused``: a step of a thread's own arithmetic is made with the step before it, unless it lies on a cycle of silent
    steps (:mod:`scopec.engines.embedded.progress.persistent_steps`).

    ``empty_loops``: threads go past loops that do nothing but count to a limit (:mod:`scopec.program.loops.empty`);
    they are left out of the Program, for both questions.

    ``far_states``: where more than ``near`` states are found, a violation is looked for behind far ones too, before all
    are found (:mod:`scopec.engines.embedded.progress.far_states`).  What violates a property behind a state that can be
    reached violates it; that nothing is found decides nothing.
    """

    polls: bool = True
    start: bool = True
    local: bool = True
    registers: bool = True
    objects: bool = True
    sure_steps: bool = True
    alike_units: bool = True
    whole_units: bool = True
    fused: bool = True
    empty_loops: bool = True
    far_states: bool = True
    many: int = 16
    several: int = 6
    states: int = 4096
    near: int = 8192

    def without(self, names: Collection[str]) -> Reductions:
        """The same with some switched off; what is called otherwise is left to others."""
        return replace(self, **dict.fromkeys(REDUCTIONS.keys() & names, False))


#: The reductions of the progress question, by name: what each leaves out, and for which models it holds.
REDUCTIONS: Mapping[str, tuple[str, str]] = {
    "polls": ("polls that fail without changing anything, as steps", "`cuda`, asked whether all terminate"),
    "start": ("the start of a thread, as a step of its own", "a model in which blocks start in any order"),
    "local": ("steps that no other thread can notice", "any progress model"),
    "registers": ("what registers hold that are not read again", "any progress model"),
    "objects": ("values that decide nothing", "any progress model"),
    "sure_steps": (
        "orders of steps that lead to the same in any order, among many threads or states",
        "a model that keeps on owing steps to who has started",
    ),
    "alike_units": (
        "which of the units of a grid start that take nothing but sure steps, to their end",
        "`cuda` and `cuda-resident`",
    ),
    "whole_units": (
        "which threads of a unit have started, after the first one",
        "a model that keeps on owing steps to who has started",
    ),
    "fused": (
        "steps of a thread's own arithmetic, as steps of their own",
        "a model that keeps on owing steps to who has started",
    ),
    "empty_loops": (
        "loops that do nothing but count to a limit, for both questions",
        "any model, unless `host_progress = none`",
    ),
    "far_states": ("most states before a violation far from the first one", "any progress model"),
}

NOTHING = Reductions().without(REDUCTIONS)

Counts = Callable[[ir.Operation], bool]


def on_cycles(body: ir.Body) -> frozenset[int]:
    """The nodes that a thread may reach again."""
    edges = {number: ir.successors(node) for number, node in body.nodes.items()}
    groups = components([body.entry], lambda n: edges[n])
    return frozenset(n for group in groups for n in group if len(group) > 1 or n in edges[n])


def is_unnoticed(
    operation: ir.Operation, live_after: frozenset[str], deciding: frozenset[str], mbarriers: frozenset[str]
) -> bool:
    """Whether no other thread can notice an operation: memory is sequentially consistent, so fences do nothing.

    Of ``mbarriers`` whoever arrives next notices whether somebody has found the phase before over.
    """
    match operation:
        case ir.Fence() | ir.Silent():
            return True
        case ir.Load(target=target):
            return target not in live_after
        case ir.BarrierTest(target=target, place=place) if place.object not in mbarriers:
            return target not in live_after
        case _:
            return is_idle(operation, deciding)


def without_assertions(body: ir.Body, holding: frozenset[int], *, explicit: bool) -> ir.Body:
    """The graph without the implicit assertions that are known to hold, and without lifetimes, which are no steps.

    Without those of the source too, unless they are asked for (``explicit``): they are the memory question's, and here
    they are taken to hold.
    """

    def goes(number: int) -> bool:
        match body.nodes[number]:
            case ir.Do(ir.Assert(implicit=implicit)):
                return number in holding if implicit else not explicit
            case ir.Do(ir.Lifetime()):
                return True
            case _:
                return False

    def target(number: int) -> int:
        while goes(number):
            node = body.nodes[number]
            assert isinstance(node, ir.Do)
            number = node.next
        return number

    def redirected(node: ir.Node) -> ir.Node:
        match node:
            case ir.Do(operation, span, following):
                return ir.Do(operation, span, target(following))
            case ir.Branch(condition, span, then, otherwise):
                return ir.Branch(condition, span, target(then), target(otherwise))
            case ir.Exit():
                return node

    kept = {n: node for n, node in body.nodes.items() if target(n) == n}
    return replace(body, entry=target(body.entry), nodes={n: redirected(node) for n, node in kept.items()})


def waits_as_polls(body: ir.Body) -> ir.Body:
    """The graph with each wait of an atomic looking again at any time: nobody's progress is asked for."""

    def polls(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Do) and isinstance(node.operation, ir.Await):
            return replace(node, operation=replace(node.operation, notified=False))
        return node

    return replace(body, nodes={number: polls(node) for number, node in body.nodes.items()})


def automatic_as_registers(body: ir.Body, own: Mapping[str, ir.Object], counts: Counts) -> ir.Body:
    """The graph with scalar automatic objects as registers, where each of their accesses may go unnoticed.

    ``own`` are the objects that only the thread of this body accesses.
    """
    cycles = on_cycles(body)
    candidates = {
        name
        for name, o in own.items()
        if o.storage is ir.Storage.AUTOMATIC
        and o.use not in (ir.Use.BARRIER, ir.Use.MBARRIER)
        and not o.array
        and o.values[0] in (None, 0)  # as registers begin
    }
    for number, node in body.nodes.items():
        if isinstance(node, ir.Do) and (place := accessed(node.operation)) is not None and place.object in candidates:
            weak = isinstance(node.operation, ir.CompareExchange) and node.operation.weak
            if weak or isinstance(node.operation, ir.Await) or (number in cycles and counts(node.operation)):
                candidates.discard(place.object)
    nodes: dict[int, ir.Node] = dict(body.nodes)
    for number, node in body.nodes.items():
        if isinstance(node, ir.Do) and (place := accessed(node.operation)) is not None and place.object in candidates:
            *rest, first = reversed(_as_assignments(node.operation, Reg(place.object, own[place.object].type)))
            following = node.next
            for assignment in rest:
                nodes[max(nodes) + 1] = ir.Do(assignment, node.span, following)
                following = max(nodes)
            nodes[number] = ir.Do(first, node.span, following)
    return replace(body, nodes=nodes)


def _as_assignments(operation: ir.Operation, object_: Reg) -> list[ir.Set]:
    """The assignments of an access to an object, one after the other, when the object is a register."""
    match operation:
        case ir.Load(target, _, _):
            return [ir.Set(target, object_)]
        case ir.Store(_, value, _):
            return [ir.Set(object_.name, value)]
        case ir.Rmw(target, _, new, _):
            return [ir.Set(target, object_), ir.Set(object_.name, new)]
        case ir.CompareExchange(target, succeeded, _, expected, desired, _, _, _):
            after = values.choose(Reg(succeeded, BOOL), desired, object_)
            equal = values.binary("==", object_, expected)
            return [ir.Set(succeeded, equal), ir.Set(target, object_), ir.Set(object_.name, after)]
        case _:
            raise AssertionError(operation)


def without_dead_values(steps: Mapping[str, Step], live: Mapping[str, frozenset[str]]) -> dict[str, Step]:
    """The steps with each register reset where it stops being live; ``live`` gives the live registers by label.

    A register that is not live is 0 at every label: it is when the thread begins, and whenever it stops being live.
    """

    def reset(step: Step) -> Step:
        def ended(end: Goto) -> Goto:
            dead = sorted(live[step.label] - live[end.label])
            zeros: list[tuple[str, Value]] = [(name, Const(0, INT)) for name in dead]
            return replace(end, updates=tuple(sorted([*end.updates, *zeros], key=lambda update: update[0])))

        return replace(step, tree=map_leaves(step.tree, ended))

    return {label: reset(step) for label, step in steps.items()}
