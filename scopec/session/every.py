"""Questions of a file about all launches, found in its text alone: most files ask none, and need no more than this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.session.plan import source_of

if TYPE_CHECKING:
    from pathlib import Path

    from scopec.session.plan import Overrides


def names_every(path: Path, shown: str, overrides: Overrides) -> bool:
    """Whether a file asks about all launches."""
    from scopec.frontends.clang.prepare import names_every as named  # Start-up: other files need it not

    return named(source_of(path, shown, overrides))


def has_launches(path: Path, shown: str, overrides: Overrides) -> bool:
    """Whether a file that asks about all launches has some of its own."""
    from scopec.session.sizes import asks_launches  # Start-up: as above

    return asks_launches(source_of(path, shown, overrides))
