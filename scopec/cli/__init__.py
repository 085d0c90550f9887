"""The command line; what it needs is imported where somebody is there to say that it cannot be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from scopec.cli.program import commands as commands


def main() -> NoReturn:
    """Entry point of the ``scopec`` command."""
    try:
        from scopec.cli import program  # Start-up: this may be too much, where memory is limited
    except KeyboardInterrupt:
        os._exit(130)
    except MemoryError:
        _starved()
    except (ImportError, OSError) as failure:
        try:
            from scopec.base.diagnostics import starved
        except MemoryError:
            _starved()
        if not starved(failure):
            raise
        _starved()
    program.main()


def _starved() -> NoReturn:
    """Say that there is too little memory, and end at once: what Python does at an end may want some."""
    os.write(2, b"scopec: there is not enough memory to start: raise the limit (ulimit -v)\n")
    os._exit(4)


def __getattr__(name: str) -> Any:
    if name != "commands":
        raise AttributeError(name)
    from scopec.cli.program import commands  # Start-up: all the rest

    return commands
