"""From control-flow graphs to labelled steps: one visible operation a step, local arithmetic folded into it.

A step performs its operation and then runs the thread's own arithmetic up to the next visible operation, so that a
schedule shows what other threads can see and nothing else.  Merging is sound for both properties: local arithmetic
commutes with the steps of every other thread, and a loop without a visible operation keeps a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from scopec.program import ir, values
from scopec.program.loops import live_registers
from scopec.program.types import INT
from scopec.program.values import Builtin, Const, Reg, Value, substitute

if TYPE_CHECKING:
    from scopec.source import Span

#: The label of a thread that has ended, and of a device thread that has not started.
DONE, IDLE = "done", "idle"
#: The register that stands for the value that a step's operation finds in memory.
OLD = "%old"
_MOST_WAYS = 32


@dataclass(frozen=True, slots=True)
class Goto:
    """Store ``write`` (if any) at the operation's place, update registers that are still read, go on at ``label``."""

    label: str
    updates: tuple[tuple[str, Value], ...] = ()
    write: Value | None = None


@dataclass(frozen=True, slots=True)
class Fork:
    """One of two ways to go on, by a condition."""

    condition: Value
    then: Tree
    otherwise: Tree


@dataclass(frozen=True, slots=True)
class Either:
    """One of two ways to go on, either of which the implementation may choose."""

    first: Tree
    second: Tree


Tree: TypeAlias = Goto | Fork | Either


@dataclass(frozen=True, slots=True)
class Tick:
    """A turn of a loop without a visible operation.  ``trivial``: a trivial infinite loop ([stmt.iter.general])."""

    trivial: bool


@dataclass(frozen=True, slots=True)
class Return:
    """The return of an API call whose effect was the step before; ``ready`` is the result of a query."""

    function: str
    ready: bool | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """Waiting at a barrier for the other threads of the block."""


@dataclass(frozen=True, slots=True)
class Again:
    """Nothing: the second label of a step that would otherwise lead to itself, so that taking it changes the state."""

    of: Visible


Visible: TypeAlias = ir.Operation | Tick | Return | Wait | Again


@dataclass(frozen=True, slots=True)
class Step:
    """A labelled step: at ``label``, perform ``operation``, then go on as ``tree`` says.

    Values are over the thread's registers before the step, and ``%old``, the value that the operation finds.
    ``counts`` is whether it is one of the operations that the implementation may assume a thread will eventually
    perform ([intro.progress.1] as modified).
    """

    label: str
    operation: Visible
    span: Span
    tree: Tree
    counts: bool


@dataclass(frozen=True)
class Machine:
    """The labelled steps of a body; ``entry`` is how a thread begins; ``registers`` are those that steps read."""

    name: str
    entry: Tree
    steps: Mapping[str, Step]
    registers: Mapping[str, int]


def leaves(tree: Tree) -> Iterator[Goto]:
    """The ways in which a tree ends."""
    match tree:
        case Goto():
            yield tree
        case Fork(_, then, otherwise) | Either(then, otherwise):
            yield from leaves(then)
            yield from leaves(otherwise)


def map_leaves(tree: Tree, f: Callable[[Goto], Goto]) -> Tree:
    """The tree with its ends changed, and forks whose sides have become equal removed."""
    match tree:
        case Goto():
            return f(tree)
        case Fork(condition, then, otherwise):
            return fork(condition, map_leaves(then, f), map_leaves(otherwise, f))
        case Either(first, second):
            return Either(map_leaves(first, f), map_leaves(second, f))


