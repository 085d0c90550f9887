"""Limits of time and memory on the work of a thread.

A computation in Python cannot be ended from outside.  While some thread is limited, another looks at the clock and at
the memory of the process, and raises an exception in the thread that is past its limit.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
import threading
import time
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scopec.base.diagnostics import LimitError, UsageError
from scopec.base.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

_UNITS = ("", "K", "M", "G", "T")
_PERIOD_SECONDS = 0.05
#: On Linux: the second number is that of the pages that the process holds.
_STATM = Path("/proc/self/statm")
#: The seconds that memory may take to fall after the thread that used it was ended, before another is.
_GRACE_SECONDS = 2.0
#: The seconds that a thread may take to leave its block, before the exception is raised again: Python drops one that is
#: raised in a finalizer or in a callback of the garbage collector.
_LEAVING_SECONDS = 0.5


class _Ended(BaseException):
    """Raised by the watcher; no `except Exception` on the way holds it up."""


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock, in seconds, after which nothing more is asked; None for never.  ``late`` is what
    is said of an answer that is not there by then."""

    at: float | None = None
    late: str = ""

    def left(self) -> float | None:
        """The seconds left until then; 0 once it is past."""
        return None if self.at is None else max(0.0, self.at - time.monotonic())

    def within(self, seconds: float) -> float:
        """At most so many seconds, and no more than are left."""
        left = self.left()
        return seconds if left is None else min(seconds, left)


def deadline(seconds: float | None, used: float = 0.0, what: str = "the time limit") -> Deadline:
    """The end of a limit in seconds, of which some were ``used`` before now; ``what`` names it."""
    return Deadline() if seconds is None else Deadline(time.monotonic() + seconds - used, late(seconds, what))


class _Watch:
    """The limits of one thread: a moment of a clock, and bytes of the process.

    ``passed`` says which was passed, ``raised_at`` when the thread was last told; ``late`` is what is said where time
    was; ``imports`` is what :func:`_imports` gives where the block begins.
    """

    def __init__(self, seconds: float | None, most_bytes: int | None, clock: Callable[[], float], late: str) -> None:
        self.thread = threading.get_ident()
        self.imports = _imports(self.thread)
        self.late = late
        self.clock = clock
        self.deadline = None if seconds is None else clock() + seconds
        self.most_bytes = most_bytes
        self.passed: str | None = None
        self.raised_at = 0.0


_watches: list[_Watch] = []
_lock = threading.Lock()
_watcher: threading.Thread | None = None
#: Python's hook for dropped exceptions while nobody is limited.
_unraisable = sys.unraisablehook


class limited(AbstractContextManager[None]):
    """Raise LimitError in this block once it takes more than ``seconds`` or the process holds more than ``most_bytes``.

    None is no limit.  Work in C code goes on until it returns to Python.  With ``worked``, seconds are those that the
    thread has the processor, where the system tells: a limit that other work on the machine does not bring nearer.
    ``said`` is what the error says of time, if that is not the number of seconds.

    What is raised may arrive wherever a function written in Python begins, before it can catch anything.  So a block is
    entered and left by C code, which goes on in a generator: there it arrives where that waits.
    """

    def __init__(
        self, seconds: float | None, most_bytes: int | None, *, worked: bool = False, said: str | None = None
    ) -> None:
        late_ = late(seconds or 0) if said is None else said
        self._steps = _steps(seconds, most_bytes, working_clock() if worked else time.monotonic, late_)

    if TYPE_CHECKING:

        def __exit__(self, *error: object) -> None: ...

    else:

        @property
        def __enter__(self):
            return self._steps.__next__

        @property
        def __exit__(self):
            return partial(min, key=self._steps.send)  # sends it the type, the value and the traceback, or None thrice


def worked() -> float:
    """The seconds that this thread, and children of the process that have ended, had the processor."""
    times = os.times()
    return time.thread_time() + times.children_user + times.children_system


