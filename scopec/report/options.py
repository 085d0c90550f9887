"""The command line's way to ask for reports: several ``--format``, each with its ``--output``; the forms of a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from scopec.base.diagnostics import UsageError
from scopec.report.formats import FOLDERS, STDOUT, TEXTS, Request, is_page, unwritable_file, unwritable_folder


class ReportingCommand(click.Command):
    """A command with ``--format`` and ``--output``, both repeatable: an output belongs to the format before it."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Note the order of the options, which click forgets; ``requests`` in ``context.meta`` is what they ask for."""
        args = list(self._alone(args))
        _, _, order = self.make_parser(context).parse_args(args=list(args))
        rest = super().parse_args(context, args)
        names = [p.name for p in order if p.name in ("format_", "output")]
        context.params["requests"] = _requests(
            names, list(context.params.pop("format_")), list(context.params.pop("output"))
        )
        return rest

    def _alone(self, args: Sequence[str]) -> Iterator[str]:
        """The arguments; an option that may stand alone, and that none of its values follows, with the one it has then:
        click takes what follows for its value."""
        lone = {
            name: option
            for option in self.params
            if isinstance(option, click.Option)
            and isinstance(option.type, click.Choice)
            and isinstance(option.flag_value, str)
            for name in option.opts
        }
        end = args.index("--") if "--" in args else len(args)
        for word, after in zip_longest(args[:end], args[1:end]):
            option = lone.get(word)
            alone = option is not None and isinstance(option.type, click.Choice) and after not in option.type.choices
            yield f"{word}={option.flag_value}" if option is not None and alone else word
        yield from args[end:]


def reports(command: Callable[..., Any]) -> Callable[..., Any]:
    """The two options, for a :class:`ReportingCommand`, which gets them as ``requests``."""
    command = click.option(
        "-o",
        "--output",
        multiple=True,
        type=click.Path(path_type=Path, readable=False),
        help="Write the report of the --format before it here: a file or -, for html and itf a folder "
        "(x.html of one program: its page). "
        "Without a --format, its suffix says which.",
    )(command)
    return click.option(
        "--format",
        "format_",
        multiple=True,
        type=click.Choice([*TEXTS, *FOLDERS]),
        help="Report format, text by default; repeatable, each with its own --output.",
    )(command)


#: The format that an output's suffix stands for where none is named.
_SUFFIXES = {".json": "json", ".sarif": "sarif", ".xml": "junit", ".md": "markdown"}


def _by_suffix(output: Path, of: Iterable[str], default: str = "text") -> str:
    """The format that is named like an output, among those there are."""
    wanted = _SUFFIXES.get(output.suffix, output.suffix[1:])
    return wanted if wanted in of else default


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


def trace_forms(command: Callable[..., Any]) -> Callable[..., Any]:
    """An option for each form of a trace, as ``form``, and ``output``, whose suffix says which form without one."""

    @wraps(command)
    def with_form(*, output: Path | None, **given: Any) -> Any:
        chosen = [name for name in TRACE_FORMS if given.pop(f"as_{name}")]
        if len(chosen) > 1:
            raise UsageError(f"--{chosen[0]} and --{chosen[1]}: one form per call")
        form = chosen[0] if chosen else "text" if output is None else _by_suffix(output, TRACE_FORMS)
        return command(form=form, output=output, **given)

    shown = click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path, readable=False),
        callback=_writable,
        help="Write it here: a file or -; without a form, in the one that its suffix names.",
    )(with_form)
    for name, meaning in reversed(TRACE_FORMS.items()):
        shown = click.option(f"--{name}", f"as_{name}", is_flag=True, help=meaning)(shown)
    return shown


def folder(_context: click.Context, _option: click.Parameter, place: Path | None) -> Path | None:
    """Refuse a folder that cannot be written, or made, before anything is done."""
    reason = None if place is None else unwritable_folder(place)
    if reason is not None:
        raise UsageError(f"cannot write to {place}: {reason}")
    return place


def _writable(_context: click.Context, _option: click.Parameter, output: Path | None) -> Path | None:
    """Refuse a place that cannot be written before anything is checked."""
    reason = None if output is None or output == STDOUT else unwritable_file(output)
    if reason is not None:
        raise UsageError(f"cannot write {output}: {reason}")
    return output


def _requests(order: Sequence[str | None], formats: list[str], outputs: list[Path]) -> tuple[Request, ...]:
    """Formats with their outputs, as they are written; an output before every format belongs to the first one."""
    if not formats:
        order, formats = ["format_", *order], [_by_suffix(outputs[0], [*TEXTS, *FOLDERS]) if outputs else "text"]
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
    for request in requests:
        if request.format in FOLDERS and request.to_stdout:
            raise UsageError(f"--format {request.format} writes several files: name a folder with --output")
    unplaced = [r.format for r in requests if r.output is None]
    if len(unplaced) > 1:
        raise UsageError(f"only one report can go to standard output: give {' or '.join(unplaced)} an --output")
    places: dict[Path, Request] = {}
    for request in requests:
        if request.output is None or request.to_stdout:
            continue
        folder_ = request.format in FOLDERS and not (request.format == "html" and is_page(request.output))
        reason = unwritable_folder(request.output) if folder_ else unwritable_file(request.output)
        if reason is not None:
            raise UsageError(f"cannot write {request.output}: {reason}")
        other = places.setdefault(request.output.resolve(), request)
        if other is not request and not (other.format in FOLDERS and request.format in FOLDERS):
            raise UsageError(f"two reports go to {request.output}: give each its own --output")
