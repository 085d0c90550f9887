"""The forms of a program between its source and a question: the passes that make each, and how it is shown.

Lists of passes change the loops of a Program, and make the events, the steps, and the graphs of searches for hangs.
They run where a file is planned and a question is made; here they are under their names, so that each can be looked
at.  What makes a Program before that are functions of the readers; that they run, in this order, is tested.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from scopec.base import passes
from scopec.base.diagnostics import InputError, LimitError, UsageError, suggestion
from scopec.base.limits import deadline, half_of_the_machine, limited
from scopec.base.records import dataclass
from scopec.hangs import graph as hangs
from scopec.hangs.graph import build
from scopec.memory import graph
from scopec.memory.show import show_events
from scopec.program.loops import passes as loops
from scopec.program.show import show_program
from scopec.progress import passes as progress
from scopec.progress.build import made
from scopec.progress.show import show_steps
from scopec.session.inquiry.graphs import asked
from scopec.session.inquiry.hangs import beginning as before_hangs
from scopec.session.inquiry.questions import progress_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from scopec.base.passes import Change, Pass
    from scopec.progress.questions import ProgressProblem
    from scopec.session.inquiry.run import Run

#: The prefix of a form's name after a pass.
AFTER = "after:"
#: The seconds for which forms are made again without a reduction, for all of one run.
_SECONDS = 5.0


@dataclass(frozen=True)
class Form:
    """A form: what it is, its passes in their order, each a function with what it does, and its text for a run."""

    is_a: str
    passes: Mapping[str, str]
    text: Callable[[Run], str]


def _for_each(run: Run, text: Callable[[Any], str]) -> str:
    """The text of each progress problem; of a file that asks nothing about progress, that of termination.

    Those that are alike once.
    """
    properties = run.properties or ("Termination",)
    texts = {text(progress_problem(run, p)): p for p in reversed(properties)}
    return "".join(f"for {p}\n{shown}" if len(texts) > 1 else shown for shown, p in reversed(texts.items()))


#: The passes of the questions, by the form that they end with.
WAYS: Mapping[str, Sequence[Pass[Any]]] = {
    "program": loops.PASSES, "events": graph.PASSES, "steps": progress.PASSES, "hangs": hangs.PASSES,
}  # fmt: skip
QUESTIONS: Mapping[str, str] = {
    "program": "program", "events": "memory question", "steps": "progress question", "hangs": "search for hangs",
}  # fmt: skip
PASSES: Mapping[str, Pass[Any]] = {one.name: one for one in chain(*WAYS.values())}
#: The makers of reductions that no pass makes.
LATER: Mapping[str, str] = {
    "origins": "the question about a graph, when it is put",
    "coherent": "the question about a graph, when it is put",
    "whole": "the search for hangs",
    "sparse": "the reader of `.cu` files, for both questions",
    **dict.fromkeys(
        ("symmetry", "closures", "plain_races", "sure_steps", "alike_units", "whole_units", "fused", "far_states"),
        "the engine, when it answers",
    ),
}

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
            **{one.place: one.does for one in WAYS["program"]},
        },
        lambda run: show_program(run.program),
    ),
    "events": Form(
        "what each path of each thread does to memory, and what orders threads",
        {one.place: one.does for one in WAYS["events"]},
        lambda run: show_events(run.graph),
    ),
    "steps": Form(
        "what a thread does at each label, and where it goes on",
        {one.place: one.does for one in WAYS["steps"]},
        lambda run: _for_each(run, lambda problem: show_steps(problem.system)),
    ),
    "hangs": Form(
        "in searches for executions that get stuck: how far each thread gets, and where it may be left for ever",
        {one.place: one.does for one in WAYS["hangs"]},
        lambda run: _for_each(run, lambda problem: show_events(build(_of_hangs(run, problem)).graph)),
    ),
}


def known(form: str) -> str:
    """The name of a form, or of one after a pass, if there is such; UsageError if not."""
    if form in FORMS or (form.startswith(AFTER) and form.removeprefix(AFTER) in PASSES):
        return form
    if not form.startswith(AFTER):
        raise UsageError(_nothing("form", form, [*FORMS, f"{AFTER}PASS"]))
    raise UsageError(_nothing("pass", form.removeprefix(AFTER), PASSES))


def _nothing(kind: str, name: str, there_are: Iterable[str]) -> str:
    names = list(there_are)
    help_ = suggestion(name, names)
    return f"there is no {kind} `{name}`: {f'{help_}; ' if help_ else ''}there are {', '.join(names)}"


def shown(run: Run, form: str) -> tuple[str, str]:
    """A form of a run in print, and what it is: after a pass that which there is then."""
    if form in FORMS:
        return form, FORMS[form].text(run)
    name = form.removeprefix(AFTER)
    said: list[str] = []

    def text(way: Sequence[Pass[Any]], begun: Any) -> str:
        log: list[passes.Passed] = []
        found = passes.run(way, begun, to=name, log=log)
        said.append(f"{found.form} after {name}{' (not made)' * (log[-1].held is None)}")
        return str(found.text)

    way = next(way for way in WAYS.values() if PASSES[name] in way)
    if way is WAYS["program"]:
        if run.begun is None:
            return f"program after {name} (not made)", show_program(run.program)
        printed = text(way, run.begun)
    elif way is WAYS["events"]:
        printed = text(way, beginning(run))
    elif way is WAYS["steps"]:
        printed = _for_each(run, lambda problem: text(way, problem.beginning))
    else:
        printed = _for_each(run, lambda problem: text(way, _of_hangs(run, problem)))
    return said[0], printed


def beginning(run: Run) -> graph.Making:
    """The stage of a run's events before any pass."""
    return graph.Making(asked(run), run.program)


def _of_hangs(run: Run, problem: ProgressProblem) -> hangs.Making:
    """The stage of the stuck executions of a run before any pass."""
    return before_hangs(run, problem, run.settings.bound["unroll"])


def reductions() -> Iterator[tuple[str, str]]:
    """Each reduction, and who makes it."""
    for form, way in WAYS.items():
        yield from ((name, f"the pass `{one.name}` of the {QUESTIONS[form]}") for one in way for name in one.reductions)
    yield from LATER.items()


def changes(run: Run) -> Iterator[tuple[str, Change]]:
    """The changes that each reduction has made in the forms of a run that was asked, with the question.

    Of events only where they were needed.
    """
    end = deadline(_SECONDS)
    if run.begun is not None:
        looked: list[passes.Passed] = []
        passes.run(loops.PASSES, run.begun, log=looked)
        yield from (("", c) for c in passes.changes(loops.PASSES, run.begun, looked, end))
    if "graph" in vars(run):
        yield from (("", c) for c in passes.changes(WAYS["events"], beginning(run), run.passed, end))
    for property_ in run.properties:
        begun = progress_problem(run, property_).beginning
        log: list[passes.Passed] = []
        with suppress(LimitError, InputError), limited(end.left(), half_of_the_machine()):
            made(begun, log)
        for change in passes.changes(WAYS["steps"], begun, log, end):
            yield f" for {property_}" * (len(run.properties) > 1), change
    for property_, (turns, searched) in run.searched.items():
        before = before_hangs(run, progress_problem(run, property_), turns)
        for change in passes.changes(WAYS["hangs"], before, searched, end):
            yield f" in the search for hangs for {property_}", change
