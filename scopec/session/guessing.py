"""A launch for each kernel that a file does not launch: guessed, tried, and reported.

A guess is text: ``//@ object`` and ``//@ launch`` behind the file, so that whoever wants to keep it pastes what is
reported.  Objects are as large as the indices need, which is found by trying.  A guess with undefined behaviour or a
certain race may be one that nobody makes (a kernel for blocks of 16 threads with 2), so others are tried too; of one
that is passed over for its race the report tells.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, Diagnostic, InputError, LimitError
from scopec.base.limits import limited
from scopec.base.records import dataclass
from scopec.frontends.clang.compilation_cache import compilations
from scopec.frontends.clang.headers import headers
from scopec.frontends.clang.kernels import asks_nothing, has_kernels, kernels, main_of
from scopec.frontends.scoped.syntax.scan import scan, without_literals
from scopec.memory.reduce.certain_race import racing
from scopec.program.ir import Work
from scopec.program.mbarriers import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scopec.base.source import Source, Span
    from scopec.frontends.clang.flags import Flags
    from scopec.frontends.clang.kernels import Kernel, Parameter
    from scopec.session.inquiry.run import Run

#: The elements of an object, until no index leaves it.
_SIZES = (16, 256, 4096)
#: The guess for numbers: as many as there are threads of a row, at first.
_NUMBERS = (4, 2, 16)
#: The number of pointers in an array of them.
_POINTERS = 4
#: The seconds of the processor for which a `main` is read that may launch too much.
_MAIN_SECONDS = 8
#: The seconds for which guesses are tried for the kernels of a file, and of these for one at least and at most.
_SECONDS, _LEAST, _MOST = 24.0, 4.0, 15.0
#: The part of the time limit that the guessed launches of a file share: who tries a file wants to hear of all kernels
#: soon, and asks longer about the launches that are written down.
_SHARE, _LEAST_SHARE = 1 / 15, 1 / 100
#: What is said of a `main` that comes to no launch.
_NO_LAUNCH = "without arguments of the command line `main` launches no kernel"
#: The bytes of a block's dynamic shared memory.
_DYNAMIC = 4096


@dataclass(frozen=True)
class Asked:
    """The questions of a text, and what is reported of it."""

    runs: tuple[Run, ...]
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Quality:
    """The quality of a guess: the number of places that may have undefined behaviour.

    ``races`` says whether one execution is known to have a race, ``meet`` whether two threads come to one element,
    which one of them writes.
    """

    faults: int
    races: bool
    meet: bool

    @property
    def flaws(self) -> tuple[int, bool]:
        """The flaws by which guesses are compared: the kernel may be one for blocks of another size, say."""
        return self.faults, self.races


@dataclass(frozen=True, slots=True)
class _Guess:
    """Directives, the plan of the file with them, how good they are, and what is to be told of them."""

    directives: tuple[str, ...]
    plan: Asked
    quality: Quality
    notes: tuple[str, ...] = ()


def guessed(
    source: Source, folder: Path, flags: Flags, planned: Callable[[Source], Asked], *, cache: bool
) -> Asked | None:
    """The questions of a file that launches no kernel, under guessed launches; None if it has a launch, or no kernel.

    ``planned`` reads a text with a launch.  A kernel for which none can be guessed is an error, beside the others.
    Raises InputError with what clang objects to.
    """
    if not asks_nothing(source):
        return None
    beside = headers(source, folder, flags)
    if not has_kernels(source, *beside):
        return None
    left_out: Diagnostic | None = None
    refused: tuple[Diagnostic, ...] = ()
    if main := main_of(source):
        try:
            with limited(_MAIN_SECONDS, None, worked=True):
                followed = planned(source)
            if any(map(_launches, followed.runs)):
                return followed
            left_out = _left_out(Diagnostic(Code.NOT_LAUNCHED, _NO_LAUNCH, source.span(*main)))
        except InputError as bad:
            refused = bad.diagnostics
            left_out = _left_out(refused[0])
        except LimitError:
            message = f"its launches take more than {_MAIN_SECONDS} s to read"
            left_out = _left_out(Diagnostic(Code.TOO_LARGE, message, source.span(0, 0)))
    told = () if left_out is None else (left_out,)
    plan = _guessed(source, beside, folder, flags, planned, cache=cache)
    if plan is None:
        raise InputError(_declared_alone(source, *beside))
    if refused and not plan.runs:  # the directives may be what is wrong
        raise InputError(*dict.fromkeys((*refused, *plan.warnings)))
    return replace(plan, warnings=(*told, *plan.warnings))


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
    text, many = replace(source, text=found.text), len(found.kernels)
    end = time.monotonic() + _SECONDS
    plans = []
    for number, kernel in enumerate(found.kernels):  # what one leaves, the others have
        seconds = 2 * (end - time.monotonic()) / (many - number)
        plans.append(_of_kernel(text, kernel, planned, many, min(_MOST, max(_LEAST, seconds))))
    if not plans and not found.open:
        return None
    runs = tuple(run for plan in plans for run in plan.runs)
    told = [] if found.objection is None else [_left_out(found.objection)]
    told += [_open(name, span) for name, span in found.open]
    warnings = dict.fromkeys(warning for plan in plans for warning in plan.warnings)
    return Asked(runs, (*told, *warnings))


def _open(name: str, span: Span) -> Diagnostic:
    """An error for a template that nothing instantiates."""
    message = f"the kernel `{name}`, a template, is never launched, and no arguments for it can be guessed"
    return Diagnostic(Code.NOT_LAUNCHED, message, span, f"write `//@ launch {name}<…><<<2, 2>>>(…);`")


def _of_kernel(source: Source, kernel: Kernel, planned: Callable[[Source], Asked], many: int, seconds: float) -> Asked:
    """The plan of one kernel of so many under the best guess that is found in some seconds."""
    try:
        best = _best(source, kernel, planned, seconds)
    except InputError as bad:
        return Asked((), bad.diagnostics)

    def told(run: Run) -> Run:
        checks = tuple(replace(check, span=kernel.span) if not check.implicit else check for check in run.checks)
        program = run.program
        if many > 1:
            program = replace(program, variant={**program.variant, "kernel": kernel.name})
        return replace(
            run,
            program=program,
            checks=checks,
            guessed=best.directives,
            guess_notes=best.notes,
            share=max(_SHARE / many, _LEAST_SHARE),
        )

    return replace(best.plan, runs=tuple(map(told, best.plan.runs)))


def _best(source: Source, kernel: Kernel, planned: Callable[[Source], Asked], seconds: float) -> _Guess:
    """The first guess without flaws, or else that with the fewest; InputError if the file can be asked under none.

    Where the time ends first, what is reported may be a guess that a faster machine passes over: a note says so.
    """
    found: list[_Guess] = []
    refused: InputError | None = None
    late = False
    end = time.monotonic() + seconds
    for shape, number in _tries(kernel):
        try:
            with limited(max(0.1, end - time.monotonic()), None):
                found.append(_sized(source, kernel, shape, number, planned))
        except InputError as bad:
            refused = refused or bad
        except LimitError:
            late = True
            break
        if found and not any(found[-1].quality.flaws):
            break
    if not found:
        message = f"no launch of `{kernel.name}` was found that can be read within {seconds:.0f} s"
        raise refused or InputError(Diagnostic(Code.TOO_LARGE, message, kernel.span, "write a `//@ launch` for it"))
    best = min(found, key=lambda guess: guess.quality.flaws)
    if best.quality.faults:
        fault = best.plan.runs[0].graph.faults[0]
        said = f"under each launch that was tried for `{kernel.name}` something is undefined, with {_launch(best)}"
        help_ = "write a `//@ launch` for it, with the arguments that it is made for"
        raise InputError(Diagnostic(Code.NOT_LAUNCHED, f"{said}: {fault.text}", fault.span, help_))
    racy = next((guess for guess in found if guess.quality.races and not best.quality.races), None)
    notes = [] if racy is None else [f"passed over, as it has a race: {_launch(racy)}"]
    if late:
        notes.append(f"larger launches were not tried: they take more than {seconds:.0f} s to read")
    if not best.quality.meet:
        notes.append("no two threads come to an element that one of them writes")
    return replace(best, notes=tuple(notes))


def _launch(guess: _Guess) -> str:
    """The launch of a guess, without the directive's word."""
    return guess.directives[-1].removeprefix("launch ").removesuffix(";")


