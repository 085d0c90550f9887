"""``scopec man``: the help of the commands as pages for ``man``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from scopec.base.diagnostics import UsageError, suggestion
from scopec.base.version import __version__
from scopec.cli.help import in_groups

_PARAGRAPHS = re.compile(r"\n\s*\n")
_NAME = re.compile(r"`([^`]+)`")


@click.command()
@click.argument("name", metavar="[COMMAND]", required=False)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder, such as ~/.local/share/man/man1, to write the pages of all commands into: "
    "then `man scopec-check` finds one.",
)
@click.pass_context
def man(context: click.Context, name: str | None, output: Path | None) -> int:
    """Print the page of COMMAND, or of scopec, for `man`: scopec man check | man -l -"""
    assert context.parent is not None
    found = pages(context.parent)
    if output is not None:
        if name is not None:
            raise UsageError("--output writes the pages of all commands: leave COMMAND out")
        output.mkdir(parents=True, exist_ok=True)
        for title, text in found.items():
            (output / f"{title}.1").write_text(text, encoding="utf-8")
        return 0
    title = "scopec" if name is None else f"scopec-{name}"
    if title not in found:
        names = [one.removeprefix("scopec-") for one in found if one != "scopec"]
        raise UsageError(
            f"there is no command `{name}`: {suggestion(name or '', names) or 'there are ' + ', '.join(names)}"
        )
    click.echo(found[title], nl=False)
    return 0


def pages(context: click.Context) -> dict[str, str]:
    """The pages of a group of commands and of each, by their titles; a second name of a command has none."""
    group = context.command
    assert isinstance(group, click.Group)
    commands = {name: command for name, command in sorted(group.commands.items()) if command.name == name}
    of_group = "".join(_whole(context, "scopec", _commands(commands), [f"scopec-{name}" for name in commands]))
    found = {"scopec": of_group}
    for name, command in commands.items():
        own = click.Context(command, info_name=name, parent=context)
        found[f"scopec-{name}"] = "".join(_whole(own, f"scopec-{name}", iter(()), ["scopec"]))
    return found


def _whole(context: click.Context, title: str, more: Iterator[str], others: list[str]) -> Iterator[str]:
    """The page of a command, with more parts before its examples, and the titles of other pages."""
    command = context.command
    yield f'.TH "{_text(title.upper())}" 1 "" "scopec {__version__}" "scopec"\n'
    yield f".SH NAME\n{_text(title)} \\- {_text(_summary(command))}\n"
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SH SYNOPSIS\n.B {_text(context.command_path)}\n{_text(usage)}\n.SH DESCRIPTION\n"
    yield "".join(_prose(command.help or ""))
    yield ".SH OPTIONS\n"
    for heading, records in in_groups(command, context).items():
        yield f".SS {_text(heading)}\n"
        yield from (_item(option, meaning) for option, meaning in records)
    yield from more
    examples: Mapping[str, str] = getattr(command, "examples", {})
    if examples:
        yield ".SH EXAMPLES\n"
        yield from (_item(example, meaning) for example, meaning in examples.items())
    yield ".SH SEE ALSO\n" + " ,\n".join(f".BR {_text(one)} (1)" for one in others).replace(" ,\n", ",\n") + "\n"


def _commands(commands: Mapping[str, click.Command]) -> Iterator[str]:
    yield ".SH COMMANDS\n"
    yield from (_item(name, _summary(command)) for name, command in commands.items())


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(200).rstrip(".")


def _item(term: str, meaning: str) -> str:
    return f".TP\n.B {_text(term)}\n{_text(meaning)}\n"


def _prose(help_: str) -> Iterator[str]:
    """Paragraphs; those that click does not wrap (\\b) keep their lines."""
    for number, paragraph in enumerate(_PARAGRAPHS.split(inspect.cleandoc(help_))):
        first, _, rest = paragraph.partition("\n")
        kept = first == "\b"
        lines = (rest if kept else paragraph).splitlines()
        yield ".PP\n" if number else ""
        yield "".join(f"{_text(line.strip())}\n" + (".br\n" if kept else "") for line in lines)


def _text(text: str) -> str:
    """A text that roff takes for text: no line of it a request, names in bold letters."""
    escaped = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    escaped = _NAME.sub(r"\\fB\1\\fR", escaped)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
