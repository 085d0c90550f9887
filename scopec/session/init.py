"""Writes launches that were guessed for a file: into it, or into files beside it for code that must not change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import InputError, UsageError
from scopec.base.files import read_source, text_of
from scopec.frontends.clang.kernels import has_main
from scopec.program.names import identifier
from scopec.session.plan import plan, plan_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scopec.session.inquiry.run import Run
    from scopec.session.plan import Overrides


def init(path: Path, overrides: Overrides, *, beside: bool) -> Iterator[str]:
    """Write the launches guessed for a file, and say in lines what was written.

    One launch goes into the file itself, several into files beside it, one a kernel; all do with ``beside``, and where
    the file has a ``main``.  Raises InputError where the file cannot be read, UsageError where there is nothing to
    write or a file is there already.
    """
    source = read_source(path, str(path), overrides.quotable)
    planned = plan(path, str(path), overrides)
    errors = tuple(d for d in planned.warnings if d.severity == "error")
    guessed = [run for run in planned.runs if run.guessed]
    if not guessed:
        raise InputError(*errors) if errors else UsageError(f"{path} says itself what it launches, or has no kernel")
    if len(guessed) == 1 and not errors and not (beside or has_main(source)):
        text = text_of(path)
        end = "" if text.endswith("\n") else "\n"
        path.write_text(f"{text}{end}\n{_directives(guessed[0])}", encoding="utf-8")
        yield f"{path}: {guessed[0].guessed[-1]}"
        return
    for run in guessed:
        kernel = run.program.variant.get("kernel") or next(iter(run.program.grids.values())).kernel
        place = path.with_name(f"{path.stem}.{identifier(kernel)}.cu")
        if place.exists():
            raise UsageError(f"{place} is there already")
        text = _including(path, has_main(source)) + _directives(run)
        problem: InputError | None = None
        try:
            plan_of(type(source)(str(place), text, overrides.quotable), place, overrides)
        except InputError as bad:
            problem = bad
        if problem is not None:
            first = problem.diagnostics[0]
            raise UsageError(f"{place} would not be read, as it includes host code: {first.span}: {first.message}")
        place.write_text(text, encoding="utf-8")
        yield f"{place}: {run.guessed[-1]}"


def _directives(run: Run) -> str:
    return "".join(f"//@ {directive}\n" for directive in run.guessed)


def _including(path: Path, has_main_: bool) -> str:
    if path.suffix == ".ptx":
        return f'//@ kernels "{path.name}";\n'
    include = f'#include "{path.name}"\n'
    return f"#define main main_of_{identifier(path.stem)}\n{include}#undef main\n\n" if has_main_ else f"{include}\n"