def working_clock() -> Callable[[], float]:
    """A clock of the time that this thread has the processor, which others may read, while there is the thread."""
    if hasattr(time, "pthread_getcpuclockid"):  # not on every system
        return partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))
    return time.monotonic


def _steps(
    seconds: float | None, most_bytes: int | None, clock: Callable[[], float], late_: str
) -> Generator[int | None, Any, None]:
    # A block may be over before anybody looks.
    if most_bytes is not None and resident() > most_bytes:
        raise LimitError(_too_much(most_bytes))
    if seconds == 0:
        raise LimitError(late_)
    watch = _Watch(seconds, most_bytes, clock, late_)
    try:
        try:
            _begin(watch)
            yield None
        finally:
            _finish(watch)
        error = yield 0
        if error is not None:
            raise error
        yield 0
        yield 0
    except MemoryError:
        raise LimitError(_too_much(most_bytes)) from None
    except BaseException as error:
        _finish(watch)  # what is raised at any moment may be raised in there
        if watch.passed is None or not _comes_of_a_limit(error):
            raise  # it may be for a block around this one
        raise LimitError(watch.passed) from None


def _comes_of_a_limit(error: BaseException | None) -> bool:
    """Python itself raises others in the place of what is raised in a ``__set_name__``, say."""
    while error is not None and not isinstance(error, _Ended):
        error = error.__cause__ or error.__context__
    return error is not None


@contextmanager
def uncut() -> Iterator[None]:
    """A block that no limit cuts off; it is soon over, and begins no other.

    The start of a thread needs one: until that thread runs it has its parent's identity, and Python may raise in it
    what was meant for its parent, which then waits for ever.  So does the start of a process, which nobody could end.
    """
    with _lock:
        _let_arrive()
        yield


def time_left() -> float | None:
    """The seconds by the clock that this thread's blocks may take yet; None without a limit of that kind."""
    thread = threading.get_ident()
    ends = [w.deadline for w in _watches if w.thread == thread and w.clock is time.monotonic and w.deadline is not None]
    return max(0.0, min(ends) - time.monotonic()) if ends else None


def memory_left() -> int | None:
    """The bytes that a child of this thread may take, which works for a block; None without a limit."""
    thread = threading.get_ident()
    limits = [watch.most_bytes for watch in _watches if watch.thread == thread and watch.most_bytes is not None]
    return max(0, min(limits) - resident()) if limits else None


def too_much() -> LimitError:
    """The error of a child of this thread that needs more memory than the block may take."""
    thread = threading.get_ident()
    limits = [watch.most_bytes for watch in _watches if watch.thread == thread and watch.most_bytes is not None]
    return LimitError(_too_much(min(limits, default=None)))


def late(seconds: float, what: str = "the time limit") -> str:
    """The message about a question that took too long."""
    return f"no answer within {what} of {seconds:g} s"


def _too_much(most_bytes: int | None) -> str:
    limit = "there is" if most_bytes is None else f"the limit of {shown_size(most_bytes)} (--memory-limit)"
    return f"no answer with less memory than {limit}"


def shown_size(size: int) -> str:
    """Bytes for people: ``512 MB``, ``1.5 GB``."""
    return f"{size / 2**20:.0f} MB" if size < 2**30 else f"{size / 2**30:.3g} GB"


def size(text: str | int) -> int:
    """The bytes that a text says: ``500MB``, ``1.5GiB``, ``2G``, powers of 1024; UsageError if it says none."""
    if isinstance(text, int) and text > 0:
        return text
    found = re.fullmatch(r"(\d{1,20}(?:\.\d{1,20})?)\s*([KMGT]?)(?:i?B)?", str(text).strip(), re.IGNORECASE)
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"`{text}` is not a size such as 500MB or 2GB")
    return int(float(found[1]) * 1024 ** _UNITS.index(found[2].upper()))