def fork(condition: Value, then: Tree, otherwise: Tree) -> Tree:
    """A fork, or what its two sides are if they are the same, or the side that is decided."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    return then if then == otherwise else Fork(condition, then, otherwise)


def machine(
    name: str, body: ir.Body, counts: Callable[[Visible], bool], observed: frozenset[str], *, split_polls: bool
) -> Machine:
    """The labelled steps of a body; labels begin with ``name``.

    ``counts`` classifies operations (see :class:`Step`); ``observed`` are registers that are read at the end.  With
    ``split_polls`` every step that can lead to itself gets a second label, so that each turn of a poll is a step;
    otherwise only those that do not count do: their stuttering would hide them from ``SilentForever``.
    """
    return _Stepper(name, body, counts, observed, split_polls).machine()


class _TooManyWaysError(Exception):
    pass


class _Stepper:
    def __init__(
        self, name: str, body: ir.Body, counts: Callable[[Visible], bool], observed: frozenset[str], split_polls: bool
    ) -> None:
        self.name = name
        self.body = body
        self.counts = counts
        self.split_polls = split_polls
        self.live = live_registers(body, observed)
        self.observed = observed
        self.visible = {n for n, node in body.nodes.items() if _is_visible(node)}
        self.visible |= self._local_loops()
        self.labels = self._labels()

    def machine(self) -> Machine:
        try:
            entry = self._follow(self.body.entry, {})
            steps = {step.label: step for n in sorted(self.visible) for step in self._steps(n)}
        except _TooManyWaysError:
            # Decisions one after the other multiply; give each a step of its own instead.
            self.visible |= {n for n, node in self.body.nodes.items() if isinstance(node, ir.Branch)}
            self.labels = self._labels()
            entry = self._follow(self.body.entry, {})
            steps = {step.label: step for n in sorted(self.visible) for step in self._steps(n)}
        steps = dict(self._without_self_loops(steps))
        read = set(self.observed) | set(_read(entry))
        for step in steps.values():
            read |= set(_read(step.tree)) | set(_read_by(step.operation))
        read.discard(OLD)

        def needed(end: Goto) -> Goto:
            return replace(end, updates=tuple((r, v) for r, v in end.updates if r in read))

        kept = {label: replace(s, tree=map_leaves(s.tree, needed)) for label, s in steps.items()}
        return Machine(self.name, map_leaves(entry, needed), kept, dict.fromkeys(sorted(read), 0))

    def _without_self_loops(self, steps: Mapping[str, Step]) -> Iterator[tuple[str, Step]]:
        for label, step in steps.items():
            loops = any(end.label == label for end in leaves(step.tree)) or isinstance(step.operation, Wait)
            if not loops or not (self.split_polls or not step.counts):
                yield label, step
                continue
            again = f"{label}_again"

            def redirected(end: Goto, label: str = label, again: str = again) -> Goto:
                return replace(end, label=again) if end.label == label else end

            yield label, replace(step, tree=map_leaves(step.tree, redirected))
            yield again, Step(again, Again(step.operation), step.span, Goto(label), counts=False)

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

    def _step(self, label: str, operation: Visible, span: Span, tree: Tree) -> Step:
        return Step(label, operation, span, tree, self.counts(operation))

    def _steps(self, number: int) -> Iterator[Step]:
        """The steps of one visible node: API calls and barriers take two labels, effect and return."""
        node, label = self.body.nodes[number], self.labels[number]
        span = node.span
        if not isinstance(node, ir.Do) or isinstance(node.operation, (ir.Set, ir.Assert)):
            endless = isinstance(node, ir.Branch) and node.condition == values.TRUE and node.then == number
            yield self._step(label, Tick(endless), span, self._follow(number, {}, inside=True))
            return
        operation, following = node.operation, node.next
        match operation:
            case ir.SyncThreads():
                yield self._step(label, operation, span, Goto(f"{label}_wait"))
                yield self._step(f"{label}_wait", Wait(), span, self._follow(following, {}))
            case ir.LaunchGrid():
                yield self._step(label, operation, span, Goto(f"{label}_return"))
                yield self._step(f"{label}_return", Return("launch"), span, self._follow(following, {}))
            case ir.StreamQuery(target, _):
                yield self._step(label, operation, span, Either(Goto(f"{label}_ready"), Goto(f"{label}_not_ready")))
                for word, ready, code in (("ready", True, 0), ("not_ready", False, 600)):
                    tree = self._follow(following, {target: Const(code, INT)})
                    yield self._step(f"{label}_{word}", Return("cudaStreamQuery", ready), span, tree)
            case ir.Load(target, _, _):
                yield self._step(label, operation, span, self._follow(following, {target: Reg(OLD, INT)}))
            case ir.Store(_, value, _):
                yield self._step(label, operation, span, self._writing(value, self._follow(following, {})))
            case ir.Rmw(target, _, new, _):
                old = Reg(OLD, new.type)
                written = substitute(new, lambda leaf: old if leaf.name == target else leaf)
                tree = self._follow(following, {target: old})
                yield self._step(label, operation, span, self._writing(written, tree))
            case ir.CompareExchange():
                yield self._step(label, operation, span, self._compare_exchange(operation, following))
            case _:
                yield self._step(label, operation, span, self._follow(following, {}))

    def _compare_exchange(self, operation: ir.CompareExchange, following: int) -> Tree:
        old = Reg(OLD, operation.expected.type)
        found = {operation.target: old}
        success = self._follow(following, {**found, operation.succeeded: values.TRUE})
        failure = self._follow(following, {**found, operation.succeeded: values.FALSE})
        success = self._writing(operation.desired, success)
        equal = values.binary("==", old, operation.expected)
        return fork(equal, Either(success, failure) if operation.weak else success, failure)

    @staticmethod
    def _writing(value: Value, tree: Tree) -> Tree:
        return map_leaves(tree, lambda end: replace(end, write=value))

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
                case ir.Do(_, _, following):
                    number = following
        return Goto(self.labels[number], self._updates(number, registers))

    def _updates(self, number: int, registers: Mapping[str, Value]) -> tuple[tuple[str, Value], ...]:
        return tuple(
            (name, value)
            for name, value in sorted(registers.items())
            if name in self.live[number] and not (isinstance(value, Reg) and value.name == name)
        )


def _is_visible(node: ir.Node) -> bool:
    """Assertions are the memory question's: here they are taken to hold."""
    return isinstance(node, ir.Do) and not isinstance(node.operation, (ir.Set, ir.Assert))


def _registers(value: Value) -> Iterator[str]:
    return (leaf.name for leaf in values.leaves(value) if isinstance(leaf, Reg))


def _read(tree: Tree) -> Iterator[str]:
    match tree:
        case Goto(_, updates, write):
            for _, value in updates:
                yield from _registers(value)
            if write is not None:
                yield from _registers(write)
        case Fork(condition, then, otherwise):
            yield from _registers(condition)
            yield from _read(then)
            yield from _read(otherwise)
        case Either(first, second):
            yield from _read(first)
            yield from _read(second)


def _read_by(operation: Visible) -> Iterator[str]:
    """Registers that decide which place an operation accesses."""
    match operation:
        case ir.Load(_, place, _) | ir.Store(place, _, _) | ir.Rmw(_, place, _, _):
            yield from _registers(place.index)
        case ir.CompareExchange(place=place):
            yield from _registers(place.index)
        case _:
            pass
