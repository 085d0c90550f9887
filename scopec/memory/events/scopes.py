"""Scope inclusion: which threads an operation's scope contains (memory model, "Scope Relationships")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.program.ir import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scopec.memory.events.events import Event
    from scopec.program.ir import Thread


def contains(scope: Scope, thread: Thread, other: Thread, version: int | None = None) -> bool:
    """Whether an operation of ``thread`` at ``scope`` includes ``other``.

    "Each thread is related to itself by the thread thread scope"; block, cluster and device scope relate GPU threads
    only, so a host thread's block or device scope contains that thread alone.  From the second ``version`` of the
    document on, device scope relates threads "in the same CUDA device and same memory synchronization domain".
    """
    if thread.name == other.name:
        return True
    match scope:
        case Scope.SYSTEM:
            return True
        case Scope.DEVICE:
            one_domain = thread.domain == other.domain or version in (None, 1)
            return not thread.is_host and not other.is_host and thread.device == other.device and one_domain
        case Scope.CLUSTER:
            return not thread.is_host and thread.cluster_name == other.cluster_name
        case Scope.BLOCK:
            return not thread.is_host and thread.block_name == other.block_name
        case Scope.THREAD:
            return False


def scope_of(event: Event) -> Scope:
    """The scope of an event; one without has thread scope, and a volatile access that of the system.

    Only PTX asks for the scope of a volatile access, which is "equivalent to a relaxed memory operation with
    system-scope" (PTX ISA, "volatile Operation").
    """
    return event.scope or (Scope.SYSTEM if event.volatile else Scope.THREAD)


def inclusive(a: Event, b: Event, threads: Mapping[str, Thread], version: int | None) -> bool:
    """``incl``: each one's scope includes the thread of the other."""
    if not a.thread or not b.thread:
        return a.id == b.id
    first, second = threads[a.thread], threads[b.thread]
    return contains(scope_of(a), first, second, version) and contains(scope_of(b), second, first, version)
