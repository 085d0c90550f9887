"""Child processes that end with this one and take no more memory than they are given.

On Linux, the kernel sees to both (``PR_SET_PDEATHSIG``, prctl(2); ``RLIMIT_DATA``, setrlimit(2)), however this process
ends; elsewhere a child is ended by whoever started it, and its memory is not limited.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

_PR_SET_PDEATHSIG = 1


def started(command: Sequence[str], memory: int | None = None, **how: Any) -> subprocess.Popen[Any]:
    """Start a child, as ``subprocess.Popen`` does, that may hold at most ``memory`` bytes of data; OSError as there.

    It ends with the thread that starts it, which has to wait for it.
    """
    if sys.platform == "linux":
        how["preexec_fn"] = partial(_tied, os.getpid(), memory, _prctl())
    return subprocess.Popen(command, **how)


if sys.platform == "linux":
    import resource

    @cache
    def _prctl() -> Callable[..., int]:
        return ctypes.CDLL(None).prctl

    def _tied(parent: int, memory: int | None, prctl: Callable[..., int]) -> None:
        """Between fork and exec, where little may be done: no import, no lock."""
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended meanwhile
            os._exit(1)
        if memory is not None:
            with suppress(ValueError, OSError):  # there is a lower limit already
                resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
