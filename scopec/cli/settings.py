"""The settings of the project and of the user (``scopec/session/project.py``) as defaults of options, for click."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scopec.cli.messages import say
from scopec.session.project import KEYS, settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scopec.session.project import Setting


def defaults(commands: Iterable[click.Command], start: Path) -> dict[str, dict[str, Any]]:
    """The defaults of each command's options; InputError where a setting is not what `scopec check` takes."""
    unread: list[str] = []
    found = settings(start, unread)
    for line in unread:
        say(line)
    if not found:
        return {}
    options = {str(c.name): options_of(c) for c in commands}
    for key, setting in found.items():
        _taken(options["check"][key], setting)
    return {
        command: {str(o.name): found[key].value for key, o in settable.items() if key in found}
        for command, settable in options.items()
    }


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command whose defaults are settings, by their keys: `-I` is `I`."""
    named = {max(o.opts, key=len).lstrip("-"): o for o in command.params if isinstance(o, click.Option)}
    return {key: named[key] for key in KEYS if key in named}


def _taken(option: click.Option, setting: Setting) -> None:
    """Raise InputError if an option does not take a setting's value."""
    for value in setting.value if option.multiple else [setting.value]:
        try:
            option.type.convert(value, option, None)
        except click.BadParameter as bad:
            raise setting.wrong(bad.message.rstrip(".")) from None
