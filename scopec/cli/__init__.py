"""The command line; it imports the rest where a failure to do so can be reported.

- ``program``: the commands
- ``check``, ``compare``, ``compile``, ``doctor``, ``init``, ``outcomes``, ``run``, ``trace``: a command each
- ``weaken``: another; ``listings``: the rest; ``man``: their help as pages for ``man``
- ``options``, ``settings``: options that they share, and settings as their defaults
- ``messages``: their messages on standard error; ``help``: help in groups, with examples
- ``decided``: what is known before the end
- ``trials``: the trials of ``doctor``
- ``serve``, ``server``, ``served``: a process that carries out calls; a call that it carries out
- ``lsp``: the language server, and its questions
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` takes longer to import than a server to be asked
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from scopec.cli.program import commands as commands

#: Bytes of address space with which a start never fails.
_NEEDED = 1 << 28


def main() -> NoReturn:
    """Entry point of the ``scopec`` command."""
    from scopec.cli import served  # Start-up: as below

    try:
        status = served.status()
    except KeyboardInterrupt:
        os._exit(130)
    if status is not None:
        os._exit(status)
    here()


def here() -> NoReturn:
    """Carry out the command of this process in this process."""
    try:
        from scopec.cli import program  # Start-up: this may be too much, where memory is limited
    except KeyboardInterrupt:
        os._exit(130)
    except Exception as failure:
        # Where memory is short, importing ends with all kinds of errors: Python's own compiler says ValueError.
        if not _limited() and not _starved(failure):
            raise
        _give_up()
    try:
        program.main()
    except MemoryError:  # to say so wanted more
        _give_up()


def _give_up() -> NoReturn:
    """Say that memory is short, and end at once: to print and to flush may want memory too."""
    os.write(2, b"scopec: there is not enough memory: raise the limit (ulimit -v)\n")
    os._exit(4)


def _limited() -> bool:
    """Whether the limit of memory is below what a start may need."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except MemoryError:
        return True
    except ImportError:  # not on Windows
        return False
    return RLIM_INFINITY != getrlimit(RLIMIT_AS)[0] < _NEEDED


def _starved(failure: Exception) -> bool:
    from scopec.base.diagnostics import starved  # Start-up: not needed where all goes well

    return starved(failure)


def __getattr__(name: str) -> Any:
    if name != "commands":
        raise AttributeError(name)
    from scopec.cli.program import commands  # Start-up: all the rest

    return commands
