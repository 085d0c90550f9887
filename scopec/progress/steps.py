"""Labelled steps: what a thread does at each label, and where it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from scopec.base.records import dataclass, replace
from scopec.program import ir, values
from scopec.program.collective import by_chance
from scopec.program.show import shown_call
from scopec.program.values import Builtin, Const, Reg, Value, substitute

if TYPE_CHECKING:
    from scopec.base.source import Span

#: The label of a thread that has ended, and of a device thread that has not started.
DONE, IDLE = "done", "idle"
#: The registers that stand for the value that a step's operation finds in memory, for the phase of a barrier that it
#: finds there, for the outcome of a vote, and for whether lanes that meet by chance do; no register of a program begins
#: so, as one of a variable `old` would.
OLD, PHASE, OUTCOME, MET = "%%old", "%%phase", "%%outcome", "%%met"
#: Those that stand for the rest of an mbarrier.
EXPECTED, PENDING, BYTES, SERVED, LATE = "%%expected", "%%pending", "%%bytes", "%%served", "%%late"
#: The field of the record found there that each of them stands for.
FIELDS: Mapping[str, str] = {name: name.removeprefix("%%") for name in (PHASE, EXPECTED, PENDING, BYTES, SERVED, LATE)}
#: All that stand for what is found in memory.
FOUND = frozenset({OLD, *FIELDS})


@dataclass(frozen=True, slots=True)
class Made:
    """A new value in memory: a barrier whose phases expect ``count`` arrivals."""

    count: Value


@dataclass(frozen=True, slots=True)
class Arrival:
    """A new value in memory: the barrier found, after ``update`` arrivals; ``drop``: one less is expected then."""

    update: Value
    drop: bool


@dataclass(frozen=True, slots=True)
class Operated:
    """A new value in memory: the mbarrier found, after ``operation``.

    Of one that looks at it, ``over`` is whether that was true; where it was not, no copy is in flight any more.
    """

    operation: ir.BarrierOperation
    over: bool = True


#: The values stored as the state of a barrier.
BarrierWrite: TypeAlias = Made | Arrival | Operated


@dataclass(frozen=True, slots=True)
class Goto:
    """Store ``write`` (if any) at the operation's place, update registers that are still read, go on at ``label``."""

    label: str
    updates: tuple[tuple[str, Value], ...] = ()
    write: Value | BarrierWrite | None = None


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
class Pending:
    """The return of a call that waits for the work that it found when it was made, with the step before."""

    of: ir.DeviceSynchronize | ir.StreamSynchronize | ir.EventSynchronize


@dataclass(frozen=True, slots=True)
class Wait:
    """Waiting at a barrier, after having arrived there with the step before."""

    at: ir.SyncThreads | ir.GroupSync | ir.NamedBarrier


@dataclass(frozen=True, slots=True)
class Asleep:
    """Blocked in the ``wait`` of an atomic.

    ``due`` tells those that a notification unblocks ("eligible to be unblocked", [atomics.wait]): the object has been
    written since they blocked.
    """

    on: ir.Await
    due: bool


@dataclass(frozen=True, slots=True)
class Undefined:
    """The end of a thread whose next step is undefined, as ``text`` says: no step from here is promised, and none
    taken.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Again:
    """Nothing: the second label of a step that would otherwise lead to itself, so that taking it changes the state."""

    of: Visible


#: The operations of steps beside those of the program.
OWN_KINDS = (Tick, Return, Pending, Wait, Asleep, Undefined, Again)
Visible: TypeAlias = ir.Operation | Tick | Return | Pending | Wait | Asleep | Undefined | Again


class Role(Enum):
    """The role of a label's step in its operation; the value is how its label ends."""

    FIRST = ""
    WAIT = "wait"
    RETURN = "return"
    PENDING = "pending"
    AT_ONCE = "at_once"
    LATE = "late"
    READY = "ready"
    NOT_READY = "not_ready"
    ASLEEP = "asleep"
    DUE = "due"
    FAILS = "fails"
    UNDEFINED = "undefined"
    AGAIN = "again"


def label_of(first: str, role: Role) -> str:
    """The label of a role beside the step at the label ``first``."""
    return f"{first}_{role.value}" if role.value else first


