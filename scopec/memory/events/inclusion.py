"""Threads that a scope leaves out, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopec.memory.events.scopes import contains
from scopec.program.ir import Scope

if TYPE_CHECKING:
    from scopec.memory.events.events import Event
    from scopec.memory.execution import Execution


def left_out(execution: Execution, one: Event, other: Event) -> str | None:
    """The reason why the scope of ``one`` leaves out the thread of ``other``, or None; "it is …"."""
    scope = one.scope if one.scope is not None else Scope.SYSTEM
    threads = {t.name: t for t in execution.graph.program.threads}
    if "incl" not in execution.model.mentioned or contains(
        scope, threads[one.thread], threads[other.thread], execution.base.version
    ):
        return None
    how = "atomic at" if one.atomic else "at"
    return f"{how} {scope.name.lower()} scope, which does not include thread {other.thread}"
