"""An end to what z3 does, by the time of the processor.

z3's own limit is by the clock: on a busy machine less is decided within it, and the answer is another.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import z3

from scopec.base.limits import working_clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scopec.base.limits import Deadline

#: The least time between two looks at the clock.
_PERIOD_SECONDS = 0.001


@contextmanager
def interrupted_after(seconds: float, end: Deadline) -> Iterator[None]:
    """Interrupt z3 in this block once the thread has had the processor for so many seconds, or at the end."""
    clock, over, lock = working_clock(), threading.Event(), threading.Lock()
    last = clock() + seconds

    def watch() -> None:
        while not over.wait(max(_PERIOD_SECONDS, end.within(last - clock()))):
            with lock:  # none after the question, which might be one of the next
                if not over.is_set() and (clock() >= last or end.left() == 0):
                    z3.main_ctx().interrupt()  # again and again: z3 forgets one that comes before it begins

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with lock:
            over.set()
        watcher.join()
