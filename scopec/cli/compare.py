"""``scopec compare``: which verdicts differ between two results."""

from __future__ import annotations

from pathlib import Path

import click

from scopec.report import formats


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), help="Report format [default: text, or as -o].")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it here.")
def compare(a: Path, b: Path, form: str | None, output: Path | None) -> int:
    """Say which verdicts differ between A and B, which `scopec check --format json` has written: of two models,
    compilers or commits.

    Exit status: 0 none, 1 some, or one is in one of them alone, 2 bad input or usage.
    """
    # Start-up: as in every command.
    from scopec.report import compared, json, stored

    differ, same = compared.compared(stored.results(a), stored.results(b))
    if form is None:
        form = "json" if output is not None and output.suffix == ".json" else "text"
    if form == "json":
        text = json.text(compared.document((a, b), differ, same))
    else:
        text = "".join(f"{line}\n" for line in compared.lines((a, b), differ, same))
    formats.put(text, output, form)
    return 1 if differ else 0
