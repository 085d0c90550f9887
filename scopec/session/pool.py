"""The threads in which runs are asked; the one that waits for them can be interrupted at any moment."""

from __future__ import annotations

from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future, ThreadPoolExecutor

_Result = TypeVar("_Result")


class Task(Generic[_Result]):
    """Something to be done by a thread of a pool, or by one of its own when its result is asked for."""

    def __init__(self, do: Callable[[], _Result]) -> None:
        self._do = do
        self._future: Future[_Result] | None = None
        self._made: list[_Result] = []
        self._failed: BaseException | None = None

    def start(self, threads: ThreadPoolExecutor) -> None:
        """Let a thread do it."""
        self._future = threads.submit(self._do)

    def result(self) -> _Result:
        """The result, or the exception that comes instead."""
        if self._future is not None:
            return self._future.result()
        thread = Thread(target=self._alone, daemon=True)
        thread.start()
        thread.join()
        if self._failed is not None:
            raise self._failed
        return self._made[0]

    def _alone(self) -> None:
        try:
            self._made.append(self._do())
        except BaseException as failed:
            self._failed = failed


class Pool:
    """Threads for ``jobs`` tasks at once, from the second task on.

    Most calls have one: to import what makes a pool takes a tenth of a small one.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._first: Task[Any] | None = None
        self._threads: ThreadPoolExecutor | None = None

    def submit(self, do: Callable[..., _Result], *of: object) -> Task[_Result]:
        """A task that is done beside the others."""
        task = Task(partial(do, *of))
        if self._first is None:
            self._first = task
            return task
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(max_workers=self._jobs)
            self._first.start(self._threads)
        task.start(self._threads)
        return task

    def shutdown(self) -> None:
        """Begin no more; what still runs after an interruption is not waited for: `cli.main` ends the process."""
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