def _sized(source: Source, kernel: Kernel, shape: str, number: int, planned: Callable[[Source], Asked]) -> _Guess:
    """The guess with the smallest objects that no index leaves."""
    found: list[_Guess] = []
    for size in _SIZES:
        found.append(_tried(source, kernel, shape, number, size, planned))
        if not found[-1].quality.faults:
            return found[-1]
    return min(found, key=lambda guess: guess.quality.faults)


def _tried(
    source: Source, kernel: Kernel, shape: str, number: int, size: int, planned: Callable[[Source], Asked]
) -> _Guess:
    """A guess, with names for objects that the file has no other use for."""
    refused: InputError | None = None
    for prefix in ("", f"{kernel.own_name}_"):
        directives = tuple(_directives(kernel, shape, number, size, prefix))
        text = source.text + "".join(f"\n//@ {directive}" for directive in directives) + "\n"
        try:
            plan = planned(replace(source, text=text))
        except InputError as bad:
            refused = refused or bad
            continue
        return _Guess(directives, plan, _quality(plan.runs[0]))
    assert refused is not None
    raise refused


def _quality(run: Run) -> Quality:
    graph = run.graph
    accesses: dict[object, list[tuple[str, bool]]] = defaultdict(list)
    for event in graph.events:
        if event.location is not None and event.thread and not event.guard.never:
            accesses[event.location].append((event.thread, event.writes))
    meet = any(
        any(writes for _, writes in those) and len({thread for thread, _ in those}) > 1 for those in accesses.values()
    )
    faults = len({fault.span for fault in graph.faults if fault.text not in RULES.values()})
    races = graph.one_race or (not faults and racing(graph) is not None)
    return Quality(faults, races, meet or bool(graph.settled))


