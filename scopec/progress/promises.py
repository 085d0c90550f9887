"""What an implementation promises, as data: fairness of the steps of some threads, where some conditions hold.

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
    """Whom a promise is made to, each alone."""

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


def promises(system: System) -> Iterator[Promise]:
    """The promises of a system's progress model, under its readings."""
    yield from _execution_model(system) if system.model.has_host else _threads_alone(system)


def _execution_model(system: System) -> Iterator[Promise]:
    host_progress, api_progress = system.readings.host_progress, not system.readings.environment
    quiet = (When.QUIET,) if system.threads else ()
    serve = (Act.SERVE,) if system.threads or system.tasks else ()
    if system.hosts and host_progress:
        law = '"General-purpose host implementations should provide concurrent forward progress."'
        yield Promise("HostProgress", Each.HOST, (When.NOT_IN_API,), (Act.OWN,), law)
    if api_progress:
        law = '"A CUDA API call shall eventually either return or ensure at least one device thread makes progress."'
        if system.hosts:
            yield Promise("ApiProgress", Each.HOST, (When.IN_API, *quiet), (Act.OWN, *serve), law)
        else:
            law = f"The threads stand for a launch that the host waits for: {law}"
            yield Promise("ApiProgress", Each.NOBODY, quiet, serve, law)
    if api_progress and system.not_ready_labels and serve:
        law = (
            '"CUDA query functions [...] shall not consistently return cudaErrorNotReady without a device thread '
            'making progress."'
        )
        yield Promise("QueryProgress", Each.HOST, (When.NOT_READY, *quiet), serve, law, strong=True)
    if system.threads and host_progress:
        law = (
            '"Once a device thread makes progress: If it is part of a Cooperative Grid, all device threads in its grid '
            "shall eventually make progress.  Otherwise, all device threads in its thread-block cluster shall "
            'eventually make progress."'
        )
        yield Promise("DeviceProgress", Each.DEVICE, (When.UNIT_STARTED,), (Act.OWN,), law)
    if host_progress and any(t.work is ir.Work.HOST_FUNCTION for t in system.tasks):
        law = "a function that a stream runs on the host is run by a thread of the host's implementation"
        yield Promise("FunctionProgress", Each.FUNCTION, (When.STARTED,), (Act.OWN,), law)
    if host_progress:
        yield from _choices(system, ())


def _threads_alone(system: System) -> Iterator[Promise]:
    law = "some thread takes a step as long as any can"
    yield Promise("SomeProgress", Each.NOBODY, (), (Act.ANY,), law)
    yield Promise("ThreadProgress", Each.THREAD, (When.OWED,), (Act.OWN,), system.model.summary)
    yield from _choices(system, (When.OWED,))


def _choices(system: System, when: tuple[When, ...]) -> Iterator[Promise]:
    law = "an operation that may fail without a reason does not fail for ever"
    for label, step in system.steps.items():
        if is_choice(step):
            yield Promise(f"{label}_succeeds", Each.THREAD, when, (Act.CHOICE,), law, strong=True, label=label)


def is_choice(step: Step) -> bool:
    """Whether a step leaves the implementation a choice, of which the first way is not to fail."""
    match step.operation:
        case ir.StreamQuery() | ir.EventQuery() | ir.Decide(order=True):
            return False
        case _:
            return _chooses(step.tree)


def _chooses(tree: Tree) -> bool:
    match tree:
        case Fork(_, then, otherwise):
            return _chooses(then) or _chooses(otherwise)
        case _:
            return isinstance(tree, Either)
