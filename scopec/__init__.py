"""scopec: checks CUDA-style programs for scoped synchronisation and forward progress.

``scopec.check`` is the call from Python (scopec/api.py). See ARCHITECTURE.md for the path of a program through the
package.
"""

from __future__ import annotations

from scopec.base.version import __version__ as __version__

TYPE_CHECKING = False  # Start-up: a call that a server carries out needs no `typing`
if TYPE_CHECKING:
    from typing import Any

    from scopec.api import Results, Verdict, check

__all__ = ["Results", "Verdict", "__version__", "check"]


def __dir__() -> list[str]:
    """The names that are for others: what Python and the import machinery add is of no use to them."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """The names of `scopec.api`, imported when they are asked for: the command needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("scopec.api"), name)
