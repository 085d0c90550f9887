"""From control-flow graphs to labelled steps: one visible operation per step, local arithmetic folded into it.

A step performs its operation and then runs the thread's own arithmetic up to the next visible operation, so that a
schedule shows what other threads can see and nothing else.  Merging is sound for both properties: local arithmetic
commutes with the steps of every other thread, and a loop without a visible operation keeps a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from scopec.base.records import replace
from scopec.program import ir, values
from scopec.program.effects import registers
from scopec.program.loops.loops import live_registers
from scopec.program.types import BOOL, INT, LONG
from scopec.program.values import Builtin, Const, Reg, Value, substitute
from scopec.progress import mbarriers
from scopec.progress.reductions import Reductions, is_unnoticed, on_cycles
from scopec.progress.slicing import is_idle, touched, without_idle_stores
from scopec.progress.steps import (
    DONE,
    FOUND,
    MET,
    OLD,
    OUTCOME,
    PHASE,
    Again,
    Arrival,
    Asleep,
    Either,
    Goto,
    Machine,
    Made,
    Pending,
    Return,
    Role,
    Step,
    Tick,
    Tree,
    Undefined,
    Visible,
    Wait,
    called,
    fork,
    label_of,
    leaves,
    map_leaves,
    registers_read,
    with_found,
    writing,
)

if TYPE_CHECKING:
    from scopec.base.source import Span

_MOST_WAYS = 32


def machine(
    owner: str,
    name: str,
    body: ir.Body,
    deciding: frozenset[str],
    counts: Callable[[Visible], bool],
    reductions: Reductions,
    *,
    snapshots: bool = False,
    observed: frozenset[str] = frozenset(),
    mbarriers: frozenset[str] = frozenset(),
) -> tuple[Machine, Mapping[str, frozenset[str]]]:
    """The labelled steps of a body, of the grid or the thread ``owner``, and the registers that are live at each label.

    Labels begin with ``name``.

    ``deciding`` are the objects whose values are kept; ``counts`` classifies operations (see :class:`Step`).  A step
    that can lead to itself gets a second label, so that each turn of a poll is a step, except where ``reductions`` has
    a failed poll stutter.  With ``snapshots`` a call that waits for work has a step that notes what it waits for.
    ``observed`` are the registers that are read when the thread has ended, ``mbarriers`` the objects that are such.
    """
    return _Stepper(owner, name, body, deciding, counts, reductions, snapshots, observed, mbarriers).machine()


def without_unread(made: Machine, observed: frozenset[str] = frozenset()) -> Machine:
    """A machine without the registers that no step reads, nor anybody when the thread has ended."""
    read = set(registers_read(made.entry)) | observed
    for step in made.steps.values():
        read |= set(registers_read(step.tree)) | _read_by(step)
    read = {name for name in read - {*FOUND, OUTCOME, MET} if not ir.is_exchanged(name)}

    def needed(end: Goto) -> Goto:
        return replace(end, updates=tuple((r, v) for r, v in end.updates if r in read))

    kept = {label: replace(s, tree=map_leaves(s.tree, needed)) for label, s in made.steps.items()}
    return Machine(made.name, map_leaves(made.entry, needed), kept, tuple(sorted(read)))


class _TooManyWaysError(Exception):
    pass


class _Stepper:
    def __init__(
        self,
        owner: str,
        name: str,
        body: ir.Body,
        deciding: frozenset[str],
        counts: Callable[[Visible], bool],
        reductions: Reductions,
        snapshots: bool,
        observed: frozenset[str],
        mbarriers: frozenset[str],
    ) -> None:
        self.owner = owner
        self.name = name
        self.body = body
        self.counts = counts
        self.reductions = reductions
        self.deciding = deciding
        self.snapshots = snapshots
        self.observed = observed
        self.mbarriers = mbarriers & deciding
        self.live = live_registers(without_idle_stores(body, deciding), observed)
        self.cycles = on_cycles(body)
        self.undefined = dict(self._undefined())
        self.visible = {n for n, node in body.nodes.items() if self._is_visible(n, node)}
        self.visible -= self._one_choice()
        self.visible |= self._local_loops()
        self.labels = self._labels()

    def machine(self) -> tuple[Machine, Mapping[str, frozenset[str]]]:
        try:
            entry, steps = self._all_steps()
        except _TooManyWaysError:
            # Decisions one after the other multiply; give each a step of its own instead.
            self.visible |= {n for n, node in self.body.nodes.items() if isinstance(node, ir.Branch)}
            self.labels = self._labels()
            entry, steps = self._all_steps()
        steps = dict(self._without_self_loops(steps))
        return Machine(self.name, entry, steps, ()), self._live_at(steps)

    def _all_steps(self) -> tuple[Tree, dict[str, Step]]:
        entry = self._follow(self.body.entry, {})
        steps = {step.label: step for n in sorted(self.visible) for step in self._steps(n)}
        reached = {end.label for tree in (entry, *(s.tree for s in steps.values())) for end in leaves(tree)}
        return entry, steps | {s.label: s for s in self.undefined.values() if s.label in reached}

    def _undefined(self) -> Iterator[tuple[int, Step]]:
        """For each implicit assertion where a thread stays that fails it."""
        counts: dict[int, int] = {}
        for number, node in sorted(self.body.nodes.items()):
            if isinstance(node, ir.Do) and isinstance(node.operation, ir.Assert) and node.operation.implicit:
                line = node.span.line
                counts[line] = counts.get(line, 0) + 1
                stem = label_of(f"{self.name}_L{line}", Role.UNDEFINED)
                label = stem if counts[line] == 1 else f"{stem}_{counts[line]}"
                operation = Undefined(node.operation.text)
                counted = self.counts(operation)
                yield number, Step(self.owner, label, operation, node.span, Goto(label), counted, None, Role.UNDEFINED)

    def _live_at(self, steps: Mapping[str, Step]) -> dict[str, frozenset[str]]:
        """The registers that are live at each label; all labels of one operation have those of its first."""
        by_label = {label: self.live[number] for number, label in self.labels.items()}
        by_label |= {step.label: self.live[number] for number, step in self.undefined.items()}
        live = {DONE: self.observed}
        for label, step in steps.items():
            while step.of:
                step = steps[step.of]
            live[label] = by_label[step.label]
        return live

    def _is_visible(self, number: int, node: ir.Node) -> bool:
        if not isinstance(node, ir.Do) or isinstance(node.operation, ir.Set) or number in self.undefined:
            return False
        if isinstance(node.operation, ir.Decide) and node.operation.what == "watchdog":
            return False
        if self.reductions.local and is_unnoticed(node.operation, self.live[node.next], self.deciding, self.mbarriers):
            return number in self.cycles and self.counts(node.operation)
        return True

    def _without_self_loops(self, steps: Mapping[str, Step]) -> Iterator[tuple[str, Step]]:
        for label, step in steps.items():
            loops = any(end.label == label for end in leaves(step.tree)) or step.blocks
            if not loops or isinstance(step.operation, Undefined) or (self.reductions.polls and step.counts):
                yield label, step
                continue
            again = label_of(label, Role.AGAIN)

            def redirected(end: Goto, label: str = label, again: str = again) -> Goto:
                return replace(end, label=again) if end.label == label else end

            second = Step(
                self.owner, again, Again(step.operation), step.span, Goto(label), False, None, Role.AGAIN, label
            )
            yield label, replace(step, tree=map_leaves(step.tree, redirected), again=again)
            yield again, second

    def _one_choice(self) -> set[int]:
        """Decisions that another one leads to, as of which lanes are together: no thread can tell them apart."""
        before: dict[int, list[int]] = {}
        for number, node in self.body.nodes.items():
            for following in ir.successors(node):
                before.setdefault(following, []).append(number)

        def only(number: int) -> int:
            behind = before.get(number, [])
            return behind[0] if len(behind) == 1 and number != self.body.entry else number

        def decided(number: int) -> str | None:
            match self.body.nodes[number]:
                case ir.Do(ir.Decide(target, "unknown" | "clock", of=())):
                    return target
                case _:
                    return None

        found = set()
        for number in self.body.nodes:
            branch = self.body.nodes[only(number)]
            condition = branch.condition if isinstance(branch, ir.Branch) else None
            if decided(number) and isinstance(condition, Reg) and decided(only(only(number))) == condition.name:
                found.add(number)
        return found

    def _local_loops(self) -> set[int]:
        """One node of every cycle that has no visible operation."""
        chosen: set[int] = set()
        state: dict[int, int] = {}
        for root in self.body.nodes:
            stack = [(root, False)]
            while stack:
                number, leaving = stack.pop()
                if leaving:
                    state[number] = 2
                elif number not in state and number not in self.visible:
                    state[number] = 1
                    stack.append((number, True))
                    for following in ir.successors(self.body.nodes[number]):
                        if state.get(following) == 1:
                            chosen.add(following)
                        elif following not in state:
                            stack.append((following, False))
        return chosen

    def _labels(self) -> dict[int, str]:
        labels: dict[int, str] = {}
        counts: dict[str, int] = {}
        for number in sorted(self.visible):
            stem = f"{self.name}_L{self.body.nodes[number].span.line}"
            counts[stem] = counts.get(stem, 0) + 1
            labels[number] = stem if counts[stem] == 1 else f"{stem}_{counts[stem]}"
        return labels

    def _step(self, first: str, operation: Visible, span: Span, tree: Tree, role: Role = Role.FIRST) -> Step:
        of = "" if role is Role.FIRST else first
        return Step(self.owner, label_of(first, role), operation, span, tree, self.counts(operation), None, role, of)

    def _steps(self, number: int) -> Iterator[Step]:
        """The steps of one visible node: API calls and barriers take two labels, effect and return."""
        node, label = self.body.nodes[number], self.labels[number]
        span = node.span
        if not isinstance(node, ir.Do) or isinstance(node.operation, ir.Set) or number in self.undefined:
            endless = isinstance(node, ir.Branch) and node.condition == values.TRUE and node.then == number
            yield self._step(label, Tick(endless), span, self._follow(number, {}, inside=True))
            return
        operation, following = node.operation, node.next
        if isinstance(operation, ir.BarrierOperation) and operation.place.object in self.mbarriers:
            tree = mbarriers.tree(operation, label, lambda found: self._follow(following, found))
            yield replace(self._step(label, operation, span, tree), guard=mbarriers.guard(operation))
            return
        match operation:
            case _ if is_idle(operation, self.deciding):
                yield self._step(label, operation, span, self._follow(following, {}))
            case ir.SyncThreads(vote) | ir.NamedBarrier(waits=True, vote=vote):
                yield self._step(label, operation, span, Goto(label_of(label, Role.WAIT)))
                result: dict[str, Value] = {} if vote is None else {vote.target: Reg(OUTCOME, INT)}
                yield self._step(label, Wait(operation), span, self._follow(following, result), Role.WAIT)
            case ir.GroupSync(exchange=ir.Exchange(chance=True)):
                met = Reg(MET, BOOL)
                yield self._step(label, operation, span, fork(met, Goto(label_of(label, Role.WAIT)), Goto(DONE)))
                tree = fork(met, self._follow(following, {}), Goto(DONE))
                yield self._step(label, Wait(operation), span, tree, Role.WAIT)
            case ir.GroupSync(exchange=ir.Exchange(_, _, targets, results)):
                yield self._step(label, operation, span, Goto(label_of(label, Role.WAIT)))
                tree = self._follow(following, dict(zip(targets, results, strict=True)))
                yield self._step(label, Wait(operation), span, tree, Role.WAIT)
            case ir.GroupSync(waits=False):  # it has come before the others have gone on from where it came last
                yield self._step(label, Wait(operation), span, Goto(label_of(label, Role.WAIT)))
                yield self._step(label, operation, span, self._follow(following, {}), Role.WAIT)
            case ir.GroupSync():
                yield self._step(label, operation, span, Goto(label_of(label, Role.WAIT)))
                yield self._step(label, Wait(operation), span, self._follow(following, {}), Role.WAIT)
            case ir.LaunchGrid() | ir.EventRecord() | ir.EventWait():
                yield self._step(label, operation, span, Goto(label_of(label, Role.RETURN)))
                returns = Return(called(operation))
                yield self._step(label, returns, span, self._follow(following, {}), Role.RETURN)
            case ir.DeviceSynchronize() | ir.StreamSynchronize() | ir.EventSynchronize() if self.snapshots:
                yield self._step(label, operation, span, Goto(label_of(label, Role.PENDING)))
                yield self._step(label, Pending(operation), span, self._follow(following, {}), Role.PENDING)
            case ir.StreamQuery(target) | ir.EventQuery(target) | ir.LaunchQuery(target):
                ends = (Goto(label_of(label, Role.READY)), Goto(label_of(label, Role.NOT_READY)))
                asked: tuple[tuple[ir.Call, Role], ...] = ((operation, Role.FIRST),)
                if isinstance(operation, ir.LaunchQuery):  # it sees the event at once, or when the grid is complete
                    asked = ((operation, Role.AT_ONCE), (replace(operation, late=True), Role.LATE))
                    either = Either(*(Goto(label_of(label, role)) for _, role in asked))
                    yield self._step(label, ir.Decide(target, "order"), span, either)
                for call, role in asked:
                    yield self._step(label, call, span, Either(*ends), role)
                for role, ready, code in ((Role.READY, True, 0), (Role.NOT_READY, False, 600)):
                    tree = self._follow(following, {target: Const(code, INT)})
                    yield self._step(label, Return(called(operation), ready), span, tree, role)
            case ir.Await(notified=True):
                asleep = Goto(label_of(label, Role.ASLEEP))
                yield self._step(label, operation, span, self._await(operation, following, asleep))
                for role, due in ((Role.ASLEEP, False), (Role.DUE, True)):
                    yield self._step(label, Asleep(operation, due), span, Goto(label_of(label, role)), role)
            case ir.Await(target, _, condition, _):
                guard = with_found(condition, target)
                yield replace(self._step(label, operation, span, self._await(operation, following)), guard=guard)
            case ir.Assert(condition):
                tree = fork(condition, self._follow(following, {}), Goto(label_of(label, Role.FAILS)))
                yield self._step(label, operation, span, tree)
            case ir.Decide(target, of=(truth,)):
                yield self._step(label, operation, span, self._follow(following, {target: truth}))
            case ir.Decide(target, _):
                yes, no = (self._follow(following, {target: truth}) for truth in (values.TRUE, values.FALSE))
                yield self._step(label, operation, span, yes if yes == no else Either(yes, no))
            case ir.Load(target, _, _):
                yield self._step(label, operation, span, self._follow(following, {target: Reg(OLD, INT)}))
            case ir.Store(_, value, _):
                yield self._step(label, operation, span, writing(value, self._follow(following, {})))
            case ir.Rmw(target, _, new, _):
                tree = self._follow(following, {target: Reg(OLD, new.type)})
                yield self._step(label, operation, span, writing(with_found(new, target), tree))
            case ir.CompareExchange():
                yield self._step(label, operation, span, self._compare_exchange(operation, following))
            case ir.Fence() | ir.Notify() | ir.Operand() | ir.Called() | ir.NamedBarrier() | ir.Silent():
                yield self._step(label, operation, span, self._follow(following, {}))
            case _ if isinstance(operation, ir.Call):
                yield self._step(label, operation, span, self._follow(following, {}))
            case ir.BarrierInit(_, count):
                assert count is not None
                yield self._step(label, operation, span, writing(Made(count), self._follow(following, {})))
            case ir.BarrierExpect():
                raise AssertionError("only an mbarrier expects bytes")
            case ir.BarrierArrive(target, _, update, _, drop):
                tree = self._follow(following, {target: Reg(PHASE, LONG)})
                yield self._step(label, operation, span, writing(Arrival(update, drop), tree))
            case ir.BarrierWait(target, _, condition):
                guard = with_found(condition, target, PHASE)
                tree = self._follow(following, {target: Reg(PHASE, LONG)})
                yield replace(self._step(label, operation, span, tree), guard=guard)
            case ir.BarrierTest(target, _, condition):
                holds = with_found(condition, target, PHASE)
                yield self._step(label, operation, span, self._follow(following, {target: holds}))

    def _await(self, operation: ir.Await, following: int, otherwise: Tree | None = None) -> Tree:
        """The tree of a wait: where the condition holds, the store and what follows; elsewhere ``otherwise``."""
        tree = self._follow(following, {operation.target: Reg(OLD, INT)})
        if operation.new is not None:
            tree = writing(with_found(operation.new, operation.target), tree)
        if otherwise is None:
            return tree
        return fork(with_found(operation.condition, operation.target), tree, otherwise)

    def _compare_exchange(self, operation: ir.CompareExchange, following: int) -> Tree:
        old = Reg(OLD, operation.expected.type)
        found = {operation.target: old}
        success = self._follow(following, {**found, operation.succeeded: values.TRUE})
        failure = self._follow(following, {**found, operation.succeeded: values.FALSE})
        success = writing(operation.desired, success)
        equal = values.binary("==", old, operation.expected)
        return fork(equal, Either(success, failure) if operation.weak else success, failure)

    def _follow(self, number: int, registers: Mapping[str, Value], *, inside: bool = False, ways: int = 1) -> Tree:
        """Run local arithmetic from a node to the next visible ones; ``inside``: from within that node."""
        if ways > _MOST_WAYS:
            raise _TooManyWaysError

        def leaf(reg: Reg | Builtin) -> Value:
            return registers.get(reg.name, reg)

        while inside or number not in self.visible:
            inside = False
            match self.body.nodes[number]:
                case ir.Exit():
                    return Goto(DONE, self._updates(number, registers))
                case ir.Branch(condition, _, then, otherwise):
                    decided = substitute(condition, leaf)
                    if not isinstance(decided, Const):
                        yes = self._follow(then, registers, ways=2 * ways)
                        no = self._follow(otherwise, registers, ways=2 * ways)
                        return fork(decided, yes, no)
                    number = then if decided.value else otherwise
                case ir.Do(ir.Set(target, value), _, following):
                    registers = {**registers, target: substitute(value, leaf)}
                    number = following
                case ir.Do(ir.Assert(condition, _, True), _, following):
                    holds = substitute(condition, leaf)
                    if holds != values.TRUE:
                        fails = Goto(self.undefined[number].label, self._updates(number, registers))
                        return fork(holds, self._follow(following, registers, ways=ways), fails)
                    number = following
                case ir.Do(ir.Decide(target, "watchdog"), _, following):
                    registers = {**registers, target: values.FALSE}
                    number = following
                case ir.Do(ir.Decide(target, of=(truth,)), _, following):
                    if target in self.live[following]:
                        registers = {**registers, target: substitute(truth, leaf)}
                    number = following
                case ir.Do(ir.Decide(target, "unknown" | "clock"), _, following) if target in self.live[following]:
                    ways *= 2
                    yes, no = (
                        self._follow(following, {**registers, target: truth}, ways=ways)
                        for truth in (values.TRUE, values.FALSE)
                    )
                    return yes if yes == no else Either(yes, no)
                case ir.Do(_, _, following):
                    number = following
        return Goto(self.labels[number], self._updates(number, registers))

    def _updates(self, number: int, registers: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
        return tuple(
            (name, value)
            for name, value in sorted(registers.items())
            if name in self.live[number] and not (isinstance(value, Reg) and value.name == name)
        )


def _read_by(step: Step) -> set[str]:
    """Registers that an operation reads, beside those of its tree: which place it accesses, until when it blocks."""
    found = set() if step.guard is None else registers(step.guard)
    match step.operation:
        case ir.SyncThreads(ir.Vote(predicate=predicate)):
            return found | registers(predicate)
        case ir.GroupSync(exchange=ir.Exchange(_, value, _, _)):
            return found | registers(value)
        case ir.NamedBarrier(name, count, _, vote) | Wait(ir.NamedBarrier(name, count, _, vote)):
            given = (count, None if vote is None else vote.predicate)
            return found.union(*(registers(part) for part in (*name, *given) if part is not None))
        case ir.Notify(place) | Asleep(ir.Await(place=place)):
            return found | registers(place.index)
        case _:
            reads = touched(step)
            return found if reads is None else found | registers(reads.index)
