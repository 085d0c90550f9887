"""``scopec outcomes``: every final state."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.cli.messages import engine_table, say, show
from scopec.cli.options import EngineName, jar_options, limit_options, memory_options
from scopec.engines.table import AUTO
from scopec.report import formats, terminal

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.session.plan import Overrides


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@memory_options
@jar_options
@click.option(
    "--engine",
    type=EngineName("memory"),
    default=AUTO,
    show_default=True,
    help="Who finds the executions: Alloy, scopec itself (auto), or both, compared.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), default=10_000, show_default=True, help="Stop at so many executions."
)
@limit_options
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "html"]), help="Report format [default: text, or as -o]."
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it here.")
@click.option("-q", "--quiet", is_flag=True, help="Only the states, without an execution of each.")
def outcomes(
    file: Path, overrides: Overrides, jars: dict[str, Path], engine: str, limit: int,
    timeout: float, memory_limit: int, form: str | None, output: Path | None, quiet: bool,
) -> int:  # fmt: skip
    """List every final state of FILE that the memory model allows, with the number of executions and one of them.

    Exit status: 0 all are listed, 2 bad input or usage, 3 an engine failed, 4 there may be more.
    """
    from scopec.report import html, json
    from scopec.report import outcomes as report
    from scopec.session.check import Settings
    from scopec.session.final_states import listings

    settings = Settings(overrides, 1, timeout, memory_limit, None, jars, engine, say)
    start = time.monotonic()
    found, warnings = listings(file, settings, limit)
    if form is None:
        form = {".json": "json", ".html": "html"}.get("" if output is None else output.suffix, "text")
    if form == "json":
        table = engine_table(settings, (listing.engine for listing in found))
        text = json.text(json.listed(found, warnings, table, time.monotonic() - start))
    else:
        for warning in warnings:
            show(warning)
        if form == "html":
            text = html.outcomes(found)
        else:
            text = report.text(found, 100 if output else terminal.width(), executions=not quiet)
    formats.put(text, output, form)
    if any(warning.severity == "error" for warning in warnings):  # of one kernel, beside the others
        return 2
    return 4 if any(listing.unfinished for listing in found) else 0
