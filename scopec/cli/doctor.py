"""``scopec doctor``: the parts that scopec needs, whether each is here and works, and what to do if not."""

from __future__ import annotations

import json
import os
import platform
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scopec.base.version import __version__
from scopec.cli.messages import say
from scopec.report import terminal

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopec.cli.trials import Found

_NOT_HERE = 3
_INDENT = " " * 17
#: Variables that may change what is found: whether they are set, not to what, is told.
_VARIABLES = (
    "SCOPEC_", "XDG_", "JAVA_", "JDK_", "_JAVA", "CUDA_", "NVCC_", "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHON", "VIRTUAL_ENV", "CI", "ZIG_",
)  # fmt: skip


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="One document, for reports of bugs: without names of yours.")
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> int:
    """Try what scopec needs, and say what does not work without it and what to do.

    Exit status: 0 if `scopec check` works as it is called by default, 3 if not.  `scopec engines` is the same.
    """
    if context.invoked_subcommand is not None:
        return 0
    from scopec.cli.trials import found

    parts = []
    for part in found():
        parts.append(part)
        if not as_json:
            click.echo("\n".join(_lines(part)))
    ends = [part.part.name for part in parts if part.ends]
    if as_json:
        click.echo(json.dumps(_document(parts), indent=2))
    elif ends:
        say(f"`scopec check`, called as it is, does not work here: {', '.join(ends)}")
    else:
        say("`scopec check` works here")
    return _NOT_HERE if ends else 0


def _lines(found: Found) -> list[str]:
    from scopec.base.excerpt import clean
    from scopec.base.hidden import at_home

    wrapped = textwrap.TextWrapper(
        terminal.width(), subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
    )
    lines = wrapped.wrap(clean(f"{found.part.name:<9}{found.state:<8}{at_home(found.said)}"))
    if found.state != "works":
        wrapped.initial_indent = _INDENT
        lines += wrapped.wrap(f"without it: {found.part.without}")
        lines += wrapped.wrap(f"what to do: {found.part.way_out}")
    return lines


def _document(parts: Sequence[Found]) -> dict[str, Any]:
    """The findings, without names of users, and of folders outside the project."""
    from scopec.base.hidden import hidden
    from scopec.cli.trials import packages

    project = _project()
    return {
        "scopec": __version__,
        "python": platform.python_version(),
        "platform": " ".join((platform.system(), platform.machine(), *platform.libc_ver())).strip(),
        "works": not any(found.ends for found in parts),
        "parts": [
            {
                "name": found.part.name,
                "state": found.state,
                "found": hidden(found.said, project),
                "seconds": round(found.seconds, 2),
            }
            for found in parts
        ],
        "packages": packages(),
        "variables": sorted(name for name in os.environ if name.startswith(_VARIABLES)),
    }


def _project() -> Path:
    """The repository that the call is made in, or the folder."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)


@doctor.command()
def install() -> int:
    """Fetch and verify the jars that are not there yet."""
    from scopec.engines.java import jars as found

    for engine in found.PINNED.values():
        jar = found.installed(engine) or found.install(engine, say, patient=True)
        click.echo(f"{engine.name:<6} {jar.version:<10} {jar.path}")
    return 0
