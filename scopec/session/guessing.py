"""A launch for each kernel that a file does not launch: guessed, tried, and reported.

A guess is text (:mod:`scopec.session.guess_text`): ``//@ object`` and ``//@ launch`` behind the file, so that whoever
wants to keep it pastes what is reported.  Which one is taken: :mod:`scopec.session.guess_search`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError
from scopec.base.limits import limited, time_left, worked
from scopec.frontends.clang.compilation_cache import compilations
from scopec.frontends.clang.headers import headers
from scopec.frontends.clang.kernels import asks_nothing, has_kernels, kernels, main_of
from scopec.frontends.clang.ptx.launches import ptx_kernels
from scopec.frontends.clang.ptx.text import is_ptx
from scopec.frontends.scoped.syntax.scan import scan, without_literals
from scopec.program.ir import Work
from scopec.session.guess_search import Asked, best, ways_out
from scopec.session.sought import are_there

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scopec.base.source import Source, Span
    from scopec.frontends.clang.flags import Flags
    from scopec.frontends.clang.kernels import Kernel
    from scopec.session.inquiry.run import Run

#: The seconds of the processor for which a `main` is read that may launch too much.
_MAIN_SECONDS = 4
#: The parts of the time that is left in which such a `main` is read, and guesses are tried.
_MAIN_PART, _GUESSES_PART = 1 / 4, 1 / 2
#: The seconds of the processor for which guesses are tried for the kernels of a file; of these for one at least and at
#: most.
_SECONDS, _LEAST, _MOST = 24.0, 4.0, 15.0
#: The part of the time limit that the guessed launches of a file share: who tries a file wants to hear of all kernels
#: soon, and asks longer about the launches that are written down.
_SHARE, _LEAST_SHARE = 1 / 15, 1 / 100
#: What is said of a `main` that comes to no launch.
_NO_LAUNCH = "without arguments of the command line `main` launches no kernel"
#: What is wrong with launches that can be guessed, while a question about all launches may have an answer.
_OF_LAUNCHES = (Code.TOO_LARGE, Code.OUTSIDE_SUBSET, Code.UNMODELLED_CALL)
_MORE_TIME = "raise --timeout, or write a `//@ launch` for it"
_IN_A_HEADER = "the launches of this `main`, in a header, are not followed, and beside it none can be guessed"


def guessed(
    source: Source, path: Path, flags: Flags, planned: Callable[[Source], Asked], *, cache: bool
) -> Asked | None:
    """The questions of a file that launches no kernel, under guessed launches; None if it has a launch, or no kernel.

    ``planned`` reads a text with a launch.  A kernel for which none can be guessed is an error, beside the others.
    Raises InputError with what clang objects to.
    """
    if not asks_nothing(source):
        return None
    if is_ptx(source):
        return _asked(source, ptx_kernels(source), planned)
    folder = path.parent
    beside = headers(source, folder, flags)
    if not has_kernels(source, *beside):
        return None
    left_out: Diagnostic | None = None
    refused: tuple[Diagnostic, ...] = ()
    mains = ((text, at) for text in (source, *beside) if (at := main_of(text)))
    if (main := next(mains, None)) is not None:
        text, at = main
        try:
            with limited(_part(_MAIN_PART), None), limited(_MAIN_SECONDS, None, worked=True):
                followed = planned(source)
            if any(map(_launches, followed.runs)):
                return followed
            left_out = _left_out(Diagnostic(Code.NOT_LAUNCHED, _NO_LAUNCH, text.span(*at)))
        except InputError as bad:
            if are_there(path, flags, bad):
                raise  # to be read with these
            refused = bad.diagnostics
            left_out = _left_out(refused[0])
        except LimitError:
            message = "its launches take too long to read"
            left_out = _left_out(Diagnostic(Code.TOO_LARGE, message, source.span(0, 0)))
        if text is not source:  # no launch stands beside a `main` that is included
            said = Diagnostic(Code.NOT_LAUNCHED, _IN_A_HEADER, text.span(*at))
            raise InputError(*(refused or (said,)))
    told = () if left_out is None else (left_out,)
    plan = _guessed(source, beside, folder, flags, planned, cache=cache)
    if plan is None:
        raise InputError(_declared_alone(source, *beside))
    if refused and not (plan.runs or plan.unguessed):  # the directives may be what is wrong
        raise InputError(*dict.fromkeys((*refused, *plan.warnings)))
    return replace(plan, warnings=(*told, *plan.warnings))


def _part(of_what_is_left: float) -> float | None:
    """A part of the seconds that are left; None without a limit."""
    left = time_left()
    return None if left is None else left * of_what_is_left


def _launches(run: Run) -> bool:
    return any(grid.work is Work.KERNEL for grid in run.program.grids.values())


def _declared_alone(*sources: Source) -> Diagnostic:
    """The error for kernels that are declared, and defined elsewhere."""
    first = next(source for source in sources if has_kernels(source))
    at = without_literals(scan(first).code).index("__global__")
    message = "no kernel is defined here, or in what is included: this one is declared alone"
    return Diagnostic(Code.NOTHING_TO_CHECK, message, first.span(at, at + 10), "check the file that defines it")


def _left_out(first: Diagnostic) -> Diagnostic:
    """A warning that host code is not followed, for what is said of it first."""
    message = f"the host code is not followed, and launches are guessed: {first.message}"
    return Diagnostic(Code.HOST_LEFT_OUT, message, first.span, None, "warning", first.line)


def _guessed(
    source: Source, beside: tuple[Source, ...], folder: Path, flags: Flags, planned: Callable[[Source], Asked], *,
    cache: bool,
) -> Asked | None:  # fmt: skip
    found = kernels(source, folder, flags, compilations() if cache else None, beside)
    plan = _asked(found.source, found.kernels, planned)
    if plan is None and not found.open:
        return None
    told = [] if found.objection is None else [_left_out(found.objection)]
    told += [*found.refused, *(_open(name, span) for name, span in found.open), *_passed(found.passed)]
    plan = plan or Asked((), ())
    return replace(plan, warnings=(*told, *plan.warnings))


def _asked(source: Source, asked: tuple[Kernel, ...], planned: Callable[[Source], Asked]) -> Asked | None:
    """The plan of kernels of a text, each under the best guess that is found; None if there are none."""
    many, end, part = len(asked), worked() + _SECONDS, _part(_GUESSES_PART)
    late = None if part is None else time.monotonic() + part
    plans = []
    for number, kernel in enumerate(asked):  # what one leaves, the others have
        seconds = 2 * (end - worked()) / (many - number)
        within = None if late is None else 2 * max(0.0, late - time.monotonic()) / (many - number)
        try:
            with limited(within, None):
                plans.append(_of_kernel(source, kernel, planned, many, min(_MOST, max(_LEAST, seconds))))
        except LimitError:
            message = f"no launch of `{kernel.name}` was found in its part of the time limit"
            late_one = Diagnostic(Code.TOO_LARGE, message, kernel.span, ways_out(source, _MORE_TIME))
            plans.append(Asked((), (late_one,), ((kernel.name, (late_one,)),)))
    if not plans:
        return None
    runs = tuple(run for plan in plans for run in plan.runs)
    warnings = tuple(dict.fromkeys(warning for plan in plans for warning in plan.warnings))
    return Asked(runs, warnings, tuple(one for plan in plans for one in plan.unguessed))


def _open(name: str, span: Span) -> Diagnostic:
    """An error for a template that nothing instantiates."""
    message = f"the kernel `{name}`, a template, is never launched, and no arguments for it can be guessed"
    return Diagnostic(Code.NOT_LAUNCHED, message, span, f"write `//@ launch {name}<…><<<2, 2>>>(…);`")


def _passed(kernels: tuple[tuple[str, Span], ...]) -> Iterator[Diagnostic]:
    """A warning for the kernels of each header that a file with kernels of its own does not name."""
    for file, those in groupby(kernels, key=lambda kernel: kernel[1].file):
        (first, at), *others = those
        many = "" if not others else " and another one" if len(others) == 1 else f" and {len(others)} others"
        message = f"not asked, as this file names other kernels: `{first}`{many} of {Path(file).name}"
        yield Diagnostic(Code.NOT_NAMED, message, at, Code.NOT_NAMED.way_out, "warning")


def _of_kernel(source: Source, kernel: Kernel, planned: Callable[[Source], Asked], many: int, seconds: float) -> Asked:
    """The plan of one kernel of so many under the best guess that is found in some seconds."""
    try:
        taken = best(source, kernel, planned, seconds)
    except InputError as bad:
        may_ask = all(one.code in _OF_LAUNCHES for one in bad.diagnostics)
        return Asked((), bad.diagnostics, ((kernel.name, bad.diagnostics),) if may_ask else ())

    def told(run: Run) -> Run:
        checks = tuple(replace(check, span=kernel.span) if not check.implicit else check for check in run.checks)
        program = run.program
        if many > 1:
            program = replace(program, variant={**program.variant, "kernel": kernel.name})
        return replace(
            run,
            program=program,
            checks=checks,
            guessed=taken.directives,
            guess_notes=taken.notes,
            guess_doubt=taken.doubt,
            guess_filled=taken.numbers.filled,
            share=max(_SHARE / many, _LEAST_SHARE),
        )

    return replace(taken.plan, runs=tuple(map(told, taken.plan.runs)))
