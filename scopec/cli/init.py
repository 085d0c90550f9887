"""``scopec init``: launches that were guessed, written into files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.cli.options import program_options

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.session.plan import Overrides


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--beside", is_flag=True, help="Write files that include FILE, one a kernel, and leave it as it is.")
@program_options
def init(paths: tuple[Path, ...], beside: bool, overrides: Overrides) -> int:
    """Write the launches that `scopec check` guesses for the kernels in PATHS into these .cu files.

    Of several kernels each gets a file beside: FILE.KERNEL.cu. Change what was guessed as the kernel is used.
    """
    from scopec.base.excerpt import clean
    from scopec.session.init import init as written

    for path in paths:
        for line in written(path, overrides, beside=beside):
            click.echo(f"wrote {clean(line)}")
    return 0