# ---------------------------------------------------------------- the text of a guess


def _shapes(kernel: Kernel) -> Iterator[str]:
    """The shapes to try: two blocks of two threads in each direction that the kernel looks at, one block if it looks at
    none; then with blocks as the file has them.
    """
    grid = _cube(kernel.shape.grid[:1])
    dynamic = f", {_DYNAMIC}" if kernel.shape.dynamic else ""
    yield f"{grid}, {_cube(kernel.shape.threads)}{dynamic}"
    for own in kernel.shape.blocks:
        yield f"{grid}, {own}{dynamic}"


def _tries(kernel: Kernel) -> Iterator[tuple[str, int]]:
    """Shapes, and what numbers are."""
    numbers = _NUMBERS if _has_numbers(kernel.parameters) else _NUMBERS[:1]
    yield from ((shape, number) for shape in dict.fromkeys(_shapes(kernel)) for number in numbers)


def _cube(axes: str) -> str:
    """Two along each axis of some."""
    sizes = ["2" if axis in axes else "1" for axis in "xyz"[: "xyz".find(axes[-1:]) + 1]]
    return sizes[0] if len(sizes) == 1 else f"dim3({', '.join(sizes)})" if sizes else "1"


def _has_numbers(parameters: tuple[Parameter, ...]) -> bool:
    return any(one.kind == "number" or _has_numbers(one.parts) for one in parameters)


def _directives(kernel: Kernel, shape: str, number: int, size: int, prefix: str) -> Iterator[str]:
    objects: dict[str, list[str]] = {}
    kind = "cooperative " if kernel.shape.cooperative else ""
    arguments = [_argument(kernel, one, one.name, number, size, prefix, objects) for one in kernel.parameters]
    for type_, declared in objects.items():
        yield f"object __device__ {type_} {', '.join(declared)};"
    yield f"launch {kind}{kernel.name}<<<{shape}>>>({', '.join(arguments)});"


def _argument(
    kernel: Kernel, one: Parameter, name: str, number: int, size: int, prefix: str, objects: dict[str, list[str]]
) -> str:
    """The argument for a parameter, or for a member of one; the objects that it needs are added."""
    match one.kind:
        case "number":
            return str(number)
        case "truth":
            return "true"
        case "pointer":
            objects.setdefault(one.type, []).append(f"{prefix}{name}[{size}]{one.rows}")
            return f"{prefix}{name}"
        case "pointers":
            inner = [f"{prefix}{name}_{number}" for number in range(_POINTERS)]
            objects.setdefault(one.type, []).extend(f"{each}[{size}]" for each in inner)
            objects.setdefault(f"{one.type}*", []).append(f"{prefix}{name}[{_POINTERS}] = {{{', '.join(inner)}}}")
            return f"{prefix}{name}"
        case "numbers":
            return "{}"
        case "class":
            parts = [
                _argument(kernel, part, f"{name}_{part.name}", number, size, prefix, objects) for part in one.parts
            ]
            return f"{one.type}{{{', '.join(parts)}}}"
        case _:
            what = f"`{one.type}`" if one.type else "argument"
            message = f"the kernel `{kernel.name}` is never launched, and no {what} for `{name}` can be guessed"
            help_ = f"write `int main()`, or `//@ launch {kernel.name}<<<2, 2>>>(…);`"
            raise InputError(Diagnostic(Code.NOT_LAUNCHED, message, kernel.span, help_))
