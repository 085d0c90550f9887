"""An implementation's promises as data: fairness of the steps of some threads, where some conditions hold.

Both engines read this: the names of conditions and acts are the operators of a generated module.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.program import ir
from scopec.progress.steps import Either, Fork

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.progress.steps import Step, Tree
    from scopec.progress.system import System


class Each(Enum):
    """The receivers of a promise, each alone."""

    HOST = "host threads"
    DEVICE = "device threads"
    FUNCTION = "functions that a stream runs on the host"
    THREAD = "all threads"
    NOBODY = "the program as a whole"


class When(Enum):
    """A condition on the state, of the thread that a promise is made to."""

    IN_API = "a CUDA API call of the thread is pending"
    NOT_IN_API = "no CUDA API call of the thread is pending"
    NOT_READY = "a query of the thread is about to return cudaErrorNotReady"
    QUIET = "no device thread runs"
    STARTED = "the thread has started"
    UNIT_STARTED = "a thread of the thread's unit has started"
    OWED = "the progress model owes the thread a step"


class Act(Enum):
    """A step: of the thread that a promise is made to, or of any."""

    OWN = "a step of the thread"
    START = "a device thread starts"
    SERVE = "a device thread starts, or a stream gets on with work that has no device thread"
    CHOICE = "the thread takes a step that may fail without a reason, and it does not fail"
    ANY = "a step of any thread"


@dataclass(frozen=True, slots=True)
class Promise:
    """Weak or strong fairness of ``acts``, any of them, where all of ``when`` hold; ``law`` is the source's sentence.

    ``label`` is that of the step of an act that is a choice.
    """

    name: str
    each: Each
    when: tuple[When, ...]
    acts: tuple[Act, ...]
    law: str
    strong: bool = False
    label: str = ""


HOST = Promise(
    "HostProgress", Each.HOST, (When.NOT_IN_API,), (Act.OWN,),
    '"General-purpose host implementations should provide concurrent forward progress."',
)  # fmt: skip
API = Promise(
    "ApiProgress", Each.HOST, (When.IN_API, When.QUIET), (Act.OWN, Act.SERVE),
    '"A CUDA API call shall eventually either return or ensure at least one device thread makes progress."',
)  # fmt: skip
LAUNCH = Promise(
    "LaunchProgress", Each.NOBODY, (When.QUIET,), (Act.SERVE,),
    "the same of a launch that the host waits for, where no thread stands for the host",
)  # fmt: skip
QUERY = Promise(
    "QueryProgress", Each.HOST, (When.NOT_READY, When.QUIET), (Act.SERVE,),
    '"CUDA query functions [...] shall not consistently return cudaErrorNotReady without a device thread making '
    'progress."',
    strong=True,
)  # fmt: skip
DEVICE = Promise(
    "DeviceProgress", Each.DEVICE, (When.UNIT_STARTED,), (Act.OWN,),
    '"Once a device thread makes progress: If it is part of a Cooperative Grid, all device threads in its grid shall '
    "eventually make progress.  Otherwise, all device threads in its thread-block cluster shall eventually make "
    'progress."',
)  # fmt: skip
FUNCTION = Promise(
    "FunctionProgress", Each.FUNCTION, (When.STARTED,), (Act.OWN,),
    "a function that a stream runs on the host is run by a thread of the host's implementation",
)  # fmt: skip
RESIDENCE = Promise(
    "Residence", Each.NOBODY, (), (Act.START,),
    "assumed: a block that may start, and has a place on its device, is started",
)  # fmt: skip
#: The promises of the CUDA execution model ("Host threads", "Device threads", "CUDA APIs").
EXECUTION_MODEL = (HOST, API, LAUNCH, QUERY, DEVICE, FUNCTION)
#: The promises of the other progress models.
_ALONE = (
    Promise("SomeProgress", Each.NOBODY, (), (Act.ANY,), "some thread takes a step as long as any can"),
    Promise("ThreadProgress", Each.THREAD, (When.OWED,), (Act.OWN,), "and so does each that is owed progress"),
)


def promises(system: System) -> Iterator[Promise]:
    """The promises of a system's progress model, under its readings."""
    if not system.model.has_host:
        yield from _ALONE
        yield from _choices(system, (When.OWED,))
        return
    concurrent = system.readings.host_progress
    if system.hosts and concurrent:
        yield HOST
    if not system.readings.environment:
        yield API if system.hosts else LAUNCH
        if system.not_ready_labels:
            yield QUERY
    if system.threads and concurrent:
        yield DEVICE
        if system.fills_places:
            yield RESIDENCE
    if concurrent:
        if any(t.work is ir.Work.HOST_FUNCTION for t in system.tasks):
            yield FUNCTION
        yield from _choices(system, ())


def receivers(promise: Promise, system: System) -> tuple[ir.Thread | None, ...]:
    """The receivers of a promise, each alone; None for the program as a whole."""
    match promise.each:
        case Each.HOST:
            return system.hosts
        case Each.DEVICE:
            return system.threads
        case Each.FUNCTION:
            return tuple(t for t in system.tasks if t.work is ir.Work.HOST_FUNCTION)
        case Each.THREAD:
            return system.everyone
        case Each.NOBODY:
            return (None,)


def _choices(system: System, when: tuple[When, ...]) -> Iterator[Promise]:
    law = "an operation that may fail without a reason does not fail for ever"
    for label, step in system.steps.items():
        if is_choice(step):
            yield Promise(f"{label}_succeeds", Each.THREAD, when, (Act.CHOICE,), law, strong=True, label=label)


def is_choice(step: Step) -> bool:
    """Whether a step leaves the implementation a choice, of which the first way is not to fail."""
    match step.operation:
        case ir.StreamQuery() | ir.EventQuery() | ir.LaunchQuery() | ir.Decide(what="order" | "unknown" | "clock"):
            return False
        case _:
            return _chooses(step.tree)


def _chooses(tree: Tree) -> bool:
    match tree:
        case Fork(_, then, otherwise):
            return _chooses(then) or _chooses(otherwise)
        case _:
            return isinstance(tree, Either)
