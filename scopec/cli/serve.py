"""``scopec serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import click

from scopec.base.diagnostics import UsageError
from scopec.cli.served import possible

if TYPE_CHECKING:
    from collections.abc import Callable

_MINUTES = 15
#: The longest time that the system waits: 2**31 milliseconds.
LONGEST = (1 << 31) // 60_000


@click.command("serve")
@click.pass_obj
@click.option(
    "--idle",
    type=click.IntRange(1, LONGEST),
    default=_MINUTES,
    show_default=True,
    metavar="MINUTES",
    help="End after so long without a call.",
)
def serve(here: Callable[[], NoReturn], idle: int) -> None:
    """Carry out this user's calls of scopec, which then need not start it.

    While it runs, `scopec check` and the other commands pass their calls on to it: with the same output, and the same
    exit status. It ends with Ctrl-C, when scopec is changed, and when it has been idle. `SCOPEC_SERVER=off` starts a
    call by itself.
    """
    if not possible():
        raise UsageError("there is no `scopec serve` on this system: its processes do not fork")
    from scopec.cli.server import serve as listen  # Start-up: only this command needs it

    listen(idle * 60, here)
