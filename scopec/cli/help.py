"""Help in groups: the options of a command under headings, and examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from scopec.report.options import ReportingCommand

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The headings, and what stands under each: options of all commands that have them, by their longest names.
_GROUPS = {
    "What is asked": (
        "model", "progress", "given", "bound", "hangs", "memory", "ignore-races", "every", "no-guess", "k",
        "changed-since",
    ),
    "Who answers, and how long it may take": (
        "engine", "confirm", "timeout", "budget", "memory-limit", "jobs", "executor", "no-cache", "without",
        "alloy-jar", "tlc-jar",
    ),
    "What is reported": (
        "format", "output", "quiet", "verbose", "keep", "allow", "baseline", "write-baseline", "allow-outside", "x",
        "watch", "list",
    ),
    "How .cu files are read": (
        "reader", "I", "D", "U", "std", "include", "p", "headers", "cuda-path",
        "through", "nvcc",
    ),
}  # fmt: skip
_OTHER = "Other options"


class GroupedCommand(ReportingCommand):
    """A command of many options, whose help has them under headings; ``examples`` are commands with what they do."""

    def __init__(self, *given: object, examples: Mapping[str, str], **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group, and the examples."""
        for title, records in in_groups(self, ctx).items():
            with formatter.section(title):
                formatter.write_dl(records)
        write_examples(formatter, self.examples)


def in_groups(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The options of a command and what is said of each, under the headings that it has."""
    grouped = isinstance(command, GroupedCommand)
    heading = {name: title for title, names in _GROUPS.items() for name in names} if grouped else {}
    other = _OTHER if grouped else "Options"
    groups: dict[str, list[tuple[str, str]]] = {title: [] for title in (*_GROUPS, other)}
    order = {name: number for number, name in enumerate(heading)}
    for option in sorted(command.get_params(context), key=lambda p: order.get(_name(p.opts), len(order))):
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record is not None:
            groups[heading.get(_name(option.opts), other)].append(record)
    return {title: records for title, records in groups.items() if records}


def _name(options: Iterable[str]) -> str:
    return max(options, key=len).lstrip("-")


def write_examples(formatter: click.HelpFormatter, examples: Mapping[str, str]) -> None:
    """Commands, each with what it does below it."""
    with formatter.section("Examples"):
        for command, meaning in examples.items():
            formatter.write(f"{'':>{formatter.current_indent}}{command}\n")
            formatter.indent()
            formatter.write_text(meaning)
            formatter.dedent()


class ExampleGroup(click.Group):
    """The commands, and examples."""

    def __init__(self, *given: object, examples: Mapping[str, str], **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self.examples = examples

    def format_epilog(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        write_examples(formatter, self.examples)
