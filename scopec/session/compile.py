"""Writes generated specifications without running an engine."""

from __future__ import annotations

import difflib
import hashlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from scopec.base.diagnostics import Code, Diagnostic, InputError, UsageError, bounded_nesting, error
from scopec.base.files import quoting, text_of, write_below
from scopec.base.records import dataclass
from scopec.base.source import Source
from scopec.engines.protocol import HARDWARE, MEMORY, PROGRESS
from scopec.engines.table import TABLE
from scopec.session import size_files
from scopec.session.forms import known, shown
from scopec.session.inquiry.questions import hardware_problem, progress_problem
from scopec.session.inquiry.run import Run
from scopec.session.plan import Overrides, plan
from scopec.session.program_files import programs

#: A folder with this file keeps the hash of each generated file, as sha256sum writes it, and the text of those alone
#: that are there.
MANIFEST = "SHA256SUMS"


@dataclass(frozen=True)
class Specification:
    """The text of a generated file, and the program that it comes from."""

    text: str
    program: Path

    @property
    def digest(self) -> str:
        """Its SHA-256."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def generated(run: Run, target: str = "all", *, self_contained: bool = False) -> Iterator[tuple[str, str]]:
    """The generated files of a run, as (name, text); ``target`` is the language of an engine, or ``all``.

    What the specifications of all programs repeat is a file of its own, but where each is to be ``self_contained``.
    A run without progress checks has no progress question, one without memory checks no memory question but its race.
    """
    for engine in TABLE:
        if engine.target is None or target not in (engine.target, "all"):
            continue
        if MEMORY.name in engine.answers and (run.memory_checks or run.progress_checks):
            yield from MEMORY.of(engine).specification(run.problem).items()
        if PROGRESS.name in engine.answers:
            progress = PROGRESS.of(engine)
            files = progress.specification if self_contained else progress.extending
            for property_ in run.properties:
                yield from files(progress_problem(run, property_)).items()
        if HARDWARE.name in engine.answers:
            for number in range(len(run.hardware_checks)):
                yield from HARDWARE.of(engine).specification(hardware_problem(run, number)).items()


#: A limit of a block about a program of which reading has taken so many seconds.
Limited = Callable[[float], AbstractContextManager[None]]


def _unlimited(_used: float) -> AbstractContextManager[None]:
    return nullcontext()


def compile_programs(
    paths: Sequence[Path],
    overrides: Overrides,
    target: str,
    limited: Limited = _unlimited,
    *,
    self_contained: bool = False,
    refused: list[Diagnostic] | None = None,
) -> dict[Path, Specification]:
    """The generated files of every program, by their place below the output folder; each program is ``limited``.

    A file that asks about all launches of its kernels has the questions about these too, any file for that target.
    Files found in a folder keep their place below it.  InputError for bad input, and where two programs would write
    the same file; errors about one kernel, beside others that have files, are added to ``refused`` where it is given.
    """
    files: dict[Path, Specification] = {}

    def add(made: Sequence[tuple[str, str]], file: Path, below: Path) -> None:
        for name, text in made:
            if files.setdefault(below / name, Specification(text, file)).text != text:
                at = Source(str(file), "").span(0, 0)
                raise error(Code.DUPLICATE, f"two programs generate {below / name}", at, "rename one of them")

    without = set[Path]()
    for file, below in _files(paths) if target in (size_files.TARGET, "all") else ():
        all_launches, launches = size_files.is_asked(file, overrides)
        if all_launches or target == size_files.TARGET:
            with limited(0.0):
                add(list(size_files.specifications(file, overrides)), file, below)
        if target == size_files.TARGET or (all_launches and not launches):
            without.add(file)
    for file, below, run, used in _runs(paths, overrides, limited, refused, without):
        with limited(used), quoting(run.source), bounded_nesting(run.source.span(0, 0)):
            made = list(generated(run, target, self_contained=self_contained))
        add(made, file, below)
    return files


def shown_forms(
    paths: Sequence[Path],
    overrides: Overrides,
    form: str,
    limited: Limited = _unlimited,
    *,
    refused: list[Diagnostic] | None = None,
) -> Iterator[str]:
    """A form of :mod:`scopec.session.forms` of every run, or what there is ``after:`` a pass, as text; ``refused`` as
    above.

    Alike ones of a program once.  UsageError for a form or a pass that there is not.
    """
    form = known(form)
    seen: set[tuple[object, ...]] = set()
    for file, _, run, used in _runs(paths, overrides, limited, refused):
        with limited(used), quoting(run.source), bounded_nesting(run.source.span(0, 0)):
            title, text = shown(run, form)
        this = (file, *run.program.variant.items(), text)
        if this not in seen:
            seen.add(this)
            yield f"---- {run.name}: {title}\n{text}"


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """Every program, with its place below the path that it was found in."""
    for path in paths:
        for file, problem in programs([path]):
            if problem is not None:
                raise InputError(problem)
            yield file, file.parent.relative_to(path) if path.is_dir() else Path()


def _runs(
    paths: Sequence[Path], overrides: Overrides, limited: Limited, refused: list[Diagnostic] | None,
    without: Collection[Path] = (),
) -> Iterator[tuple[Path, Path, Run, float]]:  # fmt: skip
    """The runs of every program but some, with its file, the file's place below the path that it was found in, and how
    long it took to read; ``refused`` gets the errors beside them, which are raised without it.
    """
    for file, below in _files(paths):
        if file in without:
            continue
        begun = time.monotonic()
        with limited(0.0):
            planned = plan(file, str(file), overrides)
        errors = [warning for warning in planned.warnings if warning.severity == "error"]
        if errors and refused is None:
            raise InputError(*errors)
        elif refused is not None:
            refused += errors
        used = time.monotonic() - begun
        yield from ((file, below, run, used) for run in planned.runs)


def write(files: Mapping[Path, Specification], folder: Path) -> str:
    """Write generated files below a folder, with a manifest all hashes and those files that are there; says what."""
    manifest = folder / MANIFEST
    told = f"{len(files)} file{'s' * (len(files) != 1)} in {folder}"
    try:
        hashed = manifest.is_file()
        kept = {p: made for p, made in files.items() if not hashed or (folder / p).is_file()}
        for place, made in kept.items():
            write_below(folder, place, made.text)
        if hashed:
            lines = (f"{files[place].digest}  {place.as_posix()}\n" for place in sorted(files))
            write_below(folder, MANIFEST, "".join(lines))
            told = f"{len(files)} hashes in {manifest}, {len(kept)} of the files beside it"
    except OSError as failure:
        raise UsageError(f"cannot write below {folder}: {failure.strerror}") from failure
    return told


def differences(files: Mapping[Path, Specification], folder: Path) -> list[str]:
    """The differences between generated files and those below a folder: a unified diff, hashes, and files too many."""
    lines: list[str] = []
    hashes = _hashes(folder)
    for place, made in files.items():
        target = folder / place
        if hashes is None or target.is_file():
            there = _text(target, folder)
            now = f"{target} (generated now)"
            diff = [*difflib.unified_diff(there.splitlines(), made.text.splitlines(), str(target), now, lineterm="")]
            lines += diff
            if diff:
                continue
        if hashes is not None and hashes.get(place) != made.digest:
            how = "differs from its hash" if place in hashes else "has no hash"
            lines.append(f"{target}: {how} in {MANIFEST}; `scopec compile {made.program} -o DIR` writes it")
    endings = (size_files.SUFFIX, *(ending for engine in TABLE for ending in engine.endings))
    known = {p.relative_to(folder) for ending in endings for p in folder.rglob(f"*{ending}")}
    stray = sorted({*known, *(hashes or ())} - files.keys())
    return [*lines, *(f"{folder / place}: nothing generates this file" for place in stray)]


def _hashes(folder: Path) -> dict[Path, str] | None:
    """The hashes of a folder's manifest, if it has one."""
    if not (folder / MANIFEST).is_file():
        return None
    lines = _text(folder / MANIFEST, folder).splitlines()
    return {Path(place): digest for digest, _, place in (line.partition("  ") for line in lines)}


def _text(file: Path, folder: Path) -> str:
    """The text of a file below a folder, for a diff that shows it: empty if it is not there, or elsewhere.

    UsageError where it cannot be read.
    """
    if not file.is_file() or not file.resolve().is_relative_to(folder.resolve()):
        return ""
    try:
        return text_of(file, errors="replace")
    except OSError as failure:
        raise UsageError(f"cannot read {file}: {failure.strerror}") from failure
