"""The formats of a report, and the command line's way to ask for several: each ``--format`` with its ``--output``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scopec.diagnostics import UsageError
from scopec.report import terminal

if TYPE_CHECKING:
    from scopec.check import Outcome


@dataclass(frozen=True)
class Results:
    """Everything that a report may tell: ``engines`` is the table of those that were used."""

    outcomes: Sequence[Outcome]
    seconds: float
    started: datetime
    exit_code: int
    engines: Callable[[], dict[str, Any]]
    verbose: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A format, and where it goes: a file, a folder for formats of several files, or standard output (None)."""

    format: str
    output: Path | None


def _text(results: Results, to_file: bool) -> str:
    from scopec.report import text

    width = 100 if to_file else terminal.width()
    lines: list[str] = []
    for outcome in results.outcomes:
        lines += text.outcome_lines(outcome, verbose=results.verbose, quiet=results.quiet, width=width)
    lines.append(text.summary_line(results.outcomes, results.seconds))
    return "\n".join(lines) + "\n"


def _json(results: Results, _to_file: bool) -> str:
    from scopec.report import json

    return json.text(json.document(results.outcomes, results.engines(), results.seconds))


def _junit(results: Results, _to_file: bool) -> str:
    from scopec.report import junit

    return junit.text(results.outcomes, results.started)


def _sarif(results: Results, _to_file: bool) -> str:
    from scopec.report import sarif

    return sarif.text(results.outcomes, results.exit_code)


def _github(results: Results, _to_file: bool) -> str:
    from scopec.report import github

    return github.text(results.outcomes)


def _itf(results: Results) -> Mapping[str, str]:
    from scopec.report import itf

    return itf.traces(results.outcomes)


def _html(results: Results) -> Mapping[str, str]:
    from scopec.report import html

    return html.files(results.outcomes, results.seconds)


#: Formats of one text, and formats of several files; the first is the one for people.
TEXTS: dict[str, Callable[[Results, bool], str]] = {
    "text": _text,
    "json": _json,
    "junit": _junit,
    "sarif": _sarif,
    "github": _github,
}
FOLDERS: dict[str, Callable[[Results], Mapping[str, str]]] = {"html": _html, "itf": _itf}


def write(requests: Sequence[Request], results: Results) -> None:
    """Write every report that is asked for; UsageError where a place cannot be written."""
    for request in requests:
        if request.format in FOLDERS:
            assert request.output is not None
            _write_folder(FOLDERS[request.format](results), request.output)
        else:
            text = TEXTS[request.format](results, request.output is not None)
            put(text, request.output, for_people=request.format == "text")


def put(text: str, output: Path | None, *, for_people: bool) -> None:
    """Write a text to a file, or to standard output (None), in colours if it is ``for_people`` who like them.

    UsageError if it cannot be written.
    """
    if output is not None:
        _write_file(text, output)
    elif for_people and terminal.colours(sys.stdout):
        click.echo("\n".join(map(terminal.painted, text.split("\n"))), nl=False)
    else:
        click.echo(text, nl=False)


def _write_folder(files: Mapping[str, str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise _unwritable(folder, failure) from failure
    for name, text in files.items():
        _write_file(text, folder / name)


def _write_file(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as failure:
        raise _unwritable(path, failure) from failure


def _unwritable(path: Path, failure: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {failure.strerror}")


# ---------------------------------------------------------------- the command line


class ReportingCommand(click.Command):
    """A command with ``--format`` and ``--output``, both repeatable: an output belongs to the format before it."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Note the order of the options, which click forgets; ``requests`` in ``context.meta`` is what they ask for."""
        _, _, order = self.make_parser(context).parse_args(args=list(args))
        rest = super().parse_args(context, args)
        names = [p.name for p in order if p.name in ("format_", "output")]
        context.params["requests"] = _requests(
            names, list(context.params.pop("format_")), list(context.params.pop("output"))
        )
        return rest


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The two options, for a :class:`ReportingCommand`, which gets them as ``requests``."""
    command = click.option(
        "--output",
        multiple=True,
        type=click.Path(path_type=Path),
        help="Write the report of the --format before it here: a file, for html and itf a folder.",
    )(command)
    return click.option(
        "--format",
        "format_",
        multiple=True,
        type=click.Choice([*TEXTS, *FOLDERS]),
        help="Report format, text by default; repeatable, each with its own --output.",
    )(command)


#: The forms of one trace, by the name of the option; the first is what is shown without one.
TRACE_FORMS = {
    "text": "Lanes with time downwards, and everything that is known; the default.",
    "html": "A page with the source beside the picture, or beside a player of the schedule.",
    "svg": "A picture that stands alone.",
    "dot": "A graph for Graphviz.",
    "mermaid": "A flow chart for Mermaid.",
    "json": "The results of this one expectation, as `check --format json` writes them.",
    "itf": "A schedule as an ITF trace.",
}


def trace_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each form of a trace, as ``form``, and ``output``."""
    command = click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write it here.")(
        command
    )
    for name, meaning in reversed(TRACE_FORMS.items()):
        command = click.option(f"--{name}", "form", flag_value=name, default="text", help=meaning)(command)
    return command


def _requests(order: Sequence[str | None], formats: list[str], outputs: list[Path]) -> tuple[Request, ...]:
    """Formats with their outputs, as they are written; an output before every format belongs to the first one."""
    if not formats:
        order, formats = ["format_", *order], ["text"]
    if order[0] == "output":
        order = ["format_", "output", *order[1:]]
        order.pop(order.index("format_", 1))
    found: list[Request] = []
    for option in order:
        if option == "format_":
            found.append(Request(formats.pop(0), None))
        elif found[-1].output is None:
            found[-1] = Request(found[-1].format, outputs.pop(0))
        else:
            raise UsageError(f"--format {found[-1].format} has two outputs: give each --output a --format of its own")
    _check(found)
    return tuple(found)


def _check(requests: Sequence[Request]) -> None:
    """Refuse what cannot be written before anything is checked."""
    unplaced = [r.format for r in requests if r.output is None]
    for name in unplaced:
        if name in FOLDERS:
            raise UsageError(f"--format {name} writes several files: name a folder with --output")
    if len(unplaced) > 1:
        raise UsageError(f"only one report can go to standard output: give {' or '.join(unplaced)} an --output")
    files = [r.output for r in requests if r.output is not None and r.format not in FOLDERS]
    for file in files:
        if file.is_dir() or not file.absolute().parent.is_dir():
            raise UsageError(
                f"cannot write {file}: " + ("it is a folder" if file.is_dir() else "its folder does not exist")
            )
    if len(set(files)) < len(files):
        raise UsageError("two reports go to the same file: give each its own --output")