def _begin(watch: _Watch) -> None:
    global _watcher, _unraisable
    with _lock:
        _let_arrive()
        _watches.append(watch)
        if sys.unraisablehook is not _dropped:
            _unraisable, sys.unraisablehook = sys.unraisablehook, _dropped
        if _watcher is None or not _watcher.is_alive():
            _watcher = threading.Thread(target=_look, name="limits", daemon=True)
            _watcher.start()


def _finish(watch: _Watch) -> None:
    """End a watch; what was raised for it and has not arrived arrives here, and nowhere else.

    It is not taken back: CPython 3.11 would look for it for ever, and not go on at all under a profiler.
    """
    with _lock:
        if watch in _watches:
            _watches.remove(watch)
        if not _watches and sys.unraisablehook is _dropped:
            sys.unraisablehook = _unraisable
    if watch.passed is not None:
        with suppress(_Ended):
            # Once more: where two threads are told at once, CPython 3.11 may leave it to chance when the second hears.
            _raise_in(watch.thread)
            _let_arrive()


def _let_arrive() -> None:
    """Let arrive here, at the latest, what was raised for this thread."""
    for _ in range(10):  # exceptions of other threads arrive where a loop goes round
        pass


def _dropped(unraisable: sys.UnraisableHookArgs) -> None:
    """Python dropped an exception; nobody is told of that of a limit, which is raised again."""
    if unraisable.exc_type is not _Ended:
        _unraisable(unraisable)


def _forked() -> None:
    """In the child of a fork nobody looks, and whoever held the lock is gone."""
    global _lock, _watcher
    _watches.clear()
    _lock, _watcher = threading.Lock(), None


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forked)


def _look() -> None:
    quiet_until = 0.0
    while True:
        time.sleep(_PERIOD_SECONDS)  # no threading.Event: what is raised in its methods leaves it locked
        if not _watches:
            continue
        now = time.monotonic()
        try:
            held = resident()
        except OSError:  # too few files may be open just now: a later look tells
            held = 0
        with _lock:
            for watch in _watches:
                if watch.passed is not None and now > watch.raised_at + _LEAVING_SECONDS:
                    _end(watch, watch.passed)
                elif watch.passed is None and watch.deadline is not None and watch.clock() > watch.deadline:
                    _end(watch, watch.late)
            large = [w for w in _watches if w.passed is None and w.most_bytes is not None and held > w.most_bytes]
            if large and now > quiet_until and _end(large[0], _too_much(large[0].most_bytes)):  # which works longest
                quiet_until = now + _GRACE_SECONDS


def _end(watch: _Watch, reason: str) -> bool:
    """Ends a block, unless it imports a module just now: then a later look does."""
    if _imports(watch.thread) > watch.imports:
        return False
    watch.passed, watch.raised_at = reason, time.monotonic()
    _raise_in(watch.thread)
    return True


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Ended))


def _imports(thread: int) -> int:
    """The number of imports that a thread is in; those around a block do not count.

    They must not be cut off, and are soon over: modules that import each other would be left with one that never became
    whole.
    """
    collects = gc.isenabled()
    gc.disable()  # a collection within f_back lets the thread run on, and CPython 3.11 then gives what is no frame
    try:
        imports, frame = 0, sys._current_frames().get(thread)
        while frame is not None:
            imports += frame.f_code.co_filename.startswith("<frozen importlib")
            frame = frame.f_back
    finally:
        if collects:
            gc.enable()
    return imports


def resident() -> int:
    """The bytes of memory that this process holds."""
    try:
        return int(_STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (FileNotFoundError, PermissionError):
        import psutil  # Start-up: a tenth of a second, where the system has no file that says it

    return int(psutil.Process().memory_info().rss)


def half_of_the_machine() -> int:
    """The memory that a call may take where nobody says how much, in bytes."""
    return machine_bytes() // 2


def machine_bytes() -> int:
    """The bytes of memory that the machine has, or that its container may use."""
    try:
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        import psutil  # Start-up: as above

        total = int(psutil.virtual_memory().total)
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # "max" is no limit
            total = min(total, int(Path(file).read_text(encoding="ascii")))
    return total
