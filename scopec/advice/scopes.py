"""The scope that an advice writes: the narrowest at which threads include each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.events import Kind
from scopec.memory.events.scopes import contains
from scopec.program import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scopec.session.inquiry.run import Run


def needed(run: Run, name: str | None = None) -> ir.Scope:
    """The narrowest scope at which all threads that access an object (or any) include each other.

    A launch that is guessed may have fewer blocks than the kernel is made for: what threads share in global memory,
    others are taken to share too.
    """
    accesses = [(e.thread, e.location.object, e.kind) for e in run.graph.events if e.thread and e.location is not None]
    accesses = [one for one in accesses if name in (None, one[1])]
    using = {thread for thread, _, _ in accesses}
    threads = [t for t in run.program.threads if t.name in using]
    version = run.problem.base.version
    spelt: tuple[ir.Scope, ...] = (ir.Scope.BLOCK, ir.Scope.DEVICE, ir.Scope.SYSTEM)
    if run.guessed and any(run.program.objects[of].storage is not ir.Storage.SHARED for of in _shared(accesses)):
        spelt = spelt[1:]
    return next(
        s for s in spelt if s is ir.Scope.SYSTEM or all(contains(s, a, b, version) for a in threads for b in threads)
    )


def _shared(accesses: Iterable[tuple[str, str, Kind]]) -> Iterator[str]:
    """The objects that one thread writes and another one accesses."""
    users: dict[str, set[str]] = {}
    written: set[str] = set()
    for thread, of, kind in accesses:
        users.setdefault(of, set()).add(thread)
        if kind is Kind.WRITE:
            written.add(of)
    yield from (of for of, by in users.items() if len(by) > 1 and of in written)
