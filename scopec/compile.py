"""Writes generated specifications without running an engine."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from scopec.alloy.emit import emit as emit_alloy
from scopec.check import programs
from scopec.diagnostics import Code, InputError, UsageError, bounded_nesting, error
from scopec.plan import Overrides, plan
from scopec.runs import Run


def generated(run: Run, target: str = "all") -> Iterator[tuple[str, str]]:
    """The generated files of a run, as (name, text); ``target`` is ``alloy``, ``tla`` or ``all``.

    A run without progress checks has no TLA+ module, one without memory checks no question for Alloy but its race.
    """
    if target in ("alloy", "all") and (run.memory_checks or run.progress_checks):
        yield f"{run.name}.als", emit_alloy(run.problem)
    if target in ("tla", "all"):
        for property_ in run.properties:
            _, module = run.module(property_)
            yield f"{module.name}.tla", module.tla
            yield f"{module.name}.cfg", module.cfg
        for number in range(len(run.hardware_checks)):
            module = run.hardware_module(number)
            yield f"{module.name}.tla", module.tla
            yield f"{module.name}.cfg", module.cfg


def compile_programs(paths: Sequence[Path], overrides: Overrides, target: str) -> dict[Path, str]:
    """The generated files of every program, by their place below the output folder.

    Files found in a folder keep their place below it.  InputError for bad input, and where two programs would write
    the same file.
    """
    files: dict[Path, str] = {}
    for path in paths:
        for file, problem in programs([path]):
            if problem is not None:
                raise InputError(problem)
            below = file.parent.relative_to(path) if path.is_dir() else Path()
            for run in plan(file, str(file), overrides).runs:
                with bounded_nesting(run.source.span(0, 0)):
                    made = list(generated(run, target))
                for name, text in made:
                    if below / name in files:
                        at = run.source.span(0, 0)
                        raise error(Code.DUPLICATE, f"two programs generate {below / name}", at, "rename one of them")
                    files[below / name] = text
    return files


def write(files: Mapping[Path, str], folder: Path) -> None:
    """Write generated files below a folder."""
    try:
        for place, text in files.items():
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as failure:
        raise UsageError(f"cannot write below {folder}: {failure.strerror}") from failure


def differences(files: Mapping[Path, str], folder: Path) -> list[str]:
    """What differs between generated files and those below a folder: a unified diff, and files too many."""
    lines: list[str] = []
    for place, text in files.items():
        target = folder / place
        there = target.read_text(encoding="utf-8", errors="replace") if target.is_file() else ""
        diff = difflib.unified_diff(
            there.splitlines(), text.splitlines(), str(target), f"{target} (generated now)", lineterm=""
        )
        lines += diff
    wanted = {folder / place for place in files}
    for kind in ("*.als", "*.tla", "*.cfg"):
        lines += [f"{p}: nothing generates this file" for p in sorted(folder.rglob(kind)) if p not in wanted]
    return lines
