"""What a project says of all calls: ``scopec.toml``, or ``[tool.scopec]`` in ``pyproject.toml``, beside or above."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scopec.base.diagnostics import UsageError, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Options that say what one call is for, not how a project is checked.
_OF_A_CALL = frozenset({"format_", "output", "watch", "revision", "select", "first", "write_baseline"})


def defaults(commands: Iterable[click.Command], start: Path) -> dict[str, dict[str, Any]]:
    """The defaults of each command's options, for click; UsageError where a setting is no option of `scopec check`."""
    file, found = _read(start)
    options = {c.name: _settable(c) for c in commands}
    for name in found:
        if name not in options["check"]:
            known = suggestion(name, options["check"]) or f"there are {', '.join(sorted(options['check']))}"
            raise UsageError(f"{file}: there is no setting `{name}`: {known}")
    return {
        str(command): {o.name: _value(o, found[n], file) for n, o in settable.items() if n in found and o.name}
        for command, settable in options.items()
    }


def _settable(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by what they are called in a file: `-I` is `I`."""
    return {
        max(o.opts, key=len).lstrip("-"): o
        for o in command.params
        if isinstance(o, click.Option) and o.name not in _OF_A_CALL and o.name != "help"
    }


def _value(option: click.Option, value: Any, file: Path) -> Any:
    """A value as click wants it; places are beside the file."""
    if isinstance(option.type, click.Path):
        return [str(file.parent / v) for v in value] if option.multiple else str(file.parent / value)
    if option.multiple and isinstance(value, dict):
        return [f"{k}={v}" for k, v in value.items()]
    return value


def _read(start: Path) -> tuple[Path, dict[str, Any]]:
    """The nearest file with settings, and what it says."""
    for folder in (start, *start.parents):
        for name in ("scopec.toml", "pyproject.toml"):
            file = folder / name
            if not file.is_file():
                continue
            import tomllib  # start-up: most calls have no such file

            try:
                found = tomllib.loads(file.read_text(encoding="utf-8"))
            except (OSError, ValueError) as failure:
                if name == "pyproject.toml":  # other tools tell of it
                    continue
                raise UsageError(f"{file}: {failure}") from None
            if name == "scopec.toml":
                return file, found
            if "scopec" in found.get("tool", {}):
                return file, dict(found["tool"]["scopec"])
        if (folder / ".git").exists():
            break
    return start, {}
