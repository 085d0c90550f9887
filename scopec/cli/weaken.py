"""``scopec weaken``: which synchronisation could be weaker."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scopec.cli.messages import say
from scopec.cli.options import Seconds, engine_options, limit_options, program_options
from scopec.report import formats, terminal

# Start-up: a command imports what it needs when it runs; to show help or the version needs little of it.
if TYPE_CHECKING:
    from scopec.session.plan import Overrides


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@program_options
@engine_options
@limit_options
@click.option(
    "--budget", type=Seconds(), default=600.0, show_default=True, help="Seconds for the search: what is found by then."
)
@click.option("--most", type=click.IntRange(1, 64), default=3, show_default=True, help="So many sets of changes.")
@click.option(
    "--unstated",
    is_flag=True,
    help="Ask also where no outcome is forbidden, required or asserted, or the launch is guessed: what nobody states "
    "may be lost.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), help="Report format [default: text, or as -o].")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it here.")
def weaken(
    file: Path, overrides: Overrides, jars: dict[str, Path], engine: str, timeout: float, memory_limit: int,
    budget: float, most: int, unstated: bool, form: str | None, output: Path | None,
) -> int:  # fmt: skip
    """Find which orders, scopes, fences and barriers of FILE could be weaker, with all expectations still holding.

    Exit status: 0 the search was made, whatever it found, 1 an expectation is violated as it is, 2 bad input or usage,
    3 an engine failed, 4 undecided.
    """
    from scopec.advice import weaken as search
    from scopec.base.limits import deadline
    from scopec.cli.messages import problems, told
    from scopec.report import json, weaker
    from scopec.session.check import Settings

    ends = deadline(budget, what="the budget")
    settings = Settings(overrides, 1, timeout, memory_limit, None, jars, engine, say, ends=ends)
    started = time.monotonic()
    with terminal.Status() as status:
        found = search.weaken(file, told(settings, status), anyway=unstated, most=most)
    problems([found.before])
    if form is None:
        form = "json" if output is not None and output.suffix == ".json" else "text"
    if form == "json":
        text = json.text(weaker.document(found, started))
    else:
        width = 100 if output else terminal.width()
        text = "".join(f"{line}\n" for line in weaker.lines(found, width))
    formats.put(text, output, form)
    return found.before.exit_code or (0 if search.holds_before(found.before) else 4)
