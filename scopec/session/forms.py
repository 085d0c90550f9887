"""The forms of a program between its source and a question: the passes that make each, and how it is shown.

Each form is made of the one before it, events and steps of the program.  Passes are functions; that they run, in this
order, is tested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.records import dataclass
from scopec.memory.show import show_events
from scopec.program.show import show_program
from scopec.progress.show import show_steps
from scopec.session.inquiry.questions import progress_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from scopec.session.inquiry.run import Run


@dataclass(frozen=True)
class Form:
    """A form: what it is, its passes in their order, each a function with what it does, and its text for a run."""

    is_a: str
    passes: dict[str, str]
    text: Callable[[Run], str]


def _steps(run: Run) -> str:
    """Of a file that asks nothing about progress those that termination would be asked of."""
    asked = run.properties or ("Termination",)
    texts = {show_steps(progress_problem(run, p).system): p for p in reversed(asked)}
    return "".join(f"for {p}\n{text}" if len(texts) > 1 else text for text, p in reversed(texts.items()))


FORMS = {
    "program": Form(
        "threads in their places, objects with storage, a control-flow graph per kernel and host thread",
        {
            "scopec.frontends.clang.compiler:compiled": "the text of a `.cu` file to LLVM IR of both sides, by clang",
            "scopec.frontends.scoped.syntax.cuda:read": "the text of a file in the scoped language to a syntax tree",
            "scopec.frontends.litmus.syntax.reader:read": "the text of a `.litmus` file to a syntax tree",
            "scopec.frontends.clang.threads:program_of": "every thread executed on symbols, with its own indices",
            "scopec.program.merge_threads:together": "one graph for all threads of a grid, which had one each",
            "scopec.frontends.scoped.lower.program:lower": "names and types resolved, one choice of the varied "
            "constants",
            "scopec.frontends.litmus.lower.program:lower": "the same of a litmus file",
            "scopec.program.specialise:device_thread": "a kernel's graph for one thread: its indices are constants, "
            "decided branches are taken, checks that hold are gone",
        },
        lambda run: show_program(run.program),
    ),
    "events": Form(
        "what each path of each thread does to memory, and what orders threads",
        {
            "scopec.memory.unfold.barriers:packed": "the state of a barrier is one number, which arrivals change",
            "scopec.memory.given.ptx:compiled": "under a model of PTX: the instructions that operations of C++ are",
            "scopec.memory.unfold.existence:existing": (
                "a read of the lifetime before each access, of what may end before it, or not have begun"
            ),
            "scopec.memory.unfold.symbolic:execute": (
                "every path of a thread, loops unrolled up to the bound; what registers hold is a value over what"
                " was read"
            ),
            "scopec.memory.unfold.stopping:stopping": (
                "how far threads get that `exit`, the end of `main` or `__trap` stops"
            ),
            "scopec.memory.unfold.counted_barriers:open_phases": (
                "of which phase an arrival may be at a barrier with a count"
            ),
            "scopec.memory.unfold.blocking:block": (
                "who waits in vain: for an arrival, a launch or an end that does not come"
            ),
            "scopec.memory.unfold.sequencing:conflicts": "accesses that nothing orders in one evaluation are undefined",
            "scopec.memory.unfold.aligned:divergence": "lanes of a warp that come to different barriers are undefined",
            "scopec.memory.graph:graph": "initial writes, and what launches, completion, streams and barriers order",
            "scopec.memory.graph:safe_assertions": "the checks that hold whatever is read, which are left out then",
        },
        lambda run: show_events(run.graph),
    ),
    "steps": Form(
        "what a thread does at each label, and where it goes on",
        {
            "scopec.progress.interleaving:interleaved": "operands that nothing orders: a way of each order",
            "scopec.progress.reductions:without_assertions": "without the checks that hold, and without `assert`, "
            "which the memory question asks",
            "scopec.progress.reductions:waits_as_polls": "for final states: a wait may look again at any time",
            "scopec.progress.influence:deciding_objects": "objects whose values decide nothing have none",
            "scopec.progress.reductions:automatic_as_registers": "locals in memory that only their thread uses are "
            "registers",
            "scopec.progress.stepper:machine": "one visible operation per step, the thread's own arithmetic after it",
            "scopec.progress.reductions:without_dead_values": "a register that is not read again is 0",
        },
        _steps,
    ),
}