@dataclass(frozen=True, slots=True)
class Step:
    """A labelled step of a machine: at ``label``, perform ``operation``, then go on as ``tree`` says.

    Values are over the thread's registers before the step, and ``%%old``, the value that the operation finds.
    ``counts`` is whether it is one of the operations that the implementation may assume a thread will eventually
    perform ([intro.progress.1] as modified).  The step blocks until ``guard`` holds.  ``of`` is the label of the first
    step of its operation, or of the step of which this is the second label; ``again`` is its own second label, where it
    has one.
    """

    machine: str
    label: str
    operation: Visible
    span: Span
    tree: Tree
    counts: bool
    guard: Value | None = None
    role: Role = Role.FIRST
    of: str = ""
    again: str = ""

    @property
    def sleeps(self) -> bool:
        """Whether only other threads' steps move a thread on from here, or nothing does."""
        return isinstance(self.operation, Undefined) or (isinstance(self.operation, Asleep) and not self.again)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of a thread that takes the step turn by turn: where each turn is a step, there are two."""
        return (self.label, self.again) if self.again else (self.label,)

    @property
    def blocks(self) -> bool:
        """Whether the thread may have to wait for others before it can take the step."""
        if isinstance(self.operation, Wait) and by_chance(self.operation.at):
            return False
        waiting = (Wait, Asleep, Undefined, ir.JoinThread, ir.AwaitGrid)
        return self.guard is not None or isinstance(self.operation, waiting)


@dataclass(frozen=True)
class Machine:
    """The labelled steps of a body; ``entry`` is how a thread begins; ``registers`` are those that steps read."""

    name: str
    entry: Tree
    steps: Mapping[str, Step]
    registers: tuple[str, ...]

    def begin(self, builtins: Mapping[str, int]) -> Goto:
        """The first label of a thread with these builtins, and the constants in its registers; others are 0."""

        def known(leaf: Reg | Builtin) -> Value:
            return Const(builtins[leaf.name] if isinstance(leaf, Builtin) else 0, leaf.type)

        tree = self.entry
        while not isinstance(tree, Goto):
            assert isinstance(tree, Fork), "nothing is left to the implementation before the first step"
            tree = tree.then if values.evaluate(substitute(tree.condition, known), lambda _: 0) else tree.otherwise
        return replace(tree, updates=tuple((name, substitute(value, known)) for name, value in tree.updates))


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
            one, other = map_leaves(first, f), map_leaves(second, f)
            return one if one == other else Either(one, other)


def fork(condition: Value, then: Tree, otherwise: Tree) -> Tree:
    """A fork, or what its two sides are if they are the same, or the side that is decided."""
    if isinstance(condition, Const):
        return then if condition.value else otherwise
    return then if then == otherwise else Fork(condition, then, otherwise)


def registers_read(tree: Tree) -> Iterator[str]:
    """The registers that a tree mentions, ``%%old`` among them."""
    match tree:
        case Goto(_, updates, write):
            for _, value in updates:
                yield from _registers(value)
            for value in () if write is None else _values_in(write):
                yield from _registers(value)
        case Fork(condition, then, otherwise):
            yield from _registers(condition)
            yield from registers_read(then)
            yield from registers_read(otherwise)
        case Either(first, second):
            yield from registers_read(first)
            yield from registers_read(second)


def _values_in(write: Value | BarrierWrite) -> tuple[Value, ...]:
    match write:
        case Made(value) | Arrival(value) | Operated(ir.BarrierExpect(bytes=value)):
            return (value,)
        case Operated(ir.BarrierInit(count=value)):
            return () if value is None else (value,)
        case Operated(ir.BarrierArrive(update=value, expect=more)):
            return (value,) if more is None else (value, more)
        case Operated():
            return ()
        case _:
            return (write,)


def _registers(value: Value) -> Iterator[str]:
    return (leaf.name for leaf in values.leaves(value) if isinstance(leaf, Reg))


def writes(step: Step) -> bool:
    """Whether a step writes the place of its operation, on some way."""
    return any(end.write is not None for end in leaves(step.tree))


def touches_memory(step: Step) -> bool:
    """Whether a step reads or writes the place of its operation."""
    return writes(step) or step.guard is not None or not FOUND.isdisjoint(registers_read(step.tree))


def writing(value: Value | BarrierWrite, tree: Tree) -> Tree:
    """The tree that stores a value, whichever way it goes."""
    return map_leaves(tree, lambda end: replace(end, write=value))


def with_found(value: Value, target: str, found: str = OLD) -> Value:
    """A value over the register ``target`` as one over what the operation finds in memory."""
    return substitute(value, lambda leaf: Reg(found, leaf.type) if leaf.name == target else leaf)


def called(operation: ir.Call) -> str:
    """The function that a call of the host calls, or the grid that it launches."""
    if isinstance(operation, ir.ApiCall):
        return operation.function
    return operation.grid if isinstance(operation, ir.LaunchGrid) else shown_call(operation).partition("(")[0]
