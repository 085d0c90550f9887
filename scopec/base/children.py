"""Child processes that end with this one and take no more memory than they are given.

On Linux the kernel does both (``PR_SET_PDEATHSIG``, prctl(2); ``RLIMIT_DATA``, setrlimit(2)), however this process
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
#: util-linux's program that ties a process to its parent, and becomes it.
_TIE = ("--pdeathsig", "KILL", "--")
_M_ARENA_MAX = -8  # of glibc's malloc.h


def started(command: Sequence[str], memory: int | None = None, **how: Any) -> subprocess.Popen[Any]:
    """Start a child, as ``subprocess.Popen`` does, that may hold at most ``memory`` bytes of data; OSError as there.

    It ends with the thread that starts it, which has to wait for it.

    The first child of a program is forked, which tells exactly why one does not start.  The others are tied by setpriv
    where there is one: a fork of a process of 300 MB, with the copies of the pages that it goes on to write, takes more
    time than clang does.
    """
    if sys.platform != "linux":
        return subprocess.Popen(command, **how)
    tie = _setpriv() if command[0] in _HAVE_STARTED else None
    if tie is None:
        child = subprocess.Popen(command, preexec_fn=partial(_tied, os.getpid(), memory, _prctl()), **how)
        _HAVE_STARTED.add(command[0])
        return child
    child = subprocess.Popen([tie, *_TIE, *command], **how)
    if memory is not None:
        with suppress(ValueError, OSError):  # there is a lower limit already, or it has ended
            resource.prlimit(child.pid, resource.RLIMIT_DATA, (memory, memory))
    return child


def tie(parent: int) -> None:
    """Let this process end with its parent, which made it by a fork."""
    if sys.platform == "linux":
        _tied(parent, None, _prctl())


def memory_of_the_system() -> int | None:
    """The bytes that the system lets this process, and each child, have (``ulimit -v``); None without a limit."""
    if sys.platform != "linux":
        return None
    found = [limit for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA) for limit in resource.getrlimit(kind)[:1]]
    return min((limit for limit in found if limit != resource.RLIM_INFINITY), default=None)


def prepare_for_little_memory() -> None:
    """Let threads begin and end where the system gives little memory.

    What a thread needs to end is loaded now: it could not be loaded then, which would end the process.  And threads
    share one arena of malloc (glibc's ``mallopt``): one that finds no place for its own gets no memory from its first
    step on, where CPython 3.11 tries for ever to raise the MemoryError, and lets no other thread go on.
    """
    if memory_of_the_system() is not None:
        with suppress(OSError):
            ctypes.CDLL("libgcc_s.so.1")
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


#: The programs of which a child was forked.
_HAVE_STARTED: set[str] = set()

if sys.platform == "linux":
    import resource
    import shutil

    @cache
    def _setpriv() -> str | None:
        """A setpriv that can tie processes; None if there is none (BusyBox's cannot)."""
        found = shutil.which("setpriv")
        if found is not None:
            tried = subprocess.run([found, *_TIE, found, "--version"], capture_output=True, check=False)
            return None if tried.returncode else found
        return None

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
