"""The formats of a report, and writing those that are asked for."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scopec.base.diagnostics import UsageError
from scopec.base.excerpt import inert
from scopec.base.files import text_of, write_below
from scopec.base.records import dataclass
from scopec.report import terminal

# Start-up: a call writes few of the formats, and only their modules are imported.
if TYPE_CHECKING:
    from scopec.session.check import Outcome


@dataclass(frozen=True)
class Results:
    """Everything that a report may say: ``engines`` is the table of those that were used."""

    outcomes: Sequence[Outcome]
    seconds: float
    started: datetime
    exit_code: int
    engines: Callable[[], dict[str, Any]]
    verbose: bool = False
    quiet: bool = False


STDOUT = Path("-")


@dataclass(frozen=True, slots=True)
class Request:
    """A format, and where it goes: a file, a folder for formats of several files, or standard output (None)."""

    format: str
    output: Path | None

    @property
    def to_stdout(self) -> bool:
        """Whether the report goes to standard output, which ``--output -`` names."""
        return self.output is None or self.output == STDOUT


def _text(results: Results, to_file: bool) -> str:
    from scopec.report import brief, text, unasked

    width = 100 if to_file else terminal.width()
    lines: list[str] = []
    if brief.is_brief(results.outcomes, verbose=results.verbose):
        lines += brief.lines(results.outcomes, quiet=results.quiet, width=width)
    else:
        for outcome in results.outcomes:
            lines += text.outcome_lines(outcome, verbose=results.verbose, quiet=results.quiet, width=width)
    silent = unasked.line(results.outcomes, quiet=results.quiet)
    lines += [line for line in (silent, text.summary_line(results.outcomes, results.seconds)) if line is not None]
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


def _gitlab(results: Results, _to_file: bool) -> str:
    from scopec.report import gitlab

    return gitlab.text(results.outcomes)


def _markdown(results: Results, _to_file: bool) -> str:
    from scopec.report import markdown

    return markdown.text(results.outcomes, results.seconds)


def _gcc(results: Results, _to_file: bool) -> str:
    from scopec.report import gcc

    return gcc.text(results.outcomes)


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
    "gitlab": _gitlab,
    "markdown": _markdown,
    "gcc": _gcc,
}
FOLDERS: dict[str, Callable[[Results], Mapping[str, str]]] = {"html": _html, "itf": _itf}


def write(requests: Sequence[Request], results: Results) -> None:
    """Write every report that is asked for; UsageError where a place cannot be written, after the others are."""
    failures = []
    for request in requests:
        try:
            _write(request, results)
        except UsageError as failure:
            failures.append(str(failure))
    if failures:
        raise UsageError("; ".join(failures))


def _write(request: Request, results: Results) -> None:
    if request.format == "html" and request.output is not None and is_page(request.output):
        _write_page(results, request.output)
    elif request.format in FOLDERS:
        assert request.output is not None
        _write_folder(FOLDERS[request.format](results), request.output)
    else:
        text = TEXTS[request.format](results, not request.to_stdout)
        put(text, request.output, request.format)


def is_page(output: Path) -> bool:
    """Whether an output is named like a page, and not a folder that is there."""
    return output.suffix == ".html" and not output.is_dir()


def _write_page(results: Results, output: Path) -> None:
    """Write the page of one program to a file; of several, a folder of pages, and say so."""
    from scopec.report import html

    reports = [report for outcome in results.outcomes for report in outcome.reports]
    if len(reports) == 1:
        _write_file(html.page(reports[0]), output)
        return
    _write_folder(html.files(results.outcomes, results.seconds), output)
    click.echo(f"{len(reports)} programs: {output} is a folder of pages, with index.html", err=True)


#: A format's form of `##[` on standard output that no runner takes for a command; others use a backslash.
_ESCAPES = {
    "json": r"#\u0023[",
    "sarif": r"#\u0023[",
    "gitlab": r"#\u0023[",
    "junit": "#&#35;[",
    "html": "#&#35;[",
    "svg": "#&#35;[",
    "markdown": "&#35;&#35;[",
}


def put(text: str, output: Path | None, form: str) -> None:
    """Write a text in a format to a file, or to standard output (None or ``-``): there in colours if it is for people
    who like them, and without anything that a runner of CI would take for a command, but for GitHub's own lines.

    UsageError if it cannot be written.
    """
    if output is not None and output != STDOUT:
        _write_file(text, output)
        return
    if form in _ESCAPES:
        text = text.replace("##[", _ESCAPES[form])
    elif form != "github":
        text = inert(text)
    coloured = form == "text" and terminal.colours(sys.stdout)
    if coloured:
        text = "\n".join(map(terminal.painted, text.split("\n")))
    try:
        click.echo(text, nl=False, color=coloured or None)
    except OSError as failure:
        terminal.abandon(sys.stdout)
        raise UsageError(f"cannot write standard output: {failure.strerror}") from failure


def unwritable_file(path: Path) -> str | None:
    """The reason why a file cannot be written, as far as can be told before it is; None if it can."""
    if path.is_dir():
        return "it is a folder"
    if not path.absolute().parent.is_dir():
        return "its folder does not exist"
    return None if os.access(path if path.exists() else path.absolute().parent, os.W_OK) else "it is read-only"


def unwritable_folder(path: Path) -> str | None:
    """The reason why no files can be written to a folder, which is made if need be; None if they can."""
    there = next(p for p in (path.absolute(), *path.absolute().parents) if p.exists())
    if not there.is_dir():
        return f"{there} is a file" if there != path.absolute() else "it is a file, and a folder is needed"
    return None if os.access(there, os.W_OK) else f"{there} is read-only"


def _write_folder(files: Mapping[str, str], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in _pages(folder / "index.html").difference(files) if "index.html" in files else ():
            (folder / old).unlink(missing_ok=True)
        for name, text in files.items():
            write_below(folder, name, text)
    except OSError as failure:
        raise _unwritable(folder, failure) from failure


def _pages(index: Path) -> set[str]:
    """The pages beside an index that an earlier call wrote with it; none if scopec did not write it."""
    try:
        text = text_of(index)
    except (OSError, ValueError):
        return set()
    return (
        set(re.findall(r'href="([\w-]+\.html)#', text)) if '<meta name="generator" content="scopec ' in text else set()
    )


def _write_file(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as failure:
        raise _unwritable(path, failure) from failure


def _unwritable(path: Path, failure: OSError) -> UsageError:
    return UsageError(f"cannot write {path}: {failure.strerror}")
