"""``scopec compile``: generated specifications."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.base.diagnostics import UsageError
from scopec.cli.messages import show
from scopec.cli.options import completing, limit_options, program_options
from scopec.engines.table import TABLE
from scopec.report import options as report_options

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from scopec.base.diagnostics import Diagnostic
    from scopec.session.plan import Overrides


def forms() -> list[str]:
    """The names for --show."""
    from scopec.session.forms import AFTER, FORMS, PASSES

    return [*FORMS, *(AFTER + name for name in PASSES)]


@click.command("compile")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path),
    callback=report_options.folder,
    help="Folder for the generated files.",
)
@click.option(
    "--target",
    type=click.Choice([*(e.target for e in TABLE if e.target), "smt2", "all"]),
    default="all",
    show_default=True,
    help="Which specifications; smt2 is of all launches of each kernel (docs/every.md).",
)
@click.option(
    "--self-contained",
    is_flag=True,
    help="Write the laws of progress into each .tla, which otherwise extends CudaProgress.tla beside it.",
)
@click.option(
    "--check",
    "compare",
    is_flag=True,
    help="Compare with the files that are there instead of writing; exit 1 if they differ.",
)
@click.option(
    "--show",
    "form",
    metavar="[program|events|steps|hangs|after:PASS]",
    shell_complete=completing(forms),
    help="Print a form that a program has on its way there instead (docs/forms.md): the program, its events in the "
    "memory question, its steps in the progress question, its events in searches for hangs, or what there is after a "
    "pass of events or steps.",
)
@program_options
@limit_options
def compile_(
    paths: tuple[Path, ...], folder: Path | None, target: str, self_contained: bool, compare: bool, form: str | None,
    overrides: Overrides, timeout: float, memory_limit: int,
) -> int:  # fmt: skip
    """Write the generated .als, .tla, .cfg and .smt2 of the .cu, .ptx and .litmus files in PATHS; no engine is run.

    A folder with a file SHA256SUMS gets the hash of each in it, and of the files those that are there.
    """
    from scopec.base.excerpt import clean, inert
    from scopec.base.limits import late, limited
    from scopec.session.compile import compile_programs, differences, shown_forms, write

    def within(used: float) -> AbstractContextManager[None]:
        return limited(max(0.0, timeout - used), memory_limit, said=late(timeout))

    refused: list[Diagnostic] = []

    def status() -> int:
        for diagnostic in dict.fromkeys(refused):
            show(diagnostic)
        return 2 if refused else 0

    if form is not None and folder is None and not compare:
        for text in shown_forms(paths, overrides, form, within, refused=refused):
            for line in text.splitlines():
                click.echo(inert(clean(line)))
        return status()
    if form is not None or folder is None:
        raise UsageError("give -o and a folder for the files, or --show and a form to print, and nothing else")
    files = compile_programs(paths, overrides, target, within, self_contained=self_contained, refused=refused)
    if compare:
        found = differences(files, folder)
        for line in found:
            click.echo(inert(clean(line)))
        return status() or (1 if found else 0)
    click.echo(inert(clean(write(files, folder))))
    return status()
