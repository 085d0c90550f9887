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
    from scopec.kernels.check import check_kernel
    from scopec.kernels.launch import Array, Launch

__all__ = ["Array", "Launch", "Results", "Verdict", "__version__", "check", "check_kernel"]

#: The modules of the names that are for others.
_MODULES = {"Array": "scopec.kernels.launch", "Launch": "scopec.kernels.launch", "check_kernel": "scopec.kernels.check"}


def __dir__() -> list[str]:
    """The names that are for others: what Python and the import machinery add is of no use to them."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """The names that are for others, imported when they are asked for: the command needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES.get(name, "scopec.api")), name)
