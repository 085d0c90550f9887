"""Messages for a program that is not in the scoped language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.base.diagnostics import Code, error

# Start-up: most files do not ask for a clang here.

if TYPE_CHECKING:
    from scopec.base.diagnostics import InputError
    from scopec.base.source import Span


def out_of_subset(what: str, span: Span, help_: str | None = None) -> InputError:
    """The error for C++ that the scoped language has not; ``what`` ends in its verb."""
    return error(Code.OUTSIDE_SUBSET, f"{what} outside the scoped language", span, help_ or way_to_clang())


def is_out_of_subset(refused: InputError) -> bool:
    """Whether an error is that a text is not in the scoped language, rather than one in it."""
    return any(d.code is Code.OUTSIDE_SUBSET or way_to_clang() in (d.help or "") for d in refused.diagnostics)


def way_to_clang() -> str:
    """A hint how such a program can be read."""
    from scopec.frontends.clang import command

    if command.find() is None:
        return f"clang reads C++: {command.WAY_TO_CLANG}"
    return "clang reads it: leave out `--reader scoped` and `//@ language scoped;`"
